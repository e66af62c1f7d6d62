package tile

// A Policy decides which payload leaves. It knows records by number. All its calls are
// made under one lock, so it needs none. A hit calls no method of it: it marks the record,
// and the Policy asks for the mark.
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

// NewPolicy makes a Policy for payloads of up to budget bytes. used reports whether a
// record was used since it was last called for the record.
type NewPolicy func(budget int64, used func(id uint32) bool) Policy

// lists are doubly linked lists of records, newest first. A record is in one list at most.
// Their links are numbers in one array: no operation allocates, but for a new record, and
// the garbage collector has nothing to follow.
type lists struct {
	nodes []node // those of the lists' ends come first
	ends  uint32
	bytes [maxLists]int64
}

const maxLists = 3

// node is what a policy knows of a record, whether its payload is there or not.
type node struct {
	older, newer uint32
	bytes        int64
	went         uint32 // what had gone, in KiB, when its payload went
	root         uint16 // of bytes
	age          uint16 // of count
	list         uint8  // noList: its payload is not there
	from         uint8  // the part that its payload went from; noList: none
	count        uint8  // of uses
}

const noList = 0xFF

func newLists(n int) lists {
	l := lists{nodes: make([]node, n, n+16), ends: uint32(n)}
	for i := range l.nodes {
		l.nodes[i] = node{older: uint32(i), newer: uint32(i), list: noList}
	}
	return l
}

// at returns the node of a record.
func (l *lists) at(id uint32) *node {
	for uint32(len(l.nodes)) <= id+l.ends {
		l.nodes = append(l.nodes, node{list: noList, from: noList})
	}
	return &l.nodes[id+l.ends]
}

// push makes a record the newest of a list.
func (l *lists) push(list uint8, id uint32) {
	l.take(id)
	n, i, end := l.at(id), id+l.ends, uint32(list)
	n.list, n.newer, n.older = list, end, l.nodes[end].older
	l.nodes[n.older].newer = i
	l.nodes[end].older = i
	l.bytes[list] += n.bytes
}

// take takes a record out of its list.
func (l *lists) take(id uint32) {
	n := l.at(id)
	if n.list == noList {
		return
	}
	l.nodes[n.newer].older, l.nodes[n.older].newer = n.older, n.newer
	l.bytes[n.list] -= n.bytes
	n.list = noList
}

// oldest returns the oldest record of a list.
func (l *lists) oldest(list uint8) (id uint32, ok bool) {
	i := l.nodes[list].newer
	return i - l.ends, i != uint32(list)
}

// evictAny evicts any payload that may leave, oldest first.
func (l *lists) evictAny(leave func(uint32) bool, remove func(uint32)) bool {
	for list := range l.ends {
		for i := l.nodes[list].newer; i != list; i = l.nodes[i].newer {
			if id := i - l.ends; leave(id) {
				remove(id)
				return true
			}
		}
	}
	return false
}
