package exr

import (
	"encoding/binary"
	"errors"

	"github.com/cairnvoxel/cairn/internal/cursor"
)

const (
	mostWords  = 1<<16 + 1 // what has a code: each word of 16 bits, and the sign of a run
	mostCode   = 56        // bits; a longer code is that of a word among 10^11
	lookupBits = 12
)

// huffman decodes the words of PIZ and DWA. Their codes are canonical: of two codes of different lengths
// the longer is the smaller number, and those of equal lengths are in the order of the words. The greatest
// that has a code is the sign of a run: the word before comes again as often as the next 8 bits say.
type huffman struct {
	short [1 << lookupBits]uint32 // by the next bits the word<<8 and the length of its code, 0 if that is longer
	first [mostCode + 1]uint64    // of each length the first code
	index [mostCode + 1]int       // where in words those of a length begin
	words [mostWords]uint32       // the words by their codes, the longest first
	coded []uint32                // the words that have a code, word<<8 and length
}

var errCodes = errors.New("the codes are not complete")

// huffman fills dst.
func (d *decoder) huffman(dst []uint16, src []byte) error {
	if d.codes == nil {
		d.codes = new(huffman)
	}
	h := d.codes
	c := cursor.New(src, "codes")
	least, most := c.Uint32(), c.Uint32()
	c.Uint32() // the size of the lengths, which also follows from them
	count := int(c.Uint32())
	c.Uint32()
	if c.Err() != nil {
		return c.Err()
	}
	if least > most || most >= mostWords {
		return errCodes
	}
	data, err := h.readLengths(src[len(src)-c.Left():], least, most)
	if err != nil {
		return err
	}
	if err := h.build(); err != nil {
		return err
	}
	if (count+7)/8 > len(data) {
		return cursor.ErrShort
	}
	return h.fill(dst, data[:(count+7)/8], count, most)
}

// readLengths reads the lengths of the codes, 6 bits each, and returns what follows. 59 to 62 are 2 to 5
// words without a code, 63 with 8 more bits 6 and more.
func (h *huffman) readLengths(src []byte, least, most uint32) ([]byte, error) {
	var bits uint32
	var have, at int
	take := func(n int) uint32 {
		for ; have < n; have += 8 {
			bits <<= 8
			if at < len(src) {
				bits |= uint32(src[at])
			}
			at++
		}
		have -= n
		return bits >> have & (1<<n - 1)
	}
	h.coded = h.coded[:0]
	for word := least; word <= most; word++ {
		switch n := take(6); {
		case n == 63:
			word += take(8) + 5
		case n >= 59:
			word += n - 58
		case n > mostCode:
			return nil, errCodes
		case n > 0:
			h.coded = append(h.coded, word<<8|n)
		}
	}
	if at > len(src) {
		return nil, cursor.ErrShort
	}
	return src[at:], nil
}

// build makes the tables. The codes must be complete: any bits begin with one.
func (h *huffman) build() error {
	var counts [mostCode + 1]int
	for _, v := range h.coded {
		counts[v&0xFF]++
	}
	next, at := uint64(0), 0
	for l := mostCode; l > 0; l-- {
		h.first[l], h.index[l] = next, at
		at += counts[l]
		next += uint64(counts[l])
		if next&1 != 0 {
			return errCodes
		}
		next /= 2
	}
	if next != 1 {
		return errCodes
	}
	places := h.index
	for _, v := range h.coded {
		h.words[places[v&0xFF]] = v >> 8
		places[v&0xFF]++
	}
	to := h.first[lookupBits]
	clear(h.short[:to])
	for l := lookupBits; l > 0; l-- {
		for _, word := range h.words[h.index[l]:][:counts[l]] {
			for range 1 << (lookupBits - l) {
				h.short[to] = word<<8 | uint32(l)
				to++
			}
		}
	}
	return nil
}

// fill fills dst from so many bits, all of which it must use.
func (h *huffman) fill(dst []uint16, src []byte, count int, run uint32) error {
	var bits uint64 // the next ones, the first of them the highest
	var have, at int
	for i := 0; i < len(dst); {
		if have < 32 {
			bits, have, at = refill(bits, have, at, src)
		}
		word := h.short[bits>>(64-lookupBits)]
		n := int(word & 0xFF)
		word >>= 8
		if n == 0 {
			bits, have, at = refill(bits, have, at, src)
			for n = lookupBits + 1; bits>>(64-n) < h.first[n]; n++ {
			}
			word = h.words[h.index[n]+int(bits>>(64-n)-h.first[n])]
		}
		bits <<= n
		have -= n
		if word != run {
			dst[i] = uint16(word)
			i++
			continue
		}
		bits, have, at = refill(bits, have, at, src)
		n = int(bits >> 56)
		bits <<= 8
		have -= 8
		if i == 0 || n == 0 || n > len(dst)-i {
			return errors.New("a run of words that has no place")
		}
		for last := dst[i-1]; n > 0; n-- {
			dst[i] = last
			i++
		}
	}
	if 8*at-have != count {
		return errors.New("the codes do not end where they should")
	}
	return nil
}

// refill returns at least 57 bits. Behind the end of src are zeros.
func refill(bits uint64, have, at int, src []byte) (uint64, int, int) {
	if at+8 <= len(src) {
		n := (63 - have) >> 3
		return bits | binary.BigEndian.Uint64(src[at:])>>have, have + 8*n, at + n
	}
	for ; have <= 56; have += 8 {
		if at < len(src) {
			bits |= uint64(src[at]) << (56 - have)
		}
		at++
	}
	return bits, have, at
}
