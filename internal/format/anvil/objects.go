package anvil

import (
	"encoding/binary"

	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// minObject is the least average size of objects in bytes. It keeps a list of empty objects
// from growing many times in memory.
const minObject = 16

// list makes a list of the column from a list of compounds. An empty list stays
// a tag, with its element type.
func (d *decoder) list(g *tag, name string, object func(payload []byte) voxel.Object) {
	r, n := g.list(nbt.Compound)
	if n == 0 || n > len(g.payload())/minObject+minObject {
		return
	}
	at := len(d.objects)
	for range n {
		d.objects = append(d.objects, object(r.Raw(nbt.Compound)))
	}
	d.col.Lists = append(d.col.Lists, voxel.List{Name: name, Objects: d.objects[at:len(d.objects):len(d.objects)]})
	g.taken = true
}

// moved returns an object without its place among its tags.
func (d *decoder) moved(payload []byte) (o voxel.Object) {
	o, d.bytes = document.Moved(d.bytes, payload)
	return o
}

// appendPos appends the two ints of a column's position.
func appendPos(dst []byte, p geom.ColumnPos) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(p.X))
	return binary.BigEndian.AppendUint32(dst, uint32(p.Z))
}
