package stone

import (
	"math"
	"math/bits"
	"slices"

	"github.com/cairnvoxel/cairn/internal/stone/patch"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// columns merges the columns of a dimension and their lists, and writes them anew: the lists
// of a column lie in pages of the same columns, so that they can be read together.
func (m *merger) columns(parts []*dimension) error {
	c := &columnMerge{merger: m, from: Columns(m.ctx, m.run, m.w.dimension().name, nil)}
	var names []string
	layers := make([][]entry, len(parts))
	for l, d := range parts {
		layers[l] = d.columns
		for i := range d.lists {
			names = append(names, d.lists[i].name)
		}
	}
	c.pieces = [][]piece{overlay(layers)}
	slices.Sort(names)
	c.lists = slices.Compact(names)
	for _, name := range c.lists {
		// What a layer deletes lies below its own lists.
		layers := make([][]entry, 0, 2*len(parts))
		for _, d := range parts {
			layers = append(layers, gone(d.columns), d.entriesOf(name))
		}
		c.pieces = append(c.pieces, overlay(layers))
	}
	return c.write()
}

// gone returns the entries that say that columns are deleted.
func gone(entries []entry) []entry {
	return slices.DeleteFunc(slices.Clone(entries), func(e entry) bool { return e.paged() })
}

// columnMerge is a Merge of the columns of a dimension.
type columnMerge struct {
	*merger
	from   *ColumnStack
	lists  []string  // sorted
	pieces [][]piece // what counts of columns, then of each list; there two layers are one of the run
}

// says is what counts of a column: the column itself or one list of it.
type says struct {
	pos   geom.ColumnPos
	of    int // 0: the column; else a list, counted from 1
	layer int
	gone  bool // the column is deleted, or was since the list was there
}

// write writes what counts, square by square.
func (c *columnMerge) write() error {
	var all []says
	for {
		key := uint64(math.MaxUint64)
		for _, pieces := range c.pieces {
			if len(pieces) > 0 {
				key = min(key, pieces[0].key)
			}
		}
		if key == math.MaxUint64 {
			return c.w.err
		}
		all = all[:0]
		for of, pieces := range c.pieces {
			for ; len(pieces) > 0 && pieces[0].key == key; pieces = pieces[1:] {
				p := &pieces[0]
				for m := p.mask; m != 0; m &= m - 1 {
					all = append(all, says{columnAt(key, bits.TrailingZeros64(m)), of, p.layer >> min(of, 1), !p.paged()})
				}
			}
			c.pieces[of] = pieces
		}
		slices.SortStableFunc(all, func(a, b says) int { return a.pos.Compare(b.pos) })
		for rest := all; len(rest) > 0; {
			n := 1
			for n < len(rest) && rest[n].pos == rest[0].pos {
				n++
			}
			if err := c.column(rest[:n]); err != nil {
				return err
			}
			rest = rest[n:]
		}
	}
}

// column writes what counts of one column. What is said of the column itself comes first. What the highest layer has as a patch is
// written whole if a layer below has it whole, else as one patch, which stands on what the lowest stood on.
func (c *columnMerge) column(all []says) error {
	pos := all[0].pos
	made := heldColumn{Column: voxel.Column{Pos: pos}, as: sayLists}
	if all[0].of == 0 {
		if all[0].gone {
			return c.w.NoColumn(pos)
		}
		got, p, err := c.from.column(pos, all[0].layer)
		if err != nil {
			return err
		}
		if made.as, made.patch, all = sayWhole, p, all[1:]; p == nil {
			made.Column = *got
		}
	}
	made.Lists, made.lists = make([]voxel.List, len(all)), make([]*patch.Patch, len(all))
	for i, s := range all {
		l := &made.Lists[i]
		if l.Name = c.lists[s.of-1]; !s.gone {
			var err error
			if l.Objects, made.lists[i], err = c.from.list(l.Name, pos, s.layer); err != nil {
				return err
			}
		}
	}
	return c.w.hold("Column", made)
}
