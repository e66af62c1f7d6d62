package grid

import (
	"math/bits"
	"slices"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// firstFar is the first level that chunks do not hold themselves.
const firstFar = chunkMips + 1

// far holds a volume's levels from firstFar up, made on first use. It may lag behind
// its View by the chunks in pending. It never changes.
type far struct {
	levels  []*node // of chunks that are not all default
	pending *batch
	count   int // number of codes in pending
}

// batch is the codes of changed chunks, linked to the previous batch.
type batch struct {
	codes []geom.Code
	next  *batch
}

// Levels returns the number of useful levels of v, at least 4. The last is the first
// level with at most 8 chunks, or geom.MaxLevel.
func (v *View) Levels() int {
	level := 0
	for level < geom.MaxLevel && v.tree().cubes(level) > 8 {
		level++
	}
	return max(level, chunkMips) + 1
}

// cubes returns the number of cubes of 1<<level chunks an edge that hold chunks.
func (n *node) cubes(level int) int {
	if n == nil {
		return 0
	}
	count := 0
	switch shift := int(n.shift) / 3; {
	case level >= shift+nodeBits/3:
		return 1
	case level < shift:
		for _, k := range n.kids {
			count += k.cubes(level)
		}
	default:
		for _, m := range n.mask {
			count += groups(m, level-shift)
		}
	}
	return count
}

// groups returns the number of groups of 1, 8 or 64 bits with a set bit, for n of 0,
// 1 or 2.
func groups(m uint64, n int) int {
	const low = 0x0101010101010101
	switch n {
	case 0:
		return bits.OnesCount64(m)
	case 1:
		m |= m >> 4
		m |= m >> 2
		return bits.OnesCount64((m | m>>1) & low)
	}
	return min(bits.OnesCount64(m), 1)
}

// after returns the far levels of w, the View after that of f; changes lead from one
// to the other. It drops the levels if pending would cost more than making all anew.
func (f *far) after(changes []change, w *View) *far {
	const few = 256
	b := &batch{codes: make([]geom.Code, len(changes)), next: f.pending}
	for i, c := range changes {
		b.codes[i] = c.code
	}
	g := &far{f.levels, b, f.count + len(changes)}
	if limit := max(w.Len(), few); g.count > limit {
		codes := g.changed()
		if len(codes) > limit/2 {
			return nil
		}
		g.pending, g.count = &batch{codes: codes}, len(codes)
	}
	return g
}

// changed returns the pending codes, sorted and without duplicates.
func (f *far) changed() []geom.Code {
	codes := make([]geom.Code, 0, f.count)
	for b := f.pending; b != nil; b = b.next {
		codes = append(codes, b.codes...)
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// farLevels returns the far levels, up to date and up to level or more.
func (v *View) farLevels(level int) *far {
	f := v.far.Load()
	if f != nil && f.pending == nil && len(f.levels) > level-firstFar {
		return f
	}
	if f == nil {
		f = new(far)
	}
	m := mender{view: v}
	g := &far{}
	dirty := f.changed()
	for top := max(level, v.Levels()-1, firstFar+len(f.levels)-1); len(g.levels) <= top-firstFar; {
		n := len(g.levels)
		var old *node
		if n < len(f.levels) {
			old = f.levels[n]
		} else {
			dirty = m.all(firstFar + n)
		}
		if n > 0 {
			m.below = g.levels[n-1]
		}
		old, dirty = m.level(firstFar+n, old, dirty)
		g.levels = append(g.levels, old)
	}
	v.far.Store(g)
	return g
}

// mender updates one level after the other. It works in units: the cells of a level
// that come from one chunk, named by the chunk's code. A unit is 2x2x2 cells at
// firstFar and one cell at the next level. Above that, 8 units become one.
type mender struct {
	view    *View
	below   *node // the level below
	builder voxel.ChunkBuilder
}

const (
	firstSingle = firstFar + 1 // the first level whose units are single cells
	firstBits   = 12           // bits of a unit's code within its chunk of firstFar
	singleBits  = 15           // bits within its chunk of a higher level
)

// all returns the units of a level that come from known chunks.
func (m *mender) all(level int) []geom.Code {
	units := m.view.codes(whole)
	for i := range units {
		units[i] >>= 3 * max(level-firstSingle, 0)
	}
	return slices.Compact(units)
}

// whole is all chunks in range.
var whole = span{hi: [3]int{2*geom.MaxChunk - 1, 2*geom.MaxChunk - 1, 2*geom.MaxChunk - 1}}

// level returns the level made from old with the dirty units computed anew. It also
// returns the units of the next level that this changes.
func (m *mender) level(level int, old *node, dirty []geom.Code) (*node, []geom.Code) {
	shift := singleBits
	if level == firstFar {
		shift = firstBits
	}
	var changes []change
	next := dirty[:0]
	for len(dirty) > 0 {
		code, end := dirty[0]>>shift, 1
		for end < len(dirty) && dirty[end]>>shift == code {
			end++
		}
		c, changed := m.chunk(level, old.find(code), dirty[:end])
		if len(changed) > 0 {
			changes = append(changes, change{code, c})
		}
		for _, unit := range changed {
			if level >= firstSingle {
				unit >>= 3
			}
			if len(next) == 0 || next[len(next)-1] != unit {
				next = append(next, unit)
			}
		}
		dirty = dirty[end:]
	}
	return old.merge(changes), next
}

// chunk returns a chunk of the level with these units computed anew, or nil for the
// default. It also returns the units that changed, in the memory of units.
func (m *mender) chunk(level int, old *voxel.Chunk, units []geom.Code) (*voxel.Chunk, []geom.Code) {
	if old == nil {
		old = m.view.vol.farFiller
	}
	d := old.Edit()
	changed := units[:0]
	for _, unit := range units {
		if level == firstFar && m.first(d, unit) || level > firstFar && m.single(d, unit) {
			changed = append(changed, unit)
		}
	}
	c := d.Publish(&m.builder)
	if holdsOnly(c, m.view.vol.farDef) {
		c = nil
	}
	return c, changed
}

// first computes the unit of a chunk at firstFar and reports whether it changed. The
// unit of a chunk that is not loaded does not change.
func (m *mender) first(d *voxel.Draft, unit geom.Code) bool {
	rule := &m.view.vol.rule
	c := m.view.tree().find(unit)
	if c == NotLoaded {
		return false
	}
	if c == nil {
		c = m.view.vol.filler
	}
	mip := c.Mip(rule, chunkMips)
	x0, y0, z0 := within16(unit)
	changed := false
	for o := range 8 {
		x, z, y := o&1, o>>1&1, o>>2
		v := halve(rule, mip.Cell, 2*x, 2*y, 2*z)
		if x, y, z := x0+x, y0+y, z0+z; d.Cell(x, y, z) != v {
			d.Set(x, y, z, v)
			changed = true
		}
	}
	return changed
}

// single is first for a level above firstFar.
func (m *mender) single(d *voxel.Draft, unit geom.Code) bool {
	c := m.below.find(unit >> firstBits)
	if c == nil {
		c = m.view.vol.farFiller
	}
	x, y, z := within16(unit)
	v := halve(&m.view.vol.rule, c.Cell, x, y, z)
	i, j, k := geom.Unmorton(uint64(unit) & (1<<singleBits - 1))
	if d.Cell(int(i), int(j), int(k)) == v {
		return false
	}
	d.Set(int(i), int(j), int(k), v)
	return true
}

// within16 returns the least of a unit's 2x2x2 cells in a chunk of 16 units an edge.
func within16(unit geom.Code) (x, y, z int) {
	i, j, k := geom.Unmorton(uint64(unit) & (1<<firstBits - 1))
	return int(2 * i), int(2 * j), int(2 * k)
}

// halve returns the cell that stands for the 2x2x2 cells from (x, y, z) on.
func halve(rule *voxel.Rule, cell func(x, y, z int) voxel.Cell, x, y, z int) voxel.Cell {
	return voxel.Downsample(rule, [8]voxel.Cell{
		cell(x, y, z), cell(x+1, y, z), cell(x, y, z+1), cell(x+1, y, z+1),
		cell(x, y+1, z), cell(x+1, y+1, z), cell(x, y+1, z+1), cell(x+1, y+1, z+1),
	})
}

// readFar is ReadBox for levels from firstFar up.
func (v *View) readFar(b geom.Box, level int, t *target) bool {
	if s, ok := spanOf(b.Scale(1<<level), 0); !ok {
		return true
	} else if v.tree().anyMissing(&s) {
		return false
	}
	top := v.farLevels(level).levels[level-firstFar]
	return pieces(b, geom.ChunkShift, func(pos geom.ChunkPos, in geom.Box) bool {
		c := top.find(geom.CodeOf(pos, level))
		if c == nil {
			c = v.vol.farFiller
		}
		t.copyChunk(c, in)
		return true
	})
}
