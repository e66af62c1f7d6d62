package ticks_test

import (
	"context"
	"testing"

	"github.com/cairnvoxel/cairn/bench/labtest"
	"github.com/cairnvoxel/cairn/bench/ticks"
)

func TestBench(t *testing.T) {
	o := labtest.Small()
	o.Worlds, o.Seconds = 3, 0.3
	r, err := ticks.Bench(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	labtest.JSON(t, r)
	labtest.Table(t, r.Table)
	for i, row := range r.Rows {
		if row.Ticks == 0 || row.Median <= 0 || row.Longest < row.P99 || (row.Commits > 0) != (i == 1) {
			t.Errorf("%+v", row)
		}
	}
}
