// Package grid is one volume in memory: a sparse map of chunks. Reads take no locks,
// changes copy and publish, and a snapshot costs a pointer. It also has levels of
// detail, boxes, rays and moving boxes.
//
// A View is the volume at one moment. A Draft collects writes and publishes the next
// View, which shares all unchanged chunks with the previous one. A Grid holds the
// newest View for programs without a world. The package does not load chunks;
// package world does.
package grid

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// ErrNotLoaded says that a call needed a chunk that is NotLoaded. The error names
// the chunk.
var ErrNotLoaded = errors.New("grid: chunk not loaded")

// NotLoadedError is the ErrNotLoaded of a Draft: it says which chunk is meant.
type NotLoadedError struct{ Pos geom.ChunkPos }

func (e *NotLoadedError) Error() string { return fmt.Sprintf("%v: %v", ErrNotLoaded, e.Pos) }

// Unwrap returns ErrNotLoaded.
func (e *NotLoadedError) Unwrap() error { return ErrNotLoaded }

// NotLoaded stands, in Build and With, for a chunk that exists but is not in memory.
// It is compared by address. Of what reads a View only Apart returns it.
var NotLoaded = voxel.Uniform(voxel.Empty)

// Options say what the cells of a volume mean.
type Options struct {
	Schema voxel.Schema
	// Default is the value where no chunk is stored.
	Default voxel.Cell
	// Empty lists the cells besides 0 that count as empty for mips, rays and moving
	// boxes.
	Empty []voxel.Cell
}

// volume is the resolved Options. All Views of a volume share it.
type volume struct {
	rule              voxel.Rule
	def, farDef       voxel.Cell // at level 0, and above
	filler, farFiller *voxel.Chunk
}

// normal returns nil if all cells of c are the default, else c.
func (o *volume) normal(c *voxel.Chunk) *voxel.Chunk {
	if c == nil || c == NotLoaded {
		return c
	}
	if v, ok := c.Uniform(); ok && v == o.def {
		return nil
	}
	return c
}

// check returns an error unless the volume allows v. The names of a Palette are
// unknown here, so it assumes 32,768.
func (o *volume) check(v voxel.Cell) error {
	if !o.rule.Schema.Valid(v, int(voxel.MaxCell)+1) {
		return fmt.Errorf("grid: cell %#x: not valid in schema %v", uint16(v), o.rule.Schema)
	}
	return nil
}

// View is a volume at one moment. It never changes, so goroutines may share and keep
// it. Keeping it keeps its chunks.
type View struct {
	vol   *volume
	root  *node  // see tree
	later *later // nil: root is there
	far   atomic.Pointer[far]
}

// later makes the root of a View when it is first needed.
type later struct {
	once  sync.Once
	cubes iter.Seq2[geom.Code, uint64]
	root  *node
}

// tree returns the root.
func (v *View) tree() *node {
	if v.later != nil {
		return v.later.tree()
	}
	return v.root
}

func (l *later) tree() *node {
	l.once.Do(func() {
		var all []cube
		for code, there := range l.cubes {
			all = append(all, cube{code, there})
		}
		l.root, l.cubes = unloaded(all), nil
	})
	return l.root
}

// New returns a volume whose cells are all the default.
func New(o Options) *View {
	vol := &volume{rule: voxel.Rule{Schema: o.Schema, Empties: slices.Clone(o.Empty)}, def: o.Default}
	vol.farDef = halve(&vol.rule, func(x, y, z int) voxel.Cell { return o.Default }, 0, 0, 0)
	vol.filler = voxel.Uniform(vol.def)
	vol.farFiller = vol.filler
	if vol.farDef != vol.def {
		vol.farFiller = voxel.Uniform(vol.farDef)
	}
	return &View{vol: vol}
}

// Build returns a volume of the chunks of seq. Ascending codes are fastest. Of
// several chunks at one place the last wins. nil means the default. Cells must be
// valid for the schema. It panics if a position is out of range.
func Build(o Options, seq iter.Seq2[geom.ChunkPos, *voxel.Chunk]) *View {
	v := New(o)
	var changes []change
	for pos, c := range seq {
		changes = append(changes, change{mustCode(pos), v.vol.normal(c)})
	}
	v.root = v.root.merge(sorted(changes))
	return v
}

// Unloaded returns a volume whose chunks are all NotLoaded. cubes yields cubes of 4x4x4 chunks in ascending
// order: the code of level 2, and which of the chunks are there, by the last six bits of their codes. It
// is asked once, when the chunks are first needed, and costs what it yields: the chunks of a cube cost
// nothing of their own.
func Unloaded(o Options, cubes iter.Seq2[geom.Code, uint64]) *View {
	v := New(o)
	v.later = &later{cubes: cubes}
	return v
}

func mustCode(pos geom.ChunkPos) geom.Code {
	if err := pos.Check(); err != nil {
		panic("grid: chunks lie within range: " + err.Error())
	}
	return geom.CodeOf(pos, 0)
}

