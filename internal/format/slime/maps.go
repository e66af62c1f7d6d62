package slime

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
)

// Names of the maps of numeric columns; biomes have that name up to 1.14.
const (
	mapHeight = "HeightMap"
	mapBiomes = "Biomes"
)

// maxMapName keeps names of maps within what an NBT name can be.
const maxMapName = 1 << 14

// intMap reads 256 big-endian ints.
func intMap(name string, b []byte) voxel.Map {
	m := voxel.Map{Name: name, Form: voxel.MapInts}
	for i := range m.Values {
		m.Values[i] = int32(binary.BigEndian.Uint32(b[4*i:]))
	}
	return m
}

func byteMap(name string, b []byte) voxel.Map {
	m := voxel.Map{Name: name, Form: voxel.MapBytes}
	for i := range m.Values {
		m.Values[i] = int32(b[i])
	}
	return m
}

// packedMap unpacks 256 entries of whatever size gives so many longs. If no
// one size does, or packing them again would give other bytes, ok is false.
func packedMap(name string, longs []byte, straddle bool) (m voxel.Map, ok bool) {
	for _, s := range [...]bool{straddle, !straddle} {
		size, one := 0, false
		for b := 1; b <= 32; b++ {
			if 8*block.Longs(columnMap, b, s) == len(longs) {
				size, one = b, size == 0
			}
		}
		if !one {
			continue
		}
		m = voxel.Map{Name: name, Form: uint8(size)}
		if s {
			m.Form |= voxel.MapStraddle
		}
		if block.UnpackLongInts(longs, size, s, m.Values[:]) == nil && bytes.Equal(longs, appendPackedMap(nil, &m)) {
			return m, true
		}
	}
	return m, false
}

// hasMap reports whether a packed map of that name is among maps.
func hasMap(maps []voxel.Map, name string) bool {
	return slices.ContainsFunc(maps, func(m voxel.Map) bool { return isPacked(&m) && m.Name == name })
}

// isPacked reports whether m is stored as packed longs.
func isPacked(m *voxel.Map) bool { return m.Form != voxel.MapInts && m.Form != voxel.MapBytes }

func appendPackedMap(dst []byte, m *voxel.Map) []byte {
	return block.AppendLongs(dst, m.Values[:], int(m.Form&^voxel.MapStraddle), m.Form&voxel.MapStraddle != 0)
}

// checkMap reports whether m's values fit its form.
func checkMap(m *voxel.Map) error {
	size := int(m.Form &^ voxel.MapStraddle)
	switch m.Form {
	case voxel.MapInts:
		size = 32
	case voxel.MapBytes:
		size = 8
	}
	if size < 1 || size > 32 || len(m.Name) > maxMapName {
		return fmt.Errorf("map %.40q: form %d, name of %d bytes", m.Name, m.Form, len(m.Name))
	}
	for _, v := range m.Values {
		if uint64(uint32(v))>>size != 0 {
			return fmt.Errorf("map %q: value %d has more than %d bits", m.Name, v, size)
		}
	}
	return nil
}

// readHeights appends the packed height maps of an NBT document to maps.
func (l layout) readHeights(doc []byte, maps []voxel.Map, dropped Losses) ([]voxel.Map, error) {
	err := eachEntry(doc, func(r *nbt.Reader, t nbt.Type, name []byte) error {
		if t != nbt.LongArray {
			r.Skip(t)
			dropped.add("Heightmaps."+string(name), 1)
			return nil
		}
		s, err := nbt.DecodeString(name)
		m, ok := packedMap(s, r.LongArray(), block.Straddles(l.data))
		if r.Err() == nil && err == nil && ok && !hasMap(maps, s) {
			maps = append(maps, m)
		} else {
			dropped.add("Heightmaps."+string(name), 1)
		}
		return nil
	})
	return maps, err
}

// appendHeights appends the document of the packed maps.
func appendHeights(dst []byte, maps []voxel.Map) []byte {
	dst = nbt.AppendHeader(dst, nbt.Compound, "")
	for i := range maps {
		if m := &maps[i]; isPacked(m) {
			dst = nbt.AppendHeader(dst, nbt.LongArray, m.Name)
			size, straddle := int(m.Form&^voxel.MapStraddle), m.Form&voxel.MapStraddle != 0
			dst = binary.BigEndian.AppendUint32(dst, uint32(block.Longs(columnMap, size, straddle)))
			dst = appendPackedMap(dst, m)
		}
	}
	return nbt.AppendEnd(dst)
}

func appendInts(dst []byte, values []int32) []byte {
	for _, v := range values {
		dst = binary.BigEndian.AppendUint32(dst, uint32(v))
	}
	return dst
}
