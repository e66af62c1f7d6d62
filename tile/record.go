package tile

import (
	"sync"
	"sync/atomic"
)

// record is what the cache knows of a tile. Its shard's lock guards it, but for used.
type record[K Key] struct {
	key     K
	payload *payload    // nil: not here
	flight  *flight     // nil: nobody reads it
	packed  *packed     // nil: not in the compressed tier
	used    atomic.Bool // since the policy last asked
	left    uint32      // when its payload left last, by the cache's count
	purpose uint8
	read    bool // before
}

// use marks a record as used. Most records that are used have the mark already and are not
// written to.
func use(mark *atomic.Bool) {
	if !mark.Load() {
		mark.CompareAndSwap(false, true)
	}
}

// flight is the state of a record whose tile is being read.
type flight struct {
	waiters int
	done    chan struct{} // closed when p is set; nil without waiters
	turn    chan struct{} // has an element while nobody reads: who takes it reads
	p       *payload      // pinned for each waiter
	lost    bool          // the record was invalidated, and may be another key's in another shard
}

// shard is a part of the table of records with a lock of its own.
type shard[K Key] struct {
	mu    sync.Mutex
	slots []place
	count int
	shardCounts
	_ [64]byte // the next shard's lock is in another line of the processor's cache
}

// place is a slot of the table: the low half of the hash, and the record's number plus
// one. 0 is an empty slot.
type place struct{ tag, id uint32 }

// find returns the number of the record of a key.
func (s *shard[K]) find(c *Cache[K], hash uint64, key K) (uint32, *record[K]) {
	tag := uint32(hash)
	for i := bucketOf(tag, len(s.slots)); ; i++ {
		if i == len(s.slots) {
			i = 0
		}
		at := s.slots[i]
		if at.id == 0 {
			return 0, nil
		}
		if at.tag == tag {
			if r := c.record(at.id - 1); r.key == key {
				return at.id - 1, r
			}
		}
	}
}

// insert adds a record that is not there.
func (s *shard[K]) insert(tag, id uint32) {
	if s.count >= len(s.slots)*3/4 {
		old := s.slots
		s.slots = make([]place, 2*len(old))
		for _, at := range old {
			if at.id != 0 {
				s.put(at)
			}
		}
	}
	s.put(place{tag, id + 1})
	s.count++
}

func (s *shard[K]) put(at place) {
	i := bucketOf(at.tag, len(s.slots))
	for s.slots[i].id != 0 {
		if i++; i == len(s.slots) {
			i = 0
		}
	}
	s.slots[i] = at
}

// remove takes a record out of the table and moves up those that had to go behind it.
func (s *shard[K]) remove(tag, id uint32) {
	n := len(s.slots)
	i := bucketOf(tag, n)
	for s.slots[i].id != id+1 {
		i = (i + 1) % n
	}
	for j := (i + 1) % n; s.slots[j].id != 0; j = (j + 1) % n {
		home := bucketOf(s.slots[j].tag, n)
		if (j-home+n)%n >= (j-i+n)%n { // its home is at i or before
			s.slots[i] = s.slots[j]
			i = j
		}
	}
	s.slots[i] = place{}
	s.count--
}

// slab has the records by number. They do not move.
type slab[K Key] struct {
	pages atomic.Pointer[[]*[slabPage]record[K]] // grows under the cache's lock
	most  int
	count int      // of records that were ever made; needs the cache's lock
	free  []uint32 // needs the cache's lock
}

const slabPage = 64

func (s *slab[K]) record(id uint32) *record[K] { return &(*s.pages.Load())[id/slabPage][id%slabPage] }

// fresh returns the number of a record that nobody uses. It reports false if there are as
// many as are allowed.
func (s *slab[K]) fresh() (uint32, bool) {
	if n := len(s.free); n > 0 {
		id := s.free[n-1]
		s.free = s.free[:n-1]
		return id, true
	}
	if s.count >= s.most {
		return 0, false
	}
	if s.count%slabPage == 0 {
		var pages []*[slabPage]record[K]
		if old := s.pages.Load(); old != nil {
			pages = *old
		}
		pages = append(pages, new([slabPage]record[K])) // readers of the old slice see no more than its length
		s.pages.Store(&pages)
	}
	s.count++
	return uint32(s.count - 1), true
}
