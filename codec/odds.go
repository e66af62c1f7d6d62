package codec

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

// odds are how likely a bit is to be 1: that in 1/65536 in the upper half, and in the
// lower half how often it came, up to mostCame. They follow what comes, fast at first.
type odds uint32

const (
	evenOdds odds = 1 << 31
	mostCame      = 63
)

// paces are how far odds go towards the bit that came, in 1/65536.
var paces = func() (p [mostCame + 1]uint32) {
	for n := range p {
		p[n] = uint32(1 << 17 / (2*n + 3))
	}
	return p
}()

func (o odds) after0() odds {
	n := o & mostCame
	p := uint32(o >> 16)
	return odds(p-p*paces[n]>>16)<<16 | min(n+1, mostCame)
}

func (o odds) after1() odds {
	n := o & mostCame
	p := uint32(o >> 16)
	return odds(p+(1<<16-p)*paces[n]>>16)<<16 | min(n+1, mostCame)
}

// after returns after1 for all bits set, after0 for none, without a branch.
func (o odds) after(all uint32) odds {
	n := o & mostCame
	p := uint32(o >> 16)
	step := ((1<<16-p)&all | p&^all) * paces[n] >> 16
	return odds(p+(step^^all)-^all)<<16 | min(n+1, mostCame)
}

func resetOdds(o []odds) {
	for i := range o {
		o[i] = evenOdds
	}
}

// A stream of bits is a number between 0 and 1, and each bit takes the lower or the
// upper part of what is left of that span: 1 the lower one, as wide as it is likely.
// The span is scaled up by words, big-endian, of which the last, a 0, is left out.
const (
	wordBits  = 32
	wordBytes = wordBits / 8
	leastSpan = 1 << wordBits
)

var errSpan = errors.New("a number beyond what is left")

// oddsReader reads bits; beyond the end, zeros. What was wrong, fault tells.
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

// bit reads a bit of odds that it changes.
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

// tree reads n bits, each of the odds at the place that the bits before it make behind
// a 1, and returns all of them behind a 1. It does not branch on what it reads, since
// that is hard to foresee.
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

// plain reads n bits, at most 16, of even odds that do not change.
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

// count reads how many bits of 1 come before one of 0, at most as many as odds.
func (r *oddsReader) count(o []odds) int {
	for n := range o {
		if !r.bit(&o[n]) {
			return n
		}
	}
	return len(o)
}

// fault reports what was wrong so far.
func (r *oddsReader) fault() error {
	if r.err == nil && r.at > len(r.b)+wordBytes {
		r.err = errShort
	}
	return r.err
}

// end reports what is wrong with the stream once all bits are read.
func (r *oddsReader) end() error {
	if err := r.fault(); err != nil || r.at == len(r.b)+wordBytes {
		return err
	}
	return errLong
}

// oddsWriter writes what oddsReader reads.
type oddsWriter struct {
	b         []byte
	low, span uint64
	begun     bool // the first word, which is 0, is past
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

// tree writes the lower n bits of v.
func (w *oddsWriter) tree(o *[16]odds, v, n int) {
	for i, node := n-1, 1; i >= 0; i-- {
		b := v >> i & 1
		w.bit(&o[node&15], b != 0)
		node = node<<1 | b
	}
}

// plain writes the lower n bits of v.
func (w *oddsWriter) plain(v, n int) {
	w.span >>= n
	w.add(uint64(v&(1<<n-1)) * w.span)
	w.scale()
}

// count writes n, of at most as many as odds.
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

// word puts out the upper half of the lower end.
func (w *oddsWriter) word() {
	if w.begun {
		w.b = binary.BigEndian.AppendUint32(w.b, uint32(w.low>>wordBits))
	}
	w.begun = true
	w.low <<= wordBits
}

// end returns the stream, of a number within the span of which the last word is 0.
func (w *oddsWriter) end() []byte {
	if rest := w.low & (leastSpan - 1); rest != 0 {
		w.add(leastSpan - rest)
	}
	w.word()
	return w.b
}
