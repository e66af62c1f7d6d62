package stone

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"github.com/cairnvoxel/cairn/internal/codec"
	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/stone/pages"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// volumeMerge is a Merge of the chunks of one volume.
type volumeMerge struct {
	*merger
	from   []*volume // by layer; nil if the stone has no such volume
	layers [][]entry
	tables [][]voxel.Cell // by layer, the new value of each cell; nil: unchanged
	made   volume
	stack  *stackReader // made when what differs is made whole
}

func (m *merger) volume(parts []*dimension, name string) error {
	n := len(parts)
	v := &volumeMerge{merger: m, from: make([]*volume, n), layers: make([][]entry, n), tables: make([][]voxel.Cell, n)}
	for l, d := range parts {
		i := slices.IndexFunc(d.volumes, func(v volume) bool { return v.Name == name })
		if i < 0 {
			continue
		}
		v.from[l] = &d.volumes[i]
		if levels := d.volumes[i].levels; len(levels) > 0 && levels[0].level == 0 {
			v.layers[l] = levels[0].entries
		}
	}
	pieces := overlay(v.layers)
	if err := v.describe(pieces); err != nil {
		return err
	}
	if err := m.w.Volume(v.made.Volume, v.made.names); err != nil {
		return err
	}
	return lay(pieces, v.layers, v.copy, v.decode)
}

// describe determines the volume that is written and the new cells of each layer.
func (v *volumeMerge) describe(pieces []piece) error {
	for _, f := range v.from {
		switch {
		case f == nil:
			continue
		case v.made.Volume == (voxel.Volume{}):
			v.made.Volume = f.Volume
		case f.Schema != v.made.Schema || f.Scale != v.made.Scale || f.Schema != voxel.Palette && f.Default != v.made.Default:
			return fmt.Errorf("is %+v, and %+v in a stone above", v.made.Volume, f.Volume)
		}
		if v.made.Schema == voxel.Palette {
			continue
		}
		n := min(len(f.names), len(v.made.names))
		if !slices.Equal(f.names[:n], v.made.names[:n]) {
			return fmt.Errorf("its materials are %q, and %q in a stone above", v.made.names, f.names)
		}
		if len(f.names) > n {
			v.made.names = f.names
		}
	}
	if v.made.Schema != voxel.Palette {
		return nil
	}
	says, seen := make([]bool, len(v.from)), make(map[[2]int]bool)
	for i := range pieces {
		p := &pieces[i]
		page := [2]int{p.layer, p.page}
		if says[p.layer] = true; !p.paged() || seen[page] {
			continue
		}
		seen[page] = true
		differs, err := v.run[p.layer].differs(p.page)
		if err != nil {
			return err
		}
		for l := range p.layer { // what differs counts with what it differs from
			says[l] = says[l] || differs
		}
	}
	return v.palette(says)
}

// palette collects the names of the layers that count, and those of defaults.
func (v *volumeMerge) palette(says []bool) error {
	first := slices.IndexFunc(v.from, func(f *volume) bool { return f != nil && len(f.names) > 0 })
	if first < 0 {
		return nil
	}
	empty := v.from[first].names[0]
	var names []string // without the empty cell's
	for l, f := range v.from {
		if f == nil || len(f.names) == 0 {
			continue
		}
		more := f.names[f.Default:][:1]
		if says[l] {
			more = f.names
		}
		if more[0] == empty {
			more = more[1:]
		}
		names = append(names, more...)
	}
	slices.Sort(names)
	v.made.names = append([]string{empty}, slices.Compact(names)...)
	v.made.Default = v.cell(v.from[first].names, v.made.Default)
	for l, f := range v.from {
		if f == nil {
			continue
		}
		if v.cell(f.names, f.Default) != v.made.Default {
			return fmt.Errorf("default %d of %q: another in a stone above", f.Default, f.names)
		}
		if says[l] && !slices.Equal(f.names, v.made.names) {
			v.tables[l] = v.table(f.names)
		}
	}
	return nil
}

// cell returns the new value of a cell that indexes names.
func (v *volumeMerge) cell(names []string, c voxel.Cell) voxel.Cell {
	if c == voxel.Empty && (len(names) == 0 || names[0] == v.made.names[0]) {
		return voxel.Empty
	}
	i, _ := slices.BinarySearch(v.made.names[1:], names[c])
	return voxel.Cell(1 + i)
}

func (v *volumeMerge) table(names []string) []voxel.Cell {
	table := make([]voxel.Cell, max(1, len(names)))
	for c := range table {
		table[c] = v.cell(names, voxel.Cell(c))
	}
	return table
}

