package lod

import (
	"fmt"
	"math"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/octree"
)

// Plan is what one viewer has and needs. One goroutine at a time may use it.
//
// It is a tree of families, and a family is the eight cubes in one cube. Families are there below
// cubes that are split, and above the top level to find the cubes within the radius. Each family
// knows how far the viewer has to go before a decision in it or below it can change, so a
// look skips what it cannot change.
type Plan struct {
	o        Options
	families []family // the first is the root
	free     []int32
	eye      Eye
	looked   bool
	ahead    octree.Vec // where the viewer will be
	gone     float64    // how far ahead has gone since New
	scale    float64    // of detail, then of the radius, so that all fits
	full     float64    // a scale at which all did not fit
	fullAt   float64    // gone at that time
	detail   float64    // with scale
	radius   float64    // with scale
	limits   [MaxLevel + 1]limit
	all      bool // every decision is due, as limits changed

	missing [MaxLevel + 1]int // cubes that are needed and not there, by level
	held    int
	bytes   int
	queue   queue
	forget  []Key
}

// limit is at which distance cubes of a level are split, and merged again.
type limit struct{ split, merge float64 }

// state is what the viewer has of a cube.
type state uint8

const (
	absent  state = iota // above the top level, or out of the radius
	missing              // needed
	asked                // Next returned it
	held
	solid
	empty
	implied // empty without a word: its parent shows it, or it is outside the bounds
)

// family is eight cubes with the same parent.
type family struct {
	first   Key // the cube of octant 0
	parent  int32
	slot    uint8 // which cube of parent it is in
	age     uint32
	wake    float64 // the least gone at which a decision is due
	kids    [8]int32
	state   [8]state
	empty   [8]uint8
	bytes   [8]int32
	version [8]uint64
}

func (f *family) key(slot int) Key {
	k := f.first
	k.X += int32(slot & 1)
	k.Y += int32(slot >> 2 & 1)
	k.Z += int32(slot >> 1 & 1)
	return k
}

// New returns a Plan for a viewer that has nothing. It panics if the options are not usable, which is
// the caller's fault: they come from a world and not from a viewer.
func New(o Options) *Plan {
	if o.Top < 0 || o.Top > MaxLevel {
		panic(fmt.Sprintf("lod: the top level is out of range: %d", o.Top))
	}
	mustHold(o.Bounds)
	if o.Ahead == 0 {
		o.Ahead = 1
	}
	o.Ahead = max(o.Ahead, 0)
	if o.MaxCubes <= 0 {
		o.MaxCubes = 1 << 16
	}
	o.MaxCubes = max(o.MaxCubes, leastCubes)
	p := &Plan{o: o, scale: 1, full: math.Inf(1)}
	p.families = append(p.families, family{first: rootOf(o), parent: -1})
	return p
}

// mustHold panics unless b is a box of blocks in range.
func mustHold(b geom.Box) {
	if b.Empty() || b.Min.Check() != nil || b.Max.Add(geom.Point{X: -1, Y: -1, Z: -1}).Check() != nil {
		panic(fmt.Sprintf("lod: bounds are empty or out of range: %v", b))
	}
}

// rootOf returns the first of eight cubes that hold the bounds.
func rootOf(o Options) Key {
	low, high := ends(o.Bounds, o.Top)
	for high.X-low.X > 1 || high.Y-low.Y > 1 || high.Z-low.Z > 1 {
		low, high = low.Parent(), high.Parent()
	}
	return low
}

// ends returns the cubes of a level that hold the least and the greatest block of a box.
func ends(b geom.Box, level int) (low, high Key) {
	return KeyOf(b.Min, level), KeyOf(b.Max.Add(geom.Point{X: -1, Y: -1, Z: -1}), level)
}

// Grow says that there may be something in b, too. What is in it is needed from then on. It panics as New
// does.
func (p *Plan) Grow(b geom.Box) {
	b = b.Union(p.o.Bounds)
	if b == p.o.Bounds {
		return
	}
	mustHold(b)
	root := p.families[0].first
	low, high := ends(b, int(root.Level))
	if low.X < root.X || low.Y < root.Y || low.Z < root.Z || high.X > root.X+1 || high.Y > root.Y+1 || high.Z > root.Z+1 {
		p.move(b)
	}
	p.o.Bounds = b
	for f := range p.families {
		if fam := &p.families[f]; fam.parent >= 0 && p.families[fam.parent].kids[fam.slot] == int32(f) {
			p.imply(fam.parent, int(fam.slot))
		}
	}
	if p.looked {
		p.all = true
		p.lookAll()
	}
}

