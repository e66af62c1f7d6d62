package texture

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/cairnvoxel/cairn/tile"
)

// The counts of Samplers.
const (
	calls = iota
	environments
	footprints
	closest
	bilinear
	bicubic
	tileRequests
	tileRepeats
	counters
)

// Stats are counts of a System since it was made. Samplers add theirs now and then, and when
// they end.
type Stats struct {
	Calls        int64 `json:"calls"`        // samples, those of environments included
	Environments int64 `json:"environments"` // of these
	Footprints   int64 `json:"footprints"`   // levels that samples read
	// Probes of footprints, by filter.
	Closest  int64 `json:"closest"`
	Bilinear int64 `json:"bilinear"`
	Bicubic  int64 `json:"bicubic"`
	// TileRequests are the tiles that footprints asked for. Those of TileRepeats were the
	// last of their Sampler, and Tiles.MicroHits in its microcache.
	TileRequests int64 `json:"tile_requests"`
	TileRepeats  int64 `json:"tile_repeats"`
	// Tiles are the counts of the cache.
	Tiles tile.Stats `json:"tiles"`
	// Files are the images, each with its purpose, those with the most bytes read first.
	Files []tile.ItemStats `json:"files"`
}

func (m *Sampler) addCounts() {
	for i, n := range m.counts {
		m.system.counts[i].Add(n - m.counted[i])
	}
	m.counted = m.counts
}

// Stats returns the counts so far.
func (s *System) Stats() Stats {
	s.start()
	n := func(i int) int64 { return s.counts[i].Load() }
	return Stats{
		Calls: n(calls), Environments: n(environments), Footprints: n(footprints),
		Closest: n(closest), Bilinear: n(bilinear), Bicubic: n(bicubic),
		TileRequests: n(tileRequests), TileRepeats: n(tileRepeats),
		Tiles: s.cache.Stats(), Files: s.items.Stats(),
	}
}

// worstFiles is how many files String names.
const worstFiles = 10

// String returns a table for people.
func (s Stats) String() string {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) { fmt.Fprintf(w, name+"\t"+format+"\n", args...) }
	probes := s.Closest + s.Bilinear + s.Bicubic
	missed := s.Tiles.Hits + s.Tiles.Misses
	line("texture calls", "%d, %d of them of environments", s.Calls, s.Environments)
	line("probes", "%d closest, %d bilinear, %d bicubic; %.2f a footprint", s.Closest, s.Bilinear, s.Bicubic, ratio(probes, s.Footprints))
	line("tile requests", "%d; microcaches missed %d (%.1f %%), the cache %d (%.1f %%)", s.TileRequests,
		missed, 100*ratio(missed, s.TileRequests), s.Tiles.Misses, 100*ratio(s.Tiles.Misses, s.TileRequests))
	line("tiles read", "%d, %s once, %s again", s.Tiles.Reads, megabytes(s.Tiles.UniqueBytes), megabytes(s.Tiles.AgainBytes))
	line("tiles now", "%d in %s of %s, at most %s; %d constant, %d instanced", s.Tiles.Payloads,
		megabytes(s.Tiles.Bytes), megabytes(s.Tiles.Budget), megabytes(s.Tiles.PeakBytes), s.Tiles.Constants, s.Tiles.Instances)
	var io, wait time.Duration
	for _, f := range s.Files {
		io, wait = io+f.IO, wait+f.Wait
	}
	line("files", "%d; %v reading, %v waiting", len(s.Files), io.Round(time.Millisecond), wait.Round(time.Millisecond))
	for _, f := range s.Files[:min(len(s.Files), worstFiles)] {
		line("  "+f.Name, "%d opens, %d tiles, %s; %d again, %s; %v", f.Opens, f.Reads, megabytes(f.Bytes), f.Again, megabytes(f.AgainBytes), f.IO.Round(time.Millisecond))
	}
	w.Flush()
	return text.String()
}

func ratio(a, b int64) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

func megabytes(n int64) string {
	if n < 1e5 {
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
