package island_test

import (
	"context"
	"testing"

	"github.com/cairnvoxel/cairn/bench/island"
	"github.com/cairnvoxel/cairn/bench/lab"
)

func TestBenchIsland(t *testing.T) {
	if testing.Short() {
		t.Skip("makes and loads islands")
	}
	r, err := island.Bench(context.Background(), lab.Options{Worlds: 4})
	if err != nil {
		t.Fatal(err)
	}
	if r.Islands != 4 || r.Loads != 200 || r.Chunks < 20 || r.Bytes < 10_000 || r.Bytes > 60_000 || len(r.Rows) != 3 {
		t.Errorf("not plausible: %+v", r)
	}
	for _, row := range r.Rows {
		if row.P50 <= 0 || row.P99 < row.P50 {
			t.Errorf("not plausible: %+v", row)
		}
	}
}
