package world

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"

	"github.com/cairnvoxel/cairn/internal/stone/whole"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// stoneContent is what the stone of a commit is to say. Sequences are in the order of
// stones and end after an error.
type stoneContent struct {
	properties []stone.Property
	dimensions []dimensionContent
	files      []fileContent
	wholly     bool
}

type dimensionContent struct {
	name, folder string
	volumes      []volumeContent
	columns      iter.Seq[statement]
}

type volumeContent struct {
	voxel.Volume
	names  []string
	chunks iter.Seq[stone.Placed] // goes over them as often as it is asked to
	bases  map[geom.ChunkPos]*voxel.Chunk
	deltas map[geom.ChunkPos]*stone.Delta // of chunks that are written as what differs from bases
}

type fileContent struct {
	path string
	data []byte
	gone bool
	base []byte // what the stones below have; nil: not known
}

// write returns the stone.
func (s *stoneContent) write(ctx context.Context) (history.Stone, error) {
	var out bytes.Buffer
	id, err := s.writeTo(ctx, &out)
	return history.Stone{ID: id, Data: out.Bytes()}, err
}

func (s *stoneContent) writeTo(ctx context.Context, out io.Writer) (stone.ID, error) {
	w := stone.NewWriter(out, stone.Options{Effort: stone.Quick, Whole: s.wholly})
	for _, p := range s.properties {
		w.Property(p.Key, p.Value)
	}
	for i := range s.dimensions {
		if err := s.dimensions[i].write(ctx, w); err != nil {
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

func (f *fileContent) write(w *stone.Writer) error {
	if f.gone {
		return w.NoFile(f.path)
	}
	if f.base != nil {
		return w.DifferFile(f.path, f.base, f.data)
	}
	return w.File(f.path, int64(len(f.data)), bytes.NewReader(f.data))
}

func (d *dimensionContent) write(ctx context.Context, w *stone.Writer) error {
	w.Dimension(d.name, d.folder)
	for i := range d.volumes {
		if err := d.volumes[i].write(ctx, w); err != nil {
			return err
		}
	}
	for s := range d.columns {
		if err := cmp.Or(ctx.Err(), s.write(w)); err != nil {
			return err
		}
	}
	return nil
}

func (s *statement) write(w *stone.Writer) error {
	switch {
	case s.gone:
		return w.NoColumn(s.pos)
	case s.column == nil && s.base == nil:
		return w.Lists(s.pos, s.lists)
	}
	c := voxel.Column{Pos: s.pos}
	if s.column != nil {
		c = *s.column
	}
	if c.Lists = s.lists; s.base != nil {
		return w.Differ(s.base, &c, s.column == nil)
	}
	return w.Column(&c)
}

// write writes the volume, its names those in use.
func (v *volumeContent) write(ctx context.Context, w *stone.Writer) error {
	v.differ()
	names, table := v.used()
	as := v.Volume
	if table != nil {
		as.Default = table[as.Default]
	}
	w.Volume(as, names)
	for c := range v.chunks {
		var err error
		if d := v.deltas[c.Pos]; d != nil {
			err = w.Delta(c.Pos, d, table)
		} else {
			if c.Chunk != nil && table != nil {
				c.Chunk = c.Chunk.Translate(table)
			}
			err = w.Chunk(0, c.Pos, c.Chunk)
		}
		if err = cmp.Or(ctx.Err(), err); err != nil {
			return err
		}
	}
	return nil
}

// newLand is up to how many chunks of a commit new ones may be written as what they have other than nothing. More
// are hardly few cells each, and it takes as long as to write them whole.
const newLand = 64

// differ makes deltas of chunks that are smaller so.
func (v *volumeContent) differ() {
	if len(v.bases) == 0 {
		return
	}
	v.deltas = make(map[geom.ChunkPos]*stone.Delta)
	var empty *voxel.Chunk
	if len(v.bases) <= newLand {
		empty = voxel.Uniform(v.Default)
	}
	for c := range v.chunks {
		was, known := v.bases[c.Pos]
		if known && was == nil {
			was = empty
		}
		if was != nil && c.Chunk != nil {
			if d := stone.NewDelta(v.Schema, v.names, was, c.Chunk); d != nil {
				v.deltas[c.Pos] = d
			}
		}
	}
}

// whole has nothing written as what differs from the stones below.
func (s *stoneContent) whole() {
	s.wholly = true
	for _, d := range s.dimensions {
		for i := range d.volumes {
			d.volumes[i].bases = nil
		}
	}
}

// used returns the names that the chunks of a palette use, as stones order
// them, and what each cell is in that order; of other volumes all names.
func (v *volumeContent) used() ([]string, []voxel.Cell) {
	if v.Schema != voxel.Palette {
		return v.names, nil
	}
	counts := make([]int, len(v.names))
	for c := range v.chunks {
		if d := v.deltas[c.Pos]; d != nil {
			d.AddCounts(counts)
		} else if c.Chunk != nil {
			c.Chunk.AddCounts(counts)
		}
	}
	return whole.UsedNames(v.names, v.Default, counts)
}

// content returns what a stone must say to bring what is below it to s.
func (s *state) content(changed *dirty) *stoneContent {
	out := &stoneContent{properties: s.properties}
	for _, d := range s.dimensions {
		dc := dimensionContent{name: d.name, folder: d.folder, columns: d.statements(changed.columns[d.name], changed.columnBases[d.name])}
		for _, v := range d.volumes {
			name := volumeName{d.name, v.Name}
			chunks := changed.chunks[name]
			if changed.all || len(chunks) > 0 {
				dc.volumes = append(dc.volumes, volumeContent{Volume: v.Volume, names: v.names.list, chunks: v.placed(chunks), bases: changed.bases[name]})
			}
		}
		if changed.all || len(dc.volumes) > 0 || len(changed.columns[d.name]) > 0 {
			out.dimensions = append(out.dimensions, dc)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(changed.files)) {
		f := fileContent{path: path, gone: true, base: changed.fileBases[path]}
		if i, ok := slices.BinarySearchFunc(s.files, path, comparePaths); ok {
			f.data, f.gone = s.files[i].data, false
		}
		out.files = append(out.files, f)
	}
	return out
}

// placed yields the chunks at positions as they are now.
func (v *volume) placed(at map[geom.ChunkPos]bool) iter.Seq[stone.Placed] {
	order := slices.SortedFunc(maps.Keys(at), byCode)
	return func(yield func(stone.Placed) bool) {
		for _, pos := range order {
			c, ok := v.cells.Chunk(pos)
			if !ok {
				panic(fmt.Sprintf("world: chunk %v of %q was changed and dropped", pos, v.Name))
			}
			if !yield(stone.Placed{Pos: pos, Chunk: c}) {
				return
			}
		}
	}
}

func byCode(a, b geom.ChunkPos) int { return geom.CodeOf(a, 0).Compare(geom.CodeOf(b, 0)) }

// statements yields what changed of columns as it is now, with what they were as far as that is known.
func (d *dimension) statements(changed map[geom.ColumnPos]parts, bases map[geom.ColumnPos]*voxel.Column) iter.Seq[statement] {
	return func(yield func(statement) bool) {
		for _, pos := range slices.SortedFunc(maps.Keys(changed), geom.ColumnPos.Compare) {
			s := d.statement(pos, changed[pos])
			if s.base = bases[pos]; !yield(s) {
				return
			}
		}
	}
}

func (d *dimension) statement(pos geom.ColumnPos, p parts) statement {
	c := d.columns.at(pos)
	if c == nil {
		return statement{pos: pos, gone: true}
	}
	s := statement{pos: pos}
	if p.column {
		alone := *c
		alone.Lists = nil
		s.column = &alone
	}
	for _, name := range slices.Sorted(maps.Keys(p.lists)) {
		s.lists = append(s.lists, voxel.List{Name: name, Objects: c.Objects(name)})
	}
	return s
}
