package linear

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"
)

const (
	// maxChunk bounds the tags of a chunk.
	maxChunk = 64 << 20
	// maxWindow bounds what a frame may look back, which is memory.
	maxWindow = 128 << 20
	// maxRaw and maxRatio bound what a file unpacks to, which takes time, and the world's memory: so many bytes, and so many times
	// its own. Both lights in all sections of 24 for each chunk are 96 MiB, of next to no bytes if they are all the same.
	maxRaw, maxRatio = 112 << 20, 64
	// maxHeld and heldRatio bound the chunks that wait for being asked for.
	maxHeld, heldRatio = 64 << 20, 4
)

// Chunks are those of an open region file. One goroutine may use it at a time.
type Chunks struct {
	Version int
	Sizes   [Slots]int    // bytes of the tags of a chunk, 0 where there is none
	Stamps  [Slots]uint32 // seconds since 1970
	// ByColumn says that chunks lie by x, then by z.
	ByColumn bool
	// Stored counts the bytes of the frames.
	Stored int64
	// Fault is what is wrong with the file beside chunks that cannot be read, or nil.
	Fault error
	// Lost counts by name what Chunks do not hold.
	Lost map[string]int

	r       io.ReaderAt
	size    int64
	buckets []bucket
	at      [Slots]int // the bucket of a slot
	bad     map[int]error
	dec     *zstd.Decoder
	buf     [16]byte
	raw     int64

	cur, next int            // the bucket that is being read, and how many of its slots have been
	held      map[int][]byte // chunks that were read before they were asked for
	waits     int64          // bytes of held
	done      [Slots]bool    // asked for
	last      int            // the slot that was asked for last
	doc       []byte
}

// bucket is a frame and its slots.
type bucket struct {
	start, stored int64
	raw           int64   // bytes that it claims to unpack to, -1 if it does not say
	sum           *uint64 // its hash, nil if the file has none
	slots         []int
}

// Open reads a region file of size bytes. It unpacks all of it once, to know its chunks, and holds none of them. What is
// damaged is in Fault, or becomes an error of Chunk. Its own errors are those of r.
func Open(r io.ReaderAt, size int64) (*Chunks, error) {
	g := &Chunks{r: r, size: size, cur: -1, last: -1, bad: map[int]error{}, held: map[int][]byte{}, Lost: map[string]int{}}
	var err error
	g.dec, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, fmt.Errorf("linear: %w", err)
	}
	if err = g.readHead(); err == nil {
		for b := range g.buckets {
			g.index(b)
		}
		return g, nil
	}
	var corrupt *format.CorruptError
	if !errors.As(err, &corrupt) {
		g.Close()
		return nil, err
	}
	g.fail(err)
	g.buckets, g.Sizes = nil, [Slots]int{}
	return g, nil
}

// Close frees the decoder. The caller closes the file.
func (g *Chunks) Close() { g.dec.Close() }

// fail notes the first fault of the file.
func (g *Chunks) fail(err error) {
	if g.Fault == nil {
		g.Fault = err
	}
}

func corrupt(off int64, part string, err error) error {
	return fmt.Errorf("linear: %w", &format.CorruptError{Offset: off, Part: part, Err: err})
}

// Offset returns where the frame of a slot begins.
func (g *Chunks) Offset(slot int) int64 {
	if len(g.buckets) == 0 {
		return 0
	}
	return g.buckets[g.at[slot]].start
}

// read reads n bytes of the header at off.
func (g *Chunks) read(off, n int64) ([]byte, error) {
	if n > g.size-off {
		return nil, corrupt(off, "header", fmt.Errorf("%d bytes of %d: %w", n, max(g.size-off, 0), io.ErrUnexpectedEOF))
	}
	b := make([]byte, n)
	if m, err := g.r.ReadAt(b, off); m < len(b) {
		return nil, fmt.Errorf("linear: %w", err)
	}
	return b, nil
}

// add appends a bucket. Of one that does not lie within the file, it is what the file has of it.
func (g *Chunks) add(b bucket) {
	if b.start < 0 || b.start > g.size || b.stored > g.size-b.start {
		g.fail(corrupt(b.start, "frame", fmt.Errorf("%d bytes of %d: %w", b.stored, g.size, io.ErrUnexpectedEOF)))
		b.start = min(max(b.start, 0), g.size)
		b.stored = min(b.stored, g.size-b.start)
	}
	for _, slot := range b.slots {
		g.at[slot] = len(g.buckets)
	}
	g.buckets = append(g.buckets, b)
	g.Stored += b.stored
}

