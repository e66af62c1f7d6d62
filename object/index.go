package object

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/world"
)

// Options of an Index. The zero value is the default.
type Options struct {
	// Lists are the names of the lists to index. Default: all.
	Lists []string
	// Box returns the box of an object, and whether it has one. It must give the same box for the
	// same object each time. An object whose box is not valid is left out. Default: Cell.
	Box func(list string, o *voxel.Object) (octree.Box, bool)
	// Tree are options of the tree.
	Tree octree.Options
}

// Index has the objects of one dimension that have a position, by their boxes. Any number of
// goroutines may query it while one updates it; queries wait for an update and see all of it.
type Index struct {
	o    Options
	from *world.Snapshot // nil: the columns are in memory
	name string          // of the dimension

	mu      sync.RWMutex // what is below
	tree    *octree.Tree
	shows   *world.Dimension
	lists   []string // of a Snapshot
	columns []column
	free    []uint32 // numbers of columns that are not in use
	numbers map[geom.ColumnPos]uint32
	homes   []home // by octree.ID.Index
}

// column is a column with objects.
type column struct {
	pos           geom.ColumnPos
	*voxel.Column // nil in an Index of a Snapshot
}

// home says where an object is stored: the number of the column, the place of the list in the column
// (in Index.lists, if it is not in memory), and the place of the object in the list.
type home struct{ column, place uint32 }

// ordinalBits is enough for the objects of a column, and leaves enough for its lists.
const ordinalBits = 24

func homeOf(column uint32, list, ordinal int) home {
	return home{column, uint32(list)<<ordinalBits | uint32(ordinal)}
}

func (h home) list() int { return int(h.place >> ordinalBits) }

func (h home) ordinal() int { return int(h.place & (1<<ordinalBits - 1)) }

// New makes an index of the columns of a dimension that are in memory.
func New(d *world.Dimension, o Options) (*Index, error) {
	if d == nil {
		return nil, errors.New("object: index: no dimension")
	}
	x, err := newIndex(d.Name(), o)
	if err != nil {
		return nil, err
	}
	_, err = x.Update(d)
	return x, err
}

// Read makes an index of a dimension of a Snapshot. It reads all columns once and keeps none of them,
// so what it finds has no Object: see Index.Object. The Snapshot must stay open as long as
// Object is called.
func Read(ctx context.Context, s *world.Snapshot, dimension string, o Options) (*Index, error) {
	x, err := newIndex(dimension, o)
	if err != nil {
		return nil, err
	}
	x.from = s
	for c, err := range s.Columns(ctx, dimension) {
		if err == nil {
			err = x.add(c.Pos, c)
		}
		if err != nil {
			return nil, fmt.Errorf("object: index of %q: %w", dimension, err)
		}
	}
	return x, nil
}

func newIndex(name string, o Options) (*Index, error) {
	if o.Box == nil {
		o.Box = Cell
	}
	o.Lists = slices.Clone(o.Lists)
	x := &Index{o: o, name: name}
	return x, x.clear()
}

