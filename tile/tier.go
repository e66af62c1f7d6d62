package tile

import (
	"fmt"
	"sync"

	"github.com/pierrec/lz4/v4"
)

var compressors = sync.Pool{New: func() any { return new(lz4.Compressor) }}

// packLZ4 appends src as an LZ4 block to dst. It returns false if src does not become smaller by an
// eighth.
func packLZ4(dst, src []byte) ([]byte, bool) {
	l := compressors.Get().(*lz4.Compressor)
	defer compressors.Put(l)
	from := len(dst)
	dst = append(dst, make([]byte, len(src)-len(src)/8)...)
	n, err := l.CompressBlock(src, dst[from:])
	return dst[:from+n], err == nil && n > 0
}

// unpackLZ4 fills dst with what src was packed from.
func unpackLZ4(dst, src []byte) error {
	n, err := lz4.UncompressBlock(src, dst)
	if err != nil || n != len(dst) {
		return fmt.Errorf("tile: unpack %d bytes: %d of %d, %w", len(src), n, len(dst), err)
	}
	return nil
}

// packed is a payload in the compressed tier.
type packed struct {
	bytes      []byte
	size       int // unpacked
	purpose    int
	next, prev *packed
	leave      func() // takes it from its record
}

// tier is the packed payloads, first in first out. The cache's mu guards it.
type tier struct {
	head  packed // of a ring
	bytes int64
	count int
}

// dense is what the record of a tile has that does not become smaller: nobody tries again.
var dense packed

// packedBytes is about what a packed payload takes besides its bytes.
const packedBytes = 128

func (t *tier) drop(p *packed) {
	if p == nil || p.next == nil {
		return
	}
	p.prev.next, p.next.prev = p.next, p.prev
	p.next = nil
	t.bytes -= int64(cap(p.bytes)) + packedBytes
	t.count--
}

func (t *tier) push(p *packed) {
	if t.head.next == nil {
		t.head.next, t.head.prev = &t.head, &t.head
	}
	p.next, p.prev = t.head.next, &t.head
	p.next.prev, t.head.next = p, p
	t.bytes += int64(cap(p.bytes)) + packedBytes
	t.count++
}

// pack packs payloads that left and frees them. The caller has mu, which pack gives away
// while it packs.
func (c *Cache[K]) pack(victims []victim) {
	var moving int64
	for _, v := range victims {
		moving += v.p.size
	}
	c.moving += moving
	c.mu.Unlock()
	made := make([]*packed, len(victims))
	var buf []byte
	for i, v := range victims {
		made[i] = &dense
		small, ok := packLZ4(buf[:0], v.p.bytes)
		if buf = small; ok {
			made[i] = &packed{bytes: append(make([]byte, 0, len(small)), small...), size: len(v.p.bytes)}
		}
		v.p.free(v.p)
	}
	c.mu.Lock()
	c.moving -= moving
	c.moved.Broadcast()
	for i, v := range victims {
		c.store(v, made[i])
	}
}

// store gives the record of a victim its packed payload, which may be &dense, unless its tile is
// here again or is being read. The caller has mu.
func (c *Cache[K]) store(v victim, p *packed) {
	need := int64(cap(p.bytes)) + packedBytes
	if need > c.o.Packed {
		return
	}
	for p != &dense && c.tier.bytes+need > c.o.Packed {
		last := c.tier.head.prev
		last.leave()
		c.tier.drop(last)
	}
	r := c.record(v.id)
	s := c.shard(v.hash)
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.key.Hash() != v.hash || r.left != v.left || r.payload != nil || r.flight != nil || r.packed != nil {
		return
	}
	if r.packed = p; p == &dense {
		return
	}
	p.purpose = int(r.purpose)
	p.leave = func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		r.packed = nil
	}
	c.tier.push(p)
}

// unpack returns the payload of a record from the compressed tier, or nil. The caller has
// the turn of the flight.
func (c *Cache[K]) unpack(s *shard[K], id uint32, f *flight) (*payload, error) {
	if c.o.Packed == 0 {
		return nil, nil
	}
	c.mu.Lock()
	s.mu.Lock()
	var from *packed
	if !f.lost {
		from = c.record(id).packed // it stays: the tile need not be packed again when it leaves again
	}
	s.mu.Unlock()
	c.mu.Unlock()
	if from == nil || from == &dense {
		return nil, nil
	}
	if err := c.reserve(int64(from.size), from.purpose); err != nil {
		return nil, err
	}
	b := c.pool.get(from.size)
	if err := unpackLZ4(b, from.bytes); err != nil {
		c.giveBack(b)
		return nil, err
	}
	p := c.pool.payload(b, from.purpose, c.freeBytes)
	p.unpacked = true
	return p, nil
}