func (g *Chunks) readHead() error {
	b, err := g.read(0, 9)
	if err != nil {
		return err
	}
	switch m, v := binary.BigEndian.Uint64(b), b[8]; {
	case m == magic && (v == 1 || v == 2):
		g.Version = V1
		return g.readV1()
	case m == magic && v == 3:
		g.Version, g.ByColumn = V2, true
		return g.readV2()
	case m == bufferedMagic && v == 3:
		g.Version = Buffered
		return g.readBuffered()
	case m == magic || m == bufferedMagic:
		return corrupt(8, "header", fmt.Errorf("version %d of the format, which cairn does not know", v))
	}
	return corrupt(0, "header", errors.New("no region file of Linear's formats"))
}

func (g *Chunks) readV1() error {
	b, err := g.read(0, headSize)
	if err != nil {
		return err
	}
	one := bucket{start: headSize, stored: int64(binary.BigEndian.Uint32(b[20:])), raw: -1, slots: row(0, Slots)}
	g.add(one)
	g.foot(headSize + one.stored)
	return nil
}

// foot checks that the file ends at off with its signature.
func (g *Chunks) foot(off int64) {
	b, err := g.read(off, 8)
	switch {
	case err != nil:
		g.fail(err)
	case binary.BigEndian.Uint64(b) != magic:
		g.fail(corrupt(off, "end", errors.New("not the signature")))
	case g.size > off+8:
		g.fail(corrupt(off+8, "end", fmt.Errorf("%d bytes follow", g.size-off-8)))
	}
}

func (g *Chunks) readV2() error {
	b, err := g.read(0, 26+Slots/8)
	if err != nil {
		return err
	}
	grid := int(int8(b[17]))
	if grid < 1 || grid > 32 || grid&(grid-1) != 0 {
		return corrupt(17, "header", fmt.Errorf("a grid of %d", grid))
	}
	bitmap, off := b[26:], int64(26+Slots/8)
	for {
		if b, err = g.read(off, 1); err != nil {
			return err
		}
		off++
		n := int64(b[0])
		if n == 0 {
			break
		}
		if b, err = g.read(off, n+4); err != nil {
			return err
		}
		g.Lost[fmt.Sprintf("feature %q of region files", b[:n])]++
		off += n + 4
	}
	const entry = 13
	table, err := g.read(off, int64(grid*grid*entry))
	if err != nil {
		return err
	}
	start := off + int64(len(table))
	for i := range grid * grid {
		e := table[i*entry:]
		sum := binary.BigEndian.Uint64(e[5:])
		one := bucket{start, int64(binary.BigEndian.Uint32(e)), -1, &sum, slotsOf(grid, i)}
		g.add(one)
		for _, slot := range one.slots {
			if bitmap[slot/8]>>(7-slot%8)&1 != 0 {
				g.Sizes[slot] = -1 // until the frame tells
			}
		}
		start += one.stored
	}
	g.foot(start)
	return nil
}

// checkSum checks the hash of a frame.
func (g *Chunks) checkSum(b bucket) error {
	if b.sum == nil {
		return nil
	}
	h := xxhash.New()
	if g.doc == nil {
		g.doc = make([]byte, 32<<10)
	}
	if _, err := io.CopyBuffer(h, io.NewSectionReader(g.r, b.start, b.stored), g.doc); err != nil {
		return err
	}
	if h.Sum64() != *b.sum {
		return errors.New("its hash differs")
	}
	return nil
}

func (g *Chunks) readBuffered() error {
	const table = 14
	b, err := g.read(0, table+8*buckets)
	if err != nil {
		return err
	}
	for i := range buckets {
		off := binary.BigEndian.Uint64(b[table+8*i:])
		one := bucket{slots: row(i*Slots/buckets, Slots/buckets)}
		if off != 0 {
			one.start = int64(min(off, math.MaxInt32<<16)) + 8
			h, err := g.read(one.start-8, 8)
			if err != nil {
				g.fail(err)
			} else {
				one.raw, one.stored = int64(binary.BigEndian.Uint32(h)), int64(binary.BigEndian.Uint32(h[4:]))
			}
		}
		g.add(one)
	}
	return nil
}

// spoil marks the slots of a bucket from the i-th on as unreadable. Of Buffered Linear nothing else tells which are there.
func (g *Chunks) spoil(b, i int, err error) {
	some := false
	for _, slot := range g.buckets[b].slots[i:] {
		if g.Sizes[slot] != 0 {
			g.bad[slot], some = err, true
		}
	}
	if !some {
		g.fail(err)
	}
}

