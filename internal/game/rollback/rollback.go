// Package rollback makes a part of a stopped game's folder what it was in a version of its world.
//
// Cells, biomes and objects of a region come from the version. What lies beside the region stays, also in the same chunk.
// A chunk that lies in the region at all heights is taken whole, with its light and all its tags.
package rollback

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"slices"
	"strconv"

	"github.com/cairnvoxel/cairn/game/edit"
	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/diff"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/relight"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// Options of Region.
type Options struct {
	Dimension string        // "": the first of the version
	Region    region.Region // not nil
	Dry       bool          // write nothing
	Read      port.Options  // how both worlds are read
	// Newest is the newest version of the world, to say whether it has what is replaced; nil: nobody asks.
	Newest stone.Content
}

// Done says what Region replaced.
type Done struct {
	Dimension string
	Chunks    int // written, with their entities and points of interest
	Added     int // of these: the folder did not have them, and the version has
	Removed   int // of these: the folder had them, and the version does not
	// Left counts chunks that stay, since the version does not have them and only a part of them lies in the region.
	Left    int
	Cells   int // of blocks and biomes, that differed
	Objects int // entities, block entities and ticks, that differed
	// Kept says that the newest version has all that was replaced.
	Kept bool
}

// rollback is one Region.
type rollback struct {
	o    Options
	st   history.Store // in memory, of both worlds
	dim  string
	was  map[geom.ColumnPos]bool    // columns of the folder
	then map[geom.ColumnPos]heights // those of the version
	// wholly lists the columns that are the version's afterwards, or removed; the others are merged.
	wholly map[geom.ColumnPos]bool
	wrong  error
	newest int32 // the data version of the folder's level.dat, or of a newer chunk; 0 if that is not known
	done   Done
}

// heights are where a column has blocks, and its data version.
type heights struct {
	low, high int // cells low <= y < high; equal if there are none
	version   int32
}

// or returns the heights of both.
func (h heights) or(o heights) heights {
	switch {
	case h.low == h.high:
		h.low, h.high = o.low, o.high
	case o.low != o.high:
		h.low, h.high = min(h.low, o.low), max(h.high, o.high)
	}
	return h
}

func heightsOf(c *voxel.Column) heights {
	h := heights{version: c.Version}
	for _, s := range c.Sections {
		if s.Has&^(voxel.HasSky|voxel.HasLight) == 0 {
			continue
		}
		h = h.or(heights{low: int(s.Y) * 16, high: int(s.Y)*16 + 16})
	}
	return h
}

// holds reports whether a column is more than a time stamp.
func holds(c *format.Column) bool {
	return len(c.Sections) > 0 || len(c.Lists) > 0 || slices.ContainsFunc(c.Parts, func(p voxel.Part) bool { return len(p.Data) > 0 })
}

// Names of the worlds in the store in memory.
const (
	folderName  = "folder"
	versionName = "version"
)

