package mesh

import (
	"context"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Smooth returns the smooth model of a box of Terrain cells, which counts cells of the level. What
// lies outside of the box counts as empty, so the model is closed. The source must stay as it is.
func Smooth(src BoxReader, b geom.Box, level int, p *Palette, o Options) *Model {
	return newModel(b, level, p, func(ctx context.Context, f func(*Piece) error) error {
		n := NewNetter(p.Shapes, o)
		var piece Piece
		all := b
		all.Min = all.Min.Sub(geom.Point{X: 1, Y: 1, Z: 1}) // a cell has the surface between it and the next
		return chunks(src, all, level, true, func(part geom.Box) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			n.Load(within{src, b, level}, part, level, Around{})
			piece.begin(part.Min, 1<<level)
			vertices, indices := n.Surface()
			piece.net(vertices, indices, float32(int(1)<<level), p)
			if len(piece.Triangles) == 0 {
				return nil
			}
			return f(&piece)
		})
	})
}

// net adds a smooth surface of the piece's box.
func (p *Piece) net(vertices []NetVertex, indices []uint32, scale float32, palette *Palette) {
	for _, v := range vertices {
		_, m := palette.material(voxel.Cell(v.Material))
		for a := range 3 {
			v.Position[a] *= scale
		}
		p.Vertices = append(p.Vertices, Vertex{v.Position, v.Normal, [3]uint8{m.Colour.R, m.Colour.G, m.Colour.B}, 255})
	}
	for i := 0; i+6 <= len(indices); i += 6 {
		a, b, c, d := indices[i], indices[i+1], indices[i+4], indices[i+5]
		if indices[i+2] == c { // split from a to c
			p.quadOf(vertices, a, b, c, d, palette)
		} else {
			p.quadOf(vertices, b, c, d, a, palette)
		}
	}
}

// quadOf adds the quad a, b, c, d, split from a to c unless a triangle would have no area.
func (p *Piece) quadOf(vertices []NetVertex, a, b, c, d uint32, palette *Palette) {
	pos := func(i uint32) [3]float32 { return vertices[i].Position }
	if none := ([3]float32{}); cross(pos(a), pos(b), pos(c)) == none || cross(pos(a), pos(c), pos(d)) == none {
		a, b, c, d = b, c, d, a
	}
	p.triangle(vertices, a, b, c, palette)
	p.triangle(vertices, a, c, d, palette)
}

// triangle adds a triangle with the material that most of its vertices have, or else the first.
// Vertices that are not Round get the normal of the triangle.
func (p *Piece) triangle(vertices []NetVertex, a, b, c uint32, palette *Palette) {
	t := [3]uint32{a, b, c}
	m := vertices[a].Material
	if vertices[b].Material == vertices[c].Material {
		m = vertices[b].Material
	}
	flat := unit(cross(vertices[a].Position, vertices[b].Position, vertices[c].Position))
	for k, i := range t {
		if vertices[i].Shape != Round {
			v := p.Vertices[i]
			v.Normal = flat
			t[k] = uint32(len(p.Vertices))
			p.Vertices = append(p.Vertices, v)
		}
	}
	i, _ := palette.material(voxel.Cell(m))
	p.Triangles = append(p.Triangles, Triangle{t, i})
}
