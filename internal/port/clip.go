package port

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"slices"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/mcedit"
	"github.com/cairnvoxel/cairn/internal/format/sponge"
	"github.com/cairnvoxel/cairn/internal/format/structure"
	"github.com/cairnvoxel/cairn/internal/stone/whole"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
)

// Clip copies a region of a dimension, or all of it if the region is nil. An empty name is the
// dimension that has columns. Blocks of the region's bounds outside of the region are clip.Void.
// Things that a clip cannot hold are in its Lost.
func Clip(ctx context.Context, w stone.Content, dimension string, r region.Region) (*clip.Clip, error) {
	return clipWithin(ctx, w, dimension, r, 0)
}

// clipWithin is Clip that reads at most maxBytes of the dimension. 0 is no bound.
func clipWithin(ctx context.Context, w stone.Content, dimension string, r region.Region, maxBytes int64) (*clip.Clip, error) {
	lost := map[string]int{}
	single, _ := w.(columnReader)
	w, err := Pick(ctx, w, dimension, Sponge, lost)
	if err != nil {
		return nil, err
	}
	w = convert.Within(w, maxBytes)
	if r != nil {
		w = within{w, r.Bounds(), single}
	}
	to := clip.NewCollector(r)
	if err := sendChunks(ctx, w, to); err != nil {
		return nil, err
	}
	c, err := to.Clip()
	if err != nil {
		return nil, err
	}
	for name, n := range lost {
		c.Lost[name] += n
	}
	return c, nil
}

// sendChunks sends a world to the Sink of a clip: chunks whole, and columns without their cells.
// It does not cut chunks into sections, as convert.Source does.
func sendChunks(ctx context.Context, w stone.Content, to format.Sink) error {
	about := w.About()
	for _, d := range about.Dimensions {
		fd := &format.Dimension{Name: d.Name, Folder: d.Folder}
		for _, v := range d.Volumes {
			fv := &format.NamedVolume{Volume: v.Volume}
			if v.Schema == voxel.Palette {
				var err error
				if fv.Names, err = format.NamesOf(v.Names); err != nil {
					return fmt.Errorf("port: volume %q of %s: %w", v.Volume.Name, d.Name, err)
				}
			}
			fd.Volumes = append(fd.Volumes, fv)
		}
		if err := to.Dimension(fd); err != nil {
			return err
		}
		for _, v := range []string{voxel.Block, voxel.Biome} {
			for p, err := range whole.Chunks(ctx, w, d.Name, v, 0) {
				if err == nil {
					err = cmp.Or(to.Chunk(v, p.Pos, p.Chunk), ctx.Err())
				}
				if err != nil {
					return err
				}
			}
		}
		for c, err := range w.ReadColumns(ctx, d.Name) {
			if err == nil {
				err = cmp.Or(to.Column(&format.Column{Column: *c}), ctx.Err())
			}
			if err != nil {
				return err
			}
		}
	}
	for _, f := range convert.Files(w, about) {
		if err := to.File(f); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// ReadClip reads the schematic at path. Its format is found as Open does.
func ReadClip(ctx context.Context, path string, o Options) (*clip.Clip, error) {
	s, err := Open(path, o)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if leaf, ok := s.leaf.(interface{ Clip() *clip.Clip }); ok {
		return leaf.Clip(), nil
	}
	w, err := s.Parts(ctx, nil)
	var c *clip.Clip
	if err == nil {
		c, err = clipWithin(ctx, w, "", nil, o.MaxBytes)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// WriteClip writes a clip as a schematic. It adds what the format cannot hold to lost.
func WriteClip(to io.Writer, c *clip.Clip, t Target, lost map[string]int) error {
	write, ok := map[string]func(io.Writer, *clip.Clip, clip.WriteOptions) (map[string]int, error){
		Sponge: sponge.Write, MCEdit: mcedit.Write, Structure: structure.Write,
	}[t.Format]
	if !ok {
		return fmt.Errorf("port: %s is no format of schematics", t.Format)
	}
	if c.Version == 0 && t.DataVersion != 0 {
		with := *c
		with.Version, c = t.DataVersion, &with
	}
	more, err := write(to, c, clip.WriteOptions{Version: t.Version})
	for _, counts := range []map[string]int{more, c.Lost} {
		for name, n := range counts {
			lost[name] += n
		}
	}
	return err
}

// within is a world reduced to the chunks and columns that a box of blocks touches.
type within struct {
	stone.Content
	box    geom.Box
	single columnReader // nil if the world cannot read single columns
}

// scaled returns the box in cells of a volume.
func (w within) scaled(dim, vol string) geom.Box {
	for _, d := range w.About().Dimensions {
		for _, v := range d.Volumes {
			if d.Name == dim && v.Volume.Name == vol {
				return w.box.Over(max(1, v.Scale))
			}
		}
	}
	return w.box
}

func (w within) Entries(dim, vol string, level int) iter.Seq2[geom.ChunkPos, bool] {
	box := w.scaled(dim, vol)
	return func(yield func(geom.ChunkPos, bool) bool) {
		for pos, holds := range w.Content.Entries(dim, vol, level) {
			if level == 0 && pos.Box().Intersect(box).Empty() {
				continue
			}
			if !yield(pos, holds) {
				return
			}
		}
	}
}

func (w within) ReadChunks(ctx context.Context, dim, vol string, level int, want []geom.ChunkPos, f func(geom.ChunkPos, *voxel.Chunk) error) error {
	box := w.scaled(dim, vol)
	want = slices.DeleteFunc(slices.Clone(want), func(pos geom.ChunkPos) bool { return level == 0 && pos.Box().Intersect(box).Empty() })
	return w.Content.ReadChunks(ctx, dim, vol, level, want, f)
}

// columnReader is a Snapshot: it reads single columns.
type columnReader interface {
	ReadColumn(ctx context.Context, dim string, pos geom.ColumnPos) (*voxel.Column, error)
	ColumnCount(dim string) int
}

// maxColumns bounds the columns of a box that are looked up one by one.
const maxColumns = 1 << 14

// columns returns the columns of the box in ascending order, or nil if there are too many.
func (w within) columns() (at []geom.ColumnPos) {
	for z := w.box.Min.Z >> 4; z <= (w.box.Max.Z-1)>>4; z++ {
		for x := w.box.Min.X >> 4; x <= (w.box.Max.X-1)>>4; x++ {
			if at = append(at, geom.ColumnPos{X: int32(x), Z: int32(z)}); len(at) > maxColumns {
				return nil
			}
		}
	}
	slices.SortFunc(at, geom.ColumnPos.Compare)
	return at
}

func (w within) ReadColumns(ctx context.Context, dim string) iter.Seq2[*voxel.Column, error] {
	return func(yield func(*voxel.Column, error) bool) {
		if s := w.single; s != nil {
			if at := w.columns(); at != nil && len(at) < s.ColumnCount(dim) {
				for _, pos := range at {
					c, err := s.ReadColumn(ctx, dim, pos)
					if errors.Is(err, fs.ErrNotExist) {
						continue // a stone's word for nil
					}
					if (c != nil || err != nil) && !yield(c, err) || err != nil {
						return
					}
				}
				return
			}
		}
		for c, err := range w.Content.ReadColumns(ctx, dim) {
			if err == nil {
				corner := c.Pos.Min(w.box.Min.Y)
				if (geom.Box{Min: corner, Max: corner.Add(geom.Point{X: geom.ColumnEdge, Y: 1, Z: geom.ColumnEdge})}).Intersect(w.box).Empty() {
					continue
				}
			}
			if !yield(c, err) {
				return
			}
		}
	}
}
