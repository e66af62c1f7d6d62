package tile

import (
	"sync"
	"sync/atomic"
)

// payload is what is kept of a tile: bytes of a pool, or a Go value.
//
// The number of pins grows only under the lock of the record's shard and only as long as
// the record has the payload. So a payload without pins that its record gave up belongs
// to nobody. Payloads of bytes are used again, so pins tells one life from the next: what
// frees a payload must have seen it without pins in the same life.
type payload struct {
	bytes   []byte
	value   any
	size    int64        // what it counts
	pins    atomic.Int64 // the lower half; the upper half counts lives
	gone    atomic.Bool  // no record has it
	stale   atomic.Bool  // it was invalidated for a record: microcaches ask again
	purpose uint8
	free    func(*payload)
	one     constant     // a tile that needs no bytes
	used    *atomic.Bool // of the record that had it first
	// unpacked says that it came from the compressed tier or from a file.
	unpacked bool
	// owners are the records that share the payload, and sum is the hash of its bytes if
	// it can be shared. Both need the lock of the cache's instances.
	owners int
	sum    uint64
}

// release takes one pin away. The last pin of a payload that no record has frees it.
func (p *payload) release() {
	if n := p.pins.Add(-1); !pinned(n) && p.gone.Load() {
		p.drop(n)
	}
}

// life is what pins grows by when a payload is freed.
const life = 1 << 32

func pinned(pins int64) bool { return pins%life != 0 }

// drop frees a payload that no record has, once, unless somebody else has done so since
// pins was what it is here: without pins.
func (p *payload) drop(pins int64) {
	if p.pins.CompareAndSwap(pins, pins+life) {
		p.free(p)
	}
}

// Handle pins the payload of a tile until it is released. The zero Handle pins nothing.
// A Handle may be copied, but it must be released once.
type Handle struct {
	p     *payload
	users *int // of the worker's slot that has the pin; nil: this Handle has it
}

// Bytes returns the payload. It must not be changed, and not be used after Release. It is
// nil for a constant tile.
func (h Handle) Bytes() []byte {
	if h.p == nil {
		return nil
	}
	return h.p.bytes
}

// Constant returns the element that a constant tile repeats, and the tile's size in bytes.
func (h Handle) Constant() (element []byte, size int, ok bool) {
	if h.p == nil || h.p.one.size == 0 {
		return nil, 0, false
	}
	one := &h.p.one
	return one.value[:one.element:one.element], int(one.size), true
}

// Copy writes the tile to dst, also a constant one, and returns how many bytes it wrote.
func (h Handle) Copy(dst []byte) int {
	element, size, ok := h.Constant()
	if !ok {
		return copy(dst, h.Bytes())
	}
	dst = dst[:min(len(dst), size)]
	for n := copy(dst, element); n < len(dst); n *= 2 {
		copy(dst[n:], dst[:n])
	}
	return len(dst)
}

// Release lets go of the payload. It allocates nothing. A Handle that a Worker was given
// must be released by the goroutine that uses the Worker.
func (h Handle) Release() {
	switch {
	case h.users != nil:
		*h.users--
	case h.p != nil && h.p.one.size == 0:
		h.p.release()
	}
}

// constant is a tile that repeats one element.
type constant struct {
	value   [maxElement]byte
	size    int32 // of the tile; 0: it is no constant
	element uint8
}

// maxElement is the most bytes of an element that constant tiles may repeat: four
// channels of 32 bits.
const maxElement = 16

// constantOf reports whether b repeats one element of so many bytes.
func constantOf(b []byte, element int) (c constant, ok bool) {
	if element < 1 || element > maxElement || len(b) < 2*element || len(b)%element != 0 {
		return c, false
	}
	if string(b[element:]) != string(b[:len(b)-element]) {
		return c, false
	}
	c.size, c.element = int32(len(b)), uint8(element)
	copy(c.value[:], b[:element])
	return c, true
}

// pool has buffers of evicted payloads by class of size. Its own lock is held for a few
// instructions.
type pool struct {
	most int64 // bytes of free buffers

	mu    sync.Mutex
	free  [classes][][]byte
	bytes int64
	spare []*payload
}

// A class has buffers of one capacity. There are classesDoubling of them from one power of
// two to the next, so that a buffer is at most a quarter larger than what it holds.
const (
	classesDoubling = 4
	leastClass      = 9 // 512 bytes
	classes         = (30 - leastClass) * classesDoubling
)

// classOf returns the smallest class for n bytes, and its capacity. Beyond the largest
// class it returns -1 and n.
func classOf(n int) (class, capacity int) {
	for shift := leastClass; shift < leastClass+classes/classesDoubling; shift++ {
		for step := range classesDoubling {
			if capacity = 1<<shift + step<<shift/classesDoubling; n <= capacity {
				return (shift-leastClass)*classesDoubling + step, capacity
			}
		}
	}
	return -1, n
}

// get returns a buffer of n bytes with any content.
func (p *pool) get(n int) []byte {
	class, capacity := classOf(n)
	if class >= 0 {
		p.mu.Lock()
		for _, c := range [2]int{class, class + 1} { // a buffer a class larger is better than a new one
			if c == classes || len(p.free[c]) == 0 {
				continue
			}
			last := len(p.free[c]) - 1
			b := p.free[c][last]
			p.free[c][last] = nil
			p.free[c] = p.free[c][:last]
			p.bytes -= int64(cap(b))
			p.mu.Unlock()
			return b[:n]
		}
		p.mu.Unlock()
	}
	return make([]byte, n, capacity)
}

// put gives a buffer back. If there are too many free ones it is for the collector.
func (p *pool) put(b []byte) {
	class, capacity := classOf(cap(b))
	if class < 0 || capacity != cap(b) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bytes+int64(cap(b)) <= p.most {
		p.free[class] = append(p.free[class], b)
		p.bytes += int64(cap(b))
	}
}

// payload returns a payload of bytes.
func (p *pool) payload(b []byte, purpose int, free func(*payload)) *payload {
	var x *payload
	p.mu.Lock()
	if last := len(p.spare) - 1; last >= 0 {
		x, p.spare = p.spare[last], p.spare[:last]
	}
	p.mu.Unlock()
	if x == nil {
		x = &payload{}
	}
	x.bytes, x.size, x.purpose, x.free = b, int64(len(b)), uint8(purpose), free
	return x
}

// putPayload gives back a payload that was freed, and its buffer.
func (p *pool) putPayload(x *payload) {
	p.put(x.bytes)
	x.bytes, x.used, x.unpacked, x.sum = nil, nil, false, 0
	x.gone.Store(false)
	x.stale.Store(false)
	p.mu.Lock()
	p.spare = append(p.spare, x)
	p.mu.Unlock()
}
