package raster

import (
	"encoding/binary"
	"math"
	"sync"
)

// halves has the value of each half.
var halves = sync.OnceValue(func() *[1 << 16]float32 {
	var all [1 << 16]float32
	for i := range all {
		all[i] = halfValue(uint16(i))
	}
	return &all
})

// halfValue returns the value of a half.
func halfValue(h uint16) float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, uint32(h>>10&31), uint32(h&1023)
	switch exponent {
	case 0:
		return math.Float32frombits(sign | math.Float32bits(float32(fraction)/(1<<24)))
	case 31:
		return math.Float32frombits(sign | 0x7F800000 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}

// HalfOf returns the half that is nearest to a number, the even one of two. What is larger than the
// greatest half is infinite.
func HalfOf(f float32) uint16 {
	bits := math.Float32bits(f)
	sign, rest := uint16(bits>>31)<<15, bits&0x7FFFFFFF
	switch {
	case rest > 0x7F800000: // not a number
		return sign | 0x7C00 | uint16(rest>>13&0x3FF) | 1
	case rest >= 0x477FF000: // 65,520 and more
		return sign | 0x7C00
	case rest < 0x38800000: // below 2^-14: multiples of 2^-24
		return sign | uint16(math.RoundToEven(float64(math.Float32frombits(rest))*(1<<24)))
	}
	rest += 0xFFF + rest>>13&1
	return sign | uint16(rest>>13-(127-15)<<10)
}

// Floats writes the values of numbers to dst. src has as many as dst.
func (t Type) Floats(dst []float32, src []byte) {
	switch t {
	case Uint8:
		for i := range dst {
			dst[i] = float32(src[i]) / 0xFF
		}
	case Uint16:
		for i := range dst {
			dst[i] = float32(binary.LittleEndian.Uint16(src[2*i:])) / 0xFFFF
		}
	case Uint32:
		for i := range dst {
			dst[i] = float32(float64(binary.LittleEndian.Uint32(src[4*i:])) / 0xFFFFFFFF)
		}
	case Half:
		table := halves()
		for i := range dst {
			dst[i] = table[binary.LittleEndian.Uint16(src[2*i:])]
		}
	case Float:
		for i := range dst {
			dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(src[4*i:]))
		}
	}
}

// Put writes numbers of the type, which have the values of src, to dst. Integers are rounded, and what
// is outside of 0 to 1 becomes the nearer of them; what is not a number becomes 0.
func (t Type) Put(dst []byte, src []float32) {
	switch t {
	case Uint8:
		for i, v := range src {
			dst[i] = uint8(scaled(v, 0xFF))
		}
	case Uint16:
		for i, v := range src {
			binary.LittleEndian.PutUint16(dst[2*i:], uint16(scaled(v, 0xFFFF)))
		}
	case Uint32:
		for i, v := range src {
			binary.LittleEndian.PutUint32(dst[4*i:], uint32(scaled(v, 0xFFFFFFFF)))
		}
	case Half:
		for i, v := range src {
			binary.LittleEndian.PutUint16(dst[2*i:], HalfOf(v))
		}
	case Float:
		for i, v := range src {
			binary.LittleEndian.PutUint32(dst[4*i:], math.Float32bits(v))
		}
	}
}

func scaled(v float32, most float64) float64 {
	if !(v > 0) { // also what is not a number
		return 0
	}
	return math.Floor(min(float64(v), 1)*most + 0.5)
}
