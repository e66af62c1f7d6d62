package tile_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/tile"
)

// ledger is what was read, by key and by name: the twin of what a cache counts.
type ledger struct {
	mu    sync.Mutex
	read  map[tile.Flat]bool
	items map[string]*tile.ItemStats
}

const ledgerTile = 100 // bytes

// page is a file of a ledger.
type page struct {
	*ledger
	name string
}

func (p page) About() tile.About {
	return tile.About{Tile: 32, Levels: 4, Traits: tile.Traits{Element: 2}}
}

func (p page) Close() error { return nil }

func (p page) ReadTile(_ context.Context, k tile.Flat, room func(int) ([]byte, error)) error {
	b, err := room(ledgerTile)
	if err != nil {
		return err
	}
	for i := range b {
		b[i] = 7
		if _, y, x := k.At(); x%3 > 0 { // the others are constant, and some of these have the same bytes
			b[i] = byte(i*(1+y%5) ^ x)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.items[p.name]
	if s == nil {
		s = &tile.ItemStats{}
		p.items[p.name] = s
	}
	s.Reads, s.Bytes = s.Reads+1, s.Bytes+ledgerTile
	if p.read[k] {
		s.Again, s.AgainBytes = s.Again+1, s.AgainBytes+ledgerTile
	}
	p.read[k] = true
	return nil
}

// forget takes out the tiles that fit.
func (l *ledger) forget(fits func(tile.Flat) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for k := range l.read {
		if fits(k) {
			delete(l.read, k)
		}
	}
}

// TestReadAgainIsExact has goroutines read far more tiles than the cache remembers, and invalidate
// those that nobody else reads. What was read once and again is what a map of all tiles says.
func TestReadAgainIsExact(t *testing.T) {
	ctx := context.Background()
	for name, o := range map[string]tile.Options{
		"plain": {}, "instances": {Instances: true}, "packed": {Packed: 4 << 10},
		"clock": {Purposes: []tile.Purpose{{Policy: tile.Clock}}}, "s3fifo": {Purposes: []tile.Purpose{{}, {Policy: tile.S3FIFO}}},
	} {
		t.Run(name, func(t *testing.T) {
			o.Budget, o.Records = 4<<10, 64
			c := tile.New[tile.Flat](o)
			l := &ledger{read: map[tile.Flat]bool{}, items: map[string]*tile.ItemStats{}}
			items := tile.NewItems(c, func(_ context.Context, name string) (tile.ReadCloser[tile.Flat], error) {
				return page{l, name}, nil
			}, tile.Flat.Item, tile.ItemsOptions{Open: 2})
			var group sync.WaitGroup
			for g := range 4 {
				group.Go(func() {
					w := c.NewWorker(2)
					defer w.Close()
					rnd := rand.New(rand.NewPCG(uint64(g), 5))
					var mine []tile.Flat
					for n := range 2000 {
						i := items.Item(fmt.Sprint("shared", rnd.IntN(3)))
						own := rnd.IntN(2) == 0
						if own {
							i = items.Item(fmt.Sprint("own", g, rnd.IntN(2)))
						}
						k, _ := tile.FlatKey(i.ID(), rnd.IntN(3), rnd.IntN(20), rnd.IntN(20))
						h, err := c.Get(ctx, w, k, i)
						if err != nil {
							t.Error(err)
						}
						h.Release()
						if !own {
							continue
						}
						mine = append(mine, k)
						switch _, y, _ := k.At(); {
						case n%3 == 0:
							some := mine[rnd.IntN(len(mine))] // it may be forgotten
							l.forget(func(other tile.Flat) bool { return other == some })
							c.Invalidate(some)
						case n%97 == 1: // some rows
							fits := func(other tile.Flat) bool { _, oy, _ := other.At(); return other.Item() == i.ID() && oy <= y }
							l.forget(fits)
							c.InvalidateIf(fits)
						case n%211 == 2:
							l.forget(func(other tile.Flat) bool { return other.Item() == i.ID() })
							if err := i.Invalidate(); err != nil {
								t.Error(err)
							}
						}
					}
				})
			}
			group.Wait()
			var bytes, again, opens int64
			for _, s := range items.Stats() {
				want := l.items[s.Name]
				if s.Reads != want.Reads || s.Bytes != want.Bytes || s.Again != want.Again || s.AgainBytes != want.AgainBytes {
					t.Errorf("%s: %+v, want %+v", s.Name, s, want)
				}
				bytes, again, opens = bytes+s.Bytes, again+s.AgainBytes, opens+s.Opens
			}
			if s := c.Stats(); s.UniqueBytes != bytes-again || s.AgainBytes != again || s.Forgotten == 0 || again == 0 || opens < 100 {
				t.Errorf("%+v; %d bytes, %d of them again; %d opens", s, bytes, again, opens)
			}
			if err := errors.Join(items.Close(), c.Close()); err != nil {
				t.Error(err)
			}
		})
	}
}

// heapOf returns the bytes that what make returns takes.
func heapOf(make func() any) int64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	v := make()
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(v)
	return int64(after.HeapAlloc) - int64(before.HeapAlloc)
}

// TestMemoryOfTiles bounds what a tile of the article's scene takes that was read once: files of 8K in
// tiles of 32x32, read whole and one tile in twenty.
func TestMemoryOfTiles(t *testing.T) {
	long.Alone(t)
	tiles := long.By(100_000, 500_000, 2_000_000)
	for _, tt := range []struct {
		name  string
		step  int
		bytes float64
	}{{"whole", 1, 1}, {"scattered", 20, 16}} {
		rnd := rand.New(rand.NewPCG(3, 4))
		n := 0
		heap := heapOf(func() any {
			c := tile.New[tile.Flat](tile.Options{Budget: 128 << 10, Records: 512})
			r := &virtual[tile.Flat]{Size: func(tile.Flat) int { return 8 << 10 }}
			for item := uint32(0); n < tiles; item++ {
				for level := range 9 {
					edge := 256 >> level
					for at := rnd.IntN(tt.step); at < edge*edge; at += 1 + rnd.IntN(2*tt.step-1) {
						k, _ := tile.FlatKey(item, level, at/edge, at%edge)
						h, err := c.Get(t.Context(), nil, k, r)
						if err != nil {
							t.Fatal(err)
						}
						h.Release()
						n++
					}
				}
			}
			if s := c.Stats(); s.AgainBytes != 0 || s.UniqueBytes != int64(n)<<13 {
				t.Errorf("%s: %d tiles: %+v", tt.name, n, s)
			}
			return c
		})
		each := float64(heap-256<<10) / float64(n) // of the payloads, and of all that does not grow
		t.Logf("%s: %d tiles, %.2f bytes each", tt.name, n, each)
		if each > tt.bytes {
			t.Errorf("%s: %d tiles take %.2f bytes each", tt.name, n, each)
		}
	}
}

// TestMemoryOfRecords bounds what a record takes, also where there are many purposes.
func TestMemoryOfRecords(t *testing.T) {
	long.Alone(t)
	const records = 1 << 16
	purposes := make([]tile.Purpose, 4)
	heap := heapOf(func() any {
		c := tile.New[tile.Flat](tile.Options{Budget: 1 << 20, Records: records, Purposes: purposes})
		for n := range records {
			r := &virtual[tile.Flat]{Item: tile.About{Traits: tile.Traits{Purpose: n % 4}}, Size: func(tile.Flat) int { return 8 << 10 }}
			k, _ := tile.FlatKey(1, 0, n>>8, n&255)
			h, err := c.Get(t.Context(), nil, k, r)
			if err != nil {
				t.Fatal(err)
			}
			h.Release()
		}
		return c
	})
	if each := float64(heap-1<<20) / records; each > 120 {
		t.Errorf("a record takes %.1f bytes", each)
	} else {
		t.Logf("a record takes %.1f bytes", each)
	}
}
