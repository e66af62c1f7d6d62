package stream

import (
	"slices"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

const (
	// maxCompared is how many cubes of level 0 are compared at once. If more are touched, each
	// is compared when a viewer needs it.
	maxCompared = 8192
	// maxTouched is how many are noted. If there are more, everything may differ.
	maxTouched = 1 << 16
)

// change is how a cube differs from what it was.
type change struct {
	Key
	parts []CubePart // of the new content; nil: not known
	rec   *record
	edit  []byte         // the record of Edits; nil: rec is sent whole
	used  [][]voxel.Cell // names in what is sent
}

// difference is how two scenes of a feed differ.
type difference struct {
	all     bool // everything may
	changes []*change
	maybe   map[Key]struct{} // these may
}

// touched says where in a cube something may differ, by volume, in cells of the level.
type touched [maxVolumes]geom.Box

// changedBoxes returns where to may differ from from, by volume, and how many cubes of level 0 that touches. ok is false if
// everything may, or if that is too much to note.
func changedBoxes(from, to *scene) (out [maxVolumes][]geom.Box, n int, ok bool) {
	if from.feed != to.feed {
		return out, 0, false
	}
	for i := range to.volumes {
		if a, b := from.translations[i], to.translations[i]; !slices.Equal(a[:min(len(a), len(b))], b[:min(len(a), len(b))]) || (a == nil) != (b == nil) {
			return out, 0, false // among as many cells the lowest number wins at the next level
		}
		apart := to.state.Apart(from.state.State, to.dimension, to.volumes[i].Name)
		if apart == nil {
			if to.hasVolume(i) || from.hasVolume(i) {
				return out, n, false
			}
			continue
		}
		for b := range apart {
			if n += b.Over(to.volumes[i].edge()).Cells(); n > maxTouched {
				return out, n, false
			}
			out[i] = append(out[i], b)
		}
	}
	return out, n, true
}

// addTouched adds to which cubes of a level the boxes of a volume touch.
func addTouched(at map[Key]*touched, volume, edge, level int, b geom.Box) {
	cubes := b.Over(edge)
	for y := cubes.Min.Y; y < cubes.Max.Y; y++ {
		for z := cubes.Min.Z; z < cubes.Max.Z; z++ {
			for x := cubes.Min.X; x < cubes.Max.X; x++ {
				k := Key{X: int32(x), Y: int32(y), Z: int32(z), Level: uint8(level)}
				t := at[k]
				if t == nil {
					t = new(touched)
					at[k] = t
				}
				m := geom.Point{X: x * edge, Y: y * edge, Z: z * edge}
				t[volume] = t[volume].Union(b.Intersect(geom.Box{Min: m, Max: m.Add(geom.Point{X: edge, Y: edge, Z: edge})}))
			}
		}
	}
}

// compareScenes compares two scenes at all levels. What is too much to compare at once, or not in memory, may differ.
func compareScenes(from, to *scene) (d difference) {
	where, n, ok := changedBoxes(from, to)
	if !ok {
		d.all = true
		return d
	}
	at := make(map[Key]*touched)
	for i := range to.volumes {
		for _, b := range where[i] {
			addTouched(at, i, to.volumes[i].edge(), 0, b)
		}
	}
	d.maybe = make(map[Key]struct{})
	for level := 0; level <= max(from.moment.Top, to.moment.Top) && len(at) > 0; level++ {
		above := make(map[Key]*touched)
		for k, t := range at {
			differs := true
			if c, ok := compare(from, to, k, t, n); !ok {
				d.maybe[k] = struct{}{}
			} else if differs = c != nil; differs {
				d.changes = append(d.changes, c)
			}
			for i := 0; differs && i < len(to.volumes); i++ {
				if !t[i].Empty() {
					addTouched(above, i, to.volumes[i].edge(), level+1, t[i].Over(2))
				}
			}
		}
		at = above
	}
	return d
}

// compare returns how a cube differs where it may, nil if it does not. It is one of n cubes. ok is false if that is too much for
// a tick.
func compare(from, to *scene, k Key, t *touched, n int) (_ *change, ok bool) {
	if n > maxCompared {
		return nil, false
	}
	c := change{Key: k}
	var old, now [CubeEdge * CubeEdge * CubeEdge]voxel.Cell
	for i := range to.volumes {
		if t[i].Empty() {
			continue
		}
		e := to.volumes[i].edge()
		b := aligned(t[i])
		a, z := old[:b.Cells()], now[:b.Cells()]
		if from.readBox(from.readMemory, i, int(k.Level), b, a) != nil || to.readBox(to.readMemory, i, int(k.Level), b, z) != nil {
			return nil, false
		}
		low := geom.Point{X: int(k.X) * e, Y: int(k.Y) * e, Z: int(k.Z) * e}
		c.parts = appendParts(c.parts, uint8(i), e, geom.Box{Min: b.Min.Sub(low), Max: b.Max.Sub(low)}, a, z)
	}
	if len(c.parts) == 0 {
		return nil, true
	}
	return &c, true
}

// aligned returns the parts that b touches.
func aligned(b geom.Box) geom.Box {
	const m = PartEdge - 1
	return geom.Box{Min: geom.Point{X: b.Min.X &^ m, Y: b.Min.Y &^ m, Z: b.Min.Z &^ m},
		Max: geom.Point{X: (b.Max.X + m) &^ m, Y: (b.Max.Y + m) &^ m, Z: (b.Max.Z + m) &^ m}}
}

// appendParts appends the parts of a cube of e cells an edge in which old and now differ. Both are
// the cells of b, which is aligned and counts from the cube's corner.
func appendParts(dst []CubePart, volume uint8, e int, b geom.Box, old, now []voxel.Cell) []CubePart {
	size, m := b.Size(), e/PartEdge
	for y := 0; y < size.Y; y += PartEdge {
		for z := 0; z < size.Z; z += PartEdge {
			for x := 0; x < size.X; x += PartEdge {
				p := CubePart{Volume: volume, Part: uint8(((b.Min.Y+y)/PartEdge*m+(b.Min.Z+z)/PartEdge)*m + (b.Min.X+x)/PartEdge)}
				differs := false
				for r := range PartEdge * PartEdge {
					at := ((y+r/PartEdge)*size.Z+z+r%PartEdge)*size.X + x
					row := now[at : at+PartEdge]
					copy(p.Cells[r*PartEdge:], row)
					differs = differs || [PartEdge]voxel.Cell(row) != [PartEdge]voxel.Cell(old[at:at+PartEdge])
				}
				if differs {
					dst = append(dst, p)
				}
			}
		}
	}
	return dst
}

// editBetween returns the record of Edits that makes a cube of one version another, nil if that takes more bytes
// than the cube.
func (f *feed) editBetween(base, to *record) ([]byte, error) {
	id := diffID{to.recordID, base.version}
	if edit, ok := f.diff(id); ok {
		return edit, nil
	}
	a, err := f.decode(base)
	if err != nil {
		return nil, err
	}
	b, err := f.decode(to)
	if err != nil {
		return nil, err
	}
	var parts []CubePart
	for i := range f.volumes {
		e := f.volumes[i].edge()
		parts = appendParts(parts, uint8(i), e, geom.Box{Max: geom.Point{X: e, Y: e, Z: e}}, a[i], b[i])
	}
	edit := f.edit(to, parts)
	if len(edit) > len(to.bytes) || len(parts) == 0 && to.version != 0 {
		edit = nil
	}
	f.keepDiff(id, edit)
	return edit, nil
}

// fewParts is how many parts take fewer bytes than a cube, as a rule.
const fewParts = 8

// prepare makes what is sent of a change, once for all viewers. The error is errLater if that has to wait for the store.
func (c *change) prepare(s *scene) error {
	if c.rec != nil {
		return nil
	}
	cells, err := s.read(c.Key, s.readMemory)
	if err != nil {
		return err
	}
	defer contents.Put(cells)
	if len(c.parts) > fewParts {
		c.rec = s.encode(c.Key, *cells, false)
		s.put(c.rec)
	} else {
		c.rec = s.describe(c.Key, *cells, false)
	}
	s.setVersion(c.rec)
	if c.edit = s.edit(c.rec, c.parts); len(c.parts) > fewParts && len(c.edit) > len(c.rec.bytes) {
		c.edit, c.used = nil, c.rec.used
		return nil
	}
	c.used = make([][]voxel.Cell, len(s.volumes))
	for i := range c.parts {
		p := &c.parts[i]
		c.used[p.Volume] = distinct(c.used[p.Volume], p.Cells[:], s.volumes[p.Volume].Schema)
	}
	return nil
}

// edit returns the record of Edits.
func (f *feed) edit(to *record, parts []CubePart) []byte {
	if to.version == 0 {
		parts = nil
	}
	w := writer{volumes: f.volumes}
	w.edit(&Edit{to.Key, to.version, parts})
	return w.b
}

// decode returns the cells of a record.
func (f *feed) decode(rec *record) (content, error) {
	r := reader{b: rec.bytes, volumes: f.volumes}
	r.key()
	out := make(content, len(f.volumes))
	version := r.u64()
	for i := range f.volumes {
		v := &f.volumes[i]
		e := v.edge()
		out[i] = make([]voxel.Cell, e*e*e)
		if version == 0 {
			for j := range out[i] {
				out[i][j] = v.Default
			}
			continue
		}
		r.cells(out[i], e, v.Schema)
	}
	return out, r.err
}
