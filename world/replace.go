package world

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"reflect"
	"slices"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Replace makes the world what c is, and returns what that changed; Commit makes it
// durable. Dimensions and volumes that c lacks stay, empty; those of one name must be
// alike. It reads both while Updates wait, page by page; memory holds what differs. If c has a method
// Changed(dimension string) map[geom.ColumnPos]bool, only cells above these columns, these columns and
// files are compared: what c says of anything else does not count, and is not read. If it has a method
// SameFile(path string) bool, neither are the files of which that is true.
func (w *World) Replace(ctx context.Context, c stone.Content) (*Change, error) {
	return w.Update(func(tx *Tx) error {
		have, err := w.Snapshot() // now that no update can come between it and tx
		if err != nil {
			return err
		}
		defer have.Close()
		tx.exact = true
		r := replacing{ctx: ctx, tx: tx, have: have, c: c}
		return r.world(c.About())
	})
}

// replacing is one Replace.
type replacing struct {
	ctx  context.Context
	tx   *Tx
	have *Snapshot // what is not in memory
	c    stone.Content
}

// changed tells of a column whether c may differ from the world there.
func (r *replacing) changed(dim string) func(geom.ColumnPos) bool {
	c, ok := r.c.(interface {
		Changed(dimension string) map[geom.ColumnPos]bool
	})
	if !ok {
		return func(geom.ColumnPos) bool { return true }
	}
	at := c.Changed(dim)
	return func(pos geom.ColumnPos) bool { return at[pos] }
}

// over reports whether a chunk of a volume is above a column of which f is true.
func over(pos geom.ChunkPos, scale int, f func(geom.ColumnPos) bool) bool {
	across := int32(geom.ChunkEdge * max(1, scale) / geom.ColumnEdge)
	for i := range across * across {
		if f(geom.ColumnPos{X: pos.X*across + i%across, Z: pos.Z*across + i/across}) {
			return true
		}
	}
	return false
}

func (r *replacing) world(about stone.About) error {
	tx := r.tx
	if !slices.Equal(tx.s.properties, about.Properties) {
		tx.s.properties = about.Properties
		tx.dirty.all = true
	}
	there := make(map[string]stone.DimensionInfo)
	for _, d := range about.Dimensions {
		there[d.Name] = d
		if err := r.dimension(d, true); err != nil {
			return err
		}
	}
	for _, d := range r.tx.base.dimensions {
		if _, ok := there[d.name]; !ok {
			if err := r.dimension(stone.DimensionInfo{Name: d.name}, false); err != nil {
				return err
			}
		}
	}
	return r.files(about.Files)
}

// dimension makes a dimension what c says; all of it is to go unless it is there.
func (r *replacing) dimension(to stone.DimensionInfo, there bool) error {
	names := make(map[string][]string)
	var volumes []voxel.Volume
	for _, v := range to.Volumes {
		volumes = append(volumes, v.Volume)
		names[v.Volume.Name] = v.Names
	}
	d := r.tx.AddDimension(to.Name, volumes, names)
	if r.tx.err != nil {
		return r.tx.err
	}
	if there && d.d.folder != to.Folder {
		d.d.folder = to.Folder
		r.tx.dirty.all = true
	}
	for _, v := range d.d.volumes {
		i := slices.IndexFunc(to.Volumes, func(t stone.VolumeInfo) bool { return t.Volume.Name == v.Name })
		described := stone.VolumeInfo{Volume: v.Volume}
		if i >= 0 {
			described = to.Volumes[i]
		}
		if err := r.volume(d, d.Volume(v.Name), described); err != nil {
			return err
		}
	}
	return r.columns(d)
}

// volume makes the cells of a volume those of c, page by page.
func (r *replacing) volume(d *DimensionTx, v *VolumeTx, to stone.VolumeInfo) error {
	var table []voxel.Cell // what cells of c are here
	if v.Schema == voxel.Palette && len(to.Names) > 0 {
		list := slices.Clone(to.Names)
		for i, name := range list {
			if c, ok := v.v.names.cell(name); ok {
				list[i] = v.v.names.list[c] // air may have another name here
			}
		}
		more, t, err := v.v.names.translation(list)
		if err != nil {
			return err
		}
		v.v.names, table = more, t
	}
	name := volumeName{d.d.name, v.Name}
	var want []geom.ChunkPos
	changed := r.changed(name.dimension)
	for pos, holds := range r.c.Entries(name.dimension, name.volume, 0) {
		if holds && over(pos, v.Scale, changed) {
			want = append(want, pos)
		}
	}
	for pos := range v.v.cells.Chunks() {
		if over(pos, v.Scale, changed) {
			want = append(want, pos)
		}
	}
	slices.SortFunc(want, byCode)
	for some := range slices.Chunk(slices.Compact(want), batch) {
		if err := r.chunks(v, name, table, some); err != nil {
			return err
		}
	}
	return nil
}

