package index

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"time"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/octree"
)

// What an index can do. One that lacks a method does not take part in what needs it. The methods are those of
// octree.Tree.
type (
	inserter interface {
		Insert(octree.Box) (octree.ObjectID, error)
	}
	allInserter interface {
		InsertAll([]octree.ObjectID, []octree.Box) ([]octree.ObjectID, error)
	}
	allMover interface {
		MoveAll([]octree.ObjectID, []octree.Box) (int, error)
	}
	remover interface{ Remove(octree.ObjectID) bool }
	mover   interface {
		Move(octree.ObjectID, octree.Box) error
	}
	pointer interface {
		Point(octree.Vec, func(octree.ObjectID, octree.Box) bool)
	}
	overlapper interface {
		Overlapping(octree.Box, func(octree.ObjectID, octree.Box) bool)
	}
	insider interface {
		Inside(octree.Box, func(octree.ObjectID, octree.Box) bool)
	}
	baller interface {
		Ball(octree.Vec, float64, func(octree.ObjectID, octree.Box) bool)
	}
	nearester interface {
		Nearest(octree.Vec, []octree.Near) []octree.Near
	}
	firster interface {
		First(octree.Ray) (octree.Hit, bool)
	}
	hitter interface {
		AppendHits([]octree.Hit, octree.Ray) []octree.Hit
	}
	seer interface {
		Frustum(octree.Frustum, func(octree.ObjectID, octree.Box) bool)
	}
	planer interface {
		Plane(octree.Plane, octree.Side, func(octree.ObjectID, octree.Box) bool)
	}
	pairer interface {
		Pairs(func(a, b octree.ObjectID) bool)
	}
)

// A builder makes an index of objects. The IDs are in the order of the objects.
type builder struct {
	name    string
	variant string
	make    func([]octree.Box) (any, []octree.ObjectID, error)
}

// byInsert makes an index by InsertAll or Insert.
func byInsert[T inserter](name, variant string, empty func() (T, error)) builder {
	return builder{name, variant, func(boxes []octree.Box) (any, []octree.ObjectID, error) {
		t, err := empty()
		if err != nil {
			return nil, nil, err
		}
		if all, ok := any(t).(allInserter); ok {
			ids, err := all.InsertAll(nil, boxes)
			return t, ids, err
		}
		ids := make([]octree.ObjectID, len(boxes))
		for i, b := range boxes {
			if ids[i], err = t.Insert(b); err != nil {
				return nil, nil, err
			}
		}
		return t, ids, nil
	}}
}

// sum is what queries found. The checksum does not depend on the order.
type sum struct{ check, found uint64 }

// mix is the finalizer of splitmix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func key(query int, value uint64) uint64 { return mix(uint64(query)<<40 + value) }

// fine is a distance in steps so coarse that no rounding shows.
func fine(d float64) uint64 { return uint64(math.Round(d * 4096)) }

// subject is an index with the objects of a scene in it.
type subject struct {
	name   string
	tree   any
	ids    []octree.ObjectID // by object
	number []uint64          // of the object, by ObjectID.Index
	near   []octree.Near
	hits   []octree.Hit
}

func newSubject(b builder, boxes []octree.Box) (*subject, error) {
	t, ids, err := b.make(boxes)
	if err != nil {
		return nil, fmt.Errorf("index: %s: %w", b.name, err)
	}
	s := &subject{name: b.name, tree: t, ids: ids, near: make([]octree.Near, 64), hits: make([]octree.Hit, 0, 4096)}
	for i, id := range ids {
		s.call(id, i)
	}
	return s, nil
}

// call says that an object has an ID now.
func (s *subject) call(id octree.ObjectID, object int) {
	for id.Index() >= len(s.number) {
		s.number = append(s.number, 0)
	}
	s.ids[object], s.number[id.Index()] = id, uint64(object)
}

