package codec

import (
	"encoding/binary"
	"math/bits"
)

// bitWriter appends numbers of a few bits, lowest bit first.
type bitWriter struct {
	buf []byte
	acc uint64
	n   int // bits in acc, below 32
}

// put appends the lowest n bits of v. The other bits must be 0; n is at most 32.
func (w *bitWriter) put(v, n int) {
	w.acc |= uint64(v) << w.n
	if w.n += n; w.n >= 32 {
		w.buf = binary.LittleEndian.AppendUint32(w.buf, uint32(w.acc))
		w.acc >>= 32
		w.n -= 32
	}
}

func (w *bitWriter) flag(set bool) {
	v := 0
	if set {
		v = 1
	}
	w.put(v, 1)
}

// golomb appends v >= 0 as an Exp-Golomb code of order k.
func (w *bitWriter) golomb(v, k int) {
	high := v>>k + 1
	zeros := bits.Len(uint(high)) - 1
	w.put(1<<zeros, zeros+1)
	w.put(high&^(1<<zeros), zeros)
	w.put(v&(1<<k-1), k)
}

// truncated appends v of 0..m-1 in truncated binary: if m is not a power of two, the
// first values take one bit less.
func (w *bitWriter) truncated(v, m int) {
	k := bits.Len(uint(m)) - 1
	short := 2<<k - m
	if v < short {
		w.put(v, k)
		return
	}
	w.put((v+short)>>1, k)
	w.put((v+short)&1, 1)
}

// truncatedBits returns how many bits truncated takes.
func truncatedBits(v, m int) int {
	k := bits.Len(uint(m)) - 1
	if v < 2<<k-m {
		return k
	}
	return k + 1
}

// bytes returns the written bytes, padded with zero bits.
func (w *bitWriter) bytes() []byte {
	for ; w.n > 0; w.n -= 8 {
		w.buf = append(w.buf, byte(w.acc))
		w.acc >>= 8
	}
	return w.buf
}

// bitReader reads the output of bitWriter. Beyond the end it reads zeros, so callers
// check short before they use the result.
type bitReader struct {
	src []byte
	pos int // in bits
}

func (r *bitReader) short() bool { return r.pos > 8*len(r.src) }

// peek returns at least 56 bits.
func (r *bitReader) peek() uint64 {
	at := r.pos >> 3
	if at+8 <= len(r.src) {
		return binary.LittleEndian.Uint64(r.src[at:]) >> (r.pos & 7)
	}
	var last [8]byte
	if at < len(r.src) {
		copy(last[:], r.src[at:])
	}
	return binary.LittleEndian.Uint64(last[:]) >> (r.pos & 7)
}

// take returns the next n bits; n is at most 32.
func (r *bitReader) take(n int) int {
	v := r.peek() & (1<<n - 1)
	r.pos += n
	return int(v)
}

// golomb undoes bitWriter.golomb for numbers below 1<<16 and k of at most 15. ok is
// false for greater numbers.
func (r *bitReader) golomb(k int) (v int, ok bool) {
	b := r.peek()
	zeros := bits.TrailingZeros64(b)
	if zeros > 16 {
		r.pos += zeros
		return 0, false
	}
	high := 1<<zeros | int(b>>(zeros+1)&(1<<zeros-1))
	b >>= 2*zeros + 1
	r.pos += 2*zeros + 1 + k
	return (high-1)<<k | int(b&(1<<k-1)), true
}

// truncated undoes bitWriter.truncated; m is at least 1.
func (r *bitReader) truncated(m int) int {
	k := bits.Len(uint(m)) - 1
	short := 2<<k - m
	v := r.take(k)
	if v < short {
		return v
	}
	return v<<1 + r.take(1) - short
}