// chunks makes chunks those of c.
func (r *replacing) chunks(v *VolumeTx, name volumeName, table []voxel.Cell, at []geom.ChunkPos) error {
	old := make(map[geom.ChunkPos]*voxel.Chunk, len(at))
	var ask []geom.ChunkPos
	for _, pos := range at {
		c, ok := v.v.cells.Chunk(pos)
		if old[pos] = c; !ok {
			ask = append(ask, pos)
		}
	}
	err := r.have.stack.chunks(r.ctx, name, ask, func(pos geom.ChunkPos, c *voxel.Chunk) error {
		old[pos] = c
		return nil
	})
	if err != nil {
		return err
	}
	now := make(map[geom.ChunkPos]*voxel.Chunk, len(at))
	err = r.c.ReadChunks(r.ctx, name.dimension, name.volume, 0, at, func(pos geom.ChunkPos, c *voxel.Chunk) error {
		if c != nil && table != nil {
			c = c.Translate(table)
		}
		now[pos] = c
		return r.ctx.Err()
	})
	if err != nil {
		return err
	}
	for _, pos := range at {
		if !old[pos].Or(v.Default).Equal(now[pos].Or(v.Default)) {
			r.tx.keep(name, pos, old[pos])
			v.SetChunk(pos, now[pos])
		}
	}
	return r.ctx.Err()
}

// keep notes what a chunk is in the stack.
func (tx *Tx) keep(name volumeName, pos geom.ChunkPos, was *voxel.Chunk) {
	if was == nil || tx.kept >= maxBases {
		return
	}
	tx.kept += was.Bytes()
	if tx.was == nil {
		tx.was = make(map[volumeName]map[geom.ChunkPos]*voxel.Chunk)
	}
	if tx.was[name] == nil {
		tx.was[name] = make(map[geom.ChunkPos]*voxel.Chunk)
	}
	tx.was[name][pos] = was
}

// columns makes the columns of a dimension those of c.
func (r *replacing) columns(d *DimensionTx) error {
	gone, changed := make(map[geom.ColumnPos]bool), r.changed(d.d.name)
	for pos := range d.d.columns.all() {
		if changed(pos) {
			gone[pos] = true
		}
	}
	for c, err := range r.c.ReadColumns(r.ctx, d.d.name) {
		if err = cmp.Or(err, r.ctx.Err()); err != nil {
			return err
		}
		delete(gone, c.Pos)
		old := d.d.columns.at(c.Pos)
		if old == unloaded {
			if old, err = r.have.ReadColumn(r.ctx, d.d.name, c.Pos); err != nil {
				return err
			}
		}
		to := *c
		to.Lists = withObjects(slices.Clone(c.Lists))
		if !equalColumns(old, &to) {
			r.tx.dirty.columnBase(d.d.name, c.Pos, old)
			d.SetColumn(to)
		}
	}
	for pos := range gone {
		d.RemoveColumn(pos)
	}
	return nil
}

// files makes the files of the world those of c.
func (r *replacing) files(files []stone.File) error {
	there := make(map[string]bool)
	same, _ := r.c.(interface{ SameFile(path string) bool })
	for _, f := range files {
		there[f.Path] = true
		if same != nil && same.SameFile(f.Path) {
			continue
		}
		data, err := readAll(r.c.OpenFile(f.Path))
		if err != nil {
			return err
		}
		have, err := r.file(f.Path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err != nil || !bytes.Equal(have, data) {
			r.tx.dirty.fileBase(f.Path, have)
			r.tx.SetFile(f.Path, data)
		}
	}
	for _, f := range r.tx.base.files {
		if !there[f.Path] {
			r.tx.SetFile(f.Path, nil)
		}
	}
	return nil
}

// file returns the bytes of a file as the world has it.
func (r *replacing) file(path string) ([]byte, error) {
	i, ok := slices.BinarySearchFunc(r.tx.base.files, path, comparePaths)
	switch {
	case !ok:
		return nil, fs.ErrNotExist
	case r.tx.base.files[i].data != nil:
		return r.tx.base.files[i].data, nil
	}
	return readAll(r.have.OpenFile(path))
}

func readAll(r io.ReadCloser, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(r)
	return data, errors.Join(err, r.Close())
}

func equalColumns(a, b *voxel.Column) bool { return reflect.DeepEqual(a, b) }
