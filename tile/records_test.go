package tile_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/tile"
)

// A cache that remembers as many tiles as it may forgets one, whatever kinds of tiles it has.
func TestFewRecords(t *testing.T) {
	long.Alone(t)
	kinds := map[string]tile.Options{
		"bytes":     {},
		"constants": {},
		"mixed":     {},
		"instances": {Instances: true},
		"packed":    {Packed: 64 << 10},
		"purposes":  {Purposes: []tile.Purpose{{}, {}}},
	}
	for kind, o := range kinds {
		for name, policy := range policies {
			for _, records := range []int{1, 7, 64} {
				t.Run(fmt.Sprintf("%s/%s/%d", kind, name, records), func(t *testing.T) {
					o.Budget, o.Records, o.Shards = 1<<20, records, 3
					o.Purposes = append([]tile.Purpose{}, o.Purposes...)
					if len(o.Purposes) == 0 {
						o.Purposes = []tile.Purpose{{}}
					}
					for i := range o.Purposes {
						o.Purposes[i].Policy = policy
					}
					fewRecords(t, o, kind, records)
				})
			}
		}
	}
}

func fewRecords(t *testing.T, o tile.Options, kind string, records int) {
	ctx := context.Background()
	c := tile.New[num](o)
	read := func(key num) tile.Loader[num] {
		v := &virtual[num]{Size: fixed(64), Fill: func(key num, b []byte) {
			for i := range b {
				b[i] = byte(i) + byte(key)
			}
		}}
		switch {
		case kind == "constants" || kind == "mixed" && key%2 == 0:
			v.Item.Element = 4
			v.Fill = func(key num, b []byte) {
				for i := range b {
					b[i] = byte(key)
				}
			}
		case kind == "instances":
			v.Fill = func(key num, b []byte) {
				for i := range b {
					b[i] = byte(i) + byte(key%3)
				}
			}
		case kind == "purposes":
			v.Item.Purpose = int(key % 2)
		}
		return v
	}
	rnd := rand.New(rand.NewPCG(1, uint64(records)))
	for range 50 * records {
		key := num(rnd.IntN(5 * records))
		h, err := c.Get(ctx, nil, key, read(key))
		if err != nil {
			t.Fatal(err)
		}
		h.Release()
		if s := c.Stats(); s.Records > records {
			t.Fatalf("%d records", s.Records)
		}
	}
	var held []tile.Handle
	for key := range num(records) { // all records are pinned
		h, err := c.Get(ctx, nil, key, read(key))
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, h)
	}
	pinned := kind != "constants" && kind != "mixed" && (kind != "instances" || records == 1) // others' records can go
	for range 2 {
		h, err := c.Get(ctx, nil, 1000, read(1000))
		if pinned && !errors.Is(err, tile.ErrPinned) || !pinned && kind != "mixed" && err != nil {
			t.Fatalf("all are pinned: %v", err)
		}
		h.Release()
		for _, h := range held {
			h.Release()
		}
		held, pinned = nil, false
	}
	c.InvalidateIf(func(num) bool { return true })
	if s := c.Stats(); s.Bytes != 0 || s.Payloads != 0 || s.Constants != 0 || s.Instances != 0 || s.Packed != 0 {
		t.Errorf("after all were forgotten: %+v", s)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// Values are small more often than tiles are.
func TestFewRecordsOfPages(t *testing.T) {
	p := tile.NewPages[num](tile.Options{Budget: 1 << 20, Records: 100})
	for range 2 {
		for key := range num(1000) {
			v, err := p.Page(context.Background(), key, func() (any, int64, error) { return key, 0, nil })
			if err != nil || v != key {
				t.Fatalf("page %d: %v, %v", key, v, err)
			}
		}
	}
	if s := p.Stats(); s.Records != 100 {
		t.Errorf("%+v", s)
	}
	if _, err := p.Page(context.Background(), 5000, func() (any, int64, error) { return 1, -5000, nil }); err == nil {
		t.Error("a value of less than no bytes")
	}
	if s := p.Stats(); s.Bytes < 0 {
		t.Errorf("%+v", s)
	}
}

// What was read before its record was forgotten is read again, and what was invalidated is not.
func TestForgottenIsReadAgain(t *testing.T) {
	ctx := context.Background()
	for _, records := range []int{64, 1000} {
		c := tile.New[num](tile.Options{Budget: 1 << 20, Records: records})
		r := &virtual[num]{Size: fixed(10)}
		tiles := int64(5 * records)
		read := func() tile.Stats {
			for key := range num(tiles) {
				h, err := c.Get(ctx, nil, key, r)
				if err != nil {
					t.Fatal(err)
				}
				h.Release()
			}
			return c.Stats()
		}
		if s := read(); s.UniqueBytes+s.AgainBytes != 10*tiles || s.AgainBytes > tiles/100 || s.Forgotten == 0 {
			t.Errorf("%d records: first: %+v", records, s)
		}
		if s := read(); s.UniqueBytes > 11*tiles || s.AgainBytes < 9*tiles {
			t.Errorf("%d records: second: %+v", records, s)
		}
		was := c.Stats()
		c.Invalidate(0) // its record was forgotten
		h, err := c.Get(ctx, nil, 0, r)
		if err != nil {
			t.Fatal(err)
		}
		h.Release()
		if s := c.Stats(); s.UniqueBytes != was.UniqueBytes+10 || s.AgainBytes != was.AgainBytes {
			t.Errorf("%d records: after Invalidate: %+v, before %+v", records, s, was)
		}
	}
}

// More goroutines read than there are records for.
func TestFewRecordsAtOnce(t *testing.T) {
	c := tile.New[num](tile.Options{Budget: 1 << 20, Records: 16})
	r := &virtual[num]{Size: fixed(64)}
	var wg sync.WaitGroup
	for g := range uint64(8) {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(g, 1))
			for range 500 {
				key := num(rnd.IntN(100))
				if rnd.IntN(20) == 0 {
					c.Invalidate(key)
				}
				h, err := c.Get(context.Background(), nil, key, r)
				if err != nil {
					t.Error(err)
					return
				}
				h.Release()
			}
		})
	}
	wg.Wait()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// A tile with the bytes of another, invalidated while it is read, is no instance.
