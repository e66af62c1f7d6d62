package level_test

import (
	"context"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/bench/level"
)

// What edits cost in bytes does not depend on the machine.
func TestBenchEdit(t *testing.T) {
	if testing.Short() {
		t.Skip("makes a thousand commits")
	}
	r, err := level.BenchEdit(context.Background(), lab.Options{Voxels: 20_000_000, Seed: 1, Commits: 500})
	if err != nil {
		t.Fatal(err)
	}
	if r.Times[0].Bytes > 8<<10 {
		t.Errorf("a commit of one block takes %d bytes", r.Times[0].Bytes)
	}
	// A step keeps the chunks before and after it, which views share: 3.7 kB for each of 125.
	if !r.Undo.Equal || r.Undo.Bytes > 500_000 || r.Undo.Cells != 1_000_000 {
		t.Errorf("undo: %+v", r.Undo)
	}
	for i, most := range []float64{4, 12} {
		if p := r.Packs[i]; p.Price > most || p.Highest > 8 {
			t.Errorf("packing: %+v", p)
		}
	}
	if w := r.Week; w.Saves != 336 || w.Kept > w.Saved+w.Packed+w.Island || w.Log < 16 {
		t.Errorf("a week: %+v", w)
	}
	var out strings.Builder
	r.Table(&out)
	if !strings.Contains(out.String(), "equal cells") {
		t.Errorf("table: %s", out.String())
	}
}
