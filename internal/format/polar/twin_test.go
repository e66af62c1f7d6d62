package polar_test

import (
	"encoding/binary"
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// world is a Polar world in the plainest form.
type world struct {
	version, data, low, high int
	packed                   bool
	user                     []byte
	chunks                   []chunk
}

type chunk struct {
	x, z     int32
	sections []section
	tiles    []tile
	heights  map[int][]int // by bit, 256 values each
	user     []byte
}

// section is one with a name for each block and biome; nil is an empty one.
type section struct {
	blocks, biomes []string
	light, sky     []byte
}

type tile struct {
	x, y, z int
	id      string // "" is none
	tags    []byte // payload of a compound, nil is none
}

type twin struct{ b []byte }

func (w *twin) u8(v int)       { w.b = append(w.b, byte(v)) }
func (w *twin) u32(v uint32)   { w.b = binary.BigEndian.AppendUint32(w.b, v) }
func (w *twin) raw(v []byte)   { w.b = append(w.b, v...) }
func (w *twin) bytes(v []byte) { w.varint(uint32(len(v))); w.raw(v) }
func (w *twin) varint(v uint32) {
	for ; v >= 128; v >>= 7 {
		w.u8(int(v&127 | 128))
	}
	w.u8(int(v))
}

// longs writes values of size bits, which cross no longs.
func (w *twin) longs(values []int, size int) {
	per := 64 / size
	n := (len(values) + per - 1) / per
	w.varint(uint32(n))
	for i := range n {
		var long uint64
		for j := range per {
			if at := i*per + j; at < len(values) {
				long |= uint64(values[at]) << (j * size)
			}
		}
		w.b = binary.BigEndian.AppendUint64(w.b, long)
	}
}

// container writes a palette in the order of appearance, and entries.
func (w *twin) container(names []string) {
	var palette []string
	place := map[string]int{}
	values := make([]int, len(names))
	for i, name := range names {
		at, ok := place[name]
		if !ok {
			at = len(palette)
			place[name] = at
			palette = append(palette, name)
		}
		values[i] = at
	}
	w.varint(uint32(len(palette)))
	for _, name := range palette {
		w.bytes([]byte(name))
	}
	if len(palette) == 1 {
		return
	}
	size := 1
	for 1<<size < len(palette) {
		size++
	}
	w.longs(values, size)
}

func same(b []byte, v byte) bool {
	for _, x := range b {
		if x != v {
			return false
		}
	}
	return true
}

func (w *twin) light(version int, b []byte) {
	switch {
	case b == nil:
		w.u8(0)
	case version < 7:
		w.u8(1)
		w.raw(b)
	case same(b, 0):
		w.u8(1)
	case same(b, 255):
		w.u8(2)
	default:
		w.u8(3)
		w.raw(b)
	}
}

// file writes the world, table by table of FORMAT.md.
func (p *world) file() []byte {
	c := &twin{}
	c.u8(p.low)
	c.u8(p.high)
	if p.version > 4 {
		c.bytes(p.user)
	}
	c.varint(uint32(len(p.chunks)))
	for _, k := range p.chunks {
		c.varint(uint32(k.x))
		c.varint(uint32(k.z))
		for _, s := range k.sections {
			if s.blocks == nil {
				c.u8(1)
				continue
			}
			c.u8(0)
			c.container(s.blocks)
			c.container(s.biomes)
			switch {
			case p.version > 1:
				c.light(p.version, s.light)
				c.light(p.version, s.sky)
			case s.light == nil:
				c.u8(0)
			default:
				c.u8(1)
				c.raw(s.light)
				c.raw(s.sky)
			}
		}
		c.varint(uint32(len(k.tiles)))
		for _, t := range k.tiles {
			y := t.y
			at := uint32(t.x) | uint32(t.z)<<28
			if y < 0 {
				y, at = -y, at|1<<27
			}
			c.u32(at | uint32(y)<<4)
			if t.id == "" {
				c.u8(0)
			} else {
				c.u8(1)
				c.bytes([]byte(t.id))
			}
			tags := t.tags
			if p.version > 2 && tags == nil {
				c.u8(0)
				continue
			}
			if p.version > 2 {
				c.u8(1)
			}
			c.u8(10)
			if p.version < 4 {
				c.u8(0)
				c.u8(0)
			}
			if tags == nil {
				tags = []byte{0}
			}
			c.raw(tags)
		}
		mask := uint32(0)
		for bit := range k.heights {
			mask |= 1 << bit
		}
		c.u32(mask)
		for bit := range 32 {
			if values := k.heights[bit]; values != nil {
				c.longs(values, 9)
			}
		}
		if p.version > 2 {
			c.bytes(k.user)
		}
	}
	h := &twin{b: []byte(fmt.Sprintf("Polr\x00%c", p.version))}
	if p.version >= 6 {
		h.varint(uint32(p.data))
	}
	if !p.packed {
		h.u8(0)
		h.bytes(c.b)
		return h.b
	}
	h.u8(1)
	h.varint(uint32(len(c.b)))
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false), zstd.WithZeroFrames(true))
	if err != nil {
		panic(err)
	}
	return enc.EncodeAll(c.b, h.b)
}

// made returns a world that a version holds exactly.
func made(version int) *world {
	p := &world{version: version, data: []int{0, 3337, 3463, 3578, 3578, 3578, 3700, 4325}[version], low: -5, high: 2, packed: true}
	if version > 4 {
		p.user = []byte("user data of the world")
	}
	for i, at := range [][2]int32{{-3, -2}, {0, -2}, {5, 0}, {2000, 7}} {
		k := chunk{x: at[0], z: at[1], heights: map[int][]int{}}
		for y := p.low; y <= p.high; y++ {
			s := section{blocks: make([]string, 4096), biomes: make([]string, 64)}
			kinds := []int{1, 2, 3, 17, 300}[(y+5+i)%5]
			for j := range s.blocks {
				switch n := j * j >> 3 % kinds; n {
				case 0:
					s.blocks[j] = "minecraft:air"
				default:
					s.blocks[j] = fmt.Sprintf("test:b%d[a=%d,b=x]", n, n/7)
				}
			}
			for j := range s.biomes {
				s.biomes[j] = fmt.Sprintf("minecraft:biome%d", j%(1+(y+5)%4))
			}
			lights := [][]byte{nil, make([]byte, 2048), pattern(255, 0), pattern(y, 7)}
			s.light, s.sky = lights[(y+5)%4], lights[(y+5+i)%4]
			if version < 2 && (s.light == nil) != (s.sky == nil) {
				s.light, s.sky = nil, nil
			}
			if y > p.low && y < p.high && (y+i)%7 == 0 {
				s = section{}
			}
			k.sections = append(k.sections, s)
		}
		for j := range i {
			t := tile{x: j, y: 20 - 37*j, z: 15 - j, id: "minecraft:chest", tags: []byte{1, 0, 1, 'a', byte(j), 0}}
			if j == 1 && version > 2 {
				t.tags = nil
			}
			if j == 2 {
				t.id = ""
			}
			k.tiles = append(k.tiles, t)
		}
		for bit := range 2 * i {
			values := make([]int, 256)
			for j := range values {
				values[j] = (j*bit + i) % 512
			}
			k.heights[3*bit] = values
		}
		if version > 2 && i > 1 {
			k.user = []byte{1, 2, byte(i)}
		}
		p.chunks = append(p.chunks, k)
	}
	return p
}

func pattern(v, step int) []byte {
	b := make([]byte, 2048)
	for i := range b {
		b[i] = byte(v + i*step)
	}
	return b
}
