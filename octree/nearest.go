package octree

import "math"

// Near is an object and its distance from where it was looked for.
type Near struct {
	ID       ObjectID
	Distance float64
}

func (a Near) less(b Near) bool {
	return a.Distance < b.Distance || a.Distance == b.Distance && a.ID < b.ID
}

// Nearest fills buf with the objects nearest to p and returns the part of buf that it
// filled: fewer than len(buf) if the tree has fewer. The nearest comes first; of objects
// at one distance, the one with the lower ID.
func (t *index) Nearest(p Vec, buf []Near) []Near {
	s, ok := searchFor(p, buf)
	if ok {
		t.nearest(0, &s)
	}
	return s.sorted()
}

// searchFor reports false if nothing can be found.
func searchFor(p Vec, buf []Near) (search, bool) {
	at := At(p)
	return search{at: p, found: buf[:0:len(buf)], limit: math.Inf(1)}, len(buf) > 0 && at.ordered()
}

// sorted returns what was found. It was a heap with the farthest first.
func (s *search) sorted() []Near {
	for n := len(s.found) - 1; n > 0; n-- {
		s.found[0], s.found[n] = s.found[n], s.found[0]
		sink(s.found[:n])
	}
	return s.found
}

type search struct {
	at    Vec
	found []Near
	limit float64 // no object with a greater square of its distance is among the nearest
}

// offer keeps a if it is nearer than the farthest that is kept.
func (s *search) offer(a Near) {
	if len(s.found) < cap(s.found) {
		s.found = append(s.found, a)
		for i := len(s.found) - 1; i > 0; {
			up := (i - 1) / 2
			if !s.found[up].less(s.found[i]) {
				break
			}
			s.found[up], s.found[i] = s.found[i], s.found[up]
			i = up
		}
	} else if a.less(s.found[0]) {
		s.found[0] = a
		sink(s.found)
	} else {
		return
	}
	if d := s.found[0].Distance; len(s.found) == cap(s.found) && d < 0x1p400 {
		s.limit = d*d*(1+0x1p-48) + 0x1p-800 // the square of a very small distance is 0
	}
}

// around returns a box that holds all that can be among the nearest. It allows for what
// squares and roots round.
func (s *search) around() Box {
	if math.IsInf(s.limit, 1) {
		return everything
	}
	d := s.found[0].Distance
	slack := func(v float64) float64 { return d + (math.Abs(v)+d)*0x1p-48 }
	x, y, z := slack(s.at.X), slack(s.at.Y), slack(s.at.Z)
	return Box{Vec{s.at.X - x, s.at.Y - y, s.at.Z - z}, Vec{s.at.X + x, s.at.Y + y, s.at.Z + z}}
}

// sink moves the first of a heap to its place.
func sink(heap []Near) {
	for i := 0; ; {
		down := 2*i + 1
		if down >= len(heap) {
			return
		}
		if down+1 < len(heap) && heap[down].less(heap[down+1]) {
			down++
		}
		if !heap[i].less(heap[down]) {
			return
		}
		heap[i], heap[down] = heap[down], heap[i]
		i = down
	}
}

func (t *index) nearest(n uint32, s *search) {
	nd := &t.nodes[n]
	var c coarse
	aimed := math.NaN()
	for h := nd.head; h != none; h = t.buckets[h].next {
		k := &t.buckets[h]
		if s.limit != aimed {
			p := t.probeOf(s.around())
			t.aim(nd, &p, &c)
			aimed = s.limit
		}
		for found := k.scan(&c); found != 0; found &= found - 1 {
			i := place(found)
			b := t.at(h*bucketItems + i)
			if square := b.square(s.at); square <= s.limit {
				s.offer(Near{k.ids[i], b.root(square, s.at)})
			}
		}
	}
	if nd.below == 0 {
		return
	}
	var order ordered
	var x, y, z [2]float64
	h, r := t.half[(nd.depth+1)%levels], t.reach[(nd.depth+1)%levels]
	x[0], x[1] = gaps(nd.middle.X, h, r, s.at.X)
	y[0], y[1] = gaps(nd.middle.Y, h, r, s.at.Y)
	z[0], z[1] = gaps(nd.middle.Z, h, r, s.at.Z)
	at := At(s.at)
	own := octant(nd.middle, &at) // comes first of those that hold the position in their loose boxes
	for i := range uint32(8) {
		o := own ^ i
		if square := x[o&1] + y[o>>1&1] + z[o>>2&1]; nd.filled>>o&1 != 0 && square <= s.limit {
			order.add(nd.children+o, square, 0)
		}
	}
	for i := range order.n {
		o := &order.nodes[i%8]
		if o.key > s.limit {
			return
		}
		t.nearest(o.node, s)
	}
}

// gaps returns the squares of the distances of v from the boxes of the lower and the upper
// children on one axis.
func gaps(middle, half, reach, v float64) (low, high float64) {
	l, h := middle-half, middle+half
	low, high = gap(l-reach, l+reach, v), gap(h-reach, h+reach, v)
	return low * low, high * high
}

// ordered is the children of a node by rising key.
type ordered struct {
	nodes [8]struct {
		node     uint32
		key, end float64
	}
	n int
}

func (o *ordered) add(n uint32, key, end float64) {
	i := o.n
	for ; i > 0 && o.nodes[i-1].key > key; i-- {
		o.nodes[i] = o.nodes[i-1]
	}
	o.nodes[i].node, o.nodes[i].key, o.nodes[i].end = n, key, end
	o.n++
}
