package tiles

import "math"

type cand struct {
	lists
	budget int64
	window int64
	winPart float64
	protPart int64 // percent of main
	alpha  float64
	sample int
	period float64 // asks per (items held)
	asks   int
	items  int
	epoch  uint16
	rec    []crec
	winSecond int // 0: marked window tail compares as others; 1: moves to head; 2: goes to probation/protected
	adapt  int
	gone   int64
	goneBy [2]int64
	cap    uint8
	ageMiss int
	harvest, pure bool
	hitsW int
	ghostLife float64
	step float64
	lastDir int
	admitLE bool
	climb *climber
}

type crec struct {
	freq  uint8
	mark  bool
	epoch uint16
	went  int64
	from  int8
	w     float64
}

func newCand(b int64, f func(*cand)) *cand {
	p := &cand{lists: newLists(), budget: b, winPart: 0.01, protPart: 80, sample: 1, period: 10, cap: 15, ghostLife: 1, step: 1}
	f(p)
	p.window = int64(float64(b) * p.winPart)
	return p
}

func (p *cand) grow(i int32) {
	for int(i) >= len(p.rec) {
		p.rec = append(p.rec, crec{w: 1, from: -1, epoch: p.epoch})
	}
	p.reach(i)
}

func (p *cand) ask(i int32) {
	p.age(i)
	r := &p.rec[i]
	if r.freq < p.cap {
		r.freq++
	}
	if p.ageMiss == 0 {
		p.asks++
	}
	if float64(p.asks) > p.period*float64(p.items) && p.asks > 1000 {
		p.epoch++
		p.asks = p.asks/2
	}
}

func (p *cand) age(i int32) {
	r := &p.rec[i]
	r.freq >>= min(p.epoch-r.epoch, 8)
	r.epoch = p.epoch
}

func (p *cand) Hit(i int32) {
	if p.pure {
		p.rec[i].mark = true
		return
	}
	if !p.harvest || !p.rec[i].mark {
		p.ask(i)
	}
	p.rec[i].mark = true
	if p.climb != nil { p.doclimb(true) }
}

func (p *cand) doclimb(hit bool) {
	p.climb.sample = max(p.items*10,1000)
	p.window = min(max(p.window+int64(p.climb.asked(hit)*float64(p.budget)), p.budget/100), p.budget/5*4)
}

func (p *cand) Miss(i int32) {
	p.grow(i)
	if p.ageMiss != 0 {
		p.asks += p.ageMiss
	}
	p.ask(i)
	if p.climb != nil { p.doclimb(false) }
	if p.adapt == 0 { return }
	r := &p.rec[i]
	if p.adapt >= 2 {
		if r.went == 0 { return }
		side := 1
		if r.from == windowList { side = 0 }
		if float64(p.goneBy[side]-r.went) < p.ghostLife*float64(p.budget) {
			d := int64(p.step * float64(p.nodes[i].bytes))
			if p.adapt == 3 { d = int64(p.step * 16384) }
			if side == 1 { d = -d }
			p.window = min(max(p.window+d, int64(float64(p.budget)*p.winPart)), p.budget*8/10)
		}
		return
	}
	if r.went != 0 && float64(p.gone-r.went) < p.ghostLife*float64(p.budget) {
		d := int64(p.step * float64(p.nodes[i].bytes))
		switch r.from {
		case windowList:
			p.window += d
		default:
			p.window -= d
		}
		p.window = min(max(p.window, int64(float64(p.budget)*p.winPart)), p.budget*9/10)
	}
}

func (p *cand) Add(i int32, bytes int64) {
	p.grow(i)
	p.rec[i].w = math.Pow(float64(bytes), p.alpha)
	p.rec[i].mark = false
	p.items++
	p.add(windowList, i, bytes)
}

func (p *cand) score(i int32) float64 {
	p.age(i)
	return float64(p.rec[i].freq) / p.rec[i].w
}

// mainVictim harvests marks
func (p *cand) mainVictim() int32 {
	best := int32(none)
	bs := 0.0
	n := 0
	limit := (p.budget - p.window) * p.protPart / 100
	var i int32 = p.oldest(probation)
	guard := 0
	for n < p.sample {
		for i == none {
			// refill from protected
			j := p.oldest(protected)
			if j == none {
				return best
			}
			if n > 0 { return best }
			if p.rec[j].mark && guard < 100 {
				guard++
				p.unmark(j)
				p.move(protected, j)
				continue
			}
			p.move(probation, j)
			i = j
		}
		next := p.nodes[i].newer
		if p.rec[i].mark {
			p.unmark(i)
			if p.protPart == 0 {
				p.move(probation, i)
			} else {
			p.move(protected, i)
			g := 0
			for p.bytes(protected) > limit {
				j := p.oldest(protected)
				if p.rec[j].mark && g < 100 {
					g++
					p.unmark(j)
					p.move(protected, j)
					continue
				}
				p.move(probation, j)
			}
			}
			i = next
			if i == none { i = p.oldest(probation) }
			continue
		}
		s := p.score(i)
		if best == none || s < bs {
			best, bs = i, s
		}
		n++
		i = next
		if i == none { break }
	}
	return best
}

func (p *cand) Victim() int32 {
	for p.bytes(windowList) > p.window && p.total-p.bytes(windowList)+p.budget/128 < p.budget-p.window {
		p.move(probation, p.oldest(windowList))
	}
	for {
		main := p.mainVictim()
		if p.bytes(windowList) < p.window && main != none {
			return main
		}
		i := p.oldest(windowList)
		if i == none { return main }
		if p.rec[i].mark {
			switch p.winSecond {
			case 1:
				p.unmark(i)
				p.move(windowList, i)
				continue
			case 3:
				p.unmark(i)
				if main != none && p.score(i) < p.score(main) {
					p.move(windowList, i)
					continue
				}
				p.move(probation, i)
				continue
			case 4:
				p.unmark(i)
				if main != none && p.score(i) <= p.score(main) {
					p.move(windowList, i)
					continue
				}
				p.move(probation, i)
				continue
			case 2:
				p.unmark(i)
				p.move(probation, i)
				continue
			}
		}
		if main == none {
			p.move(probation, i)
			continue
		}
		if a, b := p.score(i), p.score(main); a < b || a == b && !p.admitLE {
			return i
		}
		p.unmark(i)
		p.move(probation, i)
		return main
	}
}

func (p *cand) Removed(i int32) {
	p.items--
	p.gone += p.nodes[i].bytes
	p.rec[i].went = p.gone
	if p.adapt >= 2 {
		side := 1
		if p.nodes[i].list == windowList { side = 0 }
		p.goneBy[side] += p.nodes[i].bytes
		p.rec[i].went = p.goneBy[side]
	}
	p.rec[i].from = p.nodes[i].list
	p.take(i)
}

func (p *cand) unmark(i int32) {
	if p.pure && p.rec[i].mark {
		p.ask(i)
	}
	p.rec[i].mark = false
}
