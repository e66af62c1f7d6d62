// Package takeback takes back what an edit did to the objects of a list and to the cells of a chunk, where
// others have not changed them since.
package takeback

import (
	"bytes"
	"slices"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Objects returns the objects of a list as they are now, but for those that a step replaced, old by
// new: it restores the old ones. some says that it restored some, and rest that it left some because others changed
// them since.
//
// Objects that blocks own are restored cell by cell, but for cells that kept names: those whose
// block stays as others made it. Of other objects nobody can tell which of two is the changed one,
// so such a list is restored together or not at all.
func Objects(list string, old, new, now []voxel.Object, kept func(geom.Point) bool) (back []voxel.Object, some, rest bool) {
	came, gone := Without(new, old), Without(old, new)
	same := Same(now, new)
	fits := make(map[geom.Point]bool) // the cells whose objects the step replaced
	for _, o := range slices.Concat(came, gone) {
		if voxel.Owner(list) == "" || o.Place == voxel.Nowhere {
			return together(same, old, now)
		}
		fits[o.At] = !kept(o.At)
	}
	if len(fits) == 0 { // another order
		return together(same, old, now)
	}
	for _, o := range slices.Concat(Without(new, now), Without(now, new)) {
		if _, ours := fits[o.At]; ours && o.Place != voxel.Nowhere {
			fits[o.At] = false
		}
	}
	for _, fit := range fits {
		some, rest = some || fit, rest || !fit
	}
	if same && !rest {
		return old, some, rest // in their order
	}
	other := func(o voxel.Object) bool { return !fits[o.At] }
	back = Without(now, slices.DeleteFunc(came, other))
	return append(back, slices.DeleteFunc(gone, other)...), some, rest
}

// together is what Objects returns for a list that is restored only if all of it fits.
func together(fits bool, old, now []voxel.Object) (back []voxel.Object, some, rest bool) {
	if fits {
		return old, true, false
	}
	return now, false, true
}

// Cells returns the cells of a chunk without what an update made of it: those that now has as the update
// left them are those of old again. The others stay, and kept, which may be nil, is told of each that
// the update changed.
func Cells(old, new, now *voxel.Chunk, kept func(at int)) *voxel.Chunk {
	if now == new || now.Equal(new) {
		return old
	}
	var was, left, is [voxel.ChunkCells]voxel.Cell
	old.Flat(&was)
	new.Flat(&left)
	now.Flat(&is)
	for i, c := range is {
		switch {
		case was[i] == left[i]:
		case c == left[i]:
			is[i] = was[i]
		case kept != nil:
			kept(i)
		}
	}
	return voxel.FromFlat(&is)
}

// Without returns the objects of a, without those that b has, each as often as b has it.
func Without(a, b []voxel.Object) (out []voxel.Object) {
	has := make(map[identity]int, len(b))
	for _, o := range b {
		has[identityOf(o)]++
	}
	for _, o := range a {
		if k := identityOf(o); has[k] > 0 {
			has[k]--
		} else {
			out = append(out, o)
		}
	}
	return out
}

// identity is all of an Object.
type identity struct {
	place   voxel.Place
	at      geom.Point
	payload string
}

func identityOf(o voxel.Object) identity { return identity{o.Place, o.At, string(o.Payload)} }

// Same reports whether two lists are equal.
func Same(a, b []voxel.Object) bool {
	return slices.EqualFunc(a, b, func(a, b voxel.Object) bool {
		return a.Place == b.Place && a.At == b.At && bytes.Equal(a.Payload, b.Payload)
	})
}

// Lists returns the names of the lists of columns, which may be nil, sorted.
func Lists(columns ...*voxel.Column) (names []string) {
	for _, c := range columns {
		if c != nil {
			for i := range c.Lists {
				names = append(names, c.Lists[i].Name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
