package object

import (
	"context"
	"fmt"

	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Found is an object that an Index has, and where it is stored.
type Found struct {
	ID     octree.ID // in the index, until the object is removed or goes to another place of its list
	Box    octree.Box
	Column geom.ColumnPos
	// List is the list of the column that has the object. It must not be changed. In an Index of a
	// Snapshot it has only a name.
	List    *voxel.List
	Ordinal int // in the list
}

// Object returns the column's own object, which must not be changed. It is nil in an Index of a
// Snapshot: see Index.Load.
func (f Found) Object() *voxel.Object {
	if f.List == nil || f.Ordinal >= len(f.List.Objects) {
		return nil
	}
	return &f.List.Objects[f.Ordinal]
}

func (x *Index) found(id octree.ID, b octree.Box) Found {
	h := x.homes[id.Index()]
	r := &x.rows[h.row]
	return Found{ID: id, Box: b, Column: r.pos, List: r.list, Ordinal: int(h.ordinal)}
}

// each turns what the tree yields into what the index yields.
func (x *Index) each(yield func(Found) bool) func(octree.ID, octree.Box) bool {
	return func(id octree.ID, b octree.Box) bool { return yield(x.found(id, b)) }
}

// The queries below are those of octree.Tree: borders count, and the order is not defined. They end
// when yield returns false. yield must not call the Index, because it would wait for an update
// that waits for the query.

// All calls yield for each object.
func (x *Index) All(yield func(Found) bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	x.tree.All(x.each(yield))
}

// Point calls yield for each object that contains p.
func (x *Index) Point(p octree.Vec, yield func(Found) bool) { x.Overlapping(octree.At(p), yield) }

// Overlapping calls yield for each object that shares a position with q.
func (x *Index) Overlapping(q octree.Box, yield func(Found) bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	x.tree.Overlapping(q, x.each(yield))
}

// Inside calls yield for each object that lies in q as a whole. With Box and the default of
// Options.Box these are the objects that have their cells in a box of cells.
func (x *Index) Inside(q octree.Box, yield func(Found) bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	x.tree.Inside(q, x.each(yield))
}

// Ball calls yield for each object that has a position at most radius from center.
func (x *Index) Ball(center octree.Vec, radius float64, yield func(Found) bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	x.tree.Ball(center, radius, x.each(yield))
}

// Frustum calls yield for each object that f sees.
func (x *Index) Frustum(f octree.Frustum, yield func(Found) bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	x.tree.Frustum(f, x.each(yield))
}

// Nearest fills buf with the objects nearest to p, nearest first, and returns the part that it
// filled. Get tells what they are.
func (x *Index) Nearest(p octree.Vec, buf []octree.Near) []octree.Near {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.tree.Nearest(p, buf)
}

// First returns the object that a ray meets first, of several at once the one with the lowest ID.
func (x *Index) First(r octree.Ray) (octree.Hit, bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.tree.First(r)
}

// AppendHits appends all objects that a ray meets to dst, nearest first.
func (x *Index) AppendHits(dst []octree.Hit, r octree.Ray) []octree.Hit {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.tree.AppendHits(dst, r)
}

// Get returns an object of the index by its ID, and whether it is there.
func (x *Index) Get(id octree.ID) (Found, bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	b, ok := x.tree.Get(id)
	if !ok {
		return Found{}, false
	}
	return x.found(id, b), true
}

// Len returns the number of objects in the index.
func (x *Index) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.tree.Len()
}

// Load returns the object that was found. If the index is one of a Snapshot it reads the column.
func (x *Index) Load(ctx context.Context, f Found) (*voxel.Object, error) {
	if o := f.Object(); o != nil {
		return o, nil
	}
	if x.from == nil || f.List == nil {
		return nil, fmt.Errorf("object: index of %q: nothing was found", x.name)
	}
	c, err := x.from.Column(ctx, x.name, f.Column)
	if err != nil {
		return nil, err
	}
	if objects := c.Objects(f.List.Name); f.Ordinal < len(objects) {
		return &objects[f.Ordinal], nil
	}
	return nil, fmt.Errorf("object: index of %q: column %v has no object %d of %q", x.name, f.Column, f.Ordinal, f.List.Name)
}
