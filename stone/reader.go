package stone

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/bits"
	"slices"
	"sync"
	"unsafe"

	"github.com/cairnvoxel/cairn/internal/codec"
	"github.com/cairnvoxel/cairn/internal/stone/pages"
	"github.com/cairnvoxel/cairn/tile"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/zeebo/xxh3"
)

// PageKey names a decoded page in a PageCache: the stone, and the number of the
// directory entry that uses the page, counted through the directory. If several
// entries use one page, it is decoded for each.
type PageKey struct {
	Stone ID
	Entry uint32
}

// A PageCache keeps decoded pages for the Readers that share it. Goroutines may share
// it.
type PageCache interface {
	// Page returns the page under key. If the PageCache lacks it, Page calls fill and
	// keeps the result, which takes about bytes of memory. Of concurrent calls for
	// one key one fills; the others wait, or return ctx.Err() when ctx ends. If fill
	// fails, Page returns the error to its caller, and the next waiting caller
	// fills. Pages must not be changed.
	Page(ctx context.Context, key PageKey, fill func() (page any, bytes int64, err error)) (any, error)
}

// CacheBytes is the budget of the PageCache that Open gives to a Reader.
const CacheBytes = 64 << 20

// NewCache returns a PageCache of up to budget bytes of pages. It keeps none that is larger.
func NewCache(budget int64) tile.Pages[PageKey] {
	return tile.NewPages[PageKey](tile.Options{Budget: budget, Purposes: []tile.Purpose{{Policy: tile.WideTinyLFU}}})
}

// Hash implements tile.Key.
func (k PageKey) Hash() uint64 {
	return (binary.LittleEndian.Uint64(k.Stone[:]) + uint64(k.Entry)) * 0x9E3779B97F4A7C15
}

// wholeSize is the size in bytes up to which Open reads all of a stone.
const wholeSize = 64 << 10

// Reader reads one stone. It holds the directory and reads pages through a PageCache.
// Goroutines may share it. Its results are shared with the PageCache and must not be
// changed. Errors about bytes are *CorruptError.
type Reader struct {
	r     io.ReaderAt
	size  int64
	whole []byte // all of a small stone
	dir   *directory
	id    ID // in cache
	cache PageCache
}

// Open reads and checks the directory of the stone of size bytes in r. r must stay
// readable while the Reader is in use. The Reader has its own PageCache of CacheBytes;
// see Through.
func Open(r io.ReaderAt, size int64) (*Reader, error) {
	s := &Reader{r: r, size: size, cache: new(ownCache)}
	if err := s.open(); err != nil {
		return nil, fmt.Errorf("stone: open: %w", err)
	}
	return s, nil
}

// ownCache is a PageCache that is made when the first page is read: many stones are opened
// for their directory alone, or are read through another PageCache.
type ownCache struct {
	once  sync.Once
	pages tile.Pages[PageKey]
}

func (c *ownCache) Page(ctx context.Context, key PageKey, fill func() (any, int64, error)) (any, error) {
	c.once.Do(func() { c.pages = NewCache(CacheBytes) })
	return c.pages.Page(ctx, key, fill)
}

// Through returns a Reader of the same stone that reads pages through c under the
// name id. If c serves other stones too, id must be the stone's.
func (s *Reader) Through(c PageCache, id ID) *Reader {
	t := *s
	t.cache, t.id = c, id
	return &t
}

func (s *Reader) open() error {
	if s.size < int64(headerSize+footerSize) {
		return corruptf(0, "header", "%d bytes are no stone", s.size)
	}
	if s.size <= wholeSize {
		var err error
		if s.whole, err = s.read(0, int(s.size)); err != nil {
			return err
		}
		s.r = bytes.NewReader(s.whole)
	}
	head, err := s.read(0, headerSize)
	if err != nil {
		return err
	}
	if string(head[:len(magic)]) != magic {
		return corruptf(0, "header", "bad magic %q", head[:len(magic)])
	}
	version := head[len(magic)]
	switch {
	case version == 0:
		return corruptf(int64(len(magic)), "header", "format version 0")
	case version > FormatVersion:
		return fmt.Errorf("format version %d: %w", version, ErrNewer)
	}
	return s.openDirectory(version)
}

