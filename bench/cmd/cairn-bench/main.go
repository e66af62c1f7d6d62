// Command cairn-bench runs this project's own measurements:
//
//	go run -C bench ./cmd/cairn-bench NAME [DIR...]
//
// It measures cairn on the worlds below the folders, or on made ones, and prints a
// table. Folders are relative to bench when it is run that way. It ends with status 0
// when done, 2 when called wrongly, 3 when it could not, 130 when interrupted.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/pflag"

	"github.com/cairnvoxel/cairn/bench/arena"
	"github.com/cairnvoxel/cairn/bench/cell"
	"github.com/cairnvoxel/cairn/bench/crowd"
	"github.com/cairnvoxel/cairn/bench/fleet"
	"github.com/cairnvoxel/cairn/bench/growth"
	"github.com/cairnvoxel/cairn/bench/hostile"
	"github.com/cairnvoxel/cairn/bench/index"
	"github.com/cairnvoxel/cairn/bench/island"
	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/bench/large"
	"github.com/cairnvoxel/cairn/bench/level"
	"github.com/cairnvoxel/cairn/bench/light"
	"github.com/cairnvoxel/cairn/bench/living"
	"github.com/cairnvoxel/cairn/bench/lock"
	"github.com/cairnvoxel/cairn/bench/mesh"
	"github.com/cairnvoxel/cairn/bench/month"
	"github.com/cairnvoxel/cairn/bench/polygon"
	"github.com/cairnvoxel/cairn/bench/stream"
	"github.com/cairnvoxel/cairn/bench/ticks"
	"github.com/cairnvoxel/cairn/bench/tiles"
	"github.com/cairnvoxel/cairn/stone"
)

// report is what a measurement found.
type report interface{ Table(io.Writer) }

// measurement is one of the project's own.
type measurement struct {
	do   func(context.Context, []string, lab.Options) (report, error)
	made bool // it takes no folders
}

func ofWorlds[R report](f func(context.Context, []string, lab.Options) (R, error)) measurement {
	return measurement{do: func(ctx context.Context, dirs []string, o lab.Options) (report, error) { return f(ctx, dirs, o) }}
}

func ofMade[R report](f func(context.Context, lab.Options) (R, error)) measurement {
	return measurement{made: true, do: func(ctx context.Context, _ []string, o lab.Options) (report, error) { return f(ctx, o) }}
}

func measurements() map[string]measurement {
	return map[string]measurement{
		"import":   ofWorlds(cell.BenchImport),
		"chunks":   ofWorlds(cell.BenchChunks),
		"codec":    ofWorlds(cell.BenchCodec),
		"forms":    ofWorlds(cell.BenchForms),
		"level":    ofMade(level.BenchLevel),
		"island":   ofMade(island.Bench),
		"week":     ofMade(island.BenchWeek),
		"light":    ofWorlds(light.Bench),
		"edit":     ofMade(level.BenchEdit),
		"paged":    ofMade(level.BenchPaged),
		"grid":     ofWorlds(level.BenchGrid),
		"store":    ofMade(crowd.BenchStore),
		"doors":    ofMade(crowd.BenchDoors),
		"abuse":    ofMade(crowd.BenchAbuse),
		"islands":  ofMade(crowd.BenchIslands),
		"growth":   ofMade(growth.Bench),
		"large":    ofMade(large.Bench),
		"hostile":  ofMade(hostile.Bench),
		"index":    ofWorlds(index.Bench),
		"ticks":    ofMade(ticks.Bench),
		"tiles":    ofMade(tiles.Bench),
		"policies": ofMade(tiles.BenchPolicies),
		"living":   ofWorlds(living.Bench),
		"lock":     ofMade(lock.Bench),
		"arena":    ofWorlds(arena.Bench),
		"polygons": ofMade(polygon.Bench),
		"mesh":     ofMade(mesh.Bench),
		"stream":   ofMade(stream.Bench),
		"viewers":  ofMade(stream.BenchCrowd),
		"month":    ofMade(month.Bench),
		"fleet":    ofMade(fleet.Bench),
	}
}

// maxVoxels bounds the level that is made: 1e10 takes 2 GB in memory.
const maxVoxels = 1e10

