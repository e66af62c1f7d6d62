package measure_test

import (
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/format"
	"github.com/cairnvoxel/cairn/internal/measure"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/voxel"
)

// plausibleForms checks what holds of the sizes of every world's cells.
func plausibleForms(t *testing.T, name string, f measure.FormWeights) {
	t.Helper()
	for part, b := range map[string]measure.FormBytes{"blocks": f.Blocks, "light": f.Light} {
		var taken int64
		for _, n := range b.Taken {
			taken += n
		}
		if b.Runs <= 0 || b.Stone <= 0 || taken != b.Stone || len(b.Alone) < 4 {
			t.Errorf("%s: %s: not plausible: %+v", name, part, b)
		}
		for form, n := range b.Alone {
			if n*10 < b.Stone*9 { // forms that are much alike are not all packed to be compared
				t.Errorf("%s: %s: %s alone takes less than a stone: %+v", name, part, form, b)
			}
		}
	}
}

func TestBenchForms(t *testing.T) {
	dir := mustArenas(t)
	manifest := "path\tformat\tversion\narena\tanvil\t[minigame CTF]\nisland\tanvil\tDataVersion 3953 [player's island]\n"
	if err := os.WriteFile(filepath.Join(dir, "MANIFEST.tsv"), []byte(manifest), 0o666); err != nil {
		t.Fatal(err)
	}
	o := small
	o.Worlds = 1
	r, err := measure.BenchForms(context.Background(), []string{dir, filepath.Join("testdata", "luanti")}, o)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, k := range r.Kinds {
		kinds = append(kinds, k.Kind)
		b, light := k.Forms.Blocks, k.Forms.Light
		if k.Worlds < 1 || k.Cells < 1 {
			t.Errorf("not plausible: %+v", k)
		}
		if k.Kind != "generated terrain, made" {
			plausibleForms(t, k.Kind, k.Forms)
			if b.Alone["relief"] != b.Alone["columns"] || b.Alone["lit"] != b.Alone["columns"] || light.Alone["lit"] >= light.Alone["columns"] && k.Kind != "Luanti's testdata" {
				t.Errorf("%s: blocks of no terrain and light: %+v", k.Kind, k.Forms)
			}
		} else if b.Alone["relief"] >= b.Alone["columns"] || light.Runs != 0 {
			t.Errorf("%s: %+v", k.Kind, k.Forms)
		}
	}
	want := "Luanti's testdata;competition maps;islands;arenas, made;builds, made;generated terrain, made;islands, made;survival, made"
	if got := strings.Join(kinds, ";"); got != want {
		t.Errorf("kinds %s, want %s", got, want)
	}
	mustJSON(t, r)
	checkTable(t, r.Table, "islands (1)", "arenas, made (1)", "relief -", "lit -")
}

func TestBenchFormsStops(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := measure.BenchForms(ctx, nil, small); err != context.Canceled {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

// TestRunsPages has plain runs lie in the pages that stones have: as many of them,
// with the same kinds of chunks.
func TestRunsPages(t *testing.T) {
	for name, src := range map[string]format.Source{
		"island": terrain.Island(terrain.Options{Seed: 3, Version: terrain.Modern}),
		"land":   terrain.Survival(terrain.Options{Seed: 1, Version: terrain.Modern}), // pages of 64
	} {
		w := mustLoad(t, src)
		for _, volume := range []string{voxel.Block, voxel.Sky, voxel.Light} {
			runs, columns, err := measure.RunsPages(w, w.Dimensions[0].Volume(volume))
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
