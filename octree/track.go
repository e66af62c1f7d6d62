package octree

import "sync/atomic"

// tracker knows which pages of a tree's memory changed since each of its copies was made.
type tracker struct {
	slots, nodes, buckets *marks
	next                  *uint64 // the number of the next copy, from 1
	pool                  *pool
}

// marks has for each page of an array the number of the copy that was to be made next
// when something in the page was written last.
type marks struct {
	pages []uint64
	shift uint8 // elements of a page, as a power of two
	next  *uint64
}

// mark notes that an element is written.
func (m *marks) mark(i uint32) {
	p := int(i >> m.shift)
	if p >= len(m.pages) {
		m.pages = resized(m.pages, p+1)
	}
	m.pages[p] = *m.next
}

// stale calls yield with the elements of each page, of n, that changed since a copy.
func (m *marks) stale(copied uint64, n int, yield func(from, to int)) {
	for p := 0; p < len(m.pages) && p<<m.shift < n; p++ {
		if from := p << m.shift; m.pages[p] > copied {
			yield(from, min(n, from+1<<m.shift))
		}
	}
}

// renew brings a copy of an array up to date and returns it.
func renew[T any](old, now []T, m *marks, copied uint64, each int) []T {
	old = resized(old, len(now))
	m.stale(copied, len(now)/each, func(from, to int) { copy(old[from*each:to*each], now[from*each:]) })
	return old
}

// newTracker returns a tracker for a tree whose pages have all changed.
func newTracker(t *Tree) *tracker {
	next := new(uint64)
	*next = 1
	k := &tracker{slots: &marks{shift: 6, next: next}, nodes: &marks{shift: 3, next: next}, buckets: &marks{shift: 1, next: next}, next: next, pool: new(pool)}
	k.everything(t)
	return k
}

// everything notes that all of a tree is written.
func (k *tracker) everything(t *Tree) {
	k.slots.all(len(t.slots))
	k.nodes.all(len(t.nodes))
	k.buckets.all(len(t.buckets))
}

// all marks n elements.
func (m *marks) all(n int) {
	for i := 0; i < n; i += 1 << m.shift {
		m.mark(uint32(i))
	}
}

// pool keeps a few views that nobody holds, to be made anew.
type pool [3]atomic.Pointer[Frozen]

func (p *pool) put(v *Frozen) {
	for i := range p {
		if p[i].CompareAndSwap(nil, v) {
			return
		}
	}
}

func (p *pool) take() *Frozen {
	for i := range p {
		if v := p[i].Swap(nil); v != nil {
			return v
		}
	}
	return nil
}

// node returns a node to write to.
func (t *Tree) node(n uint32) *node {
	if t.track != nil {
		t.track.nodes.mark(n)
	}
	return &t.nodes[n]
}

// bucket returns a bucket to write to, or to whose boxes is written.
func (t *Tree) bucket(h uint32) *bucket {
	if t.track != nil {
		t.track.buckets.mark(h)
	}
	return &t.buckets[h]
}

// slot returns a slot to write to.
func (t *Tree) slot(i uint32) *slot {
	if t.track != nil {
		t.track.slots.mark(i)
	}
	return &t.slots[i]
}
