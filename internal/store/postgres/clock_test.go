package postgres_test

import (
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/postgres"
)

// TestJump lets the server's clock jump. Its time goes on without a jump, so that leases
// that are renewed stay live, and is the server's again after a while.
func TestJump(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name string
		jump time.Duration
		most time.Duration // by which the time moves in the ten seconds of the jump
		ends time.Duration // after which it is the server's
	}{
		{"none", 0, 10 * time.Second, 0},
		{"a little", 3 * time.Second, 13 * time.Second, 0},
		{"an hour ahead", time.Hour, 20 * time.Second, time.Hour},
		{"a year ahead", 365 * 24 * time.Hour, 366 * 24 * time.Hour, 24 * time.Hour}, // no lease is that long
		{"back", -time.Hour, 10 * time.Second, 0},
	} {
		local, server := start, start.Add(time.Minute)
		hear := postgres.Hear(func() time.Time { return local })
		step := func(d time.Duration) time.Time {
			local, server = local.Add(d), server.Add(d)
			return hear(server)
		}
		before := step(10 * time.Second)
		server = server.Add(tt.jump)
		if moved := step(10 * time.Second).Sub(before); moved > tt.most {
			t.Errorf("%s: the time moves by %v", tt.name, moved)
		}
		last := step(10 * time.Second)
		for passed := 20 * time.Second; passed < tt.ends; passed += 10 * time.Second {
			now := step(10 * time.Second)
			if moved := now.Sub(last); moved < 10*time.Second || moved > 20*time.Second {
				t.Fatalf("%s: the time moves by %v in ten seconds", tt.name, moved)
			}
			last = now
		}
		if now := step(10 * time.Second); !now.Equal(server) {
			t.Errorf("%s: at last: got %v, want %v", tt.name, now, server)
		}
	}
}