// Region makes what a region has in a folder what it is in a version. The chunks of both must be of one data version. If
// something fails, or ctx ends, before the first header of a region file is written, the folder stays as it was.
func Region(ctx context.Context, folder *anvil.Folder, version stone.Content, o Options) (_ *Done, err error) {
	if folder.Partial() {
		return nil, fmt.Errorf("rollback: no level.dat is in the folder: give that of the whole world: %w", anvil.ErrNoWorld)
	}
	if err := folder.Hold(o.Dry); err != nil {
		return nil, err
	}
	r := &rollback{o: o, st: memory.New(memory.Options{}), was: map[geom.ColumnPos]bool{}, then: map[geom.ColumnPos]heights{}, wholly: map[geom.ColumnPos]bool{}}
	defer func() {
		if c, ok := r.st.(interface{ Close() error }); ok {
			err = errors.Join(err, c.Close())
		}
	}()
	part, through, err := port.Touching(version, o.Dimension, o.Region)
	if err != nil {
		return nil, err
	}
	about := part.About().Dimensions[0]
	r.dim, r.done.Dimension = about.Name, about.Name
	v, _ := strconv.Atoi(folder.Head().Properties["data_version"])
	r.newest = int32(v)
	if err := r.load(ctx, versionName, port.FromSource(convert.Source(part), o.Read), through, r.ofVersion); err != nil {
		return nil, err
	}
	folder.Only(about.Name, about.Folder, func(b geom.Box) bool { return region.CoverOf(o.Region, b) != 0 })
	if err := r.load(ctx, folderName, port.FromSource(unclosed{folder}, o.Read), nil, r.ofFolder); err != nil {
		return nil, err
	}
	for _, pos := range slices.SortedFunc(maps.Keys(r.then), geom.ColumnPos.Compare) {
		if r.was[pos] {
			continue
		}
		r.wholly[pos] = true
		if v := r.then[pos].version; r.newest > 0 && v > r.newest {
			r.differ(pos, r.newest, v)
		}
	}
	if r.wrong != nil {
		return nil, r.wrong
	}
	if err := r.keep(ctx); err != nil {
		return nil, err
	}
	was, now, err := r.merge(ctx)
	if err != nil {
		return nil, err
	}
	defer was.Close()
	defer now.Close()
	d, err := diff.Worlds(ctx, was, now, diff.Options{})
	if err != nil || d.Same() { // then chunks whose cells have other numbers stay as they are
		return &r.done, err
	}
	r.done.Cells, r.done.Objects = d.Volumes[voxel.Block]+d.Volumes[voxel.Biome], d.Objects
	return &r.done, r.write(ctx, folder, was, now)
}

// unclosed is a folder that another closes.
type unclosed struct{ *anvil.Folder }

// Close does nothing.
func (unclosed) Close() error { return nil }

// load makes the columns of a world that are taken a world in memory.
func (r *rollback) load(ctx context.Context, name string, src *port.Opened, through port.Through, takes func(*format.Column) bool) error {
	defer src.Close()
	c, err := src.Parts(ctx, func(to format.Sink) format.Sink {
		to = &convert.Filter{Sink: to, Hold: func(*format.Dimension) func(*format.Column) bool { return takes }, Keep: func(string) bool { return false }}
		if through != nil {
			to = through(to)
		}
		return to
	})
	var damage *format.DamageError
	if errors.As(err, &damage) && name == folderName {
		err = r.damaged(damage)
	}
	if err = errors.Join(r.wrong, err); err != nil {
		return err
	}
	_, err = src.Import(ctx, func(context.Context) (history.Store, error) { return r.st, nil }, name, c, port.ImportOptions{})
	return err
}

// damaged returns the error of chunks that cannot be read, unless the version has all of them and replaces them.
func (r *rollback) damaged(err *format.DamageError) error {
	for _, d := range err.Columns {
		if h, ok := r.then[d.Pos]; !ok || !r.whole(d.Pos, h) || r.was[d.Pos] {
			return fmt.Errorf("rollback: a region that holds all of a damaged chunk replaces it, by one of the version: %w", err)
		}
	}
	return nil
}

func (r *rollback) ofVersion(c *format.Column) bool {
	if !holds(c) {
		return false
	}
	r.then[c.Pos] = heightsOf(&c.Column)
	return true
}

func (r *rollback) ofFolder(c *format.Column) bool {
	if !holds(c) {
		return false
	}
	h, there := r.then[c.Pos]
	is := heightsOf(&c.Column)
	whole := r.whole(c.Pos, h.or(is))
	switch {
	case !there && !whole:
		r.done.Left++
		return false
	case there && h.version != is.version:
		r.differ(c.Pos, is.version, h.version)
	}
	if r.newest > 0 {
		r.newest = max(r.newest, is.version)
	}
	r.was[c.Pos] = true
	if !there || whole {
		r.wholly[c.Pos] = true
	}
	return true
}

func (r *rollback) differ(pos geom.ColumnPos, folder, version int32) {
	if r.wrong == nil {
		r.wrong = fmt.Errorf("rollback: chunk %v: the folder is of data version %d, the version of %d: cairn does not convert chunks", pos, folder, version)
	}
}

// whole reports whether a column lies in the region at all heights at which it has blocks.
func (r *rollback) whole(pos geom.ColumnPos, h heights) bool {
	foot, bounds := format.ColumnBox(pos), r.o.Region.Bounds()
	if foot.Min.Y, foot.Max.Y = h.low, h.high; h.low == h.high {
		foot.Min.Y, foot.Max.Y = bounds.Min.Y, bounds.Max.Y
	}
	return region.CoverOf(r.o.Region, foot) == region.Whole
}