// call is what the command line asks for.
type call struct {
	measurement
	dirs    []string
	json    bool
	options lab.Options
}

// errUsage is called wrongly.
var errUsage = errors.New("called wrongly")

func usagef(format string, args ...any) error {
	return fmt.Errorf("%w: %w; try cairn-bench --help", errUsage, fmt.Errorf(format, args...))
}

// parse reads the command line. Asked for help, it prints it and returns pflag.ErrHelp.
func parse(args []string, out io.Writer) (call, error) {
	var c call
	var quick bool
	var voxels float64
	var budget int64
	names := strings.Join(slices.Sorted(maps.Keys(measurements())), ", ")
	f := pflag.NewFlagSet("cairn-bench", pflag.ContinueOnError)
	f.BoolVar(&c.json, "json", false, "print one JSON document")
	f.BoolVar(&quick, "quick", false, "import: stones as cairn import --quick writes them")
	f.Float64Var(&voxels, "voxels", 1e8, "level, edit, grid, paged, stream, viewers: cells that are not empty, at least; 1e9 takes a minute")
	f.Uint64Var(&c.options.Seed, "seed", 1, "another seed makes another terrain or level")
	f.IntVar(&c.options.Worlds, "worlds", 0, "store, islands, month, fleet, ticks: how many; abuse: connections, and calls; forms: how many of a kind are made; island: how many; living: hours (default 100000, 1000000, 1000000, 15000, 100, 10000, 3, 20, 24)")
	f.StringVar(&c.options.Catalogue, "catalogue", "postgres", "fleet: postgres, bucket or mongodb")
	f.StringSliceVar(&c.options.Rows, "row", nil, "store: which rows of "+strings.Join(crowd.StoreRows(), ", ")+" (default: all)")
	f.IntVar(&c.options.Days, "days", 30, "month: how many days it has")
	f.IntVar(&c.options.Clients, "clients", 0, "store: who save and load at the same time; lock: goroutines at most; viewers: how many; fleet: game servers (default 16, 64, 200, 50)")
	f.Float64Var(&c.options.Seconds, "seconds", 0, "store, abuse, tiles, lock, polygons, index, viewers, fleet, ticks: how long each row is measured (default 300, 60, 3, 0.1, 0.3, 0.004, 30, 300, 60)")
	f.Float64Var(&c.options.Rate, "rate", 0, "store: saves and loads a second at most (default: as many as it takes; the source has 70)")
	f.IntSliceVar(&c.options.Columns, "columns", growth.Columns(), "growth: how many columns of 16x16 blocks the lands have, squares")
	f.StringSliceVar(&c.options.Verbs, "verbs", growth.Verbs(), "growth: what is measured")
	f.IntVar(&c.options.Splits, "splits", 1e6, "polygons: how many random splits are checked")
	f.IntVar(&c.options.Edge, "edge", 3750, "large: the edge of the land in columns of 16 cells")
	f.StringSliceVar(&c.options.Traces, "trace", tiles.TraceNames(), "tiles, policies: what is read")
	f.StringSliceVar(&c.options.Caches, "cache", tiles.CacheNames(), "tiles: what is measured; clock, s3fifo and tinylfu are this project's, +N gives each thread a microcache")
	f.IntSliceVar(&c.options.Threads, "threads", tiles.Threads(), "tiles: how many read at the same time")
	f.IntVar(&c.options.Reads, "reads", 0, "tiles, policies, paged: the length of a trace (default 2000000, 2000000, 200000)")
	f.Int64Var(&budget, "budget", 0, "tiles, policies, paged: MiB that a cache keeps (default 128, 32 and 128, 256)")
	f.IntVar(&c.options.TileBytes, "tile", 0, "tiles, policies: bytes of each tile (default: the sizes of the trace)")
	f.IntVar(&c.options.GOGC, "gogc", 0, "tiles: by how many percent the heap grows between collections (default 100)")
	f.StringVar(&c.options.Greedy, "greedy", "", "mesh: the folder of binary-greedy-meshing, built with g++ (default: it is left out)")
	f.StringVar(&c.options.Nets, "nets", "", "mesh: the folder of the crate fast-surface-nets, built with cargo (default: it is left out)")
	f.StringVar(&c.options.Plots, "plots", "", "lock, index: the folder for plots (default: none are drawn)")
	f.StringSliceVar(&c.options.Scenes, "scene", nil, "index: what is measured (default: all)")
	f.StringVar(&c.options.OrthoTree, "orthotree", "", "index: a checkout of OrthoTree, which is compiled with g++ and measured, too")
	f.BoolVar(&c.options.Full, "full", false, "index: all objects of all scenes; stream: a server streams the land, too")
	f.StringVar(&c.options.Cairn, "cairn", "", "store, abuse, growth, large: the file of the command that is measured (default: built from this project)")
	f.Usage = func() {
		fmt.Fprintf(out, "usage: cairn-bench NAME [DIR...]\n\nmeasures cairn on the worlds below the folders, or on made ones.\nNames: %s.\n\n%s", names, f.FlagUsages())
	}
	if err := f.Parse(args); errors.Is(err, pflag.ErrHelp) {
		return c, err
	} else if err != nil {
		return c, usagef("%w", err)
	}
	if f.NArg() == 0 {
		return c, usagef("no measurement; there are %s", names)
	}
	var ok bool
	c.measurement, ok = measurements()[f.Arg(0)]
	c.dirs = f.Args()[1:]
	o := &c.options
	switch {
	case !ok:
		return c, usagef("no measurement %q; there are %s", f.Arg(0), names)
	case c.made && len(c.dirs) > 0:
		return c, usagef("%s takes no folder: it measures what it makes", f.Arg(0))
	case !(voxels >= 1 && voxels <= maxVoxels):
		return c, usagef("--voxels %g: 1 to %g", voxels, float64(maxVoxels))
	case o.Worlds < 0 || o.Clients < 0 || !(o.Seconds >= 0) || !(o.Rate >= 0):
		return c, usagef("--worlds, --clients, --seconds and --rate are not below 0")
	}
	o.Budget = budget << 20
	if err := cmp.Or(growth.Check(*o), index.Check(*o), tiles.Check(*o)); err != nil {
		return c, usagef("%w", err)
	}
	o.Voxels = int64(voxels)
	if quick {
		o.Stone.Effort = stone.Good
	}
	if o.Cairn != "" {
		file, err := filepath.Abs(o.Cairn)
		if err != nil {
			return c, err
		}
		o.Cairn = file
	}
	return c, nil
}

