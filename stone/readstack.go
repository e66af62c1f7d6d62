package stone

import (
	"context"
	"fmt"
	"slices"
	"unsafe"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Stacked is a stone of a stack as ReadStack reads a volume of it.
type Stacked struct {
	*Reader
	// Table is what the cells of the stone are in the cells of the reader; nil: the same.
	Table []voxel.Cell
}

// ReadStack calls f for each chunk of want, of level 0, that a stack of stones has an entry for, with nil for a chunk
// without cells and the number of the highest layer with an entry. Layers come bottom first. want is in ascending order of
// code; the calls may not be. It returns the first error, or one of f as it is. A delta on other
// stones than those it was made on is a *CorruptError.
func ReadStack(ctx context.Context, layers []Stacked, dim, vol string, want []geom.ChunkPos, f func(pos geom.ChunkPos, c *voxel.Chunk, top int) error) error {
	s := stackReader{ctx: ctx, layers: layers, dim: dim, vol: vol}
	for part := range slices.Chunk(want, deltasAtOnce) {
		if err := s.read(part, f); err != nil {
			return err
		}
	}
	return nil
}

// deltasAtOnce is for how many chunks deltas are held at once.
const deltasAtOnce = 4096

func (s *stackReader) read(want []geom.ChunkPos, f func(pos geom.ChunkPos, c *voxel.Chunk, top int) error) error {
	ctx, layers, dim, vol := s.ctx, s.layers, s.dim, s.vol
	clear(s.above)
	for i := len(layers) - 1; i >= 0 && len(want) > 0; i-- {
		got := make(map[geom.ChunkPos]bool) // but for the lowest, below which nothing is asked
		var stop error
		err := layers[i].readParts(ctx, dim, vol, 0, want, func(pos geom.ChunkPos, c *voxel.Chunk, d *Delta) error {
			if d != nil {
				s.put(pos, link{i, layers[i].Table, d})
				return nil
			}
			if i > 0 {
				got[pos] = true
			}
			if table := layers[i].Table; c != nil && table != nil {
				c = c.Translate(table)
			}
			top := i
			if above := s.above[pos]; above != nil {
				var err error
				if c, err = s.made(i, c, above); err != nil {
					return fmt.Errorf("chunk %v of %q: %w", pos, vol, err)
				}
				top = above[0].layer
				delete(s.above, pos)
			}
			stop = f(pos, c, top)
			return stop
		})
		if stop != nil {
			return stop
		}
		if err != nil {
			return fmt.Errorf("stone %v: %w", layers[i].id, err)
		}
		if len(got) > 0 {
			want = slices.DeleteFunc(slices.Clone(want), func(pos geom.ChunkPos) bool { return got[pos] })
		}
	}
	for _, pos := range want { // a full pack leaves out what is the default
		above := s.above[pos]
		if above == nil {
			continue
		}
		top := above[0].layer
		c, err := s.made(top, nil, above)
		if err != nil {
			return fmt.Errorf("stone %v: chunk %v of %q: %w", layers[top].id, pos, vol, err)
		}
		if err := f(pos, c, top); err != nil {
			return err
		}
	}
	return nil
}

// link is a delta of a layer.
type link struct {
	layer int
	table []voxel.Cell // what its cells are
	*Delta
}

// stackReader is one ReadStack.
type stackReader struct {
	ctx      context.Context
	layers   []Stacked
	dim, vol string
	above    map[geom.ChunkPos][]link // the deltas of what was not met whole yet, top first
	hasher   *hasher                  // of the reader's cells; made when a delta is met
	builder  voxel.ChunkBuilder
}

// put adds the next delta. Many become one, which takes bounded memory and holds no page.
func (s *stackReader) put(pos geom.ChunkPos, l link) {
	if s.above == nil {
		s.above = make(map[geom.ChunkPos][]link)
	}
	above := append(s.above[pos], l)
	if len(above) > 2*MaxLinks {
		above = append(make([]link, 0, 2), link{above[0].layer, nil, composed(above)})
	}
	s.above[pos] = above
}

// made returns what deltas, top first, make of the chunk of a layer below, which is in the cells of the reader.
func (s *stackReader) made(layer int, c *voxel.Chunk, above []link) (*voxel.Chunk, error) {
	v, _ := s.layers[layer].entries(s.dim, s.vol, 0)
	if c == nil {
		c = voxel.Uniform(tabled(s.layers[layer].Table, v.Default))
	}
	e := c.Edit()
	for _, l := range slices.Backward(above) {
		if err := s.ctx.Err(); err != nil {
			return nil, err
		}
		l.write(e, l.table)
	}
	c = e.Publish(&s.builder)
	if s.hasher == nil {
		s.hasher = newHasher(s.names())
	}
	if s.hasher.content(c) != above[0].hash {
		return nil, corruptf(0, "delta", "the stones below are others than those it was made on")
	}
	return c, nil
}

// names returns the names of the reader's cells in a palette, as far as the layers have them.
func (s *stackReader) names() (names []string) {
	for _, l := range s.layers {
		v, _ := l.entries(s.dim, s.vol, 0)
		if v == nil || v.Schema != voxel.Palette {
			continue
		}
		for c, name := range v.names {
			at := int(tabled(l.Table, voxel.Cell(c)))
			if at >= len(names) {
				names = append(names, make([]string, at+1-len(names))...)
			}
			names[at] = name
		}
	}
	return names
}

// tabled returns what a cell is in a table.
func tabled(table []voxel.Cell, c voxel.Cell) voxel.Cell {
	if table == nil {
		return c
	}
	return table[c]
}

// write writes the runs to a draft.
func (d *Delta) write(e *voxel.Draft, table []voxel.Cell) {
	const edge = voxel.ChunkEdge
	d.each(func(from, to int, c voxel.Cell) {
		c = tabled(table, c)
		for at := from; at < to; at++ {
			e.Set(at%edge, at/voxel.SliceCells, at/edge%edge, c)
		}
	})
}

// memory estimates the bytes of memory of a delta. nil has none.
func (d *Delta) memory() int64 {
	if d == nil {
		return 0
	}
	return int64(unsafe.Sizeof(*d)) + int64(len(d.runs)+len(d.cells))
}

// composed returns deltas, top first, as one in the cells of their tables. It stands on what the lowest stood on.
func composed(above []link) *Delta {
	const unset = voxel.MaxCell + 1
	var cells [voxel.ChunkCells]voxel.Cell
	for i := range cells {
		cells[i] = unset
	}
	for _, l := range slices.Backward(above) {
		l.each(func(from, to int, c voxel.Cell) {
			c = tabled(l.table, c)
			for at := from; at < to; at++ {
				cells[at] = c
			}
		})
	}
	var w deltaWriter
	for at, c := range cells {
		if c != unset {
			w.next(at, c, true)
		}
	}
	d := &Delta{hash: above[0].hash}
	w.end(d)
	return d
}

// differs reports whether a page of cells is of the form that has deltas.
func (s *Reader) differs(page int) (bool, error) {
	b, err := s.read(s.dir.pages[page].off, 1)
	return err == nil && b[0] == formDelta, err
}
