package block

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/cairnvoxel/cairn/voxel"
)

// Bits returns the bits of one entry where n values are told apart, but at
// least least.
func Bits(n, least int) int { return max(least, bits.Len(uint(n-1))) }

// Longs returns how many longs n entries of size bits take. Where entries
// straddle (data version 2528 and below), they cross from one long into the
// next; otherwise the high bits of a long that hold no whole entry are zero.
func Longs(n, size int, straddle bool) int {
	if straddle {
		return (n*size + 63) / 64
	}
	per := 64 / size
	return (n + per - 1) / per
}

// Straddles reports whether a game of that data version packs entries across
// longs (before 20w17a).
func Straddles(version int32) bool { return version < 2529 }

func checkLongs(longs []byte, n, size int, straddle bool) error {
	if size < 1 || size > 32 {
		return fmt.Errorf("block: packed longs: %d bits an entry", size)
	}
	if want := 8 * Longs(n, size, straddle); len(longs) != want {
		return fmt.Errorf("block: packed longs: %d bytes, want %d for %d entries of %d bits", len(longs), want, n, size)
	}
	return nil
}

// UnpackLongs fills dst with table[entry] for the entries of size bits in longs,
// which are big-endian and begin with the lowest bits. It fails where longs has
// not exactly the length of len(dst) entries, or an entry is beyond the table.
func UnpackLongs(longs []byte, size int, straddle bool, table, dst []voxel.Cell) error {
	if err := checkLongs(longs, len(dst), size, straddle); err != nil {
		return err
	}
	straddle = straddle && 64%size != 0
	switch {
	case straddle:
		return unpackStraddling(longs, size, table, dst)
	case size == 4:
		return unpackHalves(longs, table, dst)
	}
	mask, per, rest := uint64(1)<<size-1, 64/size, dst
	for ; len(rest) > 0; longs = longs[8:] {
		v := binary.BigEndian.Uint64(longs)
		part := rest[:min(per, len(rest))]
		for i := range part {
			e := v & mask
			if e >= uint64(len(table)) {
				return beyond(e, table)
			}
			part[i] = table[e]
			v >>= size
		}
		rest = rest[len(part):]
	}
	return nil
}

// unpackHalves is Unpack for entries of 4 bits, which most sections have: the
// table is padded to 16 cells so that no entry needs a check of its own.
func unpackHalves(longs []byte, table, dst []voxel.Cell) error {
	const none = voxel.MaxCell + 1
	var t [16]voxel.Cell
	for i := copy(t[:], table); i < len(t); i++ {
		t[i] = none
	}
	var seen voxel.Cell
	for ; len(dst) >= 16; longs, dst = longs[8:], dst[16:] {
		v := binary.BigEndian.Uint64(longs)
		d := (*[16]voxel.Cell)(dst)
		for i := range d {
			c := t[v&15]
			d[i] = c
			seen |= c
			v >>= 4
		}
	}
	for i := range dst {
		c := t[binary.BigEndian.Uint64(longs)>>(4*i)&15]
		dst[i] = c
		seen |= c
	}
	if seen >= none {
		return fmt.Errorf("block: packed longs: an entry is beyond a palette of %d", len(table))
	}
	return nil
}

func unpackStraddling(longs []byte, size int, table, dst []voxel.Cell) error {
	mask := uint64(1)<<size - 1
	var v uint64
	have := 0
	for i := range dst {
		e := v
		if have < size {
			v = binary.BigEndian.Uint64(longs)
			longs = longs[8:]
			e |= v << have
			v >>= size - have
			have += 64 - size
		} else {
			v >>= size
			have -= size
		}
		e &= mask
		if e >= uint64(len(table)) {
			return beyond(e, table)
		}
		dst[i] = table[e]
	}
	return nil
}

func beyond(e uint64, table []voxel.Cell) error {
	return fmt.Errorf("block: packed longs: entry %d is beyond a palette of %d", e, len(table))
}

// UnpackLongInts is Unpack for the numbers themselves, as height maps have them.
func UnpackLongInts(longs []byte, size int, straddle bool, dst []int32) error {
	if err := checkLongs(longs, len(dst), size, straddle); err != nil {
		return err
	}
	at := 0
	for i := range dst {
		if !straddle && at%64+size > 64 {
			at += 64 - at%64
		}
		v := binary.BigEndian.Uint64(longs[at/64*8:]) >> (at % 64)
		if have := 64 - at%64; have < size {
			v |= binary.BigEndian.Uint64(longs[at/64*8+8:]) << have
		}
		dst[i] = int32(v & (1<<size - 1))
		at += size
	}
	return nil
}

// AppendLongArray appends the payload of a long array of entries: the number of longs, and AppendLongs.
func AppendLongArray[T ~uint16 | ~int32](dst []byte, entries []T, size int, straddle bool) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(Longs(len(entries), size, straddle)))
	return AppendLongs(dst, entries, size, straddle)
}

// AppendLongs appends entries of size bits (1..32) as packed longs; see Longs
// for their number. Bits of an entry above size must be zero.
func AppendLongs[T ~uint16 | ~int32](dst []byte, entries []T, size int, straddle bool) []byte {
	var v uint64
	have := 0
	for _, e := range entries {
		x := uint64(uint32(e))
		if have+size > 64 && !straddle || have == 64 {
			dst = binary.BigEndian.AppendUint64(dst, v)
			v, have = 0, 0
		}
		v |= x << have
		if have += size; have > 64 {
			dst = binary.BigEndian.AppendUint64(dst, v)
			have -= 64
			v = x >> (size - have)
		}
	}
	if have > 0 {
		dst = binary.BigEndian.AppendUint64(dst, v)
	}
	return dst
}