// clear empties the index.
func (x *Index) clear() (err error) {
	x.tree, err = octree.New(x.o.Tree)
	x.shows, x.columns, x.free, x.homes, x.numbers = nil, nil, nil, nil, make(map[geom.ColumnPos]uint32)
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
	for _, pos := range apart {
		now, _ := d.Column(pos)
		n, known := x.numbers[pos]
		var err error
		switch {
		case known:
			err = x.replace(n, now)
		case now != nil:
			err = x.add(pos, now)
		}
		if err != nil {
			return 0, err
		}
	}
	x.shows = d
	return len(apart), nil
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

// add adds a column that the index does not have.
func (x *Index) add(pos geom.ColumnPos, c *voxel.Column) error {
	n, made := uint32(0), false
	for i, l := range c.Lists {
		if !x.wants(l.Name) {
			continue
		}
		if x.from != nil {
			i = x.listNumber(l.Name)
		}
		for j := range l.Objects {
			b, ok := x.box(l.Name, &l.Objects[j])
			if !ok {
				continue
			}
			if !made {
				n, made = x.number(pos, c), true
			}
			if err := x.insert(homeOf(n, i, j), b); err != nil {
				return err
			}
		}
	}
	return nil
}

func (x *Index) insert(h home, b octree.Box) error {
	id, err := x.tree.Insert(b)
	if err != nil {
		return err
	}
	if i := id.Index(); i == len(x.homes) {
		x.homes = append(x.homes, h)
	} else {
		x.homes[i] = h
	}
	return nil
}

// listNumber returns the number of a list of a Snapshot.
func (x *Index) listNumber(name string) int {
	i := slices.Index(x.lists, name)
	if i < 0 {
		i = len(x.lists)
		x.lists = append(x.lists, name)
	}
	return i
}

// number gives a column a number.
func (x *Index) number(pos geom.ColumnPos, c *voxel.Column) uint32 {
	if x.from != nil {
		c = nil
	}
	n := uint32(len(x.columns))
	if k := len(x.free); k > 0 {
		n, x.free = x.free[k-1], x.free[:k-1]
		x.columns[n] = column{pos, c}
	} else {
		x.columns = append(x.columns, column{pos, c})
	}
	x.numbers[pos] = n
	return n
}

// replace brings the objects of a column to those of now, which may be nil. An object that is
// at the same place of the same list keeps its ID.
func (x *Index) replace(n uint32, now *voxel.Column) error {
	old := &x.columns[n]
	if now != nil && x.sameLists(old.Column, now) {
		old.Column = now
		return nil
	}
	ids, err := x.stored(n)
	if err != nil {
		return err
	}
	left := 0
	if now != nil {
		for i, l := range now.Lists {
			if !x.wants(l.Name) {
				continue
			}
			var had []octree.ID
			if k := slices.IndexFunc(old.Lists, func(o voxel.List) bool { return o.Name == l.Name }); k >= 0 {
				had = ids[k]
			}
			for j := range l.Objects {
				b, ok := x.box(l.Name, &l.Objects[j])
				if !ok {
					continue
				}
				left++
				if j >= len(had) || had[j] == 0 {
					err = x.insert(homeOf(n, i, j), b)
				} else {
					x.homes[had[j].Index()] = homeOf(n, i, j)
					err = x.tree.Move(had[j], b)
					had[j] = 0
				}
				if err != nil {
					return err
				}
			}
		}
	}
	for _, list := range ids {
		for _, id := range list {
			x.tree.Remove(id)
		}
	}
	if old.Column = now; left == 0 {
		delete(x.numbers, old.pos)
		x.free = append(x.free, n)
		x.columns[n] = column{}
	}
	return nil
}

// sameLists reports whether two columns share the lists that the index has.
func (x *Index) sameLists(a, b *voxel.Column) bool {
	return slices.EqualFunc(a.Lists, b.Lists, func(l, m voxel.List) bool {
		return l.Name == m.Name && (!x.wants(l.Name) ||
			len(l.Objects) == len(m.Objects) && unsafe.SliceData(l.Objects) == unsafe.SliceData(m.Objects))
	})
}

// stored returns the IDs of the objects of a column by list and ordinal, 0 for those that have no box. It
// finds them in the tree, which is cheaper than to keep them.
func (x *Index) stored(n uint32) ([][]octree.ID, error) {
	c := x.columns[n]
	ids := make([][]octree.ID, len(c.Lists))
	var all octree.Box
	count := 0
	for i, l := range c.Lists {
		if !x.wants(l.Name) {
			continue
		}
		ids[i] = make([]octree.ID, len(l.Objects))
		for j := range l.Objects {
			b, ok := x.box(l.Name, &l.Objects[j])
			if !ok {
				continue
			}
			if count++; count == 1 {
				all = b
			}
			all = union(all, b)
		}
	}
	x.tree.Overlapping(all, func(id octree.ID, _ octree.Box) bool {
		if h := x.homes[id.Index()]; h.column == n {
			ids[h.list()][h.ordinal()] = id
			count--
		}
		return true
	})
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
	s := Stats{Objects: x.tree.Len(), Columns: len(x.numbers), Tree: x.tree.Stats()}
	const perNumber = 20 // of a map, about
	s.Bytes = s.Tree.Bytes + int64(unsafe.Sizeof(*x)) + int64(cap(x.homes))*int64(unsafe.Sizeof(home{})) +
		int64(cap(x.columns))*int64(unsafe.Sizeof(column{})) + int64(len(x.numbers))*perNumber + int64(cap(x.free))*4
	return s
}
