package limits_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/server/limits"
	"github.com/cairnvoxel/cairn/internal/store/wire"
)

// Callers with tokens.
var eve, bob = limits.Caller{1}, limits.Caller{2}

// A caller that fills a queue leaves a slot and memory to others, who come in at once.
func TestQueueIsFair(t *testing.T) {
	q := limits.NewQueue(4, 64, 100)
	var left []func()
	enter := func(who limits.Caller, need int64) bool {
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // whoever would wait gives up at once
		leave, err := q.Enter(ctx, who, need)
		if err == nil {
			left = append(left, leave)
		} else if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		return err == nil
	}
	leaveAll := func() {
		for _, leave := range left {
			leave()
		}
		left = nil
	}
	for _, tt := range []struct {
		name string
		who  limits.Caller
		need int64
		want bool
	}{
		{"eve's first", eve, 40, true},
		{"eve's second, whose memory others may need", eve, 20, false},
		{"eve's second", eve, 10, true},
		{"eve's third", eve, 0, true},
		{"eve's fourth, which would be the last slot", eve, 0, false},
		{"bob's first", bob, 50, true},
		{"bob's second, for which there is no slot", bob, 0, false},
	} {
		if got := enter(tt.who, tt.need); got != tt.want {
			t.Errorf("%s: enters %v", tt.name, got)
		}
	}
	leaveAll()
	for i := range 4 { // without tokens all of it is one caller's
		if !enter(limits.Caller{}, 25) {
			t.Errorf("call %d without a token waits", i)
		}
	}
	leaveAll()
	if q.Busy() {
		t.Error("something is left in the queue")
	}
}

// However many calls of eve wait, bob comes after one of them; and they take half of the
// places to wait at most.
func TestQueueTakesTurns(t *testing.T) {
	q := limits.NewQueue(1, 8, 0)
	first, err := q.Enter(t.Context(), eve, 0)
	if err != nil {
		t.Fatal(err)
	}
	order := make(chan limits.Caller)
	for i, who := range []limits.Caller{eve, eve, eve, eve, bob} {
		go func() {
			leave, err := q.Enter(t.Context(), who, 0)
			if err != nil {
				t.Error(err)
				return
			}
			order <- who
			leave()
		}()
		for q.Waits() <= i {
			runtime.Gosched()
		}
	}
	if _, err := q.Enter(t.Context(), eve, 0); err == nil || !strings.Contains(err.Error(), string(wire.Busy)) {
		t.Errorf("eve's fifth: %v", err)
	}
	first()
	for i, want := range []limits.Caller{eve, bob, eve, eve, eve} {
		if got := <-order; got != want {
			t.Errorf("call %d is of %v", i, got)
		}
	}
}
