package hytale

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Folders and files of a save.
const (
	worldsFolder = "universe/worlds"
	chunksFolder = "chunks"
	configFile   = "config.json"
	instanceFile = "instance.bson"
)

// worldName is the name of the dimension of a world that is not in a save.
const worldName = "default"

// world is a world of a save: a folder with chunks.
type world struct {
	name, folder string
	regions      []regionPath
}

type regionPath struct {
	x, z int32
	path string
}

// folder is an open folder of worlds, a format.Source.
type folder struct {
	fsys    fs.FS
	one     *region // in place of a file system: the only region
	o       format.ReadOptions
	close   func() error
	worlds  []world
	files   []format.File
	name    string
	damaged []string
	skipped map[string]int
}

// openFS opens the worlds in a folder.
func openFS(fsys fs.FS, close func() error, o format.ReadOptions) (format.Source, error) {
	w := &folder{fsys: fsys, o: o, close: close, skipped: map[string]int{}}
	if err := w.scan(); err != nil {
		return nil, fmt.Errorf("hytale: open: %w", err)
	}
	return w, nil
}

func openFolder(dir string, o format.ReadOptions) (format.Source, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("hytale: open: %w", err)
	}
	w, err := openFS(root.FS(), root.Close, o)
	if err != nil {
		err = errors.Join(err, root.Close())
	}
	return w, err
}

// detectFS reports whether a folder looks like a save, a world or an instance.
func detectFS(fsys fs.FS) bool {
	dirs := []string{"."}
	list, _ := fs.ReadDir(fsys, worldsFolder)
	for _, e := range list {
		dirs = append(dirs, path.Join(worldsFolder, e.Name()))
	}
	for _, dir := range dirs {
		if info, err := fs.Stat(fsys, path.Join(dir, instanceFile)); err == nil && info.Mode().IsRegular() {
			return true
		}
		if list, err := fs.ReadDir(fsys, path.Join(dir, chunksFolder)); err == nil && slices.ContainsFunc(list, func(e fs.DirEntry) bool {
			_, _, ok := parseRegionName(e.Name())
			return ok && e.Type().IsRegular()
		}) {
			return true
		}
		if _, err := fs.Stat(fsys, path.Join(dir, configFile)); err == nil && dir != "." {
			return true
		}
	}
	return false
}

// scan lists the folder: region files by world, and all other files.
func (w *folder) scan() error {
	root, err := format.FindWorld(w.fsys, detectFS, w.skipped)
	if err != nil {
		return err
	}
	if w.fsys, err = fs.Sub(w.fsys, root); err != nil {
		return err
	}
	worlds := map[string]*world{}
	w.files, err = format.ListFiles(w.fsys, func(name string) bool {
		folder := path.Dir(path.Dir(name))
		x, z, ok := parseRegionName(path.Base(name))
		if !ok || path.Base(path.Dir(name)) != chunksFolder || !isWorld(folder) {
			return false
		}
		if folder == "." {
			folder = ""
		}
		if worlds[folder] == nil {
			worlds[folder] = &world{name: nameOf(folder), folder: folder}
		}
		worlds[folder].regions = append(worlds[folder].regions, regionPath{x, z, name})
		return true
	}, w.skipped)
	if err != nil {
		return err
	}
	for _, wd := range worlds {
		slices.SortFunc(wd.regions, func(a, b regionPath) int { return cmp.Or(cmp.Compare(a.z, b.z), cmp.Compare(a.x, b.x)) })
		w.worlds = append(w.worlds, *wd)
	}
	slices.SortFunc(w.worlds, func(a, b world) int { return cmp.Compare(a.folder, b.folder) })
	return w.readConfigs()
}

// isWorld reports whether a folder is where a world can be.
func isWorld(folder string) bool { return folder == "." || path.Dir(folder) == worldsFolder }

func nameOf(folder string) string {
	if folder == "" {
		return worldName
	}
	return strings.ToValidUTF8(path.Base(folder), "?")
}

// config is what the package reads of a world's config.json.
type config struct {
	DisplayName  string
	ChunkStorage struct{ Type string }
}

// storages are the types of ChunkStorage that mean region files.
var storages = []string{"", "Hytale", "IndexedStorage"}

