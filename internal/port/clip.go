package port

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/hytale"
	"github.com/cairnvoxel/cairn/internal/format/litematic"
	"github.com/cairnvoxel/cairn/internal/format/maptemplate"
	"github.com/cairnvoxel/cairn/internal/format/mcedit"
	"github.com/cairnvoxel/cairn/internal/format/sponge"
	"github.com/cairnvoxel/cairn/internal/format/structure"
	"github.com/cairnvoxel/cairn/internal/format/vox"
	"github.com/cairnvoxel/cairn/internal/stone/whole"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
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
	w, err := Pick(ctx, w, dimension, true, lost)
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
		for _, v := range []string{voxel.Block, voxel.Biome, "fluid", "fluid_level", "support"} { // those of a clip
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
		Sponge: sponge.Write, MCEdit: mcedit.Write, Structure: structure.Write, Litematica: litematic.Write, Vox: vox.Write, Template: maptemplate.Write, Prefab: hytale.WritePrefab,
	}[t.Format]
	if !ok {
		return fmt.Errorf("port: %s is no format of schematics", t.Format)
	}
	if c.Version == 0 && t.DataVersion != 0 {
		with := *c
		with.Version, c = t.DataVersion, &with
	}
	more, err := write(to, c, clip.WriteOptions{Version: t.Version})
	if t.Format != Prefab {
		for name := range c.Beside {
			lost["volume "+name]++
		}
	}
	for _, counts := range []map[string]int{more, c.Lost} {
		for name, n := range counts {
			lost[name] += n
		}
	}
	return err
}
