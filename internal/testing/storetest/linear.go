package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/cairnvoxel/cairn/store/history"
)

// Linear lets two to four writers, each of which believes that it owns a world,
// take leases, sleep, save and restore at the same time, while the clock moves. It
// searches for an order of their calls that explains all answers. Each round has a
// new world; with -short there are a tenth of the rounds. One round in ten, and always
// three, may have a call whose answer is history.ErrAway: it proves nothing.
func Linear(t *testing.T, k Kind, rounds int) {
	e := newEnv(t, k)
	if testing.Short() {
		rounds /= 10
	}
	unknown := 0
	for i := range rounds {
		err := linearRound(e.s, e.clock, fmt.Sprint("linear/", i), uint64(i))
		if errors.Is(err, history.ErrAway) {
			unknown++
		} else if err != nil {
			t.Fatalf("round %d: %v", i, err)
		}
	}
	if unknown > max(3, rounds/10) {
		t.Errorf("in %d of %d rounds a call had no answer", unknown, rounds)
	}
}

func linear(e *env) { Linear(e.T, e.kind, 100) }

// linearFinds shows that Linear finds the errors that it is made for.
func linearFinds(e *env) {
	for what, broken := range map[string]history.Store{
		"fences are ignored":      deaf{e.s},
		"whoever is late wins":    rash{e.s},
		"leases are not observed": rude{e.s},
	} {
		found := false
		for i := 0; i < 1000 && !found; i++ {
			name := fmt.Sprintf("%s/%d", strings.ReplaceAll(what, " ", "-"), i)
			found = errors.Is(linearRound(broken, e.clock, name, uint64(i)), errNotLinear)
		}
		if !found {
			e.Errorf("%s: not found", what)
		}
	}
}

// deaf saves under any fence that the world has.
type deaf struct{ history.Store }

func (d deaf) Commit(ctx context.Context, name string, base history.Head, c history.Commit, stones ...history.Stone) (history.Commit, error) {
	h, err := d.Head(ctx, name)
	if err != nil {
		return history.Commit{}, err
	}
	if base.Fence != 0 && base.Fence != history.Force {
		base.Fence = h.Fence
	}
	return d.Store.Commit(ctx, name, base, c, stones...)
}

// rash saves on any head that the world has.
type rash struct{ history.Store }

func (r rash) Commit(ctx context.Context, name string, base history.Head, c history.Commit, stones ...history.Stone) (history.Commit, error) {
	h, err := r.Head(ctx, name)
	if err != nil {
		return history.Commit{}, err
	}
	if c.Base == c.Parent {
		c.Base = h.Commit
	}
	c.Parent, base.Commit = h.Commit, h.Commit
	return r.Store.Commit(ctx, name, base, c, stones...)
}

// rude takes leases that are not free.
type rude struct{ history.Store }

func (r rude) Lease(ctx context.Context, name, holder string, d time.Duration) (history.Lease, error) {
	if err := r.Release(ctx, name, history.Force); err != nil {
		return history.Lease{}, err
	}
	return r.Store.Lease(ctx, name, holder, d)
}

var errNotLinear = errors.New("no order of the calls explains their answers")

// linearRound is one round, in a new world.
func linearRound(s history.Store, c *clock, name string, seed uint64) error {
	if err := s.Create(context.Background(), name); err != nil {
		return err
	}
	g := &gang{s: s, clock: c, name: name}
	rng := rand.New(rand.NewPCG(seed, 1))
	var wg sync.WaitGroup
	for i := range 2 + rng.IntN(3) {
		w := &writer{gang: g, number: i, rng: rand.New(rand.NewPCG(seed, uint64(i)+2)), holder: fmt.Sprint("writer ", rng.IntN(4))}
		wg.Go(w.run)
	}
	wg.Wait()
	if g.err != nil {
		return g.err
	}
	if g.away != nil {
		return g.away
	}
	model := porcupine.Model{
		Init: func() any { return owned{} },
		Step: func(state, in, out any) (bool, any) { return state.(owned).explains(in.(act), out.(answer)) },
	}
	if porcupine.CheckOperations(model, g.history) {
		return nil
	}
	return fmt.Errorf("%w:\n%s", errNotLinear, g)
}

// gang holds the writers of a round.
type gang struct {
	s     history.Store
	clock *clock
	name  string
	count atomic.Int64 // orders what calls begin and end with

	mu      sync.Mutex
	history []porcupine.Operation
	err     error // that no call may give
	away    error // that leaves open whether a call took effect
}

func (g *gang) String() string {
	slices.SortFunc(g.history, func(a, b porcupine.Operation) int { return int(a.Call - b.Call) })
	var b strings.Builder
	for _, o := range g.history {
		fmt.Fprintf(&b, "%3d-%3d writer %d: %v: %v\n", o.Call, o.Return, o.ClientId, o.Input, o.Output)
	}
	return b.String()
}

// act is a call.
type act struct {
	kind   string
	base   history.Head // of a save; of other calls the fence
	back   bool         // of a save, that it stands on nothing
	holder string
	d      time.Duration

	from, upto time.Time // by the clock, when it began and had ended
}

func (a act) String() string {
	return fmt.Sprintf("%v to %v: %s on %.4v under %d, back %v, for %q, %v",
		a.from.Format(time.TimeOnly), a.upto.Format(time.TimeOnly), a.kind, a.base.Commit, a.base.Fence, a.back, a.holder, a.d)
}

// answer is what a call returned.
type answer struct {
	err   error // one of the errors to branch on
	head  history.Head
	lease history.Lease
}

