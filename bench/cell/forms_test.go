package cell_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/bench/cell"
	"github.com/cairnvoxel/cairn/bench/labtest"
)

// plausibleForms checks what holds of the sizes of every world's cells.
func plausibleForms(t *testing.T, name string, f cell.FormWeights) {
	t.Helper()
	for part, b := range map[string]cell.FormBytes{"blocks": f.Blocks, "light": f.Light} {
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
	dir := labtest.Arenas(t)
	manifest := "path\tformat\tversion\narena\tanvil\t[minigame CTF]\nisland\tanvil\tDataVersion 3953 [player's island]\n"
	if err := os.WriteFile(filepath.Join(dir, "MANIFEST.tsv"), []byte(manifest), 0o666); err != nil {
		t.Fatal(err)
	}
	o := labtest.Small()
	o.Worlds = 1
	r, err := cell.BenchForms(context.Background(), []string{dir}, o)
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
			if b.Alone["relief"] != b.Alone["columns"] || b.Alone["lit"] != b.Alone["columns"] || light.Alone["lit"] >= light.Alone["columns"] {
				t.Errorf("%s: blocks of no terrain and light: %+v", k.Kind, k.Forms)
			}
		} else if b.Alone["relief"] >= b.Alone["columns"] || light.Runs != 0 {
			t.Errorf("%s: %+v", k.Kind, k.Forms)
		}
	}
	want := "competition maps;islands;arenas, made;builds, made;generated terrain, made;islands, made;survival, made"
	if got := strings.Join(kinds, ";"); got != want {
		t.Errorf("kinds %s, want %s", got, want)
	}
	labtest.JSON(t, r)
	labtest.Table(t, r.Table, "islands (1)", "arenas, made (1)", "relief -", "lit -")
}

func TestBenchFormsStops(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := cell.BenchForms(ctx, nil, labtest.Small()); err != context.Canceled {
		t.Errorf("got %v, want context.Canceled", err)
	}
}
