package history_test

import (
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/store/history"
)

// TestLive asks which leases are live. One that was taken while a clock was wrong is not.
func TestLive(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		until time.Duration
		want  bool
	}{{-time.Second, false}, {0, false}, {time.Second, true}, {24 * time.Hour, true}, {24*time.Hour + 30*time.Minute, true}, {26 * time.Hour, false}, {4 * 365 * 24 * time.Hour, false}} {
		if got := (history.Lease{Fence: 1, Until: now.Add(tt.until)}).Live(now); got != tt.want {
			t.Errorf("until %v from now: got %v", tt.until, got)
		}
	}
	if (history.Lease{}).Live(now) {
		t.Error("no lease is live")
	}
}
