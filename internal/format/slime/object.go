package slime

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
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
	var o voxel.Object
	if k.pos {
		o = document.Indexed(raw)
	} else {
		o, _ = document.Moved(make([]byte, 0, len(raw)), raw)
	}
	if o.At.Check() != nil {
		return voxel.Object{Payload: raw}
	}
	return o
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
