package mesh_test

import (
	"testing"

	"github.com/cairnvoxel/cairn/render/mesh"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// surfaces returns the boxes of an edge of a land that have a surface.
func surfaces(v *grid.View, edge, wide int) (out []geom.Box) {
	cells := make([]voxel.Cell, edge*edge*edge)
	for y := 0; y < 160; y += edge {
		for z := 0; z+edge <= wide; z += edge {
			for x := 0; x+edge <= wide; x += edge {
				b := geom.Box{Min: geom.Point{X: x, Y: y, Z: z}, Max: geom.Point{X: x + edge, Y: y + edge, Z: z + edge}}
				v.ReadBox(b, 0, cells)
				empty := 0
				for _, c := range cells {
					if c == 0 {
						empty++
					}
				}
				if empty > 0 && empty < len(cells) {
					out = append(out, b)
				}
			}
		}
	}
	return out
}

func BenchmarkBlocky(b *testing.B) {
	v := level(b, 8)
	boxes := surfaces(v, mesh.MaxEdge, 256)
	for _, o := range []mesh.Options{{Flat: true}, {}} {
		name := "shaded"
		if o.Flat {
			name = "flat"
		}
		m := mesh.NewMesher(mesh.NewTerrainOpacities(nil), o)
		b.Run(name+"/load", func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				m.Load(v, boxes[i%len(boxes)], 0, [mesh.Faces]mesh.Border{})
			}
		})
		b.Run(name+"/quads", func(b *testing.B) {
			ms := make([]*mesh.Mesher, len(boxes))
			for i, box := range boxes {
				ms[i] = mesh.NewMesher(mesh.NewTerrainOpacities(nil), o)
				ms[i].Load(v, box, 0, [mesh.Faces]mesh.Border{})
			}
			for i := 0; b.Loop(); i++ {
				ms[i%len(ms)].Quads()
			}
		})
	}
}

func BenchmarkSmooth(b *testing.B) {
	v := level(b, 8)
	boxes := surfaces(v, geom.ChunkEdge, 256)
	n := mesh.NewNetter(nil, mesh.Options{})
	b.Run("load", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			n.Load(v, boxes[i%len(boxes)], 0, mesh.Around{})
		}
	})
	b.Run("surface", func(b *testing.B) {
		ns := make([]*mesh.Netter, len(boxes))
		for i, box := range boxes {
			ns[i] = mesh.NewNetter(nil, mesh.Options{})
			ns[i].Load(v, box, 0, mesh.Around{})
		}
		for i := 0; b.Loop(); i++ {
			ns[i%len(ns)].Surface()
		}
	})
}
