package stream

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"github.com/cairnvoxel/cairn/render/lod"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// scene is a feed at one moment. Goroutines may share it.
type scene struct {
	*feed
	state        *sharedState
	dims         []stone.DimensionInfo
	translations []translation
	moment       Moment
	frozen       []names // numbers that the cells of the moment may have

	mu       sync.Mutex
	versions map[Key]uint64 // versions; nil if a newer scene took them
}

// maxVersions bounds the versions that a scene knows.
const maxVersions = 1 << 20

// newScene shows a state in a feed, or in a new one if its names find no room there.
func newScene(f *feed, m *sharedState, o *Options) (*scene, error) {
	d, err := dimensionOf(m, f.dimension)
	if err != nil {
		return nil, err
	}
	to, err := f.translate(d)
	if full := (*Failure)(nil); errors.As(err, &full) && full.Code == tooManyNames {
		f = f.withoutNames()
		to, err = f.translate(d)
	}
	if err != nil {
		return nil, err
	}
	s := &scene{feed: f, state: m, dims: m.Dimensions(), translations: to, moment: m.Moment(), versions: make(map[Key]uint64)}
	s.moment.Bounds = m.Bounds(d.Name).Intersect(geom.Root.Box())
	s.moment.Top = topOf(s.moment.Bounds, o.Top)
	f.mu.Lock()
	s.frozen = slices.Clone(f.names)
	f.mu.Unlock()
	return s, nil
}

// ref, tryRef and release count the users of the scene's state.
func (s *scene) ref() *scene {
	s.state.ref()
	return s
}

func (s *scene) tryRef() bool   { return s.state.tryRef() }
func (s *scene) release() error { return s.state.release() }

// topOf returns the coarsest level for bounds: they are at most 16 cubes wide there.
func topOf(b geom.Box, want int) int {
	if want > 0 {
		return min(want, geom.MaxLevel)
	}
	if b.Empty() {
		return 0
	}
	size := b.Size()
	return min(bits.Len(uint(max(size.X, size.Y, size.Z)-1)/(16*CubeEdge)), geom.MaxLevel)
}

// content is the cells of a cube by volume.
type content [][]voxel.Cell

var contents = sync.Pool{New: func() any { return new(content) }}

// readFunc is a way to read cells of a level of a volume of a scene.
type readFunc func(volume string, level int, b geom.Box, dst []voxel.Cell) error

// readStored reads the store for what is not in memory.
func (s *scene) readStored(ctx context.Context) readFunc {
	return func(volume string, level int, b geom.Box, dst []voxel.Cell) error {
		return s.state.ReadBox(ctx, s.dimension, volume, level, b, dst)
	}
}

// readMemory is for ticks: what is not in memory gives errLater.
func (s *scene) readMemory(volume string, level int, b geom.Box, dst []voxel.Cell) error {
	if !s.state.ReadNow(s.dimension, volume, level, b, dst) {
		return errLater
	}
	return nil
}

var errLater = errors.New("not in memory")

// read reads a cube. The result goes back by contents.Put.
func (s *scene) read(k Key, from readFunc) (*content, error) {
	c := contents.Get().(*content)
	for *c = (*c)[:cap(*c)]; len(*c) < len(s.volumes); {
		*c = append(*c, nil)
	}
	*c = (*c)[:len(s.volumes)] // the last user may have had more
	for i := range s.volumes {
		e := s.volumes[i].edge()
		if cap((*c)[i]) < CubeEdge*CubeEdge*CubeEdge {
			(*c)[i] = make([]voxel.Cell, CubeEdge*CubeEdge*CubeEdge)
		}
		(*c)[i] = (*c)[i][:e*e*e]
		low := geom.Point{X: int(k.X) * e, Y: int(k.Y) * e, Z: int(k.Z) * e}
		b := geom.Box{Min: low, Max: low.Add(geom.Point{X: e, Y: e, Z: e})}
		if err := s.readBox(from, i, int(k.Level), b, (*c)[i]); err != nil {
			contents.Put(c)
			return nil, err
		}
	}
	return c, nil
}

// readBox reads a box of cells of a level of a volume.
func (s *scene) readBox(from readFunc, i, level int, b geom.Box, dst []voxel.Cell) error {
	v := &s.volumes[i]
	if s.translations[i] == nil && !s.hasVolume(i) {
		for j := range dst {
			dst[j] = v.Default
		}
		return nil
	}
	if err := from(v.Name, level, b, dst); err != nil {
		return fmt.Errorf("stream: level %d of %q in %v: %w", level, v.Name, b, err)
	}
	if t := s.translations[i]; t != nil {
		for j, c := range dst {
			dst[j] = t.cell(c, v.Schema)
		}
	}
	return nil
}

// hasVolume reports whether the state has a volume.
func (s *scene) hasVolume(i int) bool {
	for _, d := range s.dims {
		if d.Name == s.dimension {
			return slices.ContainsFunc(d.Volumes, func(v stone.VolumeInfo) bool { return v.Volume.Name == s.volumes[i].Name })
		}
	}
	return false
}

// mask makes cells of b that do not lie wholly in within the default. A cell is wide blocks wide.
func mask(cells []voxel.Cell, b, within geom.Box, wide int, def voxel.Cell) {
	i := 0
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for z := b.Min.Z; z < b.Max.Z; z++ {
			for x := b.Min.X; x < b.Max.X; x++ {
				if x*wide < within.Min.X || y*wide < within.Min.Y || z*wide < within.Min.Z ||
					(x+1)*wide > within.Max.X || (y+1)*wide > within.Max.Y || (z+1)*wide > within.Max.Z {
					cells[i] = def
				}
				i++
			}
		}
	}
}

