// Package layout has octrees in the memory layouts that the literature describes, to
// compare them, or for a program that needs one of them. A program that only wants to
// find objects should use octree.New: it is faster and takes less memory.
//
// Begin with New, or with All, which lists all layouts by name. Each layout is one file
// that says how nodes are kept and how one goes from node to node. Everything else is
// written once over that: all queries, the ways to store objects that cross borders,
// building, moving, neighbours, and a root that grows and shrinks. Queries have the names
// and the meaning that they have for octree.Tree.
//
// # Objects that cross borders
//
// Enclosing keeps an object in the smallest node that contains it, once. It is the only
// strategy with loose cells, it moves objects cheapest, and an object of any size costs
// one reference. Objects on borders lie high in the tree, so queries look at objects far
// away, unless cells are loose.
//
// Leaves keeps an object in all leaves that it touches, and Split keeps in each of them
// the part of its box that lies there. Nodes with children hold no objects. Queries still
// report an object once, without memory of what they reported. Removing and moving an
// object visits all its leaves. A cell is not split where that would separate no two
// objects, or would more than double the references; otherwise objects that cover one
// place would split it without end. No strategy forbids a query.
//
// # Cells
//
// The root has any proportion. It grows toward an object that it does not contain, and
// shrinks when all but one of its children are empty, but not below the size of
// Options.Root. Cells are kept in units of half the first root's edges. There each cell
// is a cube whose numbers are exact in 32 bits, so all forms of boxes give the same cells,
// for roots of any proportion. For this a tree has at most 21 levels, counted from the
// largest root to the smallest cell. An object outside of the largest root is an error.
//
// In two dimensions (Options.Flat) a tree is a quadtree in X and Y, and its cells reach
// over the Z of all objects.
//
// One goroutine at a time may change a Tree, and none may read it meanwhile. Any number
// may read it at once. The function that a query calls must not change the tree. Queries
// do not allocate.
package layout

import (
	"errors"
	"fmt"
	"math"

	"github.com/cairnvoxel/cairn/octree"
)

// Storage says how nodes are kept and linked.
type Storage int

// The layouts. The default is Pointers.
const (
	Pointers  Storage = iota // eight pointers to children, which are made when they are needed
	InnerLeaf                // the same, and nodes without children are of a smaller type
	Block                    // one pointer to a block of all eight children
	Siblings                 // pointers to the first child and to the next sibling
	Sorted                   // no pointers: an array in the order of locational codes
	Hashed                   // no pointers: a hash table by locational codes
	Full                     // all nodes down to MaxDepth in an array, the children of i at 8i+1 to 8i+8
	kinds
)

func (k Storage) String() string {
	return name("Storage", int(k), "pointers", "inner-leaf", "block", "siblings", "sorted", "hashed", "full")
}

func name(of string, i int, names ...string) string {
	if i < 0 || i >= len(names) {
		return fmt.Sprintf("%s(%d)", of, i)
	}
	return names[i]
}

// linear reports whether nodes have locational codes.
func (k Storage) linear() bool { return k == Sorted || k == Hashed }

// Boxes says how a node knows its cell.
type Boxes int

// The forms of boxes. The default keeps none.
const (
	Computed     Boxes = iota // computed from the parent's cell on the way down
	MinMax                    // the least and the greatest corner
	CenterExtent              // the center and half the edge of each axis
	CenterHalf                // the center and half of one edge
)

func (b Boxes) String() string {
	return name("Boxes", int(b), "computed", "min-max", "center-extent", "center-half")
}

// Strategy says where an object lies that crosses the borders of cells.
type Strategy int

// The strategies. The package comment compares them.
const (
	Enclosing Strategy = iota // in the smallest node that contains it
	Leaves                    // in all leaves that it touches
	Split                     // cut at the borders, a part in each leaf
)

func (s Strategy) String() string { return name("Strategy", int(s), "enclosing", "leaves", "split") }

// Options of a Tree. The zero value gives the defaults.
type Options struct {
	Storage Storage
	Boxes   Boxes // not for Full
	// Objects says where objects lie that cross borders. Default Enclosing.
	Objects Strategy
	// Parents adds a pointer to the parent to the nodes of Pointers, InnerLeaf, Block and
	// Siblings. Without it a tree finds a parent from the root.
	Parents bool
	// Codes is the bits of a locational code of Sorted and Hashed: 32, which have room for
	// 10 levels (15 if flat), or 64. Default 64.
	Codes int
	// Mask adds to the nodes of Sorted and Hashed which children exist.
	Mask bool
	// Virtual begins the codes of Sorted and Hashed at the largest root that the tree could
	// ever have. Then no code changes when the root grows or shrinks. Else all codes do.
	Virtual bool
	// Flat makes a quadtree in X and Y.
	Flat bool
	// Root is the cell of the root. Default -512 to 512 in each axis.
	Root octree.Box
	// Fixed keeps the root as it is: an object outside is an error. Full is always fixed.
	Fixed bool
	// SplitAbove is how many objects a leaf keeps before it gets children. Default 8, at
	// least 1. Children that hold at most half as many are taken away. Not for Full.
	SplitAbove int
	// MaxDepth is how many levels cells have below Root. Default 8, for Full 4. At most 21,
	// or the levels of a code; for Full 8 (153 MB of nodes), or 12 if flat (179 MB).
	MaxDepth int
	// MinSize is the least edge of a cell, on its longest axis. Default 0: MaxDepth decides.
	MinSize float64
	// Loose is the edge of a node's box as a multiple of its cell's edge: 1 or more. Default 1.
	// Only for Enclosing.
	Loose float64
}

