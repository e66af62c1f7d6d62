package port

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/stone/whole"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// GameError says that a world is of another game than a format.
type GameError struct{ Has, Wants string }

func (e *GameError) Error() string {
	return fmt.Sprintf("port: the world has blocks of %s, and the format wants those of %s", e.Has, e.Wants)
}

// CheckGame returns a *GameError if a world is of another game than the format of that name. A world that a program made is of none.
func CheckGame(w stone.Content, name string) error {
	has, wants := GameOf(w), ""
	if r, ok := rowOf(name); ok {
		wants = r.Game
	}
	if has == wants || has == "" || wants == "" {
		return nil
	}
	return &GameError{has, wants}
}

// Rename returns the blocks of a world of one dimension with the names that the format to wants, as a world that a program made. All else
// it leaves out and adds to lost, with what has no name there, or one that the release of Minecraft with that data version does not know, by its name and cells.
// The blocks are read once for that.
func Rename(ctx context.Context, w stone.Content, names *NameTable, to string, version int32, lost map[string]int) (stone.Content, error) {
	r, into := renamed{Content: w}, Row{}
	into, _ = rowOf(to)
	known := func(name string) bool {
		if into.Game != Minecraft || version < gameNames || name == format.Air {
			return true
		}
		_, err := block.State(name, []int32{version}, nil)
		return err == nil && block.Blocks().Check(name, version, nil) == nil
	}
	for _, d := range w.About().Dimensions {
		r.dim = stone.DimensionInfo{Name: d.Name, Folder: into.Home}
		for _, v := range d.Volumes {
			switch {
			case v.Volume.Name != voxel.Block || v.Schema != voxel.Palette:
				if len(v.Levels) > 0 {
					lost["volume "+v.Volume.Name]++
				}
			default:
				if err := r.take(ctx, v, names, known, lost); err != nil {
					return nil, err
				}
			}
		}
		for c, err := range w.ReadColumns(ctx, d.Name) {
			if err != nil {
				return nil, err
			}
			for _, l := range c.Lists {
				lost[l.Name] += len(l.Objects)
			}
		}
	}
	if r.tables == nil {
		return nil, fmt.Errorf("port: %w: the world has no blocks with names", ErrHolds)
	}
	for _, f := range w.About().Files {
		lost["file "+f.Path]++
	}
	return r, nil
}

// Volumes of fluids, of worlds of Hytale.
const (
	fluids = "fluid"
	levels = "fluid_level"
)

// take makes the tables of a volume's names.
func (r *renamed) take(ctx context.Context, v stone.VolumeInfo, names *NameTable, known func(name string) bool, lost map[string]int) error {
	counts := make([]int, len(v.Names))
	for p, err := range whole.Chunks(ctx, r.Content, r.dim.Name, voxel.Block, 0) {
		if err != nil {
			return err
		}
		if p.Chunk != nil {
			p.Chunk.AddCounts(counts)
		}
	}
	counts[v.Default]++
	lists := map[string]*format.Names{voxel.Block: format.NewNames(), fluids: format.NewNames()}
	r.tables = map[string][]voxel.Cell{}
	for _, name := range []string{voxel.Block, fluids, levels} {
		r.tables[name] = make([]voxel.Cell, len(v.Names))
	}
	for cell, n := range counts {
		if n == 0 {
			continue
		}
		to, ok := names.Of(v.Names[cell])
		if !ok || !known(to) {
			lost["block "+v.Names[cell]] += n
			continue
		}
		in := voxel.Block
		if fluid, ok := strings.CutPrefix(to, "fluid:"); ok {
			name, level, _ := strings.Cut(fluid, "/")
			n, err := strconv.ParseUint(level, 10, 4)
			if err != nil {
				return fmt.Errorf("port: names: %q: a fluid is fluid:NAME/LEVEL, with a level of 0 to 15", to)
			}
			r.tables[levels][cell] = voxel.Cell(n)
			in, to = fluids, name
		}
		var err error
		if r.tables[in][cell], err = lists[in].Cell(to); err != nil {
			return err
		}
	}
	r.dim.Volumes = []stone.VolumeInfo{{Volume: v.Volume, Names: slices.Clone(lists[voxel.Block].List()), Levels: []int{0}}}
	r.dim.Volumes[0].Default = r.tables[voxel.Block][v.Default]
	if wet := lists[fluids].List(); len(wet) > 1 {
		r.dim.Volumes = append(r.dim.Volumes,
			stone.VolumeInfo{Volume: voxel.Volume{Name: fluids, Schema: voxel.Palette, Scale: 1}, Names: slices.Clone(wet), Levels: []int{0}},
			stone.VolumeInfo{Volume: voxel.Volume{Name: levels, Schema: voxel.Level, Scale: 1}, Levels: []int{0}})
	}
	return nil
}

// renamed is the content of Rename.
type renamed struct {
	stone.Content
	dim    stone.DimensionInfo
	tables map[string][]voxel.Cell // for each volume the new cell of each block
}

func (r renamed) About() stone.About { return stone.About{Dimensions: []stone.DimensionInfo{r.dim}} }

func (r renamed) Entries(dim, vol string, level int) iter.Seq2[geom.ChunkPos, bool] {
	if r.tables[vol] == nil || level > 0 {
		return func(func(geom.ChunkPos, bool) bool) {}
	}
	return r.Content.Entries(dim, voxel.Block, level)
}

func (r renamed) ReadChunks(ctx context.Context, dim, vol string, level int, want []geom.ChunkPos, f func(geom.ChunkPos, *voxel.Chunk) error) error {
	return r.Content.ReadChunks(ctx, dim, voxel.Block, level, want, func(pos geom.ChunkPos, c *voxel.Chunk) error {
		if c != nil {
			c = c.Translate(r.tables[vol])
		}
		return f(pos, c)
	})
}

func (renamed) ReadColumns(context.Context, string) iter.Seq2[*voxel.Column, error] {
	return func(func(*voxel.Column, error) bool) {}
}

func (renamed) OpenFile(string) (io.ReadCloser, error) { return nil, fs.ErrNotExist }
