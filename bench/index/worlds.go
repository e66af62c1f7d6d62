package index

import (
	"context"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/savings"
	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/voxel"
)

// worldsScene returns the entities and block entities of the worlds below some folders as one scene. Dimensions stand
// side by side along x. A block entity is as large as a chest, an entity as a player.
func worldsScene(ctx context.Context, dirs []string, seed uint64) (*scene, []savings.SkippedWorld, error) {
	s := &scene{name: worlds}
	east := 0.0
	skipped, err := lab.EachWorld(ctx, dirs, func(w *convert.Loaded) {
		for _, d := range w.Dimensions {
			s.boxes = append(s.boxes, dimension(d, east)...)
			for _, b := range s.boxes {
				east = max(east, b.Max.X+64)
			}
		}
	})
	if err != nil || len(s.boxes) == 0 {
		return nil, skipped, err
	}
	m := newMaker(seed, 1, 1, 1)
	m.about, m.edge = s.boxes, 2048
	s.steps = m.walk(s.boxes, 3)
	s.churn = m.Perm(len(s.boxes))[:len(s.boxes)/4]
	s.classes = m.queries(s)
	return s, skipped, nil
}

// dimension returns the boxes of a dimension, moved so that they begin at an x.
func dimension(d *convert.LoadedDimension, from float64) (out []octree.Box) {
	for _, c := range d.Columns {
		for _, l := range c.Lists {
			for _, o := range l.Objects {
				x, y, z := float64(o.At.X), float64(o.At.Y), float64(o.At.Z)
				switch {
				case o.Place == voxel.Nowhere:
				case l.Name == voxel.BlockEntities:
					out = append(out, octree.Box{Min: octree.Vec{X: x + 0.0625, Y: y, Z: z + 0.0625}, Max: octree.Vec{X: x + 0.9375, Y: y + 0.875, Z: z + 0.9375}})
				case l.Name == voxel.Entities:
					out = append(out, octree.Box{Min: octree.Vec{X: x + 0.2, Y: y, Z: z + 0.2}, Max: octree.Vec{X: x + 0.8, Y: y + 1.8, Z: z + 0.8}})
				}
			}
		}
	}
	if len(out) == 0 {
		return nil
	}
	least := out[0].Min.X
	for _, b := range out {
		least = min(least, b.Min.X)
	}
	for i := range out {
		out[i].Min.X += from - least
		out[i].Max.X += from - least
	}
	return out
}
