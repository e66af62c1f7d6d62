package autosave_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/game/autosave"
)

// model is a Policy that looks at every world at every Step, with Every a
// minute, Cells 100, Soonest 5 s, Idle 10 s, Retry 1 s.
type model struct {
	now     time.Duration
	atOnce  int
	running int
	worlds  []*modelled // in the order of opening
}

type modelled struct {
	w      *island
	k      *autosave.Kept
	save   *autosave.Save // under way
	failed int            // in a row
	last   time.Duration
	left   time.Duration // when the last player left or Close was called; -1: not
	hurry  bool          // Close was called
	again  bool          // it changed after the save that was to be the last
	told   []int         // cells changed since the last save began
	held   []int         // those before, while it is under way
}

// due returns when a world's next save is due.
func (w *modelled) due() time.Duration {
	if w.failed > 0 {
		return w.last + []time.Duration{1, 2, 4, 8, 16, 32, 60}[min(w.failed, 7)-1]*time.Second
	}
	cells := 0
	for _, n := range w.told {
		cells += n
	}
	at := w.last + max(time.Duration(float64(time.Minute)/(1+float64(cells)/100)), 5*time.Second)
	if w.left >= 0 {
		if w.again {
			return min(at, w.last+5*time.Second)
		}
		at = min(at, w.leaving())
	}
	return at
}

func (w *modelled) leaving() time.Duration {
	if w.hurry {
		return w.left
	}
	return w.left + 10*time.Second
}

// step returns the names of worlds that are to be saved, and of those to be closed.
func (m *model) step() (saves, closed []string) {
	type due struct {
		at time.Duration
		w  *modelled
	}
	var all []due
	for _, w := range m.worlds {
		if w.save != nil {
			continue
		}
		at := w.due()
		if at <= m.now {
			all = append(all, due{at, w})
		}
	}
	slices.SortStableFunc(all, func(a, b due) int { return int(a.at - b.at) })
	for _, d := range all {
		w := d.w
		if w.w.Dirty() {
			if w.failed == 0 && w.left >= 0 && w.leaving() < w.last && m.now < w.last+5*time.Second {
				w.again = true
				continue
			}
			if m.running == m.atOnce {
				break
			}
			m.running++
			w.held, w.told = w.told, nil
			saves = append(saves, w.w.name)
			continue
		}
		w.last, w.failed, w.told, w.again = m.now, 0, nil, false
		if w.left >= 0 && w.leaving() <= m.now {
			closed = append(closed, w.w.name)
			m.worlds = slices.DeleteFunc(m.worlds, func(o *modelled) bool { return o == w })
		}
	}
	return saves, closed
}

func (m *model) done(w *modelled, err error) {
	m.running--
	w.last, w.save, w.again = m.now, nil, false
	if err != nil {
		w.failed++
		w.told = append(w.told, w.held...)
	} else {
		w.failed = 0
	}
	w.held = nil
}

func TestRandom(t *testing.T) {
	for seed := range uint64(200) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { againstModel(t, rand.New(rand.NewPCG(seed, 0))) })
	}
}

