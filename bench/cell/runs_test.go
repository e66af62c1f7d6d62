package cell_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/bench/cell"
	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/voxel"
)

// TestRunsPages has plain runs lie in the pages that stones have: as many of them,
// with the same kinds of chunks.
func TestRunsPages(t *testing.T) {
	for name, src := range map[string]format.Source{
		"island": terrain.Island(terrain.Options{Seed: 3, Version: terrain.Modern}),
		"land":   terrain.Survival(terrain.Options{Seed: 1, Version: terrain.Modern}), // pages of 64
	} {
		if name == "land" && !long.Part() {
			continue
		}
		w, err := convert.Load(t.Context(), src)
		if err != nil {
			t.Fatal(err)
		}
		for _, volume := range []string{voxel.Block, voxel.Sky, voxel.Light} {
			runs, columns, err := cell.RunsPages(w, w.Dimensions[0].Volume(volume))
			if err != nil {
				t.Fatal(err)
			}
			if len(runs) != len(columns) || len(runs) == 0 || name == "land" && volume == voxel.Block && len(runs) < 2 {
				t.Errorf("%s: %s: %d pages of runs, %d of a stone", name, volume, len(runs), len(columns))
				continue
			}
			for i := range runs {
				if kinds := plainSize(t, runs[i]); kinds != plainSize(t, columns[i]) {
					t.Errorf("%s: %s: page %d has %d chunks, that of the stone %d", name, volume, i, kinds, plainSize(t, columns[i]))
				}
			}
		}
	}
}

// plainSize returns the plain bytes of a page's first stream: one for each chunk.
func plainSize(t *testing.T, page []byte) uint64 {
	t.Helper()
	n, size := binary.Uvarint(page[2:])
	if size <= 0 {
		t.Fatalf("a page of %x", page[:min(8, len(page))])
	}
	return n >> 1
}

// TestFormsTable prints the forms that held something, and which takes least.
func TestFormsTable(t *testing.T) {
	var b strings.Builder
	cell.FormsTable(&b, "world", []cell.FormsRow{{Name: "a/b", FormWeights: cell.FormWeights{
		Blocks: cell.FormBytes{Runs: 4000, Alone: map[string]int64{"columns": 3000, "images": 2000}, Stone: 1900},
		Light:  cell.FormBytes{Runs: 1000, Alone: map[string]int64{"columns": 1000}, Stone: 1000},
	}}})
	for _, part := range []string{"a/b", "0.475", "images -33 %", "even"} {
		if !strings.Contains(b.String(), part) {
			t.Errorf("no %q in\n%s", part, b.String())
		}
	}
}
