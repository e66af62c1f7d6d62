package autosave_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/game/autosave"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/world"
)

var _ autosave.Leased = (*world.World)(nil)

// plot is a world under a lease.
type plot struct {
	name  string
	fence uint64
}

func (p *plot) Name() string  { return p.name }
func (p *plot) Fence() uint64 { return p.fence }

// keeper is Leases of a minute with a clock, on a Store with the same clock.
type keeper struct {
	t   *testing.T
	l   *autosave.Leases
	st  *away
	now time.Time
}

// away is a Store that cannot be reached while err is set.
type away struct {
	history.Store
	err error
}

func (a *away) Renew(ctx context.Context, name string, fence uint64, d time.Duration) (history.Lease, error) {
	if a.err != nil {
		return history.Lease{}, a.err
	}
	return a.Store.Renew(ctx, name, fence, d)
}

func newKeeper(t *testing.T) *keeper {
	k := &keeper{t: t, now: start}
	k.st = &away{Store: memory.New(memory.Options{Now: func() time.Time { return k.now }})}
	k.l = autosave.NewLeases(k.st, start, 0)
	t.Cleanup(func() { k.st.Close() })
	return k
}

// take makes a world, takes its lease and holds it.
func (k *keeper) take(name string) *plot {
	k.t.Helper()
	if err := k.st.Create(k.t.Context(), name); err != nil {
		k.t.Fatal(err)
	}
	lease, err := k.l.Take(k.t.Context(), name, "game")
	if err != nil {
		k.t.Fatal(err)
	}
	p := &plot{name, lease.Fence}
	k.l.Hold(p)
	return p
}

// at steps to so long after the start, holds what is due and lost against want,
// "a b -c", and runs the renewals, which come to err.
func (k *keeper) at(d time.Duration, want string, err error) {
	k.t.Helper()
	k.now = start.Add(d)
	due, lost := k.l.Step(k.now)
	var said []string
	for _, r := range due {
		said = append(said, r.World.Name())
		if got := r.Run(k.t.Context()); !errors.Is(got, err) {
			k.t.Errorf("after %v: %v, want %v", d, got, err)
		}
	}
	for _, w := range lost {
		said = append(said, "-"+w.Name())
	}
	if got := strings.Join(said, " "); got != want {
		k.t.Fatalf("after %v: %q, want %q", d, got, want)
	}
}

func TestLeases(t *testing.T) {
	k := newKeeper(t)
	k.take("b")
	k.at(5*time.Second, "", nil)
	k.take("a")
	k.at(20*time.Second-1, "", nil)
	k.at(20*time.Second, "b", nil)
	k.at(25*time.Second, "a", nil)
	k.at(10*time.Second, "", nil) // the time does not go back
	k.at(3*time.Hour, "b a", nil) // over for long, but nobody's else
	for _, name := range []string{"a", "b"} {
		lease, err := k.st.Leased(t.Context(), name)
		if err != nil || !lease.Until.Equal(k.now.Add(time.Minute)) || lease.Holder != "game" || !k.l.Sure(name) {
			t.Errorf("%s: the store says %+v, %v", name, lease, err)
		}
	}
	k.l.Drop("a")
	if err := k.l.Release(t.Context(), "b"); err != nil {
		t.Error(err)
	}
	if err := k.l.Release(t.Context(), "b"); err != nil {
		t.Errorf("released twice: %v", err)
	}
	k.at(4*time.Hour, "", nil)
	if lease, err := k.st.Leased(t.Context(), "b"); err != nil || lease.Holder != "" {
		t.Errorf("after its release: %+v, %v", lease, err)
	}
}

func TestLeasesLost(t *testing.T) {
	k := newKeeper(t)
	a := k.take("a")
	k.take("b")
	if _, err := k.st.Lease(t.Context(), "a", "other", time.Hour); !errors.Is(err, history.ErrLeased) {
		t.Fatalf("taken while it is live: %v", err)
	}
	k.now = start.Add(time.Minute)
	if _, err := k.st.Lease(t.Context(), "a", "other", time.Hour); err != nil {
		t.Fatal(err)
	}
	if err := k.st.Delete(t.Context(), "b", history.Force); err != nil {
		t.Fatal(err)
	}
	k.now = start.Add(time.Minute)
	due, lost := k.l.Step(k.now)
	if len(due) != 2 || len(lost) != 0 {
		t.Fatalf("%d due, %d lost", len(due), len(lost))
	}
	for _, r := range due {
		if err := r.Run(t.Context()); err == nil {
			t.Errorf("%s: renewed", r.World.Name())
		}
	}
	if k.l.Sure("a") {
		t.Error("sure of a lease that the store refused to renew")
	}
	k.at(65*time.Second-1, "", nil)
	k.now = start.Add(65 * time.Second)
	due, _ = k.l.Step(k.now)
	for _, r := range due {
		if err := r.Run(t.Context()); err == nil {
			t.Errorf("%s: renewed", r.World.Name())
		}
	}
	k.at(66*time.Second, "-a -b", nil)
	k.at(time.Hour, "", nil)
	k.l.Hold(a) // of whom the game thinks that it has it
	k.l.Drop("a")
	k.at(2*time.Hour, "", nil)
}

// A Store that is away is no reason to give worlds up.
func TestLeasesAway(t *testing.T) {
	k := newKeeper(t)
	k.take("a")
	k.st.err = errStore
	k.at(20*time.Second, "a", errStore)
	k.at(25*time.Second-1, "", nil)
	k.at(25*time.Second, "a", errStore)
	k.at(60*time.Second-1, "a", errStore)
	if !k.l.Sure("a") {
		t.Error("not sure before its time is over")
	}
	k.at(60*time.Second, "", nil)
	if k.l.Sure("a") {
		t.Error("sure after its time was over")
	}
	k.st.err = nil
	k.at(65*time.Second, "a", nil)
	if !k.l.Sure("a") || k.l.Sure("b") {
		t.Error("not sure of what was renewed, or sure of what is not held")
	}
}

// A world that goes back raises its fence itself.
func TestLeasesGoBack(t *testing.T) {
	k := newKeeper(t)
	p := k.take("a")
	k.st.err = history.ErrFenced // the store has raised it, and the world does not know yet
	k.at(20*time.Second, "a", history.ErrFenced)
	k.st.err = nil
	p.fence++
	if _, err := k.st.Lease(t.Context(), "a", "game", time.Minute); err != nil {
		t.Fatal(err)
	}
	k.at(25*time.Second, "a", nil)
	k.at(45*time.Second, "a", nil)
}

func TestLeasesAtOnce(t *testing.T) {
	k := newKeeper(t)
	for i := range 20 {
		k.take(fmt.Sprintf("w%02d", i))
	}
	k.now = start.Add(time.Minute)
	first, _ := k.l.Step(k.now)
	if len(first) != 16 || first[0].World.Name() != "w00" {
		t.Fatalf("%d at once, from %s on", len(first), first[0].World.Name())
	}
	k.at(time.Minute, "", nil)
	if err := first[3].Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	k.at(time.Minute, "w16", nil)
	k.at(time.Minute, "w17", nil)
}