// ask returns a function that asks one query of a class, or nil if the index cannot answer. It adds to the sum, and
// to the checksum if check is set.
func (s *subject) ask(c *class, check bool, to *sum) func(q int) {
	at := 0
	visit := func(octree.ObjectID, octree.Box) bool { to.found++; return true }
	if check {
		visit = func(id octree.ObjectID, _ octree.Box) bool {
			to.found++
			to.check += key(at, s.number[id.Index()])
			return true
		}
	}
	switch c.kind {
	case point:
		if t, ok := s.tree.(pointer); ok {
			return func(q int) { at = q; t.Point(c.queries[q].at, visit) }
		}
	case overlap:
		if t, ok := s.tree.(overlapper); ok {
			return func(q int) { at = q; t.Overlapping(c.queries[q].box, visit) }
		}
	case inside:
		if t, ok := s.tree.(insider); ok {
			return func(q int) { at = q; t.Inside(c.queries[q].box, visit) }
		}
	case ball:
		if t, ok := s.tree.(baller); ok {
			return func(q int) { at = q; t.Ball(c.queries[q].at, c.queries[q].radius, visit) }
		}
	case nearest:
		if t, ok := s.tree.(nearester); ok {
			return func(q int) {
				near := t.Nearest(c.queries[q].at, s.near[:c.k])
				to.found += uint64(len(near))
				if check {
					for _, n := range near {
						to.check += key(q, fine(n.Distance))
					}
				}
			}
		}
	case first:
		if t, ok := s.tree.(firster); ok {
			return func(q int) {
				hit, ok := t.First(c.queries[q].ray)
				if ok {
					to.found++
				}
				if ok && check {
					to.check += key(q, fine(hit.T))
				}
			}
		}
	case all:
		if t, ok := s.tree.(hitter); ok {
			return func(q int) {
				s.hits = t.AppendHits(s.hits[:0], c.queries[q].ray)
				to.found += uint64(len(s.hits))
				if check {
					for _, h := range s.hits {
						to.check += key(q, s.number[h.ID.Index()])
					}
				}
			}
		}
	case frustum:
		if t, ok := s.tree.(seer); ok {
			return func(q int) { at = q; t.Frustum(c.queries[q].frustum, visit) }
		}
	case crossing:
		if t, ok := s.tree.(planer); ok {
			return func(q int) { at = q; t.Plane(c.queries[q].plane, octree.Crossing, visit) }
		}
	case pairs:
		if t, ok := s.tree.(pairer); ok {
			return func(int) {
				t.Pairs(func(a, b octree.ObjectID) bool {
					to.found++
					if check {
						i, j := s.number[a.Index()], s.number[b.Index()]
						to.check += mix(max(i, j)<<32 + min(i, j))
					}
					return true
				})
			}
		}
	}
	return nil
}

// overlaps is the checksum of all box queries, to see whether an index is whole.
func (s *subject) overlaps(of *scene) uint64 {
	var r sum
	for i := range of.classes {
		if c := &of.classes[i]; c.kind == overlap {
			if ask := s.ask(c, true, &r); ask != nil {
				for q := range c.queries {
					ask(q)
				}
			}
		}
	}
	return r.check
}

// trial is one piece of work on one index, done again and again.
type trial struct {
	class  string
	of     builder
	pieces int         // of which a round does at least all, or some for a long time
	do     func(i int) // one piece
	each   int         // what a piece is divided by
	sum    sum
	ns     []float64
	allocs float64
	slow   bool
	back   *trial // undoes it. Both are timed in turns
}

// count does some pieces and says what they allocate.
func (t *trial) count() { t.some(min(t.pieces, 32)) }

// pass does all pieces and says what they allocate.
func (t *trial) pass() { t.some(t.pieces) }

func (t *trial) some(n int) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range n {
		t.do(i)
	}
	runtime.ReadMemStats(&after)
	t.allocs = float64(after.Mallocs-before.Mallocs) / float64(n*t.each)
}

// round times one round of about a time: whole passes, unless one takes ten times as long. What takes a second has
// one round.
func (t *trial) round(each time.Duration) {
	if t.slow {
		return
	}
	wall, start, n := time.Now(), lab.ProcessorTime(), 0
	var undoing time.Duration
	for {
		for i := range t.pieces {
			t.do(i)
			if t.back != nil {
				before := lab.ProcessorTime()
				t.back.do(i)
				undoing += lab.ProcessorTime() - before
			}
			if n++; n%16 == 0 && time.Since(wall) > 10*each {
				break
			}
		}
		if time.Since(wall) >= each {
			break
		}
	}
	t.slow = time.Since(wall) > time.Second
	t.ns = append(t.ns, float64(lab.ProcessorTime()-start-undoing)/float64(n*t.each))
	if t.back != nil {
		t.back.ns = append(t.back.ns, float64(undoing)/float64(n*t.back.each))
	}
}

func (t *trial) row(scene string) Row {
	return Row{Scene: scene, Class: t.class, Index: t.of.name, Variant: t.of.variant, Each: lab.Percentile(t.ns, 50), Allocs: t.allocs, Found: t.sum.found, Sum: fmt.Sprintf("%016x", t.sum.check)}
}

