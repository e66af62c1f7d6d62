package clip

import (
	"slices"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// beside are the volumes that Clip.Beside may have.
var beside = []string{"fluid", "fluid_level", "support"}

// levels is one more than the largest cell of a volume without names.
const levels = 16

// addBeside adds a volume that has chunks in the box of the clip.
func (c *Clip) addBeside(name string, view *grid.View, names []string) {
	v := &Contents{Names: slices.Clone(names), View: view, At: c.Block.At, Scale: 1}
	for range view.ChunksIn(c.Box(v)) {
		if c.Beside == nil {
			c.Beside = map[string]*Contents{}
		}
		c.Beside[name] = v
		return
	}
}

// nameBeside adds the volumes to a dimension.
func (c *Clip) nameBeside(d *format.Dimension) {
	for _, name := range beside {
		v := c.Beside[name]
		if v == nil {
			continue
		}
		to := &format.NamedVolume{Volume: voxel.Volume{Name: name, Schema: voxel.Level, Scale: 1}}
		if len(v.Names) > 0 {
			to.Schema, to.Names = voxel.Palette, format.NewNames()
			for _, s := range v.Names {
				if _, err := to.Names.Cell(s); err != nil { // names of a volume, which had room
					panic("clip: a volume of no names: " + err.Error())
				}
			}
		}
		d.Volumes = append(d.Volumes, to)
	}
}

// sendBeside sends the chunks of the volumes. The least corner goes to 0,0,0.
func (c *Clip) sendBeside(d *format.Dimension, to format.Sink) error {
	for _, name := range beside {
		v := c.Beside[name]
		if v == nil {
			continue
		}
		if v.At.InChunk() != (geom.Point{}) {
			moved := c.turnVolume(v, Turn{}, func(name string) string { return name })
			v = &moved
		}
		for pos, chunk := range v.View.ChunksIn(c.Box(v)) {
			at := v.At.Chunk()
			if err := to.Chunk(name, geom.ChunkPos{X: pos.X - at.X, Y: pos.Y - at.Y, Z: pos.Z - at.Z}, chunk); err != nil {
				return err
			}
		}
	}
	return nil
}
