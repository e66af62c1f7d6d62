package octree

import (
	"math"
	"sort"
)

// builder makes nodes from the root down. It sorts the objects by the way to their cells,
// so that the objects of a node lie together, and the objects of its children in turn.
type builder struct {
	*Tree
	entries
}

// A key has 30 bits for the octants on the way to the cell of a center, the depth to
// which the box fits each node on that way by its size alone, and the number of the object.
const (
	codeLevels = 10
	codeShift  = 34
	sureShift  = 28
)

// rebuild puts all objects into new nodes within new bounds.
func (t *Tree) rebuild(all entries) {
	t.settle(all.boxes)
	t.reset()
	usual := len(all.ids) / bucketItems * 5 / 4
	t.buckets = resized(t.buckets, usual)[:0]
	t.boxes.resize(usual * bucketItems)
	t.boxes.resize(0)
	b := builder{t, all}
	keys := b.keys()
	b.build(0, sortByCode(keys, make([]uint64, len(keys))))
	t.expect = 2 * t.strays
}

// keys returns the keys of all objects but the strays, which it puts into the root.
func (t *builder) keys() []uint64 {
	keys := make([]uint64, 0, len(t.ids))
	scale := (1 << codeLevels) / t.edge
	// Where numbers are coarse, their rounding may decide what a node contains.
	room := (t.opts.Loose - 1) * t.edge / 2
	far := max(math.Abs(t.home.Min.X), math.Abs(t.home.Min.Y), math.Abs(t.home.Min.Z)) + t.edge
	most := depthOf(room / (far * 0x1p-40))
	for i := range t.ids {
		b := &t.entries.boxes[i]
		c := b.center()
		if at := At(c); t.edge == 0 || !t.home.contains(&at) {
			t.add(0, t.ids[i], b)
			continue
		}
		code := spread(c.X-t.home.Min.X, scale) | spread(c.Y-t.home.Min.Y, scale)<<1 | spread(c.Z-t.home.Min.Z, scale)<<2
		radius := max(b.Max.X-b.Min.X, b.Max.Y-b.Min.Y, b.Max.Z-b.Min.Z) / 2
		sure := min(most, depthOf(room*(1-0x1p-10)/radius))
		keys = append(keys, code<<codeShift|sure<<sureShift|uint64(i))
	}
	return keys
}

// depthOf returns the binary logarithm of v, rounded down, within 0 to 63.
func depthOf(v float64) uint64 {
	return uint64(min(63, max(0, int64(math.Float64bits(v)>>52)-1023)))
}

// spread returns a coordinate as a code of one axis: each bit, and two zeros.
func spread(v, scale float64) uint64 {
	x := uint64(min(1<<codeLevels-1, int64(v*scale)))
	x = (x | x<<16) & 0x030000FF
	x = (x | x<<8) & 0x0300F00F
	x = (x | x<<4) & 0x030C30C3
	return (x | x<<2) & 0x09249249
}

// sortByCode sorts keys by their codes. It uses scratch, which is as long, and returns
// one of both.
func sortByCode(keys, scratch []uint64) []uint64 {
	for shift := codeShift; shift < 64; shift += 10 {
		var ends [1<<10 + 1]uint32
		for _, k := range keys {
			ends[k>>shift%1024+1]++
		}
		for i := range 1024 {
			ends[i+1] += ends[i]
		}
		for _, k := range keys {
			at := &ends[k>>shift%1024]
			scratch[*at] = k
			*at++
		}
		keys, scratch = scratch, keys
	}
	return keys
}

// build puts the objects of keys into an empty node and new nodes below it.
func (t *builder) build(n uint32, keys []uint64) {
	nd := t.nodes[n]
	if len(keys) <= t.opts.SplitAbove || nd.depth >= codeLevels || int(nd.depth) >= t.opts.MaxDepth || !t.fine(&nd) {
		t.addAll(n, keys)
		if nd = t.nodes[n]; nd.own >= nd.splitAt {
			t.split(n)
		}
		return
	}
	fits := 0
	for fits < len(keys) && t.fitsChild(&nd, keys[fits]) {
		fits++
	}
	for i := fits; i < len(keys); i++ {
		if t.fitsChild(&nd, keys[i]) {
			keys[i], keys[fits] = keys[fits], keys[i]
			fits++
		}
	}
	if fits <= t.opts.SplitAbove {
		t.addAll(n, keys)
		t.node(n).splitAt = t.splitAt(int(t.nodes[n].own), fits)
		return
	}
	t.addAll(n, keys[fits:])
	c := t.newChildren(n)
	t.node(n).below = int32(fits)
	shift := codeShift + 3*(codeLevels-1-int(nd.depth))
	for from := 0; from < fits; {
		way := keys[from] >> shift
		to := from + sort.Search(fits-from, func(i int) bool { return keys[from+i]>>shift > way })
		t.node(n).filled |= 1 << (way % 8)
		t.build(c+uint32(way%8), keys[from:to])
		from = to
	}
}

// fitsChild reports whether an object fits the child on its way.
func (t *builder) fitsChild(n *node, key uint64) bool {
	if key>>sureShift%64 > uint64(n.depth) {
		return true
	}
	b := &t.entries.boxes[key%(1<<sureShift)]
	box := t.childBox(n, uint32(key>>(codeShift+3*(codeLevels-1-int(n.depth))))%8)
	return box.contains(b)
}

// addAll does what add does, for objects that are no strays.
func (t *builder) addAll(n uint32, keys []uint64) {
	for len(keys) > 0 {
		h := t.nodes[n].head
		if h == none || t.buckets[h].n == bucketItems {
			h = t.newBucket(n)
		}
		nd, k := t.node(n), t.bucket(h)
		for ; len(keys) > 0 && k.n < bucketItems; k.n++ {
			i, item := keys[0]%(1<<sureShift), h*bucketItems+k.n
			id, b := t.ids[i], &t.entries.boxes[i]
			k.ids[k.n%bucketItems] = id
			t.slot(uint32(id)).item = item
			t.set(item, b)
			t.setLanes(k, item, nd, b)
			nd.own++
			keys = keys[1:]
		}
	}
}
