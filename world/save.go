package world

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
)

// Commit makes what changed since the last commit durable, as one stone and the
// new head, and returns the commit; the head's if nothing changed. Updates and
// reads go on beside it; commits of a world wait for each other. When it fails
// what it held is in the next one; after ErrConflict or ErrFenced the world
// belongs to someone else: open it again.
//
// Unless Options.Manual is set it packs the stack when it has become too high. An
// error of that leaves the commit as it is and is not reported: the next commit
// tries again.
func (w *World) Commit(ctx context.Context, message string) (Commit, error) {
	w.saving.Lock()
	defer w.saving.Unlock()
	c, err := w.commit(ctx, message)
	if err == nil && !w.o.Manual {
		_ = w.packHigh(ctx)
	}
	return c, err
}

func (w *World) commit(ctx context.Context, message string) (Commit, error) {
	if w.readOnly {
		return Commit{}, fmt.Errorf("world: %s: %w", w.name, ErrReadOnly)
	}
	w.mu.Lock()
	if w.closed || w.dirty.empty() {
		defer w.mu.Unlock()
		if w.closed {
			return Commit{}, fmt.Errorf("world: %s: %w", w.name, ErrClosed)
		}
		return w.lastCommit(ctx)
	}
	s, base := w.now.Load(), w.head
	w.saved, w.dirty = w.dirty, new(dirty)
	w.mu.Unlock()

	c, st, err := w.save(ctx, s, base, message)
	w.mu.Lock()
	defer w.mu.Unlock()
	saved := w.saved
	w.saved = nil
	if err != nil {
		w.dirty.add(saved)
		return Commit{}, err
	}
	w.accept(c, st, saved)
	return c, nil
}

// lastCommit returns the head's commit, the zero one if there is none. It needs
// mu.
func (w *World) lastCommit(ctx context.Context) (Commit, error) {
	if w.last.Number == 0 && w.head.Commit != (ID{}) {
		log, err := w.store.Log(ctx, w.name, w.head.Commit, 1)
		if err != nil {
			return Commit{}, err
		}
		w.last = log[0]
	}
	return w.last, nil
}

// save writes what is dirty of s as a stone on base.
func (w *World) save(ctx context.Context, s *state, base Head, message string) (Commit, Stone, error) {
	written, err := s.sheet(w.saved).write(ctx, stone.Options{Effort: stone.Quick})
	if err != nil {
		return Commit{}, Stone{}, err
	}
	c := Commit{Parent: base.Commit, Base: base.Commit, Author: w.o.Author, Message: message,
		Stones: []StoneRef{{written.ID, int64(len(written.Data))}}}
	c, err = w.store.Commit(ctx, w.name, base, c, written)
	return c, written, err
}

// accept makes c the head that the world knows, its stone the top of the pile.
// What it wrote is dropped where nothing keeps it in memory. It needs mu.
func (w *World) accept(c Commit, written Stone, saved *dirty) {
	r, err := stone.Open(bytes.NewReader(written.Data), int64(len(written.Data)))
	if err != nil {
		panic("world: a stone just written cannot be read: " + err.Error())
	}
	id := c.ID()
	b := w.pile.book(written.ID)
	if b == nil {
		b = &book{Opened: &Opened{Reader: r, Closer: io.NopCloser(nil)}, tables: make(map[volumeName][]voxel.Cell)}
		b.learn(w.now.Load())
	}
	b.users.Add(1)
	w.pile = append(slices.Clip(w.pile), layer{Layer{Stone: c.Stones[0], After: c.Base, Upto: id}, b})
	w.head.Commit, w.last = id, c
	w.dropSaved(saved)
}

// learn makes the tables of a stone whose names s has.
func (b *book) learn(s *state) {
	for _, d := range b.Dimensions() {
		for i := range d.Volumes {
			v := &d.Volumes[i]
			if v.Schema != voxel.Palette {
				continue
			}
			if _, table, _ := s.names(d.Name, v).translation(v.Names); table != nil {
				b.tables[volumeName{d.Name, v.Volume.Name}] = table
			}
		}
	}
	b.known = true
}

// sheet returns what a stone must say to bring what is below it to s.
func (s *state) sheet(changed *dirty) *sheet {
	out := &sheet{properties: s.properties}
	for _, d := range s.dimensions {
		sd := sheetDimension{name: d.name, folder: d.folder, columns: d.said(changed.columns[d.name])}
		for _, v := range d.volumes {
			chunks := changed.chunks[volumeName{d.name, v.Name}]
			if changed.all || len(chunks) > 0 {
				sd.volumes = append(sd.volumes, sheetVolume{Volume: v.Volume, names: v.names.list, chunks: v.placed(chunks)})
			}
		}
		if changed.all || len(sd.volumes) > 0 || len(changed.columns[d.name]) > 0 {
			out.dimensions = append(out.dimensions, sd)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(changed.files)) {
		f := sheetFile{path: path}
		if i, ok := slices.BinarySearchFunc(s.files, path, comparePaths); ok {
			data := s.files[i].data
			f.size = int64(len(data))
			f.open = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
		}
		out.files = append(out.files, f)
	}
	return out
}

// placed yields the chunks at positions as they are now.
func (v *volume) placed(at map[geom.ChunkPos]bool) iter.Seq2[stone.Placed, error] {
	order := slices.SortedFunc(maps.Keys(at), byCode)
	return func(yield func(stone.Placed, error) bool) {
		for _, pos := range order {
			c, ok := v.cells.Chunk(pos)
			if !ok {
				panic(fmt.Sprintf("world: chunk %v of %q was changed and dropped", pos, v.Name))
			}
			if !yield(stone.Placed{Pos: pos, Chunk: c}, nil) {
				return
			}
		}
	}
}

func byCode(a, b geom.ChunkPos) int { return geom.CodeOf(a, 0).Compare(geom.CodeOf(b, 0)) }

// said yields what changed of columns as it is now.
func (d *dimension) said(changed map[geom.ColumnPos]parts) iter.Seq2[said, error] {
	return func(yield func(said, error) bool) {
		for _, pos := range slices.SortedFunc(maps.Keys(changed), geom.ColumnPos.Compare) {
			if !yield(d.say(pos, changed[pos]), nil) {
				return
			}
		}
	}
}

func (d *dimension) say(pos geom.ColumnPos, p parts) said {
	c := d.columns.at(pos)
	if c == nil {
		return said{pos: pos, gone: true}
	}
	s := said{pos: pos}
	if p.column {
		alone := *c
		alone.Lists = nil
		s.column = &alone
	}
	for _, name := range slices.Sorted(maps.Keys(p.lists)) {
		s.lists = append(s.lists, voxel.List{Name: name, Objects: objectsOf(c, name)})
	}
	return s
}