func againstModel(t *testing.T, r *rand.Rand) {
	m := &model{atOnce: 1 + r.IntN(4)}
	p := autosave.New(start, autosave.Options{
		Every: time.Minute, Cells: 100, Soonest: 5 * time.Second, AtOnce: m.atOnce,
	})
	tick := time.Duration(1 + r.IntN(int(3*time.Second)))
	opened := 0
	for range 600 {
		if len(m.worlds) < 2 || len(m.worlds) < 12 && r.IntN(10) == 0 {
			w := &island{name: fmt.Sprint("w", opened)}
			opened++
			m.worlds = append(m.worlds, &modelled{w: w, k: mustOpen(t, p, w), last: m.now, left: -1})
		}
		for range r.IntN(4) {
			happen(t, r, m, m.worlds[r.IntN(len(m.worlds))])
		}
		m.now += tick
		before := slices.Clone(m.worlds)
		saves, closed := p.Step(start.Add(m.now))
		wantSaves, wantClosed := m.step()
		var gotSaves, gotClosed []string
		for _, s := range saves {
			gotSaves = append(gotSaves, s.World.Name())
			before[slices.IndexFunc(before, func(w *modelled) bool { return w.w == s.World })].save = s
		}
		for _, w := range closed {
			gotClosed = append(gotClosed, w.Name())
		}
		if !slices.Equal(gotSaves, wantSaves) || !slices.Equal(gotClosed, wantClosed) {
			t.Fatalf("after %v: saves %v and closes %v, want %v and %v", m.now, gotSaves, gotClosed, wantSaves, wantClosed)
		}
	}
	for _, w := range m.worlds {
		if w.save != nil {
			w.save.Done(errStore)
		}
	}
	if left := p.Drain(t.Context()); left != nil {
		t.Errorf("unsaved %v", left)
	}
	for _, w := range m.worlds {
		if w.w.Dirty() {
			t.Errorf("%s is dirty after Drain", w.w.name)
		}
	}
}

// happen lets something happen to a world.
func happen(t *testing.T, r *rand.Rand, m *model, w *modelled) {
	switch r.IntN(12) {
	case 0, 1:
		w.w.edits.Add(1) // untold
	case 2, 3, 4:
		n := r.IntN(1 << r.IntN(12))
		edit(w.w, w.k, n)
		w.told = append(w.told, n)
	case 5:
		w.k.Players(1 + r.IntN(3))
		if !w.hurry {
			w.left, w.again = -1, false
		}
	case 6:
		w.k.Players(0)
		if w.left < 0 {
			w.left = m.now
		}
	case 7:
		if r.IntN(4) == 0 {
			w.k.Close()
			if !w.hurry {
				w.left, w.hurry, w.again = m.now, true, false
			}
		}
	case 8:
		if w.save != nil {
			w.save.Done(errStore)
			m.done(w, errStore)
		}
	default:
		if w.save != nil {
			if err := w.save.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			m.done(w, nil)
		}
	}
}

// Saves, events, steps and drains on many goroutines: never two saves of one
// world, never more saves at once than the bound, nothing lost.
func TestTogether(t *testing.T) {
	const worlds, atOnce = 50, 3
	p := autosave.New(start, autosave.Options{Every: time.Second, Soonest: -1, AtOnce: atOnce})
	var running, most atomic.Int64
	var all []*island
	var wg sync.WaitGroup
	for i := range worlds {
		w := &island{name: fmt.Sprint("w", i)}
		all = append(all, w)
		k := mustOpen(t, p, w)
		wg.Go(func() {
			for j := range 200 {
				edit(w, k, 1000)
				k.Players(j % 2)
			}
			k.Players(1)
		})
		w.commit = func(context.Context) error {
			n := running.Add(1)
			defer running.Add(-1)
			for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
			}
			if w.commits.Load()%3 == 0 {
				return errStore
			}
			return nil
		}
	}
	for i := range 300 {
		saves, _ := p.Step(start.Add(time.Duration(i) * 30 * time.Millisecond))
		for _, s := range saves {
			wg.Go(func() { _ = s.Run(t.Context()) })
		}
		if i%50 == 0 {
			p.Backlog()
		}
	}
	wg.Wait()
	if most.Load() > atOnce {
		t.Errorf("%d saves at once", most.Load())
	}
	drains := [2][]autosave.Unsaved{}
	for i := range drains {
		wg.Go(func() { drains[i] = p.Drain(t.Context()) })
	}
	wg.Wait()
	left := p.Drain(t.Context())
	for _, w := range all {
		if w.twice.Load() {
			t.Errorf("%s: two saves at once", w.name)
		}
		lost := slices.ContainsFunc(left, func(u autosave.Unsaved) bool { return u.Name == w.name })
		if w.Dirty() != lost {
			t.Errorf("%s: dirty %v, reported %v", w.name, w.Dirty(), lost)
		}
	}
}
