package clip

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"

	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// versionArrays is the data version from which on a UUID is an int array: 20w12a. Before, it is two
// longs.
const versionArrays = 2515

// UUID is the number of an entity.
type UUID [16]byte

// UUIDOf returns the UUID of an entity, and false if it has none.
func UUIDOf(o *voxel.Object) (UUID, bool) {
	fields, err := document.Fields(o.Payload)
	if err != nil {
		return UUID{}, false
	}
	return uuidOf(fields)
}

func uuidOf(fields []document.Field) (id UUID, ok bool) {
	if b := document.Find(fields, "UUID", nbt.IntArray); len(b) == 4+len(id) {
		return UUID(b[4:]), true
	}
	most, least := document.Find(fields, "UUIDMost", nbt.Long), document.Find(fields, "UUIDLeast", nbt.Long)
	if most == nil || least == nil {
		return componentUUID(fields)
	}
	return UUID(append(append([]byte{}, most...), least...)), true
}

// Entities returns the entities of the clip with its least corner at a place. They have new UUIDs, as
// have those that ride on them, and what names one of them, such as a leash, names the new one. The
// new ones follow from the old ones and the place, so they are the same the next time.
func (c *Clip) Entities(at geom.Point) (out []voxel.Object) {
	r := renewal{at: at, longs: c.Version != 0 && c.Version < versionArrays, ids: map[UUID]UUID{}, seen: map[UUID]bool{}}
	list := c.List(voxel.Entities)
	for _, o := range list {
		if fields, err := document.Fields(o.Payload); err == nil {
			r.find(fields)
		}
	}
	for _, o := range list {
		if fields, err := document.Fields(o.Payload); err == nil {
			o.Payload = document.Compound(r.entity(fields))
		}
		out = append(out, Move(o, at))
	}
	return out
}

// renewal gives the entities of a clip new UUIDs.
type renewal struct {
	at    geom.Point
	longs bool          // an entity without a UUID gets one of two longs
	ids   map[UUID]UUID // the new ones by the old ones
	seen  map[UUID]bool // old ones of entities so far
	n     int           // entities so far
}

// passengers is the tag of the entities that ride on one.
const passengers = "Passengers"

// find finds the UUIDs of an entity and of those that ride on it.
func (r *renewal) find(fields []document.Field) []document.Field {
	if id, ok := uuidOf(fields); ok {
		r.ids[id] = r.made(id[:])
	}
	compounds(document.Find(fields, passengers, nbt.List), r.find)
	return fields
}

// made returns a UUID that follows from what is given and the place.
func (r *renewal) made(from []byte) (id UUID) {
	b := append([]byte("cairn paste "), from...)
	for _, n := range [3]int{r.at.X, r.at.Y, r.at.Z} {
		b = binary.BigEndian.AppendUint64(b, uint64(n))
	}
	sum := sha256.Sum256(b)
	copy(id[:], sum[:])
	id[6], id[8] = id[6]&0x0F|0x80, id[8]&0x3F|0x80 // version 8: a program's own rule
	return id
}

// entity gives an entity a new UUID.
func (r *renewal) entity(fields []document.Field) []document.Field {
	r.n++
	old, ok := uuidOf(fields)
	id := r.ids[old]
	if !ok || r.seen[old] { // it has none, or one that another entity has
		id = r.made(append(binary.BigEndian.AppendUint64(nil, uint64(r.n)), document.Compound(fields)...))
	}
	r.seen[old] = ok
	array := append(binary.BigEndian.AppendUint32(nil, 4), id[:]...)
	if setComponentUUID(fields, array) {
		return fields
	}
	had := false
	for i, f := range fields {
		switch {
		case f.Name == "UUID" && f.Type == nbt.IntArray:
			fields[i].Payload, had = array, true
		case f.Name == "UUIDMost" && f.Type == nbt.Long:
			fields[i].Payload, had = id[:8], true
		case f.Name == "UUIDLeast" && f.Type == nbt.Long:
			fields[i].Payload = id[8:]
		case f.Name == passengers && f.Type == nbt.List:
			fields[i].Payload = compounds(f.Payload, r.entity)
		default:
			fields[i].Payload = r.refer(f)
		}
	}
	r.pairs(fields)
	switch {
	case had:
	case r.longs:
		fields = append(fields, document.Field{Type: nbt.Long, Name: "UUIDMost", Payload: id[:8]}, document.Field{Type: nbt.Long, Name: "UUIDLeast", Payload: id[8:]})
	default:
		fields = append(fields, document.Field{Type: nbt.IntArray, Name: "UUID", Payload: array})
	}
	return fields
}

// refer returns the payload of a tag in which the new UUIDs stand for the old ones.
func (r *renewal) refer(f document.Field) []byte {
	switch f.Type {
	case nbt.IntArray:
		if len(f.Payload) == 20 {
			if id, ok := r.ids[UUID(f.Payload[4:])]; ok {
				return append(binary.BigEndian.AppendUint32(nil, 4), id[:]...)
			}
		}
	case nbt.Compound:
		inner(&f, func(in []document.Field) { r.referAll(in) })
	case nbt.List:
		return compounds(f.Payload, r.referAll)
	}
	return f.Payload
}

func (r *renewal) referAll(fields []document.Field) []document.Field {
	for i, f := range fields {
		fields[i].Payload = r.refer(f)
	}
	r.pairs(fields)
	return fields
}

// pairs replaces UUIDs of two longs, whose names end in Most and Least.
func (r *renewal) pairs(fields []document.Field) {
	for i, f := range fields {
		name, ok := strings.CutSuffix(f.Name, "Most")
		if !ok || f.Type != nbt.Long {
			continue
		}
		for j, g := range fields {
			if g.Name != name+"Least" || g.Type != nbt.Long {
				continue
			}
			if id, ok := r.ids[UUID(append(append([]byte{}, f.Payload...), g.Payload...))]; ok {
				fields[i].Payload, fields[j].Payload = id[:8], id[8:]
			}
		}
	}
}

// compounds returns the payload of a list of compounds with what f makes of each. Another list
// stays.
func compounds(list []byte, f func(fields []document.Field) []document.Field) []byte {
	if list == nil {
		return nil
	}
	r := nbt.NewPayload(list, nbt.Limits{Bytes: len(list) + 1})
	elem, n := r.List()
	if elem != nbt.Compound {
		return list
	}
	out := nbt.AppendListPayload(nil, elem, n)
	for range n {
		fields, err := document.Fields(r.Raw(elem))
		if err != nil || r.Err() != nil {
			return list
		}
		out = append(out, document.Compound(f(fields))...)
	}
	return out
}
