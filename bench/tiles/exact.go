package tiles

import "github.com/cairnvoxel/cairn/tile"

// none is no record.
const none = -1

// order is a policy that is told each hit and keeps exact lists.
type order interface {
	Hit(id uint32)
	Add(id uint32, bytes int64)
	Forget(id uint32)
	victim() int32
	removed(id int32)
}

// exact makes a tile.Policy of an order. No payload may be pinned.
type exact struct{ order }

func (e exact) Evict(leave func(uint32) bool) bool {
	i := e.victim()
	if i == none {
		return false
	}
	leave(uint32(i))
	e.removed(i)
	return true
}

func (e exact) Remove(id uint32) { e.removed(int32(id)) }

// lists are lists of records, each of which is in one at most.
type lists struct {
	nodes []node
	ends  [3]ends
}

type node struct {
	newer, older int32
	list         int8 // none or its list
	bytes        int64
}

// ends are the newest and the oldest record of a list.
type ends struct {
	newest, oldest int32
	bytes          int64
}

func newLists() lists {
	var l lists
	for i := range l.ends {
		l.ends[i] = ends{newest: none, oldest: none}
	}
	return l
}

// push makes i, which is in no list, the newest of a list.
func (l *lists) push(list int8, i int32) {
	n, e := &l.nodes[i], &l.ends[list]
	n.list, n.newer, n.older = list, none, e.newest
	if e.newest == none {
		e.oldest = i
	} else {
		l.nodes[e.newest].newer = i
	}
	e.newest = i
	e.bytes += n.bytes
}

// take takes i out of its list.
func (l *lists) take(i int32) {
	n := &l.nodes[i]
	e := &l.ends[n.list]
	if n.newer == none {
		e.newest = n.older
	} else {
		l.nodes[n.newer].older = n.older
	}
	if n.older == none {
		e.oldest = n.newer
	} else {
		l.nodes[n.older].newer = n.newer
	}
	e.bytes -= n.bytes
	n.list = none
}

// move makes i the newest of a list.
func (l *lists) move(list int8, i int32) {
	l.take(i)
	l.push(list, i)
}

// add makes i the newest of a list, with a payload of so many bytes.
func (l *lists) add(list int8, id uint32, bytes int64) {
	for int(id) >= len(l.nodes) {
		l.nodes = append(l.nodes, node{list: none})
	}
	l.nodes[id].bytes = bytes
	l.push(list, int32(id))
}

func (l *lists) oldest(list int8) int32 { return l.ends[list].oldest }
func (l *lists) bytes(list int8) int64  { return l.ends[list].bytes }
func (l *lists) removed(i int32)        { l.take(i) }
func (l *lists) Forget(uint32)          {}

// lru drops the least recently used payload.
type lru struct{ lists }

// LRU is an exact tile.NewPolicy for Simulate.
func LRU(int64, func(uint32) bool) tile.Policy { return exact{&lru{newLists()}} }

func (p *lru) Hit(id uint32)              { p.move(0, int32(id)) }
func (p *lru) Add(id uint32, bytes int64) { p.add(0, id, bytes) }
func (p *lru) victim() int32              { return p.oldest(0) }

// markedClock is the article's: a hit marks, so does a read, and a marked payload gets another
// round.
type markedClock struct {
	lists
	marks []bool
}

// MarkedClock is an exact tile.NewPolicy for Simulate.
func MarkedClock(int64, func(uint32) bool) tile.Policy {
	return exact{&markedClock{lists: newLists()}}
}

func (p *markedClock) Hit(id uint32) { p.marks[id] = true }

func (p *markedClock) Add(id uint32, bytes int64) {
	p.add(0, id, bytes)
	for len(p.marks) < len(p.nodes) {
		p.marks = append(p.marks, false)
	}
	p.marks[id] = true
}

func (p *markedClock) victim() int32 {
	for p.oldest(0) != none && p.marks[p.oldest(0)] {
		p.marks[p.oldest(0)] = false
		p.move(0, p.oldest(0))
	}
	return p.oldest(0)
}

// sieve keeps the order of arrival; a hand goes from the oldest to the newest.
type sieve struct {
	markedClock
	hand int32
}

// Sieve is an exact tile.NewPolicy for Simulate.
func Sieve(int64, func(uint32) bool) tile.Policy {
	return exact{&sieve{markedClock{lists: newLists()}, none}}
}

func (p *sieve) Add(id uint32, bytes int64) {
	p.markedClock.Add(id, bytes)
	p.marks[id] = false
}

func (p *sieve) victim() int32 {
	i := p.hand
	for {
		if i == none {
			if i = p.oldest(0); i == none {
				return none
			}
		}
		if !p.marks[i] {
			p.hand = i
			return i
		}
		p.marks[i] = false
		i = p.nodes[i].newer
	}
}

func (p *sieve) removed(i int32) {
	if p.hand == i {
		p.hand = p.nodes[i].newer
	}
	p.take(i)
}
