// Package retry waits between the tries of a call.
package retry

import (
	"context"
	"math/rand/v2"
	"time"
)

// Wait waits for a time. It reports false if the context ended before.
func Wait(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// Backoff is Wait after the n-th try: the first time is doubled n times, but at most most
// times. Half of it is random, so that not all who failed together return together.
func Backoff(ctx context.Context, first time.Duration, n, most int) bool {
	d := first << min(n, most)
	return Wait(ctx, d/2+rand.N(d/2))
}
