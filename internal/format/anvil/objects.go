package anvil

import (
	"encoding/binary"
	"math"

	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// minObject is the least average size of objects in bytes. It keeps a list of empty objects
// from growing many times in memory.
const minObject = 16

// list makes a list of the column from a list of compounds. An empty list stays
// a tag, with its element type.
func (d *decoder) list(g *tag, name string, object func(payload []byte, tags []tag) voxel.Object) {
	r, n := g.list(nbt.Compound)
	if n == 0 || n > len(g.payload())/minObject+minObject {
		return
	}
	at, doc := len(d.objects), g.payload()
	for range n {
		from := r.Offset()
		d.inner = readTags(d.inner[:0], &r, doc)
		d.objects = append(d.objects, object(doc[from:r.Offset()], d.inner))
	}
	d.col.Lists = append(d.col.Lists, voxel.List{Name: name, Objects: d.objects[at:len(d.objects):len(d.objects)]})
	g.taken = true
}

// moved returns an object whose position is taken out of its payload, where it
// is three ints.
func (d *decoder) moved(payload []byte, tags []tag) voxel.Object {
	var at [3]int32
	var times [3]int
	for i := range tags {
		g := &tags[i]
		if len(g.name) != 1 || g.name[0] < 'x' || g.name[0] > 'z' {
			continue
		}
		axis := g.name[0] - 'x'
		times[axis]++
		at[axis], g.taken = g.int()
		if !g.taken {
			times[axis] = 2
		}
	}
	if times != [3]int{1, 1, 1} || len(tags) > maxTags {
		return voxel.Object{Payload: payload}
	}
	start := len(d.bytes)
	d.bytes = nbt.AppendEnd(appendRest(d.bytes, tags))
	return voxel.Object{
		Place:   voxel.Moved,
		At:      geom.Point{X: int(at[0]), Y: int(at[1]), Z: int(at[2])},
		Payload: d.bytes[start:len(d.bytes):len(d.bytes)],
	}
}

// indexed returns an object that keeps its position, three doubles.
func indexed(payload []byte, tags []tag) voxel.Object {
	o := voxel.Object{Payload: payload}
	r, n := find(tags, "Pos").list(nbt.Double)
	if n != 3 {
		return o
	}
	x, okX := floor(r.Double())
	y, okY := floor(r.Double())
	z, okZ := floor(r.Double())
	if okX && okY && okZ {
		o.Place, o.At = voxel.Indexed, geom.Point{X: x, Y: y, Z: z}
	}
	return o
}

// floor fails for what is no number of a cell.
func floor(v float64) (int, bool) {
	f := math.Floor(v)
	return int(f), f >= math.MinInt32 && f <= math.MaxInt32
}

// appendObject undoes moved and indexed.
func appendObject(dst []byte, o *voxel.Object) []byte {
	if o.Place == voxel.Moved {
		dst = nbt.AppendInt(dst, "x", int32(o.At.X))
		dst = nbt.AppendInt(dst, "y", int32(o.At.Y))
		dst = nbt.AppendInt(dst, "z", int32(o.At.Z))
	}
	return append(dst, o.Payload...)
}

// appendPos appends the two ints of a column's position.
func appendPos(dst []byte, p geom.ColumnPos) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(p.X))
	return binary.BigEndian.AppendUint32(dst, uint32(p.Z))
}