// readConfigs reads the name of the first world, and refuses worlds whose chunks are elsewhere.
func (w *folder) readConfigs() error {
	for _, f := range w.files {
		dir := path.Dir(f.Path)
		if path.Base(f.Path) != configFile || !isWorld(dir) {
			continue
		}
		var c config
		b, err := fs.ReadFile(w.fsys, f.Path)
		if err != nil {
			return err
		}
		if json.Unmarshal(bytes.TrimPrefix(b, []byte("\xEF\xBB\xBF")), &c) != nil {
			continue // a file that the game has to understand, not we
		}
		if !slices.Contains(storages, c.ChunkStorage.Type) {
			return fmt.Errorf("%s: its chunks are in a storage of type %q, which cairn does not read; only region files", f.Path, c.ChunkStorage.Type)
		}
		if w.name == "" {
			w.name = c.DisplayName
		}
	}
	return nil
}

// Head returns the name of the format, and the property "name" if a world says one.
func (w *folder) Head() format.Head {
	h := format.Head{Format: formatName, Properties: map[string]string{}}
	if w.name != "" {
		h.Properties["name"] = w.name
	}
	return h
}

// Close releases the folder.
func (w *folder) Close() error { return w.close() }

// Remarks returns what the last Read has met.
func (w *folder) Remarks() (lost map[string]int, damaged []string) { return w.skipped, w.damaged }

// Read hands the world to s: world by world, in each the regions by z and x, then all other files by name. Chunks that cannot
// be read are named in a *format.DamageError at the end, or passed on as they are stored if Salvage is set.
func (w *folder) Read(ctx context.Context, s format.Sink) error {
	w.damaged = nil
	inf, err := newInflater(w.o.MaxBytes)
	if err != nil {
		return fmt.Errorf("hytale: %w", err)
	}
	defer inf.dec.Close()
	r := &reading{w: w, sink: s, inf: inf}
	for i := range w.worlds {
		if err := r.world(ctx, &w.worlds[i]); err != nil {
			return err
		}
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
		return fmt.Errorf("hytale: %w", format.ErrNothing)
	}
	return nil
}

// reading is one Read.
type reading struct {
	w      *folder
	sink   format.Sink
	inf    *inflater
	dec    *decoder
	stored []byte
	damage []format.Damage
	chunks int
}

func (r *reading) world(ctx context.Context, wd *world) error {
	dim := newDimension(wd.name, wd.folder)
	r.dec = newDecoder(dim)
	if err := r.sink.Dimension(dim); err != nil {
		return err
	}
	for _, p := range wd.regions {
		if err := r.region(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

func (r *reading) region(ctx context.Context, p regionPath) error {
	g := r.w.one
	if g == nil {
		f, err := r.w.fsys.Open(p.path)
		if err != nil {
			return err
		}
		defer f.Close()
		src, size, err := format.ReaderAt(f)
		if err == nil {
			g, err = openRegion(src, size)
		}
		if err != nil {
			return fmt.Errorf("hytale: %s: %w", p.path, err)
		}
	}
	for blob := range blobs {
		if err := cmp.Or(ctx.Err(), r.chunk(g, p, blob)); err != nil {
			return err
		}
	}
	return nil
}

// chunk reads a chunk. One that cannot be read is noted, or passed on as it is stored.
func (r *reading) chunk(g *region, p regionPath, blob int) error {
	x, z := p.x<<5|int32(blob&31), p.z<<5|int32(blob>>5)
	stored, err := g.stored(blob, r.stored)
	if err == nil && stored == nil {
		return nil
	}
	if err == nil {
		r.stored = stored
		var doc []byte
		if doc, err = r.inf.inflate(stored); err == nil {
			err = r.dec.decode(x, z, doc)
		}
	}
	if err == nil {
		r.chunks++
		return r.dec.pass(r.sink)
	}
	pos := geom.ColumnPos{X: x * chunkColumns, Z: z * chunkColumns}
	r.damage = append(r.damage, format.Damage{File: p.path, Pos: pos, Err: err})
	if !r.w.o.Salvage {
		return nil
	}
	r.w.damaged = append(r.w.damaged, fmt.Sprintf("%s chunk (%d,%d): %v", p.path, x, z, err))
	if stored == nil {
		return nil
	}
	c := &format.Column{Column: voxel.Column{Pos: pos, Parts: []voxel.Part{{Name: PartChunk, Damaged: true, Data: stored}}}}
	return r.sink.Column(c)
}
