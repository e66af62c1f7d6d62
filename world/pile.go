package world

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
)

// pile is an open stack: what a world reads from, bottom first. It never
// changes; another pile may share its books.
type pile []layer

type layer struct {
	history.Layer
	*book
}

// book is an open stone. It is closed when its last user lets go.
type book struct {
	*history.Opened
	users  atomic.Int32
	tables map[volumeName][]voxel.Cell // what cells of the stone are in the world; missing: the same. Complete once indexed
	known  bool                        // indexed
}

type volumeName struct{ dimension, volume string }

func newBook(o *history.Opened) *book {
	return &book{Opened: o, tables: make(map[volumeName][]voxel.Cell)}
}

// openPile opens the layers, each stone once, none that prev has open; prev must
// be held.
func openPile(ctx context.Context, st history.Store, name string, f history.Fetched, prev pile) (pile, error) {
	books := make(map[stone.ID]*book, len(prev)+len(f.Layers))
	for _, l := range prev {
		books[l.Stone.ID] = l.book
	}
	var p pile
	for i, l := range f.Layers {
		b := books[l.Stone.ID]
		if b == nil {
			opened, err := openLayer(ctx, st, name, f, i)
			if err != nil {
				p.release()
				return nil, fmt.Errorf("world: %s: stone %v: %w", name, l.Stone.ID, err)
			}
			b = newBook(opened)
			books[l.Stone.ID] = b
		}
		b.users.Add(1)
		p = append(p, layer{l, b})
	}
	return p, nil
}

func (p pile) book(id stone.ID) *book {
	for _, l := range p {
		if l.Stone.ID == id {
			return l.book
		}
	}
	return nil
}

// hold adds a user to each layer; release takes one away.
func (p pile) hold() pile {
	for _, l := range p {
		l.users.Add(1)
	}
	return p
}

// release closes what nobody else uses. What is closed was only read, so an
// error would say nothing.
func (p pile) release() {
	for _, l := range p {
		if l.users.Add(-1) == 0 {
			l.Close()
		}
	}
}

// layers returns what the pile was opened from.
func (p pile) layers() []history.Layer {
	out := make([]history.Layer, len(p))
	for i, l := range p {
		out[i] = l.Layer
	}
	return out
}

// chunks calls f with the chunk of a volume at each position of want that the
// pile speaks of, in cells of the world; nil where it has no cells. want is in
// ascending order of code, the calls are not.
func (p pile) chunks(v volumeName, want []geom.ChunkPos, f func(geom.ChunkPos, *voxel.Chunk)) error {
	for i := len(p) - 1; i >= 0 && len(want) > 0; i-- {
		table := p[i].tables[v]
		got := make(map[geom.ChunkPos]bool) // but for the lowest, below which nothing is asked
		err := p[i].ReadChunks(v.dimension, v.volume, 0, want, func(pos geom.ChunkPos, c *voxel.Chunk) error {
			if i > 0 {
				got[pos] = true
			}
			if c != nil && table != nil {
				c = c.Translate(table)
			}
			f(pos, c)
			return nil
		})
		if err != nil {
			return fmt.Errorf("world: stone %v: %w", p[i].Stone.ID, err)
		}
		if len(got) > 0 {
			want = slices.DeleteFunc(slices.Clone(want), func(pos geom.ChunkPos) bool { return got[pos] })
		}
	}
	return nil
}

// said is what a pile says of one column: of the column itself, if it is not
// nil, or that it is gone with its lists; and of those lists that it speaks of,
// sorted, also empty ones.
type said struct {
	pos    geom.ColumnPos
	column *voxel.Column // without lists
	gone   bool
	lists  []voxel.List
}

// columnReader reads columns of a pile's dimension one by one; who goes through
// them in ascending order has each page decoded once.
type columnReader struct {
	pile
	lists   []string
	readers []*stone.ColumnReader // by layer
}

func (p pile) columnReader(dim string, lists []string) *columnReader {
	r := &columnReader{pile: p, lists: lists}
	for _, l := range p {
		r.readers = append(r.readers, l.ColumnReader(dim, nil))
	}
	return r
}

// says returns what the pile says of a column. Nothing below a stone that says
// it is gone counts: whoever makes a column anew speaks of all its lists.
func (r *columnReader) says(pos geom.ColumnPos) (said, error) {
	s := said{pos: pos}
	found := make([]bool, len(r.lists))
	for i := len(r.pile) - 1; i >= 0; i-- {
		err := r.layer(i, &s, found)
		if err != nil {
			return s, fmt.Errorf("world: stone %v: %w", r.pile[i].Stone.ID, err)
		}
		if s.gone {
			break
		}
	}
	slices.SortFunc(s.lists, func(a, b voxel.List) int { return strings.Compare(a.Name, b.Name) })
	return s, nil
}

// layer adds what a layer says and none above it did.
func (r *columnReader) layer(i int, s *said, found []bool) error {
	if s.column == nil {
		c, spoken, err := r.readers[i].Column(s.pos)
		if err != nil {
			return err
		}
		if s.column = c; spoken && c == nil {
			s.gone = true
			return nil
		}
	}
	for n, name := range r.lists {
		if found[n] {
			continue
		}
		objects, spoken, err := r.readers[i].List(name, s.pos)
		if err != nil {
			return err
		}
		if found[n] = spoken; spoken {
			s.lists = append(s.lists, voxel.List{Name: name, Objects: objects})
		}
	}
	return nil
}

// withObjects returns the lists that are not empty, nil if all are. It changes
// lists.
func withObjects(lists []voxel.List) []voxel.List {
	lists = slices.DeleteFunc(lists, func(l voxel.List) bool { return len(l.Objects) == 0 })
	if len(lists) == 0 {
		return nil
	}
	return lists
}

// column returns a column with its lists, nil if there is none.
func (r *columnReader) column(pos geom.ColumnPos) (*voxel.Column, error) {
	s, err := r.says(pos)
	if err != nil || s.column == nil {
		return nil, err
	}
	c := *s.column
	c.Lists = withObjects(s.lists)
	return &c, nil
}
