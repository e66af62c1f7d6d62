package scene

import (
	"slices"

	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// maxBoxes is how many chunks Boxes keeps.
const maxBoxes = 1 << 14

// Boxes reads boxes of cells of the matter of a Scene, as package mesh wants them. It keeps the last
// chunks. It is for one goroutine.
type Boxes struct {
	scene *Scene
	base  int // the level of the chunks that are read
	kept  *grid.View
	have  map[geom.ChunkPos]bool
	err   error
}

// Boxes returns the cells of a scene for reads of a level and the levels next to it. It reads the
// far level of that number where the world has it.
func (s *Scene) Boxes(level int) *Boxes {
	b := &Boxes{scene: s}
	if s.Level(s.matter, level) == level {
		b.base = level
	}
	b.forget()
	return b
}

func (b *Boxes) forget() {
	o := grid.Options{Schema: b.scene.volumes[b.scene.matter].Schema}
	for i, name := range b.scene.Names() {
		if o.Schema == voxel.Palette && i > 0 && inspect.IsAir(name) {
			o.Empty = append(o.Empty, voxel.Cell(i))
		}
	}
	b.kept, b.have = grid.New(o), make(map[geom.ChunkPos]bool)
}

// ReadBox writes the cells of a box, which counts cells of the level. It returns false if a part
// cannot be read; Err says why. Levels below that of Boxes cannot be read.
func (b *Boxes) ReadBox(box geom.Box, level int, dst []voxel.Cell) bool {
	up := level - b.base
	if up < 0 || b.err != nil {
		return false
	}
	in := box.Scale(1 << up)
	if b.load(in); len(b.have) > maxBoxes {
		b.forget()
		b.load(in)
	}
	return b.err == nil && b.kept.ReadBox(box, up, dst)
}

// Err returns the first error of reading.
func (b *Boxes) Err() error { return b.err }

// load reads the chunks that a box touches and that are not kept.
func (b *Boxes) load(box geom.Box) {
	if box.Empty() {
		return
	}
	var want []geom.ChunkPos
	lo, hi := box.Min.Chunk(), box.Max.Sub(geom.Point{X: 1, Y: 1, Z: 1}).Chunk()
	for y := lo.Y; y <= hi.Y; y++ {
		for z := lo.Z; z <= hi.Z; z++ {
			for x := lo.X; x <= hi.X; x++ {
				if pos := (geom.ChunkPos{X: x, Y: y, Z: z}); !b.have[pos] {
					b.have[pos] = true
					if (geom.ChunkPos{X: x << b.base, Y: y << b.base, Z: z << b.base}).Check() == nil {
						want = append(want, pos)
					}
				}
			}
		}
	}
	if len(want) == 0 {
		return
	}
	var got []grid.Placed
	slices.SortFunc(want, func(p, q geom.ChunkPos) int { return geom.CodeOf(p, b.base).Compare(geom.CodeOf(q, b.base)) })
	b.err = b.scene.Read(b.scene.matter, b.base, want, func(pos geom.ChunkPos, c *voxel.Chunk) {
		got = append(got, grid.Placed{Pos: pos, Chunk: c})
	})
	b.kept = b.kept.With(got)
}

// Chunks returns the chunks of a level that may have cells, each once.
func (b *Boxes) Chunks(level int) []geom.ChunkPos {
	seen := make(map[geom.ChunkPos]bool)
	var out []geom.ChunkPos
	for pos, holds := range b.scene.c.Entries(b.scene.Dimension, b.scene.matter, 0) { // a snapshot lists no other level
		at := geom.ChunkPos{X: pos.X >> level, Y: pos.Y >> level, Z: pos.Z >> level}
		if holds && !seen[at] {
			seen[at] = true
			out = append(out, at)
		}
	}
	return out
}
