package texture

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/cairnvoxel/cairn/internal/raster"
	"github.com/cairnvoxel/cairn/internal/raster/paged"
	"github.com/cairnvoxel/cairn/tile"
)

// set is the images of a UDIM set, which are files or lie in one. An image is opened when it is
// first asked for.
type set struct {
	files map[int]string         // by number
	item  *tile.Item[tile.Flat]  // or of all images
	of    *paged.Outline         // of the item
	all   []atomic.Pointer[view] // by number from paged.First on
}

func newSet(files map[int]string, item *tile.Item[tile.Flat], of *paged.Outline) *set {
	last := paged.First - 1
	for n := range files {
		last = max(last, n)
	}
	if of != nil {
		for n := range of.Headers {
			last = max(last, n)
		}
	}
	return &set{files, item, of, make([]atomic.Pointer[view], last-paged.First+1)}
}

// member returns the view of an image of a set, or nil if the set does not have it.
func (m *Sampler) member(ctx context.Context, of *view, u, v int) (*view, error) {
	s, i := of.set, u+paged.Across*v
	if u < 0 || u >= paged.Across || v < 0 || i >= len(s.all) {
		return nil, nil
	}
	if found := s.all[i].Load(); found != nil {
		return found, nil
	}
	item, is, number := s.item, s.of, paged.First+i
	if s.files != nil {
		name, ok := s.files[number]
		if !ok {
			return nil, nil
		}
		var err error
		if item, is, err = m.openItem(ctx, of.Texture, name); err != nil {
			return nil, err
		}
		number = paged.First // it is the only one of its file
	}
	if is.Headers[number] == nil {
		return nil, nil
	}
	found := newView(m.system, of.Texture, item, is, number)
	found.set, found.u, found.v = s, u, v
	s.all[i].Store(found)
	return found, nil
}

// beyond returns the image that has a texel beyond an edge of v, and where in it; without such
// an image the texel is that of the edge.
func (m *Sampler) beyond(ctx context.Context, v *view, l *level, x, y int) (*view, *level, int, int, error) {
	inX, inY := modulo(x, l.w), modulo(y, l.h)
	n, err := m.member(ctx, v, v.u+(x-inX)/l.w, v.v+(y-inY)/l.h)
	if err != nil {
		return nil, nil, 0, 0, err
	}
	if n != nil && sameShape(n.header, v.header) {
		return n, &n.levels[l.number], inX, inY, nil
	}
	return v, l, min(max(x, 0), l.w-1), min(max(y, 0), l.h-1), nil
}

// sameShape reports whether a footprint may go from one image to the other.
func sameShape(a, b *raster.Header) bool {
	return a.Type == b.Type && a.SRGB == b.SRGB && a.Block == b.Block &&
		slices.Equal(a.Levels, b.Levels) && slices.Equal(a.Channels, b.Channels)
}
