package stone

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"math/bits"
	"slices"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/light"
	"github.com/cairnvoxel/cairn/voxel"
)

// Content is a whole readable world: a stone that holds one, a version in a store,
// or a world in memory. Callers must not change its results.
type Content interface {
	// About describes the world.
	About() About
	// Spoken yields the chunks of a volume's level in ascending order of code.
	// false says that the chunk is known to be all of the volume's default.
	Spoken(dim, vol string, level int) iter.Seq2[geom.ChunkPos, bool]
	// ReadChunks calls f for each chunk of want that exists, with nil for a chunk of
	// the volume's default. want must ascend by code. Calls may come in another
	// order.
	ReadChunks(ctx context.Context, dim, vol string, level int, want []geom.ChunkPos, f func(geom.ChunkPos, *voxel.Chunk) error) error
	// Columns yields the columns of a dimension with their lists, in ascending order
	// of position. It stops after an error.
	Columns(ctx context.Context, dim string) iter.Seq2[*voxel.Column, error]
	// OpenFile returns the content of a file, or fs.ErrNotExist.
	OpenFile(path string) (io.ReadCloser, error)
}

// About describes a world.
type About struct {
	Properties []Property  // by key
	Dimensions []Dimension // in the order of creation
	Files      []File      // by path
}

// About describes the content of the stone.
func (s *Reader) About() About { return About{s.Properties(), s.Dimensions(), s.Files()} }

// readAtOnce is the number of chunks in one call of ReadChunks.
const readAtOnce = 1024

