package codec

import (
	"cmp"
	"slices"

	"github.com/cairnvoxel/cairn/voxel"
)

const (
	rareShape   = 8       // columns that a vote is asked of have at most so many like them
	mostPairs   = 1 << 18 // asked
	mostTried   = 24      // ways that are looked at
	fewestVotes = 16
)

// find finds the ways by which many columns are images of earlier ones: those that
// most pairs of columns of one rare shape name, as far as they explain what the
// ways before do not.
func (m *imageEncoder) find() {
	members := make([][]int32, m.shape())
	for n, id := range m.ids {
		if s := m.shapes[id]; len(m.set.changes(id)) >= 3 && len(members[s]) <= rareShape {
			members[s] = append(members[s], int32(n))
		}
	}
	votes := map[way]int{}
	pairs := 0
	for _, group := range members {
		if len(group) > rareShape || pairs > mostPairs {
			continue
		}
		for j, to := range group {
			for _, from := range group[:j] {
				m.vote(votes, from, to)
				pairs++
			}
		}
	}
	var ways []way
	for w, n := range votes {
		if n >= fewestVotes {
			ways = append(ways, w)
		}
	}
	slices.SortFunc(ways, func(v, w way) int { return cmp.Or(votes[w]-votes[v], v.compare(w)) })
	m.choose(ways[:min(len(ways), mostTried)])
}

func (m *imageEncoder) vote(votes map[way]int, from, to int32) {
	sx, sz := m.plan.place(from)
	x, z := m.plan.place(to)
	for t := range turns {
		w := way{turn: uint8(t)}
		tx, tz := w.source(x, z)
		w.a, w.b = sx-tx, sz-tz
		votes[w]++
	}
}

// choose keeps the ways that explain enough columns that nothing before does.
func (m *imageEncoder) choose(ways []way) {
	left := m.unexplained()
	tried := make([]image, len(ways))
	does := make([][]int, len(ways)) // which of left each explains
	for i, w := range ways {
		tried[i] = image{w, m.learn(w)}
		for at, n := range left {
			if m.isImage(&tried[i], n) {
				does[i] = append(does[i], at)
			}
		}
	}
	done := make([]bool, len(left))
	for len(m.images) < maxWays {
		best, most := -1, fewestImages-1
		for i, all := range does {
			fresh := 0
			for _, at := range all {
				if !done[at] {
					fresh++
				}
			}
			if fresh > most {
				best, most = i, fresh
			}
		}
		if best < 0 {
			return
		}
		m.images = append(m.images, tried[best])
		for _, at := range does[best] {
			done[at] = true
		}
	}
}

// unexplained returns the columns that are unlike those to the west and north.
func (m *imageEncoder) unexplained() (left []int32) {
	for n, id := range m.ids {
		col := n % columns
		if col%edge > 0 && m.ids[n-1] == id || col >= edge && m.ids[n-edge] == id {
			continue
		}
		left = append(left, int32(n))
	}
	return left
}

// source returns the column that n may be the image of, -1 if there is none
// before it.
func (m *imageEncoder) source(w way, n int32) int32 {
	x, z := m.plan.place(n)
	s := m.plan.at(w.source(x, z))
	if s >= n {
		return -1
	}
	return s
}

func (m *imageEncoder) isImage(img *image, n int32) bool {
	s := m.source(img.way, n)
	if s < 0 {
		return false
	}
	from, to := m.ids[s], m.ids[n]
	if m.shapes[from] != m.shapes[to] || img.cell(m.set.first[from]) != m.set.first[to] {
		return false
	}
	a, b := m.set.changes(from), m.set.changes(to)
	if len(a) != len(b) {
		return false
	}
	for i, c := range a {
		if b[i].at != c.at || b[i].cell != img.cell(c.cell) {
			return false
		}
	}
	return true
}

// learn returns what cells become by a way, where that is another: what most runs
// say, the lowest of equals.
func (m *imageEncoder) learn(w way) map[voxel.Cell]voxel.Cell {
	type pair struct{ from, to voxel.Cell }
	votes := map[pair]int{}
	asked := map[[2]int32]bool{}
	for n, to := range m.ids {
		s := m.source(w, int32(n))
		if s < 0 || m.shapes[m.ids[s]] != m.shapes[to] || asked[[2]int32{m.ids[s], to}] {
			continue
		}
		asked[[2]int32{m.ids[s], to}] = true
		a, b := m.set.changes(m.ids[s]), m.set.changes(to)
		if len(a) != len(b) {
			continue
		}
		votes[pair{m.set.first[m.ids[s]], m.set.first[to]}]++
		for i := range a {
			votes[pair{a[i].cell, b[i].cell}]++
		}
	}
	best := map[voxel.Cell]pair{}
	for p, n := range votes {
		old, ok := best[p.from]
		if !ok || n > votes[old] || n == votes[old] && p.to < old.to {
			best[p.from] = p
		}
	}
	to := map[voxel.Cell]voxel.Cell{}
	for from, p := range best {
		if p.to != from {
			to[from] = p.to
		}
	}
	return to
}
