package clip

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Turn says how a clip is turned: first mirrored, then rotated. The zero value changes nothing.
type Turn struct {
	// MirrorX exchanges east and west, MirrorZ north and south.
	MirrorX, MirrorZ bool
	// Quarters is how often the clip turns by 90 degrees, clockwise as seen from above: north
	// becomes east. Any number is allowed.
	Quarters int
}

// quarters returns the turns by 90 degrees, 0 to 3.
func (t Turn) quarters() int { return t.Quarters & 3 }

// isNone reports whether the turn changes nothing.
func (t Turn) isNone() bool { return !t.MirrorX && !t.MirrorZ && t.quarters() == 0 }

// flips reports whether the turn makes left right.
func (t Turn) flips() bool { return t.MirrorX != t.MirrorZ }

// box returns the size of a turned box.
func (t Turn) box(size geom.Point) geom.Point {
	if t.quarters()&1 != 0 {
		size.X, size.Z = size.Z, size.X
	}
	return size
}

// turn returns where a coordinate of a box of that size comes to lie. cells says that x and z
// count cells; else they are places between 0 and the size.
func turn[N int | float64](t Turn, x, z, sizeX, sizeZ, cell N) (N, N) {
	if t.MirrorX {
		x = sizeX - cell - x
	}
	if t.MirrorZ {
		z = sizeZ - cell - z
	}
	for range t.quarters() {
		x, z = sizeZ-cell-z, x
		sizeX, sizeZ = sizeZ, sizeX
	}
	return x, z
}

// point returns where a block of a box comes to lie.
func (t Turn) point(p, size geom.Point) geom.Point {
	p.X, p.Z = turn(t, p.X, p.Z, size.X, size.Z, 1)
	return p
}

// Turn returns the clip turned, and by name and count what does not turn: blocks with numeric
// ids keep their data. The states of blocks, positions and the directions of entities turn with
// it. The least corner stays where it was, and Offset turns about the point of the player.
func (c *Clip) Turn(t Turn) (*Clip, map[string]int) {
	lost := map[string]int{}
	if t.isNone() {
		return c, lost
	}
	out := *c
	out.Size = t.box(c.Size)
	out.Offset = t.offset(c.Offset, c.Size)
	if b := c.Inner; !b.Empty() {
		one := geom.Point{X: 1, Y: 1, Z: 1}
		p, q := t.point(b.Min, c.Size), t.point(b.Max.Sub(one), c.Size)
		out.Inner = geom.Box{Min: p, Max: p.Add(one)}.Union(geom.Box{Min: q, Max: q.Add(one)})
	}
	name := t.State
	if c.ofHytale() {
		name = t.hytale
	}
	out.Block = c.turnVolume(&c.Block, t, name)
	counts := c.Counts(&c.Block)
	for cell, name := range c.Block.Names {
		if _, _, err := block.ParseLegacy(name); err == nil && name != format.Air {
			lose(lost, "blocks with numeric ids, whose directions stay", counts[cell])
		} else if strings.HasPrefix(name, "nbt:") {
			lose(lost, "blocks with names of unusual form, whose directions stay", counts[cell])
		}
	}
	if c.Biome != nil {
		biome := c.turnVolume(c.Biome, t, func(name string) string { return name })
		out.Biome = &biome
	}
	out.Beside = nil
	for _, name := range beside {
		if v := c.Beside[name]; v != nil {
			out.addBeside(name, c.turnVolume(v, t, func(name string) string { return name }).View, v.Names)
		}
	}
	out.Lists = nil
	for _, l := range c.Lists {
		list := voxel.List{Name: l.Name}
		for _, o := range l.Objects {
			list.Objects = append(list.Objects, t.object(c, o))
		}
		out.Lists = append(out.Lists, list)
	}
	return &out, lost
}

