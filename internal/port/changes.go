package port

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/cairnvoxel/cairn/internal/diff"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// Seen is what an import remembers of a folder that a game goes on writing: the headers of its
// region files, and the commit that they became.
type Seen struct {
	Head    history.ID
	Headers *anvil.Headers
	Now     time.Time // when the folder is read, by which it is remembered
}

// ErrStale says that the world's newest version is not the one that the folder was compared with. Read the
// folder again, all of it.
var ErrStale = errors.New("the world is not what the folder was compared with")

// Since makes Parts leave out the columns of a folder that are as they were when it became a version. Import then
// puts the rest over that version; it fails with ErrStale if that is not the newest. It does nothing for
// worlds in other formats.
func (s *Opened) Since(seen Seen) {
	if w, ok := s.leaf.(*anvil.Folder); ok {
		s.seen = seen.Head
		w.Since(seen.Headers, seen.Now.Unix())
	}
}

// Headers returns what to remember of the folder that Parts read; nil if the world is no folder of a game.
func (s *Opened) Headers() *anvil.Headers {
	if w, ok := s.leaf.(*anvil.Folder); ok && !w.Partial() {
		return w.Headers()
	}
	return nil
}

// Columns returns how many columns of a folder of a game Parts did not leave out.
func (s *Opened) Columns() int {
	if w, ok := s.leaf.(*anvil.Folder); ok {
		return w.Stats().Columns
	}
	return 0
}

// Unchanged returns how many columns Parts left out, and whether it left out any that it could.
func (s *Opened) Unchanged() (n int, ok bool) {
	if w, is := s.leaf.(*anvil.Folder); is {
		_, ok = w.Changed()
		n = w.Stats().Unchanged
	}
	return n, ok
}

// torn returns what Parts could not read whole of a folder that a game is writing.
func (s *Opened) torn() (t anvil.Torn) {
	if w, ok := s.leaf.(*anvil.Folder); ok {
		t = w.Torn()
	}
	return t
}

// Untouched reports whether Parts left out everything: all columns and files are as Since says.
func (s *Opened) Untouched() bool {
	w, ok := s.leaf.(*anvil.Folder)
	return ok && w.Untouched()
}

// everywhere returns the columns of two worlds that are not torn.
func everywhere(ctx context.Context, torn map[string]map[geom.ColumnPos]bool, worlds ...stone.Content) (map[string]map[geom.ColumnPos]bool, error) {
	all := map[string]map[geom.ColumnPos]bool{}
	for _, w := range worlds {
		for _, d := range w.About().Dimensions {
			if all[d.Name] == nil {
				all[d.Name] = map[geom.ColumnPos]bool{}
			}
			for c, err := range w.ReadColumns(ctx, d.Name) {
				if err != nil {
					return nil, err
				}
				if !torn[d.Name][c.Pos] {
					all[d.Name][c.Pos] = true
				}
			}
		}
	}
	return all, nil
}

// importChanges makes a world's newest version what a folder is of which c has the columns that changed, or
// those that are not torn.
func (s *Opened) importChanges(ctx context.Context, st history.Store, name string, c stone.Content, n Note) (done Imported, err error) {
	head, err := st.Head(ctx, name)
	if err != nil || head.Commit != s.seen {
		return done, errors.Join(ErrStale, err)
	}
	if err := n.check(name, head.Commit); err != nil {
		return done, err
	}
	w, err := world.Open(ctx, st, name, world.Options{Author: n.Author, Time: n.Time, Fence: n.Fence, Cache: n.Cache})
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	base, err := w.Snapshot()
	if err != nil {
		return done, err
	}
	defer base.Close()
	if base.ID() != s.seen {
		return done, ErrStale
	}
	folder := s.leaf.(*anvil.Folder)
	changed, ok := folder.Changed()
	if !ok {
		changed, err = everywhere(ctx, folder.Torn().Columns, base, c)
	}
	var over *changes
	if err == nil {
		over, err = changesOf(ctx, base, c, changed)
	}
	if err != nil {
		return done, &SourceError{err}
	}
	over.keep(base, folder)
	done, err = over.commit(ctx, w, n)
	if errors.Is(err, history.ErrConflict) {
		err = errors.Join(ErrStale, err)
	}
	return done, err
}

