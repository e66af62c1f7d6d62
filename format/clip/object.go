package clip

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// AddObjects makes objects of the fields of their compounds, and adds them to a list.
func (c *Clip) AddObjects(name string, all [][]byte, object func(fields []document.Field) (voxel.Object, error)) error {
	var list []voxel.Object
	for n, raw := range all {
		fields, err := document.Fields(raw)
		var o voxel.Object
		if err == nil {
			o, err = object(fields)
		}
		if err != nil {
			return document.Corrupt(fmt.Sprintf("%s[%d]", name, n), err)
		}
		list = append(list, o)
	}
	i := slices.IndexFunc(c.Lists, func(l voxel.List) bool { return l.Name == name })
	switch {
	case i >= 0:
		c.Lists[i].Objects = append(c.Lists[i].Objects, list...)
	case len(list) > 0:
		c.Lists = append(c.Lists, voxel.List{Name: name, Objects: list})
	}
	return nil
}

// BlockEntity returns the object of a block entity at a position. The fields are its tags;
// x, y and z among them are left out, because the position replaces them. id comes first.
// Without a position the object is Nowhere and keeps all fields.
func BlockEntity(id []byte, at *geom.Point, fields []document.Field) (voxel.Object, error) {
	fields = withID(id, fields)
	if at == nil {
		return voxel.Object{Payload: document.Compound(fields)}, nil
	}
	if err := at.Check(); err != nil {
		return voxel.Object{}, fmt.Errorf("position %v: %w", *at, err)
	}
	fields = slices.DeleteFunc(fields, func(f document.Field) bool {
		return f.Type == nbt.Int && (f.Name == "x" || f.Name == "y" || f.Name == "z")
	})
	return voxel.Object{Place: voxel.Moved, At: *at, Payload: document.Compound(fields)}, nil
}

// withID returns the fields with id, the payload of a string, first. nil is the fields' own.
func withID(id []byte, fields []document.Field) []document.Field {
	if id == nil {
		id = document.Find(fields, "id", nbt.String)
	}
	rest := slices.DeleteFunc(slices.Clone(fields), func(f document.Field) bool { return f.Name == "id" && f.Type == nbt.String })
	if id == nil {
		return rest
	}
	return append([]document.Field{{Type: nbt.String, Name: "id", Payload: id}}, rest...)
}

// Entity returns the object of an entity whose position is at, if it has one. The fields are
// its tags; Pos among them is replaced.
func Entity(id []byte, at *[3]float64, fields []document.Field) (voxel.Object, error) {
	fields = withID(id, fields)
	if at == nil {
		return voxel.Object{Payload: document.Compound(fields)}, nil
	}
	p, err := floor(*at)
	if err != nil {
		return voxel.Object{}, err
	}
	fields = document.Without(fields, "Pos")
	i := 0
	if len(fields) > 0 && fields[0].Name == "id" {
		i = 1
	}
	fields = slices.Insert(fields, i, document.Field{Type: nbt.List, Name: "Pos", Payload: doubles(*at)})
	return voxel.Object{Place: voxel.Indexed, At: p, Payload: document.Compound(fields)}, nil
}

// floor returns the block of a position.
func floor(at [3]float64) (p geom.Point, err error) {
	p, ok := document.Floor(at)
	if !ok || p.Check() != nil {
		err = fmt.Errorf("position %v: %w", at, geom.ErrOutOfRange)
	}
	return p, err
}

func doubles(v [3]float64) []byte {
	out := nbt.AppendListPayload(nil, nbt.Double, 3)
	for _, x := range v {
		out = binary.BigEndian.AppendUint64(out, math.Float64bits(x))
	}
	return out
}

// position returns where an entity is.
func position(o *voxel.Object) (v [3]float64, fields []document.Field, ok bool) {
	fields, err := document.Fields(o.Payload)
	if err != nil || o.Place != voxel.Indexed {
		return v, fields, false
	}
	if at := document.Doubles(document.Find(fields, "Pos", nbt.List)); at != nil {
		return *at, fields, true
	}
	v, ok = transformed(fields)
	return v, fields, ok
}

