package light_test

import (
	"testing"

	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/voxel"
)

// A chunk has light where all sections with blocks of its columns have it.
func TestKnown(t *testing.T) {
	const both = voxel.HasSky | voxel.HasLight
	column := func(stale voxel.Has, has ...voxel.Has) *voxel.Column {
		c := &voxel.Column{Stale: stale}
		for y, h := range has {
			c.Sections = append(c.Sections, voxel.Section{Y: int8(y), Has: h})
		}
		return c
	}
	full := column(0, both|voxel.HasBlock, both|voxel.HasBlock)
	for _, tt := range []struct {
		name string
		one  *voxel.Column
		y    int32
		want voxel.Has
	}{
		{"all", full, 0, both},
		{"no column", nil, 0, both},
		{"no sections", column(0), 0, both},
		{"stale", column(voxel.HasSky, both, both), 0, voxel.HasLight},
		{"one kind", column(0, both, voxel.HasSky|voxel.HasBlock), 0, voxel.HasSky},
		{"blocks alone at the top", column(0, both, voxel.HasBlock), 0, 0},
		{"nothing at the top", column(0, both), 0, both},
		{"blocks alone below", column(0, voxel.HasBlock, both), 0, 0},
		{"nothing below", column(0, 0, both), 0, both},
		{"blocks alone in another chunk", column(0, both, both, voxel.HasBlock), 0, both},
		{"blocks alone in this chunk", column(0, both, both, voxel.HasBlock), 1, 0},
	} {
		if got := light.Known(tt.y, [4]*voxel.Column{full, full, tt.one, full}); got != tt.want {
			t.Errorf("%s: got %b, want %b", tt.name, got, tt.want)
		}
	}
	if got := light.Known(0, [4]*voxel.Column{}); got != 0 {
		t.Errorf("no columns: got %b", got)
	}
}