// commit makes a commit of the changes to w, whose head is base.
func (c *changes) commit(ctx context.Context, w *world.World, n Note) (done Imported, err error) {
	if err := fits(w.View(), c.about.Dimensions); err != nil {
		return done, &SourceError{err}
	}
	if _, err = w.Replace(ctx, c); err == nil {
		done.Commit, err = w.Commit(ctx, n.Message)
	}
	done.Same = done.Commit.ID() == c.base.ID()
	for _, ref := range done.Commit.Stones {
		if !done.Same {
			done.Stone.ID, done.Stone.Size = ref.ID, done.Stone.Size+ref.Size
		}
	}
	return done, err
}

// Over returns a world whose columns at some positions are those of part, and which is base elsewhere. It says
// to World.Replace where it may differ from base.
func Over(ctx context.Context, base *world.Snapshot, part stone.Content, at map[string]map[geom.ColumnPos]bool) (stone.Content, error) {
	c, err := changesOf(ctx, base, part, at)
	if err != nil {
		return nil, err
	}
	return c, nil
}

func changesOf(ctx context.Context, base *world.Snapshot, part stone.Content, at map[string]map[geom.ColumnPos]bool) (*changes, error) {
	c := &changes{Content: sameFiles{part, base}, base: base, at: at, about: part.About(), tables: map[volumeIn][]voxel.Cell{}}
	columns, err := storedColumns(ctx, part)
	if err != nil {
		return nil, err
	}
	c.columns = columns
	have := base.About()
	for i, d := range c.about.Dimensions {
		d.Volumes = slices.Clone(d.Volumes)
		c.about.Dimensions[i].Volumes = d.Volumes
		for j, v := range d.Volumes {
			u := volumeOf(have, d.Name, v.Volume.Name)
			if u == nil || v.Schema != voxel.Palette {
				continue
			}
			names, _, table, err := diff.Names(u.Names, v.Names)
			if err != nil {
				return nil, fmt.Errorf("port: volume %q of %s: %w: %w", v.Volume.Name, d.Name, err, ErrHolds)
			}
			d.Volumes[j].Names, c.tables[volumeIn{d.Name, v.Volume.Name}] = names, table
		}
	}
	return c, nil
}

func volumeOf(about stone.About, dim, vol string) *stone.VolumeInfo {
	for _, d := range about.Dimensions {
		for i := range d.Volumes {
			if d.Name == dim && d.Volumes[i].Volume.Name == vol {
				return &d.Volumes[i]
			}
		}
	}
	return nil
}

