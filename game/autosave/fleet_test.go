package autosave_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/game/autosave"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/world"
)

// host is a Fleet with a clock, on a Store with the same clock.
type host struct {
	t     *testing.T
	f     *autosave.Fleet
	st    *failing
	now   time.Time
	tasks []func() // those that wait, if later is set
	later bool
}

// failing is a Store whose commits fail while err is set.
type failing struct {
	history.Store
	mu  sync.Mutex
	err error
}

func (s *failing) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

func (s *failing) Commit(ctx context.Context, name string, head history.Head, c history.Commit, stones ...history.Stone) (history.Commit, error) {
	s.mu.Lock()
	err := s.err
	s.mu.Unlock()
	if err != nil {
		return history.Commit{}, err
	}
	return s.Store.Commit(ctx, name, head, c, stones...)
}

func newHost(t *testing.T, o autosave.Options) *host {
	s := &host{t: t, now: start}
	s.st = &failing{Store: memory.New(memory.Options{Now: func() time.Time { return s.now }})}
	t.Cleanup(func() { s.st.Close() })
	o.Create = true
	o.Run = func(task func()) {
		if s.later {
			s.tasks = append(s.tasks, task)
		} else {
			task()
		}
	}
	s.f = autosave.NewFleet(s.st, "game", start, o)
	return s
}

func (s *host) open(name string) *autosave.Kept {
	s.t.Helper()
	k, err := s.f.Open(s.t.Context(), name)
	if err != nil {
		s.t.Fatal(err)
	}
	return k
}

// at steps to so long after the start and holds what happened against want: "a
// failed, b closed".
func (s *host) at(d time.Duration, want string) []autosave.WorldEvent {
	s.t.Helper()
	s.now = start.Add(d)
	events := s.f.Step(s.now)
	var said []string
	for _, e := range events {
		said = append(said, e.Name+" "+e.Kind.String())
	}
	if got := strings.Join(said, ", "); got != want {
		s.t.Fatalf("after %v: %q, want %q (%+v)", d, got, want, events)
	}
	return events
}

// note changes a world's property and tells the Fleet.
func note(t *testing.T, k *autosave.Kept, value string) {
	t.Helper()
	if _, err := k.World().Update(func(tx *world.Tx) error { tx.SetProperty("note", value); return nil }); err != nil {
		t.Fatal(err)
	}
	k.Changed(100)
}

