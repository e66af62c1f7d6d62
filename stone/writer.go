package stone

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"io"
	"slices"
	"sync"

	"github.com/cairnvoxel/cairn/internal/codec"
	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/internal/stone/pages"
	"github.com/cairnvoxel/cairn/internal/stone/patch"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/zeebo/xxh3"
)

// Effort says how hard a Writer compresses.
type Effort int

// The efforts.
const (
	// Best is for stones that stay: imports and full packs. It tries all forms.
	// Package whole calls Writer.Light for it.
	Best Effort = iota
	// Quick is for commits.
	Quick
	// Good is for other packs: zstd as in Best, forms as in Quick. Stones take up to
	// twice the bytes of Best, a third of the time to write and half of the time to
	// read. zstd's next stronger level saves 5 % more, takes three times as long and
	// 34 MB.
	Good
)

// encoders returns the pool of the effort.
func (e Effort) encoders() *sync.Pool {
	if e == Good {
		e = Best
	}
	return &encoderPools[e]
}

var encoderPools = [2]sync.Pool{
	Best:  {New: func() any { return &pageEncoder{Encoder: pages.NewEncoder(true)} }},
	Quick: {New: func() any { return &pageEncoder{Encoder: pages.NewEncoder(false)} }},
}

// pageEncoder makes pages. A Writer keeps one from its first page to its last,
// because the garbage collector may empty a pool and its memory is megabytes.
type pageEncoder struct {
	*pages.Encoder
	cells       codec.Encoder
	flood       light.Flood
	page, other []byte // memory of pages of cells
}

// Options are the options of a Writer. The zero value is the default.
type Options struct {
	Effort Effort // default Best
	// PageChunks is the most chunks in a page, not counting uniform ones. Default
	// 64, at most 512.
	PageChunks int
	// Only, if not 0, is the number of the form of cells to use, whatever the size.
	// Pages that it cannot hold, or for which it is not tried, have form 1. It is
	// for measuring forms.
	Only int
	// Tally has the directory say what each dimension holds: see Reader.Tally.
	Tally bool
	// Whole has Differ and DifferFile write no patches.
	Whole bool
	// Plain has File compress nothing, and not look for equal pages: for files that are compressed already.
	Plain bool
	// AtOnce is how many pages of chunks Run encodes at once. Each takes some
	// megabytes of memory. Default 1. The written bytes do not depend on it.
	AtOnce int
	// Run calls f with 0 to n-1, possibly on several goroutines, and returns after
	// all calls. nil calls them one after another. With Run, those goroutines all
	// call the towers passed to the Writer.
	Run func(n int, f func(i int))
}

// stage is the state of a Writer.
type stage int

const (
	atProperties stage = iota
	atVolumes
	atRules
	atColumns
	atFiles
	atEnd
)

// Writer writes one stone front to back. It keeps one page and the directory in
// memory. Calls go in this order: Property, then for each dimension Dimension, its
// volumes (Volume, Chunk ...), Heights, its columns (Column, Lists, NoColumn ...);
// then File and NoFile; then Close. An error sticks. Goroutines must not share a
// Writer.
type Writer struct {
	w         io.Writer
	o         Options
	sum       hash.Hash
	off       int64
	dir       directory
	err       error
	stage     stage
	known     map[[sha256.Size]byte]int // page contents and shape -> page
	last      geom.Code                 // of the last chunk
	cube      cube
	cubes     []cube // of the current page
	runs      int    // chunks in cubes that are not uniform
	things    int    // chunks in the current page
	differ    int    // bytes of deltas in the current page, at most
	nameBytes int    // of all volumes' names
	columns   columnPages
	rules     int            // cells of all rules of height maps
	lit       *lighting      // of the dimension; nil if it has no rule of light
	blocks    blockPages     // of the dimension
	jobs      []*cellJob     // pages of cells that are not encoded yet
	page      []byte         // the last page of another kind
	encoders  []*pageEncoder // none before the first page
}

// NewWriter returns a Writer that writes a stone to w.
func NewWriter(w io.Writer, o Options) *Writer {
	o.PageChunks, o.AtOnce = cmp.Or(o.PageChunks, pageChunks), cmp.Or(o.AtOnce, 1)
	s := &Writer{w: w, o: o, sum: sha256.New(), known: map[[sha256.Size]byte]int{}}
	if o.PageChunks < 1 || o.PageChunks > maxRuns || o.Effort < Best || o.Effort > Good || o.Only != 0 && formOf("cells", o.Only).streams == nil {
		s.misuse("options %+v", o)
	}
	s.write(append([]byte(magic), FormatVersion))
	return s
}

