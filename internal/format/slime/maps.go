package slime

import (
	"encoding/binary"
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

// hasMap reports whether a packed map of that name is among maps.
func hasMap(maps []voxel.Map, name string) bool {
	return slices.ContainsFunc(maps, func(m voxel.Map) bool { return block.IsPacked(&m) && m.Name == name })
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
		m, ok := block.PackedMap(s, r.LongArray(), 0, block.Straddles(l.data))
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
		if m := &maps[i]; block.IsPacked(m) {
			dst = block.AppendMap(nbt.AppendHeader(dst, nbt.LongArray, m.Name), m)
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