// decode writes the chunks of an entry that count, one by one.
func (v *volumeMerge) decode(p *piece) error {
	for m := p.mask; m != 0; m &= m - 1 {
		bit := bits.TrailingZeros64(m)
		pos := cubeChunk(p.key, bit)
		c, d, err := v.says(p.layer, p.at, bit)
		switch {
		case err != nil:
			return err
		case d != nil:
			err = v.decodeDelta(p, bit, d)
		default:
			err = v.w.Chunk(0, pos, c)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// says returns the chunk at a bit of an entry of a layer, in the cells that are written, or its delta.
func (v *volumeMerge) says(layer, entry, bit int) (*voxel.Chunk, *Delta, error) {
	e := &v.layers[layer][entry]
	c := e.chunk()
	if e.paged() {
		page, err := v.run[layer].lit(v.ctx, v.from[layer], group(v.layers[layer], entry), nil)
		if err != nil {
			return nil, nil, err
		}
		if i := e.at(bit); page.deltas != nil && page.deltas[i] != nil {
			return nil, page.deltas[i], nil
		} else {
			c = page.chunks[i]
		}
	}
	if table := v.tables[layer]; table != nil && c != nil {
		c = c.Translate(table)
	}
	return c, nil, nil
}

// decodeDelta writes a chunk of which the highest layer has a delta: whole if a layer below has it whole, else
// as one delta, which stands on what the lowest stood on.
func (v *volumeMerge) decodeDelta(p *piece, bit int, d *Delta) error {
	pos := cubeChunk(p.key, bit)
	above := []link{{p.layer, v.tables[p.layer], d}}
	for l := p.layer - 1; l >= 0; l-- {
		i := find(v.layers[l], p.key, bit)
		if i < 0 {
			continue
		}
		c, d, err := v.says(l, i, bit)
		if err != nil {
			return err
		}
		if d != nil {
			above = append(above, link{l, v.tables[l], d})
			continue
		}
		if v.stack == nil {
			v.stack = &stackReader{ctx: v.ctx, dim: v.w.dimension().name, vol: v.made.Name}
			for l, r := range v.run {
				v.stack.layers = append(v.stack.layers, Stacked{r, v.tables[l]})
			}
			if v.stack.hasher = newHasher(nil); v.made.Schema == voxel.Palette { // a layer of which nothing counts has no table
				v.stack.hasher = newHasher(v.made.names)
			}
		}
		if c, err = v.stack.made(l, c, above); err != nil {
			return fmt.Errorf("chunk %v: %w", pos, err)
		}
		return v.w.Chunk(0, pos, c)
	}
	return v.w.Delta(pos, composed(above), nil)
}

// copy writes the page of pieces. They are all of it, together with what counts
// between them.
func (v *volumeMerge) copy(pieces []piece) error {
	table := v.tables[pieces[0].layer]
	if !ascends(table) {
		return v.decodeAll(pieces)
	}
	page, err := v.run[pieces[0].layer].rawPage(pieces[0].page)
	if err != nil {
		return err
	}
	if page[0] == formLit || page[0] == formDelta { // they depend on blocks or chunks that may differ
		return v.decodeAll(pieces)
	}
	v.w.flushCells()
	if table == nil {
		v.w.page = append(v.w.page[:0], page...)
	} else if err := v.renumber(page, table); err != nil {
		return v.run[pieces[0].layer].at(pieces[0].page, err)
	}
	made := v.w.volume()
	if len(made.levels) == 0 {
		made.levels = []detail{{}}
	}
	l := &made.levels[0]
	number := v.w.keepPage(nil)
	for _, p := range pieces {
		if p.page == constPage && v.tables[p.layer] != nil {
			p.value = v.tables[p.layer][p.value]
		}
		l.entries = append(l.entries, p.renumbered(number))
	}
	last := &pieces[len(pieces)-1]
	v.w.last = geom.CodeOf(cubeChunk(last.key, bits.Len64(last.mask)-1), 0)
	return v.w.err
}

func (v *volumeMerge) decodeAll(pieces []piece) error {
	for i := range pieces {
		if err := v.decode(&pieces[i]); err != nil {
			return err
		}
	}
	return nil
}

// ascends reports whether a table keeps the order of cells.
func ascends(table []voxel.Cell) bool {
	for i := 1; i < len(table); i++ {
		if table[i] <= table[i-1] {
			return false
		}
	}
	return true
}

// renumber sets the Writer's page to one with other cells. In the forms Columns,
// Images and Odds only the stream of cells depends on the volume's names.
func (v *volumeMerge) renumber(page []byte, table []voxel.Cell) error {
	streams, rest, err := pages.SplitStored(page, maxPage)
	if err != nil {
		return err
	}
	form := codec.Form(page[0])
	if form != codec.Columns && form != codec.Images && form != codec.Odds || len(streams) < cellCodec || len(rest) > 0 {
		return corruptf(0, "page", "form %d with %d streams for a %v, %d bytes left over", page[0], len(streams), v.made.Schema, len(rest))
	}
	for i, change := range []func([]byte, []voxel.Cell) ([]byte, error){cellValues: renumberValues, cellCodec: codec.RenumberTable} {
		if i >= len(streams) || change == nil {
			continue
		}
		plain, err := streams[i].Plain(context.Background(), 0)
		if err == nil {
			plain, err = change(plain, table)
		}
		if err != nil {
			return err
		}
		streams[i] = pages.Stored{Size: len(plain), Data: slices.Clone(v.w.encoderOf(0).Compress(plain))}
	}
	v.w.page = pages.AppendStored(v.w.page[:0], page[0], streams)
	return nil
}

// renumberValues changes the cells of uniform chunks.
func renumberValues(b []byte, table []voxel.Cell) (out []byte, err error) {
	c := cursor.New(b, "values")
	for c.Left() > 0 {
		cell := c.Uvarint()
		if cell >= uint64(len(table)) {
			c.Fail(fmt.Errorf("cell %d", cell))
		}
		if c.Err() != nil {
			return nil, c.Err()
		}
		out = binary.AppendUvarint(out, uint64(table[cell]))
	}
	return out, nil
}
