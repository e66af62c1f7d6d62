package tile

import "math"

// tinyLFU is W-TinyLFU for a cache that keeps its records and whose hits take no lock of
// the policy.
//
// A new payload comes into the window. The oldest of the window is compared with the worst
// of the oldest on probation, by uses for each square root of bytes: a large payload must
// be used more often. The worse one leaves, the better one is on probation. What is used on
// probation is protected.
//
// A hit only marks the record. The policy sees the mark when the payload is the oldest of
// its list: it counts it and gives the payload another round. Each record has its own
// count, which is halved as time goes by, so that there is no sketch to collide in.
//
// The window grows when a tile is asked for again that went from it lately, and shrinks
// when it went from the main part lately. Lately is within a twentieth of the budget, by
// the bytes that went from either: what that part would hold if it were so much larger.
type tinyLFU struct {
	lists
	used    func(uint32) bool
	budget  int64
	most    int64 // bytes of the window
	step    int64 // how fast it changes
	held    int   // payloads
	counted int   // uses since the last halving, and half of those before it
	age     uint16
	gone    [2]int64 // bytes that went from the window, and from the main part
}

const (
	window uint8 = iota
	probation
	protected
)

// Parts of the budget are divisors. The numbers lose nothing on any trace of the benchmark
// "tiles".
const (
	mostCount     = 15
	halfLife      = 20 // uses for each payload
	leastUses     = 1000
	samples       = 4 // of the oldest on probation
	leastWindow   = 400
	protectedPart = 80 // percent of the main part
	ghostPart     = 20
	slack         = 32 // payloads that the main part may lack
	slackPart     = 12 // but no more than this part of the budget
)

// TinyLFU returns the default policy: recency before frequency, after Einziger, Friedman
// and Manes, "TinyLFU: a highly efficient cache admission policy", 2017.
func TinyLFU(budget int64, used func(id uint32) bool) Policy {
	return &tinyLFU{lists: newLists(3), used: used, budget: budget, most: budget / leastWindow, step: 1}
}

// WideTinyLFU returns TinyLFU with a window that begins with half of the budget and changes
// four times as fast. It is for readers that go through worlds in an order: they need what
// they read last, and they are done before a small window would have grown.
func WideTinyLFU(budget int64, used func(id uint32) bool) Policy {
	return &tinyLFU{lists: newLists(3), used: used, budget: budget, most: budget / 2, step: 4}
}

func (t *tinyLFU) Add(id uint32, bytes int64) {
	t.count(id)
	t.adapt(t.at(id))
	n := t.at(id)
	n.bytes, n.root = bytes, uint16(min(math.Sqrt(float64(bytes)), math.MaxUint16))
	t.used(id) // before it came does not count
	t.push(window, id)
	t.held++
}

// adapt changes the window if a larger one, or a smaller one, would have kept the tile.
func (t *tinyLFU) adapt(n *node) {
	if n.from == noList || int64(uint32(t.gone[n.from]>>10)-n.went) >= t.budget/ghostPart>>10 {
		return
	}
	if n.from == 0 {
		t.most = min(t.most+t.step*n.bytes, t.budget/5*4)
	} else {
		t.most = max(t.most-t.step*n.bytes, t.budget/leastWindow)
	}
	n.from = noList
}

func (t *tinyLFU) Evict(leave func(uint32) bool) bool {
	for range t.held {
		id, ok := t.victim()
		if !ok {
			break
		}
		if leave(id) {
			t.Remove(id)
			return true
		}
		t.push(t.at(id).list, id) // pinned: another round
	}
	return t.evictAny(leave, t.Remove)
}

// victim returns the payload that leaves next. It finds none if all are used meanwhile.
func (t *tinyLFU) victim() (id uint32, ok bool) {
	t.fillMain()
	for rounds := t.held; ; {
		worst, any := t.worst()
		id, ok := t.oldest(window)
		switch {
		case !ok && !any: // those on probation were used
			if rounds--; rounds < 0 {
				return 0, false
			}
			t.demote(0)
		case !ok || any && t.bytes[window] < t.most:
			return worst, true
		case rounds > 0 && t.harvest(id):
			rounds--
			if any && t.better(worst, id) {
				t.push(window, id)
			} else {
				t.push(probation, id)
			}
		case !any || !t.better(id, worst):
			return id, true
		default:
			t.push(probation, id)
			return worst, true
		}
	}
}

// fillMain moves what is too much in the window to a main part that lacks more than some
// payloads. It always lacks some, because evictions make more room than one payload needs;
// their places are to be won by comparison.
func (t *tinyLFU) fillMain() {
	lacks := t.budget - t.most - t.bytes[probation] - t.bytes[protected]
	lacks -= min(slack*(t.bytes[window]+t.bytes[probation]+t.bytes[protected])/int64(max(t.held, 1)), t.budget/slackPart)
	for t.bytes[window] > t.most && lacks > 0 {
		id, _ := t.oldest(window)
		lacks -= t.at(id).bytes
		t.push(probation, id)
	}
}

// worst returns the worst of the oldest on probation that were not used. Those that were
// it protects. It takes from those that are protected when there are no others.
func (t *tinyLFU) worst() (worst uint32, any bool) {
	if _, ok := t.oldest(probation); !ok {
		t.demote(0)
	}
	end := t.first + uint32(probation)
	i := t.all[end].newer
	for n := 0; n < samples && i != end; {
		id, next := i-t.ends, t.all[i].newer
		if t.harvest(id) {
			t.push(protected, id)
			t.demote((t.budget - t.most) / 100 * protectedPart)
			if next == end && !any {
				next = t.all[end].newer // what demote brought
			}
		} else {
			if !any || t.better(worst, id) {
				worst, any = id, true
			}
			n++
		}
		i = next
	}
	return worst, any
}

// demote puts the oldest of those that are protected on probation until they have so many
// bytes at most; if that is 0, one of them. What was used gets another round first.
func (t *tinyLFU) demote(most int64) {
	for rounds := t.held; t.bytes[protected] > most; {
		id, _ := t.oldest(protected)
		if rounds > 0 && t.harvest(id) {
			rounds--
			t.push(protected, id)
			continue
		}
		t.push(probation, id)
		if most == 0 {
			return
		}
	}
}

func (t *tinyLFU) Remove(id uint32) {
	n := t.at(id)
	n.from = 1
	if n.list == window {
		n.from = 0
	}
	t.gone[n.from] += n.bytes
	n.went = uint32(t.gone[n.from] >> 10)
	t.take(id)
	t.held--
}

func (t *tinyLFU) Forget(id uint32) {
	n := t.at(id)
	n.from, n.count = noList, 0
}

// harvest takes the mark of a use away and counts it.
func (t *tinyLFU) harvest(id uint32) bool {
	if !t.used(id) {
		return false
	}
	t.count(id)
	return true
}

func (t *tinyLFU) count(id uint32) {
	n := t.at(id)
	n.count = min(t.uses(n)+1, mostCount)
	n.age = t.age
	if t.counted++; t.counted > max(leastUses, halfLife*t.held) {
		t.counted /= 2
		t.age++
	}
}

// uses returns the count of a record, halved as often as is due.
func (t *tinyLFU) uses(n *node) uint8 { return n.count >> min(t.age-n.age, 8) }

// better reports whether a has more uses for its size than b.
func (t *tinyLFU) better(a, b uint32) bool {
	m, n := t.at(a), t.at(b)
	return int(t.uses(m))*int(n.root) > int(t.uses(n))*int(m.root)
}
