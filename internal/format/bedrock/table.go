package bedrock

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"sort"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zlib"
)

// Bounds of a table. LevelDB begins a new block behind each value above its size of blocks, and a new run of keys after 16.
const (
	maxBlock = 64 << 20 // inflated
	maxRun   = 1024     // entries that share beginnings of keys
	footer   = 48
	trailer  = 5 // behind a block: its compression, and a checksum
)

const tableMagic = 0xdb4775248b80fb57

// Compressions of a block. Numbers 2 and 4 are Bedrock's own.
const (
	plain    = 0
	isSnappy = 1
	isZlib   = 2
	isFlate  = 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum is LevelDB's: a CRC that is changed so that a CRC of it is none of itself.
func checksum(b []byte) uint32 {
	crc := crc32.Checksum(b, castagnoli)
	return (crc>>15 | crc<<17) + 0xa282ead8
}

// block says where a block is in a table.
type block struct {
	table    *table
	at, size int64 // without the trailer
}

// table is a file of sorted keys. It is opened for each block, since a world may have more of them than a system opens at once.
type table struct {
	fsys fs.FS
	name string
	size int64
	held []byte // all of it, if it is in an archive
}

func openTable(fsys fs.FS, name string) (*table, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	t := &table{fsys: fsys, name: name, size: info.Size()}
	if _, ok := f.(io.ReaderAt); !ok {
		t.held, err = io.ReadAll(f)
		t.size = int64(len(t.held))
	}
	return t, err
}

// read fills p with bytes of the table.
func (t *table) read(p []byte, at int64) (err error) {
	if t.held != nil {
		copy(p, t.held[at:])
		return nil
	}
	f, err := t.fsys.Open(t.name)
	if err != nil {
		return err
	}
	defer f.Close()
	if r, ok := f.(io.ReaderAt); ok {
		_, err = io.ReadFull(io.NewSectionReader(r, at, int64(len(p))), p)
		return err
	}
	return errors.ErrUnsupported
}

func (t *table) corrupt(at int64, err error) error { return corrupt(int(at), dbFolder+"/"+t.name, err) }

// blocks lists the blocks of a table with keys, in order and apart, as its index says.
func (t *table) blocks(d *database) (list []block, err error) {
	var foot [footer]byte
	if t.size < footer {
		return nil, t.corrupt(0, fmt.Errorf("a table of %d bytes", t.size))
	}
	if err := t.read(foot[:], t.size-footer); err != nil {
		return nil, fmt.Errorf("%s: %w", t.name, err)
	}
	if binary.LittleEndian.Uint64(foot[footer-8:]) != tableMagic {
		return nil, t.corrupt(t.size-8, errors.New("no table of LevelDB, or cut short"))
	}
	_, n, _ := t.handle(foot[:], t.size-footer) // of names of filters
	index, _, err := t.handle(foot[min(n, footer):footer-8], t.size-footer)
	if err != nil {
		return nil, err
	}
	data, err := d.inflate(index)
	if err != nil {
		return nil, err
	}
	c, err := openEntries(data)
	for err == nil && c.next() {
		var b block
		if b, _, err = t.handle(c.value, index.at); err != nil {
			break
		}
		if len(list) > 0 && b.at < list[len(list)-1].at+list[len(list)-1].size+trailer {
			return nil, t.corrupt(index.at, errors.New("blocks lie over each other"))
		}
		list = append(list, b)
	}
	if err == nil {
		err = c.err
	}
	if err != nil {
		return nil, t.corrupt(index.at, err)
	}
	return list, nil
}

// handle reads the place of a block, and how many bytes that took.
func (t *table) handle(b []byte, at int64) (block, int, error) {
	off, n := binary.Uvarint(b)
	size, m := binary.Uvarint(b[max(n, 0):])
	if n <= 0 || m <= 0 || off > uint64(t.size) || size > uint64(t.size)-off || uint64(t.size)-off-size < trailer {
		return block{}, max(n, 0) + max(m, 0), t.corrupt(at, errors.New("a block beyond the end of the table"))
	}
	return block{t, int64(off), int64(size)}, n + m, nil
}

// read returns a block as it is stored and its compression.
func (b block) read() ([]byte, byte, error) {
	stored := make([]byte, b.size+trailer)
	if err := b.table.read(stored, b.at); err != nil {
		return nil, 0, fmt.Errorf("%s: %w", b.table.name, err)
	}
	end := b.size + 1
	if checksum(stored[:end]) != binary.LittleEndian.Uint32(stored[end:]) {
		return nil, 0, b.table.corrupt(b.at, errors.New("checksum differs"))
	}
	return stored[:b.size], stored[b.size], nil
}

// unpack inflates a block to at most so many bytes.
func unpack(stored []byte, compression byte, most int64) ([]byte, error) {
	var r io.Reader
	var err error
	switch compression {
	case plain:
		return stored, nil
	case isSnappy:
		if n, err := snappy.DecodedLen(stored); err != nil || int64(n) > most {
			return nil, errors.Join(err, errLarge)
		}
		return snappy.Decode(nil, stored)
	case isZlib:
		r, err = zlib.NewReader(bytes.NewReader(stored))
	case isFlate:
		r = flate.NewReader(bytes.NewReader(stored))
	default:
		err = fmt.Errorf("unknown compression %d", compression)
	}
	if err != nil {
		return nil, err
	}
	out, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(out)) > most {
		err = errLarge
	}
	return out, err
}

