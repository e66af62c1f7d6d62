package mesh

import (
	"cmp"
	"context"
	"fmt"
	"image/color"
	"math"
	"slices"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Vertex is a corner of triangles.
type Vertex struct {
	Position [3]float32 // in cells of level 0 from the Min of its piece; exact
	Normal   [3]float32 // of length 1
	Colour   [3]uint8   // sRGB, before shade
	Shade    uint8      // 255 is unshaded
}

// Triangle has three vertices of its piece, counterclockwise seen from outside, and a material of
// the model.
type Triangle struct {
	Vertices [3]uint32
	Material int
}

// Piece is a part of a model, of at most 33 cells of its level an edge.
type Piece struct {
	Min       geom.Point // where positions count from, in cells of level 0
	Vertices  []Vertex
	Triangles []Triangle
}

// begin empties p for the part at min, in cells of a width.
func (p *Piece) begin(min geom.Point, width int) {
	p.Min = geom.Point{X: min.X * width, Y: min.Y * width, Z: min.Z * width}
	p.Vertices, p.Triangles = p.Vertices[:0], p.Triangles[:0]
}

// at returns where a vertex lies in the world. Both parts are multiples of 1/256 of a cell, so
// the sum is exact.
func (p *Piece) at(v *Vertex) [3]float64 {
	return [3]float64{
		float64(p.Min.X) + float64(v.Position[0]), float64(p.Min.Y) + float64(v.Position[1]), float64(p.Min.Z) + float64(v.Position[2]),
	}
}

// Material is how cells of one name look.
type Material struct {
	Name   string
	Colour color.RGBA // sRGB, not premultiplied
	Kind   Opacity
}

// Model is a surface with its materials. Writers read its pieces several times.
type Model struct {
	Materials []Material
	// Min is the least corner of the box that the model is of, in cells of level 0, and Width how
	// wide a cell of its level is.
	Min   geom.Point
	Width int
	// Pieces calls f with each piece, in the same order each time, until f returns an error. f must
	// not keep the piece.
	Pieces func(ctx context.Context, f func(*Piece) error) error
}

// Palette says how the cells of a volume look. Quads carry a key: the cell, or the material of a Terrain cell.
type Palette struct {
	Opacities *Opacities
	Materials []Material // by key
	Shapes    []Shape    // of Terrain materials, by number; missing ones are Round
}

// NewPalette returns the palette of materials by key: cells of a Palette volume, or with terrain
// materials of a Terrain volume.
func NewPalette(materials []Material, terrain bool) *Palette {
	kind := func(i int) Opacity {
		if i < len(materials) {
			return materials[i].Kind
		}
		return Opaque
	}
	if len(materials) == 0 {
		materials = []Material{{Name: "unknown", Colour: color.RGBA{128, 128, 128, 255}, Kind: Opaque}}
	}
	p := &Palette{Materials: materials}
	if terrain {
		p.Opacities = NewTerrainOpacities(func(m uint8) Opacity { return kind(int(m)) })
	} else {
		p.Opacities = NewOpacities(len(materials), func(c voxel.Cell) Opacity { return kind(int(c)) })
	}
	return p
}

// material returns the material of a key. Keys beyond the table look like the last material.
func (p *Palette) material(key voxel.Cell) (int, *Material) {
	i := min(int(key), len(p.Materials)-1)
	return i, &p.Materials[i]
}

// within is a source whose cells outside of a box are Empty.
type within struct {
	src BoxReader
	box geom.Box // at level
	lvl int
}

func (w within) ReadBox(b geom.Box, level int, dst []voxel.Cell) bool {
	box := w.box
	if level > w.lvl {
		box = box.Over(1 << (level - w.lvl))
	}
	in := b.Intersect(box)
	if in == b {
		return w.src.ReadBox(b, level, dst)
	}
	clear(dst[:b.Cells()])
	if in.Empty() {
		return true
	}
	cells := make([]voxel.Cell, in.Cells())
	if !w.src.ReadBox(in, level, cells) {
		return false
	}
	s, t := b.Size(), in.Size()
	for y := range t.Y {
		for z := range t.Z {
			o := ((in.Min.Y-b.Min.Y+y)*s.Z+in.Min.Z-b.Min.Z+z)*s.X + in.Min.X - b.Min.X
			copy(dst[o:o+t.X], cells[(y*t.Z+z)*t.X:])
		}
	}
	return true
}

// chunks calls f with the boxes of at most 32 cells an edge that b consists of, by z, x and y. Of a
// source with Chunks these are those of its chunks, and with below the chunks next to them towards the
// least corner.
func chunks(src BoxReader, b geom.Box, level int, below bool, f func(geom.Box) error) error {
	const edge = geom.ChunkEdge
	if s, ok := src.(interface {
		Chunks(level int) []geom.ChunkPos
	}); ok {
		return sparse(s.Chunks(level), b, below, f)
	}
	for z := b.Min.Z; z < b.Max.Z; z = (geom.FloorDiv(z, edge) + 1) * edge {
		for x := b.Min.X; x < b.Max.X; x = (geom.FloorDiv(x, edge) + 1) * edge {
			for y := b.Min.Y; y < b.Max.Y; y = (geom.FloorDiv(y, edge) + 1) * edge {
				p := geom.Point{X: x, Y: y, Z: z}
				if err := f(p.Chunk().Box().Intersect(b)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// sparse is chunks for a source that lists its chunks.
func sparse(all []geom.ChunkPos, b geom.Box, below bool, f func(geom.Box) error) error {
	var in []geom.ChunkPos
	for _, pos := range all {
		for i := range int32(8) {
			if p := (geom.ChunkPos{X: pos.X - i&1, Y: pos.Y - i>>1&1, Z: pos.Z - i>>2}); (i == 0 || below) && !p.Box().Intersect(b).Empty() {
				in = append(in, p)
			}
		}
	}
	slices.SortFunc(in, func(p, q geom.ChunkPos) int {
		return cmp.Or(cmp.Compare(p.Z, q.Z), cmp.Compare(p.X, q.X), cmp.Compare(p.Y, q.Y))
	})
	for _, pos := range slices.Compact(in) {
		if err := f(pos.Box().Intersect(b)); err != nil {
			return err
		}
	}
	return nil
}

// Blocky returns the blocky model of a box, which counts cells of the level. What lies outside of
// the box counts as empty, so the model is closed. The source must stay as it is.
func Blocky(src BoxReader, b geom.Box, level int, p *Palette, o Options) *Model {
	return newModel(b, level, p, func(ctx context.Context, f func(*Piece) error) error {
		m := NewMesher(p.Opacities, o)
		var piece Piece
		return chunks(src, b, level, false, func(part geom.Box) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			m.Load(within{src, b, level}, part, level, [Faces]Border{})
			piece.begin(part.Min, 1<<level)
			opaque, cutOut, transparent := m.Quads()
			for _, quads := range [][]Quad{opaque, cutOut, transparent} {
				for _, q := range quads {
					piece.quad(q, 1<<level, p)
				}
			}
			if len(piece.Triangles) == 0 {
				return nil
			}
			return f(&piece)
		})
	})
}

// newModel returns the model of a box that counts cells of a level.
func newModel(b geom.Box, level int, p *Palette, pieces func(context.Context, func(*Piece) error) error) *Model {
	return &Model{p.Materials, geom.Point{X: b.Min.X << level, Y: b.Min.Y << level, Z: b.Min.Z << level}, 1 << level, pieces}
}

// shades are what corners of each ambient occlusion keep of the light, of 255.
var shades = [4]uint8{110, 165, 210, 255}

// quad adds a quad of the piece's box.
func (p *Piece) quad(q Quad, scale int, palette *Palette) {
	first := uint32(len(p.Vertices))
	i, m := palette.material(q.Cell())
	step := q.Face().step()
	ao := q.AO()
	for j, c := range q.Corners() {
		p.Vertices = append(p.Vertices, Vertex{
			Position: [3]float32{float32(c.X * scale), float32(c.Y * scale), float32(c.Z * scale)},
			Normal:   [3]float32{float32(step.X), float32(step.Y), float32(step.Z)},
			Colour:   [3]uint8{m.Colour.R, m.Colour.G, m.Colour.B},
			Shade:    shades[ao[j]],
		})
	}
	t := q.Triangles()
	for j := 0; j < 6; j += 3 {
		p.Triangles = append(p.Triangles, Triangle{[3]uint32{first + uint32(t[j]), first + uint32(t[j+1]), first + uint32(t[j+2])}, i})
	}
}

// Stats counts what a model has.
type Stats struct {
	Vertices, Triangles int64
	Used                []bool // by material, whether a face has it; of WriteOBJ
}

// maxVertices is how many an index of 32 bits can name, less the one that glTF reserves.
const maxVertices = math.MaxUint32

// count reads all pieces. of is the number of triangles by material, and narrow says that 32 bits
// hold all positions exactly.
func (m *Model) count(ctx context.Context) (s Stats, of []int64, narrow bool, err error) {
	of, narrow = make([]int64, len(m.Materials)), true
	err = m.Pieces(ctx, func(p *Piece) error {
		s.Vertices += int64(len(p.Vertices))
		s.Triangles += int64(len(p.Triangles))
		if s.Vertices > maxVertices {
			return fmt.Errorf("mesh: more than %d vertices", int64(maxVertices))
		}
		for i := range p.Triangles {
			of[p.Triangles[i].Material]++
		}
		for i := range p.Vertices {
			for _, c := range p.at(&p.Vertices[i]) {
				narrow = narrow && float64(float32(c)) == c
			}
		}
		return nil
	})
	return s, of, narrow, err
}

// shaded returns the colour of a vertex with its shade.
func (v *Vertex) shaded() (c [3]uint8) {
	for i := range c {
		c[i] = uint8(int(v.Colour[i]) * int(v.Shade) / 255)
	}
	return c
}
