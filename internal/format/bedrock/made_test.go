package bedrock_test

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/bedrock"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// A second writer of the format, plain and slow, for databases that no game has made.

var le = binary.LittleEndian

// change is a key with its value, or without it where gone.
type change struct {
	key, value string
	gone       bool
}

func puts(keys map[string]string) (list []change) {
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		list = append(list, change{k, keys[k], false})
	}
	return list
}

func uvarint(dst []byte, n int) []byte { return binary.AppendUvarint(dst, uint64(n)) }

func withSum(dst, b []byte) []byte {
	crc := crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))
	return le.AppendUint32(dst, (crc>>15|crc<<17)+0xa282ead8)
}

// madeLog cuts records into pieces.
func madeLog(records ...[]byte) (out []byte) {
	for _, r := range records {
		for first := true; first || len(r) > 0; first = false {
			room := 32<<10 - len(out)%(32<<10)
			if room < 7 {
				out = append(out, make([]byte, room)...)
				room = 32 << 10
			}
			n := min(len(r), room-7)
			kind := byte(3)
			switch {
			case first && n == len(r):
				kind = 1
			case first:
				kind = 2
			case n == len(r):
				kind = 4
			}
			out = withSum(out, append([]byte{kind}, r[:n]...))
			out = append(append(le.AppendUint16(out, uint16(n)), kind), r[:n]...)
			r = r[n:]
		}
	}
	return out
}

func madeBatch(number int, list []change) []byte {
	out := le.AppendUint32(le.AppendUint64(nil, uint64(number)), uint32(len(list)))
	for _, c := range list {
		if c.gone {
			out = append(uvarint(append(out, 0), len(c.key)), c.key...)
			continue
		}
		out = append(uvarint(append(out, 1), len(c.key)), c.key...)
		out = append(uvarint(out, len(c.value)), c.value...)
	}
	return out
}

// madeBlock makes a block of keys, each with its mark, in which 3 of 4 share beginnings.
func madeBlock(keys, values [][]byte) (out []byte) {
	var places []byte
	var last []byte
	for i, k := range keys {
		shared := 0
		if i%4 == 0 {
			places = le.AppendUint32(places, uint32(len(out)))
		} else {
			for shared < min(len(k), len(last)) && k[shared] == last[shared] {
				shared++
			}
		}
		out = uvarint(uvarint(uvarint(out, shared), len(k)-shared), len(values[i]))
		out = append(append(out, k[shared:]...), values[i]...)
		last = k
	}
	return le.AppendUint32(append(out, places...), uint32(len(places)/4))
}

