package seaweed

import (
	"context"
	"fmt"
)

// topology is how many volume servers are in each rack of each data centre, as a master
// knows them now.
type topology [][]int

// topology asks a master.
func (b *Volumes) topology(ctx context.Context) (topology, error) {
	var out struct {
		Topology struct {
			DataCenters []struct {
				Racks []struct {
					DataNodes []struct{ URL string }
				}
			}
		}
	}
	status, err := b.askMaster(ctx, "topology", "/dir/status", &out)
	if err == nil && status/100 != 2 {
		err = fmt.Errorf("topology: status %d", status)
	}
	if err != nil {
		return nil, err
	}
	var t topology
	for _, dc := range out.Topology.DataCenters {
		var racks []int
		for _, r := range dc.Racks {
			if len(r.DataNodes) > 0 {
				racks = append(racks, len(r.DataNodes))
			}
		}
		if len(racks) > 0 {
			t = append(t, racks)
		}
	}
	return t, nil
}

// has reports whether there are places for the copies that a word asks for: in other data
// centres, in other racks of one, and on other servers of one rack of that.
func (t topology) has(word string) bool {
	centres, racks, servers := int(word[0]-'0'), int(word[1]-'0'), int(word[2]-'0')
	for _, dc := range t {
		for _, n := range dc {
			if len(t) > centres && len(dc) > racks && n > servers {
				return true
			}
		}
	}
	return false
}

// never reports whether there are enough servers for the copies of a word, but none in
// other data centres or racks, or none beside another in a rack, where the word wants some.
// So they are not just down.
func (t topology) never(word string) bool {
	all, racks, together := 0, 0, 1
	for _, dc := range t {
		racks = max(racks, len(dc))
		for _, n := range dc {
			all += n
			together = max(together, n)
		}
	}
	return all >= copies(word) && !t.has(word) &&
		(word[0] > '0' && len(t) == 1 || word[1] > '0' && racks == 1 || word[2] > '0' && together == 1)
}

// fits returns an error if SeaweedFS, as it is laid out, has no places for the copies that
// the options ask for: all writes would fail, or have too few copies for ever.
func (b *Volumes) fits(ctx context.Context) error {
	t, err := b.topology(ctx)
	if err != nil {
		return nil // a new leader may not know it yet; the first Put finds out
	}
	for _, word := range []string{b.o.Copies, b.o.Fewer} {
		if t.never(word) {
			return fmt.Errorf("copies %q, fewer %q: the volume servers by data centre and rack are %v, where %q has no place; the digits mean copies in other data centres, in other racks of one, on other servers of one rack",
				b.o.Copies, b.o.Fewer, t, word)
		}
	}
	return nil
}
