package light

// oddity is how the light of a cell differed from the rule.
type oddity uint8

const (
	unasked oddity = 0
	even    oddity = 1  // not at all
	darker  oddity = 16 // and more: by how much
	leaking oddity = 32 // and more: how much less than the brightest cell beside it
	falling oddity = 48 // sky light fell from above
	glowing oddity = 49 // none beside it was brighter, or it lets none in
)

// offered returns what the rule lets a cell have of the light of the one at a face
// of it. It is given what is there, and here.
func (r *Relight) offered(level, there, here uint8, f Face) uint8 {
	m, n := r.list[here], r.list[there]
	if (m.shut()>>f|n.shut()>>(f^1))&1 != 0 {
		return 0
	}
	if r.kind == Sky && f == Above && level == MaxLight && m.takes() == 0 {
		return MaxLight
	}
	if lost := r.through[here]; level > lost {
		return level - lost
	}
	return 0
}

// gives returns the light that the rule gives to what is in a cell.
func (r *Relight) gives(what uint8) uint8 {
	if r.kind == Sky {
		return 0
	}
	return r.list[what].gives()
}

// oddity returns how a cell's light differed from the rule, as far as that stays.
func (r *Relight) oddity(s spot) oddity {
	o := &s.p.odd[s.i]
	if *o == unasked {
		*o = r.ask(s)
	}
	return *o
}

func (r *Relight) ask(s spot) oddity {
	r.visited++
	if s.p.edited(s.i) {
		return even
	}
	here := s.p.what[s.i]
	level, rule, brightest := s.p.old[s.i], r.gives(here), uint8(0)
	edited := false
	for f := range Faces {
		n := r.beside(s, f)
		l := n.p.old[n.i]
		rule, brightest = max(rule, r.offered(l, n.p.before(n.i), here, f)), max(brightest, l)
		edited = edited || n.p.edited(n.i)
	}
	switch {
	case level == rule || level < rule && edited:
		return even
	case level < rule:
		return darker + oddity(rule-level)
	case r.through[here] == MaxLight:
		return glowing // whatever is beside it: nothing goes in
	case level < brightest:
		return leaking + oddity(brightest-level)
	}
	if above := r.beside(s, Above); r.kind == Sky && level == MaxLight && above.p.old[above.i] == MaxLight {
		return falling
	}
	return glowing
}

// has returns what a cell has of a level at a face of it, where something is.
func (r *Relight) has(s spot, level, there uint8, f Face) uint8 {
	v := r.offered(level, there, s.p.what[s.i], f)
	switch o := r.oddity(s); {
	case o >= glowing || o <= even:
	case o == falling:
		if f == Above && level == MaxLight {
			return MaxLight
		}
	case o > leaking:
		if less := uint8(o - leaking); level > less {
			return max(v, level-less)
		}
	default:
		return less(v, o)
	}
	return v
}

func less(v uint8, o oddity) uint8 {
	if by := uint8(o - darker); v > by {
		return v - by
	}
	return 0
}

// own returns what a cell has of itself.
func (r *Relight) own(s spot) uint8 {
	v := r.gives(s.p.what[s.i])
	switch o := r.oddity(s); {
	case o == glowing:
		return s.p.old[s.i]
	case o > darker && o < leaking:
		return less(v, o)
	}
	return v
}

// remove darkens a cell, which is lit anew later, and has those that it lit
// follow.
func (r *Relight) remove(s spot) {
	level := s.p.now[s.i]
	if level == 0 {
		return
	}
	s.p.now[s.i], s.p.changed = 0, true
	if r.room() {
		r.removed = append(r.removed, removal{s, level})
	}
}

func (r *Relight) pull(s spot) {
	if r.room() {
		r.pulls = append(r.pulls, s)
	}
}

// room reports whether one more cell may be removed or pulled.
func (r *Relight) room() bool {
	r.tooMany = r.tooMany || len(r.removed)+len(r.pulls) >= maxCells
	return !r.tooMany
}

// darken removes what was lit by what is removed.
func (r *Relight) darken() {
	for k := 0; k < len(r.removed); k++ {
		s, level := r.removed[k].spot, r.removed[k].level
		r.visited++
		for f := range Faces {
			n := r.beside(s, f)
			had := n.p.now[n.i]
			if n.p.place != Inside || had == 0 || had > level || n.p.edited(n.i) {
				continue
			}
			if r.has(n, level, s.p.before(s.i), f^1) >= had {
				r.remove(n)
				r.pull(n)
			}
		}
	}
}

// relit gives the cells that were removed, and those that may have more now, what
// they have of the others.
func (r *Relight) relit() {
	for _, s := range r.pulls {
		r.visited++
		v := r.own(s)
		for f := range Faces {
			n := r.beside(s, f)
			if l := n.p.now[n.i]; l > v {
				v = max(v, r.has(s, l, n.p.what[n.i], f))
			}
		}
		r.raise(s, v)
	}
}

func (r *Relight) raise(s spot, level uint8) {
	if level > s.p.now[s.i] {
		s.p.now[s.i], s.p.changed = level, true
		r.queue[level] = append(r.queue[level], s)
	}
}

// spread lets light go on from the brightest to the darkest cells.
func (r *Relight) spread() {
	for l := uint8(MaxLight); l > 1; l-- {
		for k := 0; k < len(r.queue[l]); k++ {
			s := r.queue[l][k]
			if s.p.now[s.i] != l {
				continue // brighter by now, and gone on from
			}
			r.visited++
			for f := range Faces {
				n := r.beside(s, f)
				falls := r.kind == Sky && f == Below && l == MaxLight
				if n.p.place != Inside || n.p.now[n.i] >= l-1 && !falls {
					continue
				}
				r.raise(n, r.has(n, l, s.p.what[s.i], f^1))
			}
		}
	}
}
