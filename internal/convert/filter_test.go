package convert_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/diff"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// loadArena returns a small world, reduced by f on its way unless f is nil.
func loadArena(t *testing.T, f *convert.Filter) *convert.Loaded {
	t.Helper()
	src := terrain.Arena(terrain.Options{Size: 4, Version: terrain.Modern})
	return reduce(t, src, f)
}

func reduce(t *testing.T, src format.Source, f *convert.Filter) *convert.Loaded {
	t.Helper()
	l := convert.NewLoader(src.Head())
	sink := format.Sink(l)
	if f != nil {
		f.Sink = l
		sink = f
	}
	if err := src.Read(context.Background(), sink); err != nil {
		t.Fatal(err)
	}
	return l.World()
}

func mustDiff(t *testing.T, a, b *convert.Loaded) *diff.Difference {
	t.Helper()
	d, err := diff.Worlds(t.Context(), a.Content(), b.Content(), diff.Options{Exact: true})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestFilterKeepsAllByDefault(t *testing.T) {
	if d := mustDiff(t, loadArena(t, nil), loadArena(t, &convert.Filter{})); !d.Same() {
		t.Errorf("a filter of nothing changes %+v", d)
	}
}

func TestFilterNoLight(t *testing.T) {
	whole := loadArena(t, nil)
	dark := reduce(t, whole.Source(), &convert.Filter{NoLight: true})
	for _, v := range dark.Dimensions[0].Volumes {
		if v.Volume.Name == voxel.Sky || v.Volume.Name == voxel.Light {
			t.Errorf("there is volume %s", v.Volume.Name)
		}
	}
	for _, c := range dark.Dimensions[0].Columns {
		for _, s := range c.Sections {
			if s.Has&(voxel.HasSky|voxel.HasLight) != 0 {
				t.Fatalf("column %v: section %d says it has light", c.Pos, s.Y)
			}
		}
	}
	d := mustDiff(t, whole, dark)
	if d.Volumes[voxel.Block]+d.Volumes[voxel.Biome]+d.Objects+d.Files != 0 || d.Volumes[voxel.Sky] == 0 {
		t.Errorf("without light differs in %+v", d)
	}
	if d := mustDiff(t, whole, loadArena(t, nil)); !d.Same() {
		t.Errorf("what the filter was given has changed: %+v", d)
	}
}

func TestFilterHold(t *testing.T) {
	var asked []string
	west := &convert.Filter{
		Hold: func(d *format.Dimension) func(*format.Column) bool {
			asked = append(asked, d.Name)
			return func(c *format.Column) bool {
				c.Lists = nil
				return c.Pos.X < 0
			}
		},
		Keep: func(path string) bool { return strings.HasSuffix(path, ".txt") },
	}
	whole := loadArena(t, nil)
	w := reduce(t, whole.Source(), west)
	if fmt.Sprint(asked) != "[overworld]" || len(w.Files) != 0 || len(w.Dimensions[0].Columns) != 8 {
		t.Fatalf("asked for %v, %d files, %d columns", asked, len(w.Files), len(w.Dimensions[0].Columns))
	}
	for _, c := range w.Dimensions[0].Columns {
		if c.Pos.X >= 0 || len(c.Lists) > 0 {
			t.Errorf("column %v with %d lists is there", c.Pos, len(c.Lists))
		}
	}
	if d := mustDiff(t, whole, loadArena(t, nil)); !d.Same() {
		t.Errorf("what the filter was given has changed: %+v", d)
	}
}

func TestFilterChunks(t *testing.T) {
	src := (&convert.Loaded{Dimensions: []*convert.LoadedDimension{{Name: "d", Volumes: []*convert.LoadedVolume{
		{Volume: voxel.Volume{Name: "solid", Schema: voxel.Terrain, Scale: 1}, Chunks: one(voxel.TerrainCell(1, 9))},
		{Volume: voxel.Volume{Name: voxel.Light, Schema: voxel.Level, Scale: 1}, Chunks: one(7)},
	}}}}).Source()
	w := reduce(t, src, &convert.Filter{NoLight: true})
	if v := w.Dimensions[0].Volumes; len(v) != 1 || v[0].Count() != voxel.ChunkCells {
		t.Errorf("volumes without light are %+v", v)
	}
}

func one(c voxel.Cell) map[geom.ChunkPos]*voxel.Chunk {
	return map[geom.ChunkPos]*voxel.Chunk{{}: voxel.Uniform(c)}
}
