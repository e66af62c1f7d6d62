package edit

import (
	"cmp"
	"fmt"
	"math/bits"
	"time"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// sectionsOf is how many sections a chunk has: bit 0 of their numbers is x, bit 1 z, bit 2 y.
const sectionsOf = 8

// work is the memory that a Step compares chunks in.
type work struct {
	sections [sectionsOf]cells
	box      [sectionEdge * sectionEdge * sectionEdge]voxel.Cell
}

// cells are the cells of a section that differ: their number, and where they are listed each one.
type cells struct {
	n     int
	index []uint16
	now   []voxel.Cell
}

// differ finds where a chunk is not what it is to be, and reports whether it may change in all of
// these places. It lists the cells only where list says so.
func (w *work) differ(now, want *voxel.Chunk, p *part, allowed []bool, list bool) (all bool) {
	for i := range w.sections {
		w.sections[i] = cells{0, w.sections[i].index[:0], w.sections[i].now[:0]}
	}
	all = true
	var nowBuf, wantBuf [64]voxel.Cell
	for y, m := range now.Differing(want) {
		for ; m != 0; m &= m - 1 {
			z := bits.TrailingZeros32(m)
			a, b := now.Row(y, z, &nowBuf), want.Row(y, z, &wantBuf)
			diff := voxel.DifferingCells(a, b)
			may := diff
			if p.only != nil {
				may &= p.only[y*voxel.ChunkEdge+z]
			}
			if allowed != nil {
				may &= admitted(a, may, allowed)
			}
			all = all && may == diff
			pair := y/sectionEdge<<2 | z/sectionEdge<<1
			w.sections[pair].n += bits.OnesCount16(uint16(may))
			w.sections[pair|1].n += bits.OnesCount16(uint16(may >> sectionEdge))
			if !list {
				continue
			}
			at := uint16(y%sectionEdge*sectionEdge*sectionEdge + z%sectionEdge*sectionEdge)
			w.sections[pair].add(at, uint16(may), b[:sectionEdge])
			w.sections[pair|1].add(at, uint16(may>>sectionEdge), b[sectionEdge:])
		}
	}
	return all
}

// admitted returns those bits of m whose cells are allowed.
func admitted(row []voxel.Cell, m uint32, allowed []bool) (out uint32) {
	for ; m != 0; m &= m - 1 {
		if x := bits.TrailingZeros32(m); int(row[x]) < len(allowed) && allowed[row[x]] {
			out |= 1 << x
		}
	}
	return out
}

// add adds those of 16 cells that mask has a bit for.
func (c *cells) add(at, mask uint16, row []voxel.Cell) {
	if mask == 0xFFFF {
		for x := range uint16(sectionEdge) {
			c.index = append(c.index, at+x)
		}
		c.now = append(c.now, row...)
		return
	}
	for ; mask != 0; mask &= mask - 1 {
		x := bits.TrailingZeros16(mask)
		c.index = append(c.index, at+uint16(x))
		c.now = append(c.now, row[x])
	}
}

// changeChunks changes chunks of a tower, as many as fit, in one update.
func (r *run) changeChunks(s *step, t *tower) {
	clock := r.q.o.Clock
	start, next := clock(), t.next
	var inSections time.Duration
	var counts []int
	change, err := r.in.World.Update(func(tx *world.Tx) error {
		v, err := volumeIn(tx, r.in.Dimension, t.volume)
		if err != nil {
			return err
		}
		if !r.knows(v.Volume.Name, v.Names()) {
			return fmt.Errorf("the world went back, and volume %q has other names", t.volume)
		}
		in := tx.Dimension(r.in.Dimension)
		r.arena.rule(in, r.plan.back)
		for ; next < len(t.parts) && s.look(); next++ {
			began := clock()
			n, whole := r.changeChunk(s, in, v, &t.parts[next])
			inSections += clock().Sub(began)
			if v.Err() != nil {
				return v.Err()
			}
			if voxel.IsLight(t.volume) {
				n = 0 // it follows from cells that were counted
			}
			counts = append(counts, n)
			if !whole {
				return nil
			}
		}
		return nil
	})
	if err != nil {
		r.failRest(t, err)
		return
	}
	r.replaced.add(r.in, change, false)
	for _, n := range counts {
		s.Cells += n
		if t.next == next { // a part of it
			r.addCells(n)
			break
		}
		s.Chunks++
		r.count(t, t.next, n, t.parts[t.next].err)
		t.next++
	}
	s.q.publish.add(clock().Sub(start) - inSections)
}

// addCells counts changed cells of a chunk that is not done.
func (r *run) addCells(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.progress.Cells += n
}

// changeChunk changes a chunk section by section. It returns how many cells it changed, and
// whether it came to the end of the chunk; an error of the Sink ends a chunk.
func (r *run) changeChunk(s *step, d *world.DimensionTx, v *world.VolumeTx, p *part) (n int, whole bool) {
	now, ok := v.Chunk(p.pos)
	if !ok {
		return 0, true
	}
	now = now.Or(v.Default)
	want := p.want.Or(v.Default)
	if p.change != nil {
		want = p.change(now)
	}
	w := &s.q.work
	allowed := p.mask.cells(v.Schema, v.Names())
	exact := w.differ(now, want, p, allowed, r.in.Sink != nil)
	least := p.pos.Box().Min
	var taken [sectionsOf]bool
	all := true
	for i := range w.sections {
		c := &w.sections[i]
		if c.n == 0 {
			continue
		}
		if all = s.room(s.q.publish.likely()); !all {
			break
		}
		at := sectionMin(least, i)
		start := s.q.o.Clock()
		if sink := r.in.Sink; sink != nil {
			p.err = sink.Section(&SectionChange{Volume: v.Name, Min: at, Index: c.index, Cells: c.now, Names: v.Names()})
		}
		s.q.section.add(s.q.o.Clock().Sub(start))
		if p.err != nil {
			exact = false
			break
		}
		s.Sections++
		n += c.n
		taken[i] = true
	}
	switch {
	case n == 0:
	case all && exact:
		v.SetChunk(p.pos, want)
	default:
		if r.in.Sink == nil {
			w.differ(now, want, p, allowed, true)
		}
		for i := range w.sections {
			if taken[i] {
				w.write(v, now, least, i)
			}
		}
	}
	if p.objects != nil {
		is, _ := v.Chunk(p.pos)
		in := &objectsTx{d: d, sink: r.in.Sink}
		p.objects(p, in, now, is.Or(v.Default), allowed)
		p.err = cmp.Or(p.err, in.err)
	}
	return n, all
}

// write writes the changed cells of a section.
func (w *work) write(v *world.VolumeTx, now *voxel.Chunk, least geom.Point, i int) {
	at := sectionMin(least, i)
	b := geom.Box{Min: at, Max: at.Add(geom.Point{X: sectionEdge, Y: sectionEdge, Z: sectionEdge})}
	now.ReadBox(geom.Box{Min: b.Min.Sub(least), Max: b.Max.Sub(least)}, w.box[:])
	for k, at := range w.sections[i].index {
		w.box[at] = w.sections[i].now[k]
	}
	v.WriteBox(b, w.box[:])
}

// sectionMin returns the least corner of a section of a chunk.
func sectionMin(least geom.Point, i int) geom.Point {
	return least.Add(geom.Point{X: i & 1 * sectionEdge, Y: i >> 2 * sectionEdge, Z: i >> 1 & 1 * sectionEdge})
}
