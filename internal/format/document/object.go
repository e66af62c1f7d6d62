package document

import (
	"math"
	"slices"

	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Moved returns the object of a compound's payload without its place, the ints x, y and z. If each of them is not there
// once, the object is Nowhere and keeps the payload. What is left of a payload is appended to dst, which is returned.
func Moved(dst, raw []byte) (o voxel.Object, grown []byte) {
	var at, found [3]int
	from := len(dst)
	r := nbt.NewPayload(raw, nbt.Limits{Bytes: math.MaxInt32})
	for {
		start := r.Offset()
		t, name := r.Next()
		if t == nbt.End {
			break
		}
		if len(name) == 1 && name[0] >= 'x' && name[0] <= 'z' {
			if found[name[0]-'x']++; t == nbt.Int {
				at[name[0]-'x'] = int(r.Int())
				continue
			}
			found[0] = 2 // another program's
		}
		if r.Skip(t); r.Err() == nil {
			dst = append(dst, raw[start:r.Offset()]...)
		}
	}
	p := geom.Point{X: at[0], Y: at[1], Z: at[2]}
	if found != [3]int{1, 1, 1} {
		return voxel.Object{Payload: raw}, dst[:from]
	}
	dst = nbt.AppendEnd(dst)
	return voxel.Object{Place: voxel.Moved, At: p, Payload: dst[from:len(dst):len(dst)]}, dst
}

// Indexed returns the object of a compound's payload that keeps its place, three doubles in the first list Pos.
func Indexed(raw []byte) voxel.Object {
	r := nbt.NewPayload(raw, nbt.Limits{Bytes: math.MaxInt32})
	for t, name := r.Next(); t != nbt.End; t, name = r.Next() {
		if t != nbt.List || string(name) != "Pos" {
			r.Skip(t)
			continue
		}
		if at := Doubles(r.Raw(t)); at != nil {
			if p, ok := Floor(*at); ok {
				return voxel.Object{Place: voxel.Indexed, At: p, Payload: raw}
			}
		}
		break
	}
	return voxel.Object{Payload: raw}
}

// Floor returns the block of a position. ok is false if 32 bits do not hold it.
func Floor(at [3]float64) (p geom.Point, ok bool) {
	for i, to := range [...]*int{&p.X, &p.Y, &p.Z} {
		f := math.Floor(at[i])
		if !(f >= math.MinInt32 && f <= math.MaxInt32) {
			return geom.Point{}, false
		}
		*to = int(f)
	}
	return p, true
}

// AppendObject appends the compound of an object. One that is Moved has its place in x, y and z.
func AppendObject(dst []byte, o *voxel.Object) []byte {
	if o.Place == voxel.Moved {
		dst = AppendPoint(dst, Axes, o.At)
	}
	return append(dst, o.Payload...)
}

// ID returns the payload of the string id of an object, and its other tags.
func ID(o *voxel.Object) (id []byte, rest []Field, err error) {
	fields, err := Fields(o.Payload)
	if err != nil {
		return nil, nil, err
	}
	id = Find(fields, "id", nbt.String)
	if id != nil {
		i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == "id" && f.Type == nbt.String })
		fields = slices.Delete(fields, i, i+1)
	}
	return id, fields, nil
}
