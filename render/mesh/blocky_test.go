package mesh_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/render/mesh"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// unit is one face of one cell.
type unit struct {
	at   geom.Point
	face mesh.Face
}

// look is how a unit is drawn.
type look struct {
	kind mesh.Opacity
	cell voxel.Cell
	ao   [4]uint8
}

// unitsOf takes quads apart.
func unitsOf(t *testing.T, m *mesh.Mesher) map[unit]look {
	t.Helper()
	out := make(map[unit]look)
	opaque, cutOut, transparent := m.Quads()
	for i, quads := range [][]mesh.Quad{opaque, cutOut, transparent} {
		for _, q := range quads {
			w, h := q.Size()
			u, v := q.Face().Axes()
			for j := range h {
				for i2 := range w {
					p := q.At().Add(geom.Point{X: u.X*i2 + v.X*j, Y: u.Y*i2 + v.Y*j, Z: u.Z*i2 + v.Z*j})
					k := unit{p, q.Face()}
					if _, twice := out[k]; twice {
						t.Fatalf("face %d of %v is drawn twice", k.face, k.at)
					}
					out[k] = look{mesh.Opaque + mesh.Opacity(i), q.Cell(), q.AO()}
				}
			}
		}
	}
	return out
}

// cellsOf returns a function of the cells of a level; ok is false where none is known.
func cellsOf(src mesh.BoxReader, level int) func(p geom.Point) (voxel.Cell, bool) {
	return func(p geom.Point) (voxel.Cell, bool) {
		var c [1]voxel.Cell
		ok := src.ReadBox(geom.Box{Min: p, Max: p.Add(geom.Point{X: 1, Y: 1, Z: 1})}, level, c[:])
		return c[0], ok
	}
}

// twin finds the faces one by one.
func twin(src mesh.BoxReader, b geom.Box, level int, table *mesh.Opacities, o mesh.Options) map[unit]look {
	out := make(map[unit]look)
	at := cellsOf(src, level)
	kind := func(p geom.Point) (mesh.Opacity, voxel.Cell) {
		c, ok := at(p)
		if !ok {
			return o.Missing, voxel.MaxCell
		}
		return table.Kind(c), table.Key(c)
	}
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for z := b.Min.Z; z < b.Max.Z; z++ {
			for x := b.Min.X; x < b.Max.X; x++ {
				p := geom.Point{X: x, Y: y, Z: z}
				if _, known := at(p); !known {
					continue
				}
				k, cell := kind(p)
				for f := range mesh.Face(mesh.Faces) {
					n := p.Add(stepOf(f))
					nk, ncell := kind(n)
					if k == mesh.Nothing || nk == mesh.Opaque || k == mesh.Transparent && nk == k && ncell == cell {
						continue
					}
					l := look{k, cell, [4]uint8{3, 3, 3, 3}}
					if !o.Flat {
						l.ao = shade(n, f, func(p geom.Point) bool { k, _ := kind(p); return k == mesh.Opaque })
					}
					out[unit{p.Sub(b.Min), f}] = l
				}
			}
		}
	}
	return out
}

func stepOf(f mesh.Face) geom.Point {
	return []geom.Point{{X: -1}, {X: 1}, {Y: -1}, {Y: 1}, {Z: -1}, {Z: 1}}[f]
}

func shade(before geom.Point, f mesh.Face, opaque func(geom.Point) bool) (ao [4]uint8) {
	u, v := f.Axes()
	for corner := range ao {
		su, sv := u, v
		if corner&1 == 0 {
			su = geom.Point{}.Sub(u)
		}
		if corner&2 == 0 {
			sv = geom.Point{}.Sub(v)
		}
		a, b := opaque(before.Add(su)), opaque(before.Add(sv))
		n := uint8(3)
		for _, is := range []bool{a, b, opaque(before.Add(su).Add(sv))} {
			if is {
				n--
			}
		}
		if a && b {
			n = 0
		}
		ao[corner] = n
	}
	return ao
}

