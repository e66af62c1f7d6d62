package crowd

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/internal/table"
)

// IslandsReport is the cost of very many islands in one store, forked from templates and
// edited.
type IslandsReport struct {
	Islands   int     `json:"islands"`
	Templates int     `json:"templates"`
	Fill      float64 `json:"fill_s"`
	Disk      int64   `json:"disk_bytes"` // after the fill
	IslandsOpen
	IslandsBytes
}

// IslandsOpen is the cost of opening the store in a fresh process and reading from it.
type IslandsOpen struct {
	Open    float64 `json:"open_ms"`
	Pages   int     `json:"pages"` // of 100 names, after any name
	PageP50 float64 `json:"page_p50_ms"`
	PageP99 float64 `json:"page_p99_ms"`
	Loads   int     `json:"loads"` // of all stones of an island
	LoadP50 float64 `json:"load_p50_ms"`
	LoadP99 float64 `json:"load_p99_ms"`
	// Memory is what of the process is in memory then, Highest what was at most; 0
	// where the system does not say.
	Memory  int64 `json:"rss_bytes"`
	Highest int64 `json:"highest_rss_bytes"`
}

// IslandsBytes is the average size of an island.
type IslandsBytes struct {
	Alone  float64 `json:"alone_bytes"`  // its newest version as a .cairn file, from a sample
	Shared float64 `json:"shared_bytes"` // of the directory, for each island
	// Week is Shared and, for each of the islands played on, what stones are kept
	// beyond that after a week of saves, packed, and collected every night. WeekDisk
	// is the same by how much larger the directory is: the database has not let go
	// of everything yet, since it had minutes for the week.
	Week        float64 `json:"week_bytes"`
	WeekDisk    float64 `json:"week_disk_bytes"`
	Played      int     `json:"played_islands"`
	Saves       int     `json:"saves"` // of each in the week
	WeekSeconds float64 `json:"week_s"`
	Collect     float64 `json:"collect_s"` // the longest collection of all islands
	Stones      int     `json:"highest_stack"`
}

// Defaults of BenchIslands.
const (
	millionIslands = 1_000_000
	playedIslands  = 10_000
	aloneIslands   = 500
	openPages      = 10_000
	openLoads      = 1_000
)

// BenchIslands fills a store in a directory, opens it in another process, and plays for a week
// on some of its islands.
func BenchIslands(ctx context.Context, o lab.Options) (*IslandsReport, error) {
	o = o.WithLoad(millionIslands, 0, 0)
	r := &IslandsReport{Islands: o.Worlds, Templates: templatesFor(o.Worlds)}
	err := lab.InTemp(func(dir string) error {
		p, err := makePool(ctx, poolSize{Templates: r.Templates, Saves: 1 + weekOfSaves}, o)
		if err != nil {
			return err
		}
		j := job{Dir: filepath.Join(dir, "store"), Pool: filepath.Join(dir, "pool"), Worlds: o.Worlds}
		if err := p.write(j.Pool); err != nil {
			return err
		}
		j.What = jobFill
		if r.Fill, err = delegate[float64](ctx, o, j); err != nil {
			return err
		}
		if r.Disk, err = lab.SizeOf(j.Dir); err != nil {
			return err
		}
		j.What = jobOpen
		if r.IslandsOpen, err = delegate[IslandsOpen](ctx, o, j); err != nil {
			return err
		}
		j.What = jobWeek
		r.IslandsBytes, err = delegate[IslandsBytes](ctx, o, j)
		r.Shared = float64(r.Disk) / float64(r.Islands)
		r.Week, r.WeekDisk = r.Week+r.Shared, r.WeekDisk+r.Shared
		return err
	})
	return r, err
}

// Table prints what was found, a line each.
func (r *IslandsReport) Table(w io.Writer) {
	fmt.Fprintf(w, "%d islands, forked from %d templates and edited, in %.0f s: %s on disk\n\n", r.Islands, r.Templates, r.Fill, table.Size(r.Disk))
	t := table.New(w, "", "", "p50 ms", "p99 ms")
	t.Row("opened, ms", fmt.Sprintf("%.0f", r.Open), "", "")
	t.Row("pages of 100 names after any name", fmt.Sprint(r.Pages), ms(r.PageP50), ms(r.PageP99))
	t.Row("loads of an island", fmt.Sprint(r.Loads), ms(r.LoadP50), ms(r.LoadP99))
	t.Row("in memory then", table.Size(r.Memory), "", "")
	t.Row("in memory at most", table.Size(r.Highest), "", "")
	t.Blank()
	t.Row("bytes of an island: its newest version alone", table.Size(int64(r.Alone)), "", "")
	t.Row("shared with its template", table.Size(int64(r.Shared)), "", "")
	t.Row("after a week", table.Size(int64(r.Week)), "", "")
	t.Row("after a week, with what the database has not let go of yet", table.Size(int64(r.WeekDisk)), "", "")
	t.Flush()
	fmt.Fprintf(w, "\nthe week: %d saves of each of %d islands in %.0f s; the longest collection %.1f s; %d stones at most\n",
		r.Saves, r.Played, r.WeekSeconds, r.Collect, r.Stones)
}
