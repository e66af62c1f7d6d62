package anvil

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"runtime"
	"slices"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/linear"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/klauspost/compress/zlib"
)

const (
	defaultPending = 64 << 20
	// maxInside is the longest payload that a region file holds itself.
	maxInside = maxCount*sector - 5
)

// FolderOptions says how a world is written. Its zero value is the default.
type FolderOptions struct {
	// Format is "anvil", "linear" or "mcregion". Default "anvil". McRegion takes only columns that were read from it, and the
	// others take none of these.
	Format string
	// Linear is the version of Linear's format, as package linear counts them. Default 2.
	Linear int
	// Level of zlib, 1 (fast) to 9 (small). Default 6.
	Level int
	// PendingBytes bounds the compressed chunks that wait in memory for the rest
	// of their region. Default 64 MiB. Columns that come region by region need
	// far less.
	PendingBytes int
	// LevelName, if not empty, has the Writer make a level.dat with that name and
	// Facts where the world brings none of its own. Its data version is
	// the highest of a column, or that of Facts if no column has one.
	LevelName string
	Facts     format.Level
	// Version is the data version of columns that have neither one nor a chunk of
	// their own, as those of a program; the names of their blocks must be of that
	// version. 0 is 1.8, which has numbers: see package block.
	Version int32
	// System says whose names files can have, as runtime.GOOS does. Default: that.
	System string
}

// Errors of a Writer.
var (
	// ErrMcRegion is wrapped where a column or a world was read from McRegion.
	ErrMcRegion = fmt.Errorf("a McRegion world is not converted to Anvil, nor another one to McRegion: %w", format.ErrHolds)
	// ErrNotAnvil is wrapped where the chunks of a folder are not in the format Anvil, and only such are changed in place.
	ErrNotAnvil = errors.New("chunks are changed in place in region files of Anvil alone")
	// ErrTwice is wrapped where a column, a dimension or a file comes twice.
	ErrTwice = errors.New("given twice")

	errChunks = errors.New("anvil: write: the world has no columns; Anvil has nothing else")
)

// FolderWriter writes a world as an Anvil folder, a format.Sink. After an error it
// must be aborted. It is used by one goroutine at a time.
type FolderWriter struct {
	root     *os.Root
	o        FolderOptions
	ext      string // of region files
	dim      *format.Dimension
	folders  map[string]bool
	enc      *encoder
	zlib     *zlib.Writer
	deflated bytes.Buffer
	regions  map[regionKey]*regionBuffer // not in their files yet
	pending  int                         // bytes in regions
	made     map[string]int64            // sizes of files by path, -1 of those made of chunks
	version  int32                       // the highest of a column
	lost     map[string]int
}

type regionKey struct {
	folder string
	kind   int
	x, z   int32
}

// path returns the path of the region file with an extension.
func (k regionKey) path(ext string) string {
	return path.Join(k.folder, kindFolders[k.kind], fmt.Sprintf("r.%d.%d%s", k.x, k.z, ext))
}

func compareKeys(a, b regionKey) int {
	return cmp.Or(cmp.Compare(a.folder, b.folder), a.kind-b.kind, cmp.Compare(a.z, b.z), cmp.Compare(a.x, b.x))
}

// regionBuffer is a region file to be: what its slots hold, with length and
// type, and their stamps.
type regionBuffer struct {
	chunks [slots][]byte
	stamps [slots]uint32
	sizes  [slots]int // of the tags, for Linear's formats
}

