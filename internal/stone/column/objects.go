package column

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/stone/pages"
	"github.com/cairnvoxel/cairn/internal/stone/patch"
	"github.com/cairnvoxel/cairn/internal/tags"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// objectsAtOnce is how many objects of a list are read before the context is asked again.
const objectsAtOnce = 1 << 12

// objectBytes is the size that an object counts for, besides its payload.
const objectBytes = 8

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

// EncodeObjects returns the page of lists, one for each column of at, in each form;
// the last one is the smaller one of large pages.
func EncodeObjects(at []geom.ColumnPos, lists []voxel.List) []pages.Page {
	var s [numObjectStreams][]byte
	var axes [3][]byte
	var split tags.Builder
	for i, pos := range at {
		s[objectCounts] = binary.AppendUvarint(s[objectCounts], uint64(len(lists[i].Objects)))
		min := pos.Min(0)
		last := min
		for _, o := range lists[i].Objects {
			s[objectPlaces] = append(s[objectPlaces], byte(o.Place))
			if o.Place != voxel.Nowhere {
				far, step := o.At.Sub(min), o.At.Sub(last)
				for _, v := range []int{far.X, far.Y, far.Z} {
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
	steps := append(append(axes[0], axes[1]...), axes[2]...)
	return addSplit([]pages.Page{{Form: Plain, Streams: s[:]}}, Tags, &split, [][]byte{s[objectCounts], s[objectPlaces], steps})
}

// objectReader reads a page of objects.
type objectReader struct {
	c    [numObjectStreams]cursor.Cursor
	tags *tags.Decoder // nil in form 1
}

// open takes the streams of a page. It returns false for an unknown form.
func (r *objectReader) open(form byte, streams [][]byte) bool {
	n := numObjectStreams
	if form == Tags {
		n = objectSizes
		if len(streams) == n+tags.NumStreams {
			r.tags = splitReader(streams, n)
		}
	}
	if form != Plain && r.tags == nil || r.tags == nil && len(streams) != n {
		return false
	}
	for i := range n {
		r.c[i] = cursor.New(streams[i], objectParts[i])
	}
	return true
}

// Objects is a decoded page of objects.
type Objects struct {
	Lists [][]voxel.Object // by column of the page
	// Patches are of the lists that are stored as patches, nil for others.
	Patches []*patch.Patch
	Count   int // of objects
	Bytes   int // plain bytes of the page, with whole payloads

	payloads int
}

// Memory is about how much memory the page takes.
func (o *Objects) Memory() int64 {
	return int64(o.payloads) + patchMemory(o.Patches) + memoryOf(o.Lists) + int64(o.Count)*64
}

// DecodeObjects reads the objects of each column at at, in that order. It ends with
// ctx.
func DecodeObjects(ctx context.Context, form byte, streams [][]byte, at []geom.ColumnPos) (*Objects, error) {
	all, form, streams, err := takePatches(ctx, form, streams, len(at))
	if err != nil {
		return nil, err
	}
	if len(at) > 0 && !slices.Contains(all, nil) {
		return &Objects{Lists: make([][]voxel.Object, len(at)), Patches: all}, nil
	}
	lists, err := decodeObjects(ctx, form, streams, at, all)
	if err != nil {
		return nil, err
	}
	o := &Objects{Lists: lists, Patches: all, Count: len(streams[objectPlaces]), Bytes: pages.Size(streams), payloads: payloadBytes(lists)}
	if form == Tags {
		o.Bytes = pages.Size(streams[:objectSizes]) + o.payloads
	}
	return o, nil
}

func payloadBytes(lists [][]voxel.Object) (n int) {
	for _, l := range lists {
		for i := range l {
			n += len(l[i].Payload)
		}
	}
	return n
}

func decodeObjects(ctx context.Context, form byte, streams [][]byte, at []geom.ColumnPos, all []*patch.Patch) ([][]voxel.Object, error) {
	var r objectReader
	if !r.open(form, streams) {
		return nil, corruptf("objects", "form %d with %d streams", form, len(streams))
	}
	if r.tags != nil {
		r.tags.Until(ctx)
	}
	counts, places := &r.c[objectCounts], &r.c[objectPlaces]
	if places.Left() > MaxObjects {
		return nil, corruptf("object places", "%d objects in a page", places.Left())
	}
	lists := make([][]voxel.Object, len(at))
	for i := range at {
		if all[i] != nil {
			continue
		}
		lists[i] = pages.Some[voxel.Object](counts.AtMost(places.Left()))
		for j := range lists[i] {
			if j%objectsAtOnce == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			o := &lists[i][j]
			if o.Place = voxel.Place(places.Byte()); o.Place > voxel.Moved {
				places.Fail(fmt.Errorf("place %d", o.Place))
			}
			if r.tags != nil {
				o.Payload = r.tags.Payload("")
			} else {
				o.Payload = r.c[objectData].Bytes(r.c[objectSizes].Size())
			}
		}
	}
	if err := r.positions(ctx, lists, at); err != nil {
		return nil, err
	}
	for i := range r.c {
		if err := r.c[i].End(); err != nil {
			return nil, err
		}
	}
	if r.tags != nil {
		return lists, r.tags.End()
	}
	return lists, nil
}

// positions reads the positions of the objects that have one.
func (r *objectReader) positions(ctx context.Context, lists [][]voxel.Object, at []geom.ColumnPos) error {
	c := &r.c[objectAt]
	each := func(read func(o *voxel.Object, last geom.Point)) {
		for i, list := range lists {
			last := at[i].Min(0)
			for j := range list {
				if j%objectsAtOnce == 0 && ctx.Err() != nil {
					return
				}
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
			o.At = min.Add(geom.Point{X: c.Int(), Y: c.Int(), Z: c.Int()})
		})
		return ctx.Err()
	}
	each(func(o *voxel.Object, last geom.Point) { o.At.X = last.X + c.Int() })
	each(func(o *voxel.Object, last geom.Point) { o.At.Y = last.Y + c.Int() })
	each(func(o *voxel.Object, last geom.Point) { o.At.Z = last.Z + c.Int() })
	return ctx.Err()
}
