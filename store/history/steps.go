package history

import (
	"context"
	"time"
)

// Steps is told how long loads of worlds take, step by step. Package client/metrics
// makes Prometheus metrics of it. The methods are called from many goroutines.
type Steps interface {
	// Now is the clock.
	Now() time.Time
	// Loaded is called after each load that succeeded, in the goroutine of the load.
	Loaded(world string, t LoadSteps)
}

// LoadSteps says how long each step of a load took. The steps follow one another, so
// their sum is the time of the load. A step that the load did not have took 0.
type LoadSteps struct {
	// Call is the time until the answer to the call begins, with all tries. A Store in
	// this process has none.
	Call time.Duration
	// Fetch is the time until the rest of the answer is here and checked: the stack, and
	// its stones unless they are large.
	Fetch time.Duration
	// Open is the time until the directories of the stones are read.
	Open time.Duration
	// Decode is the time until chunks and columns are decoded. Pages of large stones are
	// fetched meanwhile.
	Decode time.Duration
	// Ready is the time from there until readers see the blocks.
	Ready time.Duration
}

// Whole returns the time of the load.
func (t LoadSteps) Whole() time.Duration { return t.Call + t.Fetch + t.Open + t.Decode + t.Ready }

type answeredKey struct{}

// WithAnswered returns a context for a call of a Store. A Store that is not in this
// process calls f when the answer begins to arrive, and again if it has to repeat the
// call after that.
func WithAnswered(ctx context.Context, f func()) context.Context {
	return context.WithValue(ctx, answeredKey{}, f)
}

// Answered calls the function of WithAnswered, if the context has one. Stores that are
// not in this process call it.
func Answered(ctx context.Context) {
	if f, ok := ctx.Value(answeredKey{}).(func()); ok {
		f()
	}
}