// run measures the builders on a scene.
func (s *scene) run(ctx context.Context, builders []builder, rounds int, each time.Duration) (rows []Row, err error) {
	var trials []*trial
	var r []Row
	for _, b := range builders {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		var x *subject
		bytes := lab.HeapGrowth(func() { x, err = newSubject(b, s.boxes) })
		if err != nil {
			return nil, err
		}
		bytes -= int64(8*len(x.ids) + 8*cap(x.number))
		r = append(r, Row{Scene: s.name, Class: "bytes", Index: b.name, Variant: b.variant, Each: float64(bytes) / float64(len(s.boxes))})
		trials = append(trials, s.trials(b, x)...)
		if s.extra {
			more, found := s.extras(b, x)
			trials, r = append(trials, more...), append(r, found...)
		}
		defer runtime.KeepAlive(x)
	}
	undoes := map[*trial]bool{}
	for _, t := range trials {
		undoes[t.back] = true
	}
	for range rounds {
		for _, t := range trials {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if !undoes[t] {
				t.round(each)
			}
		}
	}
	for _, t := range trials {
		r = append(r, t.row(s.name))
	}
	return r, nil
}

// bruteMost is with how many objects brute force still takes part.
func bruteMost(k kind) int {
	switch k {
	case pairs:
		return 10_000
	case first, all, frustum, crossing:
		return 200_000
	}
	return math.MaxInt
}

// trials returns what one index does in a scene. Each is done once already.
func (s *scene) trials(b builder, x *subject) (out []*trial) {
	build := &trial{class: "build", of: b, pieces: 1, each: len(s.boxes)}
	build.do = func(int) { b.make(s.boxes) }
	out = append(out, build)
	for i := range s.classes {
		c := &s.classes[i]
		t := &trial{class: c.name, of: b, pieces: len(c.queries), each: 1}
		ask := x.ask(c, true, &t.sum)
		if _, slow := x.tree.(*brute); ask == nil || slow && len(s.boxes) > bruteMost(c.kind) {
			continue
		}
		for q := range c.queries {
			ask(q)
		}
		t.do = x.ask(c, false, new(sum))
		t.count()
		out = append(out, t)
	}
	if m, ok := x.tree.(mover); ok && len(s.steps) > 0 {
		out = append(out, s.moving("move", b, x, func(to []octree.Box) { moveAll(m, x.ids, to) }))
	}
	if m, ok := x.tree.(allMover); ok && len(s.steps) > 0 {
		out = append(out, s.moving("move all", b, x, func(to []octree.Box) {
			if _, err := m.MoveAll(x.ids, to); err != nil {
				panic(err)
			}
		}))
	}
	in, ok := x.tree.(inserter)
	taker, ok2 := x.tree.(remover)
	if ok && ok2 && len(s.churn) > 0 {
		remove := &trial{class: "remove", of: b, pieces: 1, each: len(s.churn), do: func(int) {
			for _, i := range s.churn {
				if !taker.Remove(x.ids[i]) {
					panic("index: an object is lost")
				}
			}
		}}
		insert := &trial{class: "insert", of: b, pieces: 1, each: len(s.churn), do: func(int) {
			for _, i := range s.churn {
				id, err := in.Insert(s.boxes[i])
				if err != nil {
					panic(err)
				}
				x.call(id, i)
			}
		}}
		remove.back = insert
		remove.count()
		insert.count()
		insert.sum.check = x.overlaps(s)
		out = append(out, remove, insert)
	}
	return out
}

// moving returns the trial that moves all objects there and back.
func (s *scene) moving(class string, b builder, x *subject, move func(to []octree.Box)) *trial {
	n := len(s.steps)
	if _, slow := x.tree.(*connelly); slow {
		n = 1
	}
	t := &trial{class: class, of: b, pieces: 2 * n, each: len(s.boxes)}
	t.do = func(i int) {
		to := s.boxes
		if i = min(i+1, 2*n-i-1); i > 0 {
			to = s.steps[i-1]
		}
		move(to)
	}
	t.pass()
	t.sum.check = x.overlaps(s)
	return t
}

// moveAll gives all objects new boxes. The type that matters most is not called through an interface.
func moveAll(m mover, ids []octree.ObjectID, to []octree.Box) {
	if t, ok := m.(*octree.Tree); ok {
		for i, id := range ids {
			if t.Move(id, to[i]) != nil {
				panic("index: an object is lost")
			}
		}
		return
	}
	for i, id := range ids {
		if m.Move(id, to[i]) != nil {
			panic("index: an object is lost")
		}
	}
}