var errLarge = errors.New("too large when inflated")

// entries walks the keys of an inflated block. A key that shares its beginning with the one before has only the rest. Every few
// keys one is whole, and the block ends with the places of those.
type entries struct {
	data   []byte // without the places
	places []byte // of whole keys, 4 bytes each
	at     int
	key    []byte // until the next call
	value  []byte
	err    error
}

func openEntries(b []byte) (*entries, error) {
	if len(b) < 4 {
		return nil, errors.New("a block without places of keys")
	}
	n := int64(binary.LittleEndian.Uint32(b[len(b)-4:]))
	if n == 0 || n > int64(len(b)/4-1) {
		return nil, fmt.Errorf("a block of %d bytes with %d whole keys", len(b), n)
	}
	end := len(b) - 4 - 4*int(n)
	return &entries{data: b[:end], places: b[end : len(b)-4]}, nil
}

func (e *entries) place(i int) int { return int(binary.LittleEndian.Uint32(e.places[4*i:])) }

// next reads a key and its value. It returns false at the end, and after an error.
func (e *entries) next() bool {
	if e.err != nil || e.at >= len(e.data) {
		return false
	}
	var n [3]int // bytes shared with the key before, other bytes of the key, bytes of the value
	at := e.at
	for i := range n {
		v, size := binary.Uvarint(e.data[at:])
		if size <= 0 || v > maxBlock {
			e.err = fmt.Errorf("key at %d: its lengths are cut short or too large", e.at)
			return false
		}
		n[i], at = int(v), at+size
	}
	if n[0] > len(e.key) || n[1]+n[2] > len(e.data)-at {
		e.err = fmt.Errorf("key at %d: beyond the end of the block", e.at)
		return false
	}
	e.key = append(e.key[:n[0]], e.data[at:at+n[1]]...)
	at += n[1]
	e.value, e.at = e.data[at:at+n[2]:at+n[2]], at+n[2]
	return true
}

// seek goes before the first key that is not below key, or to the run of keys that has it.
func (e *entries) seek(key []byte) {
	at := func(i int) *entries {
		w := *e
		w.at, w.key = e.place(i), nil
		return &w
	}
	i := sort.Search(len(e.places)/4, func(i int) bool {
		w := at(i)
		if !w.next() {
			return true
		}
		user, _ := userKey(w.key)
		return bytes.Compare(user, key) >= 0
	})
	*e = *at(max(i-1, 0))
}

// check walks a whole block: keys ascend, and whole ones are where the block says. So seek finds every key in few steps.
func (e *entries) check(see func(key, value []byte) error) error {
	var last []byte
	n, run := 0, 0
	for at := 0; e.next(); at = e.at {
		if n < len(e.places)/4 && e.place(n) == at {
			if shared, _ := binary.Uvarint(e.data[at:]); shared != 0 {
				return fmt.Errorf("key at %d: shares the beginning of another block's", at)
			}
			n, run = n+1, 0
		}
		if run++; run > maxRun || n == 0 {
			return fmt.Errorf("key at %d: no whole key among the %d before it", at, maxRun)
		}
		user, ok := userKey(e.key)
		if !ok || bytes.Compare(last, user) > 0 {
			return fmt.Errorf("key at %d: too short, or below the one before", at)
		}
		last = append(last[:0], user...)
		if err := see(e.key, e.value); err != nil {
			return err
		}
	}
	if e.err == nil && n != len(e.places)/4 {
		return fmt.Errorf("places of %d whole keys, and %d of them", len(e.places)/4, n)
	}
	return e.err
}

// userKey returns a key without its last 8 bytes, its number and whether it is deleted.
func userKey(key []byte) ([]byte, bool) {
	if len(key) < 8 {
		return nil, false
	}
	return key[:len(key)-8], true
}
