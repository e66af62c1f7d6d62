package tile

// A Policy decides which payload leaves. It knows records by number. All its calls are
// made under one lock, so it needs none. A hit calls no method of it: the cache counts
// hits of each record, and the Policy asks for them.
type Policy interface {
	// Add says that record id got a payload of so many bytes. The record may have had
	// one before.
	Add(id uint32, bytes int64)
	// Evict calls leave for records with a payload, the one that is missed least first,
	// until one may leave, and reports whether one did. leave returns false for a
	// payload that is pinned.
	Evict(leave func(id uint32) bool) bool
	// Remove says that the payload of record id left for another reason.
	Remove(id uint32)
	// Forget says that record id is that of another tile from now on. It has no
	// payload.
	Forget(id uint32)
}

// NewPolicy makes a Policy for payloads of up to budget bytes. hits returns how often a
// record was used since it was last called for the record, at most 15.
type NewPolicy func(budget int64, hits func(id uint32) uint32) Policy

// links are doubly linked lists of records. A record is in one list at most. The number of
// a list is that of its head: lists come first, records after them.
type links struct {
	nodes []node
	lists uint32
}

type node struct {
	next, prev uint32
	list       uint32 // noList: in none
	bytes      uint32
	// The others are the policy's own: how often the record was used, and until when;
	// where and when its payload left.
	count, left uint8
	epoch       uint16
	when        uint32
}

const noList = ^uint32(0)

// newLinks returns so many empty lists.
func newLinks(lists int) links {
	l := links{nodes: make([]node, lists, lists+16), lists: uint32(lists)}
	for i := range l.nodes {
		l.nodes[i] = node{next: uint32(i), prev: uint32(i), list: noList}
	}
	return l
}

// at returns the node of a record.
func (l *links) at(id uint32) *node {
	for uint32(len(l.nodes)) <= id+l.lists {
		l.nodes = append(l.nodes, node{list: noList})
	}
	return &l.nodes[id+l.lists]
}

// push puts a record at the front of a list.
func (l *links) push(list, id uint32) {
	l.take(id)
	n, i := l.at(id), id+l.lists
	n.list, n.prev, n.next = list, list, l.nodes[list].next
	l.nodes[n.next].prev = i
	l.nodes[list].next = i
}

// take takes a record out of its list.
func (l *links) take(id uint32) {
	n := l.at(id)
	if n.list == noList {
		return
	}
	l.nodes[n.prev].next, l.nodes[n.next].prev = n.next, n.prev
	n.list = noList
}

// last returns the record at the end of a list.
func (l *links) last(list uint32) (id uint32, ok bool) {
	i := l.nodes[list].prev
	return i - l.lists, i != list
}
