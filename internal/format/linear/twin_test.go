package linear_test

import (
	"encoding/binary"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"
)

// content is a region in the plainest form.
type content struct {
	docs   [1024][]byte
	stamps [1024]uint32
}

// made returns a region with chunks of some sizes at some places, and a time stamp without a chunk.
func made() *content {
	c := &content{}
	for _, slot := range []int{0, 1, 31, 32, 33, 64, 100, 512, 990, 1023} {
		doc := make([]byte, 1+slot*7)
		for i := range doc {
			doc[i] = byte(i*slot ^ i>>3)
		}
		c.docs[slot], c.stamps[slot] = doc, 1_700_000_000+uint32(slot)
	}
	return c
}

type bytesOf []byte

func (b *bytesOf) u8(v int)       { *b = append(*b, byte(v)) }
func (b *bytesOf) u16(v int)      { *b = binary.BigEndian.AppendUint16(*b, uint16(v)) }
func (b *bytesOf) u32(v int)      { *b = binary.BigEndian.AppendUint32(*b, uint32(v)) }
func (b *bytesOf) u64(v uint64)   { *b = binary.BigEndian.AppendUint64(*b, v) }
func (b *bytesOf) bytes(v []byte) { *b = append(*b, v...) }

// packer packs all frames.
var packer, _ = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithZeroFrames(true))

// packed returns a frame of zstd.
func packed(raw []byte) []byte { return packer.EncodeAll(raw, nil) }

const sign = 0xC3FF13183CCA9D9A

// twinV1 writes version 1, field by field.
func (c *content) twinV1() []byte {
	var raw, out bytesOf
	n, newest := 0, uint32(0)
	for slot, doc := range c.docs {
		raw.u32(len(doc))
		raw.u32(int(c.stamps[slot]))
		newest = max(newest, c.stamps[slot])
		if len(doc) > 0 {
			n++
		}
	}
	for _, doc := range c.docs {
		raw.bytes(doc)
	}
	frame := packed(raw)
	out.u64(sign)
	out.u8(1)
	out.u64(uint64(newest))
	out.u8(6)
	out.u16(n)
	out.u32(len(frame))
	out.u64(0)
	out.bytes(frame)
	out.u64(sign)
	return out
}

// twinV2 writes version 2 with a grid of that many frames along an edge, and features.
func (c *content) twinV2(grid int, features ...string) []byte {
	var out, rest bytesOf
	out.u64(sign)
	out.u8(3)
	out.u64(0)
	out.u8(grid)
	out.u32(-1)
	out.u32(2)
	for i := range 128 {
		b := 0
		for bit := range 8 {
			if len(c.docs[8*i+bit]) > 0 {
				b |= 128 >> bit
			}
		}
		out.u8(b)
	}
	for _, f := range features {
		out.u8(len(f))
		out.bytes([]byte(f))
		out.u32(7)
	}
	out.u8(0)
	edge := 32 / grid
	for bx := range grid {
		for bz := range grid {
			var raw bytesOf
			for x := range edge {
				for z := range edge {
					slot := bx*edge + x + 32*(bz*edge+z)
					if doc := c.docs[slot]; len(doc) > 0 {
						raw.u32(len(doc) + 8)
					} else {
						raw.u32(0)
					}
					raw.u64(uint64(c.stamps[slot]))
					raw.bytes(c.docs[slot])
				}
			}
			frame := packed(raw)
			out.u32(len(frame))
			out.u8(6)
			out.u64(xxhash.Sum64(frame))
			rest.bytes(frame)
		}
	}
	out.bytes(rest)
	out.u64(sign)
	return out
}

// sum32 is the 32-bit xxHash in the plainest way.
func sum32(b []byte, seed uint32) uint32 {
	const p1, p2, p3, p4, p5 uint32 = 2654435761, 2246822519, 3266489917, 668265263, 374761393
	rotate := func(x uint32, n int) uint32 { return x<<n | x>>(32-n) }
	word := func(i int) uint32 {
		return uint32(b[i]) | uint32(b[i+1])<<8 | uint32(b[i+2])<<16 | uint32(b[i+3])<<24
	}
	h, i := seed+p5, 0
	if len(b) >= 16 {
		v1, v2, v3, v4 := seed+p1, seed, seed, seed
		v1, v2, v4 = v1+p2, v2+p2, v4-p1
		for ; i+16 <= len(b); i += 16 {
			v1 = rotate(v1+word(i)*p2, 13) * p1
			v2 = rotate(v2+word(i+4)*p2, 13) * p1
			v3 = rotate(v3+word(i+8)*p2, 13) * p1
			v4 = rotate(v4+word(i+12)*p2, 13) * p1
		}
		h = rotate(v1, 1) + rotate(v2, 7) + rotate(v3, 12) + rotate(v4, 18)
	}
	h += uint32(len(b))
	for ; i+4 <= len(b); i += 4 {
		h = rotate(h+word(i)*p3, 17) * p4
	}
	for ; i < len(b); i++ {
		h = rotate(h+uint32(b[i])*p5, 11) * p1
	}
	h = (h ^ h>>15) * p2
	h = (h ^ h>>13) * p3
	return h ^ h>>16
}

// twinBuffered writes Buffered Linear. millis is added to each time.
func (c *content) twinBuffered(millis uint64) []byte {
	var out, rest bytesOf
	out.u64(0xFFFFDFF7EDDAFD97)
	out.u8(3)
	out.u8(1)
	out.u32(0x0721)
	at := 14 + 16*8
	for i := range 16 {
		var raw bytesOf
		some := false
		for slot := 64 * i; slot < 64*i+64; slot++ {
			doc := c.docs[slot]
			if len(doc) == 0 {
				raw.u32(0)
				continue
			}
			some = true
			raw.u32(len(doc) + 16)
			raw.u32(len(doc))
			raw.u64(1000*uint64(c.stamps[slot]) + millis)
			raw.u32(int(sum32(doc, 0x0721)))
			raw.bytes(doc)
		}
		if !some {
			out.u64(0)
			continue
		}
		out.u64(uint64(at + len(rest)))
		frame := packed(raw)
		rest.u32(len(raw))
		rest.u32(len(frame))
		rest.bytes(frame)
	}
	return append(out, rest...)
}

func TestXXH32(t *testing.T) {
	b := made().docs[1023]
	for n := range 70 {
		if got, want := xxh32(b[:n], uint32(n)), sum32(b[:n], uint32(n)); got != want {
			t.Fatalf("%d bytes: %#x, want %#x", n, got, want)
		}
	}
}
