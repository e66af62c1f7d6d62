package stone

import (
	"sync"
	"weak"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/voxel"
)

// lately is the blocks that light was last computed from, which are kept as long
// as memory is not wanted for something else: light is read volume after volume.
type lately struct {
	mu     sync.Mutex
	blocks weak.Pointer[towerReader]
	used   bool
}

// litBlocks returns a reader of the blocks of a dimension, the last one if that is
// there.
func (s *Reader) litBlocks(d *dimension) (blocks *towerReader, giveBack func()) {
	l := &s.lately
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.used {
		return &towerReader{s: s, d: d}, func() {}
	}
	l.used = true
	return l.of(s, d), func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.used = false
	}
}

// of returns the reader of the blocks of a dimension.
func (l *lately) of(s *Reader, d *dimension) *towerReader {
	blocks := l.blocks.Value()
	if blocks == nil || blocks.d != d {
		blocks = &towerReader{s: s, d: d}
		l.blocks = weak.Make(blocks)
	}
	return blocks
}

// keep keeps a page of a volume that was read, for light that may be asked for next.
func (s *Reader) keep(v *volume, first entry, at []geom.ChunkPos, chunks []*voxel.Chunk) {
	if v.Name != voxel.Block {
		return
	}
	d := s.litDimension(v)
	if d == nil {
		return
	}
	l := &s.lately
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.used {
		return
	}
	if blocks := l.of(s, d); blocks.cached(first) == nil {
		blocks.keep(newCachedPage(first, at, chunks))
	}
}