func (a answer) String() string {
	return fmt.Sprintf("%v, head %.4v %d, lease %d until %v", a.err, a.head.Commit, a.head.Fence, a.lease.Fence, a.lease.Until)
}

// writer believes that it owns the world.
type writer struct {
	*gang
	number int
	rng    *rand.Rand
	holder string
	fence  uint64     // of its lease, as far as it knows
	head   history.ID // as far as it knows
}

func (w *writer) run() {
	w.do(act{kind: "look"})
	w.do(act{kind: "take", holder: w.holder, d: term})
	for range 5 + w.rng.IntN(6) {
		w.do(w.choose())
		switch w.rng.IntN(8) {
		case 0, 1:
			w.clock.add(time.Duration(1+w.rng.IntN(3)) * term / 2)
		case 2:
			runtime.Gosched()
		}
	}
}

// choose returns what the writer does next.
func (w *writer) choose() act {
	a := act{base: history.Head{Commit: w.head, Fence: w.fence}, holder: w.holder, d: time.Duration(1+w.rng.IntN(3)) * term / 2}
	switch w.rng.IntN(13) {
	case 0:
		a.kind = "look"
	case 1:
		a.kind = "take"
	case 2, 3:
		a.kind = "renew"
	case 4:
		a.kind = "release"
		if w.rng.IntN(4) == 0 {
			a.base.Fence = history.Force
		}
	case 5:
		a.kind = "leased"
	default:
		a.kind = "save"
		a.back = w.rng.IntN(6) == 0
		switch w.rng.IntN(10) {
		case 0, 1:
			a.base.Fence = 0
		case 2:
			a.base.Fence = history.Force
		}
	}
	return a
}

// do makes a call and notes it.
func (w *writer) do(a act) {
	a.from = w.clock.now()
	call := w.count.Add(1)
	out, err := w.call(context.Background(), a)
	back := w.count.Add(1)
	a.upto = w.clock.now()
	for _, known := range []error{history.ErrLeased, history.ErrFenced, history.ErrConflict} {
		if errors.Is(err, known) {
			out, err = answer{err: known}, nil
		}
	}
	w.learn(a, out)
	w.mu.Lock()
	defer w.mu.Unlock()
	if errors.Is(err, history.ErrAway) {
		w.away, err = err, nil
	}
	w.err = errors.Join(w.err, err)
	w.history = append(w.history, porcupine.Operation{ClientId: w.number, Input: a, Output: out, Call: call, Return: back})
}

func (w *writer) call(ctx context.Context, a act) (out answer, err error) {
	switch a.kind {
	case "look":
		out.head, err = w.s.Head(ctx, w.name)
	case "leased":
		out.lease, err = w.s.Leased(ctx, w.name)
	case "take":
		out.lease, err = w.s.Lease(ctx, w.name, a.holder, a.d)
	case "renew":
		out.lease, err = w.s.Renew(ctx, w.name, a.base.Fence, a.d)
	case "release":
		err = w.s.Release(ctx, w.name, a.base.Fence)
	case "save":
		c := history.Commit{Parent: a.base.Commit, Base: a.base.Commit, Message: fmt.Sprint(w.number, w.count.Load())}
		if a.back {
			c.Base = history.ID{}
		}
		c, err = w.s.Commit(ctx, w.name, a.base, c)
		out.head.Commit = c.ID()
	}
	return out, err
}

// learn updates what the writer believes after a call. It may believe for a while
// that a lost lease is its own.
func (w *writer) learn(a act, out answer) {
	switch {
	case out.err != nil:
		if w.rng.IntN(2) == 0 {
			return
		}
		w.do(act{kind: "look"})
	case a.kind == "look":
		w.head = out.head.Commit
	case a.kind == "take":
		w.fence = out.lease.Fence
	case a.kind == "save":
		if a.back && a.base.Commit != (history.ID{}) && a.base.Fence != 0 && a.base.Fence == w.fence {
			w.fence++
		}
		w.head = out.head.Commit
	}
}

// owned is the state of the world of the writers, as calls in sequence leave it.
type owned struct {
	head history.ID
	claim
}

// explains reports whether a call may have this answer, and returns the state after
// it. A Store reads its clock at some time during the call.
func (o owned) explains(a act, got answer) (bool, owned) {
	for _, now := range []time.Time{a.from, a.upto, got.lease.Until.Add(-a.d)} {
		if want, next := o.step(a, got, now); want == got && !now.Before(a.from) && !now.After(a.upto) {
			return true, next
		}
	}
	return false, o
}

// step returns the answer of a call at a time, and the state after it.
func (o owned) step(a act, got answer, now time.Time) (want answer, next owned) {
	switch a.kind {
	case "look":
		want.head = history.Head{Commit: o.head, Fence: o.fence}
	case "leased":
		want.lease = o.lease(now)
	case "take":
		if want.err = o.take(a.holder, a.d, now); want.err == nil {
			want.lease = o.granted()
		}
	case "renew":
		if want.err = o.renew(a.base.Fence, a.d, now); want.err == nil {
			want.lease = o.granted()
		}
	case "release":
		want.err = o.release(a.base.Fence)
	case "save":
		want.err = o.under(a.base.Fence, now)
		if want.err == nil && a.base.Commit != o.head {
			want.err = history.ErrConflict
		}
		if want.err == nil {
			o.save(a, got.head.Commit)
			want.head.Commit = o.head
		}
	}
	return want, o
}

func (o *owned) save(a act, made history.ID) {
	o.head = made
	if a.back && a.base.Commit != (history.ID{}) || a.base.Fence == history.Force {
		o.raise(a.base.Fence)
	}
}
