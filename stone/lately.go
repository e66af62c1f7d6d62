package stone

import (
	"slices"
	"sync"
	"weak"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/voxel"
)

// maxLately is how many readers of blocks are kept.
const maxLately = 4

// lately is the readers of blocks that light and height maps were last computed from,
// those not in use now. They are kept as long as memory is not wanted for something else:
// light is read page after page, and volume after volume.
type lately struct {
	mu   sync.Mutex
	free []weak.Pointer[towerReader] // the last one used last
}

// take returns the reader of a dimension's blocks that was used last, or a new one.
func (l *lately) take(s *Reader, d *dimension) *towerReader {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := len(l.free) - 1; i >= 0; i-- {
		t := l.free[i].Value()
		if t != nil && t.d != d {
			continue
		}
		l.free = slices.Delete(l.free, i, i+1)
		if t != nil {
			t.decoded = 0
			return t
		}
	}
	return &towerReader{s: s, d: d}
}

// give gives back what take returned.
func (l *lately) give(t *towerReader) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.free) == maxLately {
		l.free = slices.Delete(l.free, 0, 1)
	}
	l.free = append(l.free, weak.Make(t))
}

// keep keeps a page of a volume that was read, for light and height maps that may be
// asked for next.
func (s *Reader) keep(v *volume, first entry, at []geom.ChunkPos, chunks []*voxel.Chunk) {
	if v.Name != voxel.Block || !first.finest() {
		return
	}
	d := s.dimensionOf(v)
	if len(d.matters)+len(d.rules) == 0 {
		return
	}
	blocks := s.lately.take(s, d)
	if blocks.cached(first) == nil {
		blocks.keep(newCachedPage(first, at, chunks))
	}
	s.lately.give(blocks)
}
