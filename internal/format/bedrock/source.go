package bedrock

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

const nameFile = "levelname.txt"

// ofDatabase begins errors of what is no chunk.
const ofDatabase = "the database of a world of Bedrock Edition"

// world is an open folder of a world, a format.Source.
type world struct {
	fsys    fs.FS // of the world
	o       format.ReadOptions
	close   func() error
	db      *database
	files   []format.File
	name    string
	lost    map[string]int // of the folder and the database
	read    map[string]int // of the last Read
	damaged []string
}

func openFS(fsys fs.FS, o format.ReadOptions, done func() error) (format.Source, error) {
	w := &world{o: o, close: done, lost: map[string]int{}}
	if err := w.scan(fsys); err != nil {
		return nil, errors.Join(fmt.Errorf("bedrock: open: %w", err), done())
	}
	return w, nil
}

// scan opens the database and lists all other files.
func (w *world) scan(fsys fs.FS) (err error) {
	base, ok := find(fsys)
	if !ok {
		return format.ErrNoWorld
	}
	if w.fsys, err = fs.Sub(fsys, base); err != nil {
		return err
	}
	if list, _ := fs.ReadDir(fsys, "."); base != "." && len(list) > 1 {
		w.lost["files and folders beside the world's folder"] = len(list) - 1
	}
	db, err := fs.Sub(w.fsys, dbFolder)
	if err != nil {
		return err
	}
	if w.db, err = openDatabase(db, w.o, w.lost); err != nil {
		return fmt.Errorf("%s: %w", ofDatabase, err)
	}
	if err := fs.WalkDir(w.fsys, ".", w.list); err != nil {
		return err
	}
	name, _ := fs.ReadFile(w.fsys, nameFile)
	w.name = strings.ToValidUTF8(strings.TrimSpace(string(name[:min(len(name), 256)])), "?")
	return nil
}

// list takes a file that is no part of the database.
func (w *world) list(name string, e fs.DirEntry, err error) error {
	switch dir, base := path.Split(name); {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		w.lost["file "+name+", which cannot be listed"]++
		return nil
	case err != nil:
		return err
	case e.IsDir():
		return nil
	case dir == dbFolder+"/" && isPart(base):
		return nil
	case !format.IsPath(name) || !e.Type().IsRegular():
		w.lost[fmt.Sprintf("file %q, which is no regular file or has an odd name", name)]++
		return nil
	}
	info, err := e.Info()
	if err != nil {
		return err
	}
	if info.Size() > format.MaxFile {
		w.lost[fmt.Sprintf("file %s, which has %d bytes", name, info.Size())]++
		return nil
	}
	w.files = append(w.files, format.File{Path: name, Size: info.Size(), Open: func() (io.ReadCloser, error) { return w.fsys.Open(name) }})
	return nil
}

// isPart reports whether a file of the database's folder is one of LevelDB's. It deletes old ones itself.
func isPart(name string) bool {
	return slices.Contains([]string{currentFile, "LOCK", "LOG", "LOG.old"}, name) || strings.HasPrefix(name, manifestPrefix) ||
		slices.Contains([]string{".ldb", ".sst", ".log"}, path.Ext(name))
}

// Head returns the name of the format, and the property "name" if the world has one.
func (w *world) Head() format.Head {
	h := format.Head{Format: formatName, Properties: map[string]string{}}
	if w.name != "" {
		h.Properties["name"] = w.name
	}
	return h
}

// Close releases the folder.
func (w *world) Close() error { return w.close() }

// Remarks returns what the last Read has met.
func (w *world) Remarks() (lost map[string]int, damaged []string) {
	lost = maps.Clone(w.lost)
	maps.Copy(lost, w.read)
	return lost, w.damaged
}

// Read hands the world to s: dimension by dimension, then the values of keys that belong to no chunk as files, and all other files.
// Chunks that cannot be read are named in a *format.DamageError at the end, or passed on as they are stored if Salvage is set.
func (w *world) Read(ctx context.Context, s format.Sink) error {
	w.damaged, w.read = nil, map[string]int{}
	if err := w.db.index(ctx); err != nil {
		return fmt.Errorf("bedrock: %s: %w", ofDatabase, err)
	}
	r := &reading{world: w, sink: s, taken: map[uint64]bool{}}
	if err := r.all(ctx); err != nil {
		return err
	}
	if err := r.keys(ctx); err != nil {
		return fmt.Errorf("bedrock: %w", err)
	}
	for _, f := range w.files {
		if err := cmp.Or(ctx.Err(), s.File(f)); err != nil {
			return err
		}
	}
	switch {
	case len(r.damage) > 0 && !w.o.Salvage:
		return &format.DamageError{Columns: r.damage}
	case r.chunks == 0 && len(r.damage) == 0:
		return fmt.Errorf("bedrock: %w", format.ErrNothing)
	}
	return nil
}

