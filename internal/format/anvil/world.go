// Package anvil reads and writes the world folders of Minecraft: Java Edition: in the Anvil format, in that of its
// predecessor McRegion, and with region files of package linear.
//
// A chunk becomes a column. The column's fields hold data version and position,
// sections, height maps, biomes, entities, block entities and ticks. All other tags
// stay, in order, in the part "chunk". Tags that are not exactly as the game writes
// them stay there too. So nothing is lost, and the Writer writes every tag back. The order of tags within a compound does
// not count, the order of lists does. An empty list stays a tag.
//
// Blocks with numeric ids are "legacy:ID/DATA", biomes with numeric ids
// "legacy:ID"; see package block for names, and for the escape that odd palette
// entries have. Files that belong to the world but are no region files come as
// they are.
//
// Sources: minecraft.wiki/w/Chunk_format and Region_file_format.
//
// The package never writes to the folder that it reads, does not upgrade
// chunks from one data version to another, does not compute light or height
// maps, and does not know what tags mean that it has no field for.
package anvil

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Options says how a world is read.
type Options = format.ReadOptions

// Stats counts what a Read has met.
type Stats struct {
	Columns int // handed on
	// Unchanged columns were left out, since they are as Folder.Since says.
	Unchanged int
	Chunks    int // read, without those of entities and points of interest
	// RawBytes are the tags of all that was read, StoredBytes its compressed
	// form without padding.
	RawBytes, StoredBytes int64
	// TrailingBytes follow the tags within chunks; they are dropped.
	TrailingBytes int64
	// KeptSections have blocks or biomes that the game could not have written;
	// they stay tags.
	KeptSections int
	// Beyond counts cells whose index is beyond the palette of their section. They
	// are read as air.
	Beyond  int
	Files   int // handed on
	Damaged []format.Damage
	Skipped []Skipped
	// Lost counts by name what region files in Linear's format have and a world has not.
	Lost map[string]int
}

// Skipped names a file that was not handed on.
type Skipped struct{ Path, Why string }

// Folder is an open world folder, a format.Source. It is used by one goroutine
// at a time.
type Folder struct {
	fsys  fs.FS
	close func() error
	o     Options
	head  format.Head
	dims  []*dimension
	files []file
	stats Stats
	skip  []Skipped // found by Open
	base  string    // the world's folder in the one that was given, "" for that
	notes []string

	known, headers *Headers // of the Read before, and of the last one
	changed        map[string]map[geom.ColumnPos]bool
	sameFiles      map[string]bool // of the last Read: those that are as they were
	torn           Torn
	now            int64 // of Since
	root           *os.Root
	holds          bool
	locks          []*os.File          // of Hold
	only           string              // the dimension of Only
	touches        func(geom.Box) bool // of Only; nil: everything is read
}

// Errors of Open.
var (
	// ErrInUse is wrapped where a running game holds the world's session.lock.
	ErrInUse = errors.New("a running game holds its session.lock")
	// ErrBedrock is wrapped where the folder is a world of Bedrock Edition.
	ErrBedrock = errors.New("a world of Bedrock Edition, not of Java Edition")
	// ErrNoWorld is wrapped where the folder holds neither level.dat nor region files.
	ErrNoWorld = fmt.Errorf("neither level.dat nor region files: %w", format.ErrNoWorld)
)

// Open opens the world in a folder. It fails while a game that runs on this
// machine has the world open, unless Options.Live is set.
func Open(dir string, o Options) (*Folder, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("anvil: open: %w", err)
	}
	if !o.Live {
		err = checkLock(root)
	}
	if err != nil {
		root.Close()
		return nil, fmt.Errorf("anvil: open %s: %w", dir, err)
	}
	abs, err := filepath.Abs(dir)
	var w *Folder
	if err == nil {
		w, err = open(root.FS(), filepath.ToSlash(abs), o)
	}
	if err == nil && w.base != "" && !o.Live {
		err = w.checkBase(root)
	}
	if err != nil {
		root.Close()
		return nil, fmt.Errorf("%w (%s)", err, dir)
	}
	w.root, w.close = root, root.Close
	for up := filepath.Dir(abs); !w.hasLevel() && up != filepath.Dir(up); up = filepath.Dir(up) {
		if info, err := os.Stat(filepath.Join(up, LevelPath)); err == nil && info.Mode().IsRegular() {
			if o.Live {
				return nil, errors.Join(fmt.Errorf("anvil: open %s: a part of the world in %s: give that folder", dir, up), root.Close())
			}
			w.notes = append(w.notes, fmt.Sprintf("a part of the world in %s: give that folder for all of it", up))
			break
		}
	}
	return w, nil
}

// checkBase fails while a game has a world below root open.
func (w *Folder) checkBase(root *os.Root) error {
	for _, suffix := range append([]string{""}, serverSuffixes...) {
		base, err := root.OpenRoot(w.base + suffix)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = errors.Join(checkLock(base), base.Close())
		}
		if err != nil {
			return fmt.Errorf("anvil: open %s: %w", w.base+suffix, err)
		}
	}
	return nil
}