// move puts a new root above the tree, which holds b.
func (p *Plan) move(b geom.Box) {
	p.o.Bounds = b
	old := p.families[0]
	p.families[0] = family{first: rootOf(p.o), parent: -1, age: old.age + 1}
	for slot := range 8 {
		if old.state[slot] == absent && old.kids[slot] == 0 {
			continue
		}
		f, to := p.reach(old.key(slot))
		fam := &p.families[f]
		fam.kids[to], fam.state[to], fam.empty[to] = old.kids[slot], old.state[slot], old.empty[slot]
		fam.bytes[to], fam.version[to] = old.bytes[slot], old.version[slot]
		if kid := fam.kids[to]; kid != 0 {
			p.families[kid].parent, p.families[kid].slot = f, uint8(to)
		}
		if fam.state[to] == missing {
			p.queue.push(p, f, to)
		}
	}
}

// reach returns where a cube of at least the top level is in the tree. It adds the families above it.
func (p *Plan) reach(key Key) (f int32, slot int) {
	root := p.families[0].first
	d := int(root.Level - key.Level)
	slot = int(key.X>>d - root.X | (key.Z>>d-root.Z)<<1 | (key.Y>>d-root.Y)<<2)
	for ; d > 0; d-- {
		if p.families[f].kids[slot] == 0 {
			p.open(f, slot)
		}
		above := key
		for range d - 1 {
			above = above.Parent()
		}
		f, slot = p.families[f].kids[slot], above.Octant()
	}
	return f, slot
}

// Look says where the viewer is now. It decides anew which cubes are needed. e must be usable (Eye.Check).
func (p *Plan) Look(e Eye) {
	if p.looked && e == p.eye && p.scale == 1 && !p.over() {
		return
	}
	detail, radius := p.detail, p.radius
	if e.Memory != p.eye.Memory || e.Radius != p.eye.Radius || e.detail() != p.eye.detail() {
		p.full = math.Inf(1)
	}
	p.eye = e
	p.setLimits()
	lead := e.Velocity
	if l := p.o.Ahead * length(lead); l > 0 {
		lead = scaled(lead, p.o.Ahead*min(1, 8*p.detail/l))
	}
	from := p.ahead
	p.ahead = octree.Vec{X: e.Position.X + lead.X, Y: e.Position.Y + lead.Y, Z: e.Position.Z + lead.Z}
	if p.looked {
		p.gone += length(sub(p.ahead, from))
	}
	p.all = !p.looked || detail != p.detail || radius != p.radius
	p.looked = true
	p.lookAll()
	p.fit()
	p.queue.turn(p)
}

// lookAll decides anew what is due.
func (p *Plan) lookAll() {
	if p.all || p.families[0].wake <= p.gone {
		p.look(0)
	}
	p.all = false
}

// over says that the viewer has, or may get, more than fits.
func (p *Plan) over() bool {
	return p.eye.Memory > 0 && p.bytes >= p.eye.Memory || 8*(len(p.families)-len(p.free)) > p.o.MaxCubes
}

// fit scales the detail down until the viewer's cubes fit. It scales it up by one step if all are there and
// leave much room, but not to what did not fit before the viewer went far.
func (p *Plan) fit() {
	if p.gone-p.fullAt > forgetful {
		p.full = math.Inf(1)
	}
	for p.over() && p.radius > 1 {
		p.full, p.fullAt = p.scale, p.gone
		p.rescale(p.scale * 0.9)
	}
	roomy := (p.eye.Memory == 0 || p.bytes < p.eye.Memory/10*6) && 8*(len(p.families)-len(p.free)) < p.o.MaxCubes/10*6
	if p.scale < 1 && p.scale*1.2 < p.full && roomy && p.Complete(0) {
		p.rescale(min(1, p.scale*1.1))
	}
}

