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

// over is how many times the room that a payload needs is made at once, as package tile does.
const over = 2

// Simulate runs a policy over a trace with an exact budget of payloads. Payloads larger than it
// are not kept.
func Simulate(t *Trace, policy tile.NewPolicy, budget int64) (o Outcome) {
	held := make([]bool, len(t.Keys))
	uses := make([]uint32, len(t.Keys))
	p := policy(budget, func(id uint32) (n uint32) {
		n, uses[id] = uses[id], 0
		return n
	})
	exact, _ := p.(hitter)
	var used int64
	hits := 0
	leave := func(id uint32) bool {
		held[id] = false
		used -= int64(t.Sizes[id])
		return true
	}
	for _, i := range t.Reads {
		if held[i] {
			hits++
			uses[i] = min(uses[i]+1, 15)
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
		if used+size > budget {
			for used+min(over*size, budget) > budget && p.Evict(leave) {
			}
		}
		p.Add(uint32(i), size)
		held[i] = true
		used += size
		o.Peak = max(o.Peak, used)
	}
	o.Hits = percent(hits, len(t.Reads))
	return o
}

func percent(part, whole int) float64 { return 100 * float64(part) / float64(whole) }
