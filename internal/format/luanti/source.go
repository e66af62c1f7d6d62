package luanti

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Files of a world.
const (
	mapFile   = "map.sqlite"
	worldFile = "world.mt"
)

// ours are the files that are not kept as files: the map, and what SQLite has beside it.
var ours = []string{mapFile, mapFile + journalSuffix, mapFile + walSuffix, mapFile + shmSuffix}

// Properties of a world's Head.
const (
	propName = "name"
	propXYZ  = "positions" // valueXYZ, where map blocks have positions of that kind
	valueXYZ = "xyz"
)

// world is an open world, a format.Source.
type world struct {
	fsys    fs.FS
	o       format.ReadOptions
	close   func() error
	db      *database // nil for a world without a map
	places  []blockPos
	head    format.Head
	files   []format.File
	damaged []string
	skipped map[string]int
}

// openFS opens a folder. onDisk is its path, "" if it is not on disk.
func openFS(fsys fs.FS, onDisk string, o format.ReadOptions) (_ *world, err error) {
	w := &world{fsys: fsys, o: o, close: func() error { return nil }, skipped: map[string]int{}, head: format.Head{Format: formatName, Properties: map[string]string{}}}
	folder, err := format.FindWorld(fsys, detectFS, w.skipped)
	if err == nil {
		w.fsys, err = fs.Sub(fsys, folder)
	}
	if err == nil {
		err = w.readSettings()
	}
	if err == nil {
		w.files, err = format.ListFiles(w.fsys, func(name string) bool { return slices.Contains(ours, name) }, w.skipped)
	}
	if err == nil {
		err = w.openMap(folder, onDisk)
	}
	if err != nil {
		return nil, fmt.Errorf("luanti: open: %w", err)
	}
	return w, nil
}

func openFolder(dir string, o format.ReadOptions) (format.Source, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("luanti: open: %w", err)
	}
	w, err := openFS(root.FS(), dir, o)
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	w.close = root.Close
	return w, nil
}

// openOne opens a map.sqlite alone.
func openOne(r io.ReaderAt, size int64, o format.ReadOptions) (format.Source, error) {
	w := &world{o: o, close: func() error { return nil }, skipped: map[string]int{}, head: format.Head{Format: formatName, Properties: map[string]string{}}}
	var err error
	if name, ok := nameOf(r); ok {
		w.db, err = openDatabase(name)
	} else {
		w.db, err = openCopy(io.NewSectionReader(r, 0, size))
	}
	if err == nil {
		err = w.list()
	}
	if err != nil {
		return nil, fmt.Errorf("luanti: open: %w", err)
	}
	return w, nil
}

// nameOf returns the path of a file on disk.
func nameOf(r io.ReaderAt) (string, bool) {
	f, ok := r.(*os.File)
	if !ok {
		return "", false
	}
	open, err := f.Stat()
	named, err2 := os.Stat(f.Name())
	return f.Name(), err == nil && err2 == nil && os.SameFile(open, named)
}

// openCopy opens a copy of a database that is not on disk. Close removes it.
func openCopy(r io.Reader) (_ *database, err error) {
	f, err := os.CreateTemp("", "cairn-map-*.sqlite")
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(f, r)
	if err = cmp.Or(err, f.Close()); err == nil {
		var d *database
		if d, err = openDatabase(f.Name()); err == nil {
			d.temp = f.Name()
			return d, nil
		}
	}
	return nil, errors.Join(err, os.Remove(f.Name()))
}

// detect reports whether a file is a database that seems to have map blocks.
func detect(head []byte) bool {
	return bytes.HasPrefix(head, []byte("SQLite format 3\x00")) && bytes.Contains(head, []byte("blocks"))
}

// detectFS reports whether a folder looks like a world.
func detectFS(fsys fs.FS) bool { return isFile(fsys, worldFile) || isFile(fsys, mapFile) }

func isFile(fsys fs.FS, name string) bool {
	info, err := fs.Stat(fsys, name)
	return err == nil && info.Mode().IsRegular()
}

// readSettings reads world.mt, and refuses worlds whose map is elsewhere.
func (w *world) readSettings() error {
	f, err := w.fsys.Open(worldFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(io.LimitReader(f, 1<<20))
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), "=")
		switch key, value = strings.TrimSpace(key), strings.TrimSpace(value); {
		case key == "backend" && value != "sqlite3":
			return fmt.Errorf("%s: its map is in the backend %q, which cairn does not read; only sqlite3", worldFile, value)
		case key == "world_name":
			w.head.Properties[propName] = strings.ToValidUTF8(value, "?")
		}
	}
	return nil // a file that the game has to understand, not we
}

