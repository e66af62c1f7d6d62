// Package convert moves whole worlds: from a Source into memory, from memory
// into a stone or a Sink, from a stone back into memory; and it says what
// differs between two worlds.
//
// The package knows no file format, drops nothing unless asked to
// (Filter), and upgrades no data. It holds a world in memory in row-packed
// chunks; worlds larger than memory are the business of package world.
package convert

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/format"
	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/light"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
)

// World is a whole world in memory. It is read by any number of goroutines or
// changed by one.
type World struct {
	Head       format.Head
	Dimensions []*Dimension
	// Files are in ascending order of path. Their Open reads from where the
	// world came from, which must stay open.
	Files []format.File
}

// Dimension is a named space of a World.
type Dimension struct {
	Name, Folder string
	Volumes      []*Volume
	Columns      []voxel.Column // in ascending order of position
}

// Volume returns the dimension's volume of that name, or nil.
func (d *Dimension) Volume(name string) *Volume {
	for _, v := range d.Volumes {
		if v.Volume.Name == name {
			return v
		}
	}
	return nil
}

// Volume is a volume with its chunks. A chunk that is not there holds the
// default everywhere.
type Volume struct {
	voxel.Volume
	Names  []string // by cell; of a Terrain volume by material; empty where nothing is named
	Chunks map[geom.ChunkPos]*voxel.Chunk
}

// Positions returns where the volume has chunks, in ascending order of code.
func (v *Volume) Positions() []geom.ChunkPos {
	at := slices.Collect(maps.Keys(v.Chunks))
	slices.SortFunc(at, func(a, b geom.ChunkPos) int { return geom.CodeOf(a, 0).Compare(geom.CodeOf(b, 0)) })
	return at
}

// Count returns the number of cells that are not empty.
func (v *Volume) Count() (n int) {
	for _, c := range v.Chunks {
		n += c.CountNonEmpty()
	}
	return n
}

// Load reads the whole of src. Where src could not read columns it returns the
// world without them and a *format.DamageError.
func Load(ctx context.Context, src format.Source) (*World, error) {
	l := NewLoader(src.Head())
	err := src.Read(ctx, l)
	return l.World(), err
}

// FromStone reads the whole of a stone into memory.
func FromStone(ctx context.Context, r *stone.Reader) (*World, error) {
	return FromStoneWithin(ctx, r, 0)
}

// FromStoneWithin is FromStone that fails with ErrTooLarge when the world takes
// more than maxBytes of memory; 0 is no bound.
func FromStoneWithin(ctx context.Context, r *stone.Reader, maxBytes int64) (*World, error) {
	bound := newBudget(maxBytes)
	r = r.Through(stone.NewLRU(math.MaxInt64), stone.ID{}) // what it keeps is the world's too
	w := &World{Head: HeadOf(r.Properties())}
	for _, sd := range r.Dimensions() {
		d := &Dimension{Name: sd.Name, Folder: sd.Folder}
		w.Dimensions = append(w.Dimensions, d)
		for _, sv := range sd.Volumes {
			v := &Volume{Volume: sv.Volume, Names: sv.Names, Chunks: map[geom.ChunkPos]*voxel.Chunk{}}
			d.Volumes = append(d.Volumes, v)
			for p, err := range r.Chunks(ctx, sd.Name, sv.Volume.Name, 0) {
				if err == nil && p.Chunk != nil {
					v.Chunks[p.Pos] = p.Chunk
					bound.chunk(p.Chunk, 1)
				}
				if err := cmp.Or(err, v.checkSize(), bound.check(), ctx.Err()); err != nil {
					return nil, err
				}
			}
		}
		for c, err := range r.Columns(ctx, sd.Name) {
			if err := cmp.Or(err, ctx.Err()); err != nil {
				return nil, err
			}
			d.Columns = append(d.Columns, *c)
			if bound.column(c); bound.check() != nil {
				return nil, ErrTooLarge
			}
		}
		for _, v := range d.Volumes { // only now: rules look at all that the stone has
			v.dropDefaults()
		}
	}
	for _, f := range r.Files() {
		w.Files = append(w.Files, format.File{Path: f.Path, Size: f.Size, Open: func() (io.ReadCloser, error) { return r.OpenFile(f.Path) }})
	}
	return w, nil
}

