package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/store/client"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// flaky loses calls and answers of those that may be repeated.
type flaky struct {
	http.RoundTripper
	lose  float64
	calls atomic.Int64

	mu   sync.Mutex
	rng  *rand.Rand
	lost int
}

var errLost = errors.New("lost")

func (f *flaky) roll() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	lost := f.rng.Float64() < f.lose
	if lost {
		f.lost++
	}
	return lost
}

func (f *flaky) RoundTrip(r *http.Request) (*http.Response, error) {
	f.calls.Add(1)
	safe := r.Method == http.MethodGet || strings.Contains(r.URL.Path, "/commits/") || strings.Contains(r.URL.Path, "/packs/")
	if safe && f.roll() {
		return nil, errLost
	}
	answer, err := f.RoundTripper.RoundTrip(r)
	if err != nil || !safe {
		return answer, err
	}
	if f.roll() {
		_ = answer.Body.Close()
		return nil, errLost
	}
	if f.roll() {
		answer.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(io.LimitReader(answer.Body, 20), errReader{}), answer.Body}
	}
	return answer, nil
}

type errReader struct{}

func (errReader) Read([]byte) (int, error) { return 0, errLost }

// A world lives over a network that loses every twentieth call, answer and rest
// of an answer as it does beside its store.
func TestWorld(t *testing.T) {
	for _, lose := range []float64{0, 0.05} {
		t.Run(fmt.Sprint(lose), func(t *testing.T) {
			net := &flaky{RoundTripper: http.DefaultTransport, lose: lose, rng: rand.New(rand.NewPCG(1, 7))}
			c := &clock{at: time.Unix(1e9, 0)}
			o := c.options()
			o.HTTP, o.Tries, o.Patience = net, 30, time.Hour
			st := serve(t, memory.New(memory.Options{}), o)
			live(t, st)
			if err := st.Close(); err != nil {
				t.Error(err)
			}
			if (net.lost > 0) != (lose > 0) {
				t.Errorf("%d lost", net.lost)
			}
		})
	}
}

// A world is opened in one call, at its head and at a commit.
func TestOpenOnce(t *testing.T) {
	net := &flaky{RoundTripper: http.DefaultTransport, rng: rand.New(rand.NewPCG(1, 7))}
	st := serve(t, memory.New(memory.Options{}), client.Options{HTTP: net})
	defer st.Close()
	ctx := t.Context()
	w := createWorld(t, st, "a")
	set(t, w, geom.Point{X: 1}, "stone")
	c, err := w.Commit(ctx, "one more")
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, open := range map[string]func() (*world.World, error){
		"head":   func() (*world.World, error) { return world.Open(ctx, st, "a", world.Options{Whole: true}) },
		"commit": func() (*world.World, error) { return world.OpenAt(ctx, st, "a", c.ID(), world.Options{Whole: true}) },
	} {
		before := net.calls.Load()
		w, err := open()
		if err != nil {
			t.Fatal(err)
		}
		if n := net.calls.Load() - before; n != 1 {
			t.Errorf("%s: %d calls", name, n)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}

const earth = "earth"

// set makes the block at p one of that name.
func set(t testing.TB, w *world.World, p geom.Point, name string) {
	t.Helper()
	_, err := w.Update(func(tx *world.Tx) error {
		v := tx.Dimension(earth).Volume(voxel.Block)
		v.Set(p, v.Named(name))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func live(t *testing.T, st history.Store) {
	t.Helper()
	ctx := t.Context()
	w := createWorld(t, st, "a")
	lease, err := st.Lease(ctx, "a", "ann", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w, err = world.Open(ctx, st, "a", world.Options{Fence: lease.Fence, Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(2, 8))
	var ids []history.ID
	want := make([]map[geom.Point]string, 0, 40) // at each commit
	now := make(map[geom.Point]string)
	for i := range 40 {
		for range 5 {
			p := geom.Point{X: rng.IntN(200), Y: rng.IntN(200), Z: rng.IntN(200)}
			now[p] = fmt.Sprint("block", rng.IntN(9))
			set(t, w, p, now[p])
		}
		c, err := w.Commit(ctx, fmt.Sprint(i))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, c.ID())
		want = append(want, clone(now))
	}
	if err := w.Fork(ctx, "b"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Restore(ctx, ids[12], "back"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	wantWorld(t, st, "a", history.ID{}, want[12])
	wantWorld(t, st, "a", ids[39], want[39])
	wantWorld(t, st, "a", ids[20], want[20])
	wantWorld(t, st, "b", history.ID{}, want[39])
	if _, err := world.Open(ctx, st, "a", world.Options{Fence: lease.Fence}); !errors.Is(err, history.ErrFenced) {
		t.Errorf("under the number of before the way back: got %v", err)
	}
}

func createWorld(t testing.TB, st history.Store, name string) *world.World {
	t.Helper()
	w, err := world.Create(context.Background(), st, name, world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Update(func(tx *world.Tx) error {
		tx.AddDimension(earth, voxel.BlockVolumes(), nil)
		return nil
	})
	if err == nil {
		_, err = w.Commit(context.Background(), "new")
	}
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func clone(m map[geom.Point]string) map[geom.Point]string {
	out := make(map[geom.Point]string, len(m))
	for k, v := range m {
		out[k] = v
	}
	return out
}

// wantWorld compares blocks of a world at a commit, or at its head.
func wantWorld(t *testing.T, st history.Store, name string, at history.ID, want map[geom.Point]string) {
	t.Helper()
	ctx := t.Context()
	open := func() (*world.World, error) {
		if at == (history.ID{}) {
			return world.Open(ctx, st, name, world.Options{Fence: fence(t, st, name)})
		}
		return world.OpenAt(ctx, st, name, at, world.Options{})
	}
	w, err := open()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	held, err := w.Load(ctx, earth, world.Everywhere)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Release()
	v := w.View().Dimension(earth).Volume(voxel.Block)
	cells := 0
	for p, name := range want {
		c, ok := v.Cell(p)
		if got := v.CellName(c); !ok || got != name {
			t.Errorf("%v: got %q, want %q", p, got, name)
		}
		cells++
	}
	if cells == 0 {
		t.Error("nothing compared")
	}
}

func fence(t *testing.T, st history.Store, name string) uint64 {
	t.Helper()
	h, err := st.Head(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return h.Fence
}
