package lod

import (
	"cmp"
	"fmt"

	"github.com/cairnvoxel/cairn/voxel/geom"
)

const (
	// Edge is the number of cells along each edge of a cube.
	Edge = 16
	// MaxLevel bounds the levels of cubes.
	MaxLevel = 20
)

// Key names a cube of Edge cells an edge at a level. A cube of level L covers Edge<<L
// blocks along each edge, and its position counts such cubes.
type Key struct {
	X, Y, Z int32
	Level   uint8
}

// KeyOf returns the key of the cube of a level that holds block p.
func KeyOf(p geom.Point, level int) Key {
	e := Edge << level
	return Key{int32(geom.FloorDiv(p.X, e)), int32(geom.FloorDiv(p.Y, e)), int32(geom.FloorDiv(p.Z, e)), uint8(level)}
}

// Box returns the blocks that the cube covers.
func (k Key) Box() geom.Box {
	e := Edge << k.Level
	low := geom.Point{X: int(k.X) * e, Y: int(k.Y) * e, Z: int(k.Z) * e}
	return geom.Box{Min: low, Max: low.Add(geom.Point{X: e, Y: e, Z: e})}
}

// Parent returns the cube of the next level that k lies in.
func (k Key) Parent() Key { return Key{k.X >> 1, k.Y >> 1, k.Z >> 1, k.Level + 1} }

// Child returns one of the eight cubes of the level below in k, by octant (x = 1, z = 2,
// y = 4). The level of k must be above 0.
func (k Key) Child(o int) Key {
	return Key{k.X<<1 | int32(o&1), k.Y<<1 | int32(o>>2&1), k.Z<<1 | int32(o>>1&1), k.Level - 1}
}

// Compare orders keys: higher levels first, then by y, z and x. A parent comes before its
// children.
func (k Key) Compare(l Key) int {
	return cmp.Or(cmp.Compare(l.Level, k.Level), cmp.Compare(k.Y, l.Y), cmp.Compare(k.Z, l.Z), cmp.Compare(k.X, l.X))
}

func (k Key) String() string { return fmt.Sprintf("(%d,%d,%d)/%d", k.X, k.Y, k.Z, k.Level) }
