package luanti

import (
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
)

// Files of a world.
const (
	mapFile   = "map.sqlite"
	worldFile = "world.mt"
)

// isMap reports whether a file is the map, or what SQLite has beside it, which are not kept as files.
func isMap(name string) bool {
	rest, ok := strings.CutPrefix(name, mapFile)
	return ok && (rest == "" || rest == "-journal" || rest == "-wal" || rest == "-shm")
}

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

func newWorld(fsys fs.FS, close func() error, o format.ReadOptions) *world {
	return &world{fsys: fsys, o: o, close: close, skipped: map[string]int{}, head: format.Head{Format: formatName, Properties: map[string]string{}}}
}

// openFS opens a folder. onDisk is its path, "" if it is not on disk.
func openFS(fsys fs.FS, onDisk string, close func() error, o format.ReadOptions) (format.Source, error) {
	w := newWorld(fsys, close, o)
	folder, err := format.FindWorld(fsys, detectFS, w.skipped)
	if err == nil {
		w.fsys, err = fs.Sub(fsys, folder)
	}
	if err == nil {
		w.files, err = format.ListFiles(w.fsys, isMap, w.skipped)
	}
	if err == nil {
		err = w.readSettings()
	}
	if err == nil && isFile(w.fsys, mapFile) {
		path := ""
		if onDisk != "" {
			path = filepath.Join(onDisk, filepath.FromSlash(folder), mapFile)
		}
		err = w.openMap(path, func() (io.ReadCloser, error) { return w.fsys.Open(mapFile) })
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("luanti: open: %w", err), close())
	}
	return w, nil
}

func openFolder(dir string, o format.ReadOptions) (format.Source, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("luanti: open: %w", err)
	}
	return openFS(root.FS(), dir, root.Close, o)
}

// openOne opens a map.sqlite alone.
func openOne(r io.ReaderAt, size int64, o format.ReadOptions) (format.Source, error) {
	w := newWorld(nil, func() error { return nil }, o)
	err := w.openMap(nameOf(r), func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(r, 0, size)), nil })
	if err != nil {
		return nil, fmt.Errorf("luanti: open: %w", err)
	}
	return w, nil
}

// nameOf returns the path of a file on disk, "" if it is not there.
func nameOf(r io.ReaderAt) string {
	if f, ok := r.(*os.File); ok {
		open, err := f.Stat()
		named, err2 := os.Stat(f.Name())
		if err == nil && err2 == nil && os.SameFile(open, named) {
			return f.Name()
		}
	}
	return ""
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
	i := slices.IndexFunc(w.files, func(f format.File) bool { return f.Path == worldFile })
	if i < 0 {
		return nil
	}
	text, err := w.files[i].Bytes()
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(line, "=")
		switch key, value = strings.TrimSpace(key), strings.TrimSpace(value); {
		case key == "backend" && value != "sqlite3":
			return fmt.Errorf("%s: its map is in the backend %q, which cairn does not read; only sqlite3", worldFile, value)
		case key == "world_name":
			w.head.Properties[propName] = strings.ToValidUTF8(value, "?")
		}
	}
	return nil
}

// openMap opens the map at path, or where it is not on disk a copy of its content. It lists the map blocks, and takes the
// version of the first one as that of the world.
func (w *world) openMap(path string, content func() (io.ReadCloser, error)) (err error) {
	if path != "" {
		w.db, err = openDatabase(path)
	} else {
		var f io.ReadCloser
		if f, err = content(); err == nil {
			defer f.Close()
			w.db, err = openCopy(f)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", mapFile, err)
	}
	if w.places, err = w.db.places(); err == nil && len(w.places) > 0 {
		var b []byte
		if b, err = w.db.block(context.Background(), w.places[0]); err == nil && len(b) > 0 {
			w.head.Version = min(max(int(b[0]), minVersion), maxVersion)
		}
	}
	if err != nil {
		return errors.Join(fmt.Errorf("%s: %w", mapFile, err), w.db.Close())
	}
	if w.db.table == tableXYZ {
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
	t := &tower{dim: newDimension(), to: s, usual: uint8(w.head.Version)}
	if err := s.Dimension(t.dim); err != nil {
		return err
	}
	damage, err := w.readBlocks(ctx, t)
	if err != nil {
		return err
	}
	for _, f := range w.files {
		if err := cmp.Or(ctx.Err(), s.File(f)); err != nil {
			return err
		}
	}
	switch {
	case len(damage) > 0 && !w.o.Salvage:
		return &format.DamageError{Columns: damage}
	case len(w.places) == 0:
		return fmt.Errorf("luanti: %w", format.ErrNothing)
	}
	return nil
}

// readBlocks hands all map blocks to t. It returns those that cannot be read.
func (w *world) readBlocks(ctx context.Context, t *tower) (damage []format.Damage, err error) {
	p, err := newPacker(w.o.MaxBytes)
	if err != nil {
		return nil, fmt.Errorf("luanti: %w", err)
	}
	defer p.dec.Close()
	if w.db != nil {
		w.db.read = 0
	}
	var m mapBlock
	for i, pos := range w.places {
		b, err := w.db.block(ctx, pos)
		if err == nil {
			err = p.decode(b, &m)
		}
		if err == nil {
			err = t.add(pos, &m)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			err = fmt.Errorf("map block (%d,%d,%d): %w", pos.x, pos.y, pos.z, err)
			damage = append(damage, format.Damage{File: mapFile, Pos: pos.column(), Err: err})
			if w.o.Salvage {
				w.damaged = append(w.damaged, mapFile+" "+err.Error())
			}
			if w.o.Salvage && b != nil {
				t.addKept(pos, kept{stored: b}, nil)
			}
		}
		last := i+1 == len(w.places)
		if last || w.places[i+1].chunk() != pos.chunk() {
			if err := t.endChunk(pos.chunk()); err != nil {
				return nil, err
			}
		}
		if last || w.places[i+1].chunk().Columns() != pos.chunk().Columns() {
			if err := t.end(pos.chunk()); err != nil {
				return nil, err
			}
		}
	}
	return damage, nil
}
