package stream

import (
	"math/bits"

	"github.com/cairnvoxel/cairn/voxel"
)

// The constants of the hash are odd and have about as many bits set as not. A version is not
// meant to withstand who looks for two cubes with one.
const (
	hash1 = 0xa0761d6478bd642f
	hash2 = 0xe7037ed1a0b428db
	hash3 = 0x8ebc6af09c88c6e3
)

func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

// hashName returns the hash of a name.
func hashName(name string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 0x100000001b3
	}
	return mix(h^hash1, uint64(len(name))^hash2)
}

// version returns the version of a cube: a hash of runs of names, and 0 if all cells are the default.
func (s *scene) version(c content) uint64 {
	empty := true
	h := uint64(hash3)
	for i := range s.volumes {
		v, n := &s.volumes[i], s.frozen[i].hashes
		h = mix(h^hash1, uint64(len(c[i]))^hash2)
		for rest := c[i]; len(rest) > 0; {
			cell, run := rest[0], 1
			for run < len(rest) && rest[run] == cell {
				run++
			}
			empty = empty && cell == v.Default
			h = mix(h^hashCell(cell, v.Schema, n), uint64(run)*hash1^hash2)
			rest = rest[run:]
		}
	}
	if empty {
		return 0
	}
	return max(h, 1)
}

func hashCell(c voxel.Cell, s voxel.Schema, names []uint64) uint64 {
	n := int(c)
	if s == voxel.Terrain {
		n = int(c >> 8)
	}
	if s == voxel.Level || n >= len(names) {
		return uint64(c)
	}
	if s == voxel.Terrain {
		return mix(names[n]^hash3, uint64(c&0xFF)^hash1)
	}
	return names[n]
}
