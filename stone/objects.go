package stone

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/tags"
	"github.com/cairnvoxel/cairn/voxel"
)

// Forms of a page of objects.
const (
	objectForm = 1
	objectTags = 2 // payloads split by package tags, positions by axis
)

const (
	maxPageObjects   = 1 << 20
	maxColumnObjects = 1 << 19
	objectBytes      = 8 // size that an object counts for, besides its payload
)

// Streams of a page of objects of form 1. Form 2 has the streams of package tags in
// place of the last two.
const (
	objectCounts = iota // of objects by column
	objectPlaces
	objectAt // relative to the column
	objectSizes
	objectData
	numObjectStreams
)

var objectParts = []string{"object counts", "object places", "object positions", "object sizes", "object data"}

// objectPage returns the page of lists in each form. There is one list for each
// column of entries.
func objectPage(entries []entry, lists []voxel.List) []candidate {
	var s [numObjectStreams][]byte
	var axes [3][]byte
	var split tags.Writer
	for i, pos := range columnPositions(entries) {
		s[objectCounts] = binary.AppendUvarint(s[objectCounts], uint64(len(lists[i].Objects)))
		min := pos.Min(0)
		last := min
		for _, o := range lists[i].Objects {
			s[objectPlaces] = append(s[objectPlaces], byte(o.Place))
			if o.Place != voxel.Nowhere {
				at, step := o.At.Sub(min), o.At.Sub(last)
				for _, v := range []int{at.X, at.Y, at.Z} {
					s[objectAt] = binary.AppendVarint(s[objectAt], int64(v))
				}
				for i, v := range []int{step.X, step.Y, step.Z} {
					axes[i] = binary.AppendVarint(axes[i], int64(v))
				}
				last = o.At
			}
			s[objectSizes] = binary.AppendUvarint(s[objectSizes], uint64(len(o.Payload)))
			s[objectData] = append(s[objectData], o.Payload...)
			split.Payload("", o.Payload)
		}
	}
	at := append(append(axes[0], axes[1]...), axes[2]...)
	return addSplit([]candidate{{objectForm, s[:]}}, objectTags, &split, [][]byte{s[objectCounts], s[objectPlaces], at})
}

// objectReader reads a page of objects.
type objectReader struct {
	c    [numObjectStreams]cursor
	tags *tags.Reader // nil in form 1
}

// open takes the streams of a page. It returns false for an unknown form.
func (r *objectReader) open(form byte, streams [][]byte) bool {
	n := numObjectStreams
	if form == objectTags {
		n = objectSizes
		if len(streams) == n+tags.NumStreams {
			r.tags = splitReader(streams, n)
		}
	}
	if form != objectForm && r.tags == nil || r.tags == nil && len(streams) != n {
		return false
	}
	for i := range n {
		r.c[i] = cursor{b: streams[i], part: objectParts[i]}
	}
	return true
}

// decodeObjects returns the objects of each column at at, in that order.
func decodeObjects(ctx context.Context, form byte, streams [][]byte, at []geom.ColumnPos) ([][]voxel.Object, error) {
	var r objectReader
	if !r.open(form, streams) {
		return nil, corruptf(0, "objects", "form %d with %d streams", form, len(streams))
	}
	if r.tags != nil {
		r.tags.Until(ctx)
	}
	counts, places := &r.c[objectCounts], &r.c[objectPlaces]
	if len(places.b) > maxPageObjects {
		return nil, corruptf(0, "object places", "%d objects in a page", len(places.b))
	}
	lists := make([][]voxel.Object, len(at))
	for i := range at {
		lists[i] = some[voxel.Object](counts.atMost(len(places.b) - places.at))
		for j := range lists[i] {
			o := &lists[i][j]
			if o.Place = voxel.Place(places.byte()); o.Place > voxel.Moved {
				places.fail(fmt.Errorf("place %d", o.Place))
			}
			if r.tags != nil {
				o.Payload = r.tags.Payload("")
			} else {
				o.Payload = r.c[objectData].bytes(r.c[objectSizes].size())
			}
		}
	}
	r.positions(lists, at)
	for i := range r.c {
		if err := r.c[i].end(); err != nil {
			return nil, err
		}
	}
	if r.tags != nil {
		return lists, r.tags.End()
	}
	return lists, nil
}

// positions reads the positions of the objects that have one.
func (r *objectReader) positions(lists [][]voxel.Object, at []geom.ColumnPos) {
	c := &r.c[objectAt]
	each := func(read func(o *voxel.Object, last geom.Point)) {
		for i, list := range lists {
			last := at[i].Min(0)
			for j := range list {
				if o := &list[j]; o.Place != voxel.Nowhere {
					read(o, last)
					if r.tags != nil {
						last = o.At
					}
				}
			}
		}
	}
	if r.tags == nil {
		each(func(o *voxel.Object, min geom.Point) {
			o.At = min.Add(geom.Point{X: c.int(), Y: c.int(), Z: c.int()})
		})
		return
	}
	each(func(o *voxel.Object, last geom.Point) { o.At.X = last.X + c.int() })
	each(func(o *voxel.Object, last geom.Point) { o.At.Y = last.Y + c.int() })
	each(func(o *voxel.Object, last geom.Point) { o.At.Z = last.Z + c.int() })
}