func (s *Reader) openDirectory(version byte) error {
	at := s.size - int64(footerSize)
	foot, err := s.read(at, footerSize)
	if err != nil {
		return err
	}
	if string(foot[footerSize-len(footerMagic):]) != footerMagic {
		return corruptf(at, "footer", "bad magic %q", foot[footerSize-len(footerMagic):])
	}
	off, n := binary.LittleEndian.Uint64(foot), binary.LittleEndian.Uint32(foot[8:])
	if off < uint64(headerSize) || off > uint64(at) || uint64(n) != uint64(at)-off || n > 2*maxDirectory {
		return corruptf(at, "footer", "a directory of %d bytes at %d", n, off)
	}
	b, err := s.read(int64(off), int(n))
	if err != nil {
		return err
	}
	if directoryHash(version, b, foot[:12]) != binary.LittleEndian.Uint64(foot[12:]) {
		return corrupt(int64(off), "directory", errChecksum)
	}
	form, plain, hashes, err := splitDirectory(b)
	if err == nil {
		s.dir, err = parseDirectory(form, plain, hashes, int64(headerSize), int64(off))
	}
	if c := (*CorruptError)(nil); errors.As(err, &c) {
		err = corrupt(int64(off), "directory", err)
	}
	return err
}

var errChecksum = errors.New("checksum does not match")

// splitDirectory separates the directory's page from the hashes after it. The plain
// bytes start with the number of hashes.
func splitDirectory(b []byte) (form pages.Spelling, plain, hashes []byte, err error) {
	f, streams, rest, err := pages.SplitPrefix(context.Background(), b, maxDirectory)
	if err != nil {
		return 0, nil, nil, err
	}
	form = pages.Spelling(f)
	if form > pages.ByWords || len(streams) != 1 {
		return 0, nil, nil, corruptf(0, "directory", "form %d with %d streams", form, len(streams))
	}
	return form, streams[0], rest, nil
}

// ReadAt reads the stone's stored bytes unchecked, for callers that copy the stone.
func (s *Reader) ReadAt(p []byte, off int64) (int, error) { return s.r.ReadAt(p, off) }

func (s *Reader) read(off int64, n int) ([]byte, error) {
	b := make([]byte, n)
	if got, err := s.r.ReadAt(b, off); got < n {
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("read %d bytes at %d: %w", n, off, err)
	}
	return b, nil
}

// page returns the form and streams of page n.
func (s *Reader) page(ctx context.Context, n int) (byte, [][]byte, error) {
	return s.pageOf(ctx, n, maxPage)
}

// pageOf is page for a page of at most most plain bytes.
func (s *Reader) pageOf(ctx context.Context, n int, most uint64) (byte, [][]byte, error) {
	b, err := s.rawPage(n)
	if err != nil {
		return 0, nil, err
	}
	form, streams, err := pages.SplitAtMost(ctx, b, most)
	return form, streams, s.at(n, err)
}

// rawPage returns the bytes of page n. The caller must not change them.
func (s *Reader) rawPage(n int) (b []byte, err error) {
	p := s.dir.pages[n]
	if s.whole != nil {
		b = s.whole[p.off:][:p.size]
	} else if b, err = s.read(p.off, p.size); err != nil {
		return nil, err
	}
	if uint32(xxh3.Hash(b)) != p.hash {
		part := "page"
		if s.id != (ID{}) {
			part = fmt.Sprintf("page of stone %v", s.id)
		}
		return nil, corrupt(p.off, part, errChecksum)
	}
	return b, nil
}

// at adds the position of page n to an error about its bytes.
func (s *Reader) at(n int, err error) error {
	var c *CorruptError
	if errors.As(err, &c) {
		return corrupt(s.dir.pages[n].off, fmt.Sprintf("page %d", n), err)
	}
	return err
}

// Size returns the stone's size in bytes.
func (s *Reader) Size() int64 { return s.size }

// Properties returns the facts about the whole world, sorted by key.
func (s *Reader) Properties() []Property { return slices.Clone(s.dir.properties) }

