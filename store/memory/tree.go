package memory

import (
	"hash/maphash"
	"strings"

	"github.com/cairnvoxel/cairn/history"
)

// node is a tree of records, sorted by their keys, the rank of no node above that of
// its parent. Ranks are hashes, so it is about as deep as a balanced one. A node
// never changes. Nil is the empty tree.
type node struct {
	history.Record
	rank        uint64
	left, right *node
}

var seed = maphash.MakeSeed()

// get returns a value, nil if there is none.
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

// with returns the tree with a value, or without the key if that is nil.
func (n *node) with(key string, value []byte) *node {
	if value == nil {
		return n.without(key)
	}
	return n.put(&node{Record: history.Record{Key: key, Value: value}, rank: maphash.String(seed, key)})
}

// put returns the tree with a node, in place of the one with its key.
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

// split returns what of a tree without the key is below and above it.
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

// join returns a tree of two, the keys of the first below those of the second.
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

// scan calls what for the keys from from on and below to, until it returns false.
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