func (p *Plan) rescale(scale float64) {
	p.scale = scale
	p.setLimits()
	p.all = true
	p.lookAll()
}

// setLimits sets the distances for p.eye and p.scale. A cube beyond the radius is split only as far
// as cubes that touch it demand.
func (p *Plan) setLimits() {
	full := p.eye.detail()
	p.detail = max(full*p.scale, minDetail)
	p.radius = p.eye.Radius * min(1, full*p.scale/minDetail)
	for p.topCubes() > float64(p.o.MaxCubes)/4 {
		p.radius *= 0.9
	}
	for l := range p.limits {
		edge := float64(int(Edge) << l)
		p.limits[l] = limit{
			split: min(p.detail*edge, p.radius+2*edge),
			merge: min(p.detail*edge*(1+slack), p.radius+2.2*edge),
		}
	}
}

// topCubes returns at least how many cubes of the top level lie within the radius and the bounds.
func (p *Plan) topCubes() float64 {
	edge := float64(int(Edge) << p.o.Top)
	size, across := p.o.Bounds.Size(), 2*p.radius*(1+slack)/edge+2
	return min(across, float64(size.X)/edge+2) * min(across, float64(size.Y)/edge+2) * min(across, float64(size.Z)/edge+2)
}

// look decides in family f and below it.
func (p *Plan) look(f int32) {
	wake := math.Inf(1)
	for slot := range 8 {
		wake = min(wake, p.decide(f, slot))
		if kid := p.families[f].kids[slot]; kid != 0 {
			if p.all || p.families[kid].wake <= p.gone {
				p.look(kid)
			}
			wake = min(wake, p.families[kid].wake)
		}
	}
	p.families[f].wake = wake
}

// decide decides about one cube. It returns the gone at which the decision is due again.
func (p *Plan) decide(f int32, slot int) float64 {
	fam := &p.families[f]
	level, s := int(fam.first.Level), fam.state[slot]
	if level < p.o.Top && (level == 0 || s != held && s != solid) {
		return math.Inf(1)
	}
	key := fam.key(slot)
	far, due := p.distance(key), math.Inf(1)
	if level >= p.o.Top {
		inside := s != absent || fam.kids[slot] != 0
		switch {
		case !inside && !p.inBounds(key):
			return due
		case !inside && far < p.radius:
			inside = true
			if level == p.o.Top {
				p.need(f, slot)
			} else {
				p.open(f, slot)
			}
		case inside && far > p.radius*(1+slack):
			inside = false
			p.close(f, slot)
			p.drop(f, slot)
		}
		due = p.radius*(1+slack) - far
		if !inside {
			due = far - p.radius
		}
	}
	if s = p.families[f].state[slot]; level > 0 && (s == held || s == solid) {
		due = min(due, p.split(f, slot, far))
	}
	return p.gone + due - 1e-6
}

// split splits or merges a cube that is there. It returns how far the viewer may go until that
// changes.
func (p *Plan) split(f int32, slot int, far float64) float64 {
	at := p.limits[p.families[f].first.Level]
	isSplit := p.families[f].kids[slot] != 0
	if !isSplit && far < at.split {
		p.open(f, slot)
		isSplit = true
	} else if isSplit && far > at.merge {
		p.close(f, slot)
		isSplit = false
	}
	if isSplit {
		return at.merge - far
	}
	return far - at.split
}

// open adds the family in a cube.
func (p *Plan) open(f int32, slot int) {
	k := int32(len(p.families))
	if n := len(p.free); n > 0 {
		k, p.free = p.free[n-1], p.free[:n-1]
	} else {
		p.families = append(p.families, family{})
	}
	fam := &p.families[f]
	key := fam.key(slot)
	fam.kids[slot] = k
	p.families[k] = family{first: key.Child(0), parent: f, slot: uint8(slot), age: p.families[k].age}
	if int(key.Level) > p.o.Top {
		return // the look that follows finds the cubes within the radius
	}
	kid := &p.families[k]
	kid.wake = math.Inf(1)
	for o := range 8 {
		if fam.empty[slot]>>o&1 != 0 || !p.inBounds(kid.key(o)) {
			kid.state[o] = implied
		} else {
			p.need(k, o)
		}
	}
}

