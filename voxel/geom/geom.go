// Package geom is integer space: points, chunk positions, boxes, Morton codes and
// the locational codes of an octree's cubes.
//
// x points east, y up, z south. Point counts cells, ChunkPos counts chunks of 32
// cells an edge, and ColumnPos counts columns of 16x16 cells. They are different
// types, so code that mixes them does not compile. The bits of an octant are x = 1,
// z = 2, y = 4.
package geom

import (
	"errors"
	"fmt"
)

const (
	// ChunkShift is log2 of ChunkEdge.
	ChunkShift = 5
	// ChunkEdge is the number of cells along each edge of a chunk.
	ChunkEdge = 1 << ChunkShift
	// ColumnEdge is the number of cells along x and z of a column.
	ColumnEdge = 16
	// MaxChunk bounds chunk coordinates: -MaxChunk <= c < MaxChunk.
	MaxChunk = 1 << 20
)

// ErrOutOfRange says that a position is beyond +-MaxChunk chunks.
var ErrOutOfRange = errors.New("geom: position out of range")

// Point is a position counted in cells.
type Point struct{ X, Y, Z int }

// Add returns p moved by q.
func (p Point) Add(q Point) Point { return Point{p.X + q.X, p.Y + q.Y, p.Z + q.Z} }

// Sub returns p moved by -q.
func (p Point) Sub(q Point) Point { return Point{p.X - q.X, p.Y - q.Y, p.Z - q.Z} }

// Over returns the cell n times as wide that has the cell p.
func (p Point) Over(n int) Point { return Point{FloorDiv(p.X, n), FloorDiv(p.Y, n), FloorDiv(p.Z, n)} }

// Column returns the column that has the cell.
func (p Point) Column() ColumnPos { return ColumnPos{int32(p.X >> 4), int32(p.Z >> 4)} }

// Chunk returns the position of the chunk that holds p.
func (p Point) Chunk() ChunkPos {
	return ChunkPos{int32(p.X >> ChunkShift), int32(p.Y >> ChunkShift), int32(p.Z >> ChunkShift)}
}

// InChunk returns p relative to the least corner of its chunk: each coordinate in 0..31.
func (p Point) InChunk() Point {
	return Point{p.X & (ChunkEdge - 1), p.Y & (ChunkEdge - 1), p.Z & (ChunkEdge - 1)}
}

// Check returns an error wrapping ErrOutOfRange unless p lies in a chunk within range.
func (p Point) Check() error {
	const max = MaxChunk * ChunkEdge
	if p.X < -max || p.X >= max || p.Y < -max || p.Y >= max || p.Z < -max || p.Z >= max {
		return fmt.Errorf("%w: cell %v", ErrOutOfRange, p)
	}
	return nil
}

func (p Point) String() string { return fmt.Sprintf("(%d,%d,%d)", p.X, p.Y, p.Z) }

// ChunkPos is a position counted in chunks. At level L of a volume one chunk
// spans 32<<L cells of level 0.
type ChunkPos struct{ X, Y, Z int32 }

// Min returns the least cell of the chunk.
func (c ChunkPos) Min() Point {
	return Point{int(c.X) << ChunkShift, int(c.Y) << ChunkShift, int(c.Z) << ChunkShift}
}

// Box returns the cells of the chunk.
func (c ChunkPos) Box() Box {
	min := c.Min()
	return Box{min, min.Add(Point{ChunkEdge, ChunkEdge, ChunkEdge})}
}

// Check returns an error wrapping ErrOutOfRange unless c is within +-MaxChunk.
func (c ChunkPos) Check() error {
	if !inRange(c.X) || !inRange(c.Y) || !inRange(c.Z) {
		return fmt.Errorf("%w: chunk %v", ErrOutOfRange, c)
	}
	return nil
}

func inRange(v int32) bool { return v >= -MaxChunk && v < MaxChunk }

// Columns returns the columns that a chunk lies over.
func (c ChunkPos) Columns() (out [4]ColumnPos) {
	for i := range out {
		out[i] = ColumnPos{c.X*2 + int32(i&1), c.Z*2 + int32(i>>1)}
	}
	return out
}

func (c ChunkPos) String() string { return fmt.Sprintf("(%d,%d,%d)", c.X, c.Y, c.Z) }

// ColumnPos is a position counted in columns of 16x16 cells; a column has no y.
type ColumnPos struct{ X, Z int32 }

// Chunk returns the chunk that holds the column's cells at cell height y.
func (c ColumnPos) Chunk(y int) ChunkPos {
	return ChunkPos{c.X >> 1, int32(y >> ChunkShift), c.Z >> 1}
}

// Min returns the column's least cell at height y.
func (c ColumnPos) Min(y int) Point {
	return Point{int(c.X) * ColumnEdge, y, int(c.Z) * ColumnEdge}
}

// Check returns an error wrapping ErrOutOfRange unless the column lies in chunks within range.
func (c ColumnPos) Check() error {
	if !inRange(c.X>>1) || !inRange(c.Z>>1) {
		return fmt.Errorf("%w: column %v", ErrOutOfRange, c)
	}
	return nil
}

func (c ColumnPos) String() string { return fmt.Sprintf("(%d,%d)", c.X, c.Z) }

// Compare orders columns by the Morton code of the 32x32 footprint that four columns
// share, then by octant. Stones keep columns in this order.
func (c ColumnPos) Compare(d ColumnPos) int {
	a, b := columnKey(c), columnKey(d)
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func columnKey(c ColumnPos) uint64 {
	return spread2(uint32(c.X)^1<<31) | spread2(uint32(c.Z)^1<<31)<<1
}

// spread2 puts a zero bit before every bit of v.
func spread2(v uint32) uint64 {
	x := uint64(v)
	x = (x | x<<16) & 0x0000FFFF0000FFFF
	x = (x | x<<8) & 0x00FF00FF00FF00FF
	x = (x | x<<4) & 0x0F0F0F0F0F0F0F0F
	x = (x | x<<2) & 0x3333333333333333
	return (x | x<<1) & 0x5555555555555555
}

// FloorDiv returns a/b rounded towards minus infinity; b > 0.
func FloorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// FloorMod returns a - b*FloorDiv(a, b), which lies in 0..b-1; b > 0.
func FloorMod(a, b int) int {
	m := a % b
	if m < 0 {
		m += b
	}
	return m
}
