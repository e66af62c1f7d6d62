package tiles

import (
	"math"

	"github.com/cairnvoxel/cairn/tile"
)

// sketch estimates how often records were asked for lately: a count-min sketch of four rows of
// counters up to 15, which are halved after some number of counts.
type sketch struct {
	rows   [4][]uint8
	mask   uint64
	counts int
	limit  int
}

func newSketch(items int) *sketch {
	n := 64
	for n < items {
		n *= 2
	}
	s := &sketch{mask: uint64(n - 1), limit: 10 * items}
	for i := range s.rows {
		s.rows[i] = make([]uint8, n)
	}
	return s
}

func (s *sketch) cell(row int, i int32) *uint8 {
	return &s.rows[row][mix(uint64(i)*4+uint64(row)+1)&s.mask]
}

func (s *sketch) count(i int32) {
	for r := range s.rows {
		if c := s.cell(r, i); *c < 15 {
			*c++
		}
	}
	if s.counts++; s.counts >= s.limit {
		s.counts /= 2
		for r := range s.rows {
			for j := range s.rows[r] {
				s.rows[r][j] /= 2
			}
		}
	}
}

func (s *sketch) estimate(i int32) uint8 {
	least := uint8(15)
	for r := range s.rows {
		least = min(least, *s.cell(r, i))
	}
	return least
}

// tinyLFU is W-TinyLFU: a window, and a main part of probation and protected, each in order of
// use. Who leaves the window takes the place of who is first to leave the main part if it was
// asked for more often.
type tinyLFU struct {
	lists
	sketch *sketch
	budget int64
	window int64 // bytes of the window at most
	climb  *climber
}

const (
	windowList = iota
	probation
	protected
)

// FixedTinyLFU is W-TinyLFU with a window of one percent, for Simulate.
func FixedTinyLFU(budget int64, _ func(uint32) bool) tile.Policy {
	return exact{newTinyLFU(budget)}
}

// ClimbingTinyLFU is W-TinyLFU that lets its window grow and shrink by the hit ratio, for
// Simulate.
func ClimbingTinyLFU(budget int64, _ func(uint32) bool) tile.Policy {
	p := newTinyLFU(budget)
	p.climb = &climber{sample: int(10 * budget / meanBytes), step: 0.0625}
	return exact{p}
}

// meanBytes is about the size of a tile.
const meanBytes = 16 << 10

func newTinyLFU(budget int64) *tinyLFU {
	return &tinyLFU{lists: newLists(), sketch: newSketch(int(budget / meanBytes)), budget: budget, window: budget / 100}
}

func (p *tinyLFU) Hit(id uint32) {
	i := int32(id)
	p.asked(i, true)
	if p.nodes[i].list == windowList {
		p.move(windowList, i)
		return
	}
	p.move(protected, i)
	for p.bytes(protected) > (p.budget-p.window)/5*4 {
		p.move(probation, p.oldest(protected))
	}
}

// asked counts, and changes the window.
func (p *tinyLFU) asked(i int32, hit bool) {
	p.sketch.count(i)
	if p.climb != nil {
		p.window = min(max(p.window+int64(p.climb.asked(hit)*float64(p.budget)), p.budget/100), p.budget/5*4)
	}
}

func (p *tinyLFU) Add(id uint32, bytes int64) {
	p.asked(int32(id), false)
	p.add(windowList, id, bytes)
}

func (p *tinyLFU) victim() int32 {
	p.overflow()
	main := p.oldest(probation)
	if main == none {
		main = p.oldest(protected)
	}
	i := p.oldest(windowList)
	switch {
	case i == none || main != none && p.bytes(windowList) < p.window:
		return main
	case main == none || p.sketch.estimate(i) <= p.sketch.estimate(main):
		return i
	}
	p.move(probation, i)
	return main
}

// overflow moves what is too much in the window to a main part that has room.
func (p *tinyLFU) overflow() {
	for p.bytes(windowList) > p.window && p.bytes(probation)+p.bytes(protected)+p.budget/128 < p.budget-p.window {
		p.move(probation, p.oldest(windowList))
	}
}

// climber changes the window while that betters the hit ratio.
type climber struct {
	sample     int
	step       float64
	asks, hits int
	last       float64
	started    bool
}

// asked returns by how much the window is to change, as a part of the budget.
func (c *climber) asked(hit bool) float64 {
	c.asks++
	if hit {
		c.hits++
	}
	if c.asks < c.sample {
		return 0
	}
	ratio := float64(c.hits) / float64(c.asks)
	c.asks, c.hits = 0, 0
	change := ratio - c.last
	c.last = ratio
	if !c.started {
		c.started = true
		return c.step
	}
	if change < 0 {
		c.step = -c.step
	}
	step := c.step
	if math.Abs(change) >= 0.05 {
		c.step = math.Copysign(0.0625, c.step)
	} else {
		c.step *= 0.98
	}
	return step
}
