package world

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/light"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
)

// maxStones is how many stones a commit leaves in the stack before it packs.
const maxStones = 8

// Pack puts one stone in place of the whole stack of the head, written as small
// as it gets. It changes no commit.
func (w *World) Pack(ctx context.Context) error {
	w.saving.Lock()
	defer w.saving.Unlock()
	m, err := w.moment()
	if err != nil {
		return err
	}
	defer m.release()
	if len(m.pile) < 2 {
		return nil
	}
	return w.merge(ctx, m, 0, stone.Best)
}

// packHigh packs the top of a stack that is too high.
func (w *World) packHigh(ctx context.Context) error {
	m, err := w.moment()
	if err != nil {
		return err
	}
	defer m.release()
	if len(m.pile) <= maxStones {
		return nil
	}
	return w.merge(ctx, m, history.PackFrom(m.layers(), maxStones), stone.Good)
}

// merge puts a pack in place of the layers of m from from on, of that effort if it
// is all of them.
func (w *World) merge(ctx context.Context, m moment, from int, effort stone.Effort) error {
	var s *state
	if from == 0 {
		s = m.now
	}
	if err := m.pile[from:].pack(ctx, w.store, w.name, s, w.o.Empty, effort); err != nil {
		return err
	}
	return w.reopen(ctx)
}

// pack puts a pack in place of the pile, which is the top of a world's stack. s is
// what the pile says if it is all of it, written with that effort; nil if there is more below.
func (p pile) pack(ctx context.Context, st history.Store, name string, s *state, empty []string, effort stone.Effort) error {
	var written history.Stone
	var err error
	if s == nil {
		written, err = p.merged()
	} else {
		written, err = p.sheet(s, empty).write(ctx, p.options(stone.Options{Effort: effort}))
	}
	if err != nil {
		return fmt.Errorf("world: %s: pack: %w", name, err)
	}
	return st.PutPack(ctx, name, history.Pack{After: p[0].After, Upto: p[len(p)-1].Upto, Stone: written.Ref()}, written)
}

// merged returns the stone that stands for the pile where there is more below.
func (p pile) merged() (history.Stone, error) {
	run := make([]*stone.Reader, len(p))
	for i, l := range p {
		run[i] = l.Reader
	}
	var out bytes.Buffer
	id, _, err := stone.Merge(&out, run, stone.Options{Effort: stone.Quick})
	return history.Stone{ID: id, Data: out.Bytes()}, err
}

// smallWorld is how many chunks a stone may hold for them to be one page, which
// is smaller and is read at once.
const smallWorld = 256

func (p pile) options(o stone.Options) stone.Options {
	n := 0
	for _, l := range p {
		for _, d := range l.Dimensions() {
			for _, v := range d.Volumes {
				for range l.Spoken(d.Name, v.Volume.Name, 0) {
					if n++; n > smallWorld {
						return o
					}
				}
			}
		}
	}
	o.PageChunks = 512
	return o
}

// WriteStone writes the last commit, with everything below it, as one stone.
// The world must have a commit.
func (w *World) WriteStone(ctx context.Context, to io.Writer, o stone.Options) (stone.ID, error) {
	m, err := w.moment()
	if err != nil {
		return stone.ID{}, err
	}
	defer m.release()
	if len(m.pile) == 0 {
		return stone.ID{}, fmt.Errorf("world: %s: %w", w.name, history.ErrNoCommit)
	}
	return m.sheet(m.now, w.o.Empty).writeTo(ctx, to, m.options(o))
}

// sheet returns what the pile, which is all of a stack, says in the names of s.
// What is gone is left out.
func (p pile) sheet(s *state, empty []string) *sheet {
	out := &sheet{properties: p[len(p)-1].Properties(), files: p.files()}
	for _, d := range s.dimensions {
		sd := sheetDimension{name: d.name, folder: p.folder(d.name), far: true}
		spoken := false
		for _, v := range d.volumes {
			if p.describes(d.name, v.Name) {
				name := volumeName{d.name, v.Name}
				sd.volumes = append(sd.volumes, sheetVolume{v.Volume, v.names.list, p.placed(name), empty})
				spoken = true
			}
		}
		columns := p.columns(d.name, d.lists)
		sd.columns = p.said(d, columns)
		sd.sample = p.sample(d, columns)
		sd.known = p.known(d, columns)
		if spoken || len(columns) > 0 || p.describes(d.name, "") {
			out.dimensions = append(out.dimensions, sd)
		}
	}
	return out
}

// describes reports whether some stone has the volume, or the dimension if
// volume is "".
func (p pile) describes(dim, volume string) bool {
	for _, l := range p {
		for _, d := range l.Dimensions() {
			if d.Name != dim {
				continue
			}
			if volume == "" || slices.ContainsFunc(d.Volumes, func(v stone.Volume) bool { return v.Volume.Name == volume }) {
				return true
			}
		}
	}
	return false
}

