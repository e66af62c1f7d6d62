package mesh

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// WritePLY writes a model as a binary PLY file: vertices with normals and shaded colours, and faces
// with the number of their material. Comments of the header name the materials. Positions are those
// in the world: of 32 bits where these are exact for all, else of 64.
func WritePLY(ctx context.Context, w io.Writer, m *Model) (Stats, error) {
	stats, of, narrow, err := m.count(ctx)
	if err != nil {
		return stats, err
	}
	out := bufio.NewWriter(w)
	fmt.Fprint(out, "ply\nformat binary_little_endian 1.0\n")
	for i, mat := range m.Materials {
		if of[i] > 0 {
			fmt.Fprintf(out, "comment material %d %s\n", i, plain(mat.Name))
		}
	}
	fmt.Fprintf(out, "element vertex %d\n", stats.Vertices)
	position := "double"
	if narrow {
		position = "float"
	}
	fmt.Fprintf(out, "property %[1]s x\nproperty %[1]s y\nproperty %[1]s z\n", position)
	for _, p := range []string{"nx", "ny", "nz"} {
		fmt.Fprintf(out, "property float %s\n", p)
	}
	for _, p := range []string{"red", "green", "blue"} {
		fmt.Fprintf(out, "property uchar %s\n", p)
	}
	fmt.Fprintf(out, "element face %d\nproperty list uchar uint vertex_indices\nproperty ushort material\nend_header\n", stats.Triangles)
	var room []byte
	err = m.Pieces(ctx, func(p *Piece) error {
		for i := range p.Vertices {
			v := &p.Vertices[i]
			room = room[:0]
			for _, c := range p.at(v) {
				if narrow {
					room = appendFloats(room, float32(c))
				} else {
					room = binary.LittleEndian.AppendUint64(room, math.Float64bits(c))
				}
			}
			room = appendFloats(room, v.Normal[:]...)
			c := v.shaded()
			if _, err := out.Write(append(room, c[:]...)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return stats, err
	}
	first := uint32(0)
	err = m.Pieces(ctx, func(p *Piece) error {
		for i := range p.Triangles {
			room = append(room[:0], 3)
			for _, v := range p.Triangles[i].Vertices {
				room = binary.LittleEndian.AppendUint32(room, first+v)
			}
			if _, err := out.Write(binary.LittleEndian.AppendUint16(room, uint16(p.Triangles[i].Material))); err != nil {
				return err
			}
		}
		first += uint32(len(p.Vertices))
		return nil
	})
	if err != nil {
		return stats, err
	}
	return stats, out.Flush()
}

func appendFloats(b []byte, f ...float32) []byte {
	for _, v := range f {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// plain returns a name without control characters and spaces, for formats of lines.
func plain(name string) string {
	b := []byte(name)
	for i, c := range b {
		if c <= ' ' || c == 0x7F {
			b[i] = '_'
		}
	}
	if len(b) == 0 {
		return "_"
	}
	return string(b)
}
