package record

// Cache is the door to cache.
type Cache struct{ m *cache[uint64, uint64] }

// NewCache makes a Cache for 8 keys.
func NewCache() Cache {
	return Cache{newCache[uint64, uint64](1, func(uint64) uint64 { return 1 << 63 })}
}

// GrowingCache makes a Cache for at most n keys, which lie anywhere.
func GrowingCache(n int64) Cache {
	return Cache{newCache[uint64, uint64](n, func(key uint64) uint64 { return key * 0x9E3779B97F4A7C15 })}
}

// Room returns how many keys there is room for now.
func (m Cache) Room() (n int) {
	for i := range m.m.shards {
		n += cacheWays * len(m.m.shards[i].sets)
	}
	return n
}

// Get, Put, Drop and Fade are those of cache.
func (m Cache) Get(key uint64) (uint64, bool, uint64) {
	v, ok, t := m.m.get(key)
	return v, ok, uint64(t)
}

func (m Cache) Put(key, value, t uint64) { m.m.put(key, value, Ticket(t)) }

func (m Cache) Drop(key uint64) uint64 { return uint64(m.m.drop(key)) }

func (m Cache) Fade(key uint64) { m.m.fade(key) }
