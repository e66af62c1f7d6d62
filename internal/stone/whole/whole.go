// Package whole writes whole worlds as one stone. It reads a stone.Content twice: first
// to find the names in use and the size of the world, then to write it. The stone has
// sorted names, rules of light and of height maps, tallies, and far levels if wanted.
package whole

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"math/bits"
	"slices"
	"sort"

	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/tile"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// readAtOnce is the number of chunks in one call of ReadChunks.
const readAtOnce = 1024

// Chunks yields the chunks of a volume's level of c that hold cells, in ascending
// order of code. It stops after an error, and when ctx ends.
func Chunks(ctx context.Context, c stone.Content, dim, vol string, level int) iter.Seq2[stone.Placed, error] {
	return func(yield func(stone.Placed, error) bool) {
		got := make(map[geom.ChunkPos]*voxel.Chunk)
		read := func(some []geom.ChunkPos) bool {
			clear(got)
			err := c.ReadChunks(ctx, dim, vol, level, some, func(pos geom.ChunkPos, chunk *voxel.Chunk) error {
				got[pos] = chunk
				return ctx.Err()
			})
			if err != nil {
				yield(stone.Placed{}, err)
				return false
			}
			for _, pos := range some {
				if got[pos] != nil && !yield(stone.Placed{Pos: pos, Chunk: got[pos]}, nil) {
					return false
				}
			}
			return true
		}
		want := make([]geom.ChunkPos, 0, readAtOnce)
		for pos, holds := range c.Entries(dim, vol, level) {
			if !holds {
				continue
			}
			if want = append(want, pos); len(want) == readAtOnce {
				if !read(want) {
					return
				}
				want = want[:0]
			}
		}
		read(want)
	}
}

// Tally counts what a dimension of c holds. It reads all of it.
func Tally(ctx context.Context, c stone.Content, d stone.DimensionInfo) (*stone.Tally, error) {
	t := stone.NewTally()
	for _, v := range d.Volumes {
		for p, err := range Chunks(ctx, c, d.Name, v.Volume.Name, 0) {
			if err != nil {
				return nil, err
			}
			t.Chunk(v.Volume.Name, p.Chunk, 1)
		}
	}
	for column, err := range c.ReadColumns(ctx, d.Name) {
		if err != nil {
			return nil, err
		}
		t.Column(column, 1)
	}
	return t, nil
}

// Options are the options of Write.
type Options struct {
	stone.Options
	// Far makes Write write far levels for volumes of more than 64 chunks.
	Far bool
	// Empty names cells of palettes besides cell 0 that count as empty in far
	// levels.
	Empty []string
	// Memory is about how many bytes of the world Write holds. Parts beyond that it reads
	// again. Default 256 MiB. The written bytes do not depend on it.
	Memory int64
	// Temp makes an empty file for blocks that light and height maps follow from, if these
	// take more memory. The file takes as many bytes as they do. By default Write decodes
	// them again and again, which takes up to twice as long in all.
	Temp func() (TempFile, error)
}

// TempFile is written once from the beginning and then read. Close deletes it.
type TempFile = tile.TempFile

// defaultMemory is the default of Options.Memory.
const defaultMemory = 256 << 20

const (
	// nearWorld is the most chunks of a volume without far levels.
	nearWorld = 64
	// smallWorld is the most chunks, not counting uniform ones, that a volume may
	// write to one page. Such a world is loaded as a whole, and it repeats itself.
	smallWorld = 256
	// chunksAtOnce is how many chunks a volume must have for each further page that is
	// encoded at once, so that the memory for pages stays small beside the world.
	chunksAtOnce = 1024
	// learnColumns is the most columns to learn rules of height maps from.
	// learnChunks is the most chunks to learn rules of light from.
	learnColumns = 1024
	learnChunks  = 512
)

// Counted is a Content that may know which cells a volume uses. counts holds how often
// each cell occurs, or any number above 0 for a cell in use. runs is the number of
// chunks that are not uniform.
type Counted interface {
	Counts(dim, vol string) (counts []int, runs int, known bool)
}

