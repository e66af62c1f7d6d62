package tags

import "math/bits"

// How the numbers of a place are written. Fractions and arrays of longs are written
// unchanged.
const (
	wayPlanes = 0 // the first bytes of all numbers, then the second bytes, ...
	waySteps  = 1 // planes, with each byte as the difference from the one before
)

func planar(t byte) bool { return t != tFloat && t != tDouble && t != tLongs }

// leastSteps is the least number of bytes for which steps are tried.
const leastSteps = 64

// appendNumbers appends big-endian numbers of type t and brings similar bytes
// together.
func appendNumbers(dst []byte, t byte, b []byte) (out []byte, way uint64) {
	if !planar(t) {
		return append(dst, b...), wayPlanes
	}
	at, wide := len(dst), int(width[t])
	for i := range wide {
		for j := i; j < len(b); j += wide {
			dst = append(dst, b[j])
		}
	}
	planes := dst[at:]
	if len(planes) < leastSteps || !stepsWin(planes) {
		return dst, wayPlanes
	}
	for i := len(planes) - 1; i > 0; i-- {
		planes[i] -= planes[i-1]
	}
	return dst, waySteps
}

// decodeNumbers undoes appendNumbers; it may return b.
func (r *Reader) decodeNumbers(t byte, way uint64, b []byte) []byte {
	if !planar(t) || way == wayPlanes && width[t] == 1 {
		return b
	}
	out, wide := make([]byte, len(b)), int(width[t])
	last, at := byte(0), 0
	for i := range wide {
		for j := i; j < len(out); j += wide {
			if at%bytesAtOnce == 0 && r.ended() {
				return out
			}
			v := b[at]
			if way == waySteps {
				v += last
				last = v
			}
			out[j] = v
			at++
		}
	}
	return out
}

// stepsWin reports whether the steps of b take clearly fewer bits than b.
func stepsWin(b []byte) bool {
	var plain, steps [256]int
	last := byte(0)
	for _, v := range b {
		plain[v]++
		steps[v-last]++
		last = v
	}
	return bitsOf(&steps)*10 < bitsOf(&plain)*9
}

// bitsOf estimates the bits that bytes with these counts take. The result is the
// same on every machine.
func bitsOf(counts *[256]int) (sum int) {
	all := 0
	for _, n := range counts {
		all += n
	}
	for _, n := range counts {
		if n > 0 {
			sum += n * (log(all) - log(n))
		}
	}
	return sum
}

// log returns 256 times the base 2 logarithm of n, interpolated linearly between
// powers.
func log(n int) int {
	k := bits.Len(uint(n)) - 1
	return k<<8 + (n-1<<k)<<8>>k
}
