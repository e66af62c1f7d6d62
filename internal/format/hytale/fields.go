package hytale

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
)

// fluidData is what a section says of its fluids.
type fluidData struct {
	palette palette
	levels  []byte // two cells a byte, the first in the low half; nil if there are none
}

func (f *fluidData) read(r *cursor.Cursor) error {
	*f = fluidData{palette: f.palette}
	f.palette.read(r, nameKeys)
	if r.Flag() {
		f.levels = r.Bytes(sectionCells / 2)
	}
	return r.End()
}

// readSupport reads the distances of support, in half bytes, nil if there are none.
func readSupport(r *cursor.Cursor) (b []byte, err error) {
	if r.Flag() {
		b = r.Bytes(sectionCells / 2)
	}
	return b, r.End()
}

// halves unpacks half bytes, high ones first or low ones. It returns nil if all are 0.
func halves(b []byte, highFirst bool) *[sectionCells]voxel.Cell {
	if len(b) == 0 || b[0] == 0 && sameBytes(b) {
		return nil
	}
	out := new([sectionCells]voxel.Cell)
	for i, v := range b {
		lo, hi := voxel.Cell(v&15), voxel.Cell(v>>4)
		if highFirst {
			lo, hi = hi, lo
		}
		out[2*i], out[2*i+1] = lo, hi
	}
	return out
}

// appendHalves is the inverse of halves. ok is false if a cell has no room.
func appendHalves(dst []byte, cells *[sectionCells]voxel.Cell, highFirst bool) (_ []byte, ok bool) {
	ok = true
	for i := 0; i < sectionCells; i += 2 {
		lo, hi := cells[i], cells[i+1]
		ok = ok && lo|hi < 16
		if highFirst {
			lo, hi = hi, lo
		}
		dst = append(dst, byte(lo&15)|byte(hi&15)<<4)
	}
	return dst, ok
}

// mapCells is the number of columns of blocks of a chunk, index z<<5 | x.
const mapCells = 32 * 32

// packedBytes is the length of mapCells numbers of 10 bits.
const packedBytes = mapCells * 10 / 8

// columnMap is heights or tints: a number for each column of blocks.
type columnMap struct {
	list   []int32 // as it is stored
	values [mapCells]int32
}

// read reads a map whose list has entries of so many bytes. Unlike the rest of a chunk it is little-endian.
func (m *columnMap) read(r *cursor.Cursor, size int) {
	le := binary.LittleEndian
	m.list = m.list[:0]
	list := r.Bytes(size * int(r.Uint16()))
	for ; len(list) > 0; list = list[size:] {
		if size == 2 {
			m.list = append(m.list, int32(int16(le.Uint16(list))))
		} else {
			m.list = append(m.list, int32(le.Uint32(list)))
		}
	}
	if n := r.Uint32(); n != packedBytes {
		r.Fail(fmt.Errorf("indexes of %d bytes", n))
	}
	packed := r.Bytes(packedBytes)
	for i := range m.values {
		if r.Err() != nil {
			return
		}
		at := i * 10
		n := int(le.Uint16(packed[at>>3:]) >> (at & 7) & 0x3FF)
		if n >= len(m.list) {
			r.Fail(errPalette)
			return
		}
		m.values[i] = m.list[n]
	}
}

// mapList returns the list that the game has for values: 0, then the others as they come.
func mapList(values *[mapCells]int32) []int32 {
	list := []int32{0}
	for _, v := range values {
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

func indexesOf(list []int32) map[int32]int {
	at := map[int32]int{}
	for i, v := range list {
		at[v] = i
	}
	return at
}

// append appends a map. It uses m.list if that has all values, each once.
func (m *columnMap) append(dst []byte, size int) ([]byte, error) {
	at := indexesOf(m.list)
	lacks := func(v int32) bool { _, ok := at[v]; return !ok }
	if len(at) < len(m.list) || slices.ContainsFunc(m.values[:], lacks) {
		m.list = mapList(&m.values)
		at = indexesOf(m.list)
	}
	if len(m.list) > 1<<10 {
		return nil, fmt.Errorf("%d different numbers of columns, at most %d fit", len(m.list), 1<<10)
	}
	le := binary.LittleEndian
	dst = le.AppendUint16(dst, uint16(len(m.list)))
	for _, v := range m.list {
		if size == 2 {
			dst = le.AppendUint16(dst, uint16(v))
		} else {
			dst = le.AppendUint32(dst, uint32(v))
		}
	}
	dst = le.AppendUint32(dst, packedBytes)
	from := len(dst)
	dst = append(dst, make([]byte, packedBytes)...)
	for i, v := range m.values {
		bit := i * 10
		to := dst[from+bit>>3:]
		n := at[v] << (bit & 7)
		to[0] |= byte(n)
		to[1] |= byte(n >> 8)
	}
	return dst, nil
}

// chunkMaps is the data of BlockChunk.
type chunkMaps struct {
	needsPhysics byte
	heights      columnMap
	tints        columnMap
}

func (m *chunkMaps) read(r *cursor.Cursor) error {
	m.needsPhysics = byte(int(r.Byte()))
	m.heights.read(r, 2)
	m.tints.read(r, 4)
	return r.End()
}

func (m *chunkMaps) append(dst []byte) ([]byte, error) {
	dst, err := m.heights.append(append(dst, m.needsPhysics), 2)
	if err != nil {
		return nil, err
	}
	return m.tints.append(dst, 4)
}

// Entries of the compound for the data of EnvironmentChunk.
const (
	tagEnvironments = "environments" // the table of names, as it is stored
	tagColumns      = "columns"      // of columns one after another that are equal, how many there are, and one of them
)

// appendEnvironments appends the entries that stand for data of environments.
func appendEnvironments(dst []byte, r *cursor.Cursor) ([]byte, error) {
	for n := int(r.Big32()); n > 0 && r.Err() == nil; n-- {
		r.Big32()
		r.Bytes(int(r.Big16()))
	}
	head := r.Since(0)
	var runs, last []byte
	n := 0
	flush := func() {
		if n > 0 {
			runs = append(binary.BigEndian.AppendUint16(runs, uint16(n)), last...)
		}
	}
	for range mapCells {
		from := r.Offset()
		r.Bytes(8*int(r.Big32()) + 4) // bounds, and what is above the last
		if r.Err() != nil {
			return nil, r.Err()
		}
		column := r.Since(from)
		if n > 0 && string(column) == string(last) {
			n++
			continue
		}
		flush()
		n, last = 1, column
	}
	flush()
	if err := r.End(); err != nil {
		return nil, err
	}
	return nbt.AppendByteArray(nbt.AppendByteArray(dst, tagEnvironments, head), tagColumns, runs), nil
}

// appendEnvironmentData is the inverse of appendEnvironments.
func appendEnvironmentData(dst, head, runs []byte) ([]byte, error) {
	dst = append(dst, head...)
	total := 0
	for r := cursor.New(runs, "environments"); r.Left() > 0; {
		n := int(r.Big16())
		from := r.Offset()
		r.Bytes(8*int(r.Big32()) + 4)
		column := r.Since(from)
		if total += n; r.Err() != nil || total > mapCells || len(dst)+n*len(column) > maxChunk {
			return nil, errNotOurs
		}
		for range n {
			dst = append(dst, column...)
		}
	}
	if total != mapCells {
		return nil, errNotOurs
	}
	return dst, nil
}
