package slime

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// kind is a list of objects of a column.
type kind struct {
	list string // its name in a column
	tag  string // of the list in its NBT document, versions 11 and up
	all  string // the same where one document has the objects of all columns
	pos  bool   // the position is the doubles of Pos, not the ints x, y, z
}

// kinds are the lists of objects, in the order in which a column has them.
var kinds = [...]kind{
	{list: voxel.BlockEntities, tag: "tileEntities", all: "tiles"},
	{list: voxel.Entities, tag: "entities", all: "entities", pos: true},
	{list: voxel.BlockTicks, tag: "block_ticks"},
	{list: voxel.FluidTicks, tag: "fluid_ticks"},
}

// readObjects reads the objects of the list tag of doc, an NBT document or
// nothing, and hands them to add. Other tags are counted in dropped.
func (k *kind) readObjects(doc []byte, tag string, dropped Losses, add func(voxel.Object)) error {
	return eachEntry(doc, func(r *nbt.Reader, t nbt.Type, name []byte) error {
		if t != nbt.List || string(name) != tag {
			dropped.add(tag+"."+string(name), 1)
			r.Skip(t)
			return nil
		}
		elem, n := r.List()
		if n > 0 && elem != nbt.Compound {
			return fmt.Errorf("%s is a list of type %v", tag, elem)
		}
		for ; n > 0 && r.Err() == nil; n-- {
			if raw := r.Raw(nbt.Compound); r.Err() == nil {
				add(k.object(raw))
			}
		}
		return nil
	})
}

// eachEntry calls f for each entry of the root compound of doc, which may be empty. f reads or
// skips the payload of the entry.
func eachEntry(doc []byte, f func(r *nbt.Reader, t nbt.Type, name []byte) error) error {
	if len(doc) == 0 {
		return nil
	}
	r := nbt.NewReader(doc, nbt.Limits{Bytes: math.MaxInt32})
	if t, _ := r.Root(); t != nbt.Compound && r.Err() == nil {
		return fmt.Errorf("a document of type %v", t)
	}
	for t, name := r.Next(); t != nbt.End; t, name = r.Next() {
		if err := f(&r, t, name); err != nil {
			return err
		}
	}
	if r.Err() == nil && r.Rest() != 0 {
		return fmt.Errorf("%d bytes behind a document", r.Rest())
	}
	return r.Err()
}

// object makes the object of a compound's payload.
func (k *kind) object(raw []byte) voxel.Object {
	if k.pos {
		return entityObject(raw)
	}
	return movedObject(raw)
}

// movedObject takes the ints x, y and z out of the payload if each of them is there exactly
// once.
func movedObject(raw []byte) voxel.Object {
	var at [3]int
	var found [3]int
	rest := make([]byte, 0, len(raw))
	r := nbt.NewPayload(raw, nbt.Limits{Bytes: math.MaxInt32})
	for {
		start := r.Offset()
		t, name := r.Next()
		if t == nbt.End {
			break
		}
		if t == nbt.Int && len(name) == 1 && name[0] >= 'x' && name[0] <= 'z' {
			at[name[0]-'x'] = int(r.Int())
			found[name[0]-'x']++
			continue
		}
		r.Skip(t)
		if r.Err() == nil {
			rest = append(rest, raw[start:r.Offset()]...)
		}
	}
	p := geom.Point{X: at[0], Y: at[1], Z: at[2]}
	if found != [3]int{1, 1, 1} || p.Check() != nil {
		return voxel.Object{Payload: raw}
	}
	return voxel.Object{Place: voxel.Moved, At: p, Payload: nbt.AppendEnd(rest)}
}

// entityObject finds an entity's position.
func entityObject(raw []byte) voxel.Object {
	o := voxel.Object{Payload: raw}
	r := nbt.NewPayload(raw, nbt.Limits{Bytes: math.MaxInt32})
	for t, name := r.Next(); t != nbt.End; t, name = r.Next() {
		if t != nbt.List || string(name) != "Pos" {
			r.Skip(t)
			continue
		}
		elem, n := r.List()
		if elem != nbt.Double || n != 3 {
			return o
		}
		if p, ok := floorPoint(r.Double(), r.Double(), r.Double()); ok {
			o.Place, o.At = voxel.Indexed, p
		}
		return o
	}
	return o
}

func floorPoint(x, y, z float64) (geom.Point, bool) {
	const far = geom.MaxChunk * geom.ChunkEdge
	for _, v := range [...]float64{x, y, z} {
		if !(v >= -far && v < far) {
			return geom.Point{}, false
		}
	}
	return geom.Point{X: int(math.Floor(x)), Y: int(math.Floor(y)), Z: int(math.Floor(z))}, true
}

// appendObject appends the payload of o's compound.
func appendObject(dst []byte, o voxel.Object) []byte {
	if o.Place == voxel.Moved {
		dst = nbt.AppendInt(dst, "x", int32(o.At.X))
		dst = nbt.AppendInt(dst, "y", int32(o.At.Y))
		dst = nbt.AppendInt(dst, "z", int32(o.At.Z))
	}
	return append(dst, o.Payload...)
}

// appendObjects appends a document with objects, whose payloads are given, in
// the list tag.
func appendObjects(dst []byte, tag string, objects [][]byte) []byte {
	dst = nbt.AppendHeader(dst, nbt.Compound, "")
	dst = nbt.AppendList(dst, tag, nbt.Compound, len(objects))
	for _, o := range objects {
		dst = append(dst, o...)
	}
	return nbt.AppendEnd(dst)
}

// appendBlock appends b behind its length.
func appendBlock(dst, b []byte) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(b)))
	return append(dst, b...)
}
