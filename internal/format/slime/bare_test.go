package slime_test

import (
	"io"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/slime"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// A column that is no more than the time of a chunk has no version; it must not
// settle the file's, whether it comes first or later.
func TestBareColumnsSettleNoVersion(t *testing.T) {
	d := format.BlockDimension("overworld", "")
	stone, err := d.Volume(voxel.Block).Names.Cell("minecraft:stone")
	if err != nil {
		t.Fatal(err)
	}
	bare := &format.Column{Column: voxel.Column{Parts: []voxel.Part{{Name: voxel.PartChunk, Stamp: 7}}}}
	full := &format.Column{
		Column: voxel.Column{Pos: geom.ColumnPos{X: 1}, Version: 1976, Sections: []voxel.Section{{Y: 3, Has: voxel.HasBlock}}},
		Cells:  []format.Cells{{Block: []voxel.Cell{stone}}},
	}
	for name, columns := range map[string][]*format.Column{"first": {bare, full}, "last": {full, bare}} {
		w, err := slime.Create(io.Discard, slime.ContainerOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Dimension(d); err != nil {
			t.Fatal(err)
		}
		for _, c := range columns {
			if err := w.Column(c); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if err := w.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if n := w.Lost()["columns without blocks"]; n != 1 {
			t.Errorf("%s: %d columns without blocks are counted, want 1", name, n)
		}
	}
}