// Write writes c as one stone. It leaves out unused names and sorts the others.
// With Effort Best it uses rules of light and of height maps. It takes them from c
// if c is a Reader or has methods Matters or Rules like one; else it learns them. What c
// knows of light is in the stone with any Effort.
func Write(ctx context.Context, to io.Writer, c stone.Content, o Options) (id stone.ID, n int64, err error) {
	o.Memory = cmp.Or(o.Memory, defaultMemory)
	about := c.About()
	wholes := make([]dimension, len(about.Dimensions))
	defer func() {
		for i := range wholes {
			err = cmp.Or(err, wholes[i].blocks.close())
		}
	}()
	for i := range wholes {
		wholes[i] = dimension{DimensionInfo: about.Dimensions[i], from: c, o: &o}
		if err := wholes[i].look(ctx); err != nil {
			return stone.ID{}, 0, err
		}
	}
	most := 0
	for i := range wholes {
		most = max(most, wholes[i].most)
	}
	if o.PageChunks == 0 && most <= smallWorld {
		o.PageChunks = smallWorld
	}
	o.AtOnce = min(o.AtOnce, 1+most/chunksAtOnce)
	o.Options.Tally = true
	w := stone.NewWriter(to, o.Options)
	for _, p := range about.Properties {
		w.Property(p.Key, p.Value)
	}
	for i := range wholes {
		if err := wholes[i].write(ctx, w); err != nil {
			return stone.ID{}, 0, err
		}
	}
	for _, f := range about.Files {
		if err := cmp.Or(ctx.Err(), writeFile(w, c, f)); err != nil {
			return stone.ID{}, 0, err
		}
	}
	id, n, err = w.Close()
	for i := range wholes {
		err = cmp.Or(err, wholes[i].blocks.err()) // pages are written later than their chunks
	}
	return id, n, err
}

func writeFile(w *stone.Writer, c stone.Content, f stone.File) error {
	r, err := c.OpenFile(f.Path)
	if err != nil {
		return fmt.Errorf("whole: file %q: %w", f.Path, err)
	}
	defer r.Close()
	return w.File(f.Path, f.Size, r)
}

// dimension is a dimension that Write writes.
type dimension struct {
	stone.DimensionInfo
	from   stone.Content
	o      *Options
	used   [][]string     // names as written, by volume
	tables [][]voxel.Cell // new value of each cell, by volume; nil: unchanged
	most   int            // chunks of a volume, not counting uniform ones if that matters
	blocks *towers        // as written; nil if nothing follows from blocks
}

// look determines the names in use and the size of the dimension.
func (d *dimension) look(ctx context.Context) error {
	d.used, d.tables = make([][]string, len(d.Volumes)), make([][]voxel.Cell, len(d.Volumes))
	for i := range d.Volumes {
		v := &d.Volumes[i]
		counts := make([]int, max(1, len(v.Names)))
		named := v.Schema == voxel.Palette
		there := 0
		for _, holds := range d.from.Entries(d.Name, v.Volume.Name, 0) {
			if holds {
				there++
			}
		}
		if c, ok := d.from.(Counted); ok && named {
			if counts, runs, known := c.Counts(d.Name, v.Volume.Name); known {
				d.most = max(d.most, runs)
				d.used[i], d.tables[i] = UsedNames(v.Names, v.Default, counts)
				continue
			}
		}
		if named || there > smallWorld && there <= 16*smallWorld {
			there = 0
			for c, err := range d.chunks(ctx, v) {
				if err != nil {
					return err
				}
				if named {
					c.Chunk.AddCounts(counts)
				}
				if _, uniform := c.Chunk.Uniform(); !uniform {
					there++
				}
			}
		}
		d.most = max(d.most, there)
		if d.used[i] = v.Names; named {
			d.used[i], d.tables[i] = UsedNames(v.Names, v.Default, counts)
		}
	}
	return nil
}

func (d *dimension) chunks(ctx context.Context, v *stone.VolumeInfo) iter.Seq2[stone.Placed, error] {
	return Chunks(ctx, d.from, d.Name, v.Volume.Name, 0)
}

