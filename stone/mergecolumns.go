package stone

import (
	"math/bits"
	"slices"

	"github.com/cairnvoxel/cairn/stone/column"
	"github.com/cairnvoxel/cairn/voxel"
)

// columns merges the columns of a dimension and their lists.
func (m *merger) columns(parts []*dimension) error {
	w := m.w
	w.flushCells()
	if err := w.step(atVolumes, atVolumes, atColumns, "Merge"); err != nil {
		return err
	}
	c := &columnMerge{merger: m, layers: make([][]entry, len(parts)), readers: make([]*columnReader, len(parts))}
	ruled := make([]bool, len(parts)) // whose pages cannot be read without its blocks
	var names []string
	for l, d := range parts {
		c.layers[l], ruled[l] = d.columns, len(d.rules) > 0
		c.readers[l] = m.run[l].columnReader(m.ctx, d)
		for i := range d.lists {
			names = append(names, d.lists[i].name)
		}
	}
	to := w.dimension()
	c.to, c.ruled = &to.columns, ruled
	if err := c.lay(overlay(c.layers)); err != nil {
		return err
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		for l, d := range parts {
			c.layers[l] = d.entriesOf(name)
		}
		c.list, c.ruled = name, nil
		pieces := overlay(append(slices.Clip(c.layers), gone(to.columns)))
		pieces = slices.DeleteFunc(pieces, func(p piece) bool { return !p.paged() })
		if len(pieces) == 0 {
			continue
		}
		c.to = &to.list(name).entries
		if err := c.lay(pieces); err != nil {
			return err
		}
	}
	return w.err
}

// gone returns the entries that say that columns are deleted.
func gone(entries []entry) []entry {
	return slices.DeleteFunc(slices.Clone(entries), func(e entry) bool { return e.paged() })
}

// columnMerge is a Merge of the columns of a dimension, or of one of their lists.
type columnMerge struct {
	*merger
	list    string // "" for columns
	layers  [][]entry
	ruled   []bool
	readers []*columnReader // by layer
	to      *[]entry
	held    []heldColumn // of the current page
	bytes   int
}

func (c *columnMerge) lay(pieces []piece) error {
	err := lay(pieces, c.layers, c.copy, c.decode)
	c.flush()
	return err
}

func (c *columnMerge) copy(pieces []piece) error {
	p := &pieces[0]
	if c.ruled != nil && c.ruled[p.layer] {
		for i := range pieces {
			if err := c.decode(&pieces[i]); err != nil {
				return err
			}
		}
		return nil
	}
	page, err := c.run[p.layer].rawPage(p.page)
	if err != nil {
		return err
	}
	c.flush()
	number := c.copied(page)
	for _, p := range pieces {
		*c.to = append(*c.to, p.renumbered(number))
	}
	return nil
}

func (c *columnMerge) decode(p *piece) error {
	for m := p.mask; m != 0; m &= m - 1 {
		h := heldColumn{as: sayGone}
		h.Pos = columnAt(p.key, bits.TrailingZeros64(m))
		if p.paged() {
			if err := c.read(p.layer, &h); err != nil {
				return err
			}
		}
		size := column.Size(&h.Column)
		if len(c.held) == pageColumns || c.bytes+size > pageBytes {
			c.flush()
		}
		c.held = append(c.held, h)
		c.bytes += size
	}
	return nil
}

// read fills in h from a layer.
func (c *columnMerge) read(layer int, h *heldColumn) error {
	if c.list != "" {
		objects, _, err := c.run[layer].List(c.ctx, c.readers[layer].d.name, c.list, h.Pos)
		h.as, h.Lists = sayLists, []voxel.List{{Name: c.list, Objects: objects}}
		return err
	}
	got, _, err := c.readers[layer].find(h.Pos)
	if err == nil {
		h.as, h.Column = sayWhole, *got
	}
	return err
}

// flush writes the current page.
func (c *columnMerge) flush() {
	if len(c.held) == 0 {
		return
	}
	entries := columnEntries(c.held, func(*heldColumn) bool { return true })
	if c.list == "" {
		c.w.enter(c.to, entries, column.Encode(whole(c.held), nil)...)
	} else {
		lists := make([]voxel.List, len(c.held))
		for i := range c.held {
			lists[i] = c.held[i].Lists[0]
		}
		c.w.enter(c.to, entries, column.EncodeObjects(columnPositions(entries), lists)...)
	}
	c.held, c.bytes = c.held[:0], 0
}
