package tile

// tinyLFU keeps what is used most. A new payload comes into the window. At the window's end
// it is compared with a payload of the main part, and the one that was used less leaves.
// In the main part payloads are on probation until they are used again; then they are
// protected.
//
// The order of a list is that of a clock: whether a payload was used is seen when it
// reaches the end of its list. It then counts as one use and goes on to where an exact
// list would have it. Records stay when payloads leave, so uses are counted without a
// sketch, for absent tiles too. Counts halve as time goes by.
//
// A payload competes by the square of its count for each byte: a large one must be used
// more often.
//
// The window grows when a payload comes back that left it lately, and shrinks when one
// comes back that left the main part lately. Lately is within a part of the budget, counted
// for each of them: what it would hold if it were so much larger.
type tinyLFU struct {
	links
	hits   func(uint32) uint32
	budget int64
	window int64 // bytes of the window that are aimed at
	bytes  [3]int64
	gone   [2]int64 // bytes that left the window, and the main part
	count  int      // payloads
	uses   int      // since counts halved last, and half of those before
	epoch  uint16   // counts halve in each
}

const (
	window uint32 = iota
	probation
	protected
)

// leftWindow and leftMain say where the payload of a record left.
const (
	leftWindow uint8 = iota + 1
	leftMain
)

// The measurement "tiles" of the module bench found these.
const (
	leastWindow   = 400 // one part of the budget in so many
	mostWindow    = .8
	protectedPart = .8
	latelyPart    = 20 // one part of the budget in so many
	free          = 32 // payloads for which the main part may lack bytes
	samples       = 4  // payloads at the end of probation that are compared
	halfLife      = 20 // uses before counts halve, for each payload
	leastHalfLife = 1000
	mostUsed      = 15
)

// TinyLFU returns the default policy: a window of recency before a cache by frequency
// (Einziger, Friedman and Manes, "TinyLFU", 2017).
func TinyLFU(budget int64, hits func(id uint32) uint32) Policy {
	return &tinyLFU{links: newLinks(3), hits: hits, budget: budget, window: budget / leastWindow}
}

// used counts one use of a record.
func (t *tinyLFU) used(id uint32) {
	n := t.at(id)
	n.count, n.epoch = min(t.frequency(n)+1, mostUsed), t.epoch
	if t.uses++; t.uses > max(leastHalfLife, halfLife*t.count) {
		t.uses /= 2
		t.epoch++
	}
}

// frequency returns how often a record was used lately.
func (t *tinyLFU) frequency(n *node) uint8 { return n.count >> min(t.epoch-n.epoch, 8) }

// touched counts a use if there were any since the last call.
func (t *tinyLFU) touched(id uint32) bool {
	if t.hits(id) == 0 {
		return false
	}
	t.used(id)
	return true
}

// better reports whether id is worth more than other.
func (t *tinyLFU) better(id, other uint32) bool {
	a, b := t.at(id), t.at(other)
	i, j := uint64(t.frequency(a)), uint64(t.frequency(b))
	return i*i*uint64(b.bytes) > j*j*uint64(a.bytes)
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
	n := t.at(id)
	t.adapt(n)
	n.bytes = uint32(bytes)
	t.push(window, id)
	t.bytes[window] += bytes
	t.count++
	t.used(id)
}

// adapt changes the window if a larger one, or a smaller one, would have kept a payload.
func (t *tinyLFU) adapt(n *node) {
	if n.left == 0 {
		return
	}
	since := uint32(t.gone[n.left-1]>>10) - n.when
	switch {
	case int64(since) >= t.budget/latelyPart>>10:
	case n.left == leftWindow:
		t.window = min(t.window+int64(n.bytes), int64(mostWindow*float64(t.budget)))
	default:
		t.window = max(t.window-int64(n.bytes), t.budget/leastWindow)
	}
	n.left = 0
}

func (t *tinyLFU) Evict(leave func(uint32) bool) bool {
	t.fillMain()
	for range 4 * t.count {
		victim, ok := t.victim()
		if !ok {
			continue
		}
		if leave(victim) {
			t.leave(victim)
			return true
		}
		t.goOn(victim)
	}
	return t.any(leave)
}

// fillMain moves what is too much in the window to a main part that has room for more than
// some payloads. It always has room for some, because evictions make more room than one
// payload needs; their places are to be won by comparison.
func (t *tinyLFU) fillMain() {
	main := t.bytes[probation] + t.bytes[protected]
	main += free * (main + t.bytes[window]) / int64(max(t.count, 1))
	for t.bytes[window] > t.window && main < t.budget-t.window {
		id, _ := t.last(window)
		main += int64(t.at(id).bytes)
		t.move(probation, id)
	}
}

// any evicts any payload that is not pinned.
func (t *tinyLFU) any(leave func(uint32) bool) bool {
	for list := range t.lists {
		for i := t.nodes[list].prev; i != list; i = t.nodes[i].prev {
			if id := i - t.lists; leave(id) {
				t.leave(id)
				return true
			}
		}
	}
	return false
}

// leave removes the payload of a record and remembers when that was.
func (t *tinyLFU) leave(id uint32) {
	n := t.at(id)
	n.left = leftMain
	if n.list == window {
		n.left = leftWindow
	}
	gone := &t.gone[n.left-1]
	*gone += int64(n.bytes)
	n.when = uint32(*gone >> 10)
	t.Remove(id)
}

// victim returns the payload to leave. It reports false if it moved payloads on instead,
// because they were used.
func (t *tinyLFU) victim() (uint32, bool) {
	id, contest := t.last(window)
	main, ok := t.worst()
	switch {
	case !contest, ok && t.bytes[window] < t.window:
		return main, ok
	case t.touched(id):
		if ok && t.better(main, id) {
			t.move(window, id)
		} else {
			t.move(probation, id)
		}
		return 0, false
	case !ok || !t.better(id, main):
		return id, true
	}
	t.move(probation, id)
	return main, true
}

// worst returns the worst of the payloads that are on probation longest and were not used.
// Those that were used it protects.
func (t *tinyLFU) worst() (worst uint32, ok bool) {
	id, any := t.last(probation)
	if !any {
		if id, any = t.last(protected); !any {
			return 0, false
		}
		t.move(probation, id)
	}
	for n := 0; n < samples; {
		newer := t.at(id).prev
		switch {
		case t.touched(id):
			t.goOn(id)
		default:
			if !ok || t.better(worst, id) {
				worst, ok = id, true
			}
			n++
		}
		if newer == probation {
			return worst, ok
		}
		id = newer - t.lists
	}
	return worst, ok
}

// goOn moves a payload that is in use: from the window to its front, from the main part to
// the front of what is protected.
func (t *tinyLFU) goOn(id uint32) {
	if t.at(id).list == window {
		t.move(window, id)
		return
	}
	t.move(protected, id)
	for t.bytes[protected] > int64(protectedPart*float64(t.budget-t.window)) {
		old, _ := t.last(protected)
		if old != id && t.touched(old) {
			t.move(protected, old)
			continue
		}
		t.move(probation, old)
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
	n.count, n.left = 0, 0
}