// Dimensions describes the stone's dimensions in the order they were written.
func (s *Reader) Dimensions() []DimensionInfo {
	dims := make([]DimensionInfo, len(s.dir.dims))
	for i, d := range s.dir.dims {
		dims[i] = DimensionInfo{Name: d.name, Folder: d.folder}
		for _, v := range d.volumes {
			vol := VolumeInfo{Volume: v.Volume, Names: v.names}
			for _, l := range v.levels {
				vol.Levels = append(vol.Levels, l.level)
			}
			dims[i].Volumes = append(dims[i].Volumes, vol)
		}
		for _, l := range d.lists {
			dims[i].Lists = append(dims[i].Lists, l.name)
		}
	}
	return dims
}

func (s *Reader) dimension(name string) *dimension {
	for i := range s.dir.dims {
		if s.dir.dims[i].name == name {
			return &s.dir.dims[i]
		}
	}
	return &dimension{}
}

func (s *Reader) entries(dim, vol string, level int) (*volume, []entry) {
	d := s.dimension(dim)
	for i := range d.volumes {
		if v := &d.volumes[i]; v.Name == vol {
			for _, l := range v.levels {
				if l.level == level {
					return v, l.entries
				}
			}
		}
	}
	return nil, nil
}

// ReadChunk returns the chunk at pos of a volume's level. covered says that the stone has
// an entry for it; a nil chunk then has no cells. It reads one page.
func (s *Reader) ReadChunk(ctx context.Context, dim, vol string, level int, pos geom.ChunkPos) (c *voxel.Chunk, covered bool, err error) {
	err = s.ReadChunks(ctx, dim, vol, level, []geom.ChunkPos{pos}, func(_ geom.ChunkPos, got *voxel.Chunk) error {
		c, covered = got, true
		return nil
	})
	return c, covered || err != nil, err
}

// find returns the index of the entry for a neighbour, or -1.
func find(entries []entry, key uint64, bit int) int {
	i, _ := slices.BinarySearchFunc(entries, key, func(e entry, k uint64) int { return cmp.Compare(e.key, k) })
	for ; i < len(entries) && entries[i].key == key; i++ {
		if entries[i].mask>>bit&1 != 0 {
			return i
		}
	}
	return -1
}

// group returns the entries around index i that share its page, including entries
// without a page between them.
func group(entries []entry, i int) []entry {
	if !entries[i].paged() {
		return entries[i : i+1]
	}
	from, to := groupStart(entries, i), i+1
	for n := to; n < len(entries); n++ {
		if e := entries[n]; e.page == entries[i].page && e.first > 0 {
			to = n + 1
		} else if e.paged() {
			break
		}
	}
	return entries[from:to]
}

// groupStart returns the index of the first entry of the group around index i. Entry
// i has a page.
func groupStart(entries []entry, i int) int { return i - int(entries[i].number-entries[i].begun) }

// chunk returns the chunk of an entry without a page.
func (e *entry) chunk() *voxel.Chunk {
	if e.page != constPage {
		return nil
	}
	return voxel.Uniform(e.value)
}

// at returns the index in the entry's page of the item at a bit of its mask.
func (e *entry) at(bit int) int { return int(e.first) + bits.OnesCount64(e.mask&(1<<bit-1)) }

// cachedPage returns the page of a group through the PageCache. begun is the number of the
// group's first entry.
func cachedPage[T any](ctx context.Context, s *Reader, begun uint32, decode func() (T, int64, error)) (T, error) {
	page, err := s.cache.Page(ctx, PageKey{s.id, begun}, func() (any, int64, error) {
		page, bytes, err := decode()
		return page, bytes, err
	})
	if err != nil {
		var none T
		return none, err
	}
	return page.(T), nil
}

// cells returns the chunks of the page of the group's first entry, in the order of
// the group. Only those in want need be complete; nil means all. It fails if there are deltas.
func (s *Reader) cells(ctx context.Context, v *volume, group []entry, want []int) ([]*voxel.Chunk, error) {
	page, err := s.lit(ctx, v, group, want)
	switch {
	case err != nil:
		return nil, err
	case page.deltas != nil:
		return nil, fmt.Errorf("page %d: %w", group[0].page, ErrNoBase)
	}
	return page.chunks, nil
}

// lit is cellsPage, of which the chunks in want have their light.
func (s *Reader) lit(ctx context.Context, v *volume, group []entry, want []int) (*cellsPage, error) {
	page, err := s.cellsPage(ctx, v, group)
	if err == nil && page.unlit != nil {
		err = s.at(group[0].page, s.lightOf(ctx, s.dimensionOf(v), page, want))
	}
	return page, err
}

