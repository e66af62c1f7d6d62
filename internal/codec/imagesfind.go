package codec

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/cairnvoxel/cairn/voxel"
)

const (
	rareShape     = 8       // only columns with at most so many of their shape vote
	mostVoters    = 1 << 13 // columns that vote
	mostTried     = 24      // transforms that are tried
	fewestVotes   = 8
	fewestChanges = 3       // of a column that votes
	leastSaved    = 50      // at least one of so many changes must be in an image
	mostTaught    = 1 << 14 // images that teach how cells are replaced
	voteBits      = 15      // of a slot of votes
	pairBits      = 12      // of a slot of pairs
	pairProbes    = 8
)

// search is the memory of a search for transforms.
type search struct {
	groups  []shapeClass // by hash of a shape
	next    []int32      // by voter: 1 + the previous one in its group
	voters  []int32
	votes   []uint32 // by hash of a transform
	matches []match
	tried   []image
	does    []bitset // by transform tried: the columns of left that it explains
	done    bitset
	cells   []voxel.Cell
	pairs   [1 << pairBits]pairVotes
	best    []int32 // by cell: votes for its replacement
}

// shapeClass is columns that change at the same heights, by their hashes.
type shapeClass struct {
	last  int32 // of voters, plus one
	count int32
}

// match is a column with the same shape as its source by some transform.
type match struct {
	at       int32 // in left
	from, to int32 // literals
}

// pairVotes counts how often one cell became another.
type pairVotes struct {
	pair uint32 // from<<16 | to
	n    int32
}

// find finds the transforms that make many columns images of earlier ones: the transforms with
// the most votes of pairs of columns of one rare shape, if they explain columns that
// earlier transforms do not. It reports whether they are worth their bytes.
func (m *imageEncoder) find() bool {
	m.images = m.images[:0]
	m.group()
	transforms := m.elect()
	if len(transforms) == 0 {
		return false
	}
	return m.choose(transforms)
}

// group groups columns by shape.
func (m *imageEncoder) group() {
	s := &m.search
	size := 4 << bits.Len(uint(min(len(m.left), mostVoters)))
	s.groups = slices.Grow(s.groups[:0], size)[:size]
	clear(s.groups)
	s.voters, s.next = s.voters[:0], s.next[:0]
	// On a large page only part of the shapes vote.
	part := uint32(min(1<<16, mostVoters<<16/(len(m.left)+1)))
	for _, n := range m.left {
		id := m.ids[n]
		h := m.shapes[id]
		if h&(1<<16-1) >= part || len(m.set.changes(id)) < fewestChanges {
			continue
		}
		g := &s.groups[h>>16&uint32(size-1)]
		s.voters = append(s.voters, n)
		s.next = append(s.next, g.last)
		g.last = int32(len(s.voters))
		g.count++
	}
}

// elect returns the transforms with the most votes, most first.
func (m *imageEncoder) elect() (transforms []transform) {
	s := &m.search
	s.votes = slices.Grow(s.votes[:0], 1<<voteBits)[:1<<voteBits]
	clear(s.votes)
	m.eachVote(func(w transform) { s.votes[w.slot()]++ })
	exact := map[transform]int{}
	m.eachVote(func(w transform) {
		if s.votes[w.slot()] >= fewestVotes {
			exact[w]++
		}
	})
	for w, n := range exact {
		if n >= fewestVotes {
			transforms = append(transforms, w)
		}
	}
	slices.SortFunc(transforms, func(v, w transform) int { return cmp.Or(exact[w]-exact[v], v.compare(w)) })
	return transforms[:min(len(transforms), mostTried)]
}

// slot returns the counter of a transform's votes. Other transforms may share it.
func (w transform) slot() uint64 {
	const prime = 0x9E3779B97F4A7C15
	return (uint64(uint32(w.a))<<32 ^ uint64(uint32(w.b)) ^ uint64(w.turn)<<28) * prime >> (64 - voteBits)
}

// eachVote yields the transforms by which a column of a rare shape is the image of
// another.
func (m *imageEncoder) eachVote(f func(w transform)) {
	s := &m.search
	for _, g := range s.groups {
		if g.count < 2 || g.count > rareShape {
			continue
		}
		for to := g.last; to > 0; to = s.next[to-1] {
			x, z := m.positions.place(s.voters[to-1])
			for from := s.next[to-1]; from > 0; from = s.next[from-1] {
				sx, sz := m.positions.place(s.voters[from-1])
				for t := range turns {
					w := transform{turn: uint8(t)}
					tx, tz := w.source(x, z)
					w.a, w.b = sx-tx, sz-tz
					f(w)
				}
			}
		}
	}
}

