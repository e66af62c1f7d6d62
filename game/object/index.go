package object

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// Options of an Index. The zero value is the default.
type Options struct {
	// Lists are the names of the lists to index. Default: all.
	Lists []string
	// Box returns the box of an object, and whether it has one. It must give the same box for the
	// same object each time. An object whose box is not valid is left out; a valid one that a Flat or
	// Integer tree does not take is an error. Default: Cell.
	Box func(list string, o *voxel.Object) (octree.Box, bool)
	// Tree are options of the tree. Without Box it is an Integer tree.
	Tree octree.Options
}

// Index has the objects of one dimension that have a position, by their boxes. Any number of
// goroutines may query it while one updates it; queries wait for an update and see all of it.
type Index struct {
	o    Options
	from *world.Snapshot // nil: the columns are in memory
	name string          // of the dimension

	mu    sync.RWMutex // what is below
	tree  *octree.Tree
	shows *world.Dimension
	rows  []row
	free  []uint32                  // rows that are not in use
	first map[geom.ColumnPos]uint32 // row of each column
	homes []home                    // by octree.ObjectID.Index
	fresh *fresh                    // while the index is made
}

// fresh is what comes into an empty tree at once.
type fresh struct {
	boxes []octree.Box
	homes []home
}

// row is a list of a column. The rows of a column are chained.
type row struct {
	pos  geom.ColumnPos
	list *voxel.List // of an Index of a Snapshot it has no objects
	next uint32      // none: the last
}

const none = ^uint32(0)

// home says where an object is stored.
type home struct{ row, ordinal uint32 }

// New makes an index of the columns of a dimension that are in memory.
func New(d *world.Dimension, o Options) (*Index, error) {
	if d == nil {
		return nil, errors.New("object: index: no dimension")
	}
	x, err := newIndex(d.Name(), o)
	if err != nil {
		return nil, err
	}
	if _, err = x.Update(d); err != nil {
		return nil, err
	}
	return x, nil
}

// Read makes an index of a dimension of a Snapshot. It reads all columns once and keeps none of them,
// so what it finds has no Object: see Index.Load. The Snapshot must stay open as long as
// Load is called.
func Read(ctx context.Context, s *world.Snapshot, dimension string, o Options) (*Index, error) {
	x, err := newIndex(dimension, o)
	if err != nil {
		return nil, err
	}
	x.from = s
	names := make(map[string]*voxel.List)
	x.fresh = new(fresh)
	for c, err := range s.ReadColumns(ctx, dimension) {
		if err == nil {
			err = x.replace(c.Pos, c)
		}
		if err != nil {
			return nil, fmt.Errorf("object: index of %q: %w", dimension, err)
		}
		for r, ok := x.first[c.Pos]; ok && r != none; r = x.rows[r].next {
			name := x.rows[r].list.Name
			if names[name] == nil {
				names[name] = &voxel.List{Name: strings.Clone(name)}
			}
			x.rows[r].list = names[name] // lets go of the column
		}
	}
	if err := x.fill(); err != nil {
		return nil, fmt.Errorf("object: index of %q: %w", dimension, err)
	}
	return x, nil
}

// splitAbove makes nodes with many objects. They take a tenth less memory, and a query looks at some more.
const splitAbove = 256

func newIndex(name string, o Options) (*Index, error) {
	if o.Box == nil {
		o.Box, o.Tree.Integer = Cell, true
	}
	o.Tree.SplitAbove = cmp.Or(o.Tree.SplitAbove, splitAbove)
	o.Lists = slices.Clone(o.Lists)
	x := &Index{o: o, name: name}
	return x, x.clear()
}

// clear empties the index.
func (x *Index) clear() (err error) {
	x.tree, err = octree.New(x.o.Tree)
	x.shows, x.rows, x.free, x.homes, x.fresh, x.first = nil, nil, nil, nil, nil, make(map[geom.ColumnPos]uint32)
	return err
}

