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
	ID     octree.ObjectID // in the index, until the object is removed or goes to another place of its list
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

// Lookup asks an Index. It is good until the function returns that got it.
type Lookup struct{ x *Index }

// Read calls f, beside other readers; an Update waits for it, and f sees all of one or nothing. f must not keep what
// it gets, nor call the Index.
func (x *Index) Read(f func(Lookup)) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	f(Lookup{x})
}

// Tree returns the boxes of the objects, to be asked for those in a box, a ball or a frustum, on a ray, or
// nearest to a position. It must not be changed. With Box and the default of Options.Box, what lies inside
// of a box are the objects that have their cells in a box of cells.
func (l Lookup) Tree() *octree.Tree { return l.x.tree }

// Get returns an object by its ID in the tree, and whether it is there.
func (l Lookup) Get(id octree.ObjectID) (Found, bool) {
	b, ok := l.x.tree.Get(id)
	if !ok {
		return Found{}, false
	}
	h := l.x.homes[id.Index()]
	r := &l.x.rows[h.row]
	return Found{ID: id, Box: b, Column: r.pos, List: r.list, Ordinal: int(h.ordinal)}, true
}

// Load returns the object that was found. If the index is one of a Snapshot it reads the column.
func (x *Index) Load(ctx context.Context, f Found) (*voxel.Object, error) {
	if o := f.Object(); o != nil {
		return o, nil
	}
	if x.from == nil || f.List == nil {
		return nil, fmt.Errorf("object: index of %q: nothing was found", x.name)
	}
	c, err := x.from.ReadColumn(ctx, x.name, f.Column)
	if err != nil {
		return nil, err
	}
	if objects := c.Objects(f.List.Name); f.Ordinal < len(objects) {
		return &objects[f.Ordinal], nil
	}
	return nil, fmt.Errorf("object: index of %q: column %v has no object %d of %q", x.name, f.Column, f.Ordinal, f.List.Name)
}
