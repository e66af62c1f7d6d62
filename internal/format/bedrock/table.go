package bedrock

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"slices"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zlib"

	"github.com/cairnvoxel/cairn/internal/cursor"
)

const (
	maxBlock   = 64 << 20 // bytes of an inflated block
	maxKeys    = 64 << 20 // bytes that the keys of a block take in memory, which share their beginnings in it
	perEntry   = 80       // of these beside the key's own
	footer     = 48
	trailer    = 5 // behind a block: its compression, and a checksum
	tableMagic = 0xdb4775248b80fb57
)

// Compressions of a block. Those above 1 are Bedrock's own.
const (
	plain  = 0
	zlibs  = 2
	flates = 4
)

// entry is a key as it was at a time.
type entry struct {
	key    []byte
	value  []byte
	number uint64 // the higher the newer
	gone   bool   // was deleted
}

// sortEntries sorts by key, the newest first.
func sortEntries(list []entry) {
	slices.SortFunc(list, func(a, b entry) int {
		if n := bytes.Compare(a.key, b.key); n != 0 {
			return n
		}
		return int(min(max(int64(b.number-a.number), -1), 1))
	})
}

// table is a file of keys. It is opened for each block, since a world may have more of them than a system opens at once.
type table struct {
	fsys fs.FS
	name string
	size int64
	held []byte // all of it, if it is in an archive
}

// dataBlock says where a block is in a table.
type dataBlock struct {
	*table
	at, size int64 // without the trailer
}

func (b dataBlock) corrupt(err error) error { return corrupt(int(b.at), dbFolder+"/"+b.name, err) }

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

// read returns n bytes of the table.
func (t *table) read(at, n int64) ([]byte, error) {
	if t.held != nil {
		return t.held[at : at+n], nil
	}
	f, err := t.fsys.Open(t.name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p := make([]byte, n)
	if _, err = io.ReadFull(io.NewSectionReader(f.(io.ReaderAt), at, n), p); err != nil {
		return nil, dataBlock{t, at, n}.corrupt(err)
	}
	return p, nil
}

// blocks lists the blocks of a table that have keys, as its index says.
func (t *table) blocks(inflate func(dataBlock) ([]byte, error)) (list []dataBlock, err error) {
	foot := dataBlock{t, t.size - footer, footer}
	if foot.at < 0 {
		return nil, dataBlock{table: t}.corrupt(fmt.Errorf("a table of %d bytes", t.size))
	}
	b, err := t.read(foot.at, footer)
	if err != nil {
		return nil, err
	}
	c := cursor.New(b, dbFolder+"/"+t.name)
	if _, _ = c.Uvarint(), c.Uvarint(); binary.LittleEndian.Uint64(b[footer-8:]) != tableMagic { // a block of filters
		return nil, foot.corrupt(errors.New("no table of LevelDB, or cut short"))
	}
	index, err := foot.handle(&c)
	if err != nil {
		return nil, err
	}
	data, err := inflate(index)
	if err != nil {
		return nil, err
	}
	entries, err := index.entries(data)
	end := int64(0)
	for _, e := range entries {
		c := cursor.New(e.value, "")
		b, err := index.handle(&c)
		if err != nil {
			return nil, err
		}
		if b.at < end {
			return nil, index.corrupt(errors.New("blocks lie over each other"))
		}
		list, end = append(list, b), b.at+b.size+trailer
	}
	return list, err
}

// handle reads where a block is.
func (b dataBlock) handle(c *cursor.Cursor) (dataBlock, error) {
	at, size := c.Uvarint(), c.Uvarint()
	if total := uint64(b.table.size); c.Err() != nil || at > total || size > total-at || total-at-size < trailer {
		return dataBlock{}, b.corrupt(errors.New("names a block beyond the end of the table"))
	}
	return dataBlock{b.table, int64(at), int64(size)}, nil
}

// checksum is LevelDB's: a CRC that is changed so that a CRC of it is none of itself.
func checksum(b []byte) uint32 {
	crc := crc32.Checksum(b, castagnoli)
	return (crc>>15 | crc<<17) + 0xa282ead8
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var errLarge = errors.New("too large when inflated")

// inflate returns the bytes of a block, at most so many.
func (b dataBlock) inflate(most int64) ([]byte, error) {
	stored, err := b.read(b.at, b.size+trailer)
	if err != nil {
		return nil, err
	}
	if checksum(stored[:b.size+1]) != binary.LittleEndian.Uint32(stored[b.size+1:]) {
		return nil, b.corrupt(errors.New("checksum differs"))
	}
	r := io.Reader(bytes.NewReader(stored[:b.size]))
	switch kind := stored[b.size]; kind {
	case plain:
	case zlibs:
		r, err = zlib.NewReader(r)
	case flates:
		r = flate.NewReader(r)
	default:
		err = fmt.Errorf("unknown compression %d", kind)
	}
	var data []byte
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(r, most+1))
	}
	if err == nil && int64(len(data)) > most {
		err = errLarge
	}
	if err != nil {
		return nil, b.corrupt(err)
	}
	return data, nil
}

// entries reads the keys of an inflated block. It ends with the places of keys that share nothing with those before, which only
// searches need.
func (b dataBlock) entries(data []byte) (list []entry, err error) {
	places := 0
	if len(data) >= 4 {
		places = 4 + 4*int(binary.LittleEndian.Uint32(data[len(data)-4:]))
	}
	if len(data) < 4 || places > len(data) {
		return nil, b.corrupt(fmt.Errorf("%d bytes with places of %d", len(data), places))
	}
	c := cursor.New(data[:len(data)-places], fmt.Sprintf("%s/%s, block at %d", dbFolder, b.name, b.at))
	key, keys := []byte{}, 0
	for c.Left() > 0 {
		shared, rest, size := c.AtMost(len(key)), c.Size(), c.Size()
		key = append(key[:shared:shared], c.Bytes(rest)...)
		e := entry{key: key, value: c.Bytes(size)}
		if keys += len(key) + perEntry; keys > maxKeys {
			c.Fail(fmt.Errorf("keys of more than %d bytes", maxKeys))
		}
		list = append(list, e)
	}
	return list, c.Err()
}

// unmark takes the marks off the keys of tables: the number of the change, and whether it deleted the key. It returns the size of
// the list in memory.
func unmark(list []entry) (size int, err error) {
	for i := range list {
		e := &list[i]
		n := len(e.key) - 8
		if n < 0 {
			return 0, errors.New("a key without a number")
		}
		mark := binary.LittleEndian.Uint64(e.key[n:])
		e.key, e.number, e.gone = e.key[:n], mark>>8, mark&0xFF == 0
		size += n + perEntry
	}
	return size, nil
}