func packed(t testing.TB, b []byte, kind byte) []byte {
	var out bytes.Buffer
	var w io.WriteCloser
	switch kind {
	case 2:
		w = zlib.NewWriter(&out)
	case 4:
		w, _ = flate.NewWriter(&out, 5)
	default:
		return b
	}
	if _, err := w.Write(b); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// madeTable makes a table of changes that are sorted, with so many in a block.
func madeTable(t testing.TB, number int, list []change, each int, kind byte) []byte {
	var out []byte
	block := func(keys, values [][]byte) []byte {
		b := append(packed(t, madeBlock(keys, values), kind), kind)
		handle := uvarint(uvarint(nil, len(out)), len(b)-1)
		out = append(append(out, b...), withSum(nil, b)...)
		return handle
	}
	var last, handles [][]byte
	for part := range slices.Chunk(list, each) {
		var keys, values [][]byte
		for _, c := range part {
			mark := uint64(number)<<8 | 1
			if c.gone {
				mark--
			}
			keys, values = append(keys, le.AppendUint64([]byte(c.key), mark)), append(values, []byte(c.value))
		}
		last, handles = append(last, keys[len(keys)-1]), append(handles, block(keys, values))
	}
	foot := append(block(nil, nil), block(last, handles)...)
	foot = append(foot, make([]byte, 40-len(foot))...)
	return append(append(out, foot...), "\x57\xfb\x80\x8b\x24\x75\x47\xdb"...)
}

// madeManifest makes a manifest with those tables and logs from that number on.
func madeManifest(log int, tables ...int) []byte {
	first := append(uvarint([]byte{1}, 26), "leveldb.BytewiseComparator"...)
	edit := append(uvarint([]byte{2}, log), 9, 0, 3, 99, 4, 99, 5, 1, 1, 'k')
	for _, n := range append([]int{77}, tables...) {
		edit = append(uvarint(append(edit, 7, 0), n), 99, 1, 'a', 1, 'z')
	}
	return madeLog(first, edit, []byte{6, 0, 77}) // and one that is deleted
}

// world returns a folder with a database of one log.
func world(list ...change) fstest.MapFS {
	return fstest.MapFS{
		"db/CURRENT":         {Data: []byte("MANIFEST-000001\n")},
		"db/MANIFEST-000001": {Data: madeManifest(3)},
		"db/000003.log":      {Data: madeLog(madeBatch(1, list))},
		"levelname.txt":      {Data: []byte("Made\n")},
		"level.dat":          {Data: []byte("facts")},
	}
}

// key returns a key of a chunk.
func key(dim, x, z int, tag ...byte) string {
	b := le.AppendUint32(le.AppendUint32(nil, uint32(x)), uint32(z))
	if dim != 0 {
		b = le.AppendUint32(b, uint32(dim))
	}
	return string(append(b, tag...))
}

// tags is NBT of Bedrock in the making.
type tags []byte

func (b tags) head(kind byte, name string) tags {
	return append(le.AppendUint16(append(b, kind), uint16(len(name))), name...)
}
func (b tags) byte(name string, v byte) tags { return append(b.head(1, name), v) }
func (b tags) short(name string, v int) tags { return le.AppendUint16(b.head(2, name), uint16(v)) }
func (b tags) int(name string, v int) tags   { return le.AppendUint32(b.head(3, name), uint32(v)) }
func (b tags) text(name, v string) tags {
	return append(le.AppendUint16(b.head(8, name), uint16(len(v))), v...)
}
func (b tags) in(name string, v tags) tags { return append(append(b.head(10, name), v...), 0) }

// root returns a compound of b as it is in a database.
func (b tags) root() string { return string(tags{}.in("", b)) }

func state(name string, states tags) string {
	return tags{}.text("name", name).in("states", states).int("version", 18100737).root()
}

// stored makes a storage of cells in the game's order.
func stored(bits int, cell func(x, y, z int) int, palette ...string) string {
	out := []byte{byte(bits << 1)}
	if bits > 0 {
		word, n := uint32(0), 0
		for i := range 4096 {
			word |= uint32(cell(i>>8, i&15, i>>4&15)) << n
			if n += bits; n+bits > 32 || i == 4095 {
				out, word, n = le.AppendUint32(out, word), 0, 0
			}
		}
		out = le.AppendUint32(out, uint32(len(palette)))
	}
	for _, p := range palette {
		out = append(out, p...)
	}
	return string(out)
}

// taker keeps what a world has.
type taker struct {
	dims    []*format.Dimension
	columns map[string]*format.Column // by dimension and position
	order   []geom.ColumnPos
	chunks  map[string]*voxel.Chunk // by dimension, volume and position
	files   map[string]string
}

func (t *taker) Dimension(d *format.Dimension) error { t.dims = append(t.dims, d); return nil }

func (t *taker) at(rest ...any) string {
	return t.dims[len(t.dims)-1].Name + fmt.Sprint(rest...)
}

func (t *taker) Column(c *format.Column) error {
	t.columns[t.at(c.Pos)] = c
	t.order = append(t.order, c.Pos)
	return nil
}

func (t *taker) Chunk(volume string, pos geom.ChunkPos, c *voxel.Chunk) error {
	t.chunks[t.at(" ", volume, pos)] = c
	return nil
}

func (t *taker) File(f format.File) error {
	r, err := f.Open()
	if err != nil {
		return err
	}
	b, err := io.ReadAll(r)
	if err == nil && int64(len(b)) != f.Size {
		err = fmt.Errorf("%s has %d bytes, not %d", f.Path, len(b), f.Size)
	}
	t.files[f.Path] = string(b)
	return err
}

func newTaker() *taker {
	return &taker{columns: map[string]*format.Column{}, chunks: map[string]*voxel.Chunk{}, files: map[string]string{}}
}

// take reads a world, and what it says of it.
func take(fsys fstest.MapFS, o format.ReadOptions) (*taker, map[string]int, error) {
	s, err := bedrock.Kind().OpenFS(fsys, o)
	if err != nil {
		return nil, nil, err
	}
	defer s.Close()
	out := newTaker()
	err = s.Read(context.Background(), out)
	lost, _ := s.(format.Reporter).Remarks()
	return out, lost, err
}

// mustTake reads a world without losses.
func mustTake(t testing.TB, fsys fstest.MapFS) *taker {
	t.Helper()
	out, lost, err := take(fsys, format.ReadOptions{})
	if err != nil || len(lost) > 0 {
		t.Fatal(err, lost)
	}
	return out
}

// cell returns the name of a cell of a column's section.
func (t *taker) cell(c *format.Column, section, x, y, z int) string {
	cells := c.Cells[section].Block
	return t.dims[0].Volume(voxel.Block).Names.Name(cells[min(len(cells)-1, y<<8|z<<4|x)])
}
