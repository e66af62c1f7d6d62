// Package lru keeps values up to a total weight; those that were not used for the longest
// time go first.
package lru

// Cache holds values by key. It is not safe for concurrent use: a caller's own lock guards
// it, which mostly guards more. A value that is heavier than the Cache does not stay.
type Cache[K comparable, V any] struct {
	most, weight int64
	gone         func(K, V)
	items        map[K]*item[K, V]
	ring         item[K, V] // its next is the most recently used
}

type item[K comparable, V any] struct {
	key        K
	value      V
	weight     int64
	prev, next *item[K, V]
}

// New returns a Cache of values that together weigh at most that much. gone, which may be
// nil, is called for each value that leaves the Cache, however it does.
func New[K comparable, V any](most int64, gone func(K, V)) *Cache[K, V] {
	c := &Cache[K, V]{most: most, gone: gone, items: make(map[K]*item[K, V])}
	c.ring.prev, c.ring.next = &c.ring, &c.ring
	return c
}

// Get returns a value, which is then the most recently used.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	i := c.items[key]
	if i == nil {
		return value, false
	}
	i.unlink()
	c.link(i)
	return i.value, true
}

// Put sets the value of a key and its weight.
func (c *Cache[K, V]) Put(key K, value V, weight int64) {
	c.Remove(key)
	i := &item[K, V]{key: key, value: value, weight: weight}
	c.items[key] = i
	c.link(i)
	c.weight += weight
	c.trim()
}

// Remove removes the value of a key.
func (c *Cache[K, V]) Remove(key K) {
	if i := c.items[key]; i != nil {
		c.remove(i)
	}
}

// Clear removes all values.
func (c *Cache[K, V]) Clear() {
	for len(c.items) > 0 {
		c.remove(c.ring.prev)
	}
}

// Weight returns how much the values weigh together.
func (c *Cache[K, V]) Weight() int64 { return c.weight }

// Bound sets how much the values may weigh together.
func (c *Cache[K, V]) Bound(most int64) {
	c.most = most
	c.trim()
}

func (c *Cache[K, V]) trim() {
	for c.weight > c.most && len(c.items) > 0 {
		c.remove(c.ring.prev)
	}
}

func (c *Cache[K, V]) remove(i *item[K, V]) {
	i.unlink()
	delete(c.items, i.key)
	c.weight -= i.weight
	if c.gone != nil {
		c.gone(i.key, i.value)
	}
}

func (c *Cache[K, V]) link(i *item[K, V]) {
	i.prev, i.next = &c.ring, c.ring.next
	i.prev.next, i.next.prev = i, i
}

func (i *item[K, V]) unlink() { i.prev.next, i.next.prev = i.next, i.prev }