// keep finds out whether the newest version has what the folder has.
func (r *rollback) keep(ctx context.Context) error {
	if r.o.Newest == nil || len(r.was) == 0 {
		r.done.Kept = len(r.was) == 0
		return nil
	}
	part, through, err := port.Touching(r.o.Newest, r.dim, r.o.Region)
	if err != nil {
		return nil // it has no such dimension
	}
	src := port.FromSource(convert.Source(part), r.o.Read)
	defer src.Close()
	head, err := src.Parts(ctx, func(to format.Sink) format.Sink {
		takes := func(c *format.Column) bool { return r.was[c.Pos] }
		return through(&convert.Filter{Sink: to, Hold: func(*format.Dimension) func(*format.Column) bool { return takes }, Keep: func(string) bool { return false }})
	})
	if err != nil {
		return err
	}
	is, err := r.open(ctx, folderName)
	if err != nil {
		return err
	}
	defer is.Close()
	d, err := diff.Worlds(ctx, head, is, diff.Options{})
	r.done.Kept = err == nil && d.Cells+d.Objects+d.Columns == 0
	return err
}

// open opens the newest version of a world in memory.
func (r *rollback) open(ctx context.Context, name string) (*world.Snapshot, error) {
	head, err := r.st.Head(ctx, name)
	if err != nil {
		return nil, err
	}
	return world.OpenSnapshot(ctx, r.st, name, head.Commit, world.Options{})
}

// merge makes the folder's world in memory what is to be written. It returns it before and after.
func (r *rollback) merge(ctx context.Context) (was, now *world.Snapshot, err error) {
	if was, err = r.open(ctx, folderName); err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			was.Close()
		}
	}()
	then, err := r.open(ctx, versionName)
	if err != nil {
		return nil, nil, err
	}
	defer then.Close()
	w, err := world.Open(ctx, r.st, folderName, world.Options{})
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	over, err := port.Over(ctx, was, some{then, r.wholly}, map[string]map[geom.ColumnPos]bool{r.dim: r.wholly})
	if err == nil {
		_, err = w.Replace(ctx, over)
	}
	merged := false
	for pos := range r.was {
		merged = merged || !r.wholly[pos]
	}
	if err == nil && merged {
		_, err = edit.Do(ctx, &edit.Arena{World: w, Dimension: r.dim}, &edit.Restore{Snapshot: then, Region: r.o.Region, Biomes: true, Objects: true})
	}
	if err != nil {
		return nil, nil, err
	}
	if _, err = w.Commit(ctx, ""); err == nil {
		err = r.stale(ctx, w, was)
	}
	if err == nil {
		now, err = r.open(ctx, folderName)
	}
	return was, now, err
}

// some is a world with some of its columns.
type some struct {
	stone.Content
	at map[geom.ColumnPos]bool
}

// ReadColumns reads these columns.
func (s some) ReadColumns(ctx context.Context, dim string) iter.Seq2[*voxel.Column, error] {
	return func(yield func(*voxel.Column, error) bool) {
		for c, err := range s.Content.ReadColumns(ctx, dim) {
			if (err != nil || s.at[c.Pos]) && !yield(c, err) {
				return
			}
		}
	}
}

// around calls f with a column and those beside it.
func around(pos geom.ColumnPos, f func(geom.ColumnPos)) {
	for i := range int32(9) {
		f(geom.ColumnPos{X: pos.X + i%3 - 1, Z: pos.Z + i/3 - 1})
	}
}

