package stone

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"math/bits"
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/cairnvoxel/cairn/codec"
	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/voxel"
)

// Options say how a Writer writes. The zero value is the default.
type Options struct {
	Effort Effort // default Best
	// PageChunks is how many chunks that are not uniform a page may hold.
	// Default 64; for measurements.
	PageChunks int
}

// Writer writes one stone front to back. What it holds in memory is one page
// and the directory. Calls go in this order: Property, then for each dimension
// Dimension, its volumes (Volume, Chunk ...), its columns (Column ...); then
// File; then Close. An error sticks. Not safe for concurrent use.
type Writer struct {
	w       io.Writer
	o       Options
	sum     hash.Hash
	off     int64
	dir     directory
	err     error
	known   map[[sha256.Size]byte]int // page contents and shape -> page
	enc     codec.Encoder
	level   int
	last    geom.Code // of the last chunk
	cube    cube
	cubes   []cube // of the page under way
	runs    int    // chunks that are not uniform in cubes
	columns columnPages
	page    []byte
}

// NewWriter returns a Writer that writes a stone to w.
func NewWriter(w io.Writer, o Options) *Writer {
	o.PageChunks = cmp.Or(o.PageChunks, pageChunks)
	s := &Writer{w: w, o: o, sum: sha256.New(), known: map[[sha256.Size]byte]int{}}
	s.write(append([]byte(magic), FormatVersion))
	return s
}

func (w *Writer) write(b []byte) {
	if w.err != nil {
		return
	}
	n, err := w.w.Write(b)
	w.sum.Write(b[:n])
	w.off += int64(n)
	w.err = err
}

func (w *Writer) misuse(format string, args ...any) error {
	if w.err == nil {
		w.err = fmt.Errorf("stone: write: "+format, args...)
	}
	return w.err
}

// Property notes a fact about the world; keys ascend.
func (w *Writer) Property(key, value string) error {
	if n := len(w.dir.properties); n > 0 && w.dir.properties[n-1].Key >= key {
		return w.misuse("property %q after %q", key, w.dir.properties[n-1].Key)
	}
	w.dir.properties = append(w.dir.properties, Property{key, value})
	return w.err
}

// Dimension begins a dimension.
func (w *Writer) Dimension(name, folder string) error {
	w.flush()
	w.dir.dims = append(w.dir.dims, dimension{name: name, folder: folder})
	w.columns = columnPages{}
	return w.err
}

func (w *Writer) dimension() *dimension {
	if n := len(w.dir.dims); n > 0 {
		return &w.dir.dims[n-1]
	}
	return nil
}

// Volume begins a volume of the last dimension. names are what its cells index:
// the empty cell's first, then those in use, sorted; of a Terrain volume the
// materials' by number, or nil. The Writer keeps names.
func (w *Writer) Volume(v voxel.Volume, names []string) error {
	w.flush()
	d := w.dimension()
	switch {
	case d == nil || len(d.columns) > 0:
		return w.misuse("volume %q outside a dimension or after its columns", v.Name)
	case v.Schema == voxel.Palette && len(names) > 1 && !slices.IsSorted(names[1:]):
		return w.misuse("names of volume %q are not sorted", v.Name)
	case v.Scale < 1 || v.Scale > 255 || !v.Schema.Valid(v.Default, max(1, len(names))):
		return w.misuse("volume %q: scale %d, default %d", v.Name, v.Scale, v.Default)
	}
	d.volumes = append(d.volumes, volume{Volume: v, names: names})
	return w.err
}

func (w *Writer) volume() *volume {
	d := w.dimension()
	if d == nil || len(d.volumes) == 0 {
		return nil
	}
	return &d.volumes[len(d.volumes)-1]
}

// Chunk writes a chunk of the last volume: c's cells, or if c is nil that the
// chunk has none. Chunks come by level, and in ascending order of their code
// (geom.CodeOf) within a level.
func (w *Writer) Chunk(level int, pos geom.ChunkPos, c *voxel.Chunk) error {
	v := w.volume()
	switch {
	case w.err != nil:
		return w.err
	case v == nil:
		return w.misuse("chunk %v outside a volume", pos)
	case level < 0 || level > geom.MaxDepth-2 || !inLevel(pos, level):
		return w.misuse("chunk %v of level %d: %w", pos, level, geom.ErrOutOfRange)
	}
	if n := len(v.levels); n == 0 || v.levels[n-1].level != level {
		if n > 0 && v.levels[n-1].level > level {
			return w.misuse("level %d after %d", level, v.levels[n-1].level)
		}
		w.flushCells()
		v.levels = append(v.levels, detail{level, nil})
		w.last = 0
	}
	code := geom.CodeOf(pos, level)
	if code <= w.last {
		return w.misuse("chunk %v of volume %q is not after %v", pos, v.Name, w.last.Pos())
	}
	w.last = code
	key, bit := cubeKey(pos, level)
	if key != w.cube.key {
		w.endCube()
		w.cube.key = key
	}
	w.cube.mask |= 1 << bit
	w.cube.chunks = append(w.cube.chunks, c)
	return w.err
}

func inLevel(pos geom.ChunkPos, level int) bool {
	const max = geom.MaxChunk
	m := int32(max >> level)
	in := func(v int32) bool { return v >= -m && v < m }
	return in(pos.X) && in(pos.Y) && in(pos.Z)
}

