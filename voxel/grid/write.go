package grid

import (
	"fmt"
	"iter"
	"slices"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
)

// checkBox reports whether b is in range. If not, the draft fails.
func (d *Draft) checkBox(b geom.Box) bool {
	if !within(b, 0) {
		d.fail(fmt.Errorf("grid: draft: %w: box %v", geom.ErrOutOfRange, b))
	}
	return d.err == nil
}

// ReadBox writes the cells of b to dst, x fastest, then z, then y. dst must hold
// b.Cells() cells. It returns false after an error; dst is then partly written.
func (d *Draft) ReadBox(b geom.Box, dst []voxel.Cell) bool {
	const few = 1024 // up to this many cells, reading one by one beats publishing
	if !d.checkBox(b) {
		return false
	}
	t := target{dst[:b.Cells()], b.Min, b.Size()}
	return pieces(b, geom.ChunkShift, func(pos geom.ChunkPos, in geom.Box) bool {
		k := d.loaded(pos)
		if k == nil {
			return false
		}
		if k.edit != nil && in.Cells() <= few {
			t.copyEdit(k.edit, in)
		} else {
			d.publish(k)
			t.copyChunk(d.chunk(k), in)
		}
		return true
	})
}

// copyEdit copies the cells of in, which lie in e.
func (t *target) copyEdit(e *voxel.Draft, in geom.Box) {
	from := in.Min.Sub(in.Min.InChunk())
	for y := in.Min.Y; y < in.Max.Y; y++ {
		for z := in.Min.Z; z < in.Max.Z; z++ {
			o := t.place(geom.Point{X: in.Min.X, Y: y, Z: z})
			for x := in.Min.X; x < in.Max.X; x++ {
				t.cells[o+x-in.Min.X] = e.Cell(x-from.X, y-from.Y, z-from.Z)
			}
		}
	}
}

// WriteBox writes src, in the order of ReadBox, to the cells of b. A chunk that lies
// entirely in b need not be loaded.
func (d *Draft) WriteBox(b geom.Box, src []voxel.Cell) {
	t := target{src[:b.Cells()], b.Min, b.Size()}
	if !d.checkBox(b) || !d.checkCells(t.cells) {
		return
	}
	pieces(b, geom.ChunkShift, func(pos geom.ChunkPos, in geom.Box) bool {
		cells := d.gather(&t, in)
		if len(cells) == voxel.ChunkCells {
			d.SetChunk(pos, d.build().FromFlat((*[voxel.ChunkCells]voxel.Cell)(cells)))
		} else if e := d.write(pos); e != nil {
			e.WriteBox(inChunk(in), cells)
		}
		return d.err == nil
	})
}

// checkCells reports whether the volume allows all cells. If not, the draft fails.
func (d *Draft) checkCells(cells []voxel.Cell) bool {
	for i, v := range cells {
		if i > 0 && v == cells[i-1] {
			continue
		}
		if !d.checked(v) {
			return false
		}
	}
	return true
}

// gather returns the cells of in, a part of t, one after another. They are valid
// until the next call.
func (d *Draft) gather(t *target, in geom.Box) []voxel.Cell {
	size := in.Size()
	if size == t.size {
		return t.cells
	}
	out := d.room(in.Cells())[:0]
	for y := in.Min.Y; y < in.Max.Y; y++ {
		for z := in.Min.Z; z < in.Max.Z; z++ {
			o := t.place(geom.Point{X: in.Min.X, Y: y, Z: z})
			out = append(out, t.cells[o:o+size.X]...)
		}
	}
	return out
}

// inChunk returns a part of a chunk in coordinates relative to the chunk.
func inChunk(in geom.Box) geom.Box {
	min := in.Min.InChunk()
	return geom.Box{Min: min, Max: min.Add(in.Size())}
}

// Fill writes v to every cell of r. A chunk that lies entirely in r need not be
// loaded.
func (d *Draft) Fill(r region.Region, v voxel.Cell) {
	if b, ok := r.(geom.Box); !d.checked(v) || ok && !d.checkBox(b) {
		return
	}
	whole := voxel.Uniform(v)
	d.each(r, v != d.view.vol.def, func(pos geom.ChunkPos, cover region.Cover) bool {
		return d.fill(r, pos, cover == region.Whole, whole)
	})
}

// fill is Fill for one chunk, either all of it or its part in r. filler is a chunk
// of the cell. It returns false after an error.
func (d *Draft) fill(r region.Region, pos geom.ChunkPos, all bool, filler *voxel.Chunk) bool {
	if all {
		d.SetChunk(pos, filler)
		return d.err == nil
	}
	t := d.loaded(pos)
	if t == nil {
		return false
	}
	v, _ := filler.Uniform()
	if t.edit != nil || !holdsOnly(d.chunk(t), v) {
		e := d.write(pos)
		eachRun(r, pos, func(run geom.Box) { e.Fill(run, v) })
	}
	return true
}