func TestInstancesAreCounted(t *testing.T) {
	ctx := context.Background()
	c := tile.New[num](tile.Options{Budget: 1 << 20, Instances: true})
	r := &virtual[num]{Size: fixed(64), Fill: func(_ num, b []byte) { clear(b); b[3] = 1 }}
	for key := range num(3) {
		h, err := c.Get(ctx, nil, key, r)
		if err != nil {
			t.Fatal(err)
		}
		h.Release()
	}
	late := *r
	late.Before = func(context.Context, num) error { c.Invalidate(3); return nil }
	h, err := c.Get(ctx, nil, 3, &late)
	if err != nil {
		t.Fatal(err)
	}
	h.Release()
	if s := c.Stats(); s.Instances != 2 || s.Payloads != 3 || s.Bytes != 64 {
		t.Errorf("%+v", s)
	}
	c.InvalidateIf(func(num) bool { return true })
	if s := c.Stats(); s.Instances != 0 || s.Payloads != 0 || s.Bytes != 0 {
		t.Errorf("after all were forgotten: %+v", s)
	}
}

// A reader may ask for other tiles, but not for what it reads.
func TestReaderThatReads(t *testing.T) {
	c := tile.New[num](tile.Options{Budget: 1 << 20})
	var r tile.Loader[num]
	next := func(key num) num { return key - 1 }
	r = readFunc(func(ctx context.Context, key num, room func(int) ([]byte, error)) error {
		if key > 0 {
			h, err := c.Get(ctx, nil, next(key), r)
			if err != nil {
				return err
			}
			defer h.Release()
		}
		_, err := room(8)
		return err
	})
	h, err := c.Get(context.Background(), nil, 5, r)
	if err != nil {
		t.Fatal(err)
	}
	h.Release()
	next = func(key num) num { return 10 + (key+1)%3 }
	for range 2 {
		if _, err := c.Get(context.Background(), nil, 10, r); err == nil {
			t.Error("a tile that is read in a circle")
		}
	}
}

type readFunc func(context.Context, num, func(int) ([]byte, error)) error

func (f readFunc) ReadTile(ctx context.Context, key num, room func(int) ([]byte, error)) error {
	return f(ctx, key, room)
}

// deaf does not look at the errors of room.
type deaf struct{}

func (deaf) ReadTile(_ context.Context, _ num, room func(int) ([]byte, error)) error {
	room(0)
	return nil
}
