package codec

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

// odds is an adaptive probability that a bit is 1, in 1/65536 in the upper half. The lower
// half counts the bits seen, up to maxSeen. It adapts to the bits, fast at first.
type odds uint32

const (
	evenOdds odds = 1 << 31
	maxSeen       = 63
)

// rates is how far odds move towards each bit, in 1/65536.
var rates = func() (p [maxSeen + 1]uint32) {
	for n := range p {
		p[n] = uint32(1 << 17 / (2*n + 3))
	}
	return p
}()

func (o odds) after0() odds {
	n := o & maxSeen
	p := uint32(o >> 16)
	return odds(p-p*rates[n]>>16)<<16 | min(n+1, maxSeen)
}

func (o odds) after1() odds {
	n := o & maxSeen
	p := uint32(o >> 16)
	return odds(p+(1<<16-p)*rates[n]>>16)<<16 | min(n+1, maxSeen)
}

// after returns after1 if all is all ones and after0 if it is 0, without a branch.
func (o odds) after(all uint32) odds {
	n := o & maxSeen
	p := uint32(o >> 16)
	step := ((1<<16-p)&all | p&^all) * rates[n] >> 16
	return odds(p+(step^^all)-^all)<<16 | min(n+1, maxSeen)
}

func resetOdds(o []odds) {
	for i := range o {
		o[i] = evenOdds
	}
}

// The code is an arithmetic code: a stream of bits is a number between 0 and 1. Each
// bit takes a part of the remaining span, 1 the lower part; its width is the
// probability of the bit. The span is scaled up by words, big-endian. The last word
// is 0 and is left out.
const (
	wordBits  = 32
	wordBytes = wordBits / 8
	leastSpan = 1 << wordBits
)

var errSpan = errors.New("a number beyond the span")

// oddsReader reads bits. Beyond the end it reads zeros; fault reports errors.
type oddsReader struct {
	b          []byte
	at         int    // of the next word
	code, span uint64 // code is below span
	err        error
}

func newOddsReader(b []byte) oddsReader {
	r := oddsReader{b: b, span: leastSpan}
	r.code = uint64(r.word())
	return r
}

func (r *oddsReader) word() (w uint32) {
	if r.at+wordBytes <= len(r.b) {
		w = binary.BigEndian.Uint32(r.b[r.at:])
	}
	r.at += wordBytes
	return w
}

// bit reads a bit with the odds o and updates o.
func (r *oddsReader) bit(o *odds) bool {
	v := *o
	low := r.span >> 16 * uint64(v>>16)
	is := r.code < low
	if is {
		r.span = low
		*o = v.after1()
	} else {
		r.code -= low
		r.span -= low
		*o = v.after0()
	}
	if r.span < leastSpan {
		r.span <<= wordBits
		r.code = r.code<<wordBits | uint64(r.word())
	}
	return is
}

// tree reads n bits and returns them after a leading 1. Each has the odds at the
// index of the bits before it, with the leading 1. It does not branch on the bits,
// because they are hard to predict.
func (r *oddsReader) tree(o *[16]odds, n int) int {
	span, code := r.span, r.code
	node := uint64(1)
	for range n {
		at := &o[node&15]
		v := *at
		low := span >> 16 * uint64(v>>16)
		_, is := bits.Sub64(code, low, 0)
		all := -is
		node = node<<1 | is
		code -= low &^ all
		span = low&all | (span-low)&^all
		*at = v.after(uint32(all))
		if span < leastSpan {
			span <<= wordBits
			code = code<<wordBits | uint64(r.word())
		}
	}
	r.span, r.code = span, code
	return int(node)
}

// plain reads n bits, at most 16, each with probability one half.
func (r *oddsReader) plain(n int) int {
	r.span >>= n
	v := r.code / r.span
	if v >= 1<<n {
		r.err, v, r.code = errSpan, 0, 0
	}
	r.code -= v * r.span
	if r.span < leastSpan {
		r.span <<= wordBits
		r.code = r.code<<wordBits | uint64(r.word())
	}
	return int(v)
}

// count reads a number in unary: 1 bits before a 0, at most len(o).
func (r *oddsReader) count(o []odds) int {
	for n := range o {
		if !r.bit(&o[n]) {
			return n
		}
	}
	return len(o)
}

// fault returns the first error so far.
func (r *oddsReader) fault() error {
	if r.err == nil && r.at > len(r.b)+wordBytes {
		r.err = errShort
	}
	return r.err
}

// end returns an error if the stream is wrong after all bits are read.
func (r *oddsReader) end() error {
	if err := r.fault(); err != nil || r.at == len(r.b)+wordBytes {
		return err
	}
	return errLong
}

// oddsWriter writes the input of oddsReader.
type oddsWriter struct {
	b         []byte
	low, span uint64
	begun     bool // the first word, which is 0, was written
}

func (w *oddsWriter) reset() { *w = oddsWriter{b: w.b[:0], span: leastSpan} }

func (w *oddsWriter) bit(o *odds, is bool) {
	v := *o
	low := w.span >> 16 * uint64(v>>16)
	if is {
		w.span = low
		*o = v.after1()
	} else {
		w.add(low)
		w.span -= low
		*o = v.after0()
	}
	w.scale()
}

// tree writes the lower n bits of v. Like the reader's, it does not branch on them.
func (w *oddsWriter) tree(o *[16]odds, v, n int) {
	node := uint64(1)
	for i := n - 1; i >= 0; i-- {
		is := uint64(v) >> (i & 63) & 1
		all := -is
		at := &o[node&15]
		low := w.span >> 16 * uint64(*at>>16)
		w.add(low &^ all)
		w.span = low&all | (w.span-low)&^all
		*at = at.after(uint32(all))
		w.scale()
		node = node<<1 | is
	}
}

// plain writes the lower n bits of v.
func (w *oddsWriter) plain(v, n int) {
	w.span >>= n
	w.add(uint64(v&(1<<n-1)) * w.span)
	w.scale()
}

// count writes n, at most len(o).
func (w *oddsWriter) count(o []odds, n int) {
	for i := range n {
		w.bit(&o[i], true)
	}
	if n < len(o) {
		w.bit(&o[n], false)
	}
}

// add moves the lower end of the span up.
func (w *oddsWriter) add(v uint64) {
	w.low += v
	if w.low >= v {
		return
	}
	i := len(w.b) - 1
	for ; w.b[i] == 0xFF; i-- {
		w.b[i] = 0
	}
	w.b[i]++
}

// scale widens a span that is narrow.
func (w *oddsWriter) scale() {
	if w.span < leastSpan {
		w.word()
		w.span <<= wordBits
	}
}

// word writes the upper half of the lower end.
func (w *oddsWriter) word() {
	if w.begun {
		w.b = binary.BigEndian.AppendUint32(w.b, uint32(w.low>>wordBits))
	}
	w.begun = true
	w.low <<= wordBits
}

// end returns the stream: a number in the span whose last word is 0.
func (w *oddsWriter) end() []byte {
	if rest := w.low & (leastSpan - 1); rest != 0 {
		w.add(leastSpan - rest)
	}
	w.word()
	return w.b
}
