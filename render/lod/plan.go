package lod

import (
	"fmt"
	"math"

	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/voxel/geom"
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
	at       limits
	failed   int     // the step at which all did not fit, or -1
	failedAt float64 // gone at that time
	all      bool    // every decision is due

	noted   int               // cubes of the top level, and the families below
	missing [MaxLevel + 1]int // cubes that are needed and not there, by level
	held    int
	bytes   int
	queue   queue
	forget  []Key
}

// New returns a Plan for a viewer that has nothing. It panics if the options are not usable, which is
// the caller's fault: they come from a world and not from a viewer.
func New(o Options) *Plan {
	if o.Top < 0 || o.Top > MaxLevel {
		panic(fmt.Sprintf("lod: the top level is out of range: %d", o.Top))
	}
	if b := o.Bounds; b.Empty() || b.Min.Check() != nil || b.Max.Add(geom.Point{X: -1, Y: -1, Z: -1}).Check() != nil {
		panic(fmt.Sprintf("lod: bounds are empty or out of range: %v", b))
	}
	if o.Ahead == 0 {
		o.Ahead = 1
	}
	o.Ahead = max(o.Ahead, 0)
	if o.MaxCubes <= 0 {
		o.MaxCubes = 1 << 16
	}
	o.MaxCubes = max(o.MaxCubes, leastCubes)
	p := &Plan{o: o, failed: -1}
	p.families = append(p.families, family{first: rootOf(o), parent: -1})
	return p
}

// lookAll decides anew what is due, or all.
func (p *Plan) lookAll(all bool) {
	if p.all = all; all || p.families[0].wake <= p.gone {
		p.look(0)
	}
	p.all = false
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
		case !inside && far < p.at.radius && p.noted <= p.o.MaxCubes:
			inside = true
			if level == p.o.Top {
				p.need(f, slot)
			} else {
				p.open(f, slot)
			}
		case inside && far >= p.at.keep:
			inside = false
			p.close(f, slot)
			p.drop(f, slot)
		}
		due = p.at.keep - far
		if !inside {
			due = far - p.at.radius
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
	at := p.at.split[p.families[f].first.Level]
	isSplit := p.families[f].kids[slot] != 0
	if !isSplit && far < at.split {
		p.open(f, slot)
		isSplit = true
	} else if isSplit && far >= at.merge {
		p.close(f, slot)
		isSplit = false
	}
	if isSplit {
		return at.merge - far
	}
	return far - at.split
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
