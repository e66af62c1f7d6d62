package relight

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// lightRegion is what light.Relight works on. Light is kept in the sections that columns
// list; in other sections it follows from above. Where there is no column there is a
// wall, unless the dimension has no columns at all.
type lightRegion struct {
	*Input
	ctx     context.Context
	pending *Pending
	changed []light.SectionPos // ascending
	columns map[geom.ColumnPos]*columnSections
	low     int32 // heights of sections, where the dimension has no columns
	high    int32
	cells   [light.SectionCells]voxel.Cell
	err     error
}

func newRegion(ctx context.Context, d *Input, p *Pending, boxes []geom.Box) *lightRegion {
	r := &lightRegion{ctx: ctx, Input: d, pending: p, columns: make(map[geom.ColumnPos]*columnSections), low: math.MaxInt32, high: math.MinInt32}
	for _, b := range boxes {
		for pos := range d.Blocks.ChunksIn(b) {
			r.low, r.high = min(r.low, pos.Y*2), max(r.high, pos.Y*2+1)
		}
	}
	for pos := range p.before { // the chunk may be gone, its light is not
		r.low, r.high = min(r.low, pos.Y*2), max(r.high, pos.Y*2+1)
	}
	for _, c := range p.replaced(d.Blocks) {
		old, now := c.Old.Or(p.def), c.New.Or(p.def)
		for i := range int32(8) {
			at := light.SectionPos{X: c.Pos.X*2 + i&1, Y: c.Pos.Y*2 + i>>2, Z: c.Pos.Z*2 + i>>1&1}
			if sectionDiffers(old, now, at) {
				r.changed = append(r.changed, at)
			}
		}
	}
	slices.SortFunc(r.changed, light.SectionPos.Compare)
	return r
}

// inChunk returns the box of a section in its chunk.
func inChunk(at light.SectionPos) geom.Box {
	return geom.Box{Max: geom.Point{X: 16, Y: 16, Z: 16}}.Add(geom.Point{X: int(at.X&1) * 16, Y: int(at.Y&1) * 16, Z: int(at.Z&1) * 16})
}

func chunkOf(at light.SectionPos) geom.ChunkPos {
	return geom.ChunkPos{X: at.X >> 1, Y: at.Y >> 1, Z: at.Z >> 1}
}

func sectionBox(at light.SectionPos) geom.Box { return inChunk(at).Add(chunkOf(at).Min()) }

func sectionDiffers(old, now *voxel.Chunk, at light.SectionPos) bool {
	var a, b [light.SectionCells]voxel.Cell
	old.ReadBox(inChunk(at), a[:])
	now.ReadBox(inChunk(at), b[:])
	return a != b
}

// chunkBefore returns the chunk of blocks that the light is that of.
func (r *lightRegion) chunkBefore(pos geom.ChunkPos) *voxel.Chunk {
	if c, ok := r.pending.before[pos]; ok {
		return c
	}
	c, _ := r.Blocks.Chunk(pos)
	return c
}

// Section gives light.Relight what is at a position.
func (r *lightRegion) Section(kind light.Channel, at light.SectionPos, s *light.Section) light.Presence {
	if r.err == nil {
		r.err = r.ctx.Err()
	}
	low, high := r.low, r.high
	if r.Column != nil {
		c := r.column(at)
		if low, high = c.low, c.high; !c.lit(kind) {
			return light.Wall
		}
		s.Unlit = !c.has(at.Y, hasOf(kind))
		s.Made = s.Unlit && !c.has(at.Y, voxel.HasBlock)
	}
	switch {
	case r.err != nil || at.Y < low-1:
		return light.Wall
	case chunkOf(at).Check() != nil: // the end of space
		if at.Y > high && kind == light.Sky {
			return light.Open
		}
		return light.Wall
	case at.Y > high+1 && kind == light.Sky:
		return light.Open
	case at.Y > high+1:
		return light.Wall
	}
	r.read(kind, at, s)
	return light.Inside
}

func hasOf(kind light.Channel) voxel.Has {
	if kind == light.Sky {
		return voxel.HasSky
	}
	return voxel.HasLight
}