// folder returns the folder of a dimension as the pile has it.
func (p pile) folder(dim string) (folder string) {
	for _, l := range p {
		for _, d := range l.Dimensions() {
			if d.Name == dim {
				folder = d.Folder
			}
		}
	}
	return folder
}

// batch is how many chunks are read at once when a pile is gone through.
const batch = 1024

// placed yields every chunk of a volume that has cells.
func (p pile) placed(name volumeName) iter.Seq2[stone.Placed, error] {
	return func(yield func(stone.Placed, error) bool) {
		positions := p.positions(name)
		for len(positions) > 0 {
			some := positions[:min(batch, len(positions))]
			positions = positions[len(some):]
			got := make(map[geom.ChunkPos]*voxel.Chunk, len(some))
			if err := p.chunks(name, some, func(pos geom.ChunkPos, c *voxel.Chunk) { got[pos] = c }); err != nil {
				yield(stone.Placed{}, err)
				return
			}
			for _, pos := range some {
				if c := got[pos]; c != nil && !yield(stone.Placed{Pos: pos, Chunk: c}, nil) {
					return
				}
			}
		}
	}
}

// positions returns where the pile speaks of chunks, in ascending order of code.
func (p pile) positions(name volumeName) []geom.ChunkPos {
	var out []geom.ChunkPos
	for _, l := range p {
		for pos := range l.Spoken(name.dimension, name.volume, 0) {
			out = append(out, pos)
		}
	}
	if len(p) > 1 {
		slices.SortFunc(out, byCode)
		out = slices.Compact(out)
	}
	return out
}

// columns returns which columns the pile speaks of, in ascending order.
func (p pile) columns(dim string, lists []string) []geom.ColumnPos {
	var out []geom.ColumnPos
	for _, l := range p {
		for pos := range l.SpokenColumns(dim) {
			out = append(out, pos)
		}
		for _, list := range lists {
			for pos := range l.SpokenLists(dim, list) {
				out = append(out, pos)
			}
		}
	}
	slices.SortFunc(out, geom.ColumnPos.Compare)
	return slices.Compact(out)
}

func (p pile) said(d *dimension, columns []geom.ColumnPos) iter.Seq2[said, error] {
	return func(yield func(said, error) bool) {
		r := p.columnReader(d.name, d.lists)
		for _, pos := range columns {
			s, err := r.says(pos)
			if s.gone {
				continue
			}
			s.lists = withObjects(s.lists)
			if !yield(s, err) || err != nil {
				return
			}
		}
	}
}

// sampleColumns is how many columns rules are learned from at most.
const sampleColumns = 128

// sample returns columns from all over the dimension. What cannot be read is
// left out: whoever writes the columns finds it.
func (p pile) sample(d *dimension, columns []geom.ColumnPos) (out []voxel.Column) {
	step := max(1, len(columns)/sampleColumns)
	r := p.columnReader(d.name, nil)
	for i := 0; i < len(columns); i += step {
		if s, err := r.says(columns[i]); err == nil && s.column != nil {
			out = append(out, *s.column)
		}
	}
	return out
}

// known returns a function that returns the kinds of light that a chunk has; all where
// there are no columns. It reads columns as it is asked.
func (p pile) known(d *dimension, columns []geom.ColumnPos) func(geom.ChunkPos) voxel.Has {
	r := p.columnReader(d.name, nil)
	of := make(map[geom.ColumnPos]*voxel.Column)
	return func(pos geom.ChunkPos) voxel.Has {
		if len(columns) == 0 {
			return voxel.HasSky | voxel.HasLight
		}
		var over [4]*voxel.Column
		for i, at := range columnsOver(pos) {
			c, ok := of[at]
			if !ok {
				if s, err := r.says(at); err == nil && s.column != nil {
					c = &voxel.Column{Sections: s.column.Sections, Stale: s.column.Stale}
				}
				of[at] = c
			}
			over[i] = c
		}
		return light.Known(pos.Y, over)
	}
}

// files returns the files that are there.
func (p pile) files() []sheetFile {
	said := make(map[string]sheetFile)
	for _, l := range p {
		sizes := make(map[string]int64)
		for _, f := range l.Files() {
			sizes[f.Path] = f.Size
		}
		for path, there := range l.SpokenFiles() {
			f := sheetFile{path: path}
			if there {
				f.size, f.open = sizes[path], func() (io.ReadCloser, error) { return l.OpenFile(path) }
			}
			said[path] = f
		}
	}
	var out []sheetFile
	for _, f := range said {
		if f.open != nil {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b sheetFile) int { return strings.Compare(a.path, b.path) })
	return out
}