func run(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	if len(args) == 1 && args[0] == crowd.ChildName {
		return crowd.Child(ctx, in, out)
	}
	if len(args) > 0 && args[0] == growth.ChildName {
		return growth.Child(ctx, args[1:])
	}
	if len(args) > 0 && args[0] == tiles.ChildName {
		return tiles.Child(ctx, args[1:], out)
	}
	if len(args) == 1 && args[0] == fleet.ChildName {
		return fleet.Child(ctx, in, out)
	}
	if len(args) == 1 && args[0] == stream.ChildName {
		return stream.Child(ctx, in, out)
	}
	c, err := parse(args, out)
	if err != nil {
		return err
	}
	done := c.showProgress()
	r, err := c.do(ctx, c.dirs, c.options)
	done()
	if err != nil {
		return err
	}
	if !c.json {
		r.Table(out)
		return nil
	}
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// showProgress keeps a line on stderr, if that is a terminal, until done is called.
func (c *call) showProgress() (done func()) {
	if info, err := os.Stderr.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return func() {}
	}
	const clear = "\r\x1b[K"
	c.options.Progress = func(n, all int, next string) { fmt.Fprintf(os.Stderr, clear+"%d of %d  %s", n, all, next) }
	return func() { fmt.Fprint(os.Stderr, clear) }
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout)
	if err == nil || errors.Is(err, pflag.ErrHelp) {
		return
	}
	fmt.Fprintf(os.Stderr, "cairn-bench: %v\n", err)
	switch {
	case errors.Is(err, errUsage):
		os.Exit(2)
	case ctx.Err() != nil:
		os.Exit(130)
	}
	os.Exit(3)
}