// cellsPage returns the page of the group's first entry, of which chunks may lack their light.
func (s *Reader) cellsPage(ctx context.Context, v *volume, group []entry) (*cellsPage, error) {
	return cachedPage(ctx, s, group[0].number, func() (*cellsPage, int64, error) {
		page, err := s.decode(ctx, v, group)
		if err != nil {
			return nil, 0, err
		}
		bytes := cellBytes(page.chunks)
		for _, d := range page.deltas {
			bytes += 8 + d.memory()
		}
		return page, bytes, nil
	})
}

// cellBytes estimates the memory of chunks.
func cellBytes(chunks []*voxel.Chunk) (n int64) {
	for _, c := range chunks {
		n += 8
		if c != nil {
			n += int64(c.Bytes())
		}
	}
	return n
}

var cellDecoders = sync.Pool{New: func() any { return new(codec.Decoder) }}

// decode decodes the page of the group's first entry.
func (s *Reader) decode(ctx context.Context, v *volume, group []entry) (*cellsPage, error) {
	n := group[0].page
	form, streams, err := s.page(ctx, n)
	if err != nil {
		return nil, err
	}
	var at []geom.ChunkPos
	for _, e := range group {
		if e.page == n && int(e.first) == len(at) {
			at = positions(at, e.key, e.mask)
		} else if e.paged() {
			break
		}
	}
	dec := cellDecoders.Get().(*codec.Decoder)
	defer cellDecoders.Put(dec)
	dec.Until(ctx)
	defer dec.Until(context.Background())
	page, err := decodeCells(ctx, dec, form, streams, at, s.dimensionOf(v), v, group[0].finest())
	if err != nil {
		return nil, s.at(n, err)
	}
	page.work = dec.Work()
	return page, nil
}

// Chunks yields every chunk that the stone has an entry for in a volume's level, in
// ascending order of code. It stops after an error, and when ctx ends.
func (s *Reader) Chunks(ctx context.Context, dim, vol string, level int) iter.Seq2[Placed, error] {
	return func(yield func(Placed, error) bool) {
		v, entries := s.entries(dim, vol, level)
		var page []*voxel.Chunk
		for i := range entries {
			e := &entries[i]
			err := ctx.Err()
			if e.paged() && e.first == 0 && err == nil {
				page, err = s.cells(ctx, v, group(entries, i), nil)
			}
			if err != nil {
				yield(Placed{}, fmt.Errorf("stone: volume %q: %w", vol, err))
				return
			}
			c, next := e.chunk(), e.first
			for m := e.mask; m != 0; m &= m - 1 {
				if e.paged() {
					c = page[next]
					next++
				}
				if !yield(Placed{cubeChunk(e.key, bits.TrailingZeros64(m)), c}, nil) {
					return
				}
			}
		}
	}
}

// Memory estimates the bytes of memory that the Reader holds. That is mostly the
// directory, which in memory can be much larger than a small stone.
func (s *Reader) Memory() int64 {
	n := memoryOf(s.dir.pages) + memoryOf(s.dir.files) + memoryOf(s.dir.properties)
	for _, p := range s.dir.properties {
		n += int64(len(p.Key) + len(p.Value))
	}
	for _, f := range s.dir.files {
		n += int64(len(f.path)) + memoryOf(f.pages)
	}
	for i := range s.dir.dims {
		n += s.dir.dims[i].memory()
	}
	return n
}

func (d *dimension) memory() int64 {
	n := int64(unsafe.Sizeof(*d)) + memoryOf(d.columns) + memoryOf(d.rules) + memoryOf(d.lists) + memoryOf(d.matters)
	for _, r := range d.rules {
		n += memoryOf(r.Cells) + int64(len(r.Map))
	}
	for _, v := range d.volumes {
		n += int64(unsafe.Sizeof(v)) + memoryOf(v.names)
		for _, name := range v.names {
			n += int64(len(name))
		}
		for _, l := range v.levels {
			n += int64(unsafe.Sizeof(l)) + memoryOf(l.entries)
		}
	}
	for _, l := range d.lists {
		n += memoryOf(l.entries)
	}
	return n
}

func memoryOf[T any](s []T) int64 { return int64(len(s)) * int64(unsafe.Sizeof(*new(T))) }