// close removes the family in a cube and all below it, if there is one.
func (p *Plan) close(f int32, slot int) {
	k := p.families[f].kids[slot]
	if k == 0 {
		return
	}
	for o := range 8 {
		p.close(k, o)
		p.drop(k, o)
	}
	p.families[f].kids[slot] = 0
	p.families[k].age++
	p.free = append(p.free, k)
}

// need notes that a cube is missing.
func (p *Plan) need(f int32, slot int) {
	fam := &p.families[f]
	fam.state[slot] = missing
	p.missing[fam.first.Level]++
	p.queue.push(p, f, slot)
}

// drop notes that a cube is needed no longer.
func (p *Plan) drop(f int32, slot int) {
	fam := &p.families[f]
	switch fam.state[slot] {
	case missing, asked:
		p.missing[fam.first.Level]--
	case held, solid, empty:
		p.forget = append(p.forget, fam.key(slot))
		p.held--
		p.bytes -= int(fam.bytes[slot])
	}
	fam.state[slot], fam.bytes[slot], fam.version[slot], fam.empty[slot] = absent, 0, 0, 0
}

// find returns where the cube is in the tree. ok is false if it is not needed.
func (p *Plan) find(key Key) (f int32, slot int, ok bool) {
	root := p.families[0].first
	up := int(root.Level) - int(key.Level)
	if int(key.Level) > p.o.Top {
		return 0, 0, false
	}
	x, y, z := key.X>>up-root.X, key.Y>>up-root.Y, key.Z>>up-root.Z
	if uint32(x) > 1 || uint32(y) > 1 || uint32(z) > 1 {
		return 0, 0, false
	}
	slot = int(x | z<<1 | y<<2)
	for ; up > 0; up-- {
		kid := p.families[f].kids[slot]
		if kid == 0 {
			return 0, 0, false
		}
		d := up - 1
		f, slot = kid, int(key.X>>d&1|key.Z>>d&1<<1|key.Y>>d&1<<2)
	}
	return f, slot, p.families[f].state[slot] != absent
}

// Have says that the viewer has a cube, or has another version of it. It returns false if the viewer does not need the
// cube: then it may forget it. The parent must be there, so tell of cubes in the order
// of Key.Compare.
func (p *Plan) Have(key Key, c Cube) bool {
	f, slot, ok := p.find(key)
	if !ok {
		return false
	}
	fam := &p.families[f]
	switch fam.state[slot] {
	case missing, asked:
		p.missing[key.Level]--
		p.held++
	case implied:
		p.held++
	}
	size := int32(min(max(c.Bytes, 0), math.MaxInt32))
	p.bytes += int(size) - int(fam.bytes[slot])
	fam.bytes[slot], fam.version[slot], fam.empty[slot] = size, c.Version, c.Empty
	switch {
	case c.Version == 0:
		fam.state[slot] = empty
		p.close(f, slot)
		return true
	case c.Solid:
		fam.state[slot] = solid
	default:
		fam.state[slot] = held
	}
	p.imply(f, slot)
	p.wake(f, p.decide(f, slot))
	return true
}

// imply brings the children of a cube in line with which of its octants are empty.
func (p *Plan) imply(f int32, slot int) {
	k := p.families[f].kids[slot]
	if k == 0 {
		return
	}
	for o := range 8 {
		void := p.families[f].empty[slot]>>o&1 != 0
		switch s := p.families[k].state[o]; {
		case void && (s == missing || s == asked):
			p.drop(k, o)
			p.families[k].state[o] = implied
		case !void && s == implied && p.inBounds(p.families[k].key(o)):
			p.need(k, o)
		}
	}
}

// wake makes sure that the looks at f and all above it come at due or before.
func (p *Plan) wake(f int32, due float64) {
	for f >= 0 && p.families[f].wake > due {
		p.families[f].wake = due
		f = p.families[f].parent
	}
}

// Drop says that the viewer lost a cube. If it is still needed it is missing again, and what is below it is
// forgotten.
func (p *Plan) Drop(key Key) {
	f, slot, ok := p.find(key)
	if !ok {
		return
	}
	if s := p.families[f].state[slot]; s != held && s != solid && s != empty {
		return
	}
	p.close(f, slot)
	p.drop(f, slot)
	p.forget = p.forget[:len(p.forget)-1] // the viewer knows
	p.need(f, slot)
	if fam := &p.families[f]; fam.parent >= 0 {
		p.imply(fam.parent, int(fam.slot))
	}
}

