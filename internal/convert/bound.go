package convert

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"unsafe"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// ErrTooLarge is wrapped when a world takes more memory than allowed.
var ErrTooLarge = errors.New("the world takes more memory than allowed")

// budget counts the memory of a world; a nil budget counts nothing.
type budget struct{ most, left, named int64 }

func newBudget(maxBytes int64) *budget {
	if maxBytes <= 0 {
		return nil
	}
	return &budget{most: maxBytes, left: maxBytes}
}

// leastNames is how many bytes of names any budget has room for.
const leastNames = 1 << 20

// spilt says that only names are in memory now. It fails if they take half of the budget.
func (b *budget) spilt() error {
	if b.left = max(b.most-b.named, b.most/2); b.named > max(b.most/2, leastNames) {
		return ErrTooLarge
	}
	return nil
}

// check fails if the budget is overdrawn.
func (b *budget) check() error {
	if b != nil && b.left < 0 {
		return ErrTooLarge
	}
	return nil
}

// chunk charges n times a chunk and its place in a volume.
func (b *budget) chunk(c *voxel.Chunk, n int64) {
	if b != nil {
		b.left -= n * (int64(c.Bytes()) + int64(unsafe.Sizeof(geom.ChunkPos{})+2*unsafe.Sizeof(c)))
	}
}

func (b *budget) bytes(n int) {
	if b != nil {
		b.left -= int64(n)
	}
}

// column charges a column with its lists and parts.
func (b *budget) column(c *voxel.Column) {
	if b == nil {
		return
	}
	n := int(unsafe.Sizeof(*c)) + len(c.Maps)*int(unsafe.Sizeof(voxel.Map{})) + len(c.Sections)*int(unsafe.Sizeof(voxel.Section{}))
	for _, s := range c.Sections {
		n += len(s.Tags)
	}
	for _, l := range c.Lists {
		n += len(l.Objects) * int(unsafe.Sizeof(voxel.Object{}))
		for _, o := range l.Objects {
			n += len(o.Payload)
		}
	}
	for _, p := range c.Parts {
		n += int(unsafe.Sizeof(p)) + len(p.Data)
	}
	b.bytes(n)
}

// Within returns c as a Content that fails with ErrTooLarge when more than maxBytes of it were
// read, as they are in memory. 0 is no bound. One goroutine may use it.
func Within(c stone.Content, maxBytes int64) stone.Content {
	if maxBytes <= 0 {
		return c
	}
	return within{c, newBudget(maxBytes)}
}

type within struct {
	stone.Content
	left *budget
}

func (w within) ReadChunks(ctx context.Context, dim, vol string, level int, want []geom.ChunkPos, f func(geom.ChunkPos, *voxel.Chunk) error) error {
	return w.Content.ReadChunks(ctx, dim, vol, level, want, func(pos geom.ChunkPos, c *voxel.Chunk) error {
		if c != nil {
			w.left.chunk(c, 1)
		}
		return cmp.Or(w.left.check(), f(pos, c))
	})
}

func (w within) ReadColumns(ctx context.Context, dim string) iter.Seq2[*voxel.Column, error] {
	return func(yield func(*voxel.Column, error) bool) {
		for c, err := range w.Content.ReadColumns(ctx, dim) {
			if err == nil {
				w.left.column(c)
				err = w.left.check()
			}
			if !yield(c, err) || err != nil {
				return
			}
		}
	}
}

// growing is a list of names. The first charged names are paid for.
type growing struct {
	names   *format.Names
	charged int
}

func (b *budget) names(all []growing) {
	if b == nil {
		return
	}
	for i := range all {
		g := &all[i]
		for _, name := range g.names.List()[g.charged:] {
			n := len(name) + int(unsafe.Sizeof(name))
			b.named += int64(n)
			b.bytes(n)
		}
		g.charged = g.names.Len()
	}
}
