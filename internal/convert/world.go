// Package convert moves whole worlds: from a Source into memory, from memory into a stone or a
// Sink, and from a stone back into memory. It also compares two worlds.
//
// The package knows no file format and does not upgrade data. It drops nothing unless a Filter
// tells it to. A Loaded world is in memory. A Loader with a Spill loads worlds of any size, which are then
// read in parts.
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

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/stone/whole"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Loaded is a whole world in memory. Any number of goroutines may read it, or one may change it.
type Loaded struct {
	Head       format.Head
	Dimensions []*LoadedDimension
	// Files are in ascending order of path. Their Open reads from the source of the world,
	// which must stay open.
	Files []format.File
}

// LoadedDimension is a named space of a Loaded world.
type LoadedDimension struct {
	Name, Folder string
	Volumes      []*LoadedVolume
	Columns      []voxel.Column // in ascending order of position
}

// Volume returns the dimension's volume of that name, or nil.
func (d *LoadedDimension) Volume(name string) *LoadedVolume {
	for _, v := range d.Volumes {
		if v.Volume.Name == name {
			return v
		}
	}
	return nil
}

// LoadedVolume is a volume with its chunks. A missing chunk holds the default everywhere.
type LoadedVolume struct {
	voxel.Volume
	Names  []string // by cell; in a Terrain volume by material; empty if nothing has a name
	Chunks map[geom.ChunkPos]*voxel.Chunk
}

// Positions returns the positions of the volume's chunks in ascending order of code.
func (v *LoadedVolume) Positions() []geom.ChunkPos {
	at := slices.Collect(maps.Keys(v.Chunks))
	slices.SortFunc(at, func(a, b geom.ChunkPos) int { return geom.CodeOf(a, 0).Compare(geom.CodeOf(b, 0)) })
	return at
}

// Count returns the number of cells that are not empty.
func (v *LoadedVolume) Count() (n int) {
	for _, c := range v.Chunks {
		n += c.CountNonEmpty()
	}
	return n
}

// Load reads the whole of src. If src cannot read some columns, Load returns the world without
// them and a *format.DamageError.
func Load(ctx context.Context, src format.Source) (*Loaded, error) {
	l := NewLoader(src.Head())
	err := src.Read(ctx, l)
	return l.World(), err
}

// FromContent reads the whole of a world into memory. Its files are read from c, which must
// stay open. It fails with ErrTooLarge if the world takes more than maxBytes of memory; 0 is no bound.
func FromContent(ctx context.Context, c stone.Content, maxBytes int64) (*Loaded, error) {
	if r, ok := c.(*stone.Reader); ok {
		c = r.Through(stone.NewCache(math.MaxInt64), stone.ID{}) // the cache shares its chunks with the world
	}
	bound, about := newBudget(maxBytes), c.About()
	w := &Loaded{Head: HeadOf(about.Properties)}
	for _, sd := range about.Dimensions {
		d := &LoadedDimension{Name: sd.Name, Folder: sd.Folder}
		w.Dimensions = append(w.Dimensions, d)
		for _, sv := range sd.Volumes {
			v := &LoadedVolume{Volume: sv.Volume, Names: sv.Names, Chunks: map[geom.ChunkPos]*voxel.Chunk{}}
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
		for column, err := range c.ReadColumns(ctx, sd.Name) {
			if err := cmp.Or(err, ctx.Err()); err != nil {
				return nil, err
			}
			d.Columns = append(d.Columns, *column)
			if bound.column(column); bound.check() != nil {
				return nil, ErrTooLarge
			}
		}
	}
	w.Files = Files(c, about)
	return w, nil
}

func (v *LoadedVolume) dropDefaults() {
	maps.DeleteFunc(v.Chunks, func(_ geom.ChunkPos, c *voxel.Chunk) bool { return v.isDefault(c) })
}

// isDefault reports whether a chunk is like a missing one.
func (v *LoadedVolume) isDefault(c *voxel.Chunk) bool {
	cell, ok := c.Uniform()
	return ok && cell == v.Default
}

// Properties that convert itself adds to a stone. A property of the source with one of
// these names, quoted or not, gets one more quote.
const (
	propFormat  = "format"
	propVersion = "format.version"
	quote       = "'"
)

func isQuoted(key string) bool {
	key = strings.TrimLeft(key, quote)
	return key == propFormat || key == propVersion
}

// HeadOf returns the head of a world from the properties of its stone, or of its world in
// package world.
func HeadOf(properties []stone.Property) format.Head {
	h := format.Head{Properties: map[string]string{}}
	for _, p := range properties {
		switch {
		case p.Key == propFormat:
			h.Format = p.Value
		case p.Key == propVersion:
			h.Version, _ = strconv.Atoi(p.Value) // 0 is an unknown version
		case isQuoted(p.Key):
			h.Properties[p.Key[len(quote):]] = p.Value
		default:
			h.Properties[p.Key] = p.Value
		}
	}
	return h
}

// propertiesOf is the inverse of HeadOf.
func propertiesOf(h format.Head) map[string]string {
	props := map[string]string{}
	if h.Format != "" {
		props[propFormat] = h.Format
	}
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

// WriteStone writes w as one stone with a whole world. It leaves out names that no cell uses.
func WriteStone(ctx context.Context, w *Loaded, to io.Writer, o stone.Options) (stone.ID, int64, error) {
	return whole.Write(ctx, to, w.Content(), whole.Options{Options: o})
}

// Content returns w as a Content. w must not change while it is in use.
func (w *Loaded) Content() stone.Content { return content{w} }

type content struct{ w *Loaded }

func (c content) About() stone.About {
	var about stone.About
	props := propertiesOf(c.w.Head)
	for _, k := range slices.Sorted(maps.Keys(props)) {
		about.Properties = append(about.Properties, stone.Property{Key: k, Value: props[k]})
	}
	for _, d := range c.w.Dimensions {
		sd := stone.DimensionInfo{Name: d.Name, Folder: d.Folder}
		for _, v := range d.Volumes {
			sd.Volumes = append(sd.Volumes, stone.VolumeInfo{Volume: v.Volume, Names: v.Names, Levels: []int{0}})
		}
		about.Dimensions = append(about.Dimensions, sd)
	}
	for _, f := range c.w.Files {
		about.Files = append(about.Files, stone.File{Path: f.Path, Size: f.Size})
	}
	return about
}

// dimension returns the dimension of that name, or an empty one.
func (c content) dimension(name string) *LoadedDimension {
	for _, d := range c.w.Dimensions {
		if d.Name == name {
			return d
		}
	}
	return &LoadedDimension{}
}

func (c content) Entries(dim, vol string, level int) iter.Seq2[geom.ChunkPos, bool] {
	return func(yield func(geom.ChunkPos, bool) bool) {
		v := c.dimension(dim).Volume(vol)
		if v == nil || level != 0 {
			return
		}
		for _, pos := range v.Positions() {
			if !yield(pos, !v.isDefault(v.Chunks[pos])) {
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

func (c content) ReadColumns(ctx context.Context, dim string) iter.Seq2[*voxel.Column, error] {
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

// ColumnCount returns the number of columns of a dimension.
func (c content) ColumnCount(dim string) int { return len(c.dimension(dim).Columns) }

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
