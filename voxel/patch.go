package voxel

import "math/bits"

// A patched chunk is a compact chunk of which some slices were written since. Those are plain cells
// beside its data, which versions of the chunk share, and their headers are patchMark. Its data may hold rows
// that no header refers to.
const (
	// patchMark is the offset of no row, because data that is not flat is shorter.
	patchMark = refBit | MaxCell
	// fewPlain is how many slices of a chunk may become plain one after another, or more that take no
	// more than its data. A write of more slices at once may make mostPlain plain and, where it is of
	// fewRows, as a wall is, all: to make the chunk compact would cost more than all else.
	fewPlain, mostPlain, fewRows = 8, 16, 64
)

// plains are the slices of a patched chunk that are plain cells, by y.
type plains [ChunkEdge]*plainSlice

// patched reports whether the chunk may have another form than FromFlat gives its
// cells.
func (c *Chunk) patched() bool { return c.plain != nil }

// Compact returns the chunk in the form that takes least memory. It is c unless
// Draft.Patch made c. b lends its memory; no slices may have been added to it.
func (c *Chunk) Compact(b *ChunkBuilder) *Chunk {
	if !c.patched() {
		return c
	}
	d := (&Draft{base: c}).build(b)
	d.mips.Store(c.mips.Load())
	return d
}

// Patch is Publish in a time that depends on what was written and not on the chunk.
// If too many slices were written, it returns false and leaves the draft as it is. The
// returned chunk takes more memory than a compact one: 2 KiB for each slice that was written since that. Where
// drafts write a few slices each, these take at most 16 KiB, or as much as the compact chunk; where one writes
// many, at most 64 KiB. See Compact.
func (d *Draft) Patch() (*Chunk, bool) {
	if ys := d.differing(); ys != 0 {
		c := d.patch(ys)
		if c == nil {
			return nil, false
		}
		d.base = c
	}
	d.own, d.marks = plains{}, [ChunkEdge]uint32{}
	return d.base, true
}

// patch returns the base with the slices that differ, nil if these are too many.
func (d *Draft) patch(ys uint32) *Chunk {
	c := &Chunk{slices: d.base.slices, plain: new(plains)}
	had := uint32(0)
	if d.base.plain != nil {
		*c.plain = *d.base.plain
		for y, s := range c.plain {
			if s != nil {
				had |= 1 << y
			}
		}
	}
	if len(d.base.data) != ChunkCells && d.tooMany(had, ys) {
		return nil
	}
	for ; ys != 0; ys &= ys - 1 {
		y := bits.TrailingZeros32(ys)
		c.plain[y], c.slices[y] = d.own[y], patchMark
		if v := d.own[y][0]; d.own[y].all(v) {
			c.plain[y], c.slices[y] = nil, v
		}
	}
	if _, ok := c.Uniform(); ok {
		c.plain = nil
		return c
	}
	uniform := 0
	for _, h := range c.slices {
		if h < refBit {
			uniform++
		} else if h != patchMark {
			c.data = d.base.data
		}
	}
	if len(c.data) == ChunkCells && uniform > ChunkEdge/2 { // which a compact chunk does not store
		return nil
	}
	return c
}

// tooMany reports whether too many slices would be plain of those that were, and those that differ.
func (d *Draft) tooMany(had, ys uint32) bool {
	n := bits.OnesCount32(had | ys)
	if few := max(fewPlain, len(d.base.data)/SliceCells); n > few && ys&^had != 0 && bits.OnesCount32(ys) <= few {
		return true
	}
	rows := 0
	for _, m := range d.marks {
		rows += bits.OnesCount32(m)
	}
	return n > mostPlain && rows > fewRows
}

// all reports whether all cells are v.
func (s *plainSlice) all(v Cell) bool {
	for z := range ChunkEdge {
		if *s.row(z) != filled[v] {
			return false
		}
	}
	return true
}

// readSlice writes the cells of a slice to dst.
func (c *Chunk) readSlice(y int, dst *plainSlice) {
	if c.slices[y] == patchMark {
		*dst = *c.plain[y]
		return
	}
	var buf [64]Cell
	for z := range ChunkEdge {
		*dst.row(z) = [ChunkEdge]Cell(c.Row(y, z, &buf))
	}
}
