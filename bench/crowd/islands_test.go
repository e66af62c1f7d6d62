package crowd_test

import (
	"context"
	"testing"

	"github.com/cairnvoxel/cairn/bench/crowd"
	"github.com/cairnvoxel/cairn/bench/labtest"
)

func TestBenchIslands(t *testing.T) {
	o := tiny(t)
	labtest.LeaveNothing(t)
	r, err := crowd.BenchIslands(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Islands != 50 || r.Pages != 50 || r.Loads != 50 || r.Played != 5 || r.Saves != 336 {
		t.Errorf("got %+v, want 50 islands, 5 of them played on", r)
	}
	if r.Disk <= 0 || r.Open <= 0 || r.PageP99 < r.PageP50 || r.LoadP99 < r.LoadP50 || r.Alone < 1000 || r.Shared <= 0 || r.Week <= r.Shared || r.Stones < 2 || r.Stones > 8 {
		t.Errorf("not plausible: %+v", r)
	}
	if got, want := labtest.KeysAt(t, labtest.JSON(t, r), ""), "alone_bytes collect_s disk_bytes fill_s highest_rss_bytes highest_stack islands load_p50_ms load_p99_ms loads open_ms page_p50_ms page_p99_ms pages played_islands rss_bytes saves shared_bytes templates week_bytes week_disk_bytes week_s"; got != want {
		t.Errorf("keys %s, want %s", got, want)
	}
	labtest.Table(t, r.Table, "bytes of an island", "pages of 100 names", "the week")
}
