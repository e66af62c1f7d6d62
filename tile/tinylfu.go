package tile

// tinyLFU keeps what is used most. A new payload comes into the window. When it reaches
// the window's end, it stays only if its record was used more often than that of the
// payload that would leave instead. Those that stay are on probation until they are used
// again; then they are protected.
//
// The order of a list is that of a clock: a payload that was used since it was last looked
// at goes to the front when it reaches the end. Records stay when payloads leave, so how
// often a tile was used is counted exactly, for absent tiles too; counts halve as time goes
// by.
type tinyLFU struct {
	links
	hits   func(uint32) uint32
	bytes  [3]int64 // of the lists
	most   [3]int64 // of the window and of what is protected
	count  int
	adds   int
	epoch  uint32 // counts halve in each
	budget int64
}

const (
	window uint32 = iota
	probation
	protected
)

// Parts of the budget, and how many payloads come before counts halve, for each that is
// there.
const (
	windowPart    = 100
	protectedPart = 0.8
	halfLife      = 8
	mostFrequent  = 60
)

// TinyLFU returns the default policy: a window of recency before a cache by frequency
// (Einziger, Friedman and Manes, "TinyLFU", 2017).
func TinyLFU(budget int64, hits func(id uint32) uint32) Policy {
	t := &tinyLFU{links: newLinks(3), hits: hits, budget: budget}
	t.most[window] = budget / windowPart
	t.most[protected] = int64(float64(budget-t.most[window]) * protectedPart)
	return t
}

// frequency returns how often a record was used lately.
func (t *tinyLFU) frequency(id uint32) uint32 {
	n := t.at(id)
	if age := t.epoch - n.when; age > 0 {
		n.uses >>= min(age, 31)
		n.when = t.epoch
	}
	return n.uses
}

// used adds the hits of a record to its frequency and reports whether there were any.
func (t *tinyLFU) used(id uint32) bool {
	h := t.hits(id)
	if h > 0 {
		t.at(id).uses = min(t.frequency(id)+h, mostFrequent)
	}
	return h > 0
}

// move puts a record at the front of a list.
func (t *tinyLFU) move(list, id uint32) {
	n := t.at(id)
	t.bytes[n.list] -= int64(n.bytes)
	t.bytes[list] += int64(n.bytes)
	t.push(list, id)
}

func (t *tinyLFU) Add(id uint32, bytes int64) {
	t.hits(id) // of before it came
	t.at(id).uses = min(t.frequency(id)+1, mostFrequent)
	t.at(id).bytes = uint32(bytes)
	t.push(window, id)
	t.bytes[window] += bytes
	t.count++
	if t.adds++; t.adds > halfLife*t.count {
		t.adds = 0
		t.epoch++
	}
}

func (t *tinyLFU) Evict(leave func(uint32) bool) bool {
	for range 4 * t.count {
		candidate, contest := t.candidate()
		victim, ok := t.victim()
		switch {
		case contest && !ok, contest && t.frequency(candidate) > t.frequency(victim):
			t.move(probation, candidate)
			if !ok {
				continue
			}
		case contest:
			victim = candidate
		case !ok:
			return false
		}
		if leave(victim) {
			t.Remove(victim)
			return true
		}
		t.move(t.at(victim).list, victim)
	}
	return t.any(leave)
}

// any evicts any payload that is not pinned.
func (t *tinyLFU) any(leave func(uint32) bool) bool {
	for list := range t.lists {
		for i := t.nodes[list].prev; i != list; i = t.nodes[i].prev {
			if id := i - t.lists; leave(id) {
				t.Remove(id)
				return true
			}
		}
	}
	return false
}

// candidate returns the payload at the end of the window if that is too large.
func (t *tinyLFU) candidate() (uint32, bool) {
	for t.bytes[window] > t.most[window] {
		id, _ := t.last(window)
		if !t.used(id) {
			return id, true
		}
		if t.bytes[probation]+t.bytes[protected] > t.budget-t.most[window] {
			t.move(window, id)
			continue
		}
		t.move(probation, id)
	}
	return 0, false
}

// victim returns the payload that is on probation longest and was not used.
func (t *tinyLFU) victim() (uint32, bool) {
	for {
		id, ok := t.last(probation)
		if !ok {
			if id, ok = t.last(protected); !ok {
				return t.last(window)
			}
			t.used(id)
			t.move(probation, id)
			continue
		}
		if !t.used(id) {
			return id, true
		}
		t.move(protected, id)
		for t.bytes[protected] > t.most[protected] {
			old, _ := t.last(protected)
			if t.used(old) {
				t.move(protected, old)
				continue
			}
			t.move(probation, old)
		}
	}
}

func (t *tinyLFU) Remove(id uint32) {
	n := t.at(id)
	t.bytes[n.list] -= int64(n.bytes)
	t.take(id)
	t.count--
}

func (t *tinyLFU) Forget(id uint32) {
	n := t.at(id)
	n.uses, n.when = 0, t.epoch
}
