package light

// deviation is how the light of a cell differed from the rule.
type deviation uint8

const (
	unknown  deviation = 0
	exact    deviation = 1  // no difference
	darker   deviation = 16 // and above: darker by this much
	brighter deviation = 32 // and above: brighter; the number is how much less it had than the brightest cell beside it
	falling  deviation = 48 // sky light fell from above
	emitting deviation = 49 // brighter than all cells beside it, or closed to them
)

// offered returns the light that the rule lets a cell take from the cell at a face
// of it. there and here are the two blocks.
func (r *Relight) offered(level, there, here uint8, f CellFace) uint8 {
	m, n := r.list[here], r.list[there]
	if (m.closed()>>f|n.closed()>>(f^1))&1 != 0 {
		return 0
	}
	if r.kind == Sky && f == Above && level == MaxLight && m.absorbs() == 0 {
		return MaxLight
	}
	if lost := r.through[here]; level > lost {
		return level - lost
	}
	return 0
}

// emits returns the light that the rule says a block emits.
func (r *Relight) emits(what uint8) uint8 {
	if r.kind == Sky {
		return 0
	}
	return r.list[what].emits()
}

// deviation returns the difference of a cell's light from the rule that is kept.
func (r *Relight) deviation(s cellRef) deviation {
	o := &s.p.deviations[s.i]
	if *o == unknown {
		*o = r.measure(s)
	}
	return *o
}

// measure computes the deviation of a cell.
func (r *Relight) measure(s cellRef) deviation {
	r.visited++
	if s.p.edited(s.i) {
		return exact
	}
	here := s.p.what[s.i]
	level, rule, brightest := s.p.old[s.i], r.emits(here), uint8(0)
	edited := false
	for f := range Sides {
		n := r.beside(s, f)
		l := n.p.old[n.i]
		rule, brightest = max(rule, r.offered(l, n.p.before(n.i), here, f)), max(brightest, l)
		edited = edited || n.p.edited(n.i)
	}
	switch {
	case level == rule || level < rule && edited:
		return exact
	case level < rule:
		return darker + deviation(rule-level)
	case r.through[here] == MaxLight:
		return emitting // whatever is beside it, no light enters
	case level < brightest:
		return brighter + deviation(brightest-level)
	}
	if above := r.beside(s, Above); r.kind == Sky && level == MaxLight && above.p.old[above.i] == MaxLight {
		return falling
	}
	return emitting
}

// received returns the light that a cell gets from level at a face of it.
func (r *Relight) received(s cellRef, level, there uint8, f CellFace) uint8 {
	v := r.offered(level, there, s.p.what[s.i], f)
	switch o := r.deviation(s); {
	case o >= emitting || o <= exact:
	case o == falling:
		if f == Above && level == MaxLight {
			return MaxLight
		}
	case o > brighter:
		if less := uint8(o - brighter); level > less {
			return max(v, level-less)
		}
	default:
		return less(v, o)
	}
	return v
}

func less(v uint8, o deviation) uint8 {
	if by := uint8(o - darker); v > by {
		return v - by
	}
	return 0
}

// emitted returns the light that a cell has without its neighbours.
func (r *Relight) emitted(s cellRef) uint8 {
	v := r.emits(s.p.what[s.i])
	switch o := r.deviation(s); {
	case o == emitting:
		return s.p.old[s.i]
	case o > darker && o < brighter:
		return less(v, o)
	}
	return v
}

// remove darkens a cell, which is lit again later, and darkens the cells that it
// lit.
func (r *Relight) remove(s cellRef) {
	level := s.p.now[s.i]
	if level == 0 {
		return
	}
	s.p.now[s.i], s.p.changed = 0, true
	if r.room() {
		r.removed = append(r.removed, removal{s, level})
	}
}

// pull queues a cell to be lit from the cells beside it.
func (r *Relight) pull(s cellRef) {
	if r.room() {
		r.pulls = append(r.pulls, s)
	}
}

// room reports whether another cell may be visited.
func (r *Relight) room() bool {
	r.tooMany = r.tooMany || len(r.removed)+len(r.pulls) >= maxCells
	return !r.tooMany
}

// darken darkens what the removed cells had lit.
func (r *Relight) darken() {
	for k := 0; k < len(r.removed); k++ {
		s, level := r.removed[k].cellRef, r.removed[k].level
		r.visited++
		for f := range Sides {
			n := r.beside(s, f)
			had := n.p.now[n.i]
			if n.p.place != Inside || had == 0 || had > level || n.p.edited(n.i) {
				continue
			}
			if r.received(n, level, s.p.before(s.i), f^1) >= had {
				r.remove(n)
				r.pull(n)
			}
		}
	}
}

// relit lights the removed cells, and those that may now be brighter, from the other
// cells.
func (r *Relight) relit() {
	for _, s := range r.pulls {
		r.visited++
		v := r.emitted(s)
		for f := range Sides {
			n := r.beside(s, f)
			if l := n.p.now[n.i]; l > v {
				v = max(v, r.received(s, l, n.p.what[n.i], f))
			}
		}
		r.brighten(s, v)
	}
}

// brighten raises the light of a cell to a level, if it is darker, and queues it.
func (r *Relight) brighten(s cellRef, level uint8) {
	if level > s.p.now[s.i] {
		s.p.now[s.i], s.p.changed = level, true
		r.queue[level] = append(r.queue[level], s)
	}
}

// spread carries light on, from the brightest to the darkest cells.
func (r *Relight) spread() {
	for l := uint8(MaxLight); l > 1; l-- {
		for k := 0; k < len(r.queue[l]); k++ {
			s := r.queue[l][k]
			if s.p.now[s.i] != l {
				continue // it is brighter by now and was carried on
			}
			r.visited++
			for f := range Sides {
				n := r.beside(s, f)
				falls := r.kind == Sky && f == Below && l == MaxLight
				if n.p.place != Inside || n.p.now[n.i] >= l-1 && !falls {
					continue
				}
				r.brighten(n, r.received(n, l, s.p.what[s.i], f^1))
			}
		}
	}
}
