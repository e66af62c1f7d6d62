package block

import (
	"encoding/binary"
	"fmt"

	"github.com/cairnvoxel/cairn/voxel"
)

// IntMap returns the map of 256 big-endian ints.
func IntMap(name string, b []byte) voxel.Map {
	m := voxel.Map{Name: name, Form: voxel.MapInts}
	for i := range m.Values {
		m.Values[i] = int32(binary.BigEndian.Uint32(b[4*i:]))
	}
	return m
}

// ByteMap returns the map of 256 bytes.
func ByteMap(name string, b []byte) voxel.Map {
	m := voxel.Map{Name: name, Form: voxel.MapBytes}
	for i := range m.Values {
		m.Values[i] = int32(b[i])
	}
	return m
}

// PackedMap returns the map of 256 packed numbers if its longs can be made again from them. The size of an entry follows from
// the number of longs; where several do, it is likely, or the least.
func PackedMap(name string, longs []byte, likely int, straddle bool) (m voxel.Map, ok bool) {
	m.Name = name
	for _, s := range [2]bool{straddle, !straddle} {
		if tryMap(&m, longs, likely, s) {
			return m, true
		}
		for size := 1; size <= 32; size++ {
			if size != likely && tryMap(&m, longs, size, s) {
				return m, true
			}
		}
	}
	return m, false
}

func tryMap(m *voxel.Map, longs []byte, size int, straddle bool) bool {
	if size < 1 || size > 32 || len(longs) != 8*Longs(len(m.Values), size, straddle) ||
		UnpackLongInts(longs, size, straddle, m.Values[:]) != nil {
		return false
	}
	m.Form = uint8(size)
	if straddle && 64%size != 0 {
		m.Form |= voxel.MapStraddle
	}
	return straddle || spareZero(longs, size, len(m.Values))
}

// spareZero reports whether the bits of longs that hold no whole one of n entries are zero. Straddling entries leave none.
func spareZero(longs []byte, size, n int) bool {
	for i := 0; i < n; i += 64 / size {
		if binary.BigEndian.Uint64(longs)>>(min(64/size, n-i)*size) != 0 {
			return false
		}
		longs = longs[8:]
	}
	return true
}

// IsPacked reports whether a map is stored as packed longs.
func IsPacked(m *voxel.Map) bool { return m.Form != voxel.MapInts && m.Form != voxel.MapBytes }

// AppendMap appends the payload of the long array of a packed map.
func AppendMap(dst []byte, m *voxel.Map) []byte {
	return AppendLongArray(dst, m.Values[:], int(m.Form&^voxel.MapStraddle), m.Form&voxel.MapStraddle != 0)
}

// maxMapName keeps names of maps within what an NBT name can be.
const maxMapName = 1 << 14

// CheckMap reports whether the name and the numbers of a map have room in its form.
func CheckMap(m *voxel.Map) error {
	size := int(m.Form &^ voxel.MapStraddle)
	switch m.Form {
	case voxel.MapInts:
		size = 32
	case voxel.MapBytes:
		size = 8
	}
	if size < 1 || size > 32 || len(m.Name) > maxMapName {
		return fmt.Errorf("map %.40q: form %#x, name of %d bytes", m.Name, m.Form, len(m.Name))
	}
	for i, v := range m.Values {
		if uint64(uint32(v))>>size != 0 {
			return fmt.Errorf("map %s: entry %d is %d, which has no room in %d bits", m.Name, i, v, size)
		}
	}
	return nil
}
