// Package linear reads and writes region files of Linear's formats: Linear 1 and 2, and Buffered Linear. They hold what
// a region file of Anvil holds, the tags of 32 by 32 chunks and a time stamp of each, compressed together. FORMAT.md
// describes them.
//
// The package knows nothing of what the tags mean. Package anvil reads and writes worlds of such files.
package linear

import "encoding/binary"

// Slots is the number of chunks of a region: chunk x, z is in slot x + 32*z.
const Slots = 1024

// Versions of the format, in our count.
const (
	V1       = 1 // one frame; its files call it 1 or 2
	V2       = 2 // a grid of frames; its files call it 3
	Buffered = 3 // 16 frames; its files call it 3, and have a name of their own
)

const (
	magic         = 0xC3FF13183CCA9D9A
	bufferedMagic = 0xFFFFDFF7EDDAFD97
	bufferedSeed  = 0x0721
	headSize      = 32        // of version 1
	tableSize     = Slots * 8 // of sizes and time stamps in the frame of version 1
	buckets       = 16        // of Buffered Linear
	defaultGrid   = 8         // of version 2
)

// Ext returns the extension of files of a version.
func Ext(version int) string {
	if version == Buffered {
		return ".b_linear"
	}
	return ".linear"
}

// Detect reports whether a file begins as those of the formats do; 8 bytes are enough.
func Detect(head []byte) bool {
	if len(head) < 8 {
		return false
	}
	m := binary.BigEndian.Uint64(head)
	return m == magic || m == bufferedMagic
}

// slotsOf returns the slots of a bucket of a grid, in their order: by x, then z.
func slotsOf(grid, bucket int) []int {
	edge := 32 / grid
	slots := make([]int, 0, edge*edge)
	for x := range edge {
		for z := range edge {
			slots = append(slots, bucket/grid*edge+x+(bucket%grid*edge+z)*32)
		}
	}
	return slots
}

// row returns n slots from first on.
func row(first, n int) []int {
	slots := make([]int, n)
	for i := range slots {
		slots[i] = first + i
	}
	return slots
}
