package texture

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"sync"

	"github.com/klauspost/compress/huff0"
	"github.com/klauspost/compress/zstd"
)

// encoder has the memory that encoding tiles needs. It is used by one goroutine.
type encoder struct {
	shape
	huff         huff0.Scratch
	zstd         *zstd.Encoder
	words, ranks []uint32 // of all channels, one after the other
	table        []uint32 // the words that occur, in order
	apart        []uint32 // what the words of a channel differ by from those of the one before
	trial, best  []uint32 // residuals of a channel
	modes        []byte   // of all channels, as all below
	large, low   []byte
	symbols      []byte
	frame, other []byte // the symbols and the tile in another form
}

var encoders = sync.Pool{New: func() any {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false),
		zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(1<<20), zstd.WithSingleSegment(true), zstd.WithAllLitEntropyCompression(true))
	if err != nil {
		panic("texture: zstd encoder options: " + err.Error())
	}
	return &encoder{zstd: z, huff: huff0.Scratch{Reuse: huff0.ReusePolicyNone, WantLogLess: 4}}
}}

// encode appends a tile to dst as the file has it.
func (e *encoder) encode(dst, src []byte, s shape) []byte {
	e.shape = s
	h := e.split(src)
	begin := len(dst)
	dst = e.append(dst, h, e.words)
	if e.rank() {
		if e.other = e.append(e.other[:0], h|ranked, e.ranks); len(e.other) < len(dst)-begin {
			dst = append(dst[:begin], e.other...)
		}
	}
	if n := len(dst) - begin; n > len(src)-len(src)/16 { // it is not worth the time to decode it
		dst = append(append(dst[:begin], byte(pixels)), src...)
	}
	return dst
}

// split makes e.words of pixels. They are folded if some are negative.
func (e *encoder) split(src []byte) (h head) {
	e.words = e.words[:0]
	size := e.of.Size()
	for c := range e.channels {
		for at := c * size; at < len(src); at += e.channels * size {
			v := uint32(0)
			for i, b := range src[at : at+size] {
				v |= uint32(b) << (8 * i)
			}
			if e.words = append(e.words, v); e.float() && v>>(e.bits()-1) != 0 {
				h = folded
			}
		}
	}
	if h == folded {
		for i, v := range e.words {
			e.words[i] = fold(v, e.bits())
		}
	}
	return h
}

// rank makes e.ranks the places of the words in e.table. It reports whether that may pay.
func (e *encoder) rank() bool {
	if e.bits() == 8 {
		return false
	}
	e.table = e.table[:0]
	if e.bits() == 32 {
		e.table = append(e.table, e.words...)
		slices.Sort(e.table)
		e.table = slices.Compact(e.table)
	} else {
		var occurs [1 << 10]uint64
		for _, v := range e.words {
			occurs[v>>6] |= 1 << (v & 63)
		}
		for i, set := range occurs {
			for ; set != 0; set &= set - 1 {
				e.table = append(e.table, uint32(i<<6|bits.TrailingZeros64(set)))
			}
		}
	}
	n := len(e.table)
	span := uint(e.table[n-1]-e.table[0]) + 1
	if len(e.words)*(bits.Len(span/uint(n))-1)/4 < n { // a byte each, for what fewer bits of residuals save
		return false
	}
	e.ranks = e.ranks[:0]
	for _, v := range e.words {
		i, _ := slices.BinarySearch(e.table, v)
		e.ranks = append(e.ranks, uint32(i))
	}
	return true
}

// append appends a tile of words or of ranks.
func (e *encoder) append(dst []byte, h head, words []uint32) []byte {
	e.modes, e.symbols, e.large, e.low = e.modes[:0], e.symbols[:0], e.large[:0], e.low[:0]
	var before []uint32
	for mine := range slices.Chunk(words, e.texels()) {
		e.channel(mine, before)
		before = mine
	}
	kind, stored := e.smallest()
	dst = append(dst, byte(h|kind))
	if h&ranked != 0 {
		dst = binary.AppendUvarint(dst, uint64(len(e.table)))
		next := uint32(0)
		for _, v := range e.table {
			dst = binary.AppendUvarint(dst, uint64(v-next))
			next = v + 1
		}
	}
	dst = append(dst, e.modes...)
	dst = binary.AppendUvarint(dst, uint64(len(e.large)/e.of.Size()))
	dst = append(append(dst, e.large...), e.low...)
	return append(dst, stored...)
}

