package fleet

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/cairnvoxel/cairn/internal/table"
)

// Table prints the report.
func (r *Report) Table(w io.Writer) {
	p := &r.Played
	fmt.Fprintf(w, "%d open worlds in %d games on %d servers, catalogue %s, for %.0f s; %d games and %d servers were killed\n\n", r.Worlds, r.Games, r.Servers, r.Catalogue, r.Seconds, r.KilledGames, r.KilledServers)
	fmt.Fprintf(w, "edits %d, loads %d, closed %d, failed saves %d (repeated), lost worlds %d, refused opens %d (repeated), unsaved %d\n", p.Edits, p.Loads, p.Closed, p.Failed, p.Lost, p.Refused, p.Unsaved)
	fmt.Fprintf(w, "opening a world p50 %.1f ms, p99 %.1f ms, at most %.0f ms; a save at most %.1f s late; leases unsure at a time at most %d\n", p.P50, p.P99, p.Longest, p.Late, p.Unsure)
	fmt.Fprintf(w, "%d of %d worlds are not what the games left\n", r.Wrong, r.Compare)
	if p.First != "" {
		fmt.Fprintf(w, "first error: %s\n", p.First)
	}
	fmt.Fprintln(w)
	t := table.New(w, "cores", "")
	for _, what := range slices.Sorted(maps.Keys(r.Cores)) {
		t.Row(what, fmt.Sprintf("%.2f", r.Cores[what]))
	}
	t.Blank()
	for _, part := range []struct {
		head  string
		rates map[string]float64
	}{{"calls a second", r.Calls}, {"requests a second", r.Requests}} {
		t.Row(part.head, "")
		for _, what := range slices.SortedFunc(maps.Keys(part.rates), func(a, b string) int { return cmp.Compare(part.rates[b], part.rates[a]) }) {
			t.Row(what, fmt.Sprintf("%.2f", part.rates[what]))
		}
		t.Blank()
	}
	t.Flush()
}