// offset turns the box about the player and returns where its least corner lies then.
func (t Turn) offset(p, size geom.Point) geom.Point {
	at := func(q geom.Point) geom.Point { return t.point(q, geom.Point{X: 1, Z: 1}) }
	a, b := at(p), at(p.Add(geom.Point{X: size.X - 1, Z: size.Z - 1}))
	return geom.Point{X: min(a.X, b.X), Y: p.Y, Z: min(a.Z, b.Z)}
}

// turnVolume turns cells. name turns a name.
func (c *Clip) turnVolume(v *Contents, t Turn, name func(string) string) Contents {
	names, table := format.NewNames(), make([]voxel.Cell, max(len(v.Names), levels))
	for i := range levels {
		table[i] = voxel.Cell(i)
	}
	for i, s := range v.Names {
		cell, err := names.Cell(name(s))
		if err != nil { // as many names as before at most, because turning can be undone
			panic("clip: turning makes no names: " + err.Error())
		}
		table[i] = cell
	}
	height := c.Size.Y
	if v.Flat {
		height = 1
	}
	size := t.box(c.Size)
	size.Y = height
	b := NewBuilder(size, table[v.View.Default()], document.NewLimit(math.MaxInt64))
	from, to := make([]voxel.Cell, c.Area()), make([]voxel.Cell, c.Area())
	for y := range height {
		c.Slice(v, y, from)
		for z := range c.Size.Z {
			// A row becomes cells at equal distances.
			x0, z0 := turn(t, 0, z, c.Size.X, c.Size.Z, 1)
			x1, z1 := turn(t, 1, z, c.Size.X, c.Size.Z, 1)
			at, step := z0*size.X+x0, (z1-z0)*size.X+x1-x0
			for _, cell := range from[z*c.Size.X : (z+1)*c.Size.X] {
				to[at] = table[cell]
				at += step
			}
		}
		b.Cells(to)
	}
	view, err := b.View()
	if err != nil {
		panic("clip: turned cells fill the turned box: " + err.Error())
	}
	return Contents{Names: names.List(), View: view, Scale: 1, Flat: v.Flat}
}

// object turns an object of a clip.
func (t Turn) object(c *Clip, o voxel.Object) voxel.Object {
	size := c.Size
	switch o.Place {
	case voxel.Moved:
		o.At = t.point(o.At, size)
		return o
	case voxel.Nowhere:
		return o
	}
	v, fields, ok := position(&o)
	if !ok {
		return o
	}
	to := v
	to[0], to[2] = turn(t, v[0], v[2], float64(size.X), float64(size.Z), 0)
	id := document.Find(fields, "id", nbt.String)
	isPainting := strings.HasSuffix(strings.ToLower(string(id)), "painting")
	faces := six
	if c.Version < sixFaces || isPainting {
		faces = four
	}
	for i, f := range fields {
		fields[i].Payload = t.tag(f, faces)
		if f.Name == components && f.Type == nbt.Compound {
			fields[i].Payload = t.spin(f.Payload)
		}
	}
	var beside geom.Point
	if isPainting && t.flips() {
		beside = besideMirror(fields, to)
	}
	return moved(o, fields, v, to, func(p geom.Point) geom.Point { return t.point(p, size).Add(beside) })
}

// besideMirror returns how far from its mirror image the block is that a painting hangs at; fields and
// at are those of the mirrored one. The middle of a painting of even width is the corner of that block
// on the left of who looks where the painting does, and a mirror exchanges left and right.
func besideMirror(fields []document.Field, at [3]float64) (p geom.Point) {
	i := slices.Index(clockwise, facing(fields))
	if i < 0 {
		return p
	}
	across := at[0]
	if i&1 != 0 {
		across = at[2]
	}
	even := math.Abs(across-math.Round(across)) < 0.1 // of one that no game has
	for _, key := range []string{"variant", "Motive", "motive"} {
		if b := document.Find(fields, key, nbt.String); len(b) > 2 {
			name := strings.ReplaceAll(strings.TrimPrefix(strings.ToLower(string(b[2:])), "minecraft:"), "_", "")
			if wide, known := paintings[name]; known {
				even = wide
			}
		}
	}
	if even {
		right := [...]geom.Point{{X: 1}, {Z: 1}, {X: -1}, {Z: -1}} // of north, east, south and west
		p = right[i]
	}
	return p
}

