package world

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/light"
	"github.com/cairnvoxel/cairn/voxel"
)

// errMoved says that an update came between looking and working.
var errMoved = errors.New("world: changed meanwhile")

// ground is a dimension whose light is computed anew: what light.Relight works on.
// Its light is kept in the sections that columns list, and follows from above in
// others. Where there is no column there is a wall, unless the dimension has none
// at all.
type ground struct {
	blocks  *volume
	columns *columns
	unlit   *unlit
	before  map[geom.ChunkPos]*voxel.Chunk
	changed []light.SectionPos // ascending
	level   *volume            // of the kind under way
	shelves map[geom.ColumnPos]*shelf
	low     int32 // heights of sections, where the dimension has no columns
	high    int32
	cells   [light.SectionCells]voxel.Cell
	err     error
}

func newGround(d *dimension, u *unlit, around []geom.Box) *ground {
	g := &ground{blocks: d.lightOf(voxel.Block), columns: d.columns, unlit: u, before: u.before,
		shelves: make(map[geom.ColumnPos]*shelf), low: math.MaxInt32, high: math.MinInt32}
	for _, b := range around {
		for pos := range g.blocks.cells.ChunksIn(b) {
			g.low, g.high = min(g.low, pos.Y*2), max(g.high, pos.Y*2+1)
		}
	}
	for pos := range u.before { // which may be gone, its light is not
		g.low, g.high = min(g.low, pos.Y*2), max(g.high, pos.Y*2+1)
	}
	for _, r := range u.replaced(g.blocks) {
		old, now := filled(r.Old, g.blocks.Default), filled(r.New, g.blocks.Default)
		for i := range int32(8) {
			at := light.SectionPos{X: r.Pos.X*2 + i&1, Y: r.Pos.Y*2 + i>>2, Z: r.Pos.Z*2 + i>>1&1}
			if sectionDiffers(old, now, at) {
				g.changed = append(g.changed, at)
			}
		}
	}
	slices.SortFunc(g.changed, light.SectionPos.Compare)
	return g
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

// chunkBefore returns a chunk of blocks as the light has it.
func (g *ground) chunkBefore(pos geom.ChunkPos) *voxel.Chunk {
	if c, ok := g.before[pos]; ok {
		return c
	}
	c, _ := g.blocks.cells.Chunk(pos)
	return c
}

// Section gives light.Relight what is at a position.
func (g *ground) Section(kind light.Kind, at light.SectionPos, s *light.Section) light.Place {
	low, high := g.low, g.high
	if g.bounded() {
		sh := g.shelf(at)
		if low, high = sh.low, sh.high; sh.keeps&hasOf(kind) == 0 {
			return light.Wall
		}
		s.Unlit = !sh.has(at.Y, hasOf(kind))
		s.Made = s.Unlit && !sh.has(at.Y, voxel.HasBlock)
	}
	switch {
	case g.err != nil || at.Y < low-1:
		return light.Wall
	case at.Y > high+1 && kind == light.Sky:
		return light.Open
	case at.Y > high+1:
		return light.Wall
	}
	g.read(at, s)
	return light.Inside
}

func (g *ground) bounded() bool { return len(g.columns.fields) > 0 }

func hasOf(kind light.Kind) voxel.Has {
	if kind == light.Sky {
		return voxel.HasSky
	}
	return voxel.HasLight
}

// read writes down a section.
func (g *ground) read(at light.SectionPos, s *light.Section) {
	box := sectionBox(at)
	ok := g.blocks.cells.ReadBox(box, 0, s.Blocks[:])
	if c, changed := g.before[chunkOf(at)]; changed {
		s.Changed = true
		filled(c, g.blocks.Default).ReadBox(inChunk(at), s.Before[:])
	}
	if !s.Unlit {
		ok = g.level.cells.ReadBox(box, 0, g.cells[:]) && ok
		for i, c := range g.cells {
			s.Levels[i] = uint8(min(c, light.MaxLight))
		}
	}
	if !ok {
		g.err = fmt.Errorf("world: light near %v: %w", box.Min, ErrNotLoaded)
	}
}

// shelf is a column with the sections that it has, or gets.
type shelf struct {
	column    *voxel.Column // nil: none
	keeps     voxel.Has     // kinds of light that some section has
	alone     voxel.Has     // and kinds that one without blocks has
	low, high int32         // heights of sections
	made      bool          // column is a copy with more sections
}

func (s *shelf) has(y int32, what voxel.Has) bool {
	return slices.ContainsFunc(s.column.Sections, func(sec voxel.Section) bool { return int32(sec.Y) == y && sec.Has&what != 0 })
}

// shelf returns the column of a section.
func (g *ground) shelf(at light.SectionPos) *shelf {
	pos := geom.ColumnPos{X: at.X, Z: at.Z}
	if s := g.shelves[pos]; s != nil {
		return s
	}
	s := &shelf{column: g.columns.at(pos), low: math.MaxInt32, high: math.MinInt32}
	g.shelves[pos] = s
	switch s.column {
	case nil:
		return s
	case unloaded:
		g.err = fmt.Errorf("world: light of column %v: %w", pos, ErrNotLoaded)
		s.column = nil
		return s
	}
	for _, sec := range s.column.Sections {
		if sec.Has == 0 {
			continue
		}
		s.keeps |= sec.Has & (voxel.HasSky | voxel.HasLight)
		if sec.Has&voxel.HasBlock == 0 {
			s.alone |= sec.Has & (voxel.HasSky | voxel.HasLight)
		}
		s.low, s.high = min(s.low, int32(sec.Y)), max(s.high, int32(sec.Y))
	}
	for _, c := range g.changed {
		if c.X == at.X && c.Z == at.Z {
			s.low, s.high = min(s.low, c.Y), max(s.high, c.Y)
		}
	}
	return s
}

// write writes the light that changed, where it is kept.
func (g *ground) write(v *VolumeTx, r *light.Relight, kind light.Kind) {
	for at, levels := range r.Changed() {
		if g.bounded() && !g.shelf(at).keep(at, hasOf(kind), g.isChanged(at)) {
			continue
		}
		for i, l := range levels {
			g.cells[i] = voxel.Cell(l)
		}
		v.WriteBox(sectionBox(at), g.cells[:])
	}
}

func (g *ground) isChanged(at light.SectionPos) bool {
	_, ok := slices.BinarySearchFunc(g.changed, at, light.SectionPos.Compare)
	return ok
}

// keep makes a section have light, and reports whether it can: one without blocks
// only where the column has such.
func (s *shelf) keep(at light.SectionPos, what voxel.Has, blocks bool) bool {
	if s.has(at.Y, what) {
		return true
	}
	if int32(int8(at.Y)) != at.Y || !blocks && s.alone&what == 0 && !s.has(at.Y, voxel.HasBlock) {
		return false
	}
	c := *s.column
	c.Sections = slices.Clone(c.Sections)
	i := slices.IndexFunc(c.Sections, func(sec voxel.Section) bool { return int32(sec.Y) == at.Y })
	if i < 0 {
		i = len(c.Sections)
		c.Sections = append(c.Sections, voxel.Section{Y: int8(at.Y)})
	}
	c.Sections[i].Has |= what
	s.column, s.made = &c, true
	return true
}

// mend writes the columns that have more sections, and those whose light is good
// again.
func (g *ground) mend(d *DimensionTx, u *unlit) {
	for pos := range u.columns {
		g.shelf(light.SectionPos{X: pos.X, Z: pos.Z})
	}
	absent := make(map[geom.ColumnPos]bool) // with a chunk that was not looked at
	for pos := range g.before {
		if _, ok := g.blocks.cells.Chunk(pos); !ok {
			for _, at := range columnsOver(pos) {
				absent[at] = true
			}
		}
	}
	for pos, s := range g.shelves {
		good := u.columns[pos] && !u.lost[pos] && !absent[pos] && s.keeps != 0
		if s.column == nil || !s.made && !good {
			continue
		}
		c := *s.column
		if good {
			c.Stale &^= voxel.HasSky | voxel.HasLight
		}
		d.put(pos, &c, parts{column: true})
	}
}