// start begins to read a bucket.
func (g *Chunks) start(b int) error {
	g.cur, g.next = b, 0
	one := g.buckets[b]
	if err := g.dec.Reset(io.NewSectionReader(g.r, one.start, one.stored)); err != nil {
		return err
	}
	if g.Version == V1 {
		return g.readTable()
	}
	return nil
}

func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// index unpacks a bucket to learn what its chunks are.
func (g *Chunks) index(b int) {
	one := g.buckets[b]
	if one.stored == 0 && g.Version != V1 {
		if slices.ContainsFunc(one.slots, func(slot int) bool { return g.Sizes[slot] != 0 }) {
			g.spoil(b, 0, corrupt(one.start, "frame", errors.New("the file says that there are chunks, and has no frame for them")))
		}
		return
	}
	err := g.checkSum(one)
	if err == nil {
		err = g.start(b)
	}
	before := g.raw
	for err == nil && g.next < len(one.slots) {
		slot := one.slots[g.next]
		if err = g.meta(slot); err == nil {
			err = g.skip(slot)
		}
		if err == nil {
			g.next++
		}
	}
	if err == nil {
		var n int64
		if n, err = io.Copy(io.Discard, io.LimitReader(g.dec, 1)); n > 0 {
			err = errors.New("bytes follow the last chunk")
		}
	}
	if err != nil {
		g.spoil(b, g.next, corrupt(one.start, "frame", fmt.Errorf("after %d chunks: %w", g.next, err)))
	} else if got := g.raw - before; one.raw >= 0 && got != one.raw {
		g.fail(corrupt(one.start, "frame", fmt.Errorf("%d bytes of chunks, not %d", got, one.raw)))
	}
}

// readTable reads the table of version 1, which is in front of the chunks.
func (g *Chunks) readTable() error {
	b := make([]byte, tableSize)
	if _, err := io.ReadFull(g.dec, b); err != nil {
		return fmt.Errorf("table of chunks: %w", noEOF(err))
	}
	for slot := range Slots {
		g.Sizes[slot], g.Stamps[slot] = int(binary.BigEndian.Uint32(b[8*slot:])), binary.BigEndian.Uint32(b[8*slot+4:])
	}
	return nil
}

// meta reads what is in front of a chunk.
func (g *Chunks) meta(slot int) error {
	size, stamp, n := int64(g.Sizes[slot]), uint64(g.Stamps[slot]), int64(0)
	b := g.buf[:]
	switch g.Version {
	case V2:
		if _, err := io.ReadFull(g.dec, b[:12]); err != nil {
			return noEOF(err)
		}
		size, stamp, n = int64(binary.BigEndian.Uint32(b)), binary.BigEndian.Uint64(b[4:]), 12
		if size > 0 {
			if size -= 8; size <= 0 {
				return fmt.Errorf("a chunk of %d bytes", size)
			}
		}
		if there := g.Sizes[slot] != 0; there != (size > 0) {
			return fmt.Errorf("a chunk of %d bytes where the file says %v", size, there)
		}
	case Buffered:
		if _, err := io.ReadFull(g.dec, b[:4]); err != nil {
			return noEOF(err)
		}
		size, n = int64(binary.BigEndian.Uint32(b)), 4
		if size > 0 {
			if _, err := io.ReadFull(g.dec, b[:16]); err != nil {
				return noEOF(err)
			}
			if data := int64(binary.BigEndian.Uint32(b)); data == 0 || size != data+16 {
				return fmt.Errorf("a chunk of %d bytes in %d", data, size)
			}
			millis := binary.BigEndian.Uint64(b[4:])
			size, n, stamp = size-16, 20, millis/1000
			if millis%1000 != 0 {
				g.Lost["milliseconds of times of chunks"]++
			}
		}
	}
	if size > maxChunk {
		return fmt.Errorf("a chunk of %d bytes, at most %d", size, maxChunk)
	}
	if stamp > math.MaxUint32 {
		g.Lost["times of chunks after 2106"]++
		stamp = math.MaxUint32
	}
	g.Sizes[slot], g.Stamps[slot] = int(size), uint32(stamp)
	g.raw += n + size
	if most := maxRaw + maxRatio*g.size; g.raw > most {
		return fmt.Errorf("%d bytes unpack to more than %d", g.size, most)
	}
	return nil
}
