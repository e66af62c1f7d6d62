package linear

import (
	"encoding/binary"
	"math/bits"
)

const (
	prime1 = 0x9E3779B1
	prime2 = 0x85EBCA77
	prime3 = 0xC2B2AE3D
	prime4 = 0x27D4EB2F
	prime5 = 0x165667B1
)

// XXH32 is the 32-bit xxHash. Source: xxhash_spec.md of Cyan4973/xxHash.
func XXH32(b []byte, seed uint32) uint32 {
	size := uint32(len(b))
	h := seed + prime5
	if len(b) >= 16 {
		p1, p2 := uint32(prime1), uint32(prime2)
		v := [4]uint32{seed + p1 + p2, seed + p2, seed, seed - p1}
		for ; len(b) >= 16; b = b[16:] {
			for i := range v {
				v[i] = bits.RotateLeft32(v[i]+binary.LittleEndian.Uint32(b[4*i:])*prime2, 13) * prime1
			}
		}
		h = bits.RotateLeft32(v[0], 1) + bits.RotateLeft32(v[1], 7) + bits.RotateLeft32(v[2], 12) + bits.RotateLeft32(v[3], 18)
	}
	h += size
	for ; len(b) >= 4; b = b[4:] {
		h = bits.RotateLeft32(h+binary.LittleEndian.Uint32(b)*prime3, 17) * prime4
	}
	for _, c := range b {
		h = bits.RotateLeft32(h+uint32(c)*prime5, 11) * prime1
	}
	h = (h ^ h>>15) * prime2
	h = (h ^ h>>13) * prime3
	return h ^ h>>16
}
