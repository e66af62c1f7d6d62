package anvil

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/flate"
)

// adlerMod is the largest prime below 1<<16.
const adlerMod = 65521

var (
	errZlibHeader = errors.New("no header of zlib without a dictionary")
	errZlibSum    = errors.New("the checksum of zlib differs")
)

// inflateZlib undoes RFC 1950. It checks the sum over the whole at the end, which
// is cheaper than piece by piece.
func (f *inflater) inflateZlib(dst, payload []byte) ([]byte, error) {
	if len(payload) < 2 {
		return dst, fmt.Errorf("zlib: %w", io.ErrUnexpectedEOF)
	}
	if h := binary.BigEndian.Uint16(payload); h>>8&15 != 8 || h>>12 > 7 || h&0x20 != 0 || h%31 != 0 {
		return dst, errZlibHeader
	}
	f.src.Reset(payload[2:])
	if f.flate == nil {
		f.flate = flate.NewReader(&f.src)
	} else if err := f.flate.(flate.Resetter).Reset(&f.src, nil); err != nil {
		return dst, fmt.Errorf("zlib: %w", err)
	}
	start := len(dst)
	dst, err := readAll(dst, f.flate, len(payload))
	if err != nil {
		return dst, err
	}
	var sum [4]byte
	if _, err := io.ReadFull(&f.src, sum[:]); err != nil {
		return dst, fmt.Errorf("zlib: %w", noEOF(err))
	}
	if binary.BigEndian.Uint32(sum[:]) != adler(dst[start:]) {
		return dst, errZlibSum
	}
	return dst, nil
}

// adler returns the Adler-32 of b: a, 1 and the sum of all bytes, and above it the
// sum of a after each byte. It adds eight bytes at once, in lanes of 16 bits.
func adler(b []byte) uint32 {
	const lanes = 0x00FF_00FF_00FF_00FF
	const words = 22 // as long as a sum of sums stays in its lane
	a, sum := uint64(1), uint64(0)
	for ; len(b) >= 8*words; b = b[8*words:] {
		part := (*[8 * words]byte)(b)
		// Sums of the bytes at even and odd places, and of these sums.
		var even, odd, evens, odds uint64
		for i := 0; i < len(part); i += 8 {
			v := binary.LittleEndian.Uint64(part[i:])
			evens += even
			odds += odd
			even += v & lanes
			odd += v >> 8 & lanes
		}
		sum += 8 * words * a
		for i := range uint64(4) {
			e, o := even>>(16*i)&0xFFFF, odd>>(16*i)&0xFFFF
			a += e + o
			sum += 8*(evens>>(16*i)&0xFFFF+odds>>(16*i)&0xFFFF) + (8-2*i)*e + (7-2*i)*o
		}
		a, sum = a%adlerMod, sum%adlerMod
	}
	for _, v := range b {
		a += uint64(v)
		sum += a
	}
	return uint32(sum%adlerMod)<<16 | uint32(a%adlerMod)
}
