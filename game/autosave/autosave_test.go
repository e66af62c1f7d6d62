package autosave_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/game/autosave"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/world"
)

var _ autosave.World = (*world.World)(nil)

var start = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

var errStore = errors.New("the store is away")

// island is a world whose edits are counted. It notices two commits at once.
type island struct {
	name    string
	edits   atomic.Int64 // made
	saved   atomic.Int64 // committed
	commits atomic.Int64
	busy    atomic.Bool
	twice   atomic.Bool                 // two commits were under way at once
	commit  func(context.Context) error // nil: succeeds
}

func (w *island) Name() string { return w.name }
func (w *island) Dirty() bool  { return w.edits.Load() != w.saved.Load() }

func (w *island) Commit(ctx context.Context, _ string) (history.Commit, error) {
	if !w.busy.CompareAndSwap(false, true) {
		w.twice.Store(true)
	}
	defer w.busy.Store(false)
	w.commits.Add(1)
	edits := w.edits.Load()
	if w.commit != nil {
		if err := w.commit(ctx); err != nil {
			return history.Commit{}, err
		}
	}
	w.saved.Store(edits)
	return history.Commit{}, nil
}

// game is a Policy with a clock and what the last Step said.
type game struct {
	t   *testing.T
	p   *autosave.Policy
	now time.Time
}

func newGame(t *testing.T, o autosave.Options) *game {
	return &game{t: t, p: autosave.New(start, o), now: start}
}

func (g *game) open(name string) (*island, *autosave.Kept) {
	g.t.Helper()
	w := &island{name: name}
	return w, mustOpen(g.t, g.p, w)
}

