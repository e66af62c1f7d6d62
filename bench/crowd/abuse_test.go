package crowd_test

import (
	"context"
	"testing"

	"github.com/cairnvoxel/cairn/bench/crowd"
	"github.com/cairnvoxel/cairn/bench/labtest"
)

func TestBenchAbuse(t *testing.T) {
	o := tiny(t)
	o.Seconds = 3
	labtest.LeaveNothing(t)
	r, err := crowd.BenchAbuse(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Idle != 50 || r.IdleOpen != 50 || r.Slow != 50 || r.Mutated != 50 || len(r.Bodies) != 2 {
		t.Errorf("got %+v, want 50 of each and 2 bodies", r)
	}
	if r.Bodies[0].Answer != "413" || r.Bodies[0].Sent > 1e9 {
		t.Errorf("10 GB at once: %+v, want that they are refused soon", r.Bodies[0])
	}
	answers := 0
	for _, n := range r.Answers {
		answers += n
	}
	if answers != r.Mutated || r.Answers["none"] == answers || r.Internal != 0 {
		t.Errorf("answers %v of %d calls", r.Answers, r.Mutated)
	}
	if r.Probes == 0 || r.ProbeErrors != 0 || r.ProbeError != "" || r.ProbeP99 < r.ProbeP50 || r.Goroutines == 0 || r.Left != 0 {
		t.Errorf("not plausible: %+v", r)
	}
	// A machine that is busy may let a few handshakes run out of time.
	if v := r.Views; v.Viewers != 50 || v.Begun < 50 || v.Refused > v.Begun/20 || v.Ended == 0 || v.Probes == 0 || v.ProbeErrors != 0 || v.ProbeP99 < v.ProbeP50 {
		t.Errorf("viewers: %+v", v)
	}
	if got, want := labtest.KeysAt(t, labtest.JSON(t, r), ""), "answers bodies goroutines goroutines_left highest_rss_bytes idle_connections idle_open internal_errors mutated_requests probe_errors probe_p50_ms probe_p99_ms probes seconds slow_connections views"; got != want {
		t.Errorf("keys %s, want %s", got, want)
	}
	labtest.Table(t, r.Table, "idle connections", "loads beside it", "goroutines left")
}
