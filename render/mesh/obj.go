package mesh

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// WriteOBJ writes a model as an OBJ file with normals. Positions are those in the world, in full.
// library is the name of the file that WriteMTL writes, see Library.
func WriteOBJ(ctx context.Context, w io.Writer, m *Model, library string) (Stats, error) {
	var s Stats
	out := bufio.NewWriter(w)
	names := m.names()
	s.Used = make([]bool, len(names))
	fmt.Fprintf(out, "mtllib %s\n", Library(library))
	var room []byte
	var sorted []Triangle
	err := m.Pieces(ctx, func(p *Piece) error {
		for i := range p.Vertices {
			room = append(room[:0], 'v')
			for _, c := range p.at(&p.Vertices[i]) {
				room = strconv.AppendFloat(append(room, ' '), c, 'f', -1, 64)
			}
			room = append(room, "\nvn"...)
			for _, c := range p.Vertices[i].Normal {
				room = strconv.AppendFloat(append(room, ' '), float64(c), 'g', -1, 32)
			}
			out.Write(append(room, '\n'))
		}
		sorted = append(sorted[:0], p.Triangles...)
		slices.SortStableFunc(sorted, func(a, b Triangle) int { return cmp.Compare(a.Material, b.Material) })
		for i, t := range sorted {
			if i == 0 || t.Material != sorted[i-1].Material {
				s.Used[t.Material] = true
				fmt.Fprintf(out, "usemtl %s\n", names[t.Material])
			}
			room = append(room[:0], 'f')
			for _, v := range t.Vertices {
				n := s.Vertices + int64(v) + 1
				room = strconv.AppendInt(append(room, ' '), n, 10)
				room = strconv.AppendInt(append(room, '/', '/'), n, 10)
			}
			out.Write(append(room, '\n'))
		}
		s.Vertices += int64(len(p.Vertices))
		s.Triangles += int64(len(p.Triangles))
		_, err := out.Write(nil) // the first error of the writer
		return err
	})
	if err != nil {
		return s, err
	}
	return s, out.Flush()
}

// Library returns the name of the file of materials beside an OBJ file: such names have no spaces.
func Library(name string) string { return plain(name) }

// WriteMTL writes the materials of a model that faces of its OBJ file have, as WriteOBJ counted.
func WriteMTL(w io.Writer, m *Model, s Stats) error {
	out := bufio.NewWriter(w)
	names := m.names()
	for i, used := range s.Used {
		if !used {
			continue
		}
		c := m.Materials[i].Colour
		fmt.Fprintf(out, "newmtl %s\nKd %.4f %.4f %.4f\nd %.4f\n", names[i], float64(c.R)/255, float64(c.G)/255, float64(c.B)/255, float64(c.A)/255)
	}
	return out.Flush()
}

// names returns a name of one word for each material, all different.
func (m *Model) names() []string {
	var out []string
	have := make(map[string]bool)
	for i, mat := range m.Materials {
		name := plain(mat.Name)
		for have[name] {
			name += "-" + strconv.Itoa(i)
		}
		have[name] = true
		out = append(out, name)
	}
	return out
}
