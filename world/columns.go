package world

import (
	"cmp"
	"iter"
	"maps"
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// columns is a sparse map of columns that never changes: with returns another
// that shares all squares but those it changes. The zero value has none.
type columns struct {
	fields map[geom.ColumnPos]*field // see tree
	later  *laterColumns             // nil: fields are there
}

// laterColumns makes the fields of columns that are all unloaded when they are first needed.
type laterColumns struct {
	once    sync.Once
	squares iter.Seq2[geom.ColumnPos, uint64] // as stone.Squares yields them
	fields  map[geom.ColumnPos]*field
}

// tree returns the fields.
func (c *columns) tree() map[geom.ColumnPos]*field {
	if c.later != nil {
		c.later.once.Do(c.later.fill)
		return c.later.fields
	}
	return c.fields
}

// unloadedSquare is what all squares share of which every column is unloaded.
var unloadedSquare = &square{columns: [64]*voxel.Column(slices.Repeat([]*voxel.Column{unloaded}, 64))}

func (l *laterColumns) fill() {
	l.fields = make(map[geom.ColumnPos]*field)
	for pos, there := range l.squares {
		p := place(pos)
		f := l.fields[p.field]
		if f == nil {
			f = new(field)
			l.fields[p.field] = f
		}
		if f.squares[p.square] = unloadedSquare; there == math.MaxUint64 {
			continue
		}
		f.squares[p.square] = new(square)
		for ; there != 0; there &= there - 1 {
			f.squares[p.square].columns[bits.TrailingZeros64(there)] = unloaded
		}
	}
	l.squares = nil
}

// field is 8x8 squares, square 8x8 columns as in stones. strays has a bit for each square, and
// each column, that has objects outside of their column.
type (
	field struct {
		squares [64]*square
		strays  uint64
	}
	square struct {
		columns [64]*voxel.Column
		strays  uint64
	}
)

// unloaded stands for a column that exists but is not in memory.
var unloaded = new(voxel.Column)

// spot is where a column lies: in which field, in which square of that, and where
// in the square.
type spot struct {
	field      geom.ColumnPos
	square, in int
}

func place(pos geom.ColumnPos) spot {
	return spot{
		geom.ColumnPos{X: pos.X >> 6, Z: pos.Z >> 6},
		int(pos.Z>>3&7)<<3 | int(pos.X>>3&7),
		int(pos.Z&7)<<3 | int(pos.X&7),
	}
}

// at returns the column at pos: nil if there is none, unloaded if it is not in
// memory.
func (c *columns) at(pos geom.ColumnPos) *voxel.Column {
	p := place(pos)
	if f := c.tree()[p.field]; f != nil && f.squares[p.square] != nil {
		return f.squares[p.square].columns[p.in]
	}
	return nil
}

// with returns columns changed as in changes; nil takes one away.
func (c *columns) with(changes iter.Seq2[geom.ColumnPos, *voxel.Column]) *columns {
	out := c
	own := make(map[geom.ColumnPos]uint64) // squares of each field that are out's alone
	for pos, col := range changes {
		p := place(pos)
		if out == c {
			had := c.tree()
			out = &columns{fields: make(map[geom.ColumnPos]*field, len(had)+1)}
			maps.Copy(out.fields, had)
		}
		f := out.fields[p.field]
		if own[p.field] == 0 {
			f = clone(f)
			out.fields[p.field] = f
		}
		if bit := uint64(1) << p.square; own[p.field]&bit == 0 {
			f.squares[p.square] = clone(f.squares[p.square])
			own[p.field] |= bit
		}
		f.set(p, pos, col)
	}
	for at, squares := range own {
		out.prune(at, squares)
	}
	return out
}

// set puts a column in its place. The field and the square must be the caller's own.
func (f *field) set(p spot, pos geom.ColumnPos, col *voxel.Column) {
	s := f.squares[p.square]
	s.columns[p.in] = col
	s.strays &^= 1 << p.in
	if hasStrays(pos, col) {
		s.strays |= 1 << p.in
	}
	f.strays &^= 1 << p.square
	if s.strays != 0 {
		f.strays |= 1 << p.square
	}
}

// hasStrays reports whether a column has objects that lie outside of it.
func hasStrays(pos geom.ColumnPos, c *voxel.Column) bool {
	if c == nil || c == unloaded {
		return false
	}
	outside := func(o voxel.Object) bool { return o.Place != voxel.Nowhere && o.At.Column() != pos }
	return slices.ContainsFunc(c.Lists, func(l voxel.List) bool { return slices.ContainsFunc(l.Objects, outside) })
}

// prune removes those of the squares of a field that are empty.
func (c *columns) prune(at geom.ColumnPos, squares uint64) {
	f := c.fields[at]
	for i, s := range f.squares {
		if squares>>i&1 != 0 && *s == (square{}) {
			f.squares[i] = nil
		}
	}
	if *f == (field{}) {
		delete(c.fields, at)
	}
}

func clone[T any](p *T) *T {
	out := new(T)
	if p != nil {
		*out = *p
	}
	return out
}

// all yields the columns in ascending order of position.
func (c *columns) all() iter.Seq2[geom.ColumnPos, *voxel.Column] {
	const least, most = math.MinInt32, math.MaxInt32
	return c.within(geom.ColumnPos{X: least, Z: least}, geom.ColumnPos{X: most, Z: most}, false)
}

// in yields the columns that touch box, in ascending order of position.
func (c *columns) in(box geom.Box) iter.Seq2[geom.ColumnPos, *voxel.Column] {
	return c.over(box, false)
}

// over is in, with the columns elsewhere that have objects outside of them if strays is set.
func (c *columns) over(box geom.Box, strays bool) iter.Seq2[geom.ColumnPos, *voxel.Column] {
	if box = box.Intersect(Everywhere); box.Empty() {
		return func(func(geom.ColumnPos, *voxel.Column) bool) {}
	}
	return c.within(box.Min.Column(), box.Max.Sub(geom.Point{X: 1, Y: 1, Z: 1}).Column(), strays)
}

// within yields the columns from low to high, and those with strays if they are asked for, in
// ascending order of position.
func (c *columns) within(low, high geom.ColumnPos, strays bool) iter.Seq2[geom.ColumnPos, *voxel.Column] {
	return func(yield func(geom.ColumnPos, *voxel.Column) bool) {
		var found []geom.ColumnPos
		for key, f := range c.tree() {
			strays := strays && f.strays != 0
			if !strays && (key.X < low.X>>6 || key.X > high.X>>6 || key.Z < low.Z>>6 || key.Z > high.Z>>6) {
				continue
			}
			for i, s := range f.squares {
				x, z := key.X<<3+int32(i&7), key.Z<<3+int32(i>>3)
				if s != nil && (strays && s.strays != 0 || x >= low.X>>3 && x <= high.X>>3 && z >= low.Z>>3 && z <= high.Z>>3) {
					found = s.append(found, geom.ColumnPos{X: x << 3, Z: z << 3}, low, high, strays)
				}
			}
		}
		slices.SortFunc(found, geom.ColumnPos.Compare)
		for _, pos := range found {
			if !yield(pos, c.at(pos)) {
				return
			}
		}
	}
}

// append appends which columns from low to high, or with strays, the square at corner has.
func (s *square) append(dst []geom.ColumnPos, corner, low, high geom.ColumnPos, strays bool) []geom.ColumnPos {
	for i, col := range s.columns {
		pos := geom.ColumnPos{X: corner.X + int32(i&7), Z: corner.Z + int32(i>>3)}
		if col != nil && (strays && s.strays>>i&1 != 0 || pos.X >= low.X && pos.X <= high.X && pos.Z >= low.Z && pos.Z <= high.Z) {
			dst = append(dst, pos)
		}
	}
	return dst
}

// apart returns which columns differ from those of old, in ascending order. It compares
// pointers, and passes over fields and squares that both share.
func (c *columns) apart(old *columns) (out []geom.ColumnPos) {
	if c == old {
		return nil
	}
	is, was := c.tree(), old.tree()
	keys := make(map[geom.ColumnPos]*field, len(is))
	maps.Copy(keys, is)
	maps.Copy(keys, was)
	for key := range keys {
		if is[key] == was[key] {
			continue
		}
		a, b := cmp.Or(is[key], new(field)), cmp.Or(was[key], new(field))
		for i := range a.squares {
			if a.squares[i] == b.squares[i] {
				continue
			}
			s, t := cmp.Or(a.squares[i], new(square)), cmp.Or(b.squares[i], new(square))
			for j := range s.columns {
				if s.columns[j] != t.columns[j] {
					out = append(out, geom.ColumnPos{X: key.X<<6 | int32(i&7<<3|j&7), Z: key.Z<<6 | int32(i&^7|j>>3)})
				}
			}
		}
	}
	slices.SortFunc(out, geom.ColumnPos.Compare)
	return out
}
