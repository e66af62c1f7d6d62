package relight

import (
	"maps"
	"math/bits"
	"slices"
	"sort"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// Pending is the changed blocks of a dimension whose light is still that of the blocks before.
type Pending struct {
	before map[geom.ChunkPos]*voxel.Chunk // the blocks before, nil: the default alone
	def    voxel.Cell                     // the default
	stale  map[geom.ColumnPos]bool        // columns with stale light: whether it was good before
	lost   map[geom.ColumnPos]bool        // columns whose blocks before nobody knows
	lit    bool                           // updates wrote the light too
}

// Clone returns a copy that Add and MarkGood of p leave alone.
func (p *Pending) Clone() *Pending {
	c := *p
	c.before, c.stale, c.lost = maps.Clone(p.before), maps.Clone(p.stale), maps.Clone(p.lost)
	return &c
}

// Lit reports whether an update wrote the light that followed from its blocks. p may be nil.
func (p *Pending) Lit() bool { return p != nil && p.lit }

// MarkGood notes that the light of a column was good before the pending changes, and reports whether
// changes are pending there. p may be nil.
func (p *Pending) MarkGood(pos geom.ColumnPos) bool {
	if p == nil {
		return false
	}
	_, ok := p.stale[pos]
	if ok {
		p.stale[pos] = true
	}
	return ok
}

// Left is what an update left without light that replaced chunks of blocks. One that is lit wrote the
// light too, and leaves nothing.
type Left struct {
	def      voxel.Cell
	replaced []grid.Replaced
	columns  []TouchedColumn
	was      []hadLight // by column
	lit      bool
}

// hadLight is what the light of a column was before an update.
type hadLight uint8

const (
	wasGood hadLight = iota
	wasStale
	ownWord // a column that is put there says itself what is stale
)

// NewLeft returns what an update left. columns are those of the cells that changed, def is the default cell.
func NewLeft(def voxel.Cell, replaced []grid.Replaced, columns []TouchedColumn, lit bool) *Left {
	return &Left{def: def, replaced: replaced, columns: columns, was: make([]hadLight, len(columns)), lit: lit}
}

// Stale reports whether the light of column i is stale now. c is the column before
// the update, nil if there is none.
func (l *Left) Stale(i int, c *voxel.Column) bool {
	switch {
	case c == nil:
		l.was[i] = ownWord
	case c.Stale != 0:
		l.was[i] = wasStale
	}
	return !l.lit && c != nil
}

// markLost notes that the blocks before are unknown in a chunk.
func (p *Pending) markLost(pos geom.ChunkPos) {
	for _, at := range columnsOver(pos) {
		p.lost[at] = true
	}
}

// columnsOver returns the columns that have cells in a chunk.
func columnsOver(pos geom.ChunkPos) (out [4]geom.ColumnPos) {
	for i := range int32(4) {
		out[i] = geom.ColumnPos{X: pos.X*2 + i&1, Z: pos.Z*2 + i>>1}
	}
	return out
}

// overwrite notes that a chunk with pending blocks was replaced by one that has
// the light of what differs. The light is that of what is there now in those cells, and
// of what was there in all others. Where a pending cell is written again, other
// than it was, what its light did around it may stay: the chunk is lost.
func (p *Pending) overwrite(r grid.Replaced) {
	c, ok := p.before[r.Pos]
	if !ok {
		return
	}
	var before, old, now [voxel.ChunkCells]voxel.Cell
	c.Or(p.def).Flat(&before)
	r.Old.Or(p.def).Flat(&old)
	r.New.Or(p.def).Flat(&now)
	lost := r.Unknown
	for i, c := range now {
		if c != old[i] {
			lost = lost || before[i] != old[i] && before[i] != c
			before[i] = c
		}
	}
	if lost {
		delete(p.before, r.Pos)
		p.markLost(r.Pos)
		return
	}
	p.before[r.Pos] = voxel.FromFlat(&before)
}

// maxPending is how many chunks are lit at once. Beyond it no blocks before are kept, and
// the light stays stale.
const maxPending = 1024

// Add returns p, which may be nil, with what came after it.
func (p *Pending) Add(l *Left) *Pending {
	if p == nil {
		p = &Pending{before: make(map[geom.ChunkPos]*voxel.Chunk), def: l.def, stale: make(map[geom.ColumnPos]bool), lost: make(map[geom.ColumnPos]bool)}
	}
	p.lit = p.lit || l.lit
	for _, r := range l.replaced {
		if l.lit {
			p.overwrite(r)
		} else if r.Unknown {
			p.markLost(r.Pos)
		} else if _, ok := p.before[r.Pos]; !ok {
			p.before[r.Pos] = r.Old
		}
	}
	for i, c := range l.columns {
		if _, ok := p.stale[c.Pos]; !ok && !l.lit && l.was[i] != ownWord {
			p.stale[c.Pos] = l.was[i] == wasGood
		}
	}
	if len(p.before) > maxPending {
		clear(p.before)
		for pos := range p.stale {
			p.stale[pos] = false
		}
	}
	return p
}

// replaced returns the chunks that changed and are in memory, in no order.
func (p *Pending) replaced(blocks *grid.View) (out []grid.Replaced) {
	for pos, old := range p.before {
		if c, ok := blocks.Chunk(pos); ok {
			out = append(out, grid.Replaced{Pos: pos, Old: old, New: c})
		}
	}
	return out
}

// Around returns boxes of all heights that hold all cells whose light may change: one
// for each footprint of chunks. blocks are the blocks as they are now.
func (p *Pending) Around(blocks *grid.View) (out []geom.Box) {
	var near []geom.ColumnPos
	for _, c := range Touched(p.def, p.replaced(blocks)) {
		near = append(near, c.Pos)
	}
	for pos := range p.before {
		if _, ok := blocks.Chunk(pos); !ok { // it left memory since
			over := columnsOver(pos)
			near = append(near, over[:]...)
		}
	}
	all, edge := geom.Root.Box(), geom.Point{X: geom.ColumnEdge, Z: geom.ColumnEdge}
	boxes := make(map[geom.ColumnPos]geom.Box) // by footprint
	for _, pos := range near {
		foot := geom.ColumnPos{X: pos.X >> 1, Z: pos.Z >> 1}
		b := geom.Box{Min: pos.Min(all.Min.Y).Sub(edge), Max: pos.Min(all.Max.Y).Add(edge).Add(edge)}
		boxes[foot] = boxes[foot].Union(b.Intersect(all))
	}
	for _, foot := range slices.SortedFunc(maps.Keys(boxes), geom.ColumnPos.Compare) {
		out = append(out, boxes[foot])
	}
	return out
}

// FewCells is up to how many cells of a column Touched names all.
const FewCells = 32

// TouchedColumn is a column with replaced cells: bit x of Cells[z] is set where a cell
// was replaced. All bits are set if nobody knows where. Of more than FewCells some may be
// missing.
type TouchedColumn struct {
	Pos   geom.ColumnPos
	Cells [geom.ColumnEdge]uint16
}

// May reports whether the cell at p, if it lies over the column, may have been replaced.
func (c *TouchedColumn) May(p geom.Point) bool {
	if p.Column() != c.Pos {
		return true
	}
	n := 0
	for _, row := range c.Cells {
		n += bits.OnesCount16(row)
	}
	return n > FewCells || c.Cells[p.Z&(geom.ColumnEdge-1)]>>(p.X&(geom.ColumnEdge-1))&1 != 0
}

// Touched returns the columns that have a cell in what was replaced, in
// ascending order. def is the default cell.
func Touched(def voxel.Cell, replaced []grid.Replaced) (out []TouchedColumn) {
	const edge = geom.ColumnEdge
	var a, b [64]voxel.Cell
	for _, r := range replaced {
		first := len(out)
		var cells [geom.ChunkEdge]uint32 // by z
		if r.Unknown {
			for z := range cells {
				cells[z] = 1<<geom.ChunkEdge - 1
			}
		} else {
			old, new := r.Old.Or(def), r.New.Or(def)
			for y, rows := range old.Differing(new) {
				for ; rows != 0; rows &= rows - 1 {
					z := bits.TrailingZeros32(rows)
					cells[z] |= voxel.DifferingCells(old.Row(y, z, &a), new.Row(y, z, &b))
				}
				if many(&cells) {
					break
				}
			}
		}
		for z, row := range cells {
			for x := int32(0); row != 0; x, row = x+1, row>>edge {
				if row&(1<<edge-1) == 0 {
					continue
				}
				pos := geom.ColumnPos{X: r.Pos.X*2 + x, Z: r.Pos.Z*2 + int32(z/edge)}
				i := first
				for i < len(out) && out[i].Pos != pos {
					i++
				}
				if i == len(out) {
					out = append(out, TouchedColumn{Pos: pos})
				}
				out[i].Cells[z%edge] |= uint16(row)
			}
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Pos.Compare(out[j].Pos) < 0 })
	all := out
	out = out[:0]
	for i := range all {
		n := len(out)
		if n == 0 || out[n-1].Pos != all[i].Pos {
			out = append(out, all[i])
			continue
		}
		for z, row := range all[i].Cells {
			out[n-1].Cells[z] |= row
		}
	}
	return out
}

// many reports whether each of the four columns over a chunk has more than FewCells.
func many(cells *[geom.ChunkEdge]uint32) bool {
	const edge = geom.ColumnEdge
	var n [4]int
	for z, row := range cells {
		n[z/edge*2] += bits.OnesCount32(row & (1<<edge - 1))
		n[z/edge*2+1] += bits.OnesCount32(row >> edge)
	}
	return slices.Min(n[:]) > FewCells
}