// inside reports whether a cube lies wholly in a box; everything lies in nil.
func inside(k Key, box *geom.Box) bool {
	return box == nil || k.Box().Intersect(*box) == k.Box()
}

// record returns a cube as it is sent to those who see no more than box.
func (s *scene) record(ctx context.Context, k Key, box *geom.Box) (*record, error) {
	shared := inside(k, box)
	if shared {
		s.mu.Lock()
		version, ok := s.versions[k]
		s.mu.Unlock()
		if ok {
			if r := s.get(recordID{k, version}); r != nil {
				return r, nil
			}
		}
	}
	c, err := s.read(k, s.readStored(ctx))
	if err != nil {
		return nil, err
	}
	defer contents.Put(c)
	if shared {
		r := s.encode(k, *c, false)
		s.keep(r)
		return r, nil
	}
	below, empty := s.clip(k, *c, *box)
	r := s.encode(k, *c, below && k.Level > 0)
	r.cube.Empty = empty
	return r, nil
}

// clip makes the cells of a cube that do not lie wholly in a box the default. What is in the box may be too thin for the
// cells of the level: below says whether there may be something, and empty has a bit for each octant with nothing.
func (s *scene) clip(k Key, c content, box geom.Box) (below bool, empty uint8) {
	each := func(margin int) {
		for i := range s.volumes {
			v := &s.volumes[i]
			e, wide := v.edge(), v.Scale<<k.Level
			low := geom.Point{X: int(k.X) * e, Y: int(k.Y) * e, Z: int(k.Z) * e}
			m := margin * (wide - 1)
			mask(c[i], geom.Box{Min: low, Max: low.Add(geom.Point{X: e, Y: e, Z: e})},
				geom.Box{Min: box.Min.Add(geom.Point{X: -m, Y: -m, Z: -m}), Max: box.Max.Add(geom.Point{X: m, Y: m, Z: m})}, wide, v.Default)
		}
	}
	each(1) // what touches the box stays
	for i := range s.volumes {
		below = below || slices.ContainsFunc(c[i], func(x voxel.Cell) bool { return x != s.volumes[i].Default })
	}
	if k.Level > 0 && s.hollow {
		empty = emptyOctants(c)
	}
	each(0)
	return below, empty
}

// keep keeps a record, and that it is what the scene shows.
func (s *scene) keep(r *record) {
	s.put(r)
	s.setVersion(r)
}

func (s *scene) setVersion(r *record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.versions != nil {
		if len(s.versions) >= maxVersions {
			clear(s.versions)
		}
		s.versions[r.Key] = r.version
	}
}

// describe makes a record of a cube's cells without what is sent. below says that there is something below the cube
// even if its cells are the default: then its version is not 0.
func (s *scene) describe(k Key, c content, below bool) *record {
	r := &record{recordID: recordID{k, s.version(c)}}
	if r.version == 0 && below {
		r.version = 1
	}
	r.cube = lod.Cube{Version: r.version, Bytes: emptyBytes}
	if r.version == 0 {
		return r
	}
	for _, cells := range c {
		if !uniform(cells) {
			r.cube.Bytes += 2 * len(cells)
		}
	}
	if k.Level > 0 && s.hollow {
		r.cube.Empty = emptyOctants(c)
	}
	r.cube.Solid = s.solid(c[0])
	return r
}

// encode makes a record of a cube's cells.
func (s *scene) encode(k Key, c content, below bool) *record {
	r := s.describe(k, c, below)
	w := writer{b: make([]byte, 0, 512), volumes: s.volumes}
	w.cube(&Cube{k, r.version, c})
	r.bytes = slices.Clone(w.b)
	for i := 0; i < len(s.volumes) && r.version != 0; i++ {
		r.used = append(r.used, distinct(nil, c[i], s.volumes[i].Schema))
	}
	return r
}

func uniform(cells []voxel.Cell) bool {
	for _, c := range cells {
		if c != cells[0] {
			return false
		}
	}
	return true
}

// emptyBytes is what an empty cube counts as in a client's memory.
const emptyBytes = 64

// distinct adds the numbers with names among cells to used, which ascends.
func distinct(used, cells []voxel.Cell, schema voxel.Schema) []voxel.Cell {
	last := voxel.Cell(1 << 15)
	for _, c := range cells {
		if schema == voxel.Terrain {
			c >>= 8
		}
		if c == last || schema == voxel.Level {
			continue
		}
		last = c
		if at, ok := slices.BinarySearch(used, c); !ok {
			used = slices.Insert(used, at, c)
		}
	}
	return used
}

// emptyOctants returns a bit for each octant that has only cells 0.
func emptyOctants(c content) uint8 {
	var full uint8
	for _, cells := range c {
		e := edgeOf(len(cells))
		h := e / 2
		for at := 0; at < len(cells); at += h {
			for _, cell := range cells[at : at+h] {
				if cell != 0 {
					full |= 1 << (at/h&1 | at/(e*h)&1<<1 | at/(e*e*h)<<2)
					break
				}
			}
		}
	}
	return ^full
}

// edgeOf returns the edge of a cube of n cells.
func edgeOf(n int) int { return 1 << (bits.Len(uint(n)) / 3) }

// solid reports whether all cells of the first volume are opaque and full.
func (s *scene) solid(cells []voxel.Cell) bool {
	schema := s.volumes[0].Schema
	looks := s.frozen[0].looks
	for _, c := range cells {
		n := c
		switch schema {
		case voxel.Terrain:
			if n = c >> 8; c&0xFF != 0xFF {
				return false
			}
		case voxel.Level:
			return false
		}
		if n == 0 || int(n) >= len(looks) || looks[n].Kind != Opaque {
			return false
		}
	}
	return true
}
