package brush

import (
	"slices"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// kernel returns how much matter cell i gets. The result is cut to 0..Whole.
type kernel func(a *around, i int) int

// pass applies a kernel to all cells of the shape. The kernel reads the cells from
// before the pass: new chunks are written after all are computed.
func (s Shape) pass(v *world.VolumeTx, k kernel) {
	var positions []geom.ChunkPos
	var chunks []*voxel.Chunk
	a := &around{rule: v.Rule()}
	cells := make([]voxel.Cell, voxel.ChunkCells)
	r := s.region()
	for pos := range region.Chunks(r) {
		b := pos.Box().Intersect(r.Bounds())
		if !a.read(v, b) {
			return
		}
		if a.even() {
			continue
		}
		inside := cells[:b.Cells()]
		v.ReadBox(b, inside)
		if eachCell(r, b, inside, func(p geom.Point, c voxel.Cell) voxel.Cell { return a.become(p, c, k) }) {
			positions = append(positions, pos)
			chunks = append(chunks, edited(v, pos, b, inside))
		}
	}
	for i, pos := range positions {
		v.SetChunk(pos, chunks[i])
	}
}

// edited returns the chunk at pos with these cells in the box b.
func edited(v *world.VolumeTx, pos geom.ChunkPos, b geom.Box, cells []voxel.Cell) *voxel.Chunk {
	c, _ := v.Chunk(pos)
	if c == nil {
		c = voxel.Uniform(v.Volume.Default)
	}
	d := c.Edit()
	corner := b.Min.InChunk()
	d.WriteBox(geom.Box{Min: corner, Max: corner.Add(b.Size())}, cells)
	return d.Publish(new(voxel.ChunkBuilder))
}

// around is a box within one chunk and the cells next to it, in the order of
// ReadBox.
type around struct {
	rule       *voxel.Rule
	box        geom.Box
	wide, high int // distance of neighbouring cells in z and in y
	cells      []voxel.Cell
	full       []int16 // how much matter each cell holds
	sums       []int32 // of each cell and the 26 around it; computed on first use
	tmp        []int32
}

// read reads the cells of b and those next to it.
func (a *around) read(v *world.VolumeTx, b geom.Box) bool {
	a.box = grown(b)
	size := a.box.Size()
	a.wide, a.high = size.X, size.X*size.Z
	a.cells = slices.Grow(a.cells[:0], a.box.Cells())[:a.box.Cells()]
	if !v.ReadBox(a.box, a.cells) {
		return false
	}
	a.full, a.sums = a.full[:0], a.sums[:0]
	for _, c := range a.cells {
		a.full = append(a.full, int16(fullness(a.rule, c)))
	}
	return true
}

// even reports whether all cells are empty or all are full. There is no surface
// then.
func (a *around) even() bool {
	for _, n := range a.full {
		if n != a.full[0] {
			return false
		}
	}
	return a.full[0] == 0 || a.full[0] == Whole
}

// become returns the result of the kernel for the cell c at p.
func (a *around) become(p geom.Point, c voxel.Cell, k kernel) voxel.Cell {
	d := p.Sub(a.box.Min)
	i := d.Y*a.high + d.Z*a.wide + d.X
	n := min(max(k(a, i), 0), Whole)
	switch had := int(a.full[i]); {
	case n == had, had == 0 && a.rule.Schema != voxel.Terrain && n < Whole/2:
		return c
	case had == 0:
		return filled(a.rule, a.common(i), n)
	}
	return filled(a.rule, c, n)
}

// next returns the least and the greatest fullness of the six cells next to cell i.
func (a *around) next(i int) (least, most int) {
	f := a.full
	six := [...]int16{f[i-1], f[i+1], f[i-a.wide], f[i+a.wide], f[i-a.high], f[i+a.high]}
	return int(slices.Min(six[:])), int(slices.Max(six[:]))
}

// sum returns the fullness of cell i and the 26 around it together. It is undefined
// for cells at the edge of the box.
func (a *around) sum(i int) int {
	if len(a.sums) == 0 {
		n := len(a.full)
		a.sums, a.tmp = slices.Grow(a.sums, n)[:n], slices.Grow(a.tmp[:0], n)[:n]
		for j, v := range a.full {
			a.tmp[j] = int32(v)
		}
		addNext(a.sums, a.tmp, 1)
		addNext(a.tmp, a.sums, a.wide)
		addNext(a.sums, a.tmp, a.high)
	}
	return int(a.sums[i])
}

// addNext adds to each number of src those one step before and after it, and writes
// the sums to dst.
func addNext(dst, src []int32, step int) {
	for i := step; i < len(src)-step; i++ {
		dst[i] = src[i-step] + src[i] + src[i+step]
	}
}

// common returns the most common matter around cell i, the lower of equally common
// ones. In terrain it is a cell of that material.
func (a *around) common(i int) voxel.Cell {
	var kinds [26]voxel.Cell
	found := kinds[:0]
	for y := -a.high; y <= a.high; y += a.high {
		for z := -a.wide; z <= a.wide; z += a.wide {
			for _, c := range a.cells[i+y+z-1 : i+y+z+2] {
				if !a.rule.Empty(c) {
					found = append(found, kind(a.rule, c))
				}
			}
		}
	}
	slices.Sort(found)
	var best voxel.Cell
	for most, rest := 0, found; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n] == rest[0] {
			n++
		}
		if n > most {
			best, most = rest[0], n
		}
		rest = rest[n:]
	}
	return best
}

// kind returns one cell for all cells of the same matter.
func kind(rule *voxel.Rule, c voxel.Cell) voxel.Cell {
	if rule.Schema == voxel.Terrain {
		return voxel.TerrainCell(c.Material(), 255)
	}
	return c
}
