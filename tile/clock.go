package tile

// clock is the article's policy: payloads in a circle, and a hand that passes over those
// that were used since it last came by.
type clock struct {
	lists
	used  func(uint32) bool
	count int
}

// Clock returns the policy of the article about texture caches and of OpenImageIO. It
// costs least and keeps fewest of the tiles that are asked for again: see docs/lab/MEASURED.md.
func Clock(_ int64, used func(id uint32) bool) Policy {
	return &clock{lists: newLists(1), used: used}
}

func (c *clock) Add(id uint32, bytes int64) {
	c.used(id) // before it came does not count
	c.at(id).bytes = bytes
	c.push(0, id)
	c.count++
}

func (c *clock) Evict(leave func(uint32) bool) bool {
	for range 2 * c.count {
		id, _ := c.oldest(0)
		if !c.used(id) && leave(id) {
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