// storedColumns returns the columns of a world as a stone gives them back, in which they are compared.
func storedColumns(ctx context.Context, c stone.Content) (*stone.Reader, error) {
	var out bytes.Buffer
	w := stone.NewWriter(&out, stone.Options{Effort: stone.Quick})
	for _, d := range c.About().Dimensions {
		w.Dimension(d.Name, "")
		for column, err := range c.ReadColumns(ctx, d.Name) {
			if err == nil {
				err = w.Column(column)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	if _, _, err := w.Close(); err != nil {
		return nil, err
	}
	return stone.Open(bytes.NewReader(out.Bytes()), int64(out.Len()))
}

// volumeIn names a volume.
type volumeIn struct{ dim, name string }

// changes is what Over returns. The Content is the part.
type changes struct {
	stone.Content
	base    *world.Snapshot
	about   stone.About
	at      map[string]map[geom.ColumnPos]bool
	columns *stone.Reader
	tables  map[volumeIn][]voxel.Cell // cells of the world by those of the part
	same    map[string]bool           // files of the part that are as base has them
}

// keep says which files are as base has them: those that have not changed, and those that are torn, of which the part
// has nothing.
func (c *changes) keep(base *world.Snapshot, folder *anvil.Folder) {
	torn := folder.Torn().Files
	c.same = maps.Clone(folder.SameFiles())
	for _, f := range base.About().Files {
		if torn[f.Path] {
			c.about.Files = append(c.about.Files, f)
			c.same[f.Path] = true
		}
	}
}

// SameFile says to World.Replace that a file is as it is there.
func (c *changes) SameFile(path string) bool { return c.same[path] }

func (c *changes) About() stone.About { return c.about }

// Changed returns the columns of a dimension that may differ from the version below.
func (c *changes) Changed(dim string) map[geom.ColumnPos]bool { return c.at[dim] }

func (c *changes) ReadColumns(ctx context.Context, dim string) iter.Seq2[*voxel.Column, error] {
	return c.columns.ReadColumns(ctx, dim)
}

// ReadChunks reads chunks of which each is over a changed column. Their cells over other columns are those of base.
func (c *changes) ReadChunks(ctx context.Context, dim, vol string, level int, want []geom.ChunkPos, f func(geom.ChunkPos, *voxel.Chunk) error) error {
	v := volumeOf(c.about, dim, vol)
	if v == nil || level != 0 {
		return nil
	}
	table := c.tables[volumeIn{dim, vol}]
	over := make(map[geom.ChunkPos]*voxel.Chunk, len(want))
	err := c.Content.ReadChunks(ctx, dim, vol, 0, want, func(pos geom.ChunkPos, chunk *voxel.Chunk) error {
		if chunk != nil && table != nil {
			chunk = chunk.Translate(table)
		}
		over[pos] = chunk
		return nil
	})
	if err != nil {
		return err
	}
	below := make(map[geom.ChunkPos]*voxel.Chunk, len(want))
	if u := volumeOf(c.base.About(), dim, vol); u != nil {
		err = c.base.ReadChunks(ctx, dim, vol, 0, want, func(pos geom.ChunkPos, chunk *voxel.Chunk) error {
			below[pos] = chunk
			return nil
		})
	}
	if err != nil {
		return err
	}
	var m merger
	for _, pos := range want {
		if err := f(pos, m.merge(below[pos].Or(v.Default), over[pos].Or(v.Default), pos, max(1, v.Scale), c.at[dim])); err != nil {
			return err
		}
	}
	return nil
}

// merger is room to merge chunks in.
type merger struct {
	below, over [voxel.ChunkCells]voxel.Cell
	build       voxel.ChunkBuilder
}

// merge returns a chunk with the cells of over above the columns of at, and else those of below.
func (m *merger) merge(below, over *voxel.Chunk, pos geom.ChunkPos, scale int, at map[geom.ColumnPos]bool) *voxel.Chunk {
	if below.Equal(over) {
		return below
	}
	edge := geom.ColumnEdge / scale // of a column in cells
	across := geom.ChunkEdge / edge // columns
	below.Flat(&m.below)
	over.Flat(&m.over)
	for i := range across * across {
		x, z := i%across, i/across
		if !at[geom.ColumnPos{X: pos.X*int32(across) + int32(x), Z: pos.Z*int32(across) + int32(z)}] {
			continue
		}
		for y := range geom.ChunkEdge {
			for dz := range edge {
				first := (y*geom.ChunkEdge+z*edge+dz)*geom.ChunkEdge + x*edge
				copy(m.below[first:first+edge], m.over[first:first+edge])
			}
		}
	}
	return m.build.FromFlat(&m.below)
}

// sameFiles is a world whose files are those of another where they differ in nothing but how they are packed, and are
// packed without being compressed where they differ: so a version of them is kept as what changed.
type sameFiles struct {
	stone.Content
	base stone.Content
}

// OpenFile returns the file of base if both are NBT with the same tags in the same order, and the tags of a file that was NBT.
func (s sameFiles) OpenFile(path string) (io.ReadCloser, error) {
	r, err := s.Content.OpenFile(path)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(r, format.MaxFile+1))
	if err = errors.Join(err, r.Close()); err != nil {
		return nil, err
	}
	if tags := tagsIn(data); tags != nil {
		if have, err := s.base.OpenFile(path); err == nil {
			was, err := io.ReadAll(io.LimitReader(have, format.MaxFile+1))
			if err = errors.Join(err, have.Close()); err == nil && !bytes.Equal(was, data) {
				switch old := tagsIn(was); {
				case bytes.Equal(old, tags):
					data = was
				case old != nil:
					data = stored(tags)
				}
			}
		}
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

// stored packs tags without compressing them. A stone compresses them, or has what changed of them.
func stored(tags []byte) []byte {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.NoCompression)
	if err == nil {
		_, err = w.Write(tags)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		panic("port: gzip into memory: " + err.Error())
	}
	return out.Bytes()
}

// compound is the first byte of a file of NBT, unpacked.
const compound = 10

// tagsIn returns the tags of a file of NBT that is packed by gzip, nil of any other file.
func tagsIn(data []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	tags, err := io.ReadAll(io.LimitReader(r, format.MaxFile+1))
	if err != nil || len(tags) > format.MaxFile || len(tags) == 0 || tags[0] != compound {
		return nil
	}
	return tags
}
