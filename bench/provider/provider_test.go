package provider_test

import (
	"testing"

	"github.com/cairnvoxel/cairn/bench/provider"
)

// TestBench measures a little and looks for sense.
func TestBench(t *testing.T) {
	r, err := provider.Bench(t.Context(), 3, 20, 1)
	if err != nil {
		t.Fatal(err)
	}
	if r.Columns != 9 || r.Arenas.Count != 20 || r.Arenas.Changed*100 < r.Arenas.Cells || r.Arenas.Second <= 0 || r.CommitMS <= 0 {
		t.Errorf("%+v", r)
	}
	for _, s := range []provider.Side{r.Cairn, r.LevelDB} {
		if s.New <= 0 || s.Changed <= 0 || s.Unchanged <= 0 || s.Cold <= 0 || s.Warm <= 0 || s.Bytes <= 0 {
			t.Errorf("%+v", s)
		}
	}
}