// endCube puts the cube under way into the page under way, or ends that first.
func (w *Writer) endCube() {
	c := w.cube
	w.cube = cube{}
	if c.mask == 0 {
		return
	}
	if value, ok := c.constant(); ok {
		w.cubes = append(w.cubes, cube{c.key, c.mask, []*voxel.Chunk{voxel.Uniform(value)}})
		return
	}
	if w.runs > 0 && w.runs+c.runs() > w.o.PageChunks {
		w.flushPage()
	}
	for c.runs() > w.o.PageChunks {
		w.addCube(c.split(w.o.PageChunks))
		w.flushPage()
	}
	if c.mask != 0 {
		w.addCube(c)
	}
}

func (w *Writer) addCube(c cube) {
	w.runs += c.runs()
	w.cubes = append(w.cubes, c)
}

// split takes the first chunks with n runs off the cube.
func (c *cube) split(n int) cube {
	head := cube{key: c.key}
	for head.runs() < n {
		bit := c.mask & -c.mask
		head.mask |= bit
		head.chunks = append(head.chunks, c.chunks[0])
		c.mask &^= bit
		c.chunks = c.chunks[1:]
	}
	return head
}

// flushPage writes the page under way and its directory entries. A constant
// cube among them has an entry and no part in the page.
func (w *Writer) flushPage() {
	v := w.volume()
	if v == nil || len(w.cubes) == 0 {
		return
	}
	var paged []cube
	for _, c := range w.cubes {
		if !c.isConstant() {
			paged = append(paged, c)
		}
	}
	number := constPage
	if len(paged) > 0 {
		number = w.addPage(byte(codec.Columns), cellPage(&w.enc, paged), shape(paged))
	}
	l, first := &v.levels[len(v.levels)-1], 0
	for _, c := range w.cubes {
		e := entry{key: c.key, mask: c.mask, page: constPage}
		if c.isConstant() {
			e.value, _ = c.constant()
		} else {
			e.page, e.first = number, first
			first += bits.OnesCount64(c.mask)
		}
		l.entries = append(l.entries, e)
	}
	w.cubes, w.runs = nil, 0
}

func (c *cube) isConstant() bool { _, ok := c.constant(); return ok }

// shape tells apart pages whose bytes mean different chunks: masks and how the
// cubes lie to each other.
func shape(cubes []cube) (s []byte) {
	from := cubeChunk(cubes[0].key, 0)
	for _, c := range cubes {
		at := cubeChunk(c.key, 0)
		for _, v := range []int32{at.X - from.X, at.Y - from.Y, at.Z - from.Z} {
			s = binary.AppendVarint(s, int64(v))
		}
		s = binary.LittleEndian.AppendUint64(s, c.mask)
	}
	return s
}

// addPage writes a page unless the stone has an equal one, and returns its number.
func (w *Writer) addPage(form byte, streams [][]byte, shape []byte) int {
	for _, s := range streams {
		if len(s) > maxPage {
			w.misuse("a page of %d bytes: at most %d", len(s), maxPage)
			return 0
		}
	}
	w.page = w.o.Effort.appendPage(w.page[:0], form, streams)
	key := sha256.Sum256(slices.Concat(w.page, shape))
	if n, ok := w.known[key]; ok {
		return n
	}
	n := len(w.dir.pages)
	w.known[key] = n
	w.dir.pages = append(w.dir.pages, page{w.off, len(w.page), uint32(xxh3.Hash(w.page))})
	w.write(w.page)
	return n
}

func (w *Writer) flushCells() {
	w.endCube()
	w.flushPage()
}

// flush ends what is under way in the last dimension.
func (w *Writer) flush() {
	w.flushCells()
	w.flushColumns()
}

// File writes a file of size bytes; paths ascend, and it comes after all
// dimensions. It fails if r yields another number of bytes.
func (w *Writer) File(path string, size int64, r io.Reader) error {
	w.flush()
	if n := len(w.dir.files); n > 0 && w.dir.files[n-1].path >= path {
		return w.misuse("file %q after %q", path, w.dir.files[n-1].path)
	}
	f := file{path: path, size: size}
	buf := make([]byte, min(size, filePage))
	for rest := size; rest > 0 && w.err == nil; rest -= int64(len(buf)) {
		buf = buf[:min(rest, filePage)]
		if _, err := io.ReadFull(r, buf); err != nil {
			return w.misuse("file %q: %w", path, err)
		}
		f.pages = append(f.pages, w.addPage(0, [][]byte{buf}, nil))
	}
	w.dir.files = append(w.dir.files, f)
	return w.err
}

// Close writes the directory and returns the stone's name and size in bytes. It
// does not close the underlying writer.
func (w *Writer) Close() (ID, int64, error) {
	w.flush()
	plain := w.dir.append(nil)
	dir := w.o.Effort.appendPage(nil, 0, [][]byte{plain})
	for _, p := range w.dir.pages {
		dir = binary.LittleEndian.AppendUint32(dir, p.hash)
	}
	foot := binary.LittleEndian.AppendUint64(nil, uint64(w.off))
	foot = binary.LittleEndian.AppendUint32(foot, uint32(len(dir)))
	foot = binary.LittleEndian.AppendUint64(foot, directoryHash(dir, foot))
	w.write(dir)
	w.write(append(foot, footerMagic...))
	var id ID
	w.sum.Sum(id[:0])
	size, err := w.off, w.err
	if err == nil {
		w.err = errors.New("stone: write: closed")
	}
	return id, size, err
}

// directoryHash covers the header, the directory and where it lies.
func directoryHash(dir, where []byte) uint64 {
	head := append([]byte(magic), FormatVersion)
	return xxh3.Hash(bytes.Join([][]byte{head, dir, where}, nil))
}
