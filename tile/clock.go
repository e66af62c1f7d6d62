package tile

// clock is the article's policy: payloads in a circle, and a hand that passes over those
// that were used since it last came by.
type clock struct {
	links
	hits  func(uint32) uint32
	count int
}

// Clock returns the policy of the article about texture caches and of OpenImageIO. It
// costs least and keeps fewest tiles: see docs/MEASURED.md.
func Clock(_ int64, hits func(id uint32) uint32) Policy {
	return &clock{links: newLinks(1), hits: hits}
}

func (c *clock) Add(id uint32, _ int64) {
	c.hits(id) // those before it came do not count
	c.push(0, id)
	c.count++
}

func (c *clock) Evict(leave func(uint32) bool) bool {
	for range 2 * c.count {
		id, _ := c.last(0)
		if c.hits(id) == 0 && leave(id) {
			c.Remove(id)
			return true
		}
		c.push(0, id)
	}
	return false
}

func (c *clock) Remove(id uint32) {
	c.take(id)
	c.count--
}

func (c *clock) Forget(uint32) {}
