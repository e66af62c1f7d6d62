package tile_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/tile"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

func TestRefused(t *testing.T) {
	ctx := context.Background()
	for name, policy := range policies {
		t.Run(name, func(t *testing.T) {
			c := tile.New[num](tile.Options{Budget: 1000, Purposes: []tile.Purpose{{Policy: policy}}})
			size := 1001
			r := &reader{size: func(num) int { return size }}
			if _, err := c.Get(ctx, nil, 1, r); !errors.Is(err, tile.ErrOversize) {
				t.Errorf("an oversize tile: %v", err)
			}
			size = 400
			a, b := get(t, c, nil, 2, r), get(t, c, nil, 3, r)
			if _, err := c.Get(ctx, nil, 4, r); !errors.Is(err, tile.ErrPinned) {
				t.Errorf("all pinned: %v", err)
			}
			saltOf(t, a.Bytes(), 2)
			a.Release()
			get(t, c, nil, 4, r).Release()
			saltOf(t, b.Bytes(), 3)
			b.Release()
			none := &virtual[num]{Size: fixed(0)}
			for _, r := range []tile.Loader[num]{none, deaf{}} {
				if _, err := c.Get(ctx, nil, 5, r); err == nil || !strings.Contains(err.Error(), "a tile of 0 bytes") {
					t.Errorf("a tile without bytes: %v", err)
				}
			}
			wrong := &virtual[num]{Size: fixed(8), Item: tile.About{Traits: tile.Traits{Purpose: 1}}}
			if _, err := c.Get(ctx, nil, 5, wrong); err == nil || !strings.Contains(err.Error(), "purpose 1 of 1") {
				t.Errorf("an unknown purpose: %v", err)
			}
			if _, err := c.Get(ctx, nil, 6, twice{}); err == nil || !strings.Contains(err.Error(), "twice") {
				t.Errorf("a reader that asks for room twice: %v", err)
			}
			if _, err := c.Get(ctx, nil, 6, lazy{}); err == nil {
				t.Error("a reader that does nothing")
			}
			if s := c.Stats(); s.PeakBytes > 1000 {
				t.Errorf("%+v", s)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

type twice struct{}

func (twice) ReadTile(_ context.Context, _ num, room func(int) ([]byte, error)) error {
	if _, err := room(8); err != nil {
		return err
	}
	_, err := room(8)
	return err
}

type lazy struct{}

func (lazy) ReadTile(context.Context, num, func(int) ([]byte, error)) error { return nil }

func TestConstants(t *testing.T) {
	c := tile.New[num](tile.Options{Budget: 2000})
	r := &virtual[num]{
		Item: tile.About{Traits: tile.Traits{Element: 4}}, Size: fixed(1024),
		Fill: func(key num, b []byte) {
			for i := range b {
				b[i] = byte(key) + byte(i%4)
			}
			if key == 1000 {
				b[1023]++
			}
		},
	}
	for key := range num(100) {
		h, err := c.Get(context.Background(), nil, key, r)
		if err != nil {
			t.Fatal(err)
		}
		element, size, ok := h.Constant()
		k := byte(key)
		if want := []byte{k, k + 1, k + 2, k + 3}; !ok || size != 1024 || !bytes.Equal(element, want) || h.Bytes() != nil {
			t.Fatalf("tile %d: %v %d %v", key, element, size, ok)
		}
		got := make([]byte, 2000)
		if n := h.Copy(got); n != 1024 || !bytes.Equal(got[:n], bytes.Repeat(element, 256)) {
			t.Fatalf("tile %d: copied %d bytes", key, n)
		}
		h.Release()
	}
	h, err := c.Get(context.Background(), nil, 1000, r)
	if _, _, ok := h.Constant(); err != nil || ok || len(h.Bytes()) != 1024 {
		t.Errorf("the last element differs: %v, %v", ok, err)
	}
	h.Release()
	if s := c.Stats(); s.Constants != 100 || s.Bytes != 1024 || s.Evictions != 0 {
		t.Errorf("%+v", s)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

func TestInstances(t *testing.T) {
	c := tile.New[num](tile.Options{Budget: 10 << 10, Instances: true})
	r := &virtual[num]{Size: fixed(1024), Fill: func(key num, b []byte) { fill(b, key%3, 0) }}
	for key := range num(30) {
		h, err := c.Get(context.Background(), nil, key, r)
		if err != nil {
			t.Fatal(err)
		}
		saltOf(t, h.Bytes(), key%3)
		h.Release()
	}
	if s := c.Stats(); s.Instances != 27 || s.Bytes != 3<<10 || s.Evictions != 0 || s.Payloads != 30 {
		t.Errorf("%+v", s)
	}
	for key := range num(27) {
		c.Invalidate(key)
	}
	if s := c.Stats(); s.Instances != 0 || s.Bytes != 3<<10 {
		t.Errorf("after invalidating: %+v", s)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

func TestPacked(t *testing.T) {
	const tiles, size = 40, 4096
	c := tile.New[num](tile.Options{Budget: 8 * size, Packed: tiles * size})
	reads := 0
	r := &virtual[num]{Size: fixed(size), Fill: func(key num, b []byte) { reads++; fill(b[:size/2], key, 0); clear(b[size/2:]) }}
	for range 4 {
		for key := range num(tiles) {
			h, err := c.Get(context.Background(), nil, key, r)
			if err != nil {
				t.Fatal(err)
			}
			saltOf(t, h.Bytes()[:size/2], key)
			h.Release()
		}
	}
	if s := c.Stats(); reads != tiles || s.Unpacked < tiles || s.Packed == 0 || s.PackedBytes > tiles*size || s.PeakBytes > 8*size {
		t.Errorf("%d reads, %+v", reads, s)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if s := c.Stats(); s.PackedBytes != 0 || s.Packed != 0 {
		t.Errorf("after Close: %+v", s)
	}
}

// TestPackedOnce: a tile is not packed again when it leaves again, and one that does not become
// smaller is not tried again.
func TestPackedOnce(t *testing.T) {
	long.Alone(t)
	const tiles, size = 40, 4096
	for name, noise := range map[string]bool{"packs": false, "dense": true} {
		c := tile.New[num](tile.Options{Budget: 8 * size, Packed: tiles * size})
		r := &virtual[num]{Size: fixed(size), Fill: func(key num, b []byte) {
			rnd := rand.NewPCG(uint64(key), 1)
			for i := 0; i < size; i += 8 {
				binary.LittleEndian.PutUint64(b[i:], rnd.Uint64())
			}
			if !noise {
				clear(b[8:])
			}
		}}
		round := func() {
			for key := range num(tiles) {
				h, err := c.Get(t.Context(), nil, key, r)
				if err != nil {
					t.Fatal(err)
				}
				if want := rand.NewPCG(uint64(key), 1).Uint64(); binary.LittleEndian.Uint64(h.Bytes()) != want {
					t.Fatalf("%s: tile %d has the bytes of another", name, key)
				}
				h.Release()
			}
		}
		for range 4 {
			round()
		}
		if n := testing.AllocsPerRun(5, round) / tiles; n > 3 { // the loader and this test make two, packing makes more
			t.Errorf("%s: a tile that comes back allocates %.1f times", name, n)
		}
		if s := c.Stats(); noise && s.Packed != 0 || !noise && (s.Packed != tiles || s.Reads != tiles) {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// TestPurposes has a scan of one kind of tiles beside another kind that fits its share.
func TestPurposes(t *testing.T) {
	c := tile.New[num](tile.Options{Budget: 40 << 10, Purposes: []tile.Purpose{{Name: "color", Share: .25}, {Name: "mask", Share: .75, Policy: tile.Clock}}})
	of := func(purpose int) *virtual[num] {
		return &virtual[num]{Item: tile.About{Traits: tile.Traits{Purpose: purpose}}, Size: fixed(1 << 10)}
	}
	color, mask := of(0), of(1)
	ask := func(key num, r tile.Loader[num]) {
		h, err := c.Get(context.Background(), nil, key, r)
		if err != nil {
			t.Fatal(err)
		}
		h.Release()
	}
	for key := range num(35) {
		ask(key, color)
	}
	if s := c.Stats(); s.PurposeBytes[0] != 35<<10 {
		t.Errorf("what another purpose does not need is not lent: %+v", s)
	}
	for key := range num(20) {
		ask(1000+key, mask)
	}
	for key := range num(500) {
		ask(2000+key, color)
	}
	if s := c.Stats(); s.PurposeBytes[1] != 20<<10 || s.PurposeBytes[0] > 20<<10 {
		t.Errorf("a scan of one purpose takes the share of another: %+v", s)
	}
	for _, tt := range []struct {
		sharper, width float64
		level          int
		part           float64
	}{{0, 1, 0, 0}, {0, .5, 0, 0}, {0, 4, 2, 0}, {1, 4, 1, 0}, {0, 1 << 20, 7, 0}, {.5, 2, 0, .5}} {
		if level, part := (tile.Purpose{Sharper: tt.sharper}).Level(tt.width, 8); level != tt.level || part != tt.part {
			t.Errorf("%+v: level %d, %v", tt, level, part)
		}
	}
}

func TestKeys(t *testing.T) {
	k, ok := tile.FlatKey(0xDEADBEEF, 9, 255, 16383)
	if level, y, x := k.At(); !ok || k.Item() != 0xDEADBEEF || level != 9 || y != 255 || x != 16383 {
		t.Errorf("%v, %v", k, ok)
	}
	for _, at := range [][3]int{{16, 0, 0}, {0, 1 << 14, 0}, {0, 0, 1 << 14}, {-1, 0, 0}} {
		if _, ok := tile.FlatKey(1, at[0], at[1], at[2]); ok {
			t.Errorf("%v is a key", at)
		}
	}
	seen := map[uint64]string{}
	see := func(hash uint64, name string) {
		if other, ok := seen[hash]; ok {
			t.Fatalf("%s and %s have one hash", name, other)
		}
		seen[hash] = name
	}
	for level := range 3 {
		for y := range 64 {
			for x := range 64 {
				k, _ := tile.FlatKey(7, level, y, x)
				see(k.Hash(), k.String())
				near, _ := tile.FlatKey(7, level, y&^3, x&^3)
				if k.Hash()>>32 != near.Hash()>>32 {
					t.Fatalf("%v and %v lie under two locks", k, near)
				}
				d := tile.Deep{Item: 7, Level: uint32(level), Code: geom.CodeOf(geom.ChunkPos{X: int32(x), Y: int32(y), Z: 3}, level)}
				see(d.Hash(), fmt.Sprint(d))
			}
		}
	}
}

func TestBatch(t *testing.T) {
	c := tile.New[tile.Flat](tile.Options{Budget: 64 << 10})
	r := &virtual[tile.Flat]{Size: func(tile.Flat) int { return 64 }, Fill: func(k tile.Flat, b []byte) { b[0] = byte(k) }}
	var requests []tile.Request[tile.Flat]
	for i := range 16 {
		k, _ := tile.FlatKey(1, 0, i/4, i%4)
		requests = append(requests, tile.Request[tile.Flat]{Key: k, Loader: r})
	}
	for _, slots := range []int{0, 1, 4, 16} {
		w := c.NewWorker(slots)
		for range 2 {
			handles, err := c.GetAll(context.Background(), w, requests, nil)
			if err != nil || len(handles) != 16 {
				t.Fatal(len(handles), err)
			}
			for i, h := range handles {
				if h.Bytes()[0] != byte(requests[i].Key) {
					t.Errorf("tile %d is that of another key", i)
				}
				h.Release()
			}
		}
		w.Close()
	}
	bad := &virtual[tile.Flat]{Size: r.Size, Before: func(context.Context, tile.Flat) error { return errBad }}
	k, _ := tile.FlatKey(2, 0, 0, 0)
	if left, err := c.GetAll(context.Background(), nil, append(requests, tile.Request[tile.Flat]{Key: k, Loader: bad}), nil); err != errBad || len(left) != 0 {
		t.Errorf("%d handles, %v", len(left), err)
	}
	var d tile.Deferred[tile.Flat, int]
	for i := range 100 {
		k, _ := tile.FlatKey(3, 0, 0, 99-i*7%50)
		d.Add(k, r, i)
	}
	before, order := c.Stats(), []tile.Flat{}
	compare := func(a, b tile.Flat) int { return int(a) - int(b) }
	err := d.Serve(context.Background(), c, nil, compare, func(h tile.Handle, i int) error {
		k, _ := tile.FlatKey(3, 0, 0, 99-i*7%50)
		order = append(order, k)
		return nil
	})
	if s := c.Stats(); err != nil || !slices.IsSorted(order) || len(order) != 100 || s.Requests-before.Requests != 50 {
		t.Errorf("%v, %d served, %d requests", err, len(order), s.Requests-before.Requests)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

func TestPages(t *testing.T) {
	p := tile.NewPages[num](tile.Options{Budget: 10_000})
	fills := 0
	page := func(key num, size int64) any {
		v, err := p.Page(context.Background(), key, func() (any, int64, error) { fills++; return int(key), size, nil })
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for range 2 {
		for key := range num(3) {
			if page(key, 2500) != int(key) {
				t.Errorf("key %d has another value", key)
			}
		}
	}
	if fills != 3 {
		t.Errorf("%d fills", fills)
	}
	for range 2 {
		page(9, 20_000)
	}
	if s := p.Stats(); fills != 5 || s.Payloads != 3 || s.PeakBytes > 10_000 {
		t.Errorf("a value larger than the budget: %d fills, %+v", fills, s)
	}
	if _, err := p.Page(context.Background(), 10, func() (any, int64, error) { panic("bad") }); err == nil {
		t.Error("a fill that panics is no error")
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

func TestAllocations(t *testing.T) {
	c := tile.New[num](tile.Options{Budget: 1 << 20})
	r := &reader{size: fixed(4096)}
	get(t, c, nil, 1, r).Release()
	for _, slots := range []int{0, 4} {
		w := c.NewWorker(slots)
		if n := testing.AllocsPerRun(100, func() { get(t, c, w, 1, r).Release() }); n != 0 {
			t.Errorf("%d slots: a hit allocates %v times", slots, n)
		}
		w.Close()
	}
}

// TestAllocationsOfMisses reads tiles again and again that do not fit. What a miss needs is
// used again, but for the context that its reader may keep, and what the race detector has
// sync.Pool lose.
func TestAllocationsOfMisses(t *testing.T) {
	long.Alone(t)
	for name, policy := range policies {
		t.Run(name, func(t *testing.T) {
			c := tile.New[num](tile.Options{Budget: 100 << 12, Purposes: []tile.Purpose{{Policy: policy}}})
			r := &virtual[num]{Size: fixed(1 << 12)}
			misses := func() {
				for key := range num(1000) {
					h, err := c.Get(context.Background(), nil, key, r)
					if err != nil {
						t.Fatal(err)
					}
					h.Release()
				}
			}
			misses()
			before := c.Stats().Misses
			n := testing.AllocsPerRun(10, misses)
			if each := 11 * n / float64(c.Stats().Misses-before); each > 1.8 {
				t.Errorf("a miss allocates %.2f times", each)
			}
		})
	}
}

// clockOf is a clock that goes on by a second with each look.
func clockOf() func() time.Time {
	var n atomic.Int64
	return func() time.Time { return time.Unix(n.Add(1), 0) }
}

// TestInstanceOfNone invalidates a tile while it is read: no other tile may share its payload
// afterwards, because nobody keeps it.
func TestInstanceOfNone(t *testing.T) {
	ctx := context.Background()
	c := tile.New[num](tile.Options{Budget: 1 << 20, Instances: true})
	r := &virtual[num]{Size: fixed(1024), Fill: func(_ num, b []byte) { fill(b, 7, 0) }}
	held := &virtual[num]{Size: r.Size, Fill: func(key num, b []byte) { r.Fill(key, b); c.Invalidate(key) }}
	first, err := c.Get(ctx, nil, 1, held)
	if err != nil {
		t.Fatal(err)
	}
	second, err := c.Get(ctx, nil, 2, r)
	if err != nil {
		t.Fatal(err)
	}
	if s := c.Stats(); s.Instances != 0 || s.Bytes != 2048 {
		t.Errorf("%+v", s)
	}
	first.Release()
	second.Release()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
