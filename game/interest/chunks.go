package interest

import (
	"fmt"
	"math"
	"slices"
	"weak"

	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Reach is the chunks around one, by their distances in chunks: a cylinder that stands upright, or a
// ball. The zero value is the one chunk alone. The viewers of one Reach share the order of its chunks;
// the first of them takes the time to make it, 0.1 s for the largest.
type Reach struct {
	Horizontal int // radius, at most MaxRadius
	Vertical   int // how far up and down, at most MaxRadius; of a ball it does not count
	Ball       bool
}

// MaxRadius bounds a Reach.
const MaxRadius = 64

func (s Reach) check() error {
	if s.Horizontal < 0 || s.Horizontal > MaxRadius || s.Vertical < 0 || s.Vertical > MaxRadius {
		return fmt.Errorf("shape %+v: a radius is not in 0..%d", s, MaxRadius)
	}
	return nil
}

// vertical returns how far a shape goes up and down.
func (s Reach) vertical() int {
	if s.Ball {
		return s.Horizontal
	}
	return s.Vertical
}

// plain returns the one form of equal shapes.
func (s Reach) plain() Reach {
	if s.Ball {
		s.Vertical = 0
	}
	return s
}

// Has reports whether the shape around a has b.
func (s Reach) Has(a, b geom.ChunkPos) bool {
	x, y, z := int(b.X)-int(a.X), int(b.Y)-int(a.Y), int(b.Z)-int(a.Z)
	square := x*x + z*z
	if s.Ball {
		return square+y*y <= s.Horizontal*s.Horizontal
	}
	return square <= s.Horizontal*s.Horizontal && max(y, -y) <= s.Vertical
}

// shape is the chunks of a Reach in an order.
type shape struct {
	Reach
	offsets []offset // nearest first
	places  []int32  // in offsets, by offset
	towers  []tower
	of      []uint16 // tower of each offset, by place
}

// tower is the offsets of one x and z.
type tower struct{ low, high offset }

// side is where a tower lies of a frustum.
type side uint8

const (
	unknown side = iota
	unseen       // as a whole, also with the slack
	seen         // as a whole
	crossing
)

type offset struct{ x, y, z int8 }

func (o offset) square() int { return int(o.x)*int(o.x) + int(o.y)*int(o.y) + int(o.z)*int(o.z) }

func (o offset) add(c geom.ChunkPos) geom.ChunkPos {
	return geom.ChunkPos{X: c.X + int32(o.x), Y: c.Y + int32(o.y), Z: c.Z + int32(o.z)}
}

// shape returns the one shape of the Set that is k. It stays in memory as long as somebody sees it.
func (s *Set) shape(k Reach) *shape {
	if old := s.shapes[k].Value(); old != nil {
		return old
	}
	out := &shape{Reach: k}
	h, v := k.Horizontal, k.vertical()
	each := func(f func(o offset)) {
		for y := -v; y <= v; y++ {
			for z := -h; z <= h; z++ {
				for x := -h; x <= h; x++ {
					if k.Has(geom.ChunkPos{}, geom.ChunkPos{X: int32(x), Y: int32(y), Z: int32(z)}) {
						f(offset{int8(x), int8(y), int8(z)})
					}
				}
			}
		}
	}
	starts := make([]int, h*h+v*v+2) // of the offsets of a distance
	each(func(o offset) { starts[o.square()+1]++ })
	for i := range starts[1:] {
		starts[i+1] += starts[i]
	}
	n := starts[len(starts)-1]
	out.offsets, out.of = make([]offset, n), make([]uint16, n)
	each(func(o offset) {
		out.offsets[starts[o.square()]] = o
		starts[o.square()]++
	})
	out.places = make([]int32, (2*h+1)*(2*h+1)*(2*v+1))
	towers := make([]uint16, (2*h+1)*(2*h+1)) // and 1, by x and z
	for i, o := range out.offsets {
		out.places[out.index(int(o.x), int(o.y), int(o.z))] = int32(i)
		at := &towers[(int(o.z)+h)*(2*h+1)+int(o.x)+h]
		if *at == 0 {
			out.towers = append(out.towers, tower{o, o})
			*at = uint16(len(out.towers))
		}
		t := &out.towers[*at-1]
		t.low.y, t.high.y = min(t.low.y, o.y), max(t.high.y, o.y)
		out.of[i] = *at - 1
	}
	s.shapes[k] = weak.Make(out)
	return out
}

// index returns the index of an offset in places.
func (s *shape) index(x, y, z int) int {
	h := s.Horizontal
	return ((y+s.vertical())*(2*h+1)+z+h)*(2*h+1) + x + h
}

// sight is the chunks that a viewer sees.
type sight struct {
	shape *shape        // nil: none
	at    geom.ChunkPos // the anchor
	some  bool          // only those in bits
	bits  []uint64      // by place in shape.offsets
}

func (s *sight) has(c geom.ChunkPos) bool {
	if s.shape == nil || !s.shape.Has(s.at, c) || c.Check() != nil {
		return false
	}
	if !s.some {
		return true
	}
	i := s.shape.places[s.shape.index(int(c.X-s.at.X), int(c.Y-s.at.Y), int(c.Z-s.at.Z))]
	return s.bits[i>>6]>>(i&63)&1 != 0
}

// hasPlace is has of a chunk by its place in the shape.
func (s *sight) hasPlace(i int) bool { return !s.some || s.bits[i>>6]>>(i&63)&1 != 0 }

// lookAtChunks brings what a viewer sees of chunks to where it is now.
func (s *Set) lookAtChunks(v *viewer) {
	old := v.seen
	now := sight{shape: old.shape, at: chunkOf(v.Position), some: v.Frustum != nil}
	if k := v.Chunks.plain(); now.shape == nil || now.shape.Reach != k {
		now.shape = s.shape(k)
	}
	if old.shape == now.shape && s.isNear(v.Position, old.at) {
		now.at = old.at
	}
	if now.shape == old.shape && now.at == old.at && !now.some && !old.some {
		return
	}
	if now.some {
		words := (len(now.shape.offsets) + 63) / 64
		now.bits = slices.Grow(v.spare[:0], words)[:words]
		clear(now.bits)
		s.sides = slices.Grow(s.sides[:0], len(now.shape.towers))[:len(now.shape.towers)]
		clear(s.sides)
	}
	stays := now.shape == old.shape && now.at == old.at
	for i, o := range now.shape.offsets {
		c := o.add(now.at)
		if c.Check() != nil {
			continue
		}
		had := stays && old.hasPlace(i) || !stays && old.has(c)
		if now.some {
			if !s.seesChunk(v, &now, i, c, had) {
				continue
			}
			now.bits[i>>6] |= 1 << (i & 63)
		}
		if !had {
			s.changes.ChunksIn = append(s.changes.ChunksIn, c)
		}
	}
	if old.shape != nil {
		for i, o := range old.shape.offsets {
			if !old.hasPlace(i) || stays && now.hasPlace(i) {
				continue
			}
			if c := o.add(old.at); c.Check() == nil && !now.has(c) {
				s.changes.ChunksOut = append(s.changes.ChunksOut, c)
			}
		}
	}
	v.seen, v.spare = now, old.bits
	s.place(v)
}

// seesChunk reports whether the frustum of a viewer sees a chunk at a place of a shape. It looks
// at the tower first.
func (s *Set) seesChunk(v *viewer, now *sight, place int, c geom.ChunkPos, had bool) bool {
	side := &s.sides[now.shape.of[place]]
	if *side == unknown {
		t := now.shape.towers[now.shape.of[place]]
		box := octree.Box{Min: chunkBox(t.low.add(now.at)).Min, Max: chunkBox(t.high.add(now.at)).Max}
		switch {
		case !v.frustum.Sees(s.grown(box, true)):
			*side = unseen
		case isFront(&v.frustum, box):
			*side = seen
		default:
			*side = crossing
		}
	}
	return *side == seen || *side == crossing && v.frustum.Sees(s.grown(chunkBox(c), had))
}

// isFront reports whether a box lies in front of all planes that bound something.
func isFront(f *octree.Frustum, b octree.Box) bool {
	for _, p := range f {
		if p != (octree.Plane{}) && p.Side(b) != octree.Front {
			return false
		}
	}
	return true
}

// place puts the box of what a viewer sees into the tree.
func (s *Set) place(v *viewer) {
	c, h, y := v.seen.at, float64(v.Chunks.Horizontal), float64(v.Chunks.vertical())
	x0, y0, z0 := float64(c.X), float64(c.Y), float64(c.Z)
	box := octree.Box{Min: octree.Vec{X: x0 - h, Y: y0 - y, Z: z0 - h}, Max: octree.Vec{X: x0 + h, Y: y0 + y, Z: z0 + h}}
	if err := s.places.Move(octree.ObjectID(v.id), box); err != nil {
		panic("interest: a viewer is in the tree: " + err.Error())
	}
}

// isNear reports whether a position is in a chunk or at most the margin from it.
func (s *Set) isNear(p octree.Vec, c geom.ChunkPos) bool {
	b, m := chunkBox(c), s.o.Margin
	near := func(v, low, high float64) bool { return v >= low-m && v < high+m }
	return near(p.X, b.Min.X, b.Max.X) && near(p.Y, b.Min.Y, b.Max.Y) && near(p.Z, b.Min.Z, b.Max.Z)
}

// grown returns a box, with the slack around it if it was seen.
func (s *Set) grown(b octree.Box, seen bool) octree.Box {
	if !seen {
		return b
	}
	k := s.o.Slack
	return octree.Box{Min: octree.Vec{X: b.Min.X - k, Y: b.Min.Y - k, Z: b.Min.Z - k}, Max: octree.Vec{X: b.Max.X + k, Y: b.Max.Y + k, Z: b.Max.Z + k}}
}

func chunkBox(c geom.ChunkPos) octree.Box {
	const e = geom.ChunkEdge
	x, y, z := float64(c.X)*e, float64(c.Y)*e, float64(c.Z)*e
	return octree.Box{Min: octree.Vec{X: x, Y: y, Z: z}, Max: octree.Vec{X: x + e, Y: y + e, Z: z + e}}
}

// chunkOf returns the chunk of a position, and the nearest chunk of one that is out of range.
func chunkOf(p octree.Vec) geom.ChunkPos {
	of := func(v float64) int32 {
		return int32(min(max(math.Floor(v/geom.ChunkEdge), -geom.MaxChunk), geom.MaxChunk-1))
	}
	return geom.ChunkPos{X: of(p.X), Y: of(p.Y), Z: of(p.Z)}
}