// Only makes Read read of a dimension the columns of which touches is true, and nothing else. The folder need not have
// the dimension, which then is to lie in the given folder of the world.
func (w *Folder) Only(name, folder string, touches func(geom.Box) bool) {
	w.only, w.touches = name, touches
	if w.dimension(name) == nil {
		w.dims = append(w.dims, &dimension{folder: folder, name: name})
	}
}

// dimension returns the dimension of that name, or nil.
func (w *Folder) dimension(name string) *dimension {
	for _, d := range w.dims {
		if d.name == name {
			return d
		}
	}
	return nil
}

// Notes returns what Open found odd, and lost nothing.
func (w *Folder) Notes() []string { return w.notes }

// OpenFS opens the world at the root of a file system, such as an archive.
// Region files are read in parts where fsys's files have ReadAt, otherwise
// whole, one at a time, up to 256 MiB. Links are not followed.
func OpenFS(fsys fs.FS, o Options) (*Folder, error) { return open(fsys, "", o) }

// open is OpenFS. at is the path of the root, if it has one.
func open(fsys fs.FS, at string, o Options) (*Folder, error) {
	w := &Folder{fsys: fsys, o: o, close: func() error { return nil }}
	if err := w.scan(at); err != nil {
		return nil, fmt.Errorf("anvil: open: %w", err)
	}
	return w, nil
}

// Head returns "anvil", "linear" for a world with region files in one of Linear's formats, with its version as
// package linear counts them, or "mcregion" for a world with no newer region files.
// Properties are "name" (LevelName) and "data_version" of level.dat, where it
// has them.
func (w *Folder) Head() format.Head { return w.head }

// Stats returns what the last Read has met.
func (w *Folder) Stats() Stats { return w.stats }

// Close releases the folder, and the lock of Hold.
func (w *Folder) Close() error {
	for _, f := range w.locks {
		f.Close()
	}
	return w.close()
}

// Read hands the world to s: dimension by dimension, in each the regions by z
// and x, then all other files by name. A column's cells, tags and objects are
// valid only during the call. Chunks that cannot be read are left out and named
// in a *format.DamageError at the end, unless Options.Salvage is set. The error wraps
// format.ErrNothing if a world with a level.dat has no chunks.
func (w *Folder) Read(ctx context.Context, s format.Sink) error {
	w.stats = Stats{Skipped: append([]Skipped(nil), w.skip...)}
	w.headers = &Headers{regions: map[string]*header{}, files: map[string]fileSeen{}}
	w.changed, w.sameFiles = map[string]map[geom.ColumnPos]bool{}, map[string]bool{}
	w.torn = Torn{Columns: map[string]map[geom.ColumnPos]bool{}, Files: map[string]bool{}}
	r := &reading{w: w, sink: s, used: map[string]bool{}}
	files := w.files
	if w.o.Live { // so no region is older than a player who stands in it
		files = nil
		for _, f := range w.files {
			if isExternal(f.path) {
				files = append(files, f)
			} else if err := cmp.Or(ctx.Err(), r.liveFile(ctx, f)); err != nil {
				return err
			}
		}
	}
	for _, d := range w.dims {
		if w.touches != nil && d.name != w.only {
			continue
		}
		if err := r.dimension(ctx, d); err != nil {
			return err
		}
	}
	files = append(r.files, files...)
	slices.SortFunc(files, func(a, b file) int { return cmp.Compare(a.path, b.path) })
	for _, f := range files {
		if w.touches != nil {
			break
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.file(f); err != nil {
			return err
		}
	}
	switch {
	case len(w.stats.Damaged) > 0 && !w.o.Salvage:
		return &format.DamageError{Columns: w.stats.Damaged}
	case len(w.stats.Damaged) == 0 && w.stats.RawBytes == 0 && w.stats.Unchanged == 0 && !w.Partial() && w.touches == nil:
		return fmt.Errorf("anvil: %w", w.nothing())
	}
	return nil
}

// SameFiles returns the files, by path, that were as Since says when they were last read.
func (w *Folder) SameFiles() map[string]bool { return w.sameFiles }

// nothing returns ErrNothing. It names what could not be read.
func (w *Folder) nothing() error {
	err := fmt.Errorf("%w: %d region files, %d other files", format.ErrNothing, len(w.Regions()), len(w.files))
	for _, s := range w.stats.Skipped[:min(len(w.stats.Skipped), 3)] {
		err = fmt.Errorf("%w; %q %s", err, s.Path, s.Why)
	}
	for _, note := range w.notes {
		err = fmt.Errorf("%w; %s", err, note)
	}
	return err
}

// file hands on a file that is no region file and no part of one.
func (r *reading) file(f file) error {
	st := &r.w.stats
	switch {
	case r.used[f.path]:
		return nil
	case f.size > format.MaxFile:
		st.Skipped = append(st.Skipped, Skipped{f.path, fmt.Sprintf("has %d bytes", f.size)})
		return nil
	}
	st.Files++
	if r.sameFile(f) {
		r.w.sameFiles[f.path] = true
	} else if f.modified != 0 && f.modified/1e9+settled < r.w.now && !r.w.o.Live {
		r.w.headers.files[f.path] = fileSeen{f.size, f.modified}
	}
	open := func() (io.ReadCloser, error) { return r.w.fsys.Open(f.path) }
	return r.sink.File(format.File{Path: f.path, Size: f.size, Open: open})
}