func (s *host) wantSaved(name, want string) {
	s.t.Helper()
	w, err := world.Open(s.t.Context(), s.st, name, world.Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	defer w.Close()
	if got := w.View().Property("note"); got != want {
		s.t.Errorf("%s: %q is saved, want %q", name, got, want)
	}
}

func TestFleet(t *testing.T) {
	s := newHost(t, autosave.Options{})
	a := s.open("a")
	if again := s.open("a"); again != a {
		t.Error("a world that is open was opened again")
	}
	a.Players(1)
	note(t, a, "one")
	s.at(time.Minute, "")
	s.wantSaved("a", "")
	s.at(5*time.Minute, "")
	s.wantSaved("a", "one")
	if lease, err := s.st.Leased(t.Context(), "a"); err != nil || lease.Holder != "game" || !lease.Until.After(s.now) {
		t.Errorf("lease %+v, %v", lease, err)
	}
	note(t, a, "two")
	a.Players(0)
	s.at(5*time.Minute+9*time.Second, "")
	s.at(5*time.Minute+10*time.Second, "")
	s.wantSaved("a", "two")
	s.at(5*time.Minute+11*time.Second, "a closed")
	if a.Players(1) || a.Changed(1) {
		t.Error("events after it was closed")
	}
	if lease, err := s.st.Leased(t.Context(), "a"); err != nil || lease.Holder != "" {
		t.Errorf("lease after it was closed: %+v, %v", lease, err)
	}
	b := s.open("a")
	if got := b.World().View().Property("note"); got != "two" {
		t.Errorf("%q after opening again", got)
	}
	b.Close()
	s.at(5*time.Minute+12*time.Second, "a closed")
}

func TestFleetOpenFails(t *testing.T) {
	s := newHost(t, autosave.Options{})
	plain := autosave.NewFleet(s.st, "other", start, autosave.Options{})
	if _, err := plain.Open(t.Context(), "a"); !errors.Is(err, history.ErrNoWorld) {
		t.Errorf("no such world: %v", err)
	}
	s.open("a")
	if _, err := plain.Open(t.Context(), "a"); !errors.Is(err, history.ErrLeased) {
		t.Errorf("another's world: %v", err)
	}
	if _, err := s.f.Open(t.Context(), "../a"); !errors.Is(err, history.ErrName) {
		t.Errorf("a bad name: %v", err)
	}
	// A game that crashed gets its worlds back at once.
	if _, err := autosave.NewFleet(s.st, "game", start, autosave.Options{}).Open(t.Context(), "a"); err != nil {
		t.Errorf("the same holder: %v", err)
	}
}

// A world whose lease is lost is closed, and never saved over another's.
func TestFleetLosesALease(t *testing.T) {
	take := func(s *host) {
		s.t.Helper()
		if err := s.st.Release(s.t.Context(), "a", history.Force); err != nil {
			s.t.Fatal(err)
		}
		if _, err := s.st.Lease(s.t.Context(), "a", "other", time.Hour); err != nil {
			s.t.Fatal(err)
		}
	}
	t.Run("at a renewal", func(t *testing.T) {
		s := newHost(t, autosave.Options{})
		a := s.open("a")
		note(t, a, "mine")
		s.open("b")
		take(s)
		s.at(20*time.Second, "")
		if got := s.f.Backlog(); got.Unsure != 1 || got.Worlds != 2 {
			t.Errorf("backlog %+v", got)
		}
		s.at(25*time.Second, "")
		e := s.at(26*time.Second, "a lost")
		if !errors.Is(e[0].Err, history.ErrFenced) || e[0].Cells != 100 {
			t.Errorf("%+v", e[0])
		}
		if _, err := a.World().Update(func(*world.Tx) error { return nil }); !errors.Is(err, world.ErrClosed) {
			t.Errorf("the world is still open: %v", err)
		}
		if _, err := s.f.Open(t.Context(), "a"); !errors.Is(err, history.ErrLeased) {
			t.Errorf("opened again: %v", err)
		}
		if left, err := s.f.Close(t.Context()); left != nil || err != nil {
			t.Errorf("%v, %v", left, err)
		}
		s.wantSaved("a", "")
	})
	t.Run("at a save", func(t *testing.T) {
		s := newHost(t, autosave.Options{})
		a := s.open("a")
		note(t, a, "mine")
		take(s)
		a.Close()
		e := s.at(time.Second, "a lost")
		if !errors.Is(e[0].Err, history.ErrFenced) {
			t.Errorf("%+v", e[0])
		}
		s.at(time.Hour, "")
		s.wantSaved("a", "")
	})
	t.Run("when it ends", func(t *testing.T) {
		s := newHost(t, autosave.Options{})
		note(t, s.open("a"), "mine")
		s.open("b")
		take(s)
		left, err := s.f.Close(t.Context())
		if len(left) != 1 || left[0].Name != "a" || left[0].Cells != 100 || !errors.Is(left[0].Err, history.ErrFenced) || err != nil {
			t.Errorf("%+v, %v", left, err)
		}
		if lease, err := s.st.Leased(t.Context(), "b"); err != nil || lease.Holder != "" {
			t.Errorf("lease after the end: %+v, %v", lease, err)
		}
	})
}

// A Store that is away costs nothing but time.
func TestFleetStoreAway(t *testing.T) {
	s := newHost(t, autosave.Options{})
	a := s.open("a")
	note(t, a, "kept")
	s.st.fail(errStore)
	a.Close()
	e := s.at(time.Second, "a failed")
	if !errors.Is(e[0].Err, errStore) || e[0].Cells != 100 {
		t.Errorf("%+v", e[0])
	}
	s.at(2*time.Second-1, "")
	s.at(2*time.Second, "a failed")
	if got := s.f.Backlog(); got.Failing != 1 {
		t.Errorf("backlog %+v", got)
	}
	s.st.fail(nil)
	s.at(4*time.Second, "")
	s.wantSaved("a", "kept")
	s.at(5*time.Second, "a closed")

	b := s.open("b")
	note(t, b, "lost")
	s.st.fail(errStore)
	left, err := s.f.Close(t.Context())
	if len(left) != 1 || left[0].Name != "b" || !errors.Is(left[0].Err, errStore) || err != nil {
		t.Errorf("%+v, %v", left, err)
	}
	if _, err := s.f.Open(t.Context(), "c"); !errors.Is(err, autosave.ErrClosed) {
		t.Errorf("opened after the end: %v", err)
	}
	if _, err := s.f.Close(t.Context()); !errors.Is(err, autosave.ErrClosed) {
		t.Errorf("closed twice: %v", err)
	}
	s.at(time.Hour, "")
}

// A world that changes between the decision to close it and that is not closed.
func TestFleetChangedAtTheLast(t *testing.T) {
	s := newHost(t, autosave.Options{})
	a := s.open("a")
	a.Close()
	s.later = true
	s.at(time.Second, "")
	note(t, a, "late")
	opened := make(chan *autosave.Kept)
	go func() {
		k, err := s.f.Open(context.Background(), "a") // waits
		if err != nil {
			t.Error(err)
		}
		opened <- k
	}()
	s.later = false
	for _, task := range s.tasks {
		task()
	}
	if k := <-opened; k != a {
		t.Error("another world")
	}
	s.at(11*time.Second, "")
	s.wantSaved("a", "late")
	s.at(12*time.Second, "a closed")
}

// What was to be closed and changed is saved when the Fleet ends in between.
func TestFleetChangedAtTheEnd(t *testing.T) {
	s := newHost(t, autosave.Options{})
	a := s.open("a")
	a.Close()
	s.later = true
	s.at(time.Second, "")
	note(t, a, "late")
	go s.tasks[0]()
	if left, err := s.f.Close(t.Context()); left != nil || err != nil {
		t.Errorf("%v, %v", left, err)
	}
	s.wantSaved("a", "late")
}

// Many worlds on many goroutines: nothing is lost.
func TestFleetTogether(t *testing.T) {
	st := memory.New(memory.Options{})
	defer st.Close()
	f := autosave.NewFleet(st, "game", start, autosave.Options{Create: true, Every: time.Second, Soonest: -1, Idle: -1})
	var edits, steps sync.WaitGroup
	stop := make(chan struct{})
	steps.Go(func() {
		for now := start; ; now = now.Add(50 * time.Millisecond) {
			select {
			case <-stop:
				return
			default:
				for _, e := range f.Step(now) {
					if e.Kind != autosave.Closed || e.Err != nil {
						t.Errorf("%+v", e)
					}
				}
			}
		}
	})
	for i := range 20 {
		name := fmt.Sprint("w", i)
		edits.Go(func() {
			for n := range 20 {
				for done := false; !done; {
					k, err := f.Open(t.Context(), name)
					if err != nil {
						t.Error(err)
						return
					}
					_, err = k.World().Update(func(tx *world.Tx) error { tx.SetProperty("note", fmt.Sprint(n)); return nil })
					done = err == nil
					if err != nil && !errors.Is(err, world.ErrClosed) {
						t.Error(err)
						return
					}
					k.Changed(5000)
					k.Players(n % 2)
				}
			}
		})
	}
	edits.Wait()
	close(stop)
	steps.Wait()
	if left, err := f.Close(t.Context()); left != nil || err != nil {
		t.Errorf("%v, %v", left, err)
	}
	for i := range 20 {
		w, err := world.Open(t.Context(), st, fmt.Sprint("w", i), world.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := w.View().Property("note"); got != "19" {
			t.Errorf("%s: %q", w.Name(), got)
		}
		w.Close()
	}
}

// TestClockBack sets the clock of the game back by a day. Saves, renewals and closings go on.
func TestClockBack(t *testing.T) {
	s := newHost(t, autosave.Options{Every: 10 * time.Second, Soonest: -1, Idle: 10 * time.Second, Lease: 30 * time.Second})
	k := s.open("a")
	k.Players(1)
	game := start // its clock; that of the Store goes on
	step := func(n int) {
		for range n {
			s.now, game = s.now.Add(time.Second), game.Add(time.Second)
			for _, e := range s.f.Step(game) {
				t.Logf("%v %v %v", e.Name, e.Kind, e.Err)
			}
		}
	}
	change := func(value string) {
		t.Helper()
		if _, err := k.World().Update(func(tx *world.Tx) error { tx.SetProperty("a", value); return nil }); err != nil {
			t.Fatal(err)
		}
		k.Changed(1)
	}
	step(5)
	for i, back := range []time.Duration{24 * time.Hour, time.Millisecond, 365 * 24 * time.Hour} {
		game = game.Add(-back)
		change(fmt.Sprint(i))
		step(12)
		if k.World().Dirty() {
			t.Errorf("%v back: it was not saved", back)
		}
		step(60)
		if l, err := s.st.Leased(t.Context(), "a"); err != nil || l.Holder != "game" {
			t.Errorf("%v back: the lease is %+v, %v", back, l, err)
		}
	}
	k.Players(0)
	step(12)
	if b := s.f.Backlog(); b.Worlds != 0 {
		t.Errorf("it was not closed: %+v", b)
	}
}

// TestNone saves and closes at once where no wait is asked for.
func TestNone(t *testing.T) {
	s := newHost(t, autosave.Options{Every: time.Second, Soonest: -1, Idle: -1})
	k := s.open("a")
	k.Players(1)
	if _, err := k.World().Update(func(tx *world.Tx) error { tx.SetProperty("a", "b"); return nil }); err != nil {
		t.Fatal(err)
	}
	k.Changed(1)
	s.at(time.Second, "")
	if k.World().Dirty() {
		t.Error("it was not saved")
	}
	k.Players(0)
	s.at(time.Second+time.Millisecond, "a closed")
}

// TestFleetTells is told of each save, and of each world before it is closed, whichever way: saved,
// lost, or at the end, also if it changes what is to be closed.
func TestFleetTells(t *testing.T) {
	var told []string
	late := map[string]bool{}
	s := newHost(t, autosave.Options{
		Saved: func(k *autosave.Kept, c history.Commit) {
			told = append(told, fmt.Sprint("saved ", k.World().Name(), " ", c.Number))
		},
		Closing: func(k *autosave.Kept) {
			name := k.World().Name()
			told = append(told, "closing "+name)
			if k.World().Closed() {
				t.Errorf("%s is closed already", name)
			}
			if late[name] {
				delete(late, name)
				note(t, k, "late")
			}
		},
	})
	want := func(want ...string) {
		t.Helper()
		if !slices.Equal(told, want) {
			t.Errorf("told %q, want %q", told, want)
		}
		told = nil
	}
	a := s.open("a")
	note(t, a, "one")
	a.Close()
	s.at(time.Second, "")
	want("saved a 1")
	s.at(2*time.Second, "a closed")
	want("closing a")

	s.open("a").Close()
	late["a"] = true
	s.at(3*time.Second, "")
	want("closing a")
	s.at(13*time.Second, "")
	want("saved a 2")
	s.at(14*time.Second, "a closed")
	want("closing a")

	note(t, s.open("a"), "three")
	if err := s.st.Release(t.Context(), "a", history.Force); err != nil {
		t.Fatal(err)
	}
	if _, err := s.st.Lease(t.Context(), "a", "other", time.Hour); err != nil {
		t.Fatal(err)
	}
	s.at(time.Hour, "a lost")
	want("closing a")

	note(t, s.open("b"), "one")
	s.open("c")
	late["c"] = true
	if left, err := s.f.Close(t.Context()); left != nil || err != nil {
		t.Errorf("%v, %v", left, err)
	}
	want("saved b 1", "closing b", "closing c", "saved c 1")
	s.wantSaved("c", "late")
}
