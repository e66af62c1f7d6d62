package tile

// Worker is the microcache of one goroutine: handles of the tiles that it used last, found
// without a lock. The goroutine passes it to Get. The zero Worker keeps nothing; see
// NewWorker. Its tiles are pinned, so a worker with many slots keeps others out of a small
// budget.
type Worker[K Key] struct {
	c     *Cache[K]
	slots []slot[K]
	hand  uint8
	items [ways]*Item[K] // used last, newest first

	requests, hits int64
	counted        [2]int64 // of these, what c has counted
}

// slot is a tile of a Worker.
type slot[K Key] struct {
	key   K
	p     *payload
	users int // handles that the worker gave out
}

// ways is how many slots a key may lie in.
const ways = 4

// NewWorker returns a Worker with so many slots. More than 4 are rounded up to a power of
// two. Close it.
func (c *Cache[K]) NewWorker(slots int) *Worker[K] {
	n := slots
	if n > ways {
		for n = 2 * ways; n < slots; n *= 2 {
		}
	}
	return &Worker[K]{c: c, slots: make([]slot[K], max(n, 0))}
}

// set returns the slots that a key may lie in.
func (w *Worker[K]) set(key K) []slot[K] {
	if len(w.slots) <= ways {
		return w.slots
	}
	at := int(key.Hash()) & (len(w.slots)/ways - 1) * ways
	return w.slots[at:][:ways]
}

// Item returns the item of a name, as Items.Item does. The Worker, which may be nil, finds those that
// it used last without a look at the others.
func (w *Worker[K]) Item(s *Items[K], name string) *Item[K] {
	if w == nil {
		return s.Item(name)
	}
	for _, i := range w.items {
		if i != nil && i.name == name && i.of == s {
			return i
		}
	}
	copy(w.items[1:], w.items[:])
	w.items[0] = s.Item(name)
	return w.items[0]
}

func (w *Worker[K]) get(key K) (Handle, bool) {
	if w.requests++; w.requests%1024 == 0 {
		w.count()
	}
	set := w.set(key)
	for i := range set {
		if s := &set[i]; s.key == key && s.p != nil && !s.p.stale.Load() {
			w.hits++
			use(s.p.used)
			s.users++
			return Handle{p: s.p, users: &s.users}, true
		}
	}
	return Handle{}, false
}

// keep puts the payload of a handle into a slot, which takes over its pin, and returns the
// handle that the caller releases.
func (w *Worker[K]) keep(key K, h Handle) Handle {
	set := w.set(key)
	for range set {
		w.hand++
		s := &set[int(w.hand)%len(set)]
		if s.users > 0 {
			continue
		}
		s.drop()
		s.key, s.p, s.users = key, h.p, 1
		return Handle{p: h.p, users: &s.users}
	}
	return h
}

func (s *slot[K]) drop() {
	if s.p != nil {
		Handle{p: s.p}.Release()
		s.p = nil
	}
}

// flush empties the slots that nobody uses and reports whether there were any.
func (w *Worker[K]) flush() (any bool) {
	for i := range w.slots {
		s := &w.slots[i]
		if s.p != nil && s.users == 0 {
			s.drop()
			any = true
		}
	}
	return any
}

// Close gives back the tiles and adds the Worker's counts to those of the Cache. All its
// handles must have been released.
func (w *Worker[K]) Close() {
	w.flush()
	w.count()
}

// count adds what is new in the Worker's counts to those of the Cache.
func (w *Worker[K]) count() {
	w.c.microRequests.Add(w.requests - w.counted[0])
	w.c.microHits.Add(w.hits - w.counted[1])
	w.counted = [2]int64{w.requests, w.hits}
}
