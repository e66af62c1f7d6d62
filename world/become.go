package world

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
)

// Import makes a world, or replaces all of one, by a stone with a whole world: a
// commit that stands on nothing, made under Options.Fence.
func Import(ctx context.Context, st history.Store, name string, whole history.Stone, o Options, message string) (history.Commit, error) {
	head, err := st.Head(ctx, name)
	made := errors.Is(err, history.ErrNoWorld)
	if made {
		err = st.Create(ctx, name)
	}
	if err != nil {
		return history.Commit{}, err
	}
	head.Fence = o.Fence
	c := history.Commit{Parent: head.Commit, Author: o.Author, Message: message, Stones: []history.StoneRef{whole.Ref()}}
	c, err = st.Commit(ctx, name, head, c, whole)
	if err != nil && made {
		err = errors.Join(err, st.Delete(context.WithoutCancel(ctx), name, 0))
	}
	return c, err
}

// Become makes the world what a stone with a whole world says, and returns what
// that changed; Commit makes it durable. Dimensions and volumes that the stone
// lacks stay, empty; those of one name must be alike. It needs memory for both
// worlds, and reads while Updates wait.
func (w *World) Become(ctx context.Context, r *stone.Reader) (*Change, error) {
	for _, d := range w.View().Dimensions() {
		h, err := w.Load(ctx, d.Name(), Everywhere)
		if err != nil {
			return nil, err
		}
		defer h.Release()
	}
	from := openStack{{openStone: newOpenStone(&history.Opened{Reader: r, Closer: io.NopCloser(nil)})}}
	return w.Update(func(tx *Tx) error {
		s, err := from.index(w.o.Empty, tx.s)
		if err != nil {
			return err
		}
		tx.exact = true
		if !slices.Equal(tx.s.properties, s.properties) {
			tx.s.properties = s.properties
			tx.dirty.all = true
		}
		for _, d := range union(tx.s, s) {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := tx.becomeDimension(ctx, from, d, s.dimension(d.name) >= 0); err != nil {
				return err
			}
		}
		return tx.becomeFiles(w, from, s)
	})
}

func (tx *Tx) becomeDimension(ctx context.Context, from openStack, d *dimension, there bool) error {
	names := make(map[string][]string)
	var volumes []voxel.Volume
	for _, v := range d.volumes {
		volumes = append(volumes, v.Volume)
		names[v.Name] = v.names.list
	}
	to := tx.AddDimension(d.name, volumes, names)
	if there && to.d.folder != d.folder {
		to.d.folder = d.folder
		tx.dirty.all = true
	}
	for _, v := range d.volumes {
		if err := to.Volume(v.Name).become(ctx, from, d.name, v); err != nil {
			return err
		}
	}
	gone := make(map[geom.ColumnPos]bool)
	for pos := range to.d.columns.all() {
		gone[pos] = true
	}
	for _, pos := range from.columns(d.name) {
		delete(gone, pos)
		c, err := from.column(ctx, d.name, d.lists, pos)
		if err != nil {
			return err
		}
		if !equalColumns(to.Column(pos), c) {
			to.SetColumn(*c)
		}
	}
	for pos := range gone {
		to.RemoveColumn(pos)
	}
	return nil
}

// become makes the volume what from says, in the names of as, which has all of
// the volume's own.
func (v *VolumeTx) become(ctx context.Context, from openStack, dim string, as *volume) error {
	v.v.names = as.names
	name := volumeName{dim, v.Name}
	positions := from.positions(name)
	there := make(map[geom.ChunkPos]bool, len(positions))
	for some := range slices.Chunk(positions, batch) {
		err := from.chunks(ctx, name, some, func(pos geom.ChunkPos, c *voxel.Chunk) {
			there[pos] = true
			v.SetChunk(pos, c)
		})
		if err != nil {
			return err
		}
	}
	for pos := range v.v.cells.Chunks() {
		if !there[pos] {
			v.SetChunk(pos, nil)
		}
	}
	return nil
}

func (tx *Tx) becomeFiles(w *World, from openStack, s *state) error {
	for _, f := range tx.s.files {
		if _, ok := slices.BinarySearchFunc(s.files, f.Path, comparePaths); !ok {
			tx.SetFile(f.Path, nil)
		}
	}
	for _, f := range s.files {
		data, err := from.file(f.Path)
		if err != nil {
			return err
		}
		have, err := w.readFile(f.Path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err != nil || !bytes.Equal(have, data) {
			tx.SetFile(f.Path, data)
		}
	}
	return nil
}

func (w *World) readFile(path string) ([]byte, error) {
	r, err := w.OpenFile(path)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(r)
	return data, errors.Join(err, r.Close())
}
