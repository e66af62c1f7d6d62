package tiles

// A Policy says which payload goes next. Records are indexes from 0 on; a policy keeps what it
// needs in arrays over them. Calls are not concurrent, except Hit where a policy says so.
type Policy interface {
	// Hit says that the payload of i was asked for and is there.
	Hit(i int32)
	// Miss says that the payload of i was asked for and is not there.
	Miss(i int32)
	// Add says that the payload of i has come.
	Add(i int32, bytes int64)
	// Victim returns the record whose payload goes next, or -1 if there is none.
	Victim() int32
	// Removed says that the payload of i has gone.
	Removed(i int32)
}

// Outcome is what a cache made of a trace.
type Outcome struct {
	Reads    int     `json:"reads"`
	Hits     int     `json:"hits"`
	Bytes    int64   `json:"bytes_read"` // of misses
	Peak     int64   `json:"peak_bytes"`
	HitRatio float64 `json:"hit_percent"`
}

// Simulate runs a policy over a trace with an exact budget. Payloads larger than it are not
// kept.
func Simulate(t *Trace, p Policy, budget int64) (o Outcome) {
	held := make([]bool, len(t.Keys))
	var used int64
	for _, i := range t.Reads {
		if held[i] {
			o.Hits++
			p.Hit(i)
			continue
		}
		size := int64(t.Sizes[i])
		o.Bytes += size
		p.Miss(i)
		if size > budget {
			continue
		}
		for used+size > budget {
			v := p.Victim()
			p.Removed(v)
			held[v] = false
			used -= int64(t.Sizes[v])
		}
		p.Add(i, size)
		held[i] = true
		used += size
		o.Peak = max(o.Peak, used)
	}
	o.Reads = len(t.Reads)
	o.HitRatio = 100 * float64(o.Hits) / float64(o.Reads)
	return o
}
