package voxel

import (
	"encoding/binary"
	"unsafe"
)

// AppendMemory appends the chunk as it is in memory, for FromMemory in the same process. It is
// many times faster than a codec, and takes as many bytes as the chunk. c may be nil.
func (c *Chunk) AppendMemory(dst []byte) []byte {
	if c == nil {
		return binary.NativeEndian.AppendUint32(dst, noChunk)
	}
	dst = binary.NativeEndian.AppendUint32(dst, uint32(len(c.data)))
	dst = append(append(dst, cellBytes(c.slices[:])...), cellBytes(c.data)...)
	if c.patched() {
		dst = append(dst, 1)
		for _, s := range c.plain {
			if s != nil {
				dst = append(dst, cellBytes(s[:])...)
			}
		}
		return dst
	}
	return append(dst, 0)
}

// noChunk is the length of the data of a nil chunk.
const noChunk = 1<<32 - 1

// FromMemory undoes AppendMemory. It returns the bytes after the chunk and keeps none. It trusts
// b: the caller must know that AppendMemory made these bytes.
func FromMemory(b []byte) (c *Chunk, rest []byte) {
	n := binary.NativeEndian.Uint32(b)
	if b = b[4:]; n == noChunk {
		return nil, b
	}
	c = new(Chunk)
	b = b[copy(cellBytes(c.slices[:]), b):]
	if n > 0 {
		c.data = make([]Cell, n, max(n, maxBytes)) // see padForReads
		b = b[copy(cellBytes(c.data), b):]
	}
	plain := b[0] != 0
	if b = b[1:]; plain {
		c.plain = new(plains)
		for y, h := range c.slices {
			if h == patchMark {
				c.plain[y] = new(plainSlice)
				b = b[copy(cellBytes(c.plain[y][:]), b):]
			}
		}
	}
	return c, b
}

// cellBytes returns the memory of cells.
func cellBytes(cells []Cell) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(cells))), len(cells)*int(unsafe.Sizeof(Empty)))
}