// Get returns the version of a cube that the viewer has, 0 if it is empty. ok is false if the viewer does not have it.
func (p *Plan) Get(key Key) (version uint64, ok bool) {
	f, slot, ok := p.find(key)
	if !ok {
		return 0, false
	}
	fam := &p.families[f]
	s := fam.state[slot]
	return fam.version[slot], s == held || s == solid || s == empty
}

// AppendForget appends the cubes that the viewer had and needs no longer since the last call. Tell the viewer of
// them before it gets what AppendNext returns after this call.
func (p *Plan) AppendForget(dst []Key) []Key {
	dst = append(dst, p.forget...)
	p.forget = p.forget[:0]
	return dst
}

// Complete reports whether the viewer has all that it needs of a level and the coarser ones. Level 0 is
// all. From the top level on it is the first complete view: something of everything within the
// radius.
func (p *Plan) Complete(level int) bool {
	for _, n := range p.missing[min(level, p.o.Top) : p.o.Top+1] {
		if n > 0 {
			return false
		}
	}
	return p.looked
}

// Len returns how many cubes the viewer has.
func (p *Plan) Len() int { return p.held }

// Missing returns how many cubes it needs that are known by now: the ones below a cube are known when it is there.
func (p *Plan) Missing() int {
	n := 0
	for _, m := range p.missing {
		n += m
	}
	return n
}

// Bytes returns the memory of the cubes that the viewer has.
func (p *Plan) Bytes() int { return p.bytes }

// Held yields the cubes that the viewer has with their versions, parents first, until yield returns false.
func (p *Plan) Held(yield func(Key, uint64) bool) { p.each(0, yield, false) }

// Shown yields the cubes that the viewer shows: it has them, they are not empty, and some cube below them is not there.
func (p *Plan) Shown(yield func(Key, uint64) bool) { p.each(0, yield, true) }

func (p *Plan) each(f int32, yield func(Key, uint64) bool, shown bool) bool {
	for slot := range 8 {
		fam := &p.families[f]
		kid, has := fam.kids[slot], fam.state[slot] == held || fam.state[slot] == solid
		if !shown && (has || fam.state[slot] == empty) || shown && has && !p.whole(kid) {
			if !yield(fam.key(slot), fam.version[slot]) {
				return false
			}
			if shown {
				continue
			}
		}
		if kid != 0 && !p.each(kid, yield, shown) {
			return false
		}
	}
	return true
}

// whole reports whether the viewer has all cubes of a family.
func (p *Plan) whole(kid int32) bool {
	if kid == 0 {
		return false
	}
	for _, s := range p.families[kid].state {
		if s < held {
			return false
		}
	}
	return true
}

func (p *Plan) inBounds(k Key) bool { return !k.Box().Intersect(p.o.Bounds).Empty() }

// distance returns how far a cube is from where the viewer will be, 0 if that is in it.
func (p *Plan) distance(k Key) float64 {
	edge := float64(int(Edge) << k.Level)
	dx := outside(p.ahead.X, float64(k.X)*edge, edge)
	dy := outside(p.ahead.Y, float64(k.Y)*edge, edge)
	dz := outside(p.ahead.Z, float64(k.Z)*edge, edge)
	return math.Sqrt(dx*dx + dy*dy + dz*dz)
}

// outside returns how far v is from low..low+edge.
func outside(v, low, edge float64) float64 {
	if v < low {
		return low - v
	}
	if v > low+edge {
		return v - low - edge
	}
	return 0
}

func sub(a, b octree.Vec) octree.Vec { return octree.Vec{X: a.X - b.X, Y: a.Y - b.Y, Z: a.Z - b.Z} }

func scaled(v octree.Vec, by float64) octree.Vec {
	return octree.Vec{X: v.X * by, Y: v.Y * by, Z: v.Z * by}
}

func dot(a, b octree.Vec) float64 { return a.X*b.X + a.Y*b.Y + a.Z*b.Z }

func length(v octree.Vec) float64 { return math.Sqrt(dot(v, v)) }
