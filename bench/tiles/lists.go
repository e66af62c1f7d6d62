package tiles

// none is no record.
const none = -1

// lists are the lists of a policy. Each record is in at most one. Links are indexes, so that
// no operation allocates but the growth for a new record.
type lists struct {
	nodes []node
	ends  [4]ends
	// total is the bytes of all lists.
	total int64
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

// reach makes a node for i.
func (l *lists) reach(i int32) {
	for int(i) >= len(l.nodes) {
		l.nodes = append(l.nodes, node{list: none})
	}
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
	l.total += n.bytes
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
	l.total -= n.bytes
	n.list = none
}

// move makes i the newest of a list.
func (l *lists) move(list int8, i int32) {
	l.take(i)
	l.push(list, i)
}

// add makes the new record i the newest of a list.
func (l *lists) add(list int8, i int32, bytes int64) {
	l.reach(i)
	l.nodes[i].bytes = bytes
	l.push(list, i)
}

func (l *lists) oldest(list int8) int32 { return l.ends[list].oldest }
func (l *lists) bytes(list int8) int64  { return l.ends[list].bytes }
