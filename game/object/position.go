package object

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Cell returns the box of the cell of an object: from At to At+1. It reports false if the object has
// no position, or one that is out of range.
func Cell(_ string, o *voxel.Object) (octree.Box, bool) {
	return Box(geom.Box{Min: o.At, Max: o.At.Add(geom.Point{X: 1, Y: 1, Z: 1})}), o.Place != voxel.Nowhere && o.At.Check() == nil
}

// Box returns the space of a box of cells. What lies inside of it are the objects that have
// their cells in b.
func Box(b geom.Box) octree.Box { return octree.Box{Min: vec(b.Min), Max: vec(b.Max)} }

func vec(p geom.Point) octree.Vec {
	return octree.Vec{X: float64(p.X), Y: float64(p.Y), Z: float64(p.Z)}
}

// cellAt returns the cell of a position. The error wraps geom.ErrOutOfRange.
func cellAt(at octree.Vec) (geom.Point, error) {
	const far = geom.MaxChunk * geom.ChunkEdge
	for _, v := range [...]float64{at.X, at.Y, at.Z} {
		if !(v >= -far && v < far) {
			return geom.Point{}, fmt.Errorf("object: position %v: %w", at, geom.ErrOutOfRange)
		}
	}
	return geom.Point{X: int(math.Floor(at.X)), Y: int(math.Floor(at.Y)), Z: int(math.Floor(at.Z))}, nil
}

// Body is the size of an object: a box around its position when that is the middle of its feet.
type Body struct{ Width, Height float64 }

// Person is the size of a player, and of entities whose size nobody knows.
var Person = Body{0.6, 1.8}

// At returns the box of a body at a position.
func (b Body) At(p octree.Vec) octree.Box {
	w := b.Width / 2
	return octree.Box{Min: octree.Vec{X: p.X - w, Y: p.Y, Z: p.Z - w}, Max: octree.Vec{X: p.X + w, Y: p.Y + b.Height, Z: p.Z + w}}
}

// Exact returns the box of a Person where an entity of a block world is by its tag Pos, and the Cell
// of other objects. It is for Options.Box.
func Exact(list string, o *voxel.Object) (octree.Box, bool) {
	if at, ok := tagged(o.Payload); ok && o.Place == voxel.Indexed {
		return Person.At(at), true
	}
	return Cell(list, o)
}

// Position returns where an object is: by the tag Pos of its payload, three doubles, unless At
// replaces what the payload says (voxel.Moved), and without it the middle of the bottom of its
// cell. It reports false if the object has no position, or none in range.
func Position(o *voxel.Object) (octree.Vec, bool) {
	if at, ok := tagged(o.Payload); ok && o.Place != voxel.Moved {
		return at, true
	}
	at := vec(o.At)
	return octree.Vec{X: at.X + 0.5, Y: at.Y, Z: at.Z + 0.5}, o.Place != voxel.Nowhere && o.At.Check() == nil
}

// tagged returns the position of a tag Pos that is in range.
func tagged(payload []byte) (at octree.Vec, ok bool) {
	i := findPos(payload)
	if i < 0 {
		return at, false
	}
	b := payload[i:]
	at = octree.Vec{X: double(b), Y: double(b[8:]), Z: double(b[16:])}
	_, err := cellAt(at)
	return at, err == nil
}

func double(b []byte) float64 { return math.Float64frombits(binary.BigEndian.Uint64(b)) }

// SetPosition returns an object at another position: with another At, and with other numbers in the
// tag Pos if its payload has it. It copies the payload. An error wraps geom.ErrOutOfRange.
func SetPosition(o voxel.Object, at octree.Vec) (voxel.Object, error) {
	cell, err := cellAt(at)
	if err != nil {
		return o, err
	}
	o.At = cell
	if o.Place == voxel.Nowhere {
		o.Place = voxel.Indexed
	}
	if i := findPos(o.Payload); i >= 0 {
		o.Payload = slices.Clone(o.Payload)
		for k, v := range [...]float64{at.X, at.Y, at.Z} {
			binary.BigEndian.PutUint64(o.Payload[i+8*k:], math.Float64bits(v))
		}
	}
	return o, nil
}

// findPos returns where the three doubles of the tag Pos begin in the payload of a compound, or -1.
func findPos(payload []byte) int {
	r := nbt.NewPayload(payload, nbt.Limits{})
	for t, name := r.Next(); t != nbt.End; t, name = r.Next() {
		if t != nbt.List || string(name) != "Pos" {
			r.Skip(t)
			continue
		}
		if elem, n := r.List(); elem == nbt.Double && n == 3 && r.Rest() >= 24 {
			return r.Offset()
		}
		return -1
	}
	return -1
}
