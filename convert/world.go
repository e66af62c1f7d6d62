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
	"io/fs"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/format"
	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/stone/whole"
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

// FromContent reads the whole of a world into memory. Its files are read from c,
// which must stay open.
func FromContent(ctx context.Context, c stone.Content) (*World, error) {
	return FromContentWithin(ctx, c, 0)
}

// FromContentWithin is FromContent that fails with ErrTooLarge when the world takes
// more than maxBytes of memory; 0 is no bound.
func FromContentWithin(ctx context.Context, c stone.Content, maxBytes int64) (*World, error) {
	if r, ok := c.(*stone.Reader); ok {
		c = r.Through(stone.NewLRU(math.MaxInt64), stone.ID{}) // what it keeps is the world's too
	}
	bound, about := newBudget(maxBytes), c.About()
	w := &World{Head: HeadOf(about.Properties)}
	for _, sd := range about.Dimensions {
		d := &Dimension{Name: sd.Name, Folder: sd.Folder}
		w.Dimensions = append(w.Dimensions, d)
		for _, sv := range sd.Volumes {
			v := &Volume{Volume: sv.Volume, Names: sv.Names, Chunks: map[geom.ChunkPos]*voxel.Chunk{}}
			d.Volumes = append(d.Volumes, v)
			for p, err := range whole.Chunks(ctx, c, sd.Name, sv.Volume.Name, 0) {
				if err == nil {
					v.Chunks[p.Pos] = p.Chunk
					bound.chunk(p.Chunk, 1)
				}
				if err := cmp.Or(err, v.checkSize(), bound.check(), ctx.Err()); err != nil {
					return nil, err
				}
			}
			v.dropDefaults()
		}
		for column, err := range c.Columns(ctx, sd.Name) {
			if err := cmp.Or(err, ctx.Err()); err != nil {
				return nil, err
			}
			d.Columns = append(d.Columns, *column)
			if bound.column(column); bound.check() != nil {
				return nil, ErrTooLarge
			}
		}
	}
	for _, f := range about.Files {
		w.Files = append(w.Files, format.File{Path: f.Path, Size: f.Size, Open: func() (io.ReadCloser, error) { return c.OpenFile(f.Path) }})
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

// WriteStone writes w as one stone with a whole world. Names that no cell uses are
// left out.
func WriteStone(ctx context.Context, w *World, to io.Writer, o stone.Options) (stone.ID, int64, error) {
	return whole.Write(ctx, to, w.Content(), whole.Options{Options: o})
}

// Content returns w as a Content. w must not be changed while it is used.
func (w *World) Content() stone.Content { return content{w} }

type content struct{ w *World }

func (c content) About() stone.About {
	var about stone.About
	props := propertiesOf(c.w.Head)
	for _, k := range slices.Sorted(maps.Keys(props)) {
		about.Properties = append(about.Properties, stone.Property{Key: k, Value: props[k]})
	}
	for _, d := range c.w.Dimensions {
		sd := stone.Dimension{Name: d.Name, Folder: d.Folder}
		for _, v := range d.Volumes {
			sd.Volumes = append(sd.Volumes, stone.Volume{Volume: v.Volume, Names: v.Names, Levels: []int{0}})
		}
		about.Dimensions = append(about.Dimensions, sd)
	}
	for _, f := range c.w.Files {
		about.Files = append(about.Files, stone.File{Path: f.Path, Size: f.Size})
	}
	return about
}

// dimension returns a dimension, an empty one if there is none of that name.
func (c content) dimension(name string) *Dimension {
	for _, d := range c.w.Dimensions {
		if d.Name == name {
			return d
		}
	}
	return &Dimension{}
}

func (c content) Spoken(dim, vol string, level int) iter.Seq2[geom.ChunkPos, bool] {
	return func(yield func(geom.ChunkPos, bool) bool) {
		v := c.dimension(dim).Volume(vol)
		if v == nil || level != 0 {
			return
		}
		for _, pos := range v.Positions() {
			if !yield(pos, true) {
				return
			}
		}
	}
}

func (c content) ReadChunks(ctx context.Context, dim, vol string, level int, want []geom.ChunkPos, f func(geom.ChunkPos, *voxel.Chunk) error) error {
	v := c.dimension(dim).Volume(vol)
	if v == nil || level != 0 {
		return nil
	}
	for _, pos := range want {
		if chunk := v.Chunks[pos]; chunk != nil {
			if err := cmp.Or(ctx.Err(), f(pos, chunk)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c content) Columns(ctx context.Context, dim string) iter.Seq2[*voxel.Column, error] {
	return func(yield func(*voxel.Column, error) bool) {
		d := c.dimension(dim)
		for i := range d.Columns {
			if err := ctx.Err(); err != nil {
				yield(nil, err)
				return
			}
			if !yield(&d.Columns[i], nil) {
				return
			}
		}
	}
}

func (c content) OpenFile(path string) (io.ReadCloser, error) {
	i, ok := slices.BinarySearchFunc(c.w.Files, path, func(f format.File, p string) int { return cmp.Compare(f.Path, p) })
	if !ok {
		return nil, fmt.Errorf("convert: file %q: %w", path, fs.ErrNotExist)
	}
	r, err := c.w.Files[i].Open()
	if err != nil {
		return nil, fmt.Errorf("convert: file %q: %w", path, err)
	}
	return r, nil
}
