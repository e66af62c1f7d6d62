package bedrock

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// objects takes the compounds of a list.
func (c *column) objects(list string, value []byte, object func([]byte) voxel.Object) error {
	for p := cursor.New(value, list); ; {
		if p.Left() == 0 {
			return p.Err()
		}
		if payload := compound(&p); p.Err() == nil {
			c.add(list, object(payload))
			if err := c.db.spend(objectCost); err != nil {
				return err
			}
		}
	}
}

func (c *column) add(list string, o voxel.Object) {
	i := slices.IndexFunc(c.Lists, func(l voxel.List) bool { return l.Name == list })
	if i < 0 {
		i = len(c.Lists)
		c.Lists = append(c.Lists, voxel.List{Name: list})
	}
	c.Lists[i].Objects = append(c.Lists[i].Objects, o)
}

// digest takes the entities that the list of a chunk names, each of which has a key of its own.
func (c *column) digest(ids []byte) error {
	if len(ids)%8 != 0 {
		return corrupt(len(ids), "list of entities", fmt.Errorf("%d bytes", len(ids)))
	}
	for ; len(ids) > 0; ids = ids[8:] {
		id := binary.LittleEndian.Uint64(ids)
		if c.taken[id] {
			c.lost["entities that are listed twice, kept where they come first"]++
			continue
		}
		value, ok, err := c.db.actor(id)
		if err != nil {
			return err
		}
		if !ok {
			c.lost["entities that a chunk lists and the database lacks"]++
			continue
		}
		if err := c.objects(voxel.Entities, value, indexed); err != nil {
			return fmt.Errorf("entity %d: %w", id, err)
		}
		c.taken[id] = true
	}
	return nil
}

// moved returns an object whose position is the tags x, y and z.
func moved(payload []byte) voxel.Object {
	var at [3]int
	var times [3]int
	var rest []byte
	r := nbt.NewPayload(payload, nbt.Limits{})
	for begin := 0; ; begin = r.Offset() {
		t, key := r.Next()
		if t == nbt.End {
			break
		}
		if t == nbt.Int && len(key) == 1 && key[0] >= 'x' && key[0] <= 'z' {
			axis := key[0] - 'x'
			at[axis], times[axis] = int(r.Int()), times[axis]+1
			continue
		}
		r.Skip(t)
		rest = append(rest, payload[begin:r.Offset()]...)
	}
	if times != [3]int{1, 1, 1} {
		return voxel.Object{Payload: payload}
	}
	return voxel.Object{Place: voxel.Moved, At: geom.Point{X: at[0], Y: at[1], Z: at[2]}, Payload: nbt.AppendEnd(rest)}
}

// indexed returns an object that keeps its position, three floats.
func indexed(payload []byte) voxel.Object {
	o := voxel.Object{Payload: payload}
	r := nbt.NewPayload(payload, nbt.Limits{})
	for t, key := r.Next(); t != nbt.End; t, key = r.Next() {
		if string(key) != "Pos" || t != nbt.List {
			r.Skip(t)
			continue
		}
		elem, n := r.List()
		if elem != nbt.Float || n != 3 {
			return o
		}
		at, ok := [3]int{}, true
		for i := range at {
			f := math.Floor(float64(r.Float()))
			at[i], ok = int(f), ok && f >= math.MinInt32 && f <= math.MaxInt32
		}
		if ok {
			o.Place, o.At = voxel.Indexed, geom.Point{X: at[0], Y: at[1], Z: at[2]}
		}
		return o
	}
	return o
}