func holdsOnly(c *voxel.Chunk, v voxel.Cell) bool {
	u, ok := c.Uniform()
	return ok && u == v
}

// eachRun calls f with the runs of r in the chunk, in coordinates relative to the
// chunk. For a box region it calls f once with the box.
func eachRun(r region.Region, pos geom.ChunkPos, f func(run geom.Box)) {
	in := r.Bounds().Intersect(pos.Box())
	if in.Empty() {
		return
	}
	if _, ok := r.(geom.Box); ok {
		f(inChunk(in))
		return
	}
	var y, z int
	yield := func(x0, x1 int) bool {
		run := geom.Box{Min: geom.Point{X: max(x0, in.Min.X), Y: y, Z: z}, Max: geom.Point{X: min(x1, in.Max.X), Y: y + 1, Z: z + 1}}
		if !run.Empty() {
			f(inChunk(run))
		}
		return x1 < in.Max.X
	}
	for y = in.Min.Y; y < in.Max.Y; y++ {
		for z = in.Min.Z; z < in.Max.Z; z++ {
			r.Spans(y, z, yield)
		}
	}
}

// Replace changes every cell of r that equals from into to. Every chunk with a cell
// in r must be loaded.
func (d *Draft) Replace(r region.Region, from, to voxel.Cell) {
	if !d.checked(to) || from == to || from > voxel.MaxCell {
		return
	}
	var table []voxel.Cell
	d.each(r, from == d.view.vol.def, func(pos geom.ChunkPos, cover region.Cover) bool {
		if t := d.at(pos); t != nil && t.now == NotLoaded && !holds(r, pos) {
			return true
		}
		t := d.loaded(pos)
		if t == nil {
			return false
		}
		d.publish(t)
		c := d.chunk(t)
		switch v, ok := c.Uniform(); {
		case ok && v != from:
		case cover == region.Whole:
			if table == nil {
				table = exchange(from, to)
			}
			d.SetChunk(pos, c.Translate(table))
		default:
			d.replaceIn(r, pos, c, from, to)
		}
		return d.err == nil
	})
}

// exchange returns a table for Translate that changes only from.
func exchange(from, to voxel.Cell) []voxel.Cell {
	table := make([]voxel.Cell, int(voxel.MaxCell)+1)
	for v := range table {
		table[v] = voxel.Cell(v)
	}
	table[from] = to
	return table
}

// replaceIn is Replace for the cells of r in the chunk c.
func (d *Draft) replaceIn(r region.Region, pos geom.ChunkPos, c *voxel.Chunk, from, to voxel.Cell) {
	var e *voxel.Draft
	var buf [64]voxel.Cell
	eachRun(r, pos, func(run geom.Box) {
		for y := run.Min.Y; y < run.Max.Y; y++ {
			for z := run.Min.Z; z < run.Max.Z; z++ {
				row := c.Row(y, z, &buf)
				for x := run.Min.X; x < run.Max.X; x++ {
					if row[x] != from {
						continue
					}
					if e == nil {
						e = d.write(pos)
					}
					e.Set(x, y, z, to)
				}
			}
		}
	})
}

// holds reports whether r has a cell in the chunk.
func holds(r region.Region, pos geom.ChunkPos) bool {
	held := false
	eachRun(r, pos, func(geom.Box) { held = true })
	return held
}

// each calls f with the chunks that r touches. Unless all is set, it may skip chunks of
// the default.
func (d *Draft) each(r region.Region, all bool, f func(geom.ChunkPos, region.Cover) bool) {
	b := r.Bounds()
	s, ok := spanOf(b, 0)
	if !ok {
		return
	}
	if all || !s.over(d.view.Len()+len(d.touched)) {
		chunksOf(r)(f)
		return
	}
	codes := d.view.codes(s)
	for _, t := range d.touched {
		if !t.pos.Box().Intersect(b).Empty() {
			codes = append(codes, t.code)
		}
	}
	slices.Sort(codes)
	for _, code := range slices.Compact(codes) {
		if c := region.CoverOf(r, code.Pos().Box()); c != 0 && !f(code.Pos(), c) {
			return
		}
	}
}

// chunksOf is region.Chunks. The chunks of a box are known without a search.
func chunksOf(r region.Region) iter.Seq2[geom.ChunkPos, region.Cover] {
	if _, ok := r.(geom.Box); !ok {
		return region.Chunks(r)
	}
	return func(yield func(geom.ChunkPos, region.Cover) bool) {
		pieces(r.Bounds(), geom.ChunkShift, func(pos geom.ChunkPos, in geom.Box) bool {
			cover := region.Partly
			if in.Cells() == voxel.ChunkCells {
				cover = region.Whole
			}
			return yield(pos, cover)
		})
	}
}

// codes returns the codes of the known chunks within s.
func (v *View) codes(s span) []geom.Code {
	var codes []geom.Code
	v.tree().walk(&s, func(code geom.Code, _ *voxel.Chunk) bool {
		codes = append(codes, code)
		return true
	})
	return codes
}