// Update brings an index of an open world to another view of it: the dimension of the same name. It
// returns how many columns it looked at. After an error the index is empty.
func (x *Index) Update(d *world.Dimension) (columns int, err error) {
	if x.from != nil || d == nil || d.Name() != x.name {
		return 0, fmt.Errorf("object: index of %q: update: not a view of the same dimension", x.name)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	columns, err = x.update(d)
	if errors.Is(err, errUnlike) {
		if err = x.clear(); err == nil {
			columns, err = x.update(d)
		}
	}
	if err != nil {
		return columns, errors.Join(fmt.Errorf("object: index of %q: %w", x.name, err), x.clear())
	}
	return columns, nil
}

func (x *Index) update(d *world.Dimension) (int, error) {
	apart := d.Apart(x.shows)
	if x.shows == nil {
		x.fresh = new(fresh)
	}
	for _, pos := range apart {
		now, _ := d.Column(pos)
		if err := x.replace(pos, now); err != nil {
			return 0, err
		}
	}
	x.shows = d.WithoutCells()
	return len(apart), x.fill()
}

// fill brings what is fresh into the tree, in as little memory as it needs.
func (x *Index) fill() error {
	f := x.fresh
	if x.fresh = nil; f == nil {
		return nil
	}
	ids, err := x.tree.InsertAll(make([]octree.ObjectID, 0, len(f.boxes)), f.boxes)
	if err != nil {
		return err
	}
	x.tree.Rebuild() // gives back the room for more
	x.homes = make([]home, len(ids))
	for i, id := range ids {
		x.homes[id.Index()] = f.homes[i]
	}
	x.rows = append(make([]row, 0, len(x.rows)), x.rows...)
	return nil
}

// errUnlike says that Options.Box gave two boxes for one object.
var errUnlike = errors.New("an object is not where it was put")

// wants reports whether objects of a list are in the index.
func (x *Index) wants(list string) bool {
	return len(x.o.Lists) == 0 || slices.Contains(x.o.Lists, list)
}

// box returns the box of an object that belongs into the index.
func (x *Index) box(list string, o *voxel.Object) (octree.Box, bool) {
	b, ok := x.o.Box(list, o)
	return b, ok && b.Valid()
}

// replace brings the objects of a column to those of now, which may be nil. An object that is at the
// same place of the same list keeps its ID.
func (x *Index) replace(pos geom.ColumnPos, now *voxel.Column) error {
	var lists []*voxel.List
	if now != nil {
		for i := range now.Lists {
			if l := &now.Lists[i]; x.wants(l.Name) && len(l.Objects) > 0 {
				lists = append(lists, l)
			}
		}
	}
	var old []uint32
	if r, ok := x.first[pos]; ok {
		for ; r != none; r = x.rows[r].next {
			old = append(old, r)
		}
	}
	if x.share(old, lists) {
		for i, r := range old {
			x.rows[r].list = lists[i] // lets go of the old column
		}
		return nil
	}
	ids, err := x.stored(old)
	if err != nil {
		return err
	}
	delete(x.first, pos)
	last := none
	for _, l := range lists {
		r := uint32(0)
		var had []octree.ObjectID
		if k := slices.IndexFunc(old, func(r uint32) bool { return r != none && x.rows[r].list.Name == l.Name }); k >= 0 {
			r, had, old[k] = old[k], ids[k], none
		} else {
			r = x.newRow()
		}
		x.rows[r] = row{pos, l, none}
		if last == none {
			x.first[pos] = r
		} else {
			x.rows[last].next = r
		}
		last = r
		if err := x.replaceList(r, had); err != nil {
			return err
		}
	}
	for k, r := range old {
		if r != none {
			x.removeAll(ids[k])
			x.rows[r] = row{}
			x.free = append(x.free, r)
		}
	}
	return nil
}

// share reports whether rows have the objects of lists, in the same memory.
func (x *Index) share(rows []uint32, lists []*voxel.List) bool {
	return slices.EqualFunc(rows, lists, func(r uint32, l *voxel.List) bool {
		was := x.rows[r].list
		return was.Name == l.Name && len(was.Objects) == len(l.Objects) && unsafe.SliceData(was.Objects) == unsafe.SliceData(l.Objects)
	})
}

// newRow returns a row that is not in use.
func (x *Index) newRow() uint32 {
	if k := len(x.free); k > 0 {
		r := x.free[k-1]
		x.free = x.free[:k-1]
		return r
	}
	x.rows = append(x.rows, row{})
	return uint32(len(x.rows) - 1)
}

// replaceList brings the objects of a row into the tree. had are the IDs that it had by ordinal.
func (x *Index) replaceList(r uint32, had []octree.ObjectID) error {
	l := x.rows[r].list
	for i := range l.Objects {
		b, ok := x.box(l.Name, &l.Objects[i])
		if !ok {
			continue
		}
		if i < len(had) && had[i] != 0 {
			if err := x.tree.Move(had[i], b); err != nil {
				return err
			}
			had[i] = 0
			continue
		}
		if x.fresh != nil {
			x.fresh.boxes, x.fresh.homes = append(x.fresh.boxes, b), append(x.fresh.homes, home{r, uint32(i)})
			continue
		}
		id, err := x.tree.Insert(b)
		if err != nil {
			return err
		}
		if k := id.Index(); k < len(x.homes) {
			x.homes[k] = home{r, uint32(i)}
		} else {
			x.homes = append(x.homes, home{r, uint32(i)})
		}
	}
	x.removeAll(had)
	return nil
}

func (x *Index) removeAll(ids []octree.ObjectID) {
	for _, id := range ids {
		x.tree.Remove(id)
	}
}

// stored returns the IDs of the objects of a column by row and ordinal, 0 for those that have no
// box. It finds them in the tree, because that takes less memory than to keep them.
func (x *Index) stored(rows []uint32) ([][]octree.ObjectID, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	ids := make([][]octree.ObjectID, len(rows))
	all := octree.Box{Min: octree.Vec{X: 1}} // finds nothing
	count := 0
	for k, r := range rows {
		l := x.rows[r].list
		ids[k] = make([]octree.ObjectID, len(l.Objects))
		for i := range l.Objects {
			if b, ok := x.box(l.Name, &l.Objects[i]); ok {
				if count++; count == 1 {
					all = b
				}
				all = union(all, b)
			}
		}
	}
	find := func(id octree.ObjectID, _ octree.Box) bool {
		h := x.homes[id.Index()]
		if k := slices.Index(rows, h.row); k >= 0 && ids[k][h.ordinal] == 0 {
			ids[k][h.ordinal] = id
			count--
		}
		return true
	}
	if wide := 4.0 * geom.ColumnEdge; all.Max.X-all.Min.X <= wide && all.Max.Z-all.Min.Z <= wide {
		x.tree.Overlapping(all, find)
	} else { // many others lie between
		for k, r := range rows {
			for i, o := range x.rows[r].list.Objects {
				if b, ok := x.box(x.rows[r].list.Name, &o); ok && ids[k][i] == 0 {
					x.tree.Overlapping(b, find)
				}
			}
		}
	}
	if count != 0 {
		return nil, errUnlike
	}
	return ids, nil
}

func union(a, b octree.Box) octree.Box {
	return octree.Box{
		Min: octree.Vec{X: min(a.Min.X, b.Min.X), Y: min(a.Min.Y, b.Min.Y), Z: min(a.Min.Z, b.Min.Z)},
		Max: octree.Vec{X: max(a.Max.X, b.Max.X), Y: max(a.Max.Y, b.Max.Y), Z: max(a.Max.Z, b.Max.Z)},
	}
}

// Stats say what an index takes.
type Stats struct {
	Objects, Columns int
	Tree             octree.Stats
	Bytes            int64 // of memory, with the tree and with what is kept for later
}

// Stats counts the index.
func (x *Index) Stats() Stats {
	x.mu.RLock()
	defer x.mu.RUnlock()
	s := Stats{Objects: x.tree.Len(), Columns: len(x.first), Tree: x.tree.Stats()}
	const perColumn = 20 // of a map, about
	s.Bytes = s.Tree.Bytes + int64(unsafe.Sizeof(*x)) + int64(cap(x.homes))*int64(unsafe.Sizeof(home{})) +
		int64(cap(x.rows))*int64(unsafe.Sizeof(row{})) + int64(len(x.first))*perColumn + int64(cap(x.free))*4
	return s
}
