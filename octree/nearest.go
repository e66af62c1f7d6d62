package octree

// Near is an object and its distance from where it was looked for.
type Near struct {
	ID       ID
	Distance float64
}

func (a Near) less(b Near) bool {
	return a.Distance < b.Distance || a.Distance == b.Distance && a.ID < b.ID
}

// Nearest fills buf with the objects nearest to p and returns the part of buf that it
// filled: fewer than len(buf) if the tree has fewer. The nearest comes first; of objects
// at one distance, the one with the lower ID.
func (t *Tree) Nearest(p Vec, buf []Near) []Near {
	if at := At(p); len(buf) == 0 || !at.ordered() {
		return buf[:0]
	}
	s := search{at: p, found: buf[:0:len(buf)]}
	t.nearest(0, &s)
	// found is a heap with the farthest first.
	for n := len(s.found) - 1; n > 0; n-- {
		s.found[0], s.found[n] = s.found[n], s.found[0]
		sink(s.found[:n])
	}
	return s.found
}

type search struct {
	at    Vec
	found []Near
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
		return
	}
	if a.less(s.found[0]) {
		s.found[0] = a
		sink(s.found)
	}
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

// beyond reports whether nothing at that distance can be among the nearest.
func (s *search) beyond(distance float64) bool {
	return len(s.found) == cap(s.found) && distance > s.found[0].Distance
}

func (t *Tree) nearest(n uint32, s *search) {
	nd := &t.nodes[n]
	for h := nd.head; h != none; h = t.buckets[h].next {
		k := &t.buckets[h]
		for i := range min(k.n, bucketItems) {
			if d := k.boxes[i].distance(s.at); !s.beyond(d) {
				s.offer(Near{k.ids[i], d})
			}
		}
	}
	if nd.below == 0 {
		return
	}
	var order ordered
	for c := nd.children; c < nd.children+8; c++ {
		if child := &t.nodes[c]; !child.empty() {
			if d := child.box.distance(s.at); !s.beyond(d) {
				order.add(c, d)
			}
		}
	}
	for _, o := range order.nodes[:order.n] {
		if s.beyond(o.key) {
			return
		}
		t.nearest(o.node, s)
	}
}

// ordered is the children of a node by rising key.
type ordered struct {
	nodes [8]struct {
		node uint32
		key  float64
	}
	n int
}

func (o *ordered) add(n uint32, key float64) {
	i := o.n
	for ; i > 0 && o.nodes[i-1].key > key; i-- {
		o.nodes[i] = o.nodes[i-1]
	}
	o.nodes[i].node, o.nodes[i].key = n, key
	o.n++
}
