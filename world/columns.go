package world

import (
	"iter"
	"maps"
	"slices"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/voxel"
)

// columns is a sparse map of columns that never changes: with returns another
// that shares all squares but those it changes.
type columns struct {
	squares map[geom.ColumnPos]*square
}

// squareEdge is the edge of a square in columns, as in stones.
const squareEdge = 8

type square [squareEdge * squareEdge]*voxel.Column

// unloaded stands for a column that exists but is not in memory.
var unloaded = new(voxel.Column)

func place(pos geom.ColumnPos) (geom.ColumnPos, int) {
	return geom.ColumnPos{X: pos.X >> 3, Z: pos.Z >> 3}, int(pos.Z&7)<<3 | int(pos.X&7)
}

// at returns the column at pos: nil if there is none, unloaded if it is not in
// memory.
func (c *columns) at(pos geom.ColumnPos) *voxel.Column {
	key, i := place(pos)
	if s := c.squares[key]; s != nil {
		return s[i]
	}
	return nil
}

// with returns columns changed as in changes; nil takes one away.
func (c *columns) with(changes map[geom.ColumnPos]*voxel.Column) *columns {
	if len(changes) == 0 {
		return c
	}
	out := &columns{squares: maps.Clone(c.squares)}
	if out.squares == nil {
		out.squares = make(map[geom.ColumnPos]*square)
	}
	own := make(map[geom.ColumnPos]bool)
	for pos, col := range changes {
		key, i := place(pos)
		s := out.squares[key]
		switch {
		case s == nil:
			s = new(square)
		case !own[key]:
			clone := *s
			s = &clone
		}
		own[key] = true
		s[i] = col
		out.squares[key] = s
		if *s == (square{}) {
			delete(out.squares, key)
		}
	}
	return out
}

// all yields the columns in ascending order of position.
func (c *columns) all() iter.Seq2[geom.ColumnPos, *voxel.Column] {
	return c.within(func(geom.ColumnPos) bool { return true }, c.keys())
}

// in yields the columns that touch box, in ascending order of position.
func (c *columns) in(box geom.Box) iter.Seq2[geom.ColumnPos, *voxel.Column] {
	if box.Empty() {
		return c.within(nil, nil)
	}
	low, high := columnOf(box.Min), columnOf(box.Max.Sub(geom.Point{X: 1, Y: 1, Z: 1}))
	inside := func(pos geom.ColumnPos) bool {
		return pos.X >= low.X && pos.X <= high.X && pos.Z >= low.Z && pos.Z <= high.Z
	}
	wide, deep := int(high.X>>3-low.X>>3)+1, int(high.Z>>3-low.Z>>3)+1
	if wide > len(c.squares) || wide*deep > len(c.squares) {
		return c.within(inside, c.keys())
	}
	var keys []geom.ColumnPos
	for z := low.Z >> 3; z <= high.Z>>3; z++ {
		for x := low.X >> 3; x <= high.X>>3; x++ {
			keys = append(keys, geom.ColumnPos{X: x, Z: z})
		}
	}
	return c.within(inside, keys)
}

func (c *columns) keys() []geom.ColumnPos { return slices.Collect(maps.Keys(c.squares)) }

// within yields the columns of some squares that are inside, in ascending order
// of position.
func (c *columns) within(inside func(geom.ColumnPos) bool, keys []geom.ColumnPos) iter.Seq2[geom.ColumnPos, *voxel.Column] {
	return func(yield func(geom.ColumnPos, *voxel.Column) bool) {
		var positions []geom.ColumnPos
		for _, key := range keys {
			s := c.squares[key]
			if s == nil {
				continue
			}
			for i, col := range s {
				pos := geom.ColumnPos{X: key.X<<3 + int32(i&7), Z: key.Z<<3 + int32(i>>3)}
				if col != nil && inside(pos) {
					positions = append(positions, pos)
				}
			}
		}
		slices.SortFunc(positions, geom.ColumnPos.Compare)
		for _, pos := range positions {
			if !yield(pos, c.at(pos)) {
				return
			}
		}
	}
}

// columnOf returns the column that holds p; positions out of range are brought
// to its edge.
func columnOf(p geom.Point) geom.ColumnPos {
	const edge = geom.MaxChunk * geom.ChunkEdge / geom.ColumnEdge
	clamp := func(v int) int32 { return int32(min(max(v>>4, -edge), edge-1)) }
	return geom.ColumnPos{X: clamp(p.X), Z: clamp(p.Z)}
}
