package linear

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"
)

// level of zstd that is written, and that the headers tell: what the servers have by default is 1.
const level = 6

// Content is what a region file is made of.
type Content struct {
	X, Z   int32 // of the region
	Sizes  [Slots]int
	Stamps [Slots]uint32
	// Chunk returns the tags of a chunk that Sizes has. It is asked once for each, bucket by bucket.
	Chunk func(slot int) ([]byte, error)
}

// writer makes a file.
type writer struct {
	Content
	version int
	enc     *zstd.Encoder
	out     []byte
}

// Write writes a region file of a version.
func Write(to io.Writer, version int, c Content) error {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(level)), zstd.WithEncoderConcurrency(1), zstd.WithZeroFrames(true))
	if err != nil {
		return fmt.Errorf("linear: write: %w", err)
	}
	defer enc.Close()
	w := &writer{Content: c, version: version, enc: enc}
	switch version {
	case V1:
		err = w.v1()
	case V2:
		err = w.v2()
	case Buffered:
		err = w.buffered()
	default:
		err = fmt.Errorf("no version %d", version)
	}
	raw := 0
	for _, size := range c.Sizes {
		raw += metaSize(version, size) + size
	}
	switch {
	case err != nil:
	case raw > maxRaw+maxRatio*len(w.out):
		err = fmt.Errorf("%d bytes that pack to %d, more than is read again", raw, len(w.out))
	default:
		_, err = to.Write(w.out)
	}
	if err != nil {
		return fmt.Errorf("linear: write: %w", err)
	}
	return nil
}

// frame appends the frame of a bucket, whose content begins with head. It returns both of its lengths.
func (w *writer) frame(head []byte, slots []int) (raw, stored int, err error) {
	var b bytes.Buffer
	size := len(head)
	for _, slot := range slots {
		size += metaSize(w.version, w.Sizes[slot]) + w.Sizes[slot]
	}
	w.enc.ResetContentSize(&b, int64(size))
	if _, err := w.enc.Write(head); err != nil {
		return 0, 0, err
	}
	for _, slot := range slots {
		if err := w.chunk(slot); err != nil {
			return 0, 0, err
		}
	}
	if err := w.enc.Close(); err != nil {
		return 0, 0, err
	}
	if size > math.MaxUint32 || b.Len() > math.MaxUint32 {
		return 0, 0, fmt.Errorf("a frame of %d bytes", size)
	}
	w.out = append(w.out, b.Bytes()...)
	return size, b.Len(), nil
}

// chunk writes a chunk into the frame.
func (w *writer) chunk(slot int) error {
	var doc []byte
	if w.Sizes[slot] > 0 {
		var err error
		if doc, err = w.Chunk(slot); err != nil {
			return err
		}
	}
	stamp := uint64(w.Stamps[slot])
	var meta []byte
	switch {
	case w.version == V2 && len(doc) == 0:
		meta = binary.BigEndian.AppendUint64(make([]byte, 4), stamp)
	case w.version == V2:
		meta = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(nil, uint32(len(doc)+8)), stamp)
	case w.version == Buffered && len(doc) == 0:
		meta = make([]byte, 4)
	case w.version == Buffered:
		meta = binary.BigEndian.AppendUint32(nil, uint32(len(doc)+16))
		meta = binary.BigEndian.AppendUint32(meta, uint32(len(doc)))
		meta = binary.BigEndian.AppendUint64(meta, 1000*stamp)
		meta = binary.BigEndian.AppendUint32(meta, XXH32(doc, bufferedSeed))
	}
	if _, err := w.enc.Write(meta); err != nil {
		return err
	}
	_, err := w.enc.Write(doc)
	return err
}

// head appends what versions 1 and 2 begin with.
func (w *writer) head(version byte) {
	w.out = append(binary.BigEndian.AppendUint64(nil, magic), version)
	w.out = binary.BigEndian.AppendUint64(w.out, uint64(slices.Max(w.Stamps[:])))
}

func (w *writer) v1() error {
	w.head(1)
	count := 0
	table := make([]byte, 0, tableSize)
	for slot := range Slots {
		if w.Sizes[slot] > 0 {
			count++
		}
		table = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(table, uint32(w.Sizes[slot])), w.Stamps[slot])
	}
	w.out = binary.BigEndian.AppendUint16(append(w.out, level), uint16(count))
	at := len(w.out)
	w.out = append(w.out, make([]byte, headSize-at)...)
	_, stored, err := w.frame(table, row(0, Slots))
	if err != nil {
		return err
	}
	binary.BigEndian.PutUint32(w.out[at:], uint32(stored))
	w.out = binary.BigEndian.AppendUint64(w.out, magic)
	return nil
}

func (w *writer) v2() error {
	w.head(3)
	w.out = append(w.out, defaultGrid)
	w.out = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(w.out, uint32(w.X)), uint32(w.Z))
	bitmap := make([]byte, Slots/8)
	for slot, n := range w.Sizes {
		if n > 0 {
			bitmap[slot/8] |= 1 << (7 - slot%8)
		}
	}
	w.out = append(append(w.out, bitmap...), 0) // no features
	const entry = 13
	table := len(w.out)
	w.out = append(w.out, make([]byte, defaultGrid*defaultGrid*entry)...)
	for i := range defaultGrid * defaultGrid {
		slots := slotsOf(defaultGrid, i)
		if !slices.ContainsFunc(slots, func(slot int) bool { return w.Sizes[slot] > 0 || w.Stamps[slot] > 0 }) {
			continue
		}
		start := len(w.out)
		if _, _, err := w.frame(nil, slots); err != nil {
			return err
		}
		e := w.out[table+i*entry:]
		binary.BigEndian.PutUint32(e, uint32(len(w.out)-start))
		e[4] = level
		binary.BigEndian.PutUint64(e[5:], xxhash.Sum64(w.out[start:]))
	}
	w.out = binary.BigEndian.AppendUint64(w.out, magic)
	return nil
}

func (w *writer) buffered() error {
	w.out = append(binary.BigEndian.AppendUint64(nil, bufferedMagic), 3, level)
	w.out = binary.BigEndian.AppendUint32(w.out, bufferedSeed)
	table := len(w.out)
	w.out = append(w.out, make([]byte, 8*buckets)...)
	for i := range buckets {
		slots := row(i*Slots/buckets, Slots/buckets)
		if !slices.ContainsFunc(slots, func(slot int) bool { return w.Sizes[slot] > 0 }) {
			continue
		}
		at := len(w.out)
		binary.BigEndian.PutUint64(w.out[table+8*i:], uint64(at))
		w.out = append(w.out, make([]byte, 8)...)
		raw, stored, err := w.frame(nil, slots)
		if err != nil {
			return err
		}
		binary.BigEndian.PutUint32(w.out[at:], uint32(raw))
		binary.BigEndian.PutUint32(w.out[at+4:], uint32(stored))
	}
	return nil
}
