// Package island measures one player's island: how fast it loads, and what a week of saves and
// many packs take.
package island

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/local"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/world"
)

// Load is how long it takes to open an island and to have something of it
// in memory, in milliseconds.
type Load struct {
	What string  `json:"what"`
	P50  float64 `json:"p50_ms"`
	P99  float64 `json:"p99_ms"`
}

// Report is what loading islands of 100 columns takes, from a store in a
// directory whose files the system has in memory.
type Report struct {
	Islands int    `json:"islands"`
	Loads   int    `json:"loads"`       // of each kind
	Bytes   int64  `json:"mean_bytes"`  // of an island's stones
	Chunks  int    `json:"mean_chunks"` // of blocks
	Rows    []Load `json:"rows"`
}

const (
	islandSeeds = 20
	islandLoads = 50 // of each island
)

// Bench opens and loads the islands of package terrain with seeds 1 to 20, or 1 to Options.Worlds,
// on two goroutines.
func Bench(ctx context.Context, o lab.Options) (*Report, error) {
	n := cmp.Or(o.Worlds, islandSeeds)
	r := &Report{Islands: n, Loads: n * islandLoads}
	err := lab.InStore(func(st *local.Store, _ string) error { return r.bench(ctx, st, o) })
	return r, err
}

func (r *Report) bench(ctx context.Context, st history.Store, o lab.Options) error {
	for seed := range r.Islands {
		o.Step(seed, r.Islands+3, "making islands")
		island := terrain.Island(terrain.Options{Seed: uint64(seed + 1), Version: terrain.Modern})
		n, err := ImportSource(ctx, st, islandName(seed), island)
		if err != nil {
			return err
		}
		r.Bytes += n / int64(r.Islands)
	}
	for i, k := range []struct {
		what    string
		volumes []string
	}{{"blocks", []string{voxel.Block}}, {"blocks and light", []string{voxel.Block, voxel.Sky, voxel.Light}}, {"everything", nil}} {
		o.Step(r.Islands+i, r.Islands+3, k.what)
		p50, p99, err := r.load(ctx, st, k.volumes)
		if err != nil {
			return err
		}
		r.Rows = append(r.Rows, Load{k.what, p50, p99})
	}
	return nil
}

func islandName(seed int) string { return fmt.Sprintf("island/%d", seed+1) }

// ImportSource makes a world of src, and returns its stone's size.
func ImportSource(ctx context.Context, st history.Store, name string, src format.Source) (int64, error) {
	w, err := convert.Load(ctx, src)
	if err != nil {
		return 0, err
	}
	var out bytes.Buffer
	id, n, err := convert.WriteStone(ctx, w, &out, stone.Options{})
	if err != nil {
		return 0, err
	}
	_, err = world.Import(ctx, st, name, history.Stone{ID: id, Data: out.Bytes()}, world.Options{}, "made")
	return n, err
}

// load loads each island some times and returns the times' percentiles.
func (r *Report) load(ctx context.Context, st history.Store, volumes []string) (p50, p99 float64, err error) {
	var times []float64
	chunks := 0
	for i := range r.Loads {
		start := time.Now()
		w, err := world.Open(ctx, st, islandName(i%r.Islands), world.Options{Parallel: 2})
		if err != nil {
			return 0, 0, err
		}
		d := w.View().Dimensions()[0]
		if _, err := w.Load(ctx, d.Name(), world.Everywhere, volumes...); err != nil {
			return 0, 0, errors.Join(err, w.Close())
		}
		times = append(times, time.Since(start).Seconds()*1000)
		chunks += d.Volume(voxel.Block).Len()
		if err := w.Close(); err != nil {
			return 0, 0, err
		}
	}
	r.Chunks = chunks / r.Loads
	return lab.Percentile(times, 50), lab.Percentile(times, 99), nil
}

// Table prints a line for each kind of load.
func (r *Report) Table(w io.Writer) {
	fmt.Fprintf(w, "%d islands of 100 columns: %d chunks of blocks, %s in the store, on average; %d loads of each kind\n\n",
		r.Islands, r.Chunks, table.Size(r.Bytes), r.Loads)
	t := table.New(w, "opened, and in memory", "p50 ms", "p99 ms")
	for _, l := range r.Rows {
		t.Row(l.What, fmt.Sprintf("%.2f", l.P50), fmt.Sprintf("%.2f", l.P99))
	}
	t.Flush()
}
