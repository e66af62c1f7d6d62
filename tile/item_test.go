package tile_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/cairnvoxel/cairn/tile"
	"github.com/zeebo/xxh3"
)

// disk is files of virtual tiles.
type disk struct {
	mu      sync.Mutex
	version map[string]byte
	opens   map[string]int
	open    int
	most    int
	refuse  error
	stuck   error // of Close
}

func newDisk() *disk { return &disk{version: map[string]byte{}, opens: map[string]int{}} }

func (d *disk) Open(_ context.Context, name string) (tile.ReadCloser[tile.Flat], error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.refuse != nil {
		return nil, d.refuse
	}
	d.opens[name]++
	d.open++
	d.most = max(d.most, d.open)
	return &file{disk: d, name: name, version: d.version[name]}, nil
}

type file struct {
	disk    *disk
	name    string
	version byte
}

func (f *file) About() tile.About {
	return tile.About{Size: [3]int{256, 128, 1}, Tile: 32, Levels: 4, Channels: []string{"R", "G"}, Traits: tile.Traits{Element: 2}}
}

func (f *file) ReadTile(_ context.Context, k tile.Flat, room func(int) ([]byte, error)) error {
	f.disk.mu.Lock()
	now := f.disk.version[f.name]
	f.disk.mu.Unlock()
	if now != f.version {
		return fmt.Errorf("version %d: %w", now, tile.ErrChanged)
	}
	b, err := room(100)
	if err != nil {
		return err
	}
	_, y, x := k.At()
	for i := range b {
		b[i] = byte(i) ^ byte(x) ^ byte(y)
	}
	b[0] = f.version
	return nil
}

func (f *file) Close() error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	f.disk.open--
	return f.disk.stuck
}

// twins returns two names with one hash.
func twins() (a, b string) {
	seen := map[uint32]string{}
	for i := 0; ; i++ {
		name := fmt.Sprint("texture", i)
		hash := uint32(xxh3.HashString(name))
		if other, ok := seen[hash]; ok {
			return other, name
		}
		seen[hash] = name
	}
}

