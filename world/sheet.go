package world

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/light"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
)

// sheet is what a stone is to say. Sequences are in the order of stones and end
// after an error.
type sheet struct {
	properties []stone.Property
	dimensions []sheetDimension
	files      []sheetFile
}

type sheetDimension struct {
	name, folder string
	volumes      []sheetVolume
	columns      iter.Seq2[said, error]
	far          bool // write far levels too
	// sample is some columns to learn the rules of height maps from; nil if
	// the stone does not hold all that they follow from.
	sample []voxel.Column
	// known returns the kinds of light that a chunk has.
	known func(geom.ChunkPos) voxel.Has
}

type sheetVolume struct {
	voxel.Volume
	names  []string
	chunks iter.Seq2[stone.Placed, error] // goes over them as often as it is asked to
	empty  []string                       // names of cells that are empty besides cell 0
}

type sheetFile struct {
	path string
	size int64
	open func() (io.ReadCloser, error) // nil: the file is gone
}

// write returns the stone.
func (s *sheet) write(ctx context.Context, o stone.Options) (history.Stone, error) {
	var out bytes.Buffer
	id, err := s.writeTo(ctx, &out, o)
	return history.Stone{ID: id, Data: out.Bytes()}, err
}

func (s *sheet) writeTo(ctx context.Context, out io.Writer, o stone.Options) (stone.ID, error) {
	w := stone.NewWriter(out, o)
	for _, p := range s.properties {
		w.Property(p.Key, p.Value)
	}
	for i := range s.dimensions {
		if err := s.dimensions[i].write(ctx, w, o.Effort == stone.Best); err != nil {
			return stone.ID{}, err
		}
	}
	for _, f := range s.files {
		if err := cmp.Or(ctx.Err(), f.write(w)); err != nil {
			return stone.ID{}, err
		}
	}
	id, _, err := w.Close()
	return id, err
}

func (f *sheetFile) write(w *stone.Writer) error {
	if f.open == nil {
		return w.NoFile(f.path)
	}
	r, err := f.open()
	if err != nil {
		return fmt.Errorf("world: file %q: %w", f.path, err)
	}
	defer r.Close()
	return w.File(f.path, f.size, r)
}

func (d *sheetDimension) write(ctx context.Context, w *stone.Writer, follow bool) error {
	w.Dimension(d.name, d.folder)
	var t *towers
	for i := range d.volumes {
		v := &d.volumes[i]
		keep := func(geom.ChunkPos, *voxel.Chunk) {}
		if v.Volume.Name == voxel.Block && len(d.sample) > 0 {
			t = &towers{chunks: make(map[foot]light.Tower)}
			keep = t.add
		}
		names, err := v.write(ctx, w, d.far, keep)
		if err != nil {
			return err
		}
		if t != nil && v.Volume.Name == voxel.Block {
			t.sort()
		}
		if t != nil && follow && v.Volume.Name == voxel.Block && v.Schema == voxel.Palette {
			w.Light(light.Matters(nil).With(names).Learn(d.lit(t)), t.at)
		}
	}
	if t != nil {
		if rules := light.Learn(d.sample, t.at); len(rules) > 0 {
			w.Heights(rules, t.at)
		}
	}
	for s, err := range d.columns {
		if err := cmp.Or(err, ctx.Err(), s.write(w)); err != nil {
			return err
		}
	}
	return nil
}

// litChunks is how many chunks of a volume the rule of light is learned from.
const litChunks = 1024

