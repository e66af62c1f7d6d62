package tiles

import (
	"github.com/cairnvoxel/cairn/tile"
)

// Outcome is what a cache made of a trace, without concurrency.
type Outcome struct {
	Hits  float64 `json:"hit_percent"`
	Bytes int64   `json:"bytes_read"`
	Peak  int64   `json:"peak_bytes,omitempty"` // of payloads; 0 if not known
}

// hitter is a policy that is told each hit.
type hitter interface{ Hit(id uint32) }

// overPart is the part of the budget, as a divisor, up to which twice the room that a payload
// needs is made at once, as package tile does.
const overPart = 64

// Simulate runs a policy over a trace with an exact budget of payloads. Payloads larger than it
// are not kept.
func Simulate(t *Trace, policy tile.NewPolicy, budget int64) (o Outcome) {
	held := make([]bool, len(t.Keys))
	used := make([]bool, len(t.Keys))
	p := policy(budget, func(id uint32) (was bool) {
		was, used[id] = used[id], false
		return was
	})
	exact, _ := p.(hitter)
	var bytes int64
	hits := 0
	leave := func(id uint32) bool {
		held[id] = false
		bytes -= int64(t.Sizes[id])
		return true
	}
	for _, i := range t.Reads {
		if held[i] {
			hits++
			used[i] = true
			if exact != nil {
				exact.Hit(uint32(i))
			}
			continue
		}
		size := int64(t.Sizes[i])
		o.Bytes += size
		if size > budget {
			continue
		}
		if bytes+size > budget {
			for bytes+min(size+min(size, budget/overPart), budget) > budget && p.Evict(leave) {
			}
		}
		p.Add(uint32(i), size)
		held[i] = true
		bytes += size
		o.Peak = max(o.Peak, bytes)
	}
	o.Hits = percent(hits, len(t.Reads))
	return o
}

func percent(part, whole int) float64 { return 100 * float64(part) / float64(whole) }
