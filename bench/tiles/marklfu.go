package tiles

import "math"

// markLFU is W-TinyLFU for a cache whose hits take no lock. It needs no sketch, because the
// cache keeps its records: each record counts how often it was asked for.
//
//   - A hit only sets a mark in the record. The policy sees the mark when the record is the
//     oldest of its list: it takes the mark away, counts one, and moves the record to where an
//     exact list would have it by then.
//   - Counts end at 15 and are halved every agePeriod counts for each payload that is held.
//   - The oldest of the window is compared with the worst of the victimSample oldest of
//     probation, by counts for each square root of bytes: a large payload must be asked
//     for more often. The worse one goes, unless it was marked.
//   - The window grows when what went from it lately is asked for again, and shrinks when that
//     happens to what went from the main part. Lately is within ghostPart of the budget, counted
//     for each part: what either part would hold if it were so much larger.
//
// marked says whether a record has a mark and takes it away. All methods are called under one
// lock, Hit never.
type markLFU struct {
	budget int64
	marked func(i int32) bool

	records []lfuRecord
	ends    [3]ends
	window  int64 // bytes of the window that are aimed at
	held    int   // payloads
	counted int   // since the last halving, and half of those before it
	age     uint16
	gone    [2]int64 // bytes that went from the window, and from the main part
}

// lfuRecord is what the policy knows about a record, whether its payload is there or not.
type lfuRecord struct {
	newer, older int32
	bytes        int64
	went         uint32 // gone[from] in KiB when its payload went
	root         uint16 // of bytes
	age          uint16 // of count
	list         int8   // none if its payload is not there
	from         int8   // where its payload went from: 0 window, 1 main, none if never
	count        uint8
}

const (
	countMax      = 15
	agePeriod     = 20
	victimSample  = 4
	windowLeast   = 400 // the window has at least one part in so many
	protectedPart = 80  // percent
	ghostPart     = 20  // one part of the budget in so many
)

func newMarkLFU(budget int64, marked func(int32) bool) *markLFU {
	p := &markLFU{budget: budget, window: budget / windowLeast, marked: marked}
	for i := range p.ends {
		p.ends[i] = ends{newest: none, oldest: none}
	}
	return p
}

// Miss counts, and changes the window if a larger one, or a smaller one, would have had i.
func (p *markLFU) Miss(i int32) {
	for int(i) >= len(p.records) {
		p.records = append(p.records, lfuRecord{list: none, from: none, age: p.age})
	}
	p.count(i)
	r := &p.records[i]
	if r.from == none || int64(uint32(p.gone[r.from]>>10)-r.went) >= p.budget/ghostPart>>10 {
		return
	}
	if r.from == 0 {
		p.window = min(p.window+r.bytes, p.budget/5*4)
	} else {
		p.window = max(p.window-r.bytes, p.budget/windowLeast)
	}
	r.from = none
}

func (p *markLFU) Add(i int32, bytes int64) {
	r := &p.records[i]
	r.bytes, r.root = bytes, uint16(min(math.Sqrt(float64(bytes)), math.MaxUint16))
	p.marked(i)
	p.push(windowList, i)
	p.held++
}

func (p *markLFU) Victim() int32 {
	for p.bytes(windowList) > p.window && p.main()+p.budget/128 < p.budget-p.window {
		p.move(probation, p.ends[windowList].oldest)
	}
	rounds := p.held
	for {
		main, i := p.worst(), p.ends[windowList].oldest
		switch {
		case i == none || main != none && p.bytes(windowList) < p.window:
			return main
		case p.harvest(i) && rounds > 0:
			rounds--
			if main != none && p.better(main, i) {
				p.move(windowList, i)
			} else {
				p.move(probation, i)
			}
			continue
		case main == none || !p.better(i, main):
			return i
		}
		p.move(probation, i)
		return main
	}
}

// worst returns the worst of the oldest of probation. It moves what was asked for to
// protected, and takes from there when probation is empty.
func (p *markLFU) worst() int32 {
	if p.ends[probation].oldest == none {
		p.demote(0)
	}
	worst := int32(none)
	i := p.ends[probation].oldest
	for n := 0; n < victimSample && i != none; {
		newer := p.records[i].newer
		if p.harvest(i) {
			p.move(protected, i)
			p.demote((p.budget - p.window) / 100 * protectedPart)
			if newer == none && worst == none {
				newer = p.ends[probation].oldest
			}
		} else {
			if worst == none || p.better(worst, i) {
				worst = i
			}
			n++
		}
		i = newer
	}
	return worst
}

// demote moves the oldest of protected to probation until protected has at most so many
// bytes, or at least one is moved. What was asked for gets another round first, once.
func (p *markLFU) demote(most int64) {
	rounds := p.held
	for i := p.ends[protected].oldest; i != none && p.bytes(protected) > most; i = p.ends[protected].oldest {
		if p.harvest(i) && rounds > 0 {
			rounds--
			p.move(protected, i)
			continue
		}
		p.move(probation, i)
		if most == 0 {
			return
		}
	}
}

func (p *markLFU) Removed(i int32) {
	r := &p.records[i]
	r.from = 1
	if r.list == windowList {
		r.from = 0
	}
	p.gone[r.from] += r.bytes
	r.went = uint32(p.gone[r.from] >> 10)
	p.take(i)
	p.held--
}

// harvest takes a mark away and counts it.
func (p *markLFU) harvest(i int32) bool {
	if !p.marked(i) {
		return false
	}
	p.count(i)
	return true
}

func (p *markLFU) count(i int32) {
	r := &p.records[i]
	r.count = min(p.counts(i)+1, countMax)
	r.age = p.age
	if p.counted++; p.counted > max(1000, agePeriod*p.held) {
		p.counted /= 2
		p.age++
	}
}

// counts returns the count of a record, halved as often as is due.
func (p *markLFU) counts(i int32) uint8 {
	r := &p.records[i]
	return r.count >> min(p.age-r.age, 8)
}

// better reports whether i has more counts for its size than j.
func (p *markLFU) better(i, j int32) bool {
	return int(p.counts(i))*int(p.records[j].root) > int(p.counts(j))*int(p.records[i].root)
}

func (p *markLFU) bytes(list int8) int64 { return p.ends[list].bytes }
func (p *markLFU) main() int64           { return p.bytes(probation) + p.bytes(protected) }

// push makes i, which is in no list, the newest of a list.
func (p *markLFU) push(list int8, i int32) {
	n, e := &p.records[i], &p.ends[list]
	n.list, n.newer, n.older = list, none, e.newest
	if e.newest == none {
		e.oldest = i
	} else {
		p.records[e.newest].newer = i
	}
	e.newest = i
	e.bytes += n.bytes
}

// take takes i out of its list.
func (p *markLFU) take(i int32) {
	n := &p.records[i]
	e := &p.ends[n.list]
	if n.newer == none {
		e.newest = n.older
	} else {
		p.records[n.newer].older = n.older
	}
	if n.older == none {
		e.oldest = n.newer
	} else {
		p.records[n.older].newer = n.newer
	}
	e.bytes -= n.bytes
	n.list = none
}

// move makes i the newest of a list.
func (p *markLFU) move(list int8, i int32) {
	p.take(i)
	p.push(list, i)
}