// facing returns the direction of a painting.
func facing(fields []document.Field) string {
	for _, tag := range []struct {
		name  string
		faces []string
	}{{"facing", four}, {"Facing", four}, {"Direction", four}, {"Dir", oldest}} {
		if b := document.Find(fields, tag.name, nbt.Byte); len(b) == 1 && int(b[0]) < len(tag.faces) {
			return tag.faces[b[0]]
		}
	}
	return ""
}

// paintings says by name, without capitals and underlines, whether a painting is an even number of blocks wide.
var paintings = func() map[string]bool {
	out := make(map[string]bool)
	for _, name := range strings.Fields("pool courbet sea sunset creebet match bust stage void skullandroses wither earth wind water fire baroque humble " +
		"fighters changing finding lowmist passage skeleton donkeykong pointer pigscene burningskull orb unpacked") {
		out[name] = true
	}
	for _, name := range strings.Fields("kebab aztec alban aztec2 bomb plant wasteland meditative wanderer graham prairieride " +
		"bouquet cavebird cotan dennis endboss fern owlemons sunflowers tides backyard pond") {
		out[name] = false
	}
	return out
}()

// tag turns the payload of a tag of an entity that is a direction. faces are the directions of
// Facing.
func (t Turn) tag(f document.Field, faces []string) []byte {
	switch {
	case f.Name == "Rotation" && f.Type == nbt.List:
		r := nbt.NewPayload(f.Payload, nbt.Limits{})
		if elem, n := r.List(); elem != nbt.Float || n != 2 {
			return f.Payload
		}
		yaw := t.yaw(r.Float())
		out := slices.Clone(f.Payload)
		binary.BigEndian.PutUint32(out[5:], math.Float32bits(yaw))
		return out
	case f.Name == "Motion" && f.Type == nbt.List:
		v := document.Doubles(f.Payload)
		if v == nil {
			return f.Payload
		}
		v[0], v[2] = turn(t, v[0], v[2], 0, 0, 0)
		return doubles(*v)
	case f.Name == "AttachFace" && f.Type == nbt.Byte:
		return []byte{t.face(six, f.Payload[0])}
	case (f.Name == "Facing" || f.Name == "facing") && f.Type == nbt.Byte:
		return []byte{t.face(faces, f.Payload[0])}
	case f.Name == "Direction" && f.Type == nbt.Byte:
		return []byte{t.face(four, f.Payload[0])}
	case f.Name == "Dir" && f.Type == nbt.Byte:
		return []byte{t.face(oldest, f.Payload[0])}
	}
	return f.Payload
}

// yaw turns an angle: 0 is south and 90 west.
func (t Turn) yaw(a float32) float32 {
	if t.MirrorX {
		a = -a
	}
	if t.MirrorZ {
		a = 180 - a
	}
	a = float32(math.Mod(float64(a)+90*float64(t.quarters()), 360))
	switch {
	case a >= 180:
		a -= 360
	case a < -180:
		a += 360
	}
	return a
}

// Directions in the order of the bytes Facing: of six in item frames, of four in paintings and
// before the data version sixFaces (1.13). Games before 1.8 have four as Direction, and before 1.4 in
// the order of oldest as Dir.
const sixFaces = 1451

var (
	six    = []string{"down", "up", "north", "south", "west", "east"}
	four   = []string{"south", "west", "north", "east"}
	oldest = []string{"north", "west", "south", "east"}
)

func (t Turn) face(list []string, b byte) byte {
	if int(b) >= len(list) {
		return b
	}
	return byte(slices.Index(list, t.direction(list[b])))
}
