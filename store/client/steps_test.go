package client_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/store/client"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// ticks is a clock that goes on by a second each time it is read, and notes what loads
// took.
type ticks struct {
	mu          sync.Mutex
	first, last time.Time
	loads       []history.LoadSteps
}

func (c *ticks) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.first.IsZero() {
		c.first = time.Unix(1e9, 0)
		c.last = c.first
	} else {
		c.last = c.last.Add(time.Second)
	}
	return c.last
}

func (c *ticks) Loaded(_ string, t history.LoadSteps) { c.loads = append(c.loads, t) }

// mustTell returns the only load that was told, which must take as long as the clock
// says, and begins a new time.
func (c *ticks) mustTell(t *testing.T) history.LoadSteps {
	t.Helper()
	if len(c.loads) != 1 {
		t.Fatalf("told of %d loads", len(c.loads))
	}
	took := c.loads[0]
	if whole := c.last.Sub(c.first); took.Whole() != whole {
		t.Errorf("steps %+v are %v together, the load took %v", took, took.Whole(), whole)
	}
	c.first, c.loads = time.Time{}, nil
	return took
}

// second fails every first try of a call.
type second struct {
	http.RoundTripper
	failed bool
	clock  *ticks
}

func (s *second) RoundTrip(r *http.Request) (*http.Response, error) {
	if s.failed = !s.failed; s.failed {
		s.clock.Now()
		return nil, errors.New("lost")
	}
	return s.RoundTripper.RoundTrip(r)
}

// The steps of a load follow one another, from the call to blocks that are ready, and
// none is missing.
func TestSteps(t *testing.T) {
	srv, err := server.New(memory.New(memory.Options{}), server.Options{})
	if err != nil {
		t.Fatal(err)
	}
	site := httptest.NewServer(srv)
	defer site.Close()
	open := func(o client.Options) remoteStore {
		st, err := openStore(t.Context(), site.URL, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { st.Close() })
		return st
	}
	st := open(client.Options{})
	w, err := world.Create(t.Context(), st, "w", world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Update(func(tx *world.Tx) error {
		for _, name := range []string{"overworld", "nether"} {
			v := tx.AddDimension(name, voxel.BlockVolumes(), nil).Volume(voxel.Block)
			for y := range 3 {
				v.Set(geom.Point{Y: 64 * y}, v.Named("minecraft:stone"))
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	c, err := w.Commit(t.Context(), "stones")
	if err != nil {
		t.Fatal(err)
	}
	clock := &ticks{}
	lossy := open(client.Options{HTTP: &second{RoundTripper: http.DefaultTransport, clock: clock}, Tries: 8, Wait: func(context.Context, time.Duration) error { return nil }})

	for _, tt := range []struct {
		name string
		st   history.Store
		open func(history.Store, world.Options) (*world.World, error)
		call time.Duration
	}{
		{"the head", st, func(st history.Store, o world.Options) (*world.World, error) {
			return world.Open(t.Context(), st, "w", o)
		}, time.Second},
		{"a version", st, func(st history.Store, o world.Options) (*world.World, error) {
			return world.OpenAt(t.Context(), st, "w", c.ID(), o)
		}, time.Second},
		{"on the second try", lossy, func(st history.Store, o world.Options) (*world.World, error) {
			return world.Open(t.Context(), st, "w", o)
		}, 2 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, err := tt.open(tt.st, world.Options{Whole: true, Steps: clock})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			took := clock.mustTell(t)
			if took.Call != tt.call || took.Fetch != time.Second || took.Open != time.Second || took.Decode <= 0 || took.Ready <= 0 {
				t.Errorf("a whole world: %+v", took)
			}
		})
	}
	t.Run("in parts", func(t *testing.T) {
		w, err := world.Open(t.Context(), st, "w", world.Options{Steps: clock})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		if took := clock.mustTell(t); took.Call <= 0 || took.Decode != 0 || took.Ready != 0 {
			t.Errorf("open: %+v", took)
		}
		h, err := w.Load(t.Context(), "overworld", world.Everywhere)
		if err != nil {
			t.Fatal(err)
		}
		defer h.Release()
		if took := clock.mustTell(t); took.Call != 0 || took.Open != 0 || took.Decode <= 0 || took.Ready <= 0 {
			t.Errorf("load: %+v", took)
		}
		if _, err := w.Load(t.Context(), "missing", world.Everywhere); err == nil || len(clock.loads) != 0 {
			t.Errorf("a load that failed: %v, told %+v", err, clock.loads)
		}
	})
	t.Run("a store in this process", func(t *testing.T) {
		here := memory.New(memory.Options{})
		defer here.Close()
		clock.first = time.Time{}
		w, err := world.Create(t.Context(), here, "w", world.Options{Steps: clock, Whole: true})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		if took := clock.mustTell(t); took.Call != 0 || took.Fetch != time.Second {
			t.Errorf("got %+v", took)
		}
	})
}
