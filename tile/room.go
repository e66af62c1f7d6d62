package tile

import (
	"bytes"
	"fmt"

	"github.com/zeebo/xxh3"
)

// reserve takes room for need bytes of a purpose. It evicts payloads if there is none.
func (c *Cache[K]) reserve(need int64, purpose int) error {
	if need > c.o.Budget {
		return fmt.Errorf("tile: %d bytes within a budget of %d: %w", need, c.o.Budget, ErrOversize)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		if c.closed {
			return fmt.Errorf("tile: %w", ErrClosed)
		}
		if c.take(need) {
			return nil
		}
		switch victims := c.evict(need, purpose); {
		case len(victims) > 0:
			c.pack(victims)
		case c.take(need): // payloads left without being packed
			return nil
		case c.moving > 0:
			c.moved.Wait()
		default:
			return fmt.Errorf("tile: room for %d bytes within a budget of %d: %w", need, c.o.Budget, ErrPinned)
		}
	}
}

// take takes room if there is some. The caller has mu; only release makes room without it.
func (c *Cache[K]) take(need int64) bool {
	if c.used.Load()+need > c.o.Budget {
		return false
	}
	c.used.Add(need)
	return true
}

// overPart is the part of the budget that Options.Over may keep empty, as a divisor.
const overPart = 64

// evict makes payloads leave until there is Over times the room that is needed. It frees
// them, or returns them if they are to be packed. The caller has mu.
func (c *Cache[K]) evict(need int64, purpose int) (victims []victim) {
	more := min(int64(float64(need)*(c.o.Over-1)), c.o.Budget/overPart)
	want := min(need+max(more, 0), c.o.Budget)
	c.leaving, c.leavingBytes = nil, 0
	for c.used.Load()-c.leavingBytes+want > c.o.Budget && c.evictOne(need, purpose) {
	}
	return c.leaving
}

// tryLeave evicts a payload, unless it is pinned. One that is to be packed is added to
// c.leaving. The caller has mu.
func (c *Cache[K]) tryLeave(id uint32) bool {
	v, ok := c.leave(id)
	if !ok {
		return false
	}
	c.evictions++
	c.evicted = id
	if v.p == nil {
		return true
	}
	if c.o.Packed > 0 && v.p.bytes != nil && c.record(id).packed == nil {
		c.leaving = append(c.leaving, v)
		c.leavingBytes += v.p.size
	} else {
		v.p.free(v.p)
	}
	return true
}

// evictOne evicts a payload of the purpose that is furthest above its share, if the need
// is counted too. If all of that are pinned it is another purpose's turn.
func (c *Cache[K]) evictOne(need int64, purpose int) bool {
	if len(c.purposes) == 1 {
		return c.evictFrom(0)
	}
	tried := make([]bool, len(c.purposes))
	for {
		worst, over := -1, int64(0)
		for i := range c.purposes {
			p := &c.purposes[i]
			used := p.used - p.share
			if i == purpose {
				used += need
			}
			if !tried[i] && (worst < 0 || used > over) {
				worst, over = i, used
			}
		}
		if worst < 0 {
			return false
		}
		if c.evictFrom(worst) {
			return true
		}
		tried[worst] = true
	}
}

// evictFrom evicts a payload of a purpose. Its record is idle once the policy has no more to say.
func (c *Cache[K]) evictFrom(purpose int) bool {
	ok := c.purposes[purpose].Evict(c.tryLeaveFunc)
	if ok {
		c.idle.push(0, c.evicted)
	}
	return ok
}

// victim is a payload that left a record. Who has it frees it.
type victim struct {
	p    *payload
	id   uint32
	hash uint64
	left uint32 // record.left, to know the record again
}

// leave takes the payload from a record, unless it is pinned. A payload that other records
// share stays: v.p is nil then. The caller has mu.
func (c *Cache[K]) leave(id uint32) (v victim, ok bool) {
	r := c.record(id)
	hash := r.key.Hash()
	s := c.shard(hash)
	s.mu.Lock()
	defer s.mu.Unlock()
	p := r.payload
	if p.owners > 1 {
		c.part(id)
		return v, true
	}
	if pins := p.pins.Load(); pinned(pins) || !p.pins.CompareAndSwap(pins, pins+life) { // nobody else may free it
		return v, false
	}
	c.part(id)
	return victim{p, id, hash, r.left}, true
}

// part takes the payload from a record. If no other record has the payload, the caller
// frees it. A record that was not idle is so when its policy has let go of it. The caller
// has mu and the shard's lock.
func (c *Cache[K]) part(id uint32) {
	r := c.record(id)
	p := r.payload
	r.payload = nil
	c.left++
	r.left = c.left
	p.owners--
	if p.one.size > 0 {
		c.constants--
		return
	}
	c.payloads--
	c.purposes[r.purpose].used -= p.size
	if p.owners == 0 {
		if p.sum != 0 {
			delete(c.shared, p.sum)
		}
		p.gone.Store(true)
	} else {
		c.instances--
	}
}

// instance returns the payload with the same bytes that another record has, and drops p;
// or p. The caller has mu.
func (c *Cache[K]) instance(p *payload) *payload {
	if !c.o.Instances || p.bytes == nil || p.sum != 0 {
		return p
	}
	sum := max(1, xxh3.Hash(p.bytes))
	other := c.shared[sum]
	switch {
	case other == nil:
		p.sum = sum
		c.shared[sum] = p
	case bytes.Equal(other.bytes, p.bytes):
		c.giveBack(p.bytes)
		return other
	}
	return p
}

