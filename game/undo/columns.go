package undo

import (
	"reflect"
	"slices"

	"github.com/cairnvoxel/cairn/internal/game/takeback"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// column is what was replaced of a column: the column without its lists, and the lists. It does
// not include data that an update derives from cells.
type column struct {
	dimension string
	pos       geom.ColumnPos
	own       bool          // old and new differ
	old, new  *voxel.Column // nil: no column
	derived   bool          // the maps are derived from cells and do not count
	lists     []list        // sorted by name
}

type list struct {
	name     string
	old, new []voxel.Object
}

// replacedColumn returns the difference of two columns, and whether there is one.
func replacedColumn(c world.ColumnChange, derived bool) (column, bool) {
	out := column{dimension: c.Dimension, pos: c.Pos, old: c.Old, new: c.New, derived: derived}
	out.own = !sameColumn(c.Old, c.New, derived)
	for _, name := range takeback.Lists(c.Old, c.New) {
		l := list{name, c.Old.Objects(name), c.New.Objects(name)}
		if !takeback.Same(l.old, l.new) {
			out.lists = append(out.lists, l)
		}
	}
	out.trim()
	return out, out.own || len(out.lists) > 0
}

// trim drops what need not be kept.
func (c *column) trim() {
	if !c.own {
		c.old, c.new = nil, nil
	}
	c.old, c.new = bare(c.old), bare(c.new)
}

// bare returns c without its lists.
func bare(c *voxel.Column) *voxel.Column {
	if c == nil || c.Lists == nil {
		return c
	}
	b := *c
	b.Lists = nil
	return &b
}

// sameColumn compares columns without their lists and without derived data: whether light is
// stale and, with derived, maps.
func sameColumn(a, b *voxel.Column, derived bool) bool {
	if a == nil || b == nil {
		return a == b
	}
	x, y := *bare(a), *bare(b)
	x.Lists, y.Lists = nil, nil
	y.Stale = x.Stale
	if derived {
		y.Maps = x.Maps
	}
	return reflect.DeepEqual(x, y)
}

// stillColumn reports whether now is the column that a step left. With derived, light that was
// computed since does not count.
func stillColumn(now, left *voxel.Column, derived bool) bool {
	if now == nil || left == nil || !derived {
		return sameColumn(now, left, derived)
	}
	x, y := *now, *left
	x.Sections, y.Sections = withoutLight(x.Sections), withoutLight(y.Sections)
	return sameColumn(&x, &y, derived)
}

// withoutLight returns sections without their light. It leaves out sections that have nothing
// else.
func withoutLight(sections []voxel.Section) []voxel.Section {
	out := []voxel.Section{}
	for _, s := range sections {
		if s.Has &^= light; s.Has != 0 || len(s.Tags) > 0 {
			out = append(out, s)
		}
	}
	return out
}

// takeBack restores the parts that the column still holds, and tells count of each part whether it restored
// it or left it; of a list of which it restored some objects it tells both. The name of the column itself is "". With
// lightStays the light of blocks stays as it is. kept says which blocks were left alone.
func (c *column) takeBack(d *world.DimensionTx, lightStays bool, kept map[owned]bool, count func(part string, done bool)) {
	if c.own && c.old != nil {
		count("", c.putOwn(d, lightStays))
	}
	for _, l := range c.lists {
		back, some, rest := takeback.Objects(l.name, l.old, l.new, d.Objects(l.name, c.pos), func(at geom.Point) bool {
			return kept[owned{volumeName{c.dimension, voxel.Owner(l.name)}, at}]
		})
		if some {
			d.SetObjects(l.name, c.pos, back)
			count(l.name, true)
		}
		if rest {
			count(l.name, false)
		}
	}
	if c.own && c.old == nil {
		count("", c.remove(d, lightStays))
	}
}

// owned is the cell that an object of a list belongs to.
type owned struct {
	volumeName
	at geom.Point
}

// putOwn restores the column with its current lists.
func (c *column) putOwn(d *world.DimensionTx, lightStays bool) bool {
	now := d.Column(c.pos)
	if !stillColumn(now, c.new, c.derived) {
		return false
	}
	back := *c.old
	if now != nil {
		back.Lists, back.Stale = now.Lists, now.Stale
		if c.derived {
			back.Maps = now.Maps
		}
	}
	if lightStays {
		keepLight(&back, now)
	}
	d.SetColumn(back)
	return true
}

// remove removes the column that the step made, if it holds nothing new.
func (c *column) remove(d *world.DimensionTx, lightStays bool) bool {
	now := d.Column(c.pos)
	if !stillColumn(now, c.new, c.derived) || len(now.Lists) > 0 {
		return false
	}
	if lightStays && c.derived {
		if back, ok := onlyLight(c.pos, now); ok {
			d.SetColumn(back)
			return true
		}
	}
	d.RemoveColumn(c.pos)
	return true
}

// bytes returns about how much memory the column takes.
func (c *column) bytes() int {
	n := 128
	for _, o := range []*voxel.Column{c.old, c.new} {
		if o == nil {
			continue
		}
		n += 160 + len(o.Maps)*int(reflect.TypeFor[voxel.Map]().Size())
		for _, s := range o.Sections {
			n += 32 + len(s.Tags)
		}
		for _, p := range o.Parts {
			n += 64 + len(p.Data)
		}
	}
	for _, l := range c.lists {
		n += 64
		for _, o := range slices.Concat(l.old, l.new) {
			n += 64 + len(o.Payload)
		}
	}
	return n
}