// read fills s with a section.
func (r *lightRegion) read(kind light.Channel, at light.SectionPos, s *light.Section) {
	box := sectionBox(at)
	ok := r.Blocks.ReadBox(box, 0, s.Blocks[:])
	if c, changed := r.pending.before[chunkOf(at)]; changed {
		s.Changed = true
		c.Or(r.pending.def).ReadBox(inChunk(at), s.Before[:])
	}
	if !s.Unlit {
		ok = r.Levels[kind].ReadBox(box, 0, r.cells[:]) && ok
		for i, c := range r.cells {
			s.Levels[i] = uint8(min(c, light.MaxLight))
		}
	}
	if !ok {
		r.err = fmt.Errorf("relight: near %v: %w", box.Min, grid.ErrNotLoaded)
	}
}

// columnSections is a column with the sections that it has, or gets.
type columnSections struct {
	column    *voxel.Column // nil: none
	keeps     voxel.Has     // kinds of light that some section has
	alone     voxel.Has     // kinds of light that a section without blocks has
	low, high int32         // heights of sections
	made      bool          // column is a copy with more sections
}

// lit reports whether the column keeps a kind of light. Games leave that of blocks out where there
// is none.
func (c *columnSections) lit(kind light.Channel) bool {
	return c.keeps&hasOf(kind) != 0 || kind == light.Block && c.keeps != 0
}

func (c *columnSections) has(y int32, what voxel.Has) bool {
	return slices.ContainsFunc(c.column.Sections, func(s voxel.Section) bool { return int32(s.Y) == y && s.Has&what != 0 })
}

// column returns the column of a section.
func (r *lightRegion) column(at light.SectionPos) *columnSections {
	pos := geom.ColumnPos{X: at.X, Z: at.Z}
	if c := r.columns[pos]; c != nil {
		return c
	}
	column, ok := r.Column(pos)
	c := &columnSections{column: column, low: math.MaxInt32, high: math.MinInt32}
	r.columns[pos] = c
	if !ok {
		r.err = fmt.Errorf("relight: column %v: %w", pos, grid.ErrNotLoaded)
	}
	if column == nil {
		return c
	}
	for _, s := range column.Sections {
		if s.Has&^(voxel.KeptBlock|voxel.KeptBiome) == 0 {
			continue
		}
		c.keeps |= s.Has & allLight
		if s.Has&voxel.HasBlock == 0 {
			c.alone |= s.Has & allLight
		}
		c.low, c.high = min(c.low, int32(s.Y)), max(c.high, int32(s.Y))
	}
	for _, s := range r.changed {
		if s.X == at.X && s.Z == at.Z {
			c.low, c.high = min(c.low, s.Y), max(c.high, s.Y)
		}
	}
	return c
}

// keep makes a section have light of a kind, and reports whether it can. A section without
// blocks can only in a column that has light in such sections.
func (r *lightRegion) keep(kind light.Channel, at light.SectionPos) bool {
	if r.Column == nil {
		return true
	}
	c, what := r.column(at), hasOf(kind)
	if c.has(at.Y, what) {
		return true
	}
	_, changed := slices.BinarySearchFunc(r.changed, at, light.SectionPos.Compare)
	if int32(int8(at.Y)) != at.Y || !changed && c.alone == 0 && !c.has(at.Y, voxel.HasBlock) {
		return false
	}
	column := *c.column
	column.Sections = slices.Clone(column.Sections)
	i := slices.IndexFunc(column.Sections, func(s voxel.Section) bool { return int32(s.Y) == at.Y })
	if i < 0 {
		i = len(column.Sections)
		column.Sections = append(column.Sections, voxel.Section{Y: int8(at.Y)})
	}
	column.Sections[i].Has |= what
	c.column, c.made = &column, true
	return true
}

// columnsAfter returns the columns that list more sections, and those whose light is good
// again.
func (r *lightRegion) columnsAfter() (out []*voxel.Column) {
	if r.Column == nil {
		return nil
	}
	for pos := range r.pending.stale {
		r.column(light.SectionPos{X: pos.X, Z: pos.Z})
	}
	absent := make(map[geom.ColumnPos]bool) // with a chunk that was not looked at
	for pos := range r.pending.before {
		if _, ok := r.Blocks.Chunk(pos); !ok {
			for _, at := range columnsOver(pos) {
				absent[at] = true
			}
		}
	}
	for pos, c := range r.columns {
		good := r.pending.stale[pos] && !r.pending.lost[pos] && !absent[pos] && c.keeps != 0
		if c.column == nil || !c.made && !good {
			continue
		}
		column := *c.column
		if good {
			column.Stale &^= allLight
		}
		out = append(out, &column)
	}
	return out
}