func TestItems(t *testing.T) {
	ctx := context.Background()
	c := tile.New[tile.Flat](tile.Options{Budget: 4 << 10})
	d := newDisk()
	items := tile.NewItems(c, d.Open, tile.Flat.Item, tile.ItemsOptions{Open: 3, Now: clockOf()})
	a, b := twins()
	if items.Item(a).ID() == items.Item(b).ID() {
		t.Error("two names of one hash have one number")
	}
	if len(d.opens) != 0 {
		t.Error("an item is opened before it is asked for")
	}
	read := func(name string, x int) (byte, error) {
		i := items.Item(name)
		k, _ := tile.FlatKey(i.ID(), 0, 0, x)
		h, err := c.Get(ctx, nil, k, i)
		if err != nil {
			return 0, err
		}
		defer h.Release()
		return h.Bytes()[0], nil
	}
	for _, name := range []string{a, b, "c", "d", "e", "f", a, "c"} {
		if _, err := read(name, len(d.opens)); err != nil {
			t.Fatal(err)
		}
	}
	if d.most > 4 || d.open > 3 {
		t.Errorf("%d files were open at a time, now %d", d.most, d.open)
	}
	opens := d.opens[b]
	if about, err := items.Item(b).About(ctx); err != nil || about.Size[0] != 256 || about.Levels != 4 || d.opens[b] != opens {
		t.Errorf("what is known of a closed item: %+v, %v, opened %d times", about, err, d.opens[b])
	}
	if about, err := items.Item("new").About(ctx); err != nil || about.Tile != 32 {
		t.Errorf("%+v, %v", about, err)
	}

	d.version["c"] = 1
	if _, err := read("c", 77); !errors.Is(err, tile.ErrChanged) || !strings.Contains(err.Error(), "tile: c: item ") {
		t.Errorf("a file that changed: %v", err)
	}
	for _, x := range []int{77, 2} {
		if v, err := read("c", x); err != nil || v != 1 {
			t.Errorf("after it changed: version %d, %v", v, err)
		}
	}
	d.version["c"] = 2
	if err := items.Item("c").Invalidate(); err != nil {
		t.Error(err)
	}
	if v, err := read("c", 77); err != nil || v != 2 {
		t.Errorf("after Invalidate: version %d, %v", v, err)
	}

	d.refuse = errBad
	if _, err := read("z", 0); !errors.Is(err, errBad) {
		t.Errorf("a file that does not open: %v", err)
	}
	d.refuse = nil
	if _, err := read("z", 0); err != nil {
		t.Error(err)
	}
	all := items.Stats()
	if all[0].Name != "c" || all[0].Bytes == 0 || all[0].IO == 0 || all[0].Reads < 4 {
		t.Errorf("%+v", all[0])
	}
	d.stuck = errBad
	if err := items.Close(); !errors.Is(err, errBad) || d.open != 0 {
		t.Errorf("%d open, %v", d.open, err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// TestItemsRace reads items beside each other while they change.
func TestItemsRace(t *testing.T) {
	c := tile.New[tile.Flat](tile.Options{Budget: 4 << 10})
	d := newDisk()
	items := tile.NewItems(c, d.Open, tile.Flat.Item, tile.ItemsOptions{Open: 2})
	var group sync.WaitGroup
	for g := range 4 {
		group.Go(func() {
			for n := range 400 {
				name := fmt.Sprint("file", (n+g)%5)
				i := items.Item(name)
				if n%37 == 0 {
					d.mu.Lock()
					d.version[name]++
					d.mu.Unlock()
				}
				k, _ := tile.FlatKey(i.ID(), 0, n%7, g)
				h, err := c.Get(context.Background(), nil, k, i)
				if err != nil && !errors.Is(err, tile.ErrChanged) {
					t.Error(err)
				}
				h.Release()
			}
		})
	}
	group.Wait()
	if err := errors.Join(items.Close(), c.Close()); err != nil || d.open != 0 {
		t.Errorf("%d open, %v", d.open, err)
	}
}

// TestScene reads the article's scene, 898 textures of 8K with their levels in tiles of
// 32x32, without a disk: paths begin with coherent rays and go on anywhere.
func TestScene(t *testing.T) {
	const files, edge, size, levels = 898, 8192, 32, 9
	ctx := context.Background()
	c := tile.New[tile.Flat](tile.Options{Budget: 8 << 20})
	open := func(_ context.Context, name string) (tile.ReadCloser[tile.Flat], error) {
		return &virtual[tile.Flat]{
			Item: tile.About{Size: [3]int{edge, edge, 1}, Tile: size, Levels: levels, Channels: []string{"R", "G", "B", "A"}, Traits: tile.Traits{Element: 8}},
			Size: func(tile.Flat) int { return size * size * 8 },
			Fill: func(k tile.Flat, b []byte) {
				clear(b)
				if _, y, _ := k.At(); y%5 > 0 { // the others are one color
					binary.LittleEndian.PutUint64(b, uint64(k))
				}
			},
		}, nil
	}
	items := tile.NewItems(c, open, tile.Flat.Item, tile.ItemsOptions{Open: 100, Now: clockOf()})
	var group sync.WaitGroup
	for g := range 4 {
		group.Go(func() {
			w := c.NewWorker(8)
			defer w.Close()
			rnd := rand.New(rand.NewPCG(uint64(g), 3))
			at := rnd.IntN(files)
			for n := range 3000 {
				if n%6 == 0 {
					at = (at + rnd.IntN(2)) % files
				}
				item := items.Item(fmt.Sprint("texture", (at+n%6*rnd.IntN(40))%files))
				about, err := item.About(ctx)
				if err != nil {
					t.Error(err)
					return
				}
				level, _ := tile.Purpose{}.Level(float64(int(1)<<rnd.IntN(levels)), about.Levels)
				across := about.Size[0] >> level / about.Tile
				k, _ := tile.FlatKey(item.ID(), level, n/6%across, rnd.IntN(across))
				h, err := c.Get(ctx, w, k, item)
				if err != nil {
					t.Error(err)
					return
				}
				if _, y, _ := k.At(); y%5 == 0 {
					if _, size, ok := h.Constant(); !ok || size != 8192 {
						t.Errorf("%v is not constant", k)
					}
				} else if binary.LittleEndian.Uint64(h.Bytes()) != uint64(k) {
					t.Errorf("%v has the bytes of another tile", k)
				}
				h.Release()
			}
		})
	}
	group.Wait()
	s := c.Stats()
	if s.Requests != 12000 || s.PeakBytes > 8<<20 || s.Constants == 0 || s.MicroHits == 0 || s.UniqueBytes == 0 {
		t.Errorf("%+v", s)
	}
	if all := items.Stats(); len(all) < 500 || all[0].IO == 0 {
		t.Errorf("%d items, the first %+v", len(all), all[0])
	}
	if err := errors.Join(items.Close(), c.Close()); err != nil {
		t.Error(err)
	}
}

// A worker finds the items that Items has, also of two Items with equal names and of more
// names than it remembers.
func TestWorkerItem(t *testing.T) {
	c := tile.New[tile.Flat](tile.Options{Budget: 1 << 20})
	a := tile.NewItems(c, newDisk().Open, tile.Flat.Item, tile.ItemsOptions{})
	b := tile.NewItems(c, newDisk().Open, tile.Flat.Item, tile.ItemsOptions{})
	w := c.NewWorker(8)
	var none *tile.Worker[tile.Flat]
	for n := range 100 {
		name := fmt.Sprint("file", n*n%7)
		for _, s := range []*tile.Items[tile.Flat]{a, b} {
			if i := s.Item(name); w.Item(s, name) != i || none.Item(s, name) != i {
				t.Fatalf("call %d: another item for %s", n, name)
			}
		}
	}
}