// ChunksOf yields the chunks of a volume's level of c that hold cells, in ascending
// order of code. It stops after an error, and when ctx ends.
func ChunksOf(ctx context.Context, c Content, dim, vol string, level int) iter.Seq2[Placed, error] {
	return func(yield func(Placed, error) bool) {
		got := make(map[geom.ChunkPos]*voxel.Chunk)
		read := func(some []geom.ChunkPos) bool {
			clear(got)
			err := c.ReadChunks(ctx, dim, vol, level, some, func(pos geom.ChunkPos, chunk *voxel.Chunk) error {
				got[pos] = chunk
				return ctx.Err()
			})
			if err != nil {
				yield(Placed{}, err)
				return false
			}
			for _, pos := range some {
				if got[pos] != nil && !yield(Placed{pos, got[pos]}, nil) {
					return false
				}
			}
			return true
		}
		want := make([]geom.ChunkPos, 0, readAtOnce)
		for pos, holds := range c.Spoken(dim, vol, level) {
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

// WholeOptions are the options of WriteWhole.
type WholeOptions struct {
	Options
	// Far makes WriteWhole write far levels for volumes of more than 64 chunks.
	Far bool
	// Empty names cells of palettes besides cell 0 that count as empty in far
	// levels.
	Empty []string
}

// FirstFar is the lowest level that WriteWhole writes besides level 0.
const FirstFar = 3

const (
	// nearWorld is the most chunks of a volume without far levels.
	nearWorld = 64
	// smallWorld is the most chunks, not counting uniform ones, that a volume may
	// write to one page. Such a world is loaded as a whole, and it repeats itself.
	smallWorld = 256
	// learnColumns is the most columns to learn rules of height maps from.
	// learnChunks is the most chunks to learn rules of light from.
	learnColumns = 1024
	learnChunks  = 512
)

// WriteWhole writes c as one stone. It leaves out unused names and sorts the others.
// With Effort Best it uses rules of light and of height maps. It takes them from c
// if c is a Reader or has methods Matters or Rules like one; else it learns them.
func WriteWhole(ctx context.Context, to io.Writer, c Content, o WholeOptions) (ID, int64, error) {
	about := c.About()
	wholes := make([]wholeDimension, len(about.Dimensions))
	for i := range wholes {
		wholes[i] = wholeDimension{Dimension: about.Dimensions[i], from: c, o: &o}
		if err := wholes[i].look(ctx); err != nil {
			return ID{}, 0, err
		}
	}
	if o.PageChunks == 0 && !slices.ContainsFunc(wholes, func(d wholeDimension) bool { return d.large }) {
		o.PageChunks = smallWorld
	}
	w := NewWriter(to, o.Options)
	for _, p := range about.Properties {
		w.Property(p.Key, p.Value)
	}
	for i := range wholes {
		if err := wholes[i].write(ctx, w); err != nil {
			return ID{}, 0, err
		}
	}
	for _, f := range about.Files {
		if err := cmp.Or(ctx.Err(), writeFile(w, c, f)); err != nil {
			return ID{}, 0, err
		}
	}
	return w.Close()
}

func writeFile(w *Writer, c Content, f File) error {
	r, err := c.OpenFile(f.Path)
	if err != nil {
		return fmt.Errorf("stone: file %q: %w", f.Path, err)
	}
	defer r.Close()
	return w.File(f.Path, f.Size, r)
}

// wholeDimension is a dimension that WriteWhole writes.
type wholeDimension struct {
	Dimension
	from   Content
	o      *WholeOptions
	used   [][]string     // names as written, by volume
	tables [][]voxel.Cell // new value of each cell, by volume; nil: unchanged
	large  bool           // too many chunks for one page
	blocks *towerMap      // as written; nil if nothing follows from blocks
}

// look determines the names in use and the size of the dimension.
func (d *wholeDimension) look(ctx context.Context) error {
	d.used, d.tables = make([][]string, len(d.Volumes)), make([][]voxel.Cell, len(d.Volumes))
	for i := range d.Volumes {
		v := &d.Volumes[i]
		counts := make([]int, max(1, len(v.Names)))
		named := v.Schema == voxel.Palette
		there := 0
		for _, holds := range d.from.Spoken(d.Name, v.Volume.Name, 0) {
			if holds {
				there++
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
		d.large = d.large || there > smallWorld
		if d.used[i] = v.Names; named {
			d.used[i], d.tables[i] = UsedNames(v.Names, v.Default, counts)
		}
	}
	return nil
}

func (d *wholeDimension) chunks(ctx context.Context, v *Volume) iter.Seq2[Placed, error] {
	return ChunksOf(ctx, d.from, d.Name, v.Volume.Name, 0)
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
	slices.SortFunc(cells, func(a, b voxel.Cell) int { return cmp.Compare(have[a], have[b]) })
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

func (d *wholeDimension) write(ctx context.Context, w *Writer) error {
	w.Dimension(d.Name, d.Folder)
	if w.err != nil {
		return w.err
	}
	w.dimension().tally = NewTally()
	for i := range d.Volumes {
		if err := d.volume(ctx, w, i); err != nil {
			return err
		}
	}
	if err := d.heights(ctx, w); err != nil {
		return err
	}
	for c, err := range d.from.Columns(ctx, d.Name) {
		if err != nil {
			return err
		}
		if err := cmp.Or(w.Column(c), ctx.Err()); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// volume writes a volume. After the blocks it sets the matters.
func (d *wholeDimension) volume(ctx context.Context, w *Writer, i int) error {
	v, table := d.Volumes[i], d.tables[i]
	if table != nil {
		v.Default = table[v.Default]
	}
	w.Volume(v.Volume, d.used[i])
	blocks := v.Volume.Name == voxel.Block
	if blocks {
		d.blocks = &towerMap{towers: make(map[footprint]light.Tower)}
	}
	var far *farLevels
	if d.o.Far {
		far = newFarLevels(voxel.Rule{Schema: v.Schema, Empties: emptyCells(&v, d.used[i], d.o.Empty)}, v.Default)
	}
	for c, err := range d.chunks(ctx, &d.Volumes[i]) {
		if err != nil {
			return err
		}
		if table != nil {
			c.Chunk = c.Chunk.Translate(table)
		}
		if blocks {
			d.blocks.add(c)
		}
		far.add(c)
		if err := cmp.Or(w.Chunk(0, c.Pos, c.Chunk), ctx.Err()); err != nil {
			return err
		}
	}
	if err := far.write(w); err != nil {
		return err
	}
	if blocks {
		d.blocks.sort()
		return d.light(ctx, w, i)
	}
	return nil
}

// emptyCells returns the cells of a palette that are empty besides cell 0.
func emptyCells(v *Volume, names, empty []string) (cells []voxel.Cell) {
	for c, name := range names {
		if c > 0 && v.Schema == voxel.Palette && slices.Contains(empty, name) {
			cells = append(cells, voxel.Cell(c))
		}
	}
	return cells
}

// light sets the Writer's matters if pages of light may follow from blocks.
func (d *wholeDimension) light(ctx context.Context, w *Writer, block int) error {
	if d.o.Effort != Best || d.Volumes[block].Schema != voxel.Palette {
		return nil
	}
	matters := light.Matters(nil)
	if from, ok := d.from.(interface {
		Matters(dim string) light.Matters
	}); ok {
		matters = translateMatters(from.Matters(d.Name), d.tables[block])
	}
	if matters != nil {
		return w.Light(matters.With(d.used[block]), d.blocks.at)
	}
	samples, err := d.lit(ctx)
	if err != nil {
		return err
	}
	return w.Light(matters.With(d.used[block]).Learn(slices.Values(samples)), d.blocks.at)
}

// lit returns chunks of blocks with their light from all over the dimension: first
// ones far apart, then those between.
func (d *wholeDimension) lit(ctx context.Context) ([]light.Lit, error) {
	known, err := d.known(ctx)
	if err != nil {
		return nil, err
	}
	var picked []geom.ChunkPos
	for apart := 1 << bits.Len(uint(len(d.blocks.places))); apart > 0; apart /= 2 {
		for i := apart; i <= len(d.blocks.places) && len(picked) < learnChunks; i += 2 * apart {
			if pos := d.blocks.places[i-1]; known(pos) != 0 {
				picked = append(picked, pos)
			}
		}
	}
	at := make(map[geom.ChunkPos]*light.Lit, len(picked))
	for _, pos := range picked {
		at[pos] = &light.Lit{Blocks: d.blocks.chunk(pos)}
	}
	ordered := slices.Clone(picked)
	slices.SortFunc(ordered, func(a, b geom.ChunkPos) int { return geom.CodeOf(a, 0).Compare(geom.CodeOf(b, 0)) })
	read := func(vol string, has voxel.Has, put func(*light.Lit, *voxel.Chunk)) error {
		if !slices.ContainsFunc(d.Volumes, func(v Volume) bool { return v.Volume.Name == vol }) {
			return nil
		}
		return d.from.ReadChunks(ctx, d.Name, vol, 0, ordered, func(pos geom.ChunkPos, c *voxel.Chunk) error {
			if known(pos)&has != 0 {
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

// known returns a function that returns the kinds of light of a chunk. Without
// columns it returns all.
func (d *wholeDimension) known(ctx context.Context) (func(geom.ChunkPos) voxel.Has, error) {
	columns := make(map[geom.ColumnPos]*voxel.Column)
	for c, err := range d.from.Columns(ctx, d.Name) {
		if err != nil {
			return nil, err
		}
		columns[c.Pos] = &voxel.Column{Sections: c.Sections, Stale: c.Stale}
	}
	return func(pos geom.ChunkPos) voxel.Has {
		if len(columns) == 0 {
			return voxel.HasSky | voxel.HasLight
		}
		var over [4]*voxel.Column
		for i := range over {
			over[i] = columns[geom.ColumnPos{X: pos.X*2 + int32(i&1), Z: pos.Z*2 + int32(i>>1)}]
		}
		return light.Known(pos.Y, over)
	}, nil
}

// heights sets the Writer's rules of height maps.
func (d *wholeDimension) heights(ctx context.Context, w *Writer) error {
	if d.blocks == nil {
		return nil
	}
	block := slices.IndexFunc(d.Volumes, func(v Volume) bool { return v.Volume.Name == voxel.Block })
	var rules []light.Rule
	if from, ok := d.from.(interface{ Rules(dim string) []light.Rule }); ok {
		rules = translateRules(from.Rules(d.Name), d.tables[block])
	}
	if rules == nil {
		sample, err := d.sample(ctx)
		if err != nil {
			return err
		}
		rules = light.Learn(sample, d.blocks.at)
	}
	if len(rules) == 0 {
		return nil
	}
	return w.Heights(rules, d.blocks.at)
}

// sample returns columns from all over the dimension, without lists.
func (d *wholeDimension) sample(ctx context.Context) (out []voxel.Column, err error) {
	var all []*voxel.Column
	for c, err := range d.from.Columns(ctx, d.Name) {
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	step := (len(all) + learnColumns - 1) / learnColumns
	for i := 0; i < len(all); i += step {
		out = append(out, *all[i])
	}
	return out, nil
}

// translateRules returns rules with other cells. A nil table changes nothing.
func translateRules(rules []light.Rule, table []voxel.Cell) []light.Rule {
	if table == nil {
		return rules
	}
	out := slices.Clone(rules)
	for i, r := range out {
		var cells []voxel.Cell
		for _, c := range r.Cells {
			if int(c) < len(table) && table[c] != voxel.Empty { // others do not occur
				cells = append(cells, table[c])
			}
		}
		slices.Sort(cells)
		out[i].Cells = cells
	}
	return out
}

// translateMatters returns matters for other cells. A nil table changes nothing.
func translateMatters(m light.Matters, table []voxel.Cell) light.Matters {
	if table == nil || m == nil {
		return m
	}
	var out light.Matters
	for c, v := range m[:min(len(m), len(table))] {
		if c > 0 && table[c] == voxel.Empty {
			continue // it does not occur
		}
		for len(out) <= int(table[c]) {
			out = append(out, light.Opaque)
		}
		out[table[c]] = v
	}
	return out
}

// towerMap is the written chunks of blocks by footprint.
type towerMap struct {
	towers map[footprint]light.Tower
	places []geom.ChunkPos // in ascending order of code
}

func (t *towerMap) add(c Placed) {
	at := footprint{c.Pos.X, c.Pos.Z}
	t.towers[at] = append(t.towers[at], light.Floor{Y: c.Pos.Y, Chunk: c.Chunk})
	t.places = append(t.places, c.Pos)
}

// sort orders towers topmost first.
func (t *towerMap) sort() {
	for _, tower := range t.towers {
		slices.SortFunc(tower, func(a, b light.Floor) int { return cmp.Compare(b.Y, a.Y) })
	}
}

// at is a light.Towers.
func (t *towerMap) at(x, z int32) light.Tower { return t.towers[footprint{x, z}] }

// chunk returns the chunk at a position, or nil.
func (t *towerMap) chunk(at geom.ChunkPos) *voxel.Chunk {
	tower := t.at(at.X, at.Z)
	if i := slices.IndexFunc(tower, func(f light.Floor) bool { return f.Y == at.Y }); i >= 0 {
		return tower[i].Chunk
	}
	return nil
}
