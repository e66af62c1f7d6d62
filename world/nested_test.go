package world_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// TestCallsInAnUpdate would wait for the update that they are in, and fail instead. The world goes on.
func TestCallsInAnUpdate(t *testing.T) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("goroutines cannot be told apart")
	}
	w := create(t, newStore(), "a", world.Options{Whole: true})
	c := commit(t, w)
	none := func(*world.Tx) error { return nil }
	for name, f := range map[string]func() error{
		"Update":        func() error { _, err := w.Update(none); return err },
		"UpdateContext": func() error { _, err := w.UpdateContext(ctx, none); return err },
		"Commit":        func() error { _, err := w.Commit(ctx, ""); return err },
		"Restore":       func() error { _, err := w.Restore(ctx, c.ID(), ""); return err },
		"Capture":       func() error { _, err := w.Capture(); return err },
		"Moment":        func() error { return w.Moment(func() error { return nil }) },
		"Pack":          func() error { return w.Pack(ctx) },
		"Relight":       func() error { return w.Relight(ctx) },
		"Close":         func() error { return w.Close() },
	} {
		_, err := w.Update(func(tx *world.Tx) error {
			if err := f(); !errors.Is(err, world.ErrNested) {
				t.Errorf("%s in an update: %v", name, err)
			}
			return nil
		})
		if err != nil {
			t.Errorf("the update around %s: %v", name, err)
		}
	}
	other := create(t, newStore(), "b", world.Options{Whole: true})
	update(t, w, func(*world.Tx) { set(t, other, geom.Point{}, "stone") })

	// Those of other goroutines wait.
	done := make(chan error)
	update(t, w, func(*world.Tx) {
		go func() { _, err := w.Update(none); done <- err }()
	})
	if err := <-done; err != nil {
		t.Error(err)
	}
	func() {
		defer func() { recover() }()
		w.Update(func(*world.Tx) error { panic("of a game") })
	}()
	set(t, w, geom.Point{}, "stone")
}

// slowCache stops the first call after stop was set, as a slow store would.
type slowCache struct {
	stone.PageCache
	stop    atomic.Bool
	reached chan bool
	goOn    chan bool
}

func (c *slowCache) Page(ctx context.Context, key stone.PageKey, fill func() (any, int64, error)) (any, error) {
	if c.stop.CompareAndSwap(true, false) {
		c.reached <- true
		<-c.goOn
	}
	return c.PageCache.Page(ctx, key, fill)
}

// TestRestoreDoesNotWaitForLoads restores a world while a Load waits for the Store. The Load brings
// in what the world is then, and updates of other parts go on.
func TestRestoreDoesNotWaitForLoads(t *testing.T) {
	st := newStore()
	w := create(t, st, "a", world.Options{})
	set(t, w, geom.Point{}, "first")
	set(t, w, geom.Point{X: 100}, "first")
	set(t, w, geom.Point{X: 1000}, "first")
	first := commit(t, w)
	load := func(x int) *world.Held {
		h, err := w.Load(ctx, earth, geom.Box{Min: geom.Point{X: x}, Max: geom.Point{X: x + 1, Y: 1, Z: 1}})
		if err != nil {
			t.Error(err)
		}
		return h
	}
	h := load(0)
	set(t, w, geom.Point{}, "second")
	h.Release()
	load(100)
	set(t, w, geom.Point{X: 100}, "second")
	commit(t, w)
	w.Close()

	cache := &slowCache{PageCache: stone.NewCache(1 << 20), reached: make(chan bool), goOn: make(chan bool)}
	w, err := world.Open(ctx, st, "a", world.Options{Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	load(100)
	cache.stop.Store(true)
	done := make(chan *world.Held)
	go func() { done <- load(0) }()
	<-cache.reached
	if _, err := w.Restore(ctx, first.ID(), "back"); err != nil {
		t.Fatal(err)
	}
	set(t, w, geom.Point{X: 101}, "third")
	cache.goOn <- true
	<-done
	v := w.View().Dimension(earth).Volume(voxel.Block)
	for x, want := range map[int]string{0: "first", 100: "first", 101: "third"} {
		if c, ok := v.Cell(geom.Point{X: x}); !ok || v.CellName(c) != want {
			t.Errorf("at %d: %q %v, want %q", x, v.CellName(c), ok, want)
		}
	}

	// The dimension goes while it is loaded.
	gone := make(chan error)
	cache.stop.Store(true)
	go func() {
		_, err := w.Load(ctx, earth, geom.Box{Min: geom.Point{X: 1000}, Max: geom.Point{X: 1001, Y: 1, Z: 1}})
		gone <- err
	}()
	<-cache.reached
	if _, err := w.Restore(ctx, history.ID{}, "nothing"); err != nil {
		t.Fatal(err)
	}
	cache.goOn <- true
	if err := <-gone; err == nil || !strings.Contains(err.Error(), "no dimension") {
		t.Error(err)
	}
}
