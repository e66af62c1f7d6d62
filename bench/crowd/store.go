package crowd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/internal/testing/parts"
)

// StoreRow is the result of one way to keep islands under the load. If it could not be tried,
// Missing says why and the rest is empty.
type StoreRow struct {
	Name    string  `json:"name"`
	Missing string  `json:"missing,omitempty"`
	Ops     float64 `json:"ops_per_s"` // saves and loads
	P50     float64 `json:"p50_ms"`    // of both
	P99     float64 `json:"p99_ms"`
	SaveP50 float64 `json:"save_p50_ms"`
	SaveP99 float64 `json:"save_p99_ms"`
	LoadP50 float64 `json:"load_p50_ms"`
	LoadP99 float64 `json:"load_p99_ms"`
	// BytesPerSave is what the process that keeps the islands had the system bring
	// to the disk from the first save to the last, for each save: logs, packs,
	// compaction and rewriting with it. 0 where the system does not say.
	BytesPerSave float64 `json:"bytes_per_save"`
	Saves        int     `json:"saves"`
	Loads        int     `json:"loads"`
	Errors       int     `json:"errors"`
	Error        string  `json:"error,omitempty"` // the first
	Highest      int     `json:"highest_stack"`   // stones of one island in the end; 0 where there are none
	Disk         int64   `json:"disk_bytes"`      // in the end
	CPU          float64 `json:"cpu_s"`           // of all its processes, those who ask included
	// Memory is the most that the processes that keep the islands had in memory together; of
	// the library and of clusters with what the clients know.
	Memory    int64   `json:"highest_rss_bytes"`
	LoadBytes float64 `json:"bytes_per_load"` // that a load read
}

// StoreReport is the result of saving and loading many islands, as their players do, in each of
// several ways to keep them.
type StoreReport struct {
	Worlds    int        `json:"worlds"`
	Clients   int        `json:"clients"`
	Seconds   float64    `json:"seconds"` // of each row
	Templates int        `json:"templates"`
	SaveBytes int64      `json:"mean_save_bytes"` // of a partial stone
	FileBytes int64      `json:"mean_file_bytes"` // of a .slime file
	Deflated  Deflated   `json:"deflated"`
	Rows      []StoreRow `json:"rows"`
}

// The rows of a StoreReport.
const (
	rowLibrary  = "library"
	rowServer   = "server"
	rowSlimeDir = "slime_dir"
	rowRedis    = "redis"

	rowClusterPG     = "cluster_pg"
	rowClusterBucket = "cluster_bucket"
	rowLargePG       = "cluster_pg_23k"
	rowLargeBucket   = "cluster_bucket_23k"
	rowMinIO         = "minio_23k"
	rowPostgres      = "postgres_23k"
)

// StoreRows are the rows of a StoreReport. Those of clusters need the programs in
// CAIRN_PARTS. Those that end with 23k save stones, objects or rows of 23,000 bytes.
func StoreRows() []string {
	return []string{rowLibrary, rowServer, rowSlimeDir, rowRedis, rowClusterPG, rowClusterBucket, rowLargePG, rowLargeBucket, rowMinIO, rowPostgres}
}

// Defaults of BenchStore.
const (
	storeWorlds  = 100_000
	storeClients = 16
	storeSeconds = 300
)

// BenchStore saves and loads islands, forked from templates, for Seconds in each
// of several ways, each in a process of its own: those it starts are this program
// again, the command cairn and redis-server.
func BenchStore(ctx context.Context, o lab.Options) (*StoreReport, error) {
	o = o.WithLoad(storeWorlds, storeClients, storeSeconds)
	r := &StoreReport{Worlds: o.Worlds, Clients: min(o.Clients, o.Worlds), Seconds: o.Seconds, Templates: templatesFor(o.Worlds)}
	err := lab.WithCairn(ctx, o, func(o lab.Options, dir string) error {
		p, err := makePool(ctx, poolSize{r.Templates, min(weekOfSaves, o.Worlds), min(poolFiles, o.Worlds)}, o)
		if err != nil {
			return err
		}
		r.SaveBytes, r.FileBytes = p.means()
		if r.Deflated, err = p.deflated(); err != nil {
			return err
		}
		file := filepath.Join(dir, "pool")
		if err := p.write(file); err != nil {
			return err
		}
		if err := os.Chmod(dir, 0o711); err != nil { // PostgreSQL runs as another user
			return err
		}
		for _, name := range StoreRows() {
			if o.Rows != nil && !slices.Contains(o.Rows, name) {
				continue
			}
			row, err := r.row(ctx, o, name, file, filepath.Join(dir, name))
			if err != nil {
				return err
			}
			r.Rows = append(r.Rows, row)
		}
		return nil
	})
	return r, err
}

// row has a row made, if what it needs is there.
func (r *StoreReport) row(ctx context.Context, o lab.Options, name, pool, dir string) (StoreRow, error) {
	if name == rowRedis {
		if _, err := exec.LookPath(redisProgram); err != nil {
			return StoreRow{Name: name, Missing: redisProgram + " is not on the PATH"}, nil
		}
	}
	if slices.Index(StoreRows(), name) > slices.Index(StoreRows(), rowRedis) && os.Getenv(parts.Env) == "" {
		return StoreRow{Name: name, Missing: parts.Env + " is not set; go run ./internal/localcluster -get prints its value"}, nil
	}
	row, err := delegate[StoreRow](ctx, o, job{What: jobRow, Row: name, Dir: dir, Pool: pool, Worlds: r.Worlds, Clients: r.Clients, Seconds: r.Seconds, Rate: o.Rate})
	return row, errors.Join(err, os.RemoveAll(dir))
}

