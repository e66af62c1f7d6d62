package clip

import (
	"encoding/binary"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
)

// Blocks and entities of Hytale. internal/format/hytale/FORMAT.md has the facts.

// hytaleState is the name of a block with its filler, its rotation or both.
var hytaleState = regexp.MustCompile(`^([^:\[]+)(?:\[(?:filler=(\d+))?,?(?:rotation=(\d+))?\])?$`)

// ofHytale reports whether the blocks of a clip are Hytale's: some have a filler or a rotation, and no namespace.
func (c *Clip) ofHytale() bool {
	return c.Format == "prefab" || slices.ContainsFunc(c.Block.Names, func(name string) bool {
		return strings.HasSuffix(name, "]") && hytaleState.MatchString(name)
	})
}

// hytale turns the name of a block of Hytale. Its rotation is yaw + 4 pitch + 16 roll in quarters, of which yaw comes last
// and is counterclockwise as seen from above; a block is taken for its own image in a mirror from east to west. A filler
// is where the block lies from the one that it is a part of, 5 bits each of x, z and y.
func (t Turn) hytale(name string) string {
	m := hytaleState.FindStringSubmatch(name)
	if m == nil || name == format.Air {
		return name
	}
	filler, err := strconv.Atoi("0" + m[2])
	rotation, err2 := strconv.Atoi("0" + m[3])
	if err != nil || err2 != nil || filler >= 1<<15 || rotation >= 64 {
		return name
	}
	yaw, pitch, roll := rotation&3, rotation>>2&3, rotation>>4
	if t.MirrorX {
		yaw, roll = -yaw, -roll
	}
	if t.MirrorZ {
		yaw, roll = 2-yaw, -roll
	}
	var properties []string
	x, z := turn(t, filler&31^16-16, filler>>5&31^16-16, 0, 0, 0)
	if filler = filler&^0x3FF | z&31<<5 | x&31; filler != 0 {
		properties = append(properties, fmt.Sprint("filler=", filler))
	}
	if rotation = (yaw-t.quarters())&3 | pitch<<2 | roll&3<<4; rotation != 0 {
		properties = append(properties, fmt.Sprint("rotation=", rotation))
	}
	if len(properties) == 0 {
		return m[1]
	}
	return m[1] + "[" + strings.Join(properties, ",") + "]"
}

// Tags of the components of an entity, and of its UUID, which is a component and an int array in that.
const (
	components = "Components"
	uuid       = "UUID"
)

// inComponents calls f with the fields at a path below Components. f changes them.
func inComponents(fields []document.Field, path []string, f func(fields []document.Field)) {
	if len(path) == 0 {
		f(fields)
		return
	}
	i := slices.IndexFunc(fields, func(f document.Field) bool { return f.Name == path[0] && f.Type == nbt.Compound })
	if i < 0 {
		return
	}
	if below, err := document.Fields(fields[i].Payload); err == nil {
		inComponents(below, path[1:], f)
		fields[i].Payload = document.Compound(below)
	}
}

// transformed returns the position of an entity with a transform.
func transformed(fields []document.Field) (v [3]float64, ok bool) {
	inComponents(fields, []string{components, "Transform", "Position"}, func(fields []document.Field) {
		ok = true
		for i, name := range []string{"X", "Y", "Z"} {
			b := document.Find(fields, name, nbt.Double)
			if ok = ok && b != nil; ok {
				v[i] = math.Float64frombits(binary.BigEndian.Uint64(b))
			}
		}
	})
	return v, ok
}

// setTransform sets the position of an entity with a transform.
func setTransform(fields []document.Field, to [3]float64) {
	inComponents(fields, []string{components, "Transform", "Position"}, func(fields []document.Field) {
		for i, f := range fields {
			if axis := slices.Index([]string{"X", "Y", "Z"}, f.Name); axis >= 0 && f.Type == nbt.Double {
				fields[i].Payload = binary.BigEndian.AppendUint64(nil, math.Float64bits(to[axis]))
			}
		}
	})
}

// spin turns the direction of a transform, angles in radians, in the payload of Components.
func (t Turn) spin(payload []byte) []byte {
	fields, err := document.Fields(payload)
	if err != nil {
		return payload
	}
	inComponents(fields, []string{"Transform", "Rotation"}, func(fields []document.Field) {
		for i, f := range fields {
			if f.Type != nbt.Double {
				continue
			}
			a := math.Float64frombits(binary.BigEndian.Uint64(f.Payload))
			switch {
			case f.Name == "Yaw":
				if t.MirrorX {
					a = -a
				}
				if t.MirrorZ {
					a = math.Pi - a
				}
				a = math.Remainder(a-math.Pi/2*float64(t.quarters()), 2*math.Pi)
			case f.Name == "Roll" && t.flips():
				a = -a
			}
			fields[i].Payload = binary.BigEndian.AppendUint64(nil, math.Float64bits(a))
		}
	})
	return document.Compound(fields)
}

// componentUUID returns the UUID of an entity of components.
func componentUUID(fields []document.Field) (id UUID, ok bool) {
	inComponents(fields, []string{components, uuid}, func(fields []document.Field) {
		if b := document.Find(fields, uuid, nbt.IntArray); len(b) == 4+len(id) {
			id, ok = UUID(b[4:]), true
		}
	})
	return id, ok
}

// setComponentUUID gives an entity a UUID, the payload of an int array. It returns false if the entity is none of components.
func setComponentUUID(fields []document.Field, array []byte) bool {
	i := slices.IndexFunc(fields, func(f document.Field) bool { return f.Name == components && f.Type == nbt.Compound })
	if i < 0 {
		return false
	}
	if all, err := document.Fields(fields[i].Payload); err == nil {
		all = append(document.Without(all, uuid), document.Field{Type: nbt.Compound, Name: uuid, Payload: document.Compound([]document.Field{{Type: nbt.IntArray, Name: uuid, Payload: array}})})
		fields[i].Payload = document.Compound(all)
	}
	return true
}
