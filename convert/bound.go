package convert

import (
	"errors"
	"unsafe"

	"github.com/cairnvoxel/cairn/format"
	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/voxel"
)

// ErrTooLarge is wrapped where a world takes more memory than it may.
var ErrTooLarge = errors.New("the world takes more memory than it may")

// budget counts what a world takes in memory; nil counts nothing.
type budget struct{ left int64 }

func newBudget(maxBytes int64) *budget {
	if maxBytes <= 0 {
		return nil
	}
	return &budget{maxBytes}
}

// check fails when more was spent than there was.
func (b *budget) check() error {
	if b != nil && b.left < 0 {
		return ErrTooLarge
	}
	return nil
}

// chunk spends a chunk and its place in a volume, n times.
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

// column spends a column with its lists and parts.
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

// growing is a list of names of which those that came last were not spent yet.
type growing struct {
	names *format.Names
	spent int
}

func (b *budget) names(all []growing) {
	if b == nil {
		return
	}
	for i := range all {
		g := &all[i]
		for _, name := range g.names.List()[g.spent:] {
			b.bytes(len(name) + int(unsafe.Sizeof(name)))
		}
		g.spent = g.names.Len()
	}
}
