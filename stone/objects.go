package stone

import (
	"encoding/binary"
	"fmt"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/voxel"
)

const (
	objectForm       = 1
	maxPageObjects   = 1 << 20
	maxColumnObjects = 1 << 19
	objectBytes      = 8 // what an object counts for besides its payload
)

// Streams of a page of objects.
const (
	objectCounts = iota // of objects by column
	objectPlaces
	objectAt // relative to the column
	objectSizes
	objectData
	numObjectStreams
)

// objectPage returns the streams of the page of lists, one for each column of
// entries.
func objectPage(entries []entry, lists []voxel.List) [][]byte {
	var s [numObjectStreams][]byte
	for i, pos := range columnPositions(entries) {
		s[objectCounts] = binary.AppendUvarint(s[objectCounts], uint64(len(lists[i].Objects)))
		min := pos.Min(0)
		for _, o := range lists[i].Objects {
			s[objectPlaces] = append(s[objectPlaces], byte(o.Place))
			if o.Place != voxel.Nowhere {
				at := o.At.Sub(min)
				for _, v := range []int{at.X, at.Y, at.Z} {
					s[objectAt] = binary.AppendVarint(s[objectAt], int64(v))
				}
			}
			s[objectSizes] = binary.AppendUvarint(s[objectSizes], uint64(len(o.Payload)))
			s[objectData] = append(s[objectData], o.Payload...)
		}
	}
	return s[:]
}

// decodeObjects returns the objects of each column at at, in that order.
func decodeObjects(form byte, streams [][]byte, at []geom.ColumnPos) ([][]voxel.Object, error) {
	if form != objectForm || len(streams) != numObjectStreams {
		return nil, corruptf(0, "objects", "form %d with %d streams", form, len(streams))
	}
	var c [numObjectStreams]cursor
	for i, name := range []string{"counts", "places", "positions", "sizes", "data"} {
		c[i] = cursor{b: streams[i], part: "object " + name}
	}
	if len(c[objectPlaces].b) > maxPageObjects {
		return nil, corruptf(0, "object places", "%d objects in a page", len(c[objectPlaces].b))
	}
	lists := make([][]voxel.Object, len(at))
	for i, pos := range at {
		n := c[objectCounts].atMost(min(maxPageObjects, len(c[objectPlaces].b)-c[objectPlaces].at))
		lists[i] = some[voxel.Object](n)
		for j := range lists[i] {
			o := &lists[i][j]
			o.Place = voxel.Place(c[objectPlaces].byte())
			if o.Place > voxel.Moved {
				c[objectPlaces].fail(fmt.Errorf("place %d", o.Place))
			}
			if o.Place != voxel.Nowhere {
				p := &c[objectAt]
				o.At = pos.Min(0).Add(geom.Point{X: p.int(), Y: p.int(), Z: p.int()})
			}
			o.Payload = c[objectData].bytes(c[objectSizes].size())
		}
	}
	for i := range c {
		if err := c[i].end(); err != nil {
			return nil, err
		}
	}
	return lists, nil
}