// reading is one Read.
type reading struct {
	*world
	sink    format.Sink
	columns *columns
	taken   map[uint64]bool // entities
	damage  []format.Damage
	chunks  int
}

// all passes on all chunks. The references to one chunk follow each other.
func (r *reading) all(ctx context.Context) error {
	footprint := geom.ColumnPos{}
	for refs := r.db.chunks; len(refs) > 0; {
		first, n := refs[0], 1
		for n < len(refs) && refs[n].pos == first.pos && refs[n].dim == first.dim {
			n++
		}
		at := geom.ColumnPos{X: first.pos.X >> 1, Z: first.pos.Z >> 1}
		begins := r.columns == nil || r.columns.dim != first.dim
		if r.columns != nil && (begins || at != footprint) {
			if err := r.columns.pass(r.sink); err != nil {
				return err
			}
		}
		if footprint = at; begins {
			d := newDimension(first.dim)
			r.columns = newColumns(r.db, first.dim, d)
			r.columns.taken, r.columns.lost = r.taken, r.read
			if err := r.sink.Dimension(d); err != nil {
				return err
			}
		}
		if err := cmp.Or(ctx.Err(), r.chunk(first.pos, blocksOf(refs[:n]))); err != nil {
			return err
		}
		refs = refs[n:]
	}
	if r.columns == nil {
		return nil
	}
	return r.columns.pass(r.sink)
}

func blocksOf(refs []chunkRef) (blocks []int32) {
	for _, r := range refs {
		blocks = append(blocks, r.block)
	}
	return blocks
}

// chunk reads a chunk. One that cannot be read is noted, or passed on as it is stored.
func (r *reading) chunk(pos geom.ColumnPos, blocks []int32) error {
	keys, err := r.db.chunk(r.columns.dim, pos, blocks)
	if err == nil && len(keys) == 0 {
		return nil // deleted
	}
	var c *format.Column
	if err == nil {
		c, err = r.columns.decode(pos, keys)
	}
	if err == nil {
		r.chunks++
		return r.sink.Column(c)
	}
	if r.db.left < 0 { // all others would fail, too
		return fmt.Errorf("bedrock: %w", err)
	}
	r.damage = append(r.damage, format.Damage{File: dbFolder, Pos: pos, Err: err})
	if !r.o.Salvage {
		return nil
	}
	r.damaged = append(r.damaged, fmt.Sprintf("%s chunk %v: %v", dbFolder, pos, err))
	if len(keys) == 0 {
		return nil
	}
	var stored []byte
	for _, e := range keys {
		k, _ := parseKey(e.key)
		stored = appendKey(stored, k, e.value)
	}
	part := voxel.Part{Name: partRest, Damaged: true, Data: document(stored)}
	return r.sink.Column(&format.Column{Column: voxel.Column{Pos: pos, Parts: []voxel.Part{part}}})
}

// keys passes on the values of keys that belong to no chunk, and the entities that no chunk lists.
func (r *reading) keys(ctx context.Context) error {
	for _, a := range r.db.actors {
		key := binary.LittleEndian.AppendUint64([]byte(actorPrefix), a.id)
		if r.taken[a.id] {
			continue
		}
		r.taken[a.id] = true // its blocks follow
		if err := cmp.Or(ctx.Err(), r.key(key, func() ([]byte, bool, error) { return r.db.actor(a.id) })); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.db.others)) {
		get := func() ([]byte, bool, error) { return r.db.get(r.db.others[name], []byte(name)) }
		if err := cmp.Or(ctx.Err(), r.key([]byte(name), get)); err != nil {
			return err
		}
	}
	return nil
}

// key passes on a value as a file.
func (r *reading) key(key []byte, get func() ([]byte, bool, error)) error {
	value, ok, err := get()
	name := keysFolder + "/" + escape(key)
	switch {
	case err != nil:
		return err
	case !ok: // deleted
		return nil
	case !format.IsPath(name) || len(value) > format.MaxFile:
		r.read[fmt.Sprintf("key %.200q, which is too long for a file's name, or whose value has more than %d bytes", key, format.MaxFile)]++
		return nil
	}
	return r.sink.File(format.File{Path: name, Size: int64(len(value)), Open: func() (io.ReadCloser, error) {
		value, _, err := get()
		return io.NopCloser(bytes.NewReader(value)), err
	}})
}

// escape returns a key as a file's name: bytes but letters, digits and some marks in hex.
func escape(key []byte) string {
	var b strings.Builder
	for _, c := range key {
		if c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || strings.IndexByte("_-~", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