// stale marks the light stale where blocks changed or may have changed beside. Only columns that came whole, and
// so did all beside them, keep the light of the version.
func (r *rollback) stale(ctx context.Context, w *world.World, was *world.Snapshot) error {
	now, err := r.open(ctx, folderName)
	if err != nil {
		return err
	}
	defer now.Close()
	near := map[geom.ColumnPos]bool{}
	for _, volume := range []string{voxel.Block, voxel.Sky, voxel.Light} {
		err = diff.Of(was, now).Chunks(ctx, r.dim, volume, func(c diff.Chunk) error {
			for _, t := range relight.Touched(0, []grid.Replaced{{Pos: c.Pos, Old: c.A, New: c.B}}) {
				near[t.Pos] = true
				if volume == voxel.Block {
					around(t.Pos, func(pos geom.ColumnPos) { near[pos] = true })
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for pos := range near {
		inner := true
		around(pos, func(beside geom.ColumnPos) {
			_, there := r.then[beside]
			absent := !there && !r.was[beside] && r.whole(beside, heights{}) // in both
			inner = inner && (r.wholly[beside] || absent)
		})
		if inner {
			delete(near, pos)
		}
	}
	for pos := range near {
		held, err := w.Load(ctx, r.dim, format.ColumnBox(pos), world.Columns)
		if err != nil {
			return err
		}
		_, err = w.Update(func(tx *world.Tx) error {
			if c := tx.Dimension(r.dim).Column(pos); c != nil {
				dark := *c
				dark.Stale = voxel.HasSky | voxel.HasLight
				tx.Dimension(r.dim).SetColumn(dark)
			}
			return nil
		})
		held.Release()
		if err != nil {
			return err
		}
	}
	_, err = w.Commit(ctx, "")
	return err
}

// write writes what differs into the folder, by way of a folder with the chunks as they are to be.
func (r *rollback) write(ctx context.Context, folder *anvil.Folder, was, now *world.Snapshot) (err error) {
	dir, err := os.MkdirTemp("", ".cairn-*.tmp")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	out, err := anvil.Create(dir, anvil.FolderOptions{})
	if err != nil {
		return err
	}
	err = convert.Source(now).Read(ctx, &convert.Filter{Sink: inRoot{out}, Hold: func(*format.Dimension) func(*format.Column) bool {
		return func(c *format.Column) bool {
			_, there := r.then[c.Pos]
			return there || r.was[c.Pos]
		}
	}})
	if err == nil {
		err = out.Close()
	} else {
		err = errors.Join(err, out.Abort())
	}
	if err != nil {
		return err
	}
	var at []geom.ColumnPos
	for pos := range r.was {
		at = append(at, pos)
	}
	for pos := range r.then {
		if !r.was[pos] {
			at = append(at, pos)
		}
	}
	slices.SortFunc(at, geom.ColumnPos.Compare)
	changed, err := folder.Splice(ctx, r.dim, os.DirFS(dir), at, anvil.SpliceOptions{Dry: r.o.Dry})
	for _, pos := range changed {
		r.done.Chunks++
		if _, there := r.then[pos]; !there {
			r.done.Removed++
		} else if !r.was[pos] {
			r.done.Added++
		}
	}
	return err
}

// FileDone says what File replaced.
type FileDone struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
	Was   int64  `json:"was"`  // bytes; -1: there was none
	Same  bool   `json:"same"` // it was so already
	Kept  bool   `json:"kept"` // the newest version has what was replaced, or nothing was
}

// File makes a file of a folder what it is in a version. newest may be nil.
func File(folder *anvil.Folder, version, newest stone.Content, path string, dry bool) (*FileDone, error) {
	data, err := readFile(version, path)
	if err != nil {
		return nil, err
	}
	was, same, err := folder.PutFile(path, data, dry)
	if err != nil {
		return nil, err
	}
	done := &FileDone{Path: path, Bytes: int64(len(data)), Was: -1, Same: same, Kept: same || was == nil}
	if was != nil {
		done.Was = int64(len(was))
	}
	if !done.Kept && newest != nil {
		head, err := readFile(newest, path)
		done.Kept = err == nil && bytes.Equal(head, was)
	}
	return done, nil
}

func readFile(c stone.Content, path string) ([]byte, error) {
	r, err := c.OpenFile(path)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(r)
	return data, errors.Join(err, r.Close())
}

// inRoot is a folder that gets a dimension in its root.
type inRoot struct{ *anvil.FolderWriter }

// Dimension begins a dimension.
func (f inRoot) Dimension(d *format.Dimension) error {
	top := *d
	top.Folder = ""
	return f.FolderWriter.Dimension(&top)
}

// File leaves out a file.
func (inRoot) File(format.File) error { return nil }
