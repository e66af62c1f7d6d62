package stone_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

const sizesFile = "testdata/sizes.txt"

func sortColumns(columns []voxel.Column) {
	slices.SortFunc(columns, func(a, b voxel.Column) int { return a.Pos.Compare(b.Pos) })
}

// made is a made-up world.
type made struct {
	name string
	src  format.Source
}

func worlds() []made {
	box := geom.Box{Max: geom.Point{X: 384, Y: 160, Z: 384}}
	return []made{
		{"level", terrain.Level{Seed: 1}.Source(box)},
		{"survival", terrain.Survival(terrain.Options{Seed: 1, Version: terrain.Modern})},
		{"island", terrain.Island(terrain.Options{Seed: 1, Version: terrain.Modern})},
		{"plots", terrain.Plots(terrain.Options{Seed: 1, Size: 12})},
	}
}

func mustLoad(t testing.TB, src format.Source) *convert.Loaded {
	t.Helper()
	w, err := convert.Load(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestSizes holds stones of made-up worlds, in pages of every size and by both
// efforts, to the sizes of the golden table within 2 %.
func TestSizes(t *testing.T) {
	long.Rest(t)
	var got []string
	for _, m := range worlds() {
		w := mustLoad(t, m.src)
		for _, o := range []stone.Options{{PageChunks: 1}, {PageChunks: 8}, {PageChunks: 64}, {PageChunks: 512}, {PageChunks: 64, Effort: stone.Quick}} {
			var b bytes.Buffer
			if _, _, err := convert.WriteStone(context.Background(), w, &b, o); err != nil {
				t.Fatal(err)
			}
			pages, cells := cellPages(t, b.Bytes())
			got = append(got, fmt.Sprintf("%s %d %d %d %d %d", m.name, o.PageChunks, o.Effort, b.Len(), pages, cells/max(1, pages)))
		}
	}
	if *update {
		if err := os.WriteFile(sizesFile, []byte(strings.Join(got, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	raw, err := os.ReadFile(sizesFile)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSpace(string(raw)), "\n")
	if len(got) != len(want) {
		t.Fatalf("%d lines, want %d", len(got), len(want))
	}
	for i := range got {
		if !near(got[i], want[i]) {
			t.Errorf("got %q, want %q within 2 %%", got[i], want[i])
		}
	}
}

// near compares two lines of the table.
func near(got, want string) bool {
	a, b := strings.Fields(got), strings.Fields(want)
	for i := range a {
		var x, y int
		fmt.Sscan(a[i], &x)
		fmt.Sscan(b[i], &y)
		if i < 3 && a[i] != b[i] || i >= 3 && (x-y)*50 > y || (y-x)*50 > y {
			return false
		}
	}
	return true
}

// cellPages counts the pages of cells and their bytes.
func cellPages(t testing.TB, b []byte) (n, size int) {
	t.Helper()
	pages, err := mustOpen(t, b).Pages()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pages {
		if p.Holds == "cells" {
			n++
			size += p.Size
		}
	}
	return n, size
}

func BenchmarkStone(b *testing.B) {
	for _, m := range worlds() {
		w := mustLoad(b, m.src)
		for _, o := range []stone.Options{{}, {Effort: stone.Quick}} {
			var buf bytes.Buffer
			b.Run(fmt.Sprintf("write/%s/effort%d", m.name, o.Effort), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					buf.Reset()
					if _, _, err := convert.WriteStone(context.Background(), w, &buf, o); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(buf.Len()), "stone-bytes")
			})
			b.Run(fmt.Sprintf("check/%s/effort%d", m.name, o.Effort), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := faultOf(buf.Bytes()); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
