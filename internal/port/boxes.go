package port

import (
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// maxBoxes is how many chunks Boxes keeps.
const maxBoxes = 1 << 14

// Boxes reads boxes of cells of the matter of a View, as package mesh wants them. It keeps the last
// chunks. It is for one goroutine.
type Boxes struct {
	view *View
	base int // the level of the chunks that are read
	kept *grid.View
	have map[geom.ChunkPos]bool
}

// Boxes returns the cells of a view for reads of a level and the levels next to it. It reads the
// far level of that number where the world has it.
func (v *View) Boxes(level int) *Boxes {
	b := &Boxes{view: v}
	if level >= stone.FirstFar && hasLevel(v.whole, v.Dimension, v.matter, level) {
		b.base = level
	}
	b.forget()
	return b
}

func (b *Boxes) forget() {
	o := grid.Options{Schema: b.view.Schema}
	for i, name := range b.view.Names {
		if b.view.Schema == voxel.Palette && i > 0 && (name == airs[1] || name == airs[2]) {
			o.Empty = append(o.Empty, voxel.Cell(i))
		}
	}
	b.kept, b.have = grid.New(o), make(map[geom.ChunkPos]bool)
}

// ReadBox writes the cells of a box, which counts cells of the level. It returns false if a part
// cannot be read; Err of the View says why. Levels below that of Boxes cannot be read.
func (b *Boxes) ReadBox(box geom.Box, level int, dst []voxel.Cell) bool {
	up := level - b.base
	if up < 0 || b.view.err != nil {
		return false
	}
	in := box.Scale(1 << up)
	if b.load(in); len(b.have) > maxBoxes {
		b.forget()
		b.load(in)
	}
	return b.view.err == nil && b.kept.ReadBox(box, up, dst)
}

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
	var got []grid.Placed
	b.view.readAll(b.view.matter, b.base, want, func(pos geom.ChunkPos, c *voxel.Chunk) {
		got = append(got, grid.Placed{Pos: pos, Chunk: c})
	})
	b.kept = b.kept.With(got)
}

// Chunks returns the chunks of a level that may have cells, each once.
func (b *Boxes) Chunks(level int) []geom.ChunkPos {
	seen := make(map[geom.ChunkPos]bool)
	var out []geom.ChunkPos
	for pos, holds := range b.view.whole.Entries(b.view.Dimension, b.view.matter, 0) { // a snapshot lists no other level
		at := geom.ChunkPos{X: pos.X >> level, Y: pos.Y >> level, Z: pos.Z >> level}
		if holds && !seen[at] {
			seen[at] = true
			out = append(out, at)
		}
	}
	return out
}
