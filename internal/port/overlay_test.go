package port_test

import (
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/diff"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/internal/testing/worldtest"
	"github.com/cairnvoxel/cairn/voxel"
)

// mustOpen reads a folder as a world.
func mustOpen(t *testing.T, files fstest.MapFS) (*port.Opened, *convert.Loaded) {
	t.Helper()
	s, w, err := open(t, zipOf(t, files), port.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s, w
}

// mustOverlay puts part over w, and reads the result.
func mustOverlay(t *testing.T, w, part *convert.Loaded, src *port.Opened) *convert.Loaded {
	t.Helper()
	over, err := port.Overlay(w.Content(), part.Content(), src.Regions())
	if err != nil {
		t.Fatal(err)
	}
	out, err := convert.FromContent(t.Context(), over, 0)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestOverlay compares Overlay with copying files and reading the folder anew.
func TestOverlay(t *testing.T) {
	before := folder(t, worldtest.Load(t, terrain.Survival(terrain.Options{Seed: 1, Size: 6, Version: terrain.Modern})))
	after := folder(t, worldtest.Load(t, terrain.Survival(terrain.Options{Seed: 2, Size: 6, Version: terrain.Modern})))
	empty := make([]byte, 8192)
	in := func(folder string) func(string) bool {
		return func(name string) bool { return strings.HasPrefix(name, folder) }
	}
	for _, tt := range []struct {
		name string
		part fstest.MapFS
	}{
		{"all regions", some(after, "", isMCA)},
		{"one region", some(after, "", in("region/r.0.0."))},
		{"blocks alone", some(after, "", in("region/"))},
		{"entities alone", some(after, "", in("entities/"))},
		{"a region without chunks", fstest.MapFS{"region/r.0.0.mca": {Data: empty}}},
		{"a region that was not there", some(after, "DIM-1", in("region/"))},
		{"a region and a file", fstest.MapFS{"region/r.0.0.mca": after["region/r.0.0.mca"], "data/x.dat": {Data: []byte("x")}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if len(tt.part) == 0 {
				t.Fatal("the part has no files")
			}
			src, part := mustOpen(t, tt.part)
			_, got := mustOpen(t, before)
			if len(src.Regions()) == 0 {
				t.Fatal("no region files")
			}
			copied := maps.Clone(before)
			maps.Copy(copied, tt.part)
			_, want := mustOpen(t, copied)
			got = mustOverlay(t, got, part, src)
			if d, err := diff.Worlds(t.Context(), want.Content(), got.Content(), diff.Options{}); err != nil || !d.Same() {
				t.Errorf("%+v, %v", d, err)
			}
		})
	}
}

// TestOverlayVersions lays chunks of one version of the game over entities of
// another.
func TestOverlayVersions(t *testing.T) {
	survival := func(version int32) fstest.MapFS {
		return folder(t, worldtest.Load(t, terrain.Survival(terrain.Options{Seed: 1, Size: 6, Version: version})))
	}
	src, part := mustOpen(t, some(survival(0), "", isMCA))
	_, w := mustOpen(t, survival(terrain.Modern))
	over, err := port.Overlay(w.Content(), part.Content(), src.Regions())
	if err == nil {
		_, err = convert.FromContent(t.Context(), over, 0)
	}
	if err == nil || !strings.Contains(err.Error(), "version") {
		t.Error(err)
	}
}

// TestOverlayElsewhere lays a part over a world that was no folder.
func TestOverlayElsewhere(t *testing.T) {
	_, slime, err := open(t, slimeOf(t, worldtest.Load(t, worldtest.Island(1, terrain.Modern))), port.Options{})
	if err != nil {
		t.Fatal(err)
	}
	files := folder(t, worldtest.Load(t, worldtest.Island(2, terrain.Modern)))
	src, part := mustOpen(t, some(files, "", func(name string) bool { return name == "region/r.0.0.mca" }))
	want := make(map[string]int)
	for i, w := range []*convert.Loaded{slime, part} {
		for _, c := range w.Dimensions[0].Columns {
			if c.Pos.X >= 0 && c.Pos.Z >= 0 == (i == 1) || c.Pos.X < 0 && i == 0 {
				want[c.Pos.String()]++
			}
		}
	}
	slime = mustOverlay(t, slime, part, src)
	if slime.Head.Format != "slime" || len(slime.Dimensions) != 1 {
		t.Errorf("%+v, %d dimensions", slime.Head, len(slime.Dimensions))
	}
	for _, c := range slime.Dimensions[0].Columns {
		want[c.Pos.String()]--
	}
	for pos, n := range want {
		if n != 0 {
			t.Errorf("column %s: %+d", pos, n)
		}
	}
	wantCells(t, slime, part)
}

// wantCells checks that where x and z are not negative w has the blocks of part.
func wantCells(t *testing.T, w, part *convert.Loaded) {
	t.Helper()
	got, want := w.Dimensions[0].Volume(voxel.Block), part.Dimensions[0].Volume(voxel.Block)
	for pos, c := range got.Chunks {
		if pos.X < 0 || pos.Z < 0 {
			continue
		}
		var a, b [voxel.ChunkCells]voxel.Cell
		c.Flat(&a)
		if o := want.Chunks[pos]; o != nil {
			o.Flat(&b)
		}
		for i := range a {
			if got.Names[a[i]] != want.Names[b[i]] {
				t.Fatalf("chunk %v: cell %d: %s, want %s", pos, i, got.Names[a[i]], want.Names[b[i]])
			}
		}
	}
}