// channel chooses how a channel is stored, and appends its parts.
func (e *encoder) channel(words, before []uint32) {
	ch, least := channel{}, -1
	try := func(words []uint32, apart bool) {
		for by := left; by < same; by++ {
			e.residuals(words, by)
			if cost := lengths(e.trial); least < 0 || cost < least {
				least = cost
				ch = channel{by: by, apart: apart, base: words[0]}
				e.trial, e.best = e.best, e.trial
			}
		}
	}
	try(words, false)
	if before != nil {
		e.apart = e.apart[:0]
		for i, v := range words {
			e.apart = append(e.apart, (v-before[i])&(1<<e.bits()-1))
		}
		try(e.apart, true)
	}
	if least == 0 {
		ch.by = same
	} else {
		ch.low = e.cheapest()
		e.appendResiduals(ch)
	}
	mode := byte(ch.by) | byte(ch.low)<<3
	if ch.apart {
		mode |= 4
	}
	e.modes = binary.AppendUvarint(append(e.modes, mode), uint64(ch.base))
}

// residuals makes e.trial what words differ by from their guesses, with the sign in 32 bits.
func (e *encoder) residuals(words []uint32, by predictor) {
	e.trial = e.trial[:0]
	shift := 32 - e.bits()
	for y := range e.Height {
		row := words[y*e.Width:][:e.Width]
		over := words[max(0, y-1)*e.Width:][:e.Width]
		was, wasOver := over[0], over[0] // to the left, and above it
		for x, v := range row {
			guess := was
			switch {
			case y > 0 && by == above:
				guess = over[x]
			case y > 0 && by == gradient:
				guess += over[x] - wasOver
			}
			was, wasOver = v, over[x]
			e.trial = append(e.trial, uint32(int32((v-guess)<<shift)>>shift))
		}
	}
}

// lengths returns about how many bits residuals take, 0 if all are 0.
func lengths(res []uint32) (n int) {
	for _, r := range res {
		n += bits.Len32(r<<1 ^ uint32(int32(r)>>31))
	}
	return n
}

// symbol returns the symbol of a residual.
func (c channel) symbol(r uint32, bits int) int8 {
	s := int32(r) >> (8 * c.low)
	if c.escapes(bits) && (s >= -escape || s <= escape) {
		return escape
	}
	return int8(s)
}

// cheapest returns how many bytes of low bits make the residuals e.best smallest.
func (e *encoder) cheapest() (low int) {
	least := 0
	for ch := (channel{}); ch.low < e.of.Size(); ch.low++ {
		var counts [256]uint32
		for _, r := range e.best {
			counts[uint8(ch.symbol(r, e.bits()))]++
		}
		cost := len(e.best) * (ch.low<<11 + log2(uint32(len(e.best))))
		for _, n := range counts {
			cost -= int(n) * log2(n)
		}
		if ch.escapes(e.bits()) {
			cost += int(counts[0x100+escape]) * e.bits() << 8
		}
		if ch.low == 0 || cost < least {
			low, least = ch.low, cost
		}
	}
	return low
}

// log2 returns about the binary logarithm of n in 256ths. It has no floating-point numbers: all machines choose
// alike.
func log2(n uint32) int {
	l := max(bits.Len32(n), 1) - 1
	return l<<8 | int(uint64(n)<<8>>l&0xFF)
}

// appendResiduals appends the residuals e.best.
func (e *encoder) appendResiduals(ch channel) {
	for _, r := range e.best {
		s := ch.symbol(r, e.bits())
		e.symbols = append(e.symbols, byte(s))
		if ch.escapes(e.bits()) && s == escape {
			e.large = append(e.large, binary.LittleEndian.AppendUint32(nil, r)[:e.of.Size()]...)
		}
	}
	for i := range ch.low {
		for _, r := range e.best {
			e.low = append(e.low, byte(r>>(8*(ch.low-1-i))))
		}
	}
}

// smallest returns the symbols as they are stored. A frame takes longer to decode, and must be smaller.
func (e *encoder) smallest() (head, []byte) {
	codes, _, err := huff0.Compress4X(e.symbols, &e.huff)
	if err == nil && len(codes) > len(e.symbols)/2 { // nothing repeats
		return huffman, codes
	}
	e.frame = e.zstd.EncodeAll(e.symbols, e.frame[:0])
	if err == nil && len(e.frame) > len(codes)-len(codes)/8 {
		return huffman, codes
	}
	return zipped, e.frame
}