// step moves to the stage to if the Writer is at a stage in from..last.
func (w *Writer) step(from, last, to stage, call string) error {
	if w.err == nil && (w.stage < from || w.stage > last) {
		w.misuse("%s out of order", call)
	}
	if w.err == nil {
		w.stage = to
	}
	return w.err
}

func (w *Writer) write(b []byte) {
	if w.err != nil {
		return
	}
	n, err := w.w.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	if err != nil {
		w.err = fmt.Errorf("stone: write at %d: %w", w.off, err)
		return
	}
	w.sum.Write(b)
	w.off += int64(len(b))
}

func (w *Writer) misuse(format string, args ...any) error {
	if w.err == nil {
		w.err = fmt.Errorf("stone: write: "+format, args...)
	}
	return w.err
}

// Property writes a fact about the world. Keys ascend.
func (w *Writer) Property(key, value string) error {
	if err := w.step(atProperties, atProperties, atProperties, "Property"); err != nil {
		return err
	}
	n := len(w.dir.properties)
	if n > 0 && w.dir.properties[n-1].Key >= key || n == maxProperties {
		return w.misuse("property %d, %q: not after the one before it, or too many", n, key)
	}
	if err := voxel.CheckName(key); err != nil {
		return w.misuse("property: %w", err)
	}
	w.dir.properties = append(w.dir.properties, Property{key, value})
	return w.err
}

// Dimension begins a dimension. Its name must be unique.
func (w *Writer) Dimension(name, folder string) error {
	w.flush()
	if err := w.step(atProperties, atColumns, atVolumes, "Dimension"); err != nil {
		return err
	}
	same := func(d dimension) bool { return d.name == name }
	if slices.ContainsFunc(w.dir.dims, same) || len(w.dir.dims) == maxDimensions {
		return w.misuse("dimension %q a second time, or too many", name)
	}
	if err := voxel.CheckName(name); err != nil {
		return w.misuse("dimension: %w", err)
	}
	d := dimension{name: name, folder: folder}
	if w.o.Tally {
		d.tally = NewTally()
	}
	w.dir.dims = append(w.dir.dims, d)
	w.columns, w.lit, w.blocks = columnPages{}, nil, blockPages{}
	return w.err
}

func (w *Writer) dimension() *dimension {
	if n := len(w.dir.dims); n > 0 {
		return &w.dir.dims[n-1]
	}
	return nil
}

// addPage writes a page and returns its number. If the stone has an equal page, it
// writes nothing.
func (w *Writer) addPage(form byte, streams [][]byte, shape []byte) int {
	w.setPage(form, streams)
	return w.keepPage(shape)
}

// setPage sets w.page to the page of streams.
func (w *Writer) setPage(form byte, streams [][]byte) {
	w.checkPage(streams)
	if w.err == nil {
		w.page = w.encoderOf(0).Append(w.page[:0], form, streams)
	}
}

// checkPage makes the Writer fail if no page holds the streams.
func (w *Writer) checkPage(streams [][]byte) {
	if n := pages.Size(streams); n > maxPage {
		w.misuse("a page of %d bytes: at most %d", n, maxPage)
	}
}

// keepPage writes w.page and returns its number. If the stone has an equal page, it
// writes nothing.
func (w *Writer) keepPage(shape []byte) int {
	w.writeJobs()
	return w.keep(w.page, shape)
}

// keep is keepPage for any page. Earlier pages must be written.
func (w *Writer) keep(b, shape []byte) int {
	if w.err != nil {
		return 0
	}
	key := sha256.Sum256(slices.Concat(b, shape))
	if n, ok := w.known[key]; ok {
		return n
	}
	n := w.enterPage(b)
	w.known[key] = n
	return n
}

// enterPage writes a page and returns its number.
func (w *Writer) enterPage(b []byte) int {
	n := len(w.dir.pages)
	w.dir.pages = append(w.dir.pages, page{w.off, len(b), uint32(xxh3.Hash(b))})
	w.write(b)
	return n
}

// encoderOf returns the pageEncoder of page i of the pages that are made at once.
func (w *Writer) encoderOf(i int) *pageEncoder {
	for len(w.encoders) <= i {
		w.encoders = append(w.encoders, w.o.Effort.encoders().Get().(*pageEncoder))
	}
	return w.encoders[i]
}

// endPage ends the current page of cells and writes all pages of cells.
func (w *Writer) endPage() {
	w.endCube()
	w.flushPage()
}

func (w *Writer) flushCells() {
	w.endPage()
	w.writeJobs()
}

// flush writes what is pending of the last dimension.
func (w *Writer) flush() {
	w.flushCells()
	w.flushColumns()
}