const (
	maxLevels  = 21 // of three bits in 64, with the sentinel
	maxObjects = 1 << 28
)

// ErrOutside says that an object lies outside of the largest root that a tree can have.
var ErrOutside = errors.New("outside of the largest root")

// ErrFull says that a tree has no room for one more object.
var ErrFull = errors.New("a tree holds at most 268435456 objects")

// dimensions is the bits of one octant in a code.
func (o *Options) dimensions() int {
	if o.Flat {
		return 2
	}
	return 3
}

// levels is how many levels a tree of these options has at most.
func (o *Options) levels() int {
	switch {
	case o.Storage == Full && o.Flat:
		return 12
	case o.Storage == Full:
		return 8
	case o.Codes == 32:
		return 31 / o.dimensions()
	}
	return maxLevels
}

func (o Options) resolve() (Options, error) {
	fault := func(name string, value any, why string) (Options, error) {
		return o, fmt.Errorf("layout: options: %s %v: %s", name, value, why)
	}
	pointers := o.Storage <= Siblings
	switch {
	case o.Storage < 0 || o.Storage >= kinds:
		return fault("Storage", int(o.Storage), "unknown")
	case o.Boxes < 0 || o.Boxes > CenterHalf:
		return fault("Boxes", int(o.Boxes), "unknown")
	case o.Objects < 0 || o.Objects > Split:
		return fault("Objects", int(o.Objects), "unknown")
	case o.Storage == Full && o.Boxes != Computed:
		return fault("Boxes", o.Boxes, "the nodes of full keep no boxes")
	case o.Parents && !pointers:
		return fault("Parents", o.Parents, o.Storage.String()+" computes parents")
	case o.Codes != 0 && !o.Storage.linear():
		return fault("Codes", o.Codes, o.Storage.String()+" has no codes")
	case o.Codes != 0 && o.Codes != 32 && o.Codes != 64:
		return fault("Codes", o.Codes, "neither 32 nor 64")
	case o.Mask && !o.Storage.linear():
		return fault("Mask", o.Mask, o.Storage.String()+" knows its children")
	case o.Virtual && !o.Storage.linear():
		return fault("Virtual", o.Virtual, o.Storage.String()+" has no codes")
	case o.Virtual && o.Fixed:
		return fault("Virtual", o.Virtual, "a fixed root does not grow")
	case o.Storage == Full && o.SplitAbove != 0:
		return fault("SplitAbove", o.SplitAbove, "full has all its nodes")
	case o.Storage == Full && o.MinSize != 0:
		return fault("MinSize", o.MinSize, "full has all its nodes")
	case o.SplitAbove < 0 || o.SplitAbove > maxObjects:
		return fault("SplitAbove", o.SplitAbove, fmt.Sprintf("not in 1..%d", maxObjects))
	case o.MaxDepth < 0 || o.MaxDepth > o.levels():
		return fault("MaxDepth", o.MaxDepth, fmt.Sprintf("not in 1..%d", o.levels()))
	case !(o.MinSize >= 0):
		return fault("MinSize", o.MinSize, "below 0")
	case o.Loose != 0 && !(o.Loose >= 1 && o.Loose <= math.MaxFloat64):
		return fault("Loose", o.Loose, "below 1, or not finite")
	case o.Loose > 1 && o.Objects != Enclosing:
		return fault("Loose", o.Loose, o.Objects.String()+" needs cells that do not overlap")
	}
	if o.Root == (octree.Box{}) {
		o.Root = octree.Around(octree.Vec{}, 512)
	}
	if r := o.Root; !r.Valid() || !(r.Min.X < r.Max.X && r.Min.Y < r.Max.Y && (o.Flat || r.Min.Z < r.Max.Z)) {
		return fault("Root", r, "not finite, or an edge is not above 0")
	}
	if o.Codes == 0 && o.Storage.linear() {
		o.Codes = 64
	}
	if o.SplitAbove == 0 && o.Storage != Full {
		o.SplitAbove = 8
	}
	if o.Loose == 0 {
		o.Loose = 1
	}
	if o.MaxDepth == 0 {
		o.MaxDepth = min(8, o.levels())
		if o.Storage == Full {
			o.MaxDepth = 4
		}
	}
	o.Fixed = o.Fixed || o.Storage == Full
	return o, nil
}

// Named is a layout under its name.
type Named struct {
	Name    string
	Options Options
}

// All lists all layouts: each Storage with and without parents, or with each form of
// codes, and Pointers with each form of boxes. All other options have their defaults.
func All() []Named {
	var out []Named
	for kind := Pointers; kind <= Siblings; kind++ {
		out = append(out, Named{kind.String(), Options{Storage: kind}}, Named{kind.String() + " parent", Options{Storage: kind, Parents: true}})
	}
	for boxes := MinMax; boxes <= CenterHalf; boxes++ {
		out = append(out, Named{"pointers parent " + boxes.String(), Options{Storage: Pointers, Parents: true, Boxes: boxes}})
	}
	for kind := Sorted; kind <= Hashed; kind++ {
		for _, codes := range []int{32, 64} {
			name := fmt.Sprintf("%v %d", kind, codes)
			out = append(out, Named{name, Options{Storage: kind, Codes: codes}}, Named{name + " mask", Options{Storage: kind, Codes: codes, Mask: true}})
		}
	}
	return append(out, Named{Full.String(), Options{Storage: Full}})
}