// choose keeps the transforms that explain enough columns that no earlier transform explains. It
// reports whether they are worth their bytes together.
func (m *imageEncoder) choose(transforms []transform) bool {
	m.try(transforms)
	s := &m.search
	s.done = bitsetOf(s.done, len(m.left))
	for len(m.images) < maxTransforms {
		best, most := -1, fewestImages-1
		for i := range s.tried {
			fresh := 0
			for k, b := range s.does[i] {
				fresh += bits.OnesCount64(b &^ s.done[k])
			}
			if fresh > most {
				best, most = i, fresh
			}
		}
		if best < 0 {
			break
		}
		m.images = append(m.images, s.tried[best])
		for k, b := range s.does[best] {
			s.done[k] |= b
		}
	}
	return len(m.images) > 0 && m.saved()*leastSaved >= len(m.set.list)
}

// saved returns the changes of columns that are images.
func (m *imageEncoder) saved() (n int) {
	for k, b := range m.search.done {
		for ; b != 0; b &= b - 1 {
			n += len(m.set.changes(m.ids[m.left[k<<6+bits.TrailingZeros64(b)]]))
		}
	}
	return n
}

// try determines which columns each transform explains.
func (m *imageEncoder) try(transforms []transform) {
	s := &m.search
	size := 0
	if len(m.table) > 0 {
		size = int(m.table[len(m.table)-1]) + 1
	}
	s.cells = slices.Grow(s.cells[:0], size*len(transforms))[:size*len(transforms)]
	s.best = slices.Grow(s.best[:0], size)[:size]
	s.tried = s.tried[:0]
	for _, w := range transforms {
		if m.match(w); len(s.matches) < fewestImages {
			continue
		}
		i := len(s.tried)
		img := image{w, s.cells[i*size:][:size]}
		s.tried = append(s.tried, img)
		m.learn(img.to)
		if i == len(s.does) {
			s.does = append(s.does, nil)
		}
		s.does[i] = bitsetOf(s.does[i], len(m.left))
		for _, c := range s.matches {
			if m.mapsTo(img.to, c.from, c.to) {
				s.does[i].set(int(c.at))
			}
		}
	}
}

// match collects the columns whose source by a transform has the same shape.
func (m *imageEncoder) match(w transform) {
	s := &m.search
	s.matches = s.matches[:0]
	t := turns[w.turn]
	for at, n := range m.left {
		x, z := m.positions.place(n)
		from := m.positions.at(w.a+t[0]*x+t[1]*z, w.b+t[2]*x+t[3]*z)
		if from < 0 || from >= n {
			continue
		}
		if a, b := m.ids[from], m.ids[n]; m.shapes[a] == m.shapes[b] {
			s.matches = append(s.matches, match{int32(at), a, b})
		}
	}
}

// mapsTo reports whether replacing cells turns one literal into another.
func (m *imageEncoder) mapsTo(cells []voxel.Cell, from, to int32) bool {
	if m.shapes[from] != m.shapes[to] || cells[m.set.first[from]] != m.set.first[to] {
		return false
	}
	a, b := m.set.changes(from), m.set.changes(to)
	if len(a) != len(b) {
		return false
	}
	for i, c := range a {
		if b[i].at != c.at || b[i].cell != cells[c.cell] {
			return false
		}
	}
	return true
}

// learn determines how a transform replaces cells: by the majority of the runs of some
// matches, the lowest of equals.
func (m *imageEncoder) learn(to []voxel.Cell) {
	s := &m.search
	clear(s.pairs[:])
	step := (len(s.matches) + mostTaught - 1) / mostTaught
	for i := 0; i < len(s.matches); i += step {
		c := s.matches[i]
		a, b := m.set.changes(c.from), m.set.changes(c.to)
		if len(a) != len(b) {
			continue
		}
		s.count(m.set.first[c.from], m.set.first[c.to])
		for k := range a {
			s.count(a[k].cell, b[k].cell)
		}
	}
	for i := range to {
		to[i] = voxel.Cell(i)
	}
	clear(s.best)
	for _, p := range s.pairs {
		from, cell := p.pair>>16, voxel.Cell(p.pair)
		if best := &s.best[from]; p.n > *best || p.n > 0 && p.n == *best && cell < to[from] {
			*best, to[from] = p.n, cell
		}
	}
}

// count counts that a cell became another. A pair without a free slot is not
// counted; that costs bytes only.
func (s *search) count(from, to voxel.Cell) {
	pair := uint32(from)<<16 | uint32(to)
	h := pair * 0x9E3779B1 >> (32 - pairBits)
	for range pairProbes {
		p := &s.pairs[h]
		if p.n == 0 || p.pair == pair {
			p.pair = pair
			p.n++
			return
		}
		h = (h + 1) % (1 << pairBits)
	}
}
