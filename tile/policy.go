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
	*nodes
	first uint32 // the node of the end of list 0
	n     uint32 // lists
	bytes [maxLists]int64
}

// nodes are those of records by number, behind those of the ends of lists. The lists of a
// cache share them: a record is in one list of one policy, or idle.
type nodes struct {
	all  []node
	ends uint32
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
	l := lists{n: uint32(n)}
	l.share(new(nodes))
	return l
}

// share gives the lists, which are empty, nodes without records.
func (l *lists) share(all *nodes) {
	l.nodes, l.first = all, all.ends
	for range l.n {
		all.all = append(all.all, node{older: all.ends, newer: all.ends, list: noList})
		all.ends++
	}
}

// at returns the node of a record.
func (l *nodes) at(id uint32) *node {
	for uint32(len(l.all)) <= id+l.ends {
		l.all = append(l.all, node{list: noList, from: noList})
	}
	return &l.all[id+l.ends]
}

// push makes a record the newest of a list.
func (l *lists) push(list uint8, id uint32) {
	l.take(id)
	n, i, end := l.at(id), id+l.ends, l.first+uint32(list)
	n.list, n.newer, n.older = list, end, l.all[end].older
	l.all[n.older].newer = i
	l.all[end].older = i
	l.bytes[list] += n.bytes
}

// take takes a record out of its list.
func (l *lists) take(id uint32) {
	n := l.at(id)
	if n.list == noList {
		return
	}
	l.all[n.newer].older, l.all[n.older].newer = n.older, n.newer
	l.bytes[n.list] -= n.bytes
	n.list = noList
}

// oldest returns the oldest record of a list.
func (l *lists) oldest(list uint8) (id uint32, ok bool) {
	end := l.first + uint32(list)
	i := l.all[end].newer
	return i - l.ends, i != end
}

// evictAny evicts any payload that may leave, oldest first.
func (l *lists) evictAny(leave func(uint32) bool, remove func(uint32)) bool {
	for list := range l.n {
		end := l.first + list
		for i := l.all[end].newer; i != end; i = l.all[i].newer {
			if id := i - l.ends; leave(id) {
				remove(id)
				return true
			}
		}
	}
	return false
}
