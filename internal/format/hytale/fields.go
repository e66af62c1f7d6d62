package hytale

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
)

// fluidData is what a section says of its fluids.
type fluidData struct {
	palette palette
	levels  []byte // two cells a byte, the first in the high half; nil if there are none
}

func (f *fluidData) read(r *reader) error {
	*f = fluidData{palette: f.palette}
	f.palette.read(r, nameKeys)
	if r.flag() {
		f.levels = r.bytes(sectionCells / 2)
	}
	return r.end()
}

// readSupport reads the distances of support, in half bytes, nil if there are none.
func readSupport(r *reader) (b []byte, err error) {
	if r.flag() {
		b = r.bytes(sectionCells / 2)
	}
	return b, r.end()
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
func (m *columnMap) read(r *reader, size int) {
	n := r.bytes(2)
	if n == nil {
		return
	}
	le := binary.LittleEndian
	m.list = m.list[:0]
	list := r.bytes(size * int(le.Uint16(n)))
	for ; len(list) > 0; list = list[size:] {
		if size == 2 {
			m.list = append(m.list, int32(int16(le.Uint16(list))))
		} else {
			m.list = append(m.list, int32(le.Uint32(list)))
		}
	}
	if b := r.bytes(4); b != nil && le.Uint32(b) != packedBytes {
		r.fail(fmt.Errorf("indexes of %d bytes", le.Uint32(b)))
	}
	packed := r.bytes(packedBytes)
	for i := range m.values {
		if r.err != nil {
			return
		}
		at := i * 10
		n := int(le.Uint16(packed[at>>3:]) >> (at & 7) & 0x3FF)
		if n >= len(m.list) {
			r.fail(errPalette)
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

// append appends a map. It uses m.list if that has all values, each once.
func (m *columnMap) append(dst []byte, size int) ([]byte, error) {
	at := map[int32]int{}
	for i, v := range m.list {
		if _, twice := at[v]; twice {
			m.list = nil
			break
		}
		at[v] = i
	}
	for _, v := range m.values {
		if _, ok := at[v]; !ok || m.list == nil {
			m.list, at = mapList(&m.values), map[int32]int{}
			for i, v := range m.list {
				at[v] = i
			}
			break
		}
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

func (m *chunkMaps) read(r *reader) error {
	m.needsPhysics = byte(r.u8())
	m.heights.read(r, 2)
	m.tints.read(r, 4)
	return r.end()
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
func appendEnvironments(dst []byte, r *reader) ([]byte, error) {
	for n := r.u32(); n > 0 && r.err == nil; n-- {
		r.u32()
		r.bytes(r.u16())
	}
	head := r.b[:r.off]
	var runs, last []byte
	n := 0
	flush := func() {
		if n > 0 {
			runs = append(binary.BigEndian.AppendUint16(runs, uint16(n)), last...)
		}
	}
	for range mapCells {
		from := r.off
		count := r.u32()
		if count > (len(r.b)-r.off)/8 {
			r.fail(errors.New("more bounds than there are bytes"))
		}
		r.bytes(8*count + 4)
		if r.err != nil {
			return nil, r.err
		}
		column := r.b[from:r.off]
		if n > 0 && string(column) == string(last) {
			n++
			continue
		}
		flush()
		n, last = 1, column
	}
	flush()
	if err := r.end(); err != nil {
		return nil, err
	}
	return nbt.AppendByteArray(nbt.AppendByteArray(dst, tagEnvironments, head), tagColumns, runs), nil
}

// appendEnvironmentData is the inverse of appendEnvironments.
func appendEnvironmentData(dst, head, runs []byte) ([]byte, error) {
	dst = append(dst, head...)
	total := 0
	for r := (&reader{b: runs}); r.off < len(runs); {
		n := r.u16()
		from := r.off
		count := r.u32()
		if count > (len(runs)-r.off)/8 {
			return nil, errNotOurs
		}
		r.bytes(8*count + 4)
		if total += n; r.err != nil || total > mapCells || len(dst)+n*(r.off-from) > maxChunk {
			return nil, errNotOurs
		}
		for range n {
			dst = append(dst, runs[from:r.off]...)
		}
	}
	if total != mapCells {
		return nil, errNotOurs
	}
	return dst, nil
}
