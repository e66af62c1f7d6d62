package level_test

import (
	"context"
	"testing"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/bench/labtest"
	"github.com/cairnvoxel/cairn/bench/level"
)

func TestBenchGrid(t *testing.T) {
	if testing.Short() {
		t.Skip("measures for seconds")
	}
	r, err := level.BenchGrid(context.Background(), []string{labtest.Arenas(t)}, lab.Options{Voxels: 100_000, Reads: 1 << 12, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Sets) != 2 || len(r.Rows)%2 != 0 {
		t.Fatalf("%d sets, %d rows; want level and blocks with the same rows", len(r.Sets), len(r.Rows))
	}
	for i, s := range r.Sets {
		rows := r.Rows[i*len(r.Rows)/2:][:len(r.Rows)/2]
		if s.Chunks == 0 || s.Cells < 10_000 || rows[0].Set != s.Name {
			t.Errorf("not plausible: %+v", s)
		}
		if m := rows[0]; m.Unit != "B" || m.Cairn <= 0 || m.RatioMap > 0.3 || m.Map < float64(s.Chunks)*60_000 || m.Flat < m.Map/2 {
			t.Errorf("memory: %+v", m)
		}
		if m := rows[1]; m.Cairn < 8 || m.Map < 8 {
			t.Errorf("the index: %+v", m)
		}
		for _, row := range rows[2:] {
			if row.Unit != "ns" || row.Cairn < 0 || row.Flat < 0 || row.Map < 0 {
				t.Errorf("not plausible: %+v", row)
			}
		}
	}
	labtest.JSON(t, r)
	labtest.Table(t, r.Table, "level: row at random", "blocks: box of 64 in order", "blocks: fill ball of 12, published")
}

func TestBenchGridStops(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := level.BenchGrid(ctx, nil, labtest.Small()); err != context.Canceled {
		t.Errorf("got %v, want context.Canceled", err)
	}
}