// lit yields chunks of blocks with their sky light, and then with their block
// light. What cannot be read ends it: whoever writes the light finds it.
func (d *sheetDimension) lit(blocks *towers) iter.Seq[light.Lit] {
	return func(yield func(light.Lit) bool) {
		for i := range d.volumes {
			v, left, has := &d.volumes[i], litChunks, voxel.HasSky
			switch v.Volume.Name {
			case voxel.Sky:
			case voxel.Light:
				has = voxel.HasLight
			default:
				continue
			}
			for c, err := range v.chunks {
				under := blocks.chunk(c.Pos)
				if err != nil || left == 0 {
					break
				}
				if under == nil || d.known(c.Pos)&has == 0 {
					continue
				}
				left--
				lit := light.Lit{Blocks: under, Sky: c.Chunk}
				if v.Volume.Name == voxel.Light {
					lit = light.Lit{Blocks: under, Light: c.Chunk}
				}
				if !yield(lit) {
					return
				}
			}
		}
	}
}

func (s *said) write(w *stone.Writer) error {
	switch {
	case s.gone:
		return w.NoColumn(s.pos)
	case s.column == nil:
		return w.Lists(s.pos, s.lists)
	}
	c := *s.column
	c.Lists = s.lists
	return w.Column(&c)
}

// write writes the volume, its names those in use, which it returns, and calls keep
// with each chunk as written.
func (v *sheetVolume) write(ctx context.Context, w *stone.Writer, far bool, keep func(geom.ChunkPos, *voxel.Chunk)) ([]string, error) {
	names, table, err := v.used()
	if err != nil {
		return nil, err
	}
	as := v.Volume
	if table != nil {
		as.Default = table[as.Default]
	}
	w.Volume(as, names)
	var written []stone.Placed
	for c, err := range v.chunks {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return nil, err
		}
		if c.Chunk != nil {
			if table != nil {
				c.Chunk = c.Chunk.Translate(table)
			}
			keep(c.Pos, c.Chunk)
			if far {
				written = append(written, c)
			}
		}
		if err := w.Chunk(0, c.Pos, c.Chunk); err != nil {
			return nil, err
		}
	}
	return names, writeFar(w, (&volume{Volume: as, names: newNames(names)}).options(v.empty), written)
}

// used returns the names that the chunks of a palette use, as stones order
// them, and what each cell is in that order; of other volumes all names.
func (v *sheetVolume) used() ([]string, []voxel.Cell, error) {
	if v.Schema != voxel.Palette {
		return v.names, nil, nil
	}
	counts := make([]int, len(v.names))
	counts[voxel.Empty]++
	for c, err := range v.chunks {
		if err != nil {
			return nil, nil, err
		}
		if c.Chunk != nil {
			c.Chunk.AddCounts(counts)
		}
	}
	counts[v.Default]++
	order := []voxel.Cell{}
	for c, n := range counts {
		if n > 0 && c > 0 {
			order = append(order, voxel.Cell(c))
		}
	}
	slices.SortFunc(order, func(a, b voxel.Cell) int { return cmp.Compare(v.names[a], v.names[b]) })
	names := []string{v.names[voxel.Empty]}
	table := make([]voxel.Cell, len(v.names))
	for _, c := range order {
		table[c] = voxel.Cell(len(names))
		names = append(names, v.names[c])
	}
	return names, table, nil
}

// towers is the chunks of a dimension's blocks by footprint.
type towers struct{ chunks map[foot]light.Tower }

type foot struct{ x, z int32 }

func (t *towers) add(pos geom.ChunkPos, c *voxel.Chunk) {
	at := foot{pos.X, pos.Z}
	t.chunks[at] = append(t.chunks[at], light.Floor{Y: pos.Y, Chunk: c})
}

// chunk returns the chunk at a place, nil if there is none.
func (t *towers) chunk(at geom.ChunkPos) *voxel.Chunk {
	tower := t.at(at.X, at.Z)
	if i := slices.IndexFunc(tower, func(f light.Floor) bool { return f.Y == at.Y }); i >= 0 {
		return tower[i].Chunk
	}
	return nil
}

func (t *towers) sort() {
	for _, tower := range t.chunks {
		slices.SortFunc(tower, func(a, b light.Floor) int { return cmp.Compare(b.Y, a.Y) })
	}
}

func (t *towers) at(x, z int32) light.Tower { return t.chunks[foot{x, z}] }