// hanging are the tags of the block that an entity hangs at.
var hanging = [3]string{"TileX", "TileY", "TileZ"}

// near is how far from its position the block may be that an entity hangs at.
const near = 16

// Move returns an object moved by d. Of an entity it moves Pos, and the blocks that it names if they
// are near Pos: the one that it hangs at, the knot of its leash, its home.
func Move(o voxel.Object, d geom.Point) voxel.Object {
	if o.Place == voxel.Nowhere || d == (geom.Point{}) {
		return o
	}
	if o.Place == voxel.Moved {
		o.At = o.At.Add(d)
		return o
	}
	v, fields, ok := position(&o)
	if !ok {
		return o
	}
	return moved(o, fields, v, [3]float64{v[0] + float64(d.X), v[1] + float64(d.Y), v[2] + float64(d.Z)}, func(p geom.Point) geom.Point { return p.Add(d) })
}

// moved returns an entity with another position. block moves the blocks that it names.
func moved(o voxel.Object, fields []document.Field, from, to [3]float64, block func(geom.Point) geom.Point) voxel.Object {
	p, err := floor(to)
	if err != nil {
		return o
	}
	for i, f := range fields {
		if f.Name == "Pos" && f.Type == nbt.List {
			fields[i].Payload = doubles(to)
		}
	}
	setTransform(fields, to)
	eachPlace(fields, func(p geom.Point, near float64) geom.Point {
		if isNear(p, from, near) {
			return block(p)
		}
		return p
	})
	return voxel.Object{Place: voxel.Indexed, At: p, Payload: document.Compound(fields)}
}

// tile returns the block that an entity hangs at.
func tile(fields []document.Field) (p geom.Point, ok bool) {
	if p, ok := document.Ints(nbt.IntArray, document.Find(fields, "block_pos", nbt.IntArray)); ok {
		return p, true
	}
	if p := document.Point(fields, hanging); p != nil {
		return *p, true
	}
	return p, false
}

func isNear(p geom.Point, at [3]float64, near float64) bool {
	return math.Abs(float64(p.X)-at[0]) <= near && math.Abs(float64(p.Y)-at[1]) <= near && math.Abs(float64(p.Z)-at[2]) <= near
}

func setTile(fields []document.Field, p geom.Point) {
	setInts(fields, hanging, p)
	for i, f := range fields {
		if f.Name == "block_pos" && f.Type == nbt.IntArray {
			fields[i].Payload = intArray(p)
		}
	}
}

// setInts makes the fields of those names say a point.
func setInts(fields []document.Field, names [3]string, p geom.Point) {
	for i, f := range fields {
		for axis, v := range [3]int{p.X, p.Y, p.Z} {
			if f.Name == names[axis] && f.Type == nbt.Int {
				fields[i].Payload = binary.BigEndian.AppendUint32(nil, uint32(v))
			}
		}
	}
}

// Settle makes the blocks that an entity names relative to the least corner if its file counts
// them from the origin of the world that the clip was copied from.
func Settle(o voxel.Object, least geom.Point) voxel.Object {
	v, fields, ok := position(&o)
	if !ok {
		return o
	}
	eachPlace(fields, func(p geom.Point, near float64) geom.Point {
		if !isNear(p, v, near) && isNear(p.Sub(least), v, near) {
			return p.Sub(least)
		}
		return p
	})
	o.Payload = document.Compound(fields)
	return o
}

// Hangs returns the block that an entity hangs at: a painting, an item frame.
func Hangs(o *voxel.Object) (geom.Point, bool) {
	fields, err := document.Fields(o.Payload)
	if err != nil {
		return geom.Point{}, false
	}
	return tile(fields)
}

// Hang returns an entity that hangs at another block.
func Hang(o voxel.Object, p geom.Point) voxel.Object {
	if fields, err := document.Fields(o.Payload); err == nil {
		setTile(fields, p)
		o.Payload = document.Compound(fields)
	}
	return o
}