// sorted returns changes in ascending order, with the last one of each place.
func sorted(changes []change) []change {
	byCode := func(a, b change) int {
		if a.code < b.code {
			return -1
		} else if a.code > b.code {
			return 1
		}
		return 0
	}
	if !slices.IsSortedFunc(changes, byCode) {
		slices.SortStableFunc(changes, byCode)
	}
	out := changes[:0]
	for i, c := range changes {
		if i+1 == len(changes) || changes[i+1].code != c.code {
			out = append(out, c)
		}
	}
	return out
}

// Placed is a chunk and its position.
type Placed struct {
	Pos   geom.ChunkPos
	Chunk *voxel.Chunk // nil: all default; NotLoaded: not in memory
}

// With returns v with other chunks at some places, in any order. Of several at one
// place the last wins. It does not check cells. An owner uses it to load and drop
// chunks. It panics if a position is out of range.
func (v *View) With(placed []Placed) *View {
	changes := make([]change, 0, len(placed))
	for _, p := range placed {
		changes = append(changes, change{mustCode(p.Pos), v.vol.normal(p.Chunk)})
	}
	return v.next(sorted(changes))
}

// next returns the View after v. changes must be sorted and normal.
func (v *View) next(changes []change) *View {
	if len(changes) == 0 {
		return v
	}
	w := &View{vol: v.vol, root: v.tree().merge(changes)}
	if f := v.far.Load(); f != nil {
		w.far.Store(f.after(changes, w))
	}
	return w
}

// Chunk returns the chunk at pos. It returns nil and true if all cells are the
// default, and nil and false if it is not loaded or pos is out of range.
func (v *View) Chunk(pos geom.ChunkPos) (c *voxel.Chunk, ok bool) {
	if c, ok = v.lookup(pos); !ok || c == NotLoaded {
		return nil, false
	}
	return c, true
}

// lookup returns the chunk in the map at pos, which may be NotLoaded. It returns
// false if pos is out of range.
func (v *View) lookup(pos geom.ChunkPos) (*voxel.Chunk, bool) {
	const n = geom.MaxChunk
	if uint32(pos.X+n)|uint32(pos.Y+n)|uint32(pos.Z+n) >= 2*n {
		return nil, false
	}
	return v.tree().find(geom.CodeOf(pos, 0)), true
}

func inRange(p geom.Point) bool {
	const n = geom.MaxChunk * geom.ChunkEdge
	return uint(p.X+n)|uint(p.Y+n)|uint(p.Z+n) < 2*n
}

// Known reports whether the map has a chunk at pos, loaded or not.
func (v *View) Known(pos geom.ChunkPos) bool {
	c, _ := v.lookup(pos)
	return c != nil
}

// Len returns the number of chunks known.
func (v *View) Len() int {
	if root := v.tree(); root != nil {
		return root.count
	}
	return 0
}

// Default returns the value where no chunk is stored.
func (v *View) Default() voxel.Cell { return v.vol.def }

// Rule returns the rule of the volume's mips. The caller must not change it.
func (v *View) Rule() *voxel.Rule { return &v.vol.rule }

// everywhere is the box of all cells in range.
var everywhere = geom.Root.Box()

// Chunks returns the known chunks in ascending order of their codes. A chunk that is
// not loaded is nil.
func (v *View) Chunks() iter.Seq2[geom.ChunkPos, *voxel.Chunk] { return v.ChunksIn(everywhere) }

// ChunksIn is Chunks for the chunks that have a cell in b.
func (v *View) ChunksIn(b geom.Box) iter.Seq2[geom.ChunkPos, *voxel.Chunk] {
	return func(yield func(geom.ChunkPos, *voxel.Chunk) bool) {
		s, ok := spanOf(b, 0)
		if !ok {
			return
		}
		v.tree().walk(&s, func(code geom.Code, c *voxel.Chunk) bool {
			if c == NotLoaded {
				c = nil
			}
			return yield(code.Pos(), c)
		})
	}
}

// Cell returns the cell at p. It returns false if its chunk is not loaded or p is
// out of range. A Cursor is faster for cells near each other.
func (v *View) Cell(p geom.Point) (voxel.Cell, bool) {
	if !inRange(p) {
		return voxel.Empty, false
	}
	c := v.tree().find(geom.CodeOf(p.Chunk(), 0))
	switch c {
	case NotLoaded:
		return voxel.Empty, false
	case nil:
		return v.vol.def, true
	}
	q := p.InChunk()
	return c.Cell(q.X, q.Y, q.Z), true
}

// Sub returns the chunks of v that have a cell in b as a volume of their own.
// Everything else is the default. It copies pointers, not cells.
func (v *View) Sub(b geom.Box) *View {
	w := &View{vol: v.vol}
	if s, ok := spanOf(b, 0); ok {
		var changes []change
		v.tree().walk(&s, func(code geom.Code, c *voxel.Chunk) bool {
			changes = append(changes, change{code, c})
			return true
		})
		w.root = w.root.merge(changes)
	}
	return w
}