func (v *Volume) dropDefaults() {
	maps.DeleteFunc(v.Chunks, func(_ geom.ChunkPos, c *voxel.Chunk) bool {
		cell, ok := c.Uniform()
		return ok && cell == v.Default
	})
}

// Properties that convert itself gives to a stone. A source's own of these
// names, quoted or not, gets one quote more.
const (
	propFormat  = "format"
	propVersion = "format.version"
	quote       = "'"
)

func isQuoted(key string) bool {
	key = strings.TrimLeft(key, quote)
	return key == propFormat || key == propVersion
}

// HeadOf returns the head that the properties of a stone, or of a world of package
// world, stand for.
func HeadOf(properties []stone.Property) format.Head {
	h := format.Head{Properties: map[string]string{}}
	for _, p := range properties {
		switch {
		case p.Key == propFormat:
			h.Format = p.Value
		case p.Key == propVersion:
			h.Version, _ = strconv.Atoi(p.Value) // 0 is a version unknown
		case isQuoted(p.Key):
			h.Properties[p.Key[len(quote):]] = p.Value
		default:
			h.Properties[p.Key] = p.Value
		}
	}
	return h
}

// propertiesOf undoes HeadOf.
func propertiesOf(h format.Head) map[string]string {
	props := map[string]string{propFormat: h.Format}
	if h.Version != 0 {
		props[propVersion] = fmt.Sprint(h.Version)
	}
	for k, v := range h.Properties {
		if isQuoted(k) {
			k = quote + k
		}
		props[k] = v
	}
	return props
}

// smallWorld is how many chunks that are not uniform a volume may have and still
// be one page: such a world is loaded whole, and repeats itself all over.
const smallWorld = 256

func (w *World) small() bool {
	for _, d := range w.Dimensions {
		for _, v := range d.Volumes {
			n := 0
			for _, c := range v.Chunks {
				if _, uniform := c.Uniform(); !uniform {
					n++
				}
			}
			if n > smallWorld {
				return false
			}
		}
	}
	return true
}

// WriteStone writes w as one stone with a whole world. It sorts w's names and
// drops those not in use, which changes cells but nothing they mean.
func WriteStone(ctx context.Context, w *World, to io.Writer, o stone.Options) (stone.ID, int64, error) {
	if o.PageChunks == 0 && w.small() {
		o.PageChunks = smallWorld
	}
	s := stone.NewWriter(to, o)
	props := propertiesOf(w.Head)
	for _, k := range slices.Sorted(maps.Keys(props)) {
		s.Property(k, props[k])
	}
	for _, d := range w.Dimensions {
		if err := writeDimension(ctx, d, s, o.Effort == stone.Best); err != nil {
			return stone.ID{}, 0, err
		}
	}
	for _, f := range w.Files {
		if err := writeFile(ctx, s, f); err != nil {
			return stone.ID{}, 0, err
		}
	}
	return s.Close()
}

