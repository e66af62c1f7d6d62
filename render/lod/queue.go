package lod

import "github.com/cairnvoxel/cairn/octree"

const (
	// strayBlocks is how far the viewer goes before the queue is ordered anew.
	strayBlocks = 16
	// strayCosine is of the angle by which it turns before that.
	strayCosine = 0.94
	// late is how much farther away cubes in solid cubes seem.
	late = 4
)

// queue is the missing cubes by urgency, as a binary heap. Entries of cubes that are missing no
// longer stay in it until they are met.
type queue struct {
	heap      []entry
	position  octree.Vec // where the order was made
	direction octree.Vec // of length 1, or zero
}

// entry is a cube in the queue. The least urgency comes first.
type entry struct {
	urgency float32
	family  int32
	age     uint32 // of the family
	slot    uint8
}

// push adds a cube.
func (q *queue) push(p *Plan, f int32, slot int) {
	e := entry{family: f, age: p.families[f].age, slot: uint8(slot)}
	e.urgency = q.urgency(p, e)
	q.heap = append(q.heap, e)
	q.up(len(q.heap) - 1)
}

// urgency returns the place of a cube in the order: the top level by distance, then the others by
// how small a cell seems, what lies in the direction of the view first.
func (q *queue) urgency(p *Plan, e entry) float32 {
	fam := &p.families[e.family]
	key := fam.key(int(e.slot))
	edge := float64(int(Edge) << key.Level)
	far := p.distance(key)
	size := max(far/edge, minDetail)
	if q.direction != (octree.Vec{}) && far > 0 {
		to := octree.Vec{X: (float64(key.X) + 0.5) * edge, Y: (float64(key.Y) + 0.5) * edge, Z: (float64(key.Z) + 0.5) * edge}
		to = sub(to, p.eye.Position)
		size *= 1 + 0.75*(1-dot(to, q.direction)/length(to))*far/(far+edge)
	}
	if int(key.Level) == p.o.Top {
		return float32(size - 1e6)
	}
	if p.families[fam.parent].state[fam.slot] == solid {
		size *= late
	}
	return float32(size)
}

// alive reports whether the cube of e is still missing.
func (p *Plan) alive(e entry) bool {
	fam := &p.families[e.family]
	return fam.age == e.age && fam.state[e.slot] == missing
}

// turn orders the queue anew if the viewer went or turned far, or if much in it is missing no longer.
func (q *queue) turn(p *Plan) {
	direction := p.eye.Direction
	if l := length(direction); l > 0 {
		direction = scaled(direction, 1/l)
	}
	turned := direction != q.direction && dot(direction, q.direction) < strayCosine
	if !turned && length(sub(p.ahead, q.position)) < strayBlocks && len(q.heap) < 2*p.Missing()+1024 {
		return
	}
	q.position, q.direction = p.ahead, direction
	kept := q.heap[:0]
	for _, e := range q.heap {
		if p.alive(e) {
			e.urgency = q.urgency(p, e)
			kept = append(kept, e)
		}
	}
	q.heap = kept
	for i := len(kept)/2 - 1; i >= 0; i-- {
		q.down(i)
	}
}

// AppendNext appends up to n cubes that the viewer needs next, the most urgent first. It returns a cube once: say
// Plan.Have of each that it gets, and Plan.Again of each that it does not. A cube comes after its parent is there. Nothing
// comes while the viewer's memory is full.
func (p *Plan) AppendNext(dst []Key, n int) []Key {
	if p.over() {
		return dst
	}
	for q := &p.queue; n > 0 && len(q.heap) > 0; {
		e := q.heap[0]
		last := len(q.heap) - 1
		q.heap[0] = q.heap[last]
		q.heap = q.heap[:last]
		q.down(0)
		if !p.alive(e) {
			continue
		}
		fam := &p.families[e.family]
		fam.state[e.slot] = asked
		dst = append(dst, fam.key(int(e.slot)))
		n--
	}
	return dst
}

// Again says that a cube that AppendNext returned could not be given. It will be returned again.
func (p *Plan) Again(key Key) {
	if f, slot, ok := p.find(key); ok && p.families[f].state[slot] == asked {
		p.families[f].state[slot] = missing
		p.queue.push(p, f, slot)
	}
}

func (q *queue) less(i, j int) bool { return q.heap[i].urgency < q.heap[j].urgency }

func (q *queue) up(i int) {
	for i > 0 {
		above := (i - 1) / 2
		if !q.less(i, above) {
			return
		}
		q.heap[i], q.heap[above] = q.heap[above], q.heap[i]
		i = above
	}
}

func (q *queue) down(i int) {
	for {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(q.heap); c++ {
			if q.less(c, least) {
				least = c
			}
		}
		if least == i {
			return
		}
		q.heap[i], q.heap[least] = q.heap[least], q.heap[i]
		i = least
	}
}