func mustOpen(t *testing.T, p *autosave.Policy, w autosave.World) *autosave.Kept {
	t.Helper()
	k, err := p.Open(w)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// edit changes a world and says so.
func edit(w *island, k *autosave.Kept, cells int) bool {
	w.edits.Add(1)
	return k.Changed(cells)
}

// at steps to so long after the start and holds what is due against want:
// "a b -c" for saves of a and b and c to be closed.
func (g *game) at(d time.Duration, want string) []*autosave.Save {
	g.t.Helper()
	saves, closed := g.p.Step(start.Add(d))
	if got := said(saves, closed); got != want {
		g.t.Fatalf("after %v: %q, want %q", d, got, want)
	}
	return saves
}

func said(saves []*autosave.Save, closed []autosave.World) string {
	var out []string
	for _, s := range saves {
		out = append(out, s.World.Name())
	}
	for _, w := range closed {
		out = append(out, "-"+w.Name())
	}
	return strings.Join(out, " ")
}

func run(t *testing.T, saves []*autosave.Save, want error) {
	t.Helper()
	for _, s := range saves {
		if err := s.Run(t.Context()); !errors.Is(err, want) {
			t.Fatalf("%s: %v, want %v", s.World.Name(), err, want)
		}
	}
}

func TestEvery(t *testing.T) {
	for _, tt := range []struct {
		cells int
		want  time.Duration
	}{
		{0, 5 * time.Minute},
		{10_000, 150 * time.Second},
		{20_000, 100 * time.Second},
		{290_000, 10 * time.Second},
		{1 << 40, 10 * time.Second},
		{-1 << 40, 5 * time.Minute},
	} {
		t.Run(fmt.Sprint(tt.cells), func(t *testing.T) {
			g := newGame(t, autosave.Options{})
			w, k := g.open("a")
			edit(w, k, tt.cells)
			g.at(tt.want-1, "")
			run(t, g.at(tt.want, "a"), nil)
			edit(w, k, 0)
			g.at(tt.want+5*time.Minute-1, "")
			g.at(tt.want+5*time.Minute, "a")
		})
	}
}

// Changes that nobody told of are found, and a world without any is left alone.
func TestUntold(t *testing.T) {
	g := newGame(t, autosave.Options{})
	w, k := g.open("a")
	g.at(5*time.Minute, "")
	w.edits.Add(1)
	g.at(10*time.Minute-1, "")
	run(t, g.at(10*time.Minute, "a"), nil)
	k.Changed(1 << 30) // and taken back
	g.at(20*time.Minute, "")
	w.edits.Add(1)
	g.at(25*time.Minute-1, "")
	g.at(25*time.Minute, "a")
}

func TestIdle(t *testing.T) {
	g := newGame(t, autosave.Options{})
	w, k := g.open("a")
	edit(w, k, 1)
	k.Players(2)
	g.at(20*time.Second, "")
	k.Players(0)
	g.at(25*time.Second, "")
	k.Players(1)
	g.at(40*time.Second, "")
	k.Players(0)
	g.at(45*time.Second, "")
	k.Players(0) // said again
	g.at(50*time.Second-1, "")
	saves := g.at(50*time.Second, "a")
	if !edit(w, k, 1) {
		t.Fatal("closed with a save under way")
	}
	g.at(51*time.Second, "")
	run(t, saves, nil)
	w.edits.Add(1)
	g.at(52*time.Second, "") // changes on and on: not at every Step
	g.at(61*time.Second-1, "")
	run(t, g.at(61*time.Second, "a"), nil)
	g.at(61*time.Second, "-a")
	if edit(w, k, 1) || k.Players(1) || k.Close() {
		t.Error("events after it was closed")
	}
	g.at(time.Hour, "")
}

func TestClose(t *testing.T) {
	g := newGame(t, autosave.Options{})
	w, k := g.open("a")
	_, clean := g.open("b")
	k.Players(3)
	edit(w, k, 1)
	k.Close()
	clean.Close()
	k.Players(4)
	saves := g.at(0, "a -b")
	if _, err := g.p.Open(w); !errors.Is(err, autosave.ErrOpen) {
		t.Errorf("opened twice: %v", err)
	}
	run(t, saves, nil)
	g.at(0, "-a")
	mustOpen(t, g.p, w)
}

func TestRetry(t *testing.T) {
	g := newGame(t, autosave.Options{Every: 20 * time.Second, Soonest: -1, Cells: 100})
	w, k := g.open("a")
	w.commit = func(context.Context) error { return errStore }
	edit(w, k, 100)
	at := 10 * time.Second
	run(t, g.at(at, "a"), errStore)
	for _, wait := range []time.Duration{1, 2, 4, 8, 16, 20, 20} {
		k.Changed(1000)
		k.Close() // is no reason to try sooner
		g.at(at+wait*time.Second-1, "")
		at += wait * time.Second
		if got := g.p.Backlog(); got.Failing != 1 {
			t.Fatalf("backlog %+v", got)
		}
		run(t, g.at(at, "a"), errStore)
	}
	w.commit = nil
	run(t, g.at(at+20*time.Second, "a"), nil)
	if got := g.p.Backlog(); got.Failing != 0 {
		t.Errorf("backlog %+v", got)
	}
	g.at(at+20*time.Second, "-a")
}

// A save that failed leaves its cells to the next.
func TestFailedCells(t *testing.T) {
	g := newGame(t, autosave.Options{})
	w, k := g.open("a")
	edit(w, k, 7)
	saves := g.at(5*time.Minute, "a")
	edit(w, k, 2)
	saves[0].Done(errStore)
	saves[0].Done(nil) // too late
	w.commit = func(context.Context) error { return errStore }
	left := g.p.Drain(t.Context())
	if len(left) != 1 || left[0].Cells != 9 || left[0].Name != "a" || left[0].Err != errStore {
		t.Errorf("unsaved %+v", left)
	}
}

func TestBackPressure(t *testing.T) {
	g := newGame(t, autosave.Options{AtOnce: 2})
	for i, name := range []string{"a", "b", "c", "d"} {
		w, k := g.open(name)
		edit(w, k, 10_000*(i+1)) // the later, the sooner
	}
	saves := g.at(5*time.Minute, "d c")
	g.at(6*time.Minute, "")
	want := autosave.Backlog{Worlds: 4, Running: 2, Waiting: 2, Late: 6*time.Minute - 100*time.Second}
	if got := g.p.Backlog(); got != want {
		t.Errorf("backlog %+v, want %+v", got, want)
	}
	run(t, saves[:1], nil)
	run(t, g.at(7*time.Minute, "b"), nil)
	g.at(7*time.Minute, "a")
	g.at(3*time.Minute, "") // the time does not go back
	want = autosave.Backlog{Worlds: 4, Running: 2}
	if got := g.p.Backlog(); got != want {
		t.Errorf("backlog %+v, want %+v", got, want)
	}
}

func TestDrop(t *testing.T) {
	g := newGame(t, autosave.Options{})
	w, k := g.open("a")
	edit(w, k, 1)
	saves := g.at(5*time.Minute, "a")
	k.Drop()
	k.Drop()
	if _, err := g.p.Open(w); !errors.Is(err, autosave.ErrOpen) {
		t.Errorf("opened beside a save: %v", err)
	}
	run(t, saves, nil)
	k = mustOpen(t, g.p, w)
	edit(w, k, 1)
	k.Drop()
	g.at(time.Hour, "")
	if got := g.p.Backlog(); got != (autosave.Backlog{}) {
		t.Errorf("backlog %+v", got)
	}
	if left := g.p.Drain(t.Context()); left != nil {
		t.Errorf("unsaved %+v", left)
	}
}