// openMap opens the map of the folder, if it has one.
func (w *world) openMap(folder, onDisk string) error {
	f, err := w.fsys.Open(mapFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if onDisk != "" {
		w.db, err = openDatabase(filepath.Join(onDisk, filepath.FromSlash(folder), mapFile))
	} else {
		w.db, err = openCopy(f)
	}
	if err == nil {
		err = w.list()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", mapFile, err)
	}
	return nil
}

// list lists the map blocks, and takes the version of the first one as that of the world.
func (w *world) list() (err error) {
	if w.places, err = w.db.places(context.Background()); err == nil && len(w.places) > 0 {
		var b []byte
		if b, err = w.db.block(context.Background(), w.places[0]); err == nil && len(b) > 0 {
			w.head.Version = min(max(int(b[0]), minVersion), maxVersion)
		}
	}
	if err != nil {
		return errors.Join(err, w.db.Close())
	}
	if w.db.xyz {
		w.head.Properties[propXYZ] = valueXYZ
	}
	return nil
}

// Head returns the version of the first map block, and the properties "name" if the world has one, and "positions".
func (w *world) Head() format.Head { return w.head }

// Close releases the folder.
func (w *world) Close() error {
	if w.db == nil {
		return w.close()
	}
	return errors.Join(w.db.Close(), w.close())
}

// Remarks returns what the last Read has met.
func (w *world) Remarks() (lost map[string]int, damaged []string) { return w.skipped, w.damaged }

// Read hands the world to s: chunk by chunk, and column by column where a footprint ends, then all other files by name. Map blocks that
// cannot be read are named in a *format.DamageError at the end, or passed on as they are stored if Salvage is set.
func (w *world) Read(ctx context.Context, s format.Sink) error {
	w.damaged = nil
	dim := newDimension()
	if err := s.Dimension(dim); err != nil {
		return err
	}
	r := &reading{world: w, to: s, tower: &tower{dim: dim, usual: uint8(w.head.Version)}}
	var err error
	if r.packer, err = newPacker(w.o.MaxBytes); err != nil {
		return fmt.Errorf("luanti: %w", err)
	}
	defer r.packer.dec.Close()
	if err := r.blocks(ctx); err != nil {
		return err
	}
	for _, f := range w.files {
		if err := cmp.Or(ctx.Err(), s.File(f)); err != nil {
			return err
		}
	}
	switch {
	case len(r.damage) > 0 && !w.o.Salvage:
		return &format.DamageError{Columns: r.damage}
	case len(w.places) == 0:
		return fmt.Errorf("luanti: %w", format.ErrNothing)
	}
	return nil
}

// reading is one Read.
type reading struct {
	*world
	to     format.Sink
	tower  *tower
	packer *packer
	block  mapBlock
	damage []format.Damage
}

func (r *reading) blocks(ctx context.Context) error {
	if r.db != nil {
		r.db.read = 0
	}
	var chunk geom.ChunkPos
	for i, p := range r.places {
		if pos := p.chunk(); i == 0 || pos != chunk {
			if err := r.step(i > 0, chunk, pos); err != nil {
				return err
			}
			if i == 0 || pos.X != chunk.X || pos.Z != chunk.Z {
				r.tower.begin(p)
			}
			chunk = pos
		}
		b, err := r.db.block(ctx, p)
		if err == nil {
			if err = r.packer.decode(b, &r.block); err == nil {
				err = r.tower.add(p, &r.block)
			}
		}
		if err := cmp.Or(ctx.Err(), r.note(p, b, err)); err != nil {
			return err
		}
	}
	return r.step(len(r.places) > 0, chunk, geom.ChunkPos{X: chunk.X + 1})
}

// step ends a chunk, if there is one, and its columns if the next one is over others.
func (r *reading) step(some bool, chunk, next geom.ChunkPos) error {
	if !some {
		return nil
	}
	if err := r.tower.endChunk(chunk, r.to); err != nil {
		return err
	}
	if next.X == chunk.X && next.Z == chunk.Z {
		return nil
	}
	return r.tower.end(r.to)
}

// note notes that a map block cannot be read.
func (r *reading) note(p blockPos, stored []byte, err error) error {
	if err == nil {
		return nil
	}
	err = fmt.Errorf("map block (%d,%d,%d): %w", p.x, p.y, p.z, err)
	r.damage = append(r.damage, format.Damage{File: mapFile, Pos: p.column(), Err: err})
	if r.o.Salvage {
		r.damaged = append(r.damaged, mapFile+" "+err.Error())
		if stored != nil {
			r.tower.addStored(p, stored)
		}
	}
	return nil
}
