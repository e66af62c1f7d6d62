package inmemory

import (
	"hash/maphash"
	"strings"

	"github.com/cairnvoxel/cairn/store/history"
)

// node is a tree of records, sorted by their keys. No node has a higher rank than
// its parent. Ranks are hashes, so the tree is about as deep as a balanced one. A
// node never changes. Nil is the empty tree.
type node struct {
	history.Record
	rank        uint64
	left, right *node
}

var seed = maphash.MakeSeed()

// get returns a value, or nil if there is none.
func (n *node) get(key string) []byte {
	for n != nil {
		switch strings.Compare(key, n.Key) {
		case 0:
			return n.Value
		case -1:
			n = n.left
		default:
			n = n.right
		}
	}
	return nil
}

// with returns the tree with a value. If the value is nil, it returns the tree
// without the key.
func (n *node) with(key string, value []byte) *node {
	if value == nil {
		return n.without(key)
	}
	return n.put(&node{Record: history.Record{Key: key, Value: value}, rank: maphash.String(seed, key)})
}

// put returns the tree with a node, which replaces the node with the same key.
func (n *node) put(new *node) *node {
	if n == nil {
		return new
	}
	if new.rank > n.rank {
		new.left, new.right = n.split(new.Key)
		return new
	}
	c := *n
	switch strings.Compare(new.Key, n.Key) {
	case 0:
		new.left, new.right = n.left, n.right
		return new
	case -1:
		c.left = n.left.put(new)
	default:
		c.right = n.right.put(new)
	}
	return &c
}

// split returns the parts of a tree below and above a key that is not in it.
func (n *node) split(key string) (low, high *node) {
	if n == nil {
		return nil, nil
	}
	c := *n
	if key < n.Key {
		low, c.left = n.left.split(key)
		return low, &c
	}
	c.right, high = n.right.split(key)
	return &c, high
}

func (n *node) without(key string) *node {
	if n == nil {
		return nil
	}
	if n.Key == key {
		return join(n.left, n.right)
	}
	c := *n
	if key < n.Key {
		c.left = n.left.without(key)
	} else {
		c.right = n.right.without(key)
	}
	return &c
}

// join returns one tree made of two. The keys of the first are below those of the
// second.
func join(low, high *node) *node {
	switch {
	case low == nil:
		return high
	case high == nil:
		return low
	case low.rank >= high.rank:
		c := *low
		c.right = join(low.right, high)
		return &c
	}
	c := *high
	c.left = join(low, high.left)
	return &c
}

// scan calls what for the keys that are at least from and less than to, until what
// returns false.
func (n *node) scan(from, to string, back bool, what func(history.Record) bool) bool {
	if n == nil {
		return true
	}
	first, second := n.left, n.right
	wantFirst, wantSecond := n.Key > from, n.Key < to
	if back {
		first, second, wantFirst, wantSecond = second, first, wantSecond, wantFirst
	}
	if wantFirst && !first.scan(from, to, back, what) {
		return false
	}
	if n.Key >= from && n.Key < to && !what(n.Record) {
		return false
	}
	return !wantSecond || second.scan(from, to, back, what)
}