// File writes a file of size bytes. Paths ascend, and files follow all dimensions.
// It fails if r yields another number of bytes.
func (w *Writer) File(path string, size int64, r io.Reader) error {
	if err := w.nextFile("File", path, size); err != nil {
		return err
	}
	f := file{path: path, size: size}
	buf := make([]byte, min(size, filePage))
	for rest := size; rest > 0 && w.err == nil; rest -= int64(len(buf)) {
		buf = buf[:min(rest, filePage)]
		if _, err := io.ReadFull(r, buf); err != nil {
			return w.misuse("file %q: %w", path, err)
		}
		if w.o.Plain {
			w.page = pages.AppendStored(w.page[:0], 0, []pages.Stored{{Size: len(buf), Data: buf}})
			f.pages = append(f.pages, w.enterPage(w.page))
		} else {
			f.pages = append(f.pages, w.addPage(0, [][]byte{buf}, nil))
		}
	}
	if n, err := io.ReadFull(r, make([]byte, 1)); n > 0 || err != io.EOF {
		return w.misuse("file %q: more than %d bytes, or %w", path, size, cmp.Or(err, cursor.ErrLong))
	}
	w.dir.files = append(w.dir.files, f)
	return w.err
}

// DifferFile writes a file of which the stones below have base, in place of File: as a patch if that is smaller. The
// stone then needs the stones below.
func (w *Writer) DifferFile(path string, base, data []byte) error {
	if p := w.diff(base, data); p != nil {
		return w.filePatch(path, int64(len(data)), p)
	}
	return w.File(path, int64(len(data)), bytes.NewReader(data))
}

// diff returns the patch that makes target of base, nil if there is to be none.
func (w *Writer) diff(base, target []byte) *patch.Patch {
	if w.o.Whole || len(target) <= sureDelta {
		return nil
	}
	return patch.Diff(base, target)
}

// filePatch writes a file of size bytes as a patch.
func (w *Writer) filePatch(path string, size int64, p *patch.Patch) error {
	if err := w.nextFile("DifferFile", path, size); err != nil {
		return err
	}
	if w.o.Tally {
		return w.misuse("file %q: a patch in a stone with tallies", path)
	}
	n := w.addPage(formPatch, patch.Streams([]*patch.Patch{p}), nil)
	w.dir.files = append(w.dir.files, file{path: path, size: size, pages: slices.Repeat([]int{n}, int((size+filePage-1)/filePage))})
	return w.err
}

// NoFile says that the file is deleted. It goes where File would write it.
func (w *Writer) NoFile(path string) error {
	if err := w.nextFile("NoFile", path, 0); err != nil {
		return err
	}
	w.dir.files = append(w.dir.files, file{path: path, gone: true})
	return nil
}

// nextFile moves on to a file. It fails if the file cannot come now.
func (w *Writer) nextFile(call, path string, size int64) error {
	w.flush()
	if err := w.step(atProperties, atFiles, atFiles, call); err != nil {
		return err
	}
	n := len(w.dir.files)
	if n > 0 && w.dir.files[n-1].path >= path || n == maxFiles || size < 0 {
		return w.misuse("file %d, %q of %d bytes: not after the one before it, or too many", n, path, size)
	}
	return nil
}

// Close writes the directory and returns the stone's name and its size in bytes. It
// does not close the underlying writer.
func (w *Writer) Close() (ID, int64, error) {
	w.flush()
	if err := w.step(atProperties, atFiles, atEnd, "Close"); err != nil {
		return ID{}, w.off, err
	}
	form, plain := w.dir.plain()
	if len(plain) > maxDirectory {
		w.misuse("a directory of %d bytes: at most %d", len(plain), maxDirectory)
	}
	dir := w.encoderOf(0).Append(nil, byte(form), [][]byte{plain})
	for _, p := range w.encoders {
		w.o.Effort.encoders().Put(p)
	}
	w.encoders = nil
	for _, p := range w.dir.pages {
		dir = binary.LittleEndian.AppendUint32(dir, p.hash)
	}
	foot := binary.LittleEndian.AppendUint64(nil, uint64(w.off))
	foot = binary.LittleEndian.AppendUint32(foot, uint32(len(dir)))
	foot = binary.LittleEndian.AppendUint64(foot, directoryHash(FormatVersion, dir, foot))
	w.write(dir)
	w.write(append(foot, footerMagic...))
	var id ID
	if w.err == nil {
		w.sum.Sum(id[:0])
	}
	return id, w.off, w.err
}

// directoryHash covers the header, the directory and its position.
func directoryHash(version byte, dir, where []byte) uint64 {
	head := append([]byte(magic), version)
	return xxh3.Hash(bytes.Join([][]byte{head, dir, where}, nil))
}
