package retry_test

import (
	"context"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/retry"
)

func TestWait(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, wait := range map[string]func(context.Context) bool{
		"wait":    func(ctx context.Context) bool { return retry.Wait(ctx, time.Millisecond) },
		"backoff": func(ctx context.Context) bool { return retry.Backoff(ctx, time.Microsecond, 99, 3) },
	} {
		if !wait(t.Context()) {
			t.Errorf("%s: it did not wait to the end", name)
		}
	}
	if retry.Wait(ended, time.Hour) || retry.Backoff(ended, time.Hour, 1, 1) {
		t.Error("it waited though the context had ended")
	}
}
