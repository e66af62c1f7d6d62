package anvil

import (
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
)

// A palette entry may have a compound Properties without entries. It is the same
// block as one without the tag, but comes back as it was. Where all entries of a
// column have the compound, Layout says so. Elsewhere Section.Tags lists the names
// of those that have an empty one, under a name that no section of the game has.
const tagProperties = "Properties"

// odd is a palette entry with an empty Properties.
type odd struct {
	section int // of the column
	cell    voxel.Cell
}

// keepProperties notes the properties of the palette that cells, the blocks of the
// section being read, index. It returns cells.
func (d *decoder) keepProperties(cells []voxel.Cell) []voxel.Cell {
	if cells == nil {
		return nil
	}
	for i, has := range d.has {
		switch has {
		case block.NoProperties:
			d.bare = true
		case block.EmptyProperties:
			d.odd = append(d.odd, odd{len(d.col.Sections), d.table[i]})
		}
	}
	return cells
}

// noteProperties notes in the column which entries have an empty Properties.
func (d *decoder) noteProperties() {
	if !d.bare && len(d.odd) > 0 {
		d.col.Layout |= layoutProperties
		return
	}
	for rest := d.odd; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].section == rest[0].section {
			n++
		}
		s := &d.col.Sections[rest[0].section]
		at := len(d.bytes)
		if len(s.Tags) > 0 {
			d.bytes = append(d.bytes, s.Tags[:len(s.Tags)-1]...)
		}
		d.bytes = nbt.AppendList(d.bytes, tagProperties, nbt.String, n)
		for _, o := range rest[:n] {
			d.bytes = nbt.AppendStringPayload(d.bytes, d.stateNames.Name(o.cell))
		}
		d.bytes = nbt.AppendEnd(d.bytes)
		s.Tags, rest = d.bytes[at:len(d.bytes):len(d.bytes)], rest[n:]
	}
}

// emptyProperties returns which blocks of a section have an empty Properties where
// their names have none.
func (e *encoder) emptyProperties(tags []byte) func(c voxel.Cell) bool {
	t, list := lookup(tags, tagProperties)
	if t != nbt.List {
		return func(voxel.Cell) bool { return e.empty }
	}
	names := map[string]bool{}
	r := nbt.NewPayload(list, nbt.Limits{})
	if elem, n := r.List(); elem == nbt.String {
		for range n {
			names[string(r.String())] = true
		}
	}
	return func(c voxel.Cell) bool { return names[e.blocks.Name(c)] }
}