// vault returns what keeps the islands of a row.
func (j *job) vault(c *crowd) (vault, error) {
	switch j.Row {
	case rowLibrary:
		return &library{dir: j.Dir, crowd: c}, nil
	case rowServer:
		return &remote{dir: j.Dir, crowd: c, cairn: j.Cairn}, nil
	case rowSlimeDir:
		return &slimeDir{dir: j.Dir, crowd: c}, nil
	case rowRedis:
		return &redisServer{dir: j.Dir, crowd: c}, nil
	case rowClusterPG, rowClusterBucket, rowLargePG, rowLargeBucket:
		return &clustered{engines: engines{dir: j.Dir}, crowd: c, database: j.Row == rowClusterPG || j.Row == rowLargePG, large: strings.HasSuffix(j.Row, "_23k")}, nil
	case rowMinIO:
		return &rawBucket{engines: engines{dir: j.Dir}, crowd: c}, nil
	case rowPostgres:
		return &rawDatabase{engines: engines{dir: j.Dir}, crowd: c}, nil
	}
	return nil, fmt.Errorf("crowd: no row %q", j.Row)
}

// doRow is the process of a row.
func doRow(ctx context.Context, j *job, o lab.Options) (any, error) {
	p, err := readPool(j.Pool)
	if err != nil {
		return nil, err
	}
	c := newCrowd(p, j.Worlds, j.Seed)
	v, err := j.vault(c)
	if err != nil {
		return nil, err
	}
	row, err := j.play(ctx, v, c, o)
	highest, wrong := v.close(ctx, c)
	if err = errors.Join(err, wrong, ctx.Err()); err != nil {
		return nil, err
	}
	row.Highest = highest
	row.Disk, err = lab.SizeOf(j.Dir)
	return row, err
}

// play fills a vault and lets clients play.
func (j *job) play(ctx context.Context, v vault, c *crowd, o lab.Options) (*StoreRow, error) {
	if err := v.fill(ctx, o); err != nil {
		return nil, err
	}
	syncDisks() // nothing of the fill is to be written beside the saves
	if err := v.open(ctx); err != nil {
		return nil, err
	}
	before := v.used()
	all := c.playAll(ctx, v, j, o)
	return all.row(j.Row, v.used().Sub(before)), nil
}

// row sums up what clients saw.
func (pl *player) row(name string, used lab.Usage) *StoreRow {
	r := &StoreRow{Name: name, Saves: len(pl.saves), Loads: len(pl.loads), Errors: pl.errors, CPU: used.CPU.Seconds(), Memory: used.Memory}
	r.Ops = float64(r.Saves+r.Loads) / pl.took.Seconds()
	r.SaveP50, r.SaveP99 = quantile(pl.saves, 50), quantile(pl.saves, 99)
	r.LoadP50, r.LoadP99 = quantile(pl.loads, 50), quantile(pl.loads, 99)
	both := append(pl.saves, pl.loads...)
	r.P50, r.P99 = quantile(both, 50), quantile(both, 99)
	r.LoadBytes = float64(pl.loaded) / float64(max(r.Loads, 1))
	r.BytesPerSave = float64(used.Written) / float64(max(r.Saves, 1))
	if pl.err != nil {
		r.Error = pl.err.Error()
	}
	return r
}

// Table prints a line for each row.
func (r *StoreReport) Table(w io.Writer) {
	fmt.Fprintf(w, "%d islands forked from %d templates, %d clients, %g s each; a save is a stone of %s, or a .slime file of %s, on average\n\n",
		r.Worlds, r.Templates, r.Clients, r.Seconds, table.Size(r.SaveBytes), table.Size(r.FileBytes))
	fmt.Fprintf(w, "with zlib in place of zstd a .slime file has %s on average, takes %.1f times as long to write and %.1f times as long to read\n\n",
		table.Size(r.Deflated.Bytes), r.Deflated.Write, r.Deflated.Read)
	t := table.New(w, "", "operations/s", "p50 ms", "p99 ms", "saves p99", "loads p99", "to disk/save", "a load", "disk", "memory", "stones", "cpu s", "errors")
	for _, row := range r.Rows {
		if row.Missing == "" {
			t.Row(row.Name, fmt.Sprintf("%.0f", row.Ops), ms(row.P50), ms(row.P99), ms(row.SaveP99), ms(row.LoadP99),
				table.Size(int64(row.BytesPerSave)), table.Size(int64(row.LoadBytes)), table.Size(row.Disk), table.Size(row.Memory), fmt.Sprint(row.Highest), fmt.Sprintf("%.0f", row.CPU), fmt.Sprint(row.Errors))
		}
	}
	t.Flush()
	for _, row := range r.Rows {
		if row.Missing != "" {
			fmt.Fprintf(w, "\n%s: %s\n", row.Name, row.Missing)
		}
		if row.Error != "" {
			fmt.Fprintf(w, "\n%s: the first error: %s\n", row.Name, row.Error)
		}
	}
}

// quantile is percentile, and 0 of nothing.
func quantile(times []float64, p int) float64 {
	if len(times) == 0 {
		return 0
	}
	return lab.Percentile(times, p)
}

func ms(v float64) string { return fmt.Sprintf("%.2f", v) }