// Create returns a Writer that writes below dir, an empty folder that the
// caller made. The world is whole only after Close.
func Create(dir string, o FolderOptions) (*FolderWriter, error) {
	if o.Level == 0 {
		o.Level = zlib.DefaultCompression
	}
	ext := anvilExt
	switch o.Format {
	case "", formatName:
	case mcregionName:
		ext = mcregionExt
	case linearName:
		o.Level = zlib.BestSpeed // only while it waits
		o.Linear = cmp.Or(o.Linear, linear.V2)
		ext = linear.Ext(o.Linear)
	default:
		return nil, fmt.Errorf("anvil: write: no format %q", o.Format)
	}
	if o.PendingBytes <= 0 {
		o.PendingBytes = defaultPending
	}
	o.System = cmp.Or(o.System, runtime.GOOS)
	z, err := zlib.NewWriterLevel(nil, o.Level)
	if err != nil {
		return nil, fmt.Errorf("anvil: write: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("anvil: write: %w", err)
	}
	return &FolderWriter{
		root: root, o: o, ext: ext, zlib: z, folders: map[string]bool{},
		regions: map[regionKey]*regionBuffer{}, made: map[string]int64{}, lost: map[string]int{},
	}, nil
}

// Dimension begins a dimension, in its Folder.
func (w *FolderWriter) Dimension(d *format.Dimension) error {
	switch {
	case d.Folder != "" && (!fs.ValidPath(d.Folder) || d.Folder == "."):
		return fmt.Errorf("anvil: write: dimension %s: its folder %q is no clean path", d.Name, d.Folder)
	case w.folders[d.Folder]:
		return fmt.Errorf("anvil: write: dimension folder %q: %w", d.Folder, ErrTwice)
	}
	enc, err := newEncoder(d)
	if err != nil {
		return fmt.Errorf("anvil: write: dimension %s: %w", d.Name, err)
	}
	enc.old = w.ext == mcregionExt
	w.folders[d.Folder] = true
	w.dim, w.enc = d, enc
	return nil
}

// Chunk fails: Anvil has no chunks outside of columns.
func (w *FolderWriter) Chunk(string, geom.ChunkPos, *voxel.Chunk) error { return errChunks }

// Column writes a column into the region files that hold its parts: the chunk,
// its entities, its points of interest. A column of another format becomes a
// finished chunk of its Version.
func (w *FolderWriter) Column(c *format.Column) error {
	if w.enc == nil {
		return fmt.Errorf("anvil: write: column %v before any dimension", c.Pos)
	}
	if c.Version == 0 && findPart(c, voxel.PartChunk) == nil {
		made := *c
		made.Version = w.o.Version
		c = &made
	}
	w.version = max(w.version, c.Version)
	w.countLost(c)
	for kind, name := range kindParts {
		if err := w.part(c, kind, findPart(c, name)); err != nil {
			return fmt.Errorf("anvil: write: %s of column %v: %w", name, c.Pos, err)
		}
	}
	if w.pending > w.o.PendingBytes {
		return w.flush()
	}
	return nil
}

// Lost counts by name the parts and objects of columns that Anvil has no place
// for, and columns of 1.13 and of McRegion with stale light, which only later games light
// again: of all columns so far.
func (w *FolderWriter) Lost() map[string]int { return maps.Clone(w.lost) }

func (w *FolderWriter) countLost(c *format.Column) {
	if staleLight(c) != 0 && (w.ext == mcregionExt || lightTag(c.Version) == "") {
		w.lost["columns with stale light"]++
	}
	for _, p := range c.Parts {
		data, alone := pluginsIn(&p)
		switch {
		case data != nil && alone:
		case !slices.Contains(kindParts[:], p.Name):
			w.lost[p.Name]++
		case p.Damaged && len(p.Data) == 0:
			w.lost["damaged, without bytes: "+p.Name]++
		}
	}
	for _, l := range c.Lists {
		switch l.Name {
		case voxel.BlockEntities, voxel.Entities, voxel.BlockTicks, voxel.FluidTicks, ownEntities(c.Version):
		default:
			w.lost[l.Name] += len(l.Objects)
		}
	}
}

func findPart(c *format.Column, name string) *voxel.Part {
	for i := range c.Parts {
		if c.Parts[i].Name == name {
			return &c.Parts[i]
		}
	}
	return nil
}

// part writes what a column has of one kind. p may be nil.
func (w *FolderWriter) part(c *format.Column, kind int, p *voxel.Part) error {
	var stamp uint32
	if p != nil {
		stamp = p.Stamp
		if p.Damaged && w.o.Format == linearName {
			if len(p.Data) > 0 {
				w.lost["damaged: "+p.Name]++
			}
			return w.put(c.Pos, kind, stamp, nil, 0)
		}
		if p.Damaged {
			return w.put(c.Pos, kind, stamp, bytes.Clone(p.Data), 0)
		}
	}
	doc, err := w.enc.document(c, kind, p)
	if err != nil {
		return err
	}
	if doc == nil {
		if stamp != 0 && w.o.Linear == linear.Buffered {
			w.lost["times of chunks that are not there"]++
			stamp = 0
		}
		return w.put(c.Pos, kind, stamp, nil, 0)
	}
	stored, err := w.compress(c.Pos, kind, doc)
	if err != nil {
		return err
	}
	return w.put(c.Pos, kind, stamp, stored, len(doc))
}

// compress returns what a slot holds for a document; a payload that is too long
// for it goes into a file of its own.
func (w *FolderWriter) compress(pos geom.ColumnPos, kind int, doc []byte) ([]byte, error) {
	w.deflated.Reset()
	w.deflated.Write([]byte{0, 0, 0, 0, typeZlib})
	w.zlib.Reset(&w.deflated)
	if _, err := w.zlib.Write(doc); err != nil {
		return nil, err
	}
	if err := w.zlib.Close(); err != nil {
		return nil, err
	}
	stored := bytes.Clone(w.deflated.Bytes())
	switch payload := stored[5:]; {
	case len(payload) <= maxInside || w.o.Format == linearName:
	case w.ext == mcregionExt:
		return nil, fmt.Errorf("%d bytes, at most %d fit into a region file of McRegion: %w", len(payload), maxInside, format.ErrHolds)
	default:
		name := path.Join(w.dim.Folder, kindFolders[kind], fmt.Sprintf("c.%d.%d.mcc", pos.X, pos.Z))
		if err := w.create(name, -1, os.O_TRUNC, bytes.NewReader(payload)); err != nil {
			return nil, err
		}
		stored = []byte{0, 0, 0, 0, typeZlib | typeExternal}
	}
	binary.BigEndian.PutUint32(stored, uint32(len(stored)-4))
	return stored, nil
}

// put fills a slot; without a stamp and bytes there is nothing to fill.
func (w *FolderWriter) put(pos geom.ColumnPos, kind int, stamp uint32, stored []byte, size int) error {
	if stamp == 0 && len(stored) == 0 {
		return nil
	}
	key := regionKey{w.dim.Folder, kind, pos.X >> 5, pos.Z >> 5}
	b, err := w.region(key)
	if err != nil {
		return err
	}
	slot := int(pos.X&31 | pos.Z&31<<5)
	if b.chunks[slot] != nil || b.stamps[slot] != 0 {
		return ErrTwice
	}
	b.chunks[slot], b.stamps[slot], b.sizes[slot] = stored, stamp, size
	w.pending += len(stored)
	return nil
}

// region returns the buffer of a region file; one that has been flushed is read
// again.
func (w *FolderWriter) region(key regionKey) (*regionBuffer, error) {
	if b := w.regions[key]; b != nil {
		return b, nil
	}
	b := &regionBuffer{}
	name := key.path(w.ext)
	switch size, ok := w.made[name]; {
	case ok && size > headerSize:
		return nil, fmt.Errorf("%s: %w", name, ErrTwice)
	case ok && size < 0:
		if err := w.reload(b, name); err != nil {
			return nil, err
		}
	}
	w.made[name] = -1
	w.regions[key] = b
	return b, nil
}

func (w *FolderWriter) reload(b *regionBuffer, name string) error {
	g, err := openRegion(w.root.FS(), name, 0, 0)
	if err != nil {
		return err
	}
	defer g.close()
	for slot := range slots {
		if b.stamps[slot] = g.stamp(slot); g.absent(slot) {
			continue
		}
		if g.linear != nil {
			doc, err := g.linear.Chunk(slot)
			if err == nil {
				b.chunks[slot], err = w.compress(g.pos(slot), kindChunk, doc)
			}
			if err != nil {
				return err
			}
			b.sizes[slot] = len(doc)
			w.pending += len(b.chunks[slot])
			continue
		}
		// A damaged chunk was written as it is, and stays so.
		b.chunks[slot], _ = g.stored(slot, nil)
		w.pending += len(b.chunks[slot])
	}
	return nil
}

// flush writes all region files that wait.
func (w *FolderWriter) flush() error {
	for _, key := range slices.SortedFunc(maps.Keys(w.regions), compareKeys) {
		b := w.regions[key]
		r := b.reader()
		if w.o.Format == linearName {
			file, err := b.linear(w.o.Linear, key)
			if err != nil {
				return fmt.Errorf("anvil: write: %s: %w", key.path(w.ext), err)
			}
			r = bytes.NewReader(file)
		}
		if err := w.create(key.path(w.ext), -1, os.O_TRUNC, r); err != nil {
			return fmt.Errorf("anvil: write: %w", err)
		}
	}
	clear(w.regions)
	w.pending = 0
	return nil
}

// linear returns the region file in a version of Linear's format.
func (b *regionBuffer) linear(version int, key regionKey) ([]byte, error) {
	var out bytes.Buffer
	var inf inflater
	var doc []byte
	err := linear.Write(&out, version, linear.Content{X: key.x, Z: key.z, Sizes: b.sizes, Stamps: b.stamps, Chunk: func(slot int) (_ []byte, err error) {
		doc, _, err = inf.inflate(doc[:0], typeZlib, b.chunks[slot][5:])
		return doc, err
	}})
	return out.Bytes(), err
}

// reader returns the region file: the chunks in the order of their slots.
func (b *regionBuffer) reader() io.Reader {
	head := make([]byte, headerSize)
	readers := []io.Reader{bytes.NewReader(head)}
	next := headerSize / sector
	for slot, stored := range b.chunks {
		binary.BigEndian.PutUint32(head[sector+4*slot:], b.stamps[slot])
		if len(stored) == 0 {
			continue
		}
		count := (len(stored) + sector - 1) / sector
		binary.BigEndian.PutUint32(head[4*slot:], uint32(next<<8|min(count, maxCount)))
		readers = append(readers, bytes.NewReader(stored), bytes.NewReader(make([]byte, count*sector-len(stored))))
		next += count
	}
	return io.MultiReader(readers...)
}