func wantUnits(t *testing.T, got, want map[unit]look) {
	t.Helper()
	for k, l := range want {
		if got[k] != l {
			t.Fatalf("face %d of %v is %v, want %v (of %d and %d)", k.face, k.at, got[k], l, len(got), len(want))
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%d faces, want %d", len(got), len(want))
	}
}

// kindOf gives cells of random volumes every kind.
func kindOf(c voxel.Cell) mesh.Opacity {
	switch {
	case c == 0 || c == 7:
		return mesh.Nothing
	case c%5 == 3:
		return mesh.CutOut
	case c%5 == 4:
		return mesh.Transparent
	}
	return mesh.Opaque
}

// randomVolume returns a volume around the origin: cells by chance, in boxes, some chunks not
// loaded.
func randomVolume(r *rand.Rand, schema voxel.Schema, gone bool) *grid.View {
	d := grid.New(grid.Options{Schema: schema}).Edit()
	valid := func() voxel.Cell {
		switch {
		case r.IntN(3) == 0:
			return 0
		case schema == voxel.Terrain:
			return voxel.TerrainCell(uint8(1+r.IntN(3)), uint8(r.IntN(256)))
		}
		return voxel.Cell(r.IntN(10))
	}
	for range 1 + r.IntN(40) {
		p := geom.Point{X: r.IntN(60) - 20, Y: r.IntN(60) - 20, Z: r.IntN(60) - 20}
		s := geom.Point{X: 1 + r.IntN(20), Y: 1 + r.IntN(20), Z: 1 + r.IntN(20)}
		cells := make([]voxel.Cell, s.X*s.Y*s.Z)
		one, noise := valid(), r.IntN(4)
		for i := range cells {
			cells[i] = one
			if r.IntN(4) < noise {
				cells[i] = valid()
			}
		}
		d.WriteBox(geom.Box{Min: p, Max: p.Add(s)}, cells)
	}
	v, _ := d.Publish()
	if gone {
		for range 3 {
			v = v.With([]grid.Placed{{Pos: geom.ChunkPos{X: int32(r.IntN(3) - 1), Y: int32(r.IntN(3) - 1), Z: int32(r.IntN(3) - 1)}, Chunk: grid.NotLoaded}})
		}
	}
	return v
}

func TestQuads(t *testing.T) {
	for _, schema := range []voxel.Schema{voxel.Palette, voxel.Terrain, voxel.Level} {
		table := mesh.NewOpacities(100, kindOf)
		if schema == voxel.Terrain {
			table = mesh.NewTerrainOpacities(nil)
		}
		for _, o := range []mesh.Options{{}, {Flat: true}, {Missing: mesh.Opaque}} {
			t.Run(fmt.Sprint(schema, o), func(t *testing.T) {
				r := rand.New(rand.NewPCG(1, uint64(schema)))
				m := mesh.NewMesher(table, o)
				for i := range long.By(6, 12, 12) {
					level := r.IntN(3)
					b := geom.ChunkPos{}.Box()
					if i%2 == 1 {
						b.Min = geom.Point{X: r.IntN(20) - 15, Y: r.IntN(20) - 15, Z: r.IntN(20) - 15}
						b.Max = b.Min.Add(geom.Point{X: 1 + r.IntN(40), Y: 1 + r.IntN(40), Z: 1 + r.IntN(40)})
					}
					v := randomVolume(r, schema, i%3 == 2)
					m.Load(v, b, level, [mesh.Faces]mesh.Border{})
					wantUnits(t, unitsOf(t, m), twin(v, b, level, table, o))
				}
			})
		}
	}
}

// TestQuadsOfTerrain checks that quads are few where the land is simple.
func TestQuadsOfTerrain(t *testing.T) {
	v := level(t, 2)
	table := mesh.NewTerrainOpacities(nil)
	m := mesh.NewMesher(table, mesh.Options{})
	b := geom.Box{Max: geom.Point{X: 62, Y: 62, Z: 62}}
	m.Load(v, b, 0, [mesh.Faces]mesh.Border{})
	wantUnits(t, unitsOf(t, m), twin(v, b, 0, table, mesh.Options{}))
	if allocs := testing.AllocsPerRun(3, func() {
		m.Load(v, b, 0, [mesh.Faces]mesh.Border{})
		m.Quads()
	}); allocs != 0 {
		t.Errorf("%v allocations in the steady state", allocs)
	}
}

// level returns made terrain of n towers an edge.
func level(t testing.TB, n int32) *grid.View {
	t.Helper()
	l := terrain.Level{Seed: 1}
	return grid.Build(grid.Options{Schema: voxel.Terrain}, func(yield func(geom.ChunkPos, *voxel.Chunk) bool) {
		for x := range n {
			for z := range n {
				for y, c := range l.Tower(x, z) {
					if !yield(geom.ChunkPos{X: x, Y: int32(y), Z: z}, c) {
						return
					}
				}
			}
		}
	})
}