// remember returns the record of a key, with the shard's lock. It makes one if there is none.
// If there are as many records as are allowed, it forgets one.
func (c *Cache[K]) remember(s *shard[K], hash uint64, key K) (uint32, *record[K], error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return 0, nil, fmt.Errorf("tile: %w", ErrClosed)
	}
	id, ok := c.slab.fresh()
	if !ok {
		if id, ok = c.forgetOne(); !ok {
			return 0, nil, fmt.Errorf("tile: %d records, all in use by handles or being read: %w", c.slab.count, ErrPinned)
		}
	}
	s.mu.Lock()
	if other, r := s.find(c, hash, key); r != nil {
		c.slab.free = append(c.slab.free, id)
		return other, r, nil
	}
	r := c.record(id)
	r.key, r.packed = key, nil
	r.read = c.ghosts.take(key, hash)
	s.insert(uint32(hash), id)
	c.idle.push(0, id)
	return id, r, nil
}

// forgetOne takes a record that nobody uses out of the table and returns its number: the one
// without a payload for longest, or else one whose payload is evicted for that. The caller has
// mu.
func (c *Cache[K]) forgetOne() (id uint32, ok bool) {
	for {
		if id, ok = c.forgetIdle(); ok {
			return id, true
		}
		c.leaving, c.leavingBytes = nil, 0
		if !c.evictOne(0, 0) {
			return 0, false
		}
		for _, v := range c.leaving { // what is packed of a record goes with it
			v.p.free(v.p)
		}
	}
}

// spared is how many constant tiles that were used are passed over before one is forgotten.
const spared = 8

// forgetIdle forgets the oldest idle record that is not being read. The caller has mu.
func (c *Cache[K]) forgetIdle() (id uint32, ok bool) {
	first, rounds := uint32(0), 0
	for tries := 0; ; tries++ {
		if id, ok = c.idle.oldest(0); !ok {
			return 0, false
		}
		if tries == 0 {
			first = id
		} else if id == first {
			if rounds++; rounds == 2 {
				return 0, false
			}
		}
		if c.forget(id, tries < spared && rounds == 0) {
			return id, true
		}
		c.idle.push(0, id)
	}
}

// forget takes an idle record out of the table, unless it is being read, or spare is set and it is
// that of a constant tile that was used. The caller has mu.
func (c *Cache[K]) forget(id uint32, spare bool) bool {
	r := c.record(id)
	hash := r.key.Hash()
	s := c.shard(hash)
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.flight != nil || r.payload != nil && r.used.Swap(false) && spare {
		return false
	}
	if r.payload != nil {
		c.part(id)
	}
	c.left++
	r.left = c.left // who packs it now drops it
	c.idle.take(id)
	s.remove(uint32(hash), id)
	c.tier.drop(r.packed)
	r.packed = nil
	c.purposes[r.purpose].Forget(id)
	if r.read {
		c.ghosts.add(r.key, hash, c.o.Records)
	}
	c.forgotten++
	return true
}

// Invalidate forgets what is known of a tile. Who asks for it after Invalidate has returned
// gets bytes that are read from then on. Handles stay good.
func (c *Cache[K]) Invalidate(key K) {
	hash := key.Hash()
	s := c.shard(hash)
	c.mu.Lock()
	defer c.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if id, r := s.find(c, hash, key); r != nil {
		c.invalidate(id)
	}
	c.ghosts.take(key, hash)
}

// InvalidateIf invalidates all tiles whose keys fit. It goes over all records, and with
// Flat keys over all tiles that were read.
func (c *Cache[K]) InvalidateIf(fits func(K) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.Lock()
		for _, at := range s.slots {
			if at.id != 0 && fits(c.record(at.id-1).key) {
				c.invalidate(at.id - 1)
			}
		}
		s.mu.Unlock()
	}
	c.ghosts.drop(func(k Flat) bool { return fits(any(k).(K)) })
}

// invalidate empties a record, which stays in the table. The caller has mu and the shard's
// lock.
func (c *Cache[K]) invalidate(id uint32) {
	r := c.record(id)
	if f := r.flight; f != nil { // who reads it now gives it to its waiters only
		f.lost, r.flight = true, nil
	}
	c.left++
	r.left = c.left // who packs it now drops it
	r.read = false
	c.tier.drop(r.packed)
	r.packed = nil
	p := r.payload
	if p == nil {
		return
	}
	p.stale.Store(true)
	before := p.pins.Load()
	c.part(id)
	if p.one.size > 0 {
		return
	}
	c.purposes[r.purpose].Remove(id)
	c.idle.push(0, id)
	if pins := p.pins.Load(); pins/life == before/life && !pinned(pins) && p.gone.Load() { // else who had the last pin has freed it
		p.drop(pins)
	}
}

// Close drops everything. It returns an error if handles pin payloads. Get fails from then
// on; handles stay good.
func (c *Cache[K]) Close() error {
	c.InvalidateIf(func(K) bool { return true })
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.moved.Broadcast()
	if n := c.used.Load(); n > 0 {
		return fmt.Errorf("tile: close: handles of %d bytes are not released", n)
	}
	return nil
}
