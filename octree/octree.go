// Package octree is an index of boxes in space that move. It finds objects by point,
// box, ball, ray, frustum and plane, the nearest ones, and the pairs that touch.
//
// Begin with New and Tree.Insert. An object is a box under an ID; what the object is to
// the program stays with the program, for example in a slice by ObjectID.Index. An object of
// size zero is a point.
//
// A Tree is a loose octree: the box of a node is larger than its cell, so most objects
// stay in their node when they move. Number of objects, size and looseness decide
// together how deep an object lies: a node gets children only when many objects in it
// fit them. The tree finds its own bounds, and finds them anew when many objects leave
// them. Coordinates are any finite numbers, or integers of 32 bits (Options.Integer). In
// two dimensions leave Z at 0 (Options.Flat): the tree is a quadtree then.
//
// All boxes include their borders, so boxes that touch overlap. Queries call a function
// for each object and stop when it returns false. The order is not defined, except where
// a query says so. The function must not change the tree. A NaN in a query finds
// nothing. Queries may be infinite; rays only in length. Queries do not allocate, nor do
// moves once the tree has its size; moves of many objects out of its bounds do.
//
// One goroutine at a time may change a Tree, and none may read it meanwhile. Any number
// may read it at once. To read beside the one who changes it, let that one call
// Tree.Publish and the others Tree.View.
//
// Many objects come by Tree.InsertAll and move by Tree.MoveAll. Tree.Changed finds
// what changed since a moment, and passes over the regions where nothing did. Tree.Walk
// visits the nodes. Tree.Renew builds a tree anew while it is in use. Two trees, of what
// stands still and of what moves, make rebuilds and views cheap; Tree.PairsWith finds the
// pairs between them.
//
// The package ends at boxes: it knows no exact shapes, no payloads, no files and no
// goroutines.
package octree

import (
	"fmt"
	"math"
)

// Vec is a position or a direction.
type Vec struct{ X, Y, Z float64 }

func (v Vec) String() string { return fmt.Sprintf("(%g,%g,%g)", v.X, v.Y, v.Z) }

// Box is the positions p with Min <= p <= Max in each coordinate.
type Box struct{ Min, Max Vec }

// At returns the box of one position.
func At(p Vec) Box { return Box{p, p} }

// Around returns the box of a ball.
func Around(center Vec, radius float64) Box {
	return Box{
		Vec{center.X - radius, center.Y - radius, center.Z - radius},
		Vec{center.X + radius, center.Y + radius, center.Z + radius},
	}
}

func (b Box) String() string { return fmt.Sprintf("[%v %v]", b.Min, b.Max) }

// Valid reports whether a tree takes b: all coordinates are finite, and no Min is above its Max.
func (b Box) Valid() bool {
	const m = math.MaxFloat64
	return -m <= b.Min.X && b.Min.X <= b.Max.X && b.Max.X <= m &&
		-m <= b.Min.Y && b.Min.Y <= b.Max.Y && b.Max.Y <= m &&
		-m <= b.Min.Z && b.Min.Z <= b.Max.Z && b.Max.Z <= m
}

// Overlaps reports whether b and c share a position.
func (b Box) Overlaps(c Box) bool { return b.overlaps(&c) }

// Contains reports whether all of c lies in b.
func (b Box) Contains(c Box) bool { return b.contains(&c) }

func (b *Box) overlaps(c *Box) bool {
	return b.Min.X <= c.Max.X && c.Min.X <= b.Max.X &&
		b.Min.Y <= c.Max.Y && c.Min.Y <= b.Max.Y &&
		b.Min.Z <= c.Max.Z && c.Min.Z <= b.Max.Z
}

func (b *Box) contains(c *Box) bool {
	return b.Min.X <= c.Min.X && c.Max.X <= b.Max.X &&
		b.Min.Y <= c.Min.Y && c.Max.Y <= b.Max.Y &&
		b.Min.Z <= c.Min.Z && c.Max.Z <= b.Max.Z
}

// ordered reports whether b is a box that can hold something. A NaN is not ordered.
func (b *Box) ordered() bool {
	return b.Min.X <= b.Max.X && b.Min.Y <= b.Max.Y && b.Min.Z <= b.Max.Z
}

// center halves before it adds, because the sum of two large numbers is infinite.
func (b *Box) center() Vec {
	return Vec{b.Min.X/2 + b.Max.X/2, b.Min.Y/2 + b.Max.Y/2, b.Min.Z/2 + b.Max.Z/2}
}

// ObjectID names an object of one tree. The zero ID names none. After Remove no object gets
// the same ID again.
type ObjectID uint64

// Index returns a small number that no other object of the tree has at the same time.
// A new object takes the index of a removed one.
func (id ObjectID) Index() int { return int(uint32(id)) }

func (id ObjectID) generation() uint32 { return uint32(id >> 32) }

func (id ObjectID) String() string { return fmt.Sprintf("%d.%d", id.Index(), id.generation()) }

// Options of a Tree. The zero value gives the defaults.
type Options struct {
	// SplitAbove is how many objects that fit its children a node keeps before it gets
	// children. Default 96, at least 2. A node loses its children when they hold fewer
	// than half of it.
	SplitAbove int
	// Loose is the edge of a node's box as a multiple of its cell's edge: above 1, at most 4.
	// Small values suit objects much smaller than the distances between them. Default 1.25.
	Loose float64
	// MaxDepth bounds the depth of nodes. The root has depth 0. Default 32, and no more.
	MaxDepth int
	// Integer trees take boxes whose coordinates are integers of 32 bits, in half the memory.
	Integer bool
	// Flat trees take boxes whose Z is 0, in two thirds of the memory. They are quadtrees.
	Flat bool
}

func (o Options) form() (f form) {
	if o.Integer {
		f |= integer
	}
	if o.Flat {
		f |= flat
	}
	return f
}

func (o Options) resolve() (Options, error) {
	if o.SplitAbove == 0 {
		o.SplitAbove = 96
	}
	if o.Loose == 0 {
		o.Loose = 1.25
	}
	if o.MaxDepth == 0 {
		o.MaxDepth = maxDepth
	}
	switch {
	case o.SplitAbove < 2 || o.SplitAbove > maxObjects:
		return o, fmt.Errorf("octree: options: SplitAbove %d: not in 2..%d", o.SplitAbove, maxObjects)
	case !(o.Loose > 1 && o.Loose <= 4):
		return o, fmt.Errorf("octree: options: Loose %g: not above 1 and at most 4", o.Loose)
	case o.MaxDepth < 1 || o.MaxDepth > maxDepth:
		return o, fmt.Errorf("octree: options: MaxDepth %d: not in 1..%d", o.MaxDepth, maxDepth)
	}
	return o, nil
}
