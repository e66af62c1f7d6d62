package away_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/server/away"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
)

// leaving is a Store that can be away.
type leaving struct {
	history.Store
	err   error // of Head and Ping
	pings int
}

func (l *leaving) Head(ctx context.Context, name string) (history.Head, error) {
	if l.err != nil {
		return history.Head{}, l.err
	}
	return l.Store.Head(ctx, name)
}

func (l *leaving) Ping(context.Context) error {
	l.pings++
	return l.err
}

// TestGuard remembers heads for a time and within its memory, forgets worlds that are
// gone, and asks the Store at most once a second.
func TestGuard(t *testing.T) {
	ctx := t.Context()
	now := time.Unix(1e9, 0)
	st := &leaving{Store: memory.New(memory.Options{})}
	g := away.New(st, away.Options{Stale: time.Minute, Bytes: 100 << 10, Now: func() time.Time { return now }})
	head := func(name string) error { _, _, err := g.Head(ctx, name, time.Hour); return err }
	for i := range 1000 {
		if err := errors.Join(st.Create(ctx, fmt.Sprint("w", i)), head(fmt.Sprint("w", i))); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(st.Delete(ctx, "w998", 0), g.Ready(ctx), g.Ready(ctx)); err != nil || st.pings != 1 {
		t.Errorf("got %v and %d pings", err, st.pings)
	}
	if err := head("w998"); !errors.Is(err, history.ErrNoWorld) {
		t.Errorf("got %v", err)
	}
	st.err = fmt.Errorf("no answer: %w", history.ErrAway)
	for name, want := range map[string]error{"w999": nil, "w998": history.ErrAway, "w0": history.ErrAway} {
		if err := head(name); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", name, err, want)
		}
	}
	if err := g.Ready(ctx); err != nil { // it answered a moment ago
		t.Error(err)
	}
	now = now.Add(time.Second)
	if err := g.Ready(ctx); !errors.Is(err, history.ErrAway) || st.pings != 2 {
		t.Errorf("got %v and %d pings", err, st.pings)
	}
	if _, age, err := g.Head(ctx, "w999", time.Second); err != nil || age != time.Second {
		t.Errorf("got %v, %v", age, err)
	}
	if _, _, err := g.Head(ctx, "w999", 0); !errors.Is(err, history.ErrAway) {
		t.Errorf("refused, and got %v", err)
	}
	now = now.Add(time.Minute)
	if err := head("w999"); !errors.Is(err, history.ErrAway) {
		t.Errorf("too old, and got %v", err)
	}
}

// falling is a Store whose first Ping panics.
type falling struct{ leaving }

func (f *falling) Ping(context.Context) error {
	if f.pings++; f.pings == 1 {
		panic("fault")
	}
	return nil
}

// A probe that panics does not hold up the next.
func TestReadyAfterPanic(t *testing.T) {
	st := &falling{leaving{Store: memory.New(memory.Options{})}}
	g := away.New(st, away.Options{})
	func() {
		defer func() { recover() }()
		g.Ready(t.Context())
	}()
	if err := g.Ready(t.Context()); err != nil || st.pings != 2 {
		t.Errorf("got %v and %d pings", err, st.pings)
	}
}
