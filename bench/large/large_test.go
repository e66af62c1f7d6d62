package large_test

import (
	"context"
	"os"
	"testing"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/bench/labtest"
	"github.com/cairnvoxel/cairn/bench/large"
)

func TestMain(m *testing.M) { os.Exit(labtest.Main(m)) }

// TestBench: the levels of a small land are those of the generator; Bench compares them.
func TestBench(t *testing.T) {
	o := lab.Options{Edge: 32, Seed: 5, Cairn: labtest.Cairn(t)}
	labtest.LeaveNothing(t)
	r, err := large.Bench(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Edge != 512 || r.Cells < 512*512 || r.Bytes == 0 || len(r.Rows) < 9 || len(r.Points) != 7 {
		t.Errorf("not plausible: %+v", r)
	}
	for _, x := range r.Rows {
		if x.Seconds <= 0 || x.Peak == 0 || !x.Within {
			t.Errorf("not plausible: %+v", x)
		}
	}
	for level, n := range r.Points {
		if n < 100 {
			t.Errorf("%d cells of level %d were compared", n, level)
		}
	}
	labtest.Table(t, r.Table, "pack", "within 512 MiB", "512 x 512 cells", "by level")
}

func TestBenchStops(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := large.Bench(ctx, lab.Options{Edge: 4, Cairn: labtest.Cairn(t)}); err == nil {
		t.Error("no error")
	}
}
