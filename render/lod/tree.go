package lod

import (
	"math"

	"github.com/cairnvoxel/cairn/voxel/geom"
)

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

// rootOf returns the first of eight cubes that hold the bounds.
func rootOf(o Options) Key {
	low, high := KeyOf(o.Bounds.Min, o.Top), KeyOf(o.Bounds.Max.Add(geom.Point{X: -1, Y: -1, Z: -1}), o.Top)
	for high.X-low.X > 1 || high.Y-low.Y > 1 || high.Z-low.Z > 1 {
		low, high = low.Parent(), high.Parent()
	}
	return low
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
	p.noted += 8
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
	if int(p.families[k].first.Level) < p.o.Top {
		p.noted -= 8
	}
	p.families[f].kids[slot] = 0
	p.families[k].age++
	p.free = append(p.free, k)
}

// need notes that a cube is missing.
func (p *Plan) need(f int32, slot int) {
	fam := &p.families[f]
	if int(fam.first.Level) == p.o.Top {
		p.noted++
	}
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
	if int(fam.first.Level) == p.o.Top && fam.state[slot] != absent {
		p.noted--
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
