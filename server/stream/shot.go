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

// shot is a feed at one moment. Goroutines may share it.
type shot struct {
	*feed
	moment State
	dims   []stone.DimensionInfo
	to     []translation
	facts  Moment
	light  []names // numbers that the cells of the moment may have

	users

	mu    sync.Mutex
	known map[Key]uint64 // versions; nil if a newer shot took them
}

// maxKnown bounds the versions that a shot knows.
const maxKnown = 1 << 20

// newShot shows a state in a feed, or in a new one if its names find no room there.
func newShot(f *feed, m State, o *Options) (*shot, error) {
	d, err := dimensionOf(m, f.dimension)
	if err != nil {
		return nil, err
	}
	to, err := f.translate(d)
	if full := (*Failure)(nil); errors.As(err, &full) && full.Code == tooMany {
		f = f.anew()
		to, err = f.translate(d)
	}
	if err != nil {
		return nil, err
	}
	s := &shot{feed: f, moment: m, dims: m.Dimensions(), to: to, facts: m.Moment(), known: make(map[Key]uint64)}
	s.facts.Bounds = m.Bounds(d.Name).Intersect(geom.Root.Box())
	s.facts.Top = topOf(s.facts.Bounds, o.Top)
	f.mu.Lock()
	s.light = slices.Clone(f.names)
	f.mu.Unlock()
	return s, nil
}

// keep adds a user of the shot, who has another one.
func (s *shot) keep() *shot {
	s.n.Add(1)
	return s
}

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

// reads is a way to read cells of a level of a volume of a shot.
type reads func(volume string, level int, b geom.Box, dst []voxel.Cell) error

// stored reads the store for what is not in memory.
func (s *shot) stored(ctx context.Context) reads {
	return func(volume string, level int, b geom.Box, dst []voxel.Cell) error {
		return s.moment.ReadBox(ctx, s.dimension, volume, level, b, dst)
	}
}

// now is for ticks: what is not in memory gives errLater.
func (s *shot) now(volume string, level int, b geom.Box, dst []voxel.Cell) error {
	if !s.moment.ReadNow(s.dimension, volume, level, b, dst) {
		return errLater
	}
	return nil
}

var errLater = errors.New("not in memory")

// read reads a cube. The result goes back by contents.Put.
func (s *shot) read(k Key, from reads) (*content, error) {
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
func (s *shot) readBox(from reads, i, level int, b geom.Box, dst []voxel.Cell) error {
	v := &s.volumes[i]
	if s.to[i] == nil && !s.has(i) {
		for j := range dst {
			dst[j] = v.Default
		}
		return nil
	}
	if err := from(v.Name, level, b, dst); err != nil {
		return fmt.Errorf("stream: level %d of %q in %v: %w", level, v.Name, b, err)
	}
	if t := s.to[i]; t != nil {
		for j, c := range dst {
			dst[j] = t.cell(c, v.Schema)
		}
	}
	return nil
}

// has reports whether the state has a volume.
func (s *shot) has(i int) bool {
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
func (s *shot) record(ctx context.Context, k Key, box *geom.Box) (*record, error) {
	shared := inside(k, box)
	if shared {
		s.mu.Lock()
		version, ok := s.known[k]
		s.mu.Unlock()
		if ok {
			if r := s.get(recordID{k, version}); r != nil {
				return r, nil
			}
		}
	}
	c, err := s.read(k, s.stored(ctx))
	if err != nil {
		return nil, err
	}
	defer contents.Put(c)
	if shared {
		r := s.encode(k, *c, false)
		s.learn(r)
		return r, nil
	}
	below, empty := s.cut(k, *c, *box)
	r := s.encode(k, *c, below && k.Level > 0)
	r.cube.Empty = empty
	return r, nil
}

// cut makes the cells of a cube that do not lie wholly in a box the default. What is in the box may be too thin for the
// cells of the level: below says whether there may be something, and empty has a bit for each octant with nothing.
func (s *shot) cut(k Key, c content, box geom.Box) (below bool, empty uint8) {
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

// learn keeps a record, and that it is what the shot shows.
func (s *shot) learn(r *record) {
	s.put(r)
	s.know(r)
}

func (s *shot) know(r *record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known != nil {
		if len(s.known) >= maxKnown {
			clear(s.known)
		}
		s.known[r.Key] = r.version
	}
}

// outline makes a record of a cube's cells without what is sent. below says that there is something below the cube
// even if its cells are the default: then its version is not 0.
func (s *shot) outline(k Key, c content, below bool) *record {
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
func (s *shot) encode(k Key, c content, below bool) *record {
	r := s.outline(k, c, below)
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
func (s *shot) solid(cells []voxel.Cell) bool {
	schema := s.volumes[0].Schema
	looks := s.light[0].looks
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
