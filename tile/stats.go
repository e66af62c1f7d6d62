package tile

import "fmt"

// Stats are counts of a Cache since it was made. Bytes are those of payloads.
type Stats struct {
	Requests     int64   `json:"requests"`      // calls of Get, those that a microcache answered included
	MicroHits    int64   `json:"micro_hits"`    // answered by a microcache
	Hits         int64   `json:"hits"`          // answered by the cache
	Misses       int64   `json:"misses"`        // the tile was not there
	Waits        int64   `json:"waits"`         // of these, another goroutine was reading it
	Reads        int64   `json:"reads"`         // tiles that were read
	UniqueBytes  int64   `json:"unique_bytes"`  // read for the first time
	AgainBytes   int64   `json:"again_bytes"`   // read again, because the tile had left; if keys are not Flat, of forgotten records the last 16 for each of Options.Records
	Unpacked     int64   `json:"unpacked"`      // tiles that came from the compressed tier or a file
	Evictions    int64   `json:"evictions"`     // payloads that left
	Forgotten    int64   `json:"forgotten"`     // records that left
	Records      int     `json:"records"`       // now, with and without payload
	Payloads     int     `json:"payloads"`      // now
	Constants    int     `json:"constants"`     // tiles that are kept as one element, now
	Instances    int     `json:"instances"`     // tiles that share another's payload, now
	Bytes        int64   `json:"bytes"`         // of payloads, now
	PeakBytes    int64   `json:"peak_bytes"`    // at most
	FreeBytes    int64   `json:"free_bytes"`    // of buffers that wait for the next payload
	PackedBytes  int64   `json:"packed_bytes"`  // of the compressed tier, now
	Packed       int     `json:"packed"`        // tiles in the compressed tier, now
	Budget       int64   `json:"budget"`        // of payloads
	PurposeBytes []int64 `json:"purpose_bytes"` // of payloads by purpose, now
}

// HitRatio returns the part of the requests that no read was made or waited for.
func (s Stats) HitRatio() float64 {
	if s.Requests == 0 {
		return 0
	}
	return float64(s.Hits+s.MicroHits) / float64(s.Requests)
}

func (s Stats) String() string {
	return fmt.Sprintf("%d requests, %.1f %% hits; %d tiles read, %d bytes once, %d bytes again; %d bytes in %d tiles of at most %d bytes",
		s.Requests, 100*s.HitRatio(), s.Reads, s.UniqueBytes, s.AgainBytes, s.Bytes, s.Payloads, s.Budget)
}

// shardCounts are counts that the shard's lock guards.
type shardCounts struct {
	hits, misses, waits     int64
	reads, unpacked         int64
	uniqueBytes, againBytes int64
}

// arrived counts a payload of a tile that may have been read before.
func (s *shardCounts) arrived(p *payload, before bool) {
	size := max(p.size, int64(p.one.size))
	switch {
	case p.unpacked:
		s.unpacked++
		return
	case before:
		s.againBytes += size
	default:
		s.uniqueBytes += size
	}
	s.reads++
}

// roomCounts are counts that the cache's mu guards.
type roomCounts struct {
	evictions, forgotten           int64
	payloads, constants, instances int
}

// Stats returns the counts so far. Workers add theirs now and then, and when they are
// closed.
func (c *Cache[K]) Stats() Stats {
	var s Stats
	for i := range c.shards {
		sh := &c.shards[i]
		sh.mu.Lock()
		s.Hits += sh.hits
		s.Misses += sh.misses
		s.Waits += sh.waits
		s.Reads += sh.reads
		s.Unpacked += sh.unpacked
		s.UniqueBytes += sh.uniqueBytes
		s.AgainBytes += sh.againBytes
		s.Records += sh.count
		sh.mu.Unlock()
	}
	s.MicroHits = c.microHits.Load()
	s.Requests = s.Hits + s.Misses + s.MicroHits
	c.pool.mu.Lock()
	s.FreeBytes = c.pool.bytes
	c.pool.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	s.Evictions, s.Forgotten = c.evictions, c.forgotten
	s.Payloads, s.Constants, s.Instances = c.payloads, c.constants, c.instances
	s.Bytes, s.PeakBytes, s.Budget = c.used.Load(), c.peak, c.o.Budget
	s.Packed, s.PackedBytes = c.tier.count, c.tier.bytes
	for _, p := range c.purposes {
		s.PurposeBytes = append(s.PurposeBytes, p.used)
	}
	return s
}