func writeDimension(ctx context.Context, d *Dimension, s *stone.Writer, follow bool) error {
	s.Dimension(d.Name, d.Folder)
	for _, v := range d.Volumes {
		v.sortNames()
		s.Volume(v.Volume, v.Names)
		for _, pos := range v.Positions() {
			s.Chunk(0, pos, v.Chunks[pos])
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if follow && v.Name == voxel.Block && v.Schema == voxel.Palette {
			s.Light(light.Matters(nil).With(v.Names).Learn(d.lit(v)), d.towers())
		}
	}
	if rules := light.Learn(d.Columns, d.towers()); len(rules) > 0 {
		s.Heights(rules, d.towers())
	}
	for i := range d.Columns {
		if err := cmp.Or(s.Column(&d.Columns[i]), ctx.Err()); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// litChunks is how many chunks the rule of light is learned from at most.
const litChunks = 512

// lit yields chunks of blocks with their light, from all over the dimension: first
// ones far apart, then those between.
func (d *Dimension) lit(blocks *Volume) iter.Seq[light.Lit] {
	return func(yield func(light.Lit) bool) {
		sky, lamps := d.Volume(voxel.Sky), d.Volume(voxel.Light)
		places := blocks.Positions()
		left := litChunks
		for apart := 1 << bits.Len(uint(len(places))); apart > 0; apart /= 2 {
			for i := apart; i <= len(places) && left > 0; i += 2 * apart {
				pos := places[i-1]
				c, has := light.Lit{Blocks: blocks.Chunks[pos]}, d.known(pos)
				if has == 0 {
					continue
				}
				if sky != nil && has&voxel.HasSky != 0 {
					c.Sky = sky.Chunks[pos]
				}
				if lamps != nil && has&voxel.HasLight != 0 {
					c.Light = lamps.Chunks[pos]
				}
				if left--; !yield(c) {
					return
				}
			}
		}
	}
}

// known returns the kinds of light that a chunk has; all where there are no columns.
func (d *Dimension) known(pos geom.ChunkPos) voxel.Has {
	if len(d.Columns) == 0 {
		return voxel.HasSky | voxel.HasLight
	}
	var over [4]*voxel.Column
	for i := range over {
		at := geom.ColumnPos{X: pos.X*2 + int32(i&1), Z: pos.Z*2 + int32(i>>1)}
		k, ok := slices.BinarySearchFunc(d.Columns, at, func(c voxel.Column, at geom.ColumnPos) int { return c.Pos.Compare(at) })
		if ok {
			over[i] = &d.Columns[k]
		}
	}
	return light.Known(pos.Y, over)
}

// towers returns the towers of the dimension's blocks.
func (d *Dimension) towers() light.Towers {
	type foot struct{ x, z int32 }
	towers := map[foot]light.Tower{}
	if v := d.Volume(voxel.Block); v != nil {
		for pos, c := range v.Chunks {
			at := foot{pos.X, pos.Z}
			towers[at] = append(towers[at], light.Floor{Y: pos.Y, Chunk: c})
		}
	}
	for _, t := range towers {
		slices.SortFunc(t, func(a, b light.Floor) int { return int(b.Y) - int(a.Y) })
	}
	return func(x, z int32) light.Tower { return towers[foot{x, z}] }
}

// sortNames drops the names that no cell uses and sorts the rest behind the
// empty cell's; cells follow.
func (v *Volume) sortNames() {
	if v.Schema != voxel.Palette {
		return
	}
	counts := make([]int, max(1, len(v.Names)))
	for _, c := range v.Chunks {
		c.AddCounts(counts)
	}
	counts[v.Default]++
	var cells []voxel.Cell
	for c := 1; c < len(counts); c++ {
		if counts[c] > 0 {
			cells = append(cells, voxel.Cell(c))
		}
	}
	slices.SortFunc(cells, func(a, b voxel.Cell) int { return strings.Compare(v.Names[a], v.Names[b]) })
	names, table := []string{format.Air}, make([]voxel.Cell, len(counts))
	copy(names, v.Names)
	for _, c := range cells {
		table[c] = voxel.Cell(len(names))
		names = append(names, v.Names[c])
	}
	if slices.Equal(names, v.Names) {
		return
	}
	for pos, c := range v.Chunks {
		v.Chunks[pos] = c.Translate(table)
	}
	v.Names, v.Default = names, table[v.Default]
}

func writeFile(ctx context.Context, s *stone.Writer, f format.File) error {
	r, err := f.Open()
	if err != nil {
		return fmt.Errorf("convert: file %q: %w", f.Path, err)
	}
	defer r.Close()
	if err := s.File(f.Path, f.Size, r); err != nil {
		return err
	}
	return ctx.Err()
}
