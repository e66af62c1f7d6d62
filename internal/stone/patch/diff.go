package patch

import (
	"encoding/binary"
	"math/bits"
)

const (
	// window is how many bytes must be equal for a copy from elsewhere than beside, near for one from beside.
	window, near = 8, 4
	// looks is how many places of a window are looked at, ahead how many bytes behind the best one known.
	looks, ahead = 8, 32
	// far is how many bytes may be new at once: of bytes that are nowhere alike, each would be looked for in vain.
	far = 256 << 10
	// enough is up to how many equal bytes of a place count.
	enough = 512
)

// Diff returns a patch that makes target of base, nil if target is better stored whole: more than half of it is new.
func Diff(base, target []byte) *Patch {
	if len(base) == 0 || len(base) > MaxDocument || len(target) > MaxDocument {
		return nil
	}
	p := &Patch{Hash: Hash(target)}
	d := differ{base: base, target: target, work: 64 * (len(base) + len(target))}
	for d.base, d.target = d.trimmed(); ; {
		n := common(d.base[d.b:], d.target[d.t:])
		d.b, d.t = d.b+n, d.t+n
		if d.b == len(d.base) && d.t == len(d.target) {
			return p
		}
		fresh, skip := d.next()
		p.add(step{n, d.target[d.t:][:fresh], skip})
		if d.b, d.t = d.b+skip, d.t+fresh; 2*p.Size() >= len(target) {
			return nil
		}
	}
}

// differ is one Diff. Up to b and t it is done.
type differ struct {
	base, target []byte
	b, t         int
	work         int     // bytes that it may still compare
	first        []int32 // by hash of a window: 1 + where in base it first is, not before b; nil: not made yet
	after        []int32 // by place: 1 + the next place of that hash
	shift        int
}

// trimmed returns both without the end that they share.
func (d *differ) trimmed() (base, target []byte) {
	n := 0
	for n < min(len(d.base), len(d.target)) && d.base[len(d.base)-1-n] == d.target[len(d.target)-1-n] {
		n++
	}
	return d.base[:len(d.base)-n], d.target[:len(d.target)-n]
}

// next returns how many bytes of target are new and how many of base to leave out until both go on alike.
func (d *differ) next() (fresh, skip int) {
	base, target := d.base[d.b:], d.target[d.t:]
	fresh, skip = len(target), len(base)
	best, found := 0, false
	try := func(at, from int) {
		n := common(base[from:min(len(base), from+enough)], target[at:])
		d.work -= n + 1
		// A byte that is left out costs less than a new one, but it may be missing later.
		if score := n - at - max(from-at, at-from)/4; n >= near && (!found || score > best) {
			fresh, skip, best, found = at, from, score, true
		}
	}
	for at := 0; at < len(target) && d.work > 0 && at <= min(fresh, far)+ahead; at++ {
		if at < len(base) && alike(base[at:], target[at:]) {
			try(at, at)
		}
		if at+window > len(target) {
			continue
		}
		d.work--
		k, n := d.places(target[at:]), 0
		for ; *k > 0 && int(*k)-1 < d.b; *k = d.after[*k-1] {
		}
		for place := int(*k) - 1; place >= 0 && n < looks; place, n = int(d.after[place])-1, n+1 {
			try(at, place-d.b)
		}
	}
	return fresh, skip
}

// alike reports whether both go on with the same bytes.
func alike(a, b []byte) bool {
	return len(a) >= near && len(b) >= near && string(a[:near]) == string(b[:near])
}

// places returns where the places of a window begin.
func (d *differ) places(b []byte) *int32 {
	if d.first == nil {
		d.shift = 64 - max(8, bits.Len(uint(len(d.base))))
		d.first, d.after = make([]int32, 1<<(64-d.shift)), make([]int32, len(d.base))
		for i := len(d.base) - window; i >= d.b; i-- {
			k := d.places(d.base[i:])
			d.after[i], *k = *k, int32(i+1)
		}
	}
	return &d.first[binary.LittleEndian.Uint64(b)*0x9E3779B97F4A7C15>>d.shift]
}

// common returns with how many equal bytes both begin.
func common(a, b []byte) (n int) {
	for len(a)-n >= 8 && len(b)-n >= 8 {
		if x := binary.LittleEndian.Uint64(a[n:]) ^ binary.LittleEndian.Uint64(b[n:]); x != 0 {
			return n + bits.TrailingZeros64(x)/8
		}
		n += 8
	}
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
