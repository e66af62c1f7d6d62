package octree

import (
	"encoding/binary"
	"math/bits"
)

// Beside its exact box each object has a coarse one: six lanes of seven bits in the frame
// of its node. The frame is the loose box of the node in 126 steps. The first three lanes
// are the distances of the box's Min from the Min of the frame, the last three those of
// the box's Max from the Max of the frame. The coarse box of a query has the distances of
// its Max and its Min in the same order. A box that overlaps the query has no lane above
// the query's, because the steps of a number never fall as the number rises. So a query
// compares eight objects at once and looks at the exact boxes of those that are left.

const (
	lanes    = 6
	steps    = 126
	mostStep = 127 // of what lies outside of the frame
	noObject = 128 // above all steps, in the first lane of a place without an object

	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// coarse is the coarse box of a query: each lane eight times, with the high bits set.
type coarse [lanes]uint64

// lane returns the same lane of the objects of a bucket.
func (k *bucket) lane(l int) uint64 { return binary.LittleEndian.Uint64(k.lanes[l][:]) }

// scan returns a set with the high bit of the byte of each object that may overlap c.
func (k *bucket) scan(c *coarse) uint64 {
	return (c[0] - k.lane(0)) & (c[1] - k.lane(1)) & (c[2] - k.lane(2)) &
		(c[3] - k.lane(3)) & (c[4] - k.lane(4)) & (c[5] - k.lane(5)) & highs
}

// place returns the place of the first object of a set.
func place(met uint64) uint32 { return uint32(bits.TrailingZeros64(met)) / 8 % bucketItems }

// probe is a box that objects are compared with.
type probe struct {
	Box      // the exact box
	near Box // what of it lies so near the bounds that its steps are integers
}

func (t *index) probeOf(b Box) probe {
	p := probe{b, b}
	if c := &t.clip; !c.contains(&b) {
		p.near = Box{
			Vec{min(max(b.Min.X, c.Min.X), c.Max.X), min(max(b.Min.Y, c.Min.Y), c.Max.Y), min(max(b.Min.Z, c.Min.Z), c.Max.Z)},
			Vec{min(max(b.Max.X, c.Min.X), c.Max.X), min(max(b.Max.Y, c.Min.Y), c.Max.Y), min(max(b.Max.Z, c.Min.Z), c.Max.Z)},
		}
	}
	return p
}

// step returns a lane of a query.
func step(distance, grain float64) uint64 {
	return uint64(max(0, min(mostStep, int64(distance*grain))))
}

// aim sets c to the coarse box of p in the frame of a node. It returns which children p
// may overlap, of all that exist or could.
func (t *index) aim(n *node, p *probe, c *coarse) (met uint8) {
	r, g := t.reach[n.depth%levels], t.grain[n.depth%levels]
	q := &p.near
	x, y, z := step(q.Max.X-(n.middle.X-r), g), step(q.Max.Y-(n.middle.Y-r), g), step(q.Max.Z-(n.middle.Z-r), g)
	u, v, w := step(n.middle.X+r-q.Min.X, g), step(n.middle.Y+r-q.Min.Y, g), step(n.middle.Z+r-q.Min.Z, g)
	c[0], c[1], c[2] = x*ones|highs, y*ones|highs, z*ones|highs
	c[3], c[4], c[5] = u*ones|highs, v*ones|highs, w*ones|highs
	s := &t.sides
	return s[0][x%128] & s[1][y%128] & s[2][z%128] & s[3][u%128] & s[4][v%128] & s[5][w%128]
}

// setSides makes the table by which aim finds children: for each lane and step, which
// children a query with that lane may overlap. Seen from either end of the frame, the
// near child of an axis begins at (loose-1)/4loose of the frame, the far one at
// (loose+1)/4loose. Two steps less make up for what is rounded.
func (t *index) setSides(loose float64) {
	near, far := steps*(loose-1)/(4*loose), steps*(loose+1)/(4*loose)
	for l := range t.sides {
		low, high := uint8(0b01010101), uint8(0b10101010) // the octants of the halves on x
		switch l % 3 {
		case 1:
			low, high = 0b00110011, 0b11001100
		case 2:
			low, high = 0b00001111, 0b11110000
			if t.fan == 4 {
				high = 0
			}
		}
		if l >= 3 {
			low, high = high, low
		}
		for s := range t.sides[l] {
			t.sides[l][s] = 0
			if float64(s)+2 > near {
				t.sides[l][s] |= low
			}
			if float64(s)+2 > far {
				t.sides[l][s] |= high
			}
		}
	}
}

// setLanes sets the coarse box of an object of a node.
func (t *index) setLanes(k *bucket, item uint32, n *node, b *Box) {
	r, g := t.reach[n.depth%levels], t.grain[n.depth%levels]
	x, y, z := b.Min.X-(n.middle.X-r), b.Min.Y-(n.middle.Y-r), b.Min.Z-(n.middle.Z-r)
	u, v, w := n.middle.X+r-b.Max.X, n.middle.Y+r-b.Max.Y, n.middle.Z+r-b.Max.Z
	if n.depth == 0 { // where an object may lie outside of the frame
		x, y, z, u, v, w = t.clamp(x), t.clamp(y), t.clamp(z), t.clamp(u), t.clamp(v), t.clamp(w)
	}
	k.setLanes(item%bucketItems, x*g, y*g, z*g, u*g, v*g, w*g)
}

// clamp returns a distance in the frame of the root, or one that is just outside.
func (t *index) clamp(distance float64) float64 {
	return max(0, min(distance, t.reach[0]*(2*(mostStep+0.5)/steps)))
}

func (k *bucket) setLanes(i uint32, x, y, z, u, v, w float64) {
	k.lanes[0][i%bucketItems], k.lanes[1][i%bucketItems], k.lanes[2][i%bucketItems] = uint8(int64(x)), uint8(int64(y)), uint8(int64(z))
	k.lanes[3][i%bucketItems], k.lanes[4][i%bucketItems], k.lanes[5][i%bucketItems] = uint8(int64(u)), uint8(int64(v)), uint8(int64(w))
}
