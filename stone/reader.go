package stone

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/bits"
	"slices"
	"sync"

	"github.com/zeebo/xxh3"

	"github.com/cairnvoxel/cairn/codec"
	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/voxel"
)

// wholeSize is the size in bytes up to which Open reads a stone at once.
const wholeSize = 64 << 10

// Reader reads one stone. It holds the directory and nothing else, so any
// number of goroutines may use it at once. Errors about bytes are a
// *CorruptError.
type Reader struct {
	r     io.ReaderAt
	size  int64
	whole []byte // all of a small stone
	dir   *directory

	lately lately // what light was computed from
}

// Open reads and checks the directory of the stone of size bytes in r, which
// must stay readable as long as the Reader is used.
func Open(r io.ReaderAt, size int64) (*Reader, error) {
	s := &Reader{r: r, size: size}
	if err := s.open(); err != nil {
		return nil, fmt.Errorf("stone: open: %w", err)
	}
	return s, nil
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

// splitDirectory parts the directory's page from the hashes behind it; how many
// these are stands at the start of the plain bytes.
func splitDirectory(b []byte) (form spelling, plain, hashes []byte, err error) {
	f, streams, rest, err := splitPagePrefix(b, maxDirectory)
	if err != nil {
		return 0, nil, nil, err
	}
	form = spelling(f)
	if form > byWords || len(streams) != 1 {
		return 0, nil, nil, corruptf(0, "directory", "form %d with %d streams", form, len(streams))
	}
	return form, streams[0], rest, nil
}

// ReadAt reads the stone's bytes as they are stored, unchecked, for those who
// pass it on.
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
func (s *Reader) page(n int) (byte, [][]byte, error) {
	b, err := s.rawPage(n)
	if err != nil {
		return 0, nil, err
	}
	form, streams, err := splitPage(b)
	return form, streams, s.at(n, err)
}

// rawPage returns the bytes of page n, which must not be changed.
func (s *Reader) rawPage(n int) (b []byte, err error) {
	p := s.dir.pages[n]
	if s.whole != nil {
		b = s.whole[p.off:][:p.size]
	} else if b, err = s.read(p.off, p.size); err != nil {
		return nil, err
	}
	if uint32(xxh3.Hash(b)) != p.hash {
		return nil, corrupt(p.off, "page", errChecksum)
	}
	return b, nil
}

// at puts the place of page n into an error about its bytes.
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
func (s *Reader) Dimensions() []Dimension {
	dims := make([]Dimension, len(s.dir.dims))
	for i, d := range s.dir.dims {
		dims[i] = Dimension{Name: d.name, Folder: d.folder}
		for _, v := range d.volumes {
			vol := Volume{Volume: v.Volume, Names: v.names}
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

// Chunk returns the chunk at pos of a volume's level and whether the stone
// speaks of it; a chunk that is spoken of and nil has no cells. It reads one
// page.
func (s *Reader) Chunk(dim, vol string, level int, pos geom.ChunkPos) (c *voxel.Chunk, spoken bool, err error) {
	err = s.ReadChunks(dim, vol, level, []geom.ChunkPos{pos}, func(_ geom.ChunkPos, got *voxel.Chunk) error {
		c, spoken = got, true
		return nil
	})
	return c, spoken || err != nil, err
}

// find returns the index of the entry that speaks of a neighbour, or -1.
func find(entries []entry, key uint64, bit int) int {
	i, _ := slices.BinarySearchFunc(entries, key, func(e entry, k uint64) int {
		if e.key < k {
			return -1
		} else if e.key > k {
			return 1
		}
		return 0
	})
	for ; i < len(entries) && entries[i].key == key; i++ {
		if entries[i].mask>>bit&1 != 0 {
			return i
		}
	}
	return -1
}

// group returns the entries around index i that share its page, with those of
// no page between them.
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

// groupStart returns the index of the first entry of the group around index i,
// which has a page.
func groupStart(entries []entry, i int) int {
	from := i
	for entries[from].page != entries[i].page || entries[from].first > 0 {
		from--
	}
	return from
}

// chunk returns what an entry without a page says of each of its chunks.
func (e *entry) chunk() *voxel.Chunk {
	if e.page != constPage {
		return nil
	}
	return voxel.Uniform(e.value)
}

type result struct {
	chunk *voxel.Chunk
	err   error
}

// chunks yields the chunks of a group of entries in order.
func (s *Reader) chunks(v *volume, group []entry) iter.Seq2[geom.ChunkPos, result] {
	return func(yield func(geom.ChunkPos, result) bool) {
		var paged []*voxel.Chunk
		for n, e := range group {
			if e.paged() && e.first == 0 {
				var err error
				if paged, err = s.cells(v, group[n:]); err != nil {
					yield(geom.ChunkPos{}, result{nil, err})
					return
				}
			}
			c, next := e.chunk(), e.first
			for m := e.mask; m != 0; m &= m - 1 {
				if e.paged() {
					c = paged[next]
					next++
				}
				if !yield(cubeChunk(e.key, bits.TrailingZeros64(m)), result{c, nil}) {
					return
				}
			}
		}
	}
}

var cellDecoders = sync.Pool{New: func() any { return new(codec.Decoder) }}

// cells decodes the page of the group's first entry.
func (s *Reader) cells(v *volume, group []entry) ([]*voxel.Chunk, error) {
	at, chunks, err := s.decode(v, group)
	if err == nil {
		s.keep(v, group[0], at, chunks)
	}
	return chunks, err
}

// decode decodes the page of the group's first entry, and returns where its
// chunks are as well.
func (s *Reader) decode(v *volume, group []entry) (at []geom.ChunkPos, chunks []*voxel.Chunk, err error) {
	n := group[0].page
	form, streams, err := s.page(n)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range group {
		if e.page == n && (e.first == len(at)) {
			at = positions(at, e.key, e.mask)
		} else if e.paged() {
			break
		}
	}
	dec := cellDecoders.Get().(*codec.Decoder)
	defer cellDecoders.Put(dec)
	decode := func(l *lit) (err error) {
		chunks, err = decodeCells(dec, form, streams, at, v, l)
		return s.at(n, err)
	}
	if form == formLit && group[0].finest() {
		err = s.lit(v, decode)
	} else {
		err = decode(nil)
	}
	return at, chunks, err
}

// Chunks yields every chunk that the stone speaks of in a volume's level, in
// ascending order of code, each page decoded once. It ends after an error.
func (s *Reader) Chunks(dim, vol string, level int) iter.Seq2[Placed, error] {
	return func(yield func(Placed, error) bool) {
		v, entries := s.entries(dim, vol, level)
		if v == nil {
			return
		}
		for at, c := range s.chunks(v, entries) {
			if c.err != nil {
				yield(Placed{}, fmt.Errorf("stone: volume %q: %w", vol, c.err))
				return
			}
			if !yield(Placed{at, c.chunk}, nil) {
				return
			}
		}
	}
}
