package trial

import (
	"fmt"
	"io"

	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/store/history"
)

// Figures is how many backups there are, how many of them were read, and bytes.
type Figures struct {
	Backups   int   `json:"backups"`
	Bytes     int64 `json:"bytes"`
	Read      int   `json:"read"`
	ReadBytes int64 `json:"read_bytes"`
	History   int64 `json:"history_bytes"` // of those that were read: stones, with packs
	About     int64 `json:"about_bytes"`   // of all; 0 of a world of which fewer than two were read, and not all
}

// Timeline is the backups of a world.
type Timeline struct {
	Name string `json:"name"`
	Figures

	states []*backup // oldest first
	stones []int64   // bytes of those that each backup added that was read
	seen   port.Seen // of the last one that was read
}

// Outcome says what backups take, and what their history would.
type Outcome struct {
	Figures             // without those that are left out
	AboutOf int         `json:"about_backups"` // how many About is of
	Seconds float64     `json:"seconds"`       // in which they were read
	Stopped string      `json:"stopped"`       // why not all were
	LeftOut int         `json:"left_out"`
	Remarks []string    `json:"remarks,omitempty"`
	Worlds  []*Timeline `json:"worlds"`
}

// Estimate sums up. A backup that was not read is taken to add what the later ones of its world do on average.
// Packs, which are the rest of the bytes of all stones, are shared evenly.
func (r *Outcome) Estimate(stones int64) {
	packs := float64(stones)
	for _, w := range r.Worlds {
		for _, n := range w.stones {
			packs, w.History = packs-float64(n), w.History+n
		}
		w.Read = len(w.stones)
		r.Backups, r.Bytes, r.Read, r.ReadBytes = r.Backups+w.Backups, r.Bytes+w.Bytes, r.Read+w.Read, r.ReadBytes+w.ReadBytes
	}
	packs /= float64(max(1, r.Read))
	for _, w := range r.Worlds {
		later := 0.0
		if w.Read > 1 {
			later = packs + float64(w.History-w.stones[0])/float64(w.Read-1)
		}
		w.History += int64(packs * float64(w.Read))
		if rest := w.Backups - w.Read; rest == 0 || w.Read > 1 {
			w.About = w.History + int64(later*float64(rest))
			r.About, r.AboutOf = r.About+w.About, r.AboutOf+w.Backups
		}
	}
	r.History = stones
}

// Print prints a line for each world, and what it comes to; at most 20 worlds and 20 remarks.
func (r *Outcome) Print(out io.Writer) {
	t := table.New(out, "world", "backups", "take", "read", "history", "of all")
	for _, w := range r.Worlds[:min(20, len(r.Worlds))] {
		about := "?"
		if w.About > 0 {
			about = table.Size(w.About)
		}
		name, _ := history.Unescape(w.Name)
		t.Row(name, console.Count(w.Backups), table.Size(w.Bytes), console.Count(w.Read), table.Size(w.History), about)
	}
	t.Flush()
	fmt.Fprintf(out, "\n%s of %s take %s.\n", console.Counted(r.Backups, "backup"), console.Counted(len(r.Worlds), "world"), table.Size(r.Bytes))
	fmt.Fprintf(out, "The history of the %s that were read takes %s (%.1f %% of %s), %.1f s each.\n", console.Count(r.Read),
		table.Size(r.History), 100*float64(r.History)/float64(max(1, r.ReadBytes)), table.Size(r.ReadBytes), r.Seconds/float64(max(1, r.Read)))
	if r.Read < r.Backups {
		fmt.Fprintf(out, "%s were not read: %s.\n", console.Count(r.Backups-r.Read), r.Stopped)
	}
	if r.AboutOf > r.Read {
		fmt.Fprintf(out, "The history of %s would take about %s, if the others add as much as those that were read.\n", console.Counted(r.AboutOf, "backup"), table.Size(r.About))
	}
	if rest := r.Backups - r.AboutOf; rest > 0 {
		fmt.Fprintf(out, "For %s there is no estimate: of their worlds fewer than two were read.\n", console.Count(rest))
	}
	console.PrintList(out, console.Counted(len(r.Remarks), "remark")+":", r.Remarks[:min(20, len(r.Remarks))])
}