// UsedNames returns the names of a palette in use, the empty cell's first and the
// others sorted, and the new value of each cell, or nil if all stay. counts holds
// how often each cell occurs; UsedNames changes it. Cell 0 and the default count as
// used.
func UsedNames(have []string, def voxel.Cell, counts []int) (names []string, table []voxel.Cell) {
	counts[def]++
	var cells []voxel.Cell
	for c := 1; c < len(counts); c++ {
		if counts[c] > 0 {
			cells = append(cells, voxel.Cell(c))
		}
	}
	sort.Slice(cells, func(i, j int) bool { return have[cells[i]] < have[cells[j]] })
	names, table = []string{"air"}, make([]voxel.Cell, len(counts))
	copy(names, have)
	for _, c := range cells {
		table[c] = voxel.Cell(len(names))
		names = append(names, have[c])
	}
	if slices.Equal(names, have) {
		return names, nil
	}
	return names, table
}

func (d *dimension) write(ctx context.Context, w *stone.Writer) error {
	if err := w.Dimension(d.Name, d.Folder); err != nil {
		return err
	}
	for i := range d.Volumes {
		if err := d.volume(ctx, w, i); err != nil {
			return err
		}
	}
	if err := d.heights(ctx, w); err != nil {
		return err
	}
	for c, err := range d.from.ReadColumns(ctx, d.Name) {
		if err != nil {
			return err
		}
		if err := cmp.Or(w.Column(c), d.blocks.err(), ctx.Err()); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// follows reports whether something may follow from the blocks of the dimension.
func (d *dimension) follows(ctx context.Context) (bool, error) {
	for i := range d.Volumes {
		if name := d.Volumes[i].Volume.Name; voxel.IsLight(name) && d.o.Effort == stone.Best {
			for _, holds := range d.from.Entries(d.Name, name, 0) {
				if holds {
					return true, nil
				}
			}
		}
	}
	for _, err := range d.from.ReadColumns(ctx, d.Name) {
		return err == nil, err
	}
	return false, nil
}

// written yields the chunks of a volume as they are written.
func (d *dimension) written(ctx context.Context, i int) iter.Seq2[stone.Placed, error] {
	table := d.tables[i]
	return func(yield func(stone.Placed, error) bool) {
		for c, err := range d.chunks(ctx, &d.Volumes[i]) {
			if err == nil && table != nil {
				c.Chunk = c.Chunk.Translate(table)
			}
			if !yield(c, err) || err != nil {
				return
			}
		}
	}
}

// volume writes a volume. After the blocks it sets the matters.
func (d *dimension) volume(ctx context.Context, w *stone.Writer, i int) error {
	v := d.Volumes[i]
	if table := d.tables[i]; table != nil {
		v.Default = table[v.Default]
	}
	w.Volume(v.Volume, d.used[i])
	blocks, err := false, error(nil)
	if v.Volume.Name == voxel.Block {
		blocks, err = d.follows(ctx)
	}
	if err != nil {
		return err
	}
	if blocks {
		d.blocks = newTowers(ctx, d.o.Memory/2, d.o.Temp, func(want []geom.ChunkPos, f func(geom.ChunkPos, *voxel.Chunk) error) error {
			return d.from.ReadChunks(ctx, d.Name, v.Volume.Name, 0, want, func(pos geom.ChunkPos, c *voxel.Chunk) error {
				if table := d.tables[i]; c != nil && table != nil {
					c = c.Translate(table)
				}
				return cmp.Or(f(pos, c), ctx.Err())
			})
		})
	}
	var far *farLevels
	if d.o.Far {
		far = newFarLevels(d.o.Memory/4, voxel.Rule{Schema: v.Schema, Empties: emptyCells(&v, d.used[i], d.o.Empty)}, v.Default)
	}
	for c, err := range d.written(ctx, i) {
		if err != nil {
			return err
		}
		if blocks {
			d.blocks.add(c)
		}
		far.add(c)
		if err := cmp.Or(w.Chunk(0, c.Pos, c.Chunk), d.blocks.err(), ctx.Err()); err != nil {
			return err
		}
	}
	if err := far.write(w, d.written(ctx, i)); err != nil {
		return err
	}
	known := light.Matters(nil)
	if from, ok := d.from.(interface {
		Matters(dim string) light.Matters
	}); ok && v.Volume.Name == voxel.Block && v.Schema == voxel.Palette {
		known = from.Matters(d.Name).Translate(d.tables[i])
	}
	if known != nil {
		known = known.With(d.used[i])
		if err := w.Matters(known); err != nil {
			return err
		}
	}
	if blocks {
		d.blocks.sort()
		return d.light(ctx, w, i, known)
	}
	return nil
}

// emptyCells returns the cells of a palette that are empty besides cell 0.
func emptyCells(v *stone.VolumeInfo, names, empty []string) (cells []voxel.Cell) {
	for c, name := range names {
		if c > 0 && v.Schema == voxel.Palette && slices.Contains(empty, name) {
			cells = append(cells, voxel.Cell(c))
		}
	}
	return cells
}

// light sets what pages of light follow from if they may follow from blocks. It learns what is not
// known.
func (d *dimension) light(ctx context.Context, w *stone.Writer, block int, known light.Matters) error {
	if d.o.Effort != stone.Best || d.Volumes[block].Schema != voxel.Palette {
		return nil
	}
	if known != nil {
		return w.Light(known, d.blocks.at)
	}
	samples, err := d.lit(ctx)
	if err != nil {
		return err
	}
	return w.Light(light.Matters(nil).With(d.used[block]).Learn(slices.Values(samples)), d.blocks.at)
}

// lit returns chunks of blocks with their light from all over the dimension: first
// ones far apart, then those between.
func (d *dimension) lit(ctx context.Context) ([]light.Lit, error) {
	columns, err := d.litColumns(ctx)
	if err != nil {
		return nil, err
	}
	var picked []geom.ChunkPos
	for apart := 1 << bits.Len(uint(d.blocks.chunks)); apart > 0; apart /= 2 {
		for i := apart; i <= d.blocks.chunks && len(picked) < learnChunks; i += 2 * apart {
			if pos := d.blocks.place(i - 1); columns.known(pos) != 0 {
				picked = append(picked, pos)
			}
		}
	}
	at := make(map[geom.ChunkPos]*light.Lit, len(picked))
	for _, pos := range picked {
		at[pos] = new(light.Lit)
	}
	ordered := slices.Clone(picked)
	slices.SortFunc(ordered, func(a, b geom.ChunkPos) int { return geom.CodeOf(a, 0).Compare(geom.CodeOf(b, 0)) })
	err = d.blocks.each(ordered, func(pos geom.ChunkPos, c *voxel.Chunk) error {
		at[pos].Blocks = c
		return nil
	})
	if err != nil {
		return nil, err
	}
	read := func(vol string, has voxel.Has, put func(*light.Lit, *voxel.Chunk)) error {
		if !slices.ContainsFunc(d.Volumes, func(v stone.VolumeInfo) bool { return v.Volume.Name == vol }) {
			return nil
		}
		return d.from.ReadChunks(ctx, d.Name, vol, 0, ordered, func(pos geom.ChunkPos, c *voxel.Chunk) error {
			if columns.known(pos)&has != 0 {
				put(at[pos], c)
			}
			return ctx.Err()
		})
	}
	if err := read(voxel.Sky, voxel.HasSky, func(l *light.Lit, c *voxel.Chunk) { l.Sky = c }); err != nil {
		return nil, err
	}
	if err := read(voxel.Light, voxel.HasLight, func(l *light.Lit, c *voxel.Chunk) { l.Light = c }); err != nil {
		return nil, err
	}
	var out []light.Lit
	for _, pos := range picked {
		out = append(out, *at[pos])
	}
	return out, nil
}

// heights sets the Writer's rules of height maps.
func (d *dimension) heights(ctx context.Context, w *stone.Writer) error {
	if d.blocks == nil {
		return nil
	}
	block := slices.IndexFunc(d.Volumes, func(v stone.VolumeInfo) bool { return v.Volume.Name == voxel.Block })
	var rules []light.Rule
	if from, ok := d.from.(interface{ Rules(dim string) []light.Rule }); ok {
		rules = light.TranslateRules(from.Rules(d.Name), d.tables[block])
	}
	if rules == nil {
		sample, err := d.sample(ctx)
		if err != nil {
			return err
		}
		rules = light.Learn(sample, d.blocks.keep())
	}
	if err := d.blocks.err(); err != nil {
		return err
	}
	if len(rules) == 0 {
		return nil
	}
	return w.Heights(rules, d.blocks.at)
}
