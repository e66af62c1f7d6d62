package main

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/measure"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/spf13/cobra"
)

// measurement is one of the project's own.
type measurement struct {
	do   func(context.Context, []string, measure.Options) (table, error)
	made bool // it takes no folders
}

func measurementOf[R table](f func(context.Context, []string, measure.Options) (R, error)) measurement {
	return measurement{do: func(ctx context.Context, dirs []string, o measure.Options) (table, error) { return f(ctx, dirs, o) }}
}

func measurementOfMade[R table](f func(context.Context, measure.Options) (R, error)) measurement {
	return measurement{made: true, do: func(ctx context.Context, _ []string, o measure.Options) (table, error) { return f(ctx, o) }}
}

func benches() map[string]measurement {
	return map[string]measurement{
		"import":  measurementOf(measure.BenchImport),
		"chunks":  measurementOf(measure.BenchChunks),
		"codec":   measurementOf(measure.BenchCodec),
		"forms":   measurementOf(measure.BenchForms),
		"level":   measurementOfMade(measure.BenchLevel),
		"island":  measurementOfMade(measure.BenchIsland),
		"light":   measurementOf(measure.BenchLight),
		"edit":    measurementOfMade(measure.BenchEdit),
		"grid":    measurementOf(measure.BenchGrid),
		"store":   measurementOfMade(measure.BenchStore),
		"abuse":   measurementOfMade(measure.BenchAbuse),
		"islands": measurementOfMade(measure.BenchIslands),
	}
}

// benchChild is what package measure calls this verb with, in place of a name.
const benchChild = "child"

// maxVoxels bounds the level that is made: 1e10 takes 2 GB in memory.
const maxVoxels = 1e10

func newBench() *cobra.Command {
	var json, quick bool
	var voxels float64
	var seed uint64
	var load measure.Options
	names := strings.Join(slices.Sorted(maps.Keys(benches())), ", ")
	c := &cobra.Command{
		Use:   "bench NAME [DIR...]",
		Short: "Runs this project's own measurements: " + names,
		Long: `bench measures cairn on the worlds below the folders, or on made ones, and
prints a table.
Names: ` + names + `.`,
		Example: "  cairn bench import ./saves\n  cairn bench level --voxels 1e9\n  cairn bench store --seconds 30 --worlds 10000",
		Args:    takes(1, 1<<30),
		RunE: func(c *cobra.Command, args []string) error {
			if args[0] == benchChild {
				return measure.Child(c.Context(), c.InOrStdin(), c.OutOrStdout())
			}
			bench, ok := benches()[args[0]]
			switch {
			case !ok:
				return usagef("no measurement %q; there are %s", args[0], names)
			case bench.made && len(args) > 1:
				return usagef("bench %s takes no folder: it measures what it makes", args[0])
			case !(voxels >= 1 && voxels <= maxVoxels):
				return usagef("--voxels %g: 1 to %g", voxels, float64(maxVoxels))
			case load.Worlds < 0 || load.Clients < 0 || !(load.Seconds >= 0):
				return usagef("--worlds, --clients and --seconds are not below 0")
			}
			o, done := measureOptions()
			defer done()
			o.Voxels, o.Seed = int64(voxels), seed
			if quick {
				o.Stone.Effort = stone.Good
			}
			o.Worlds, o.Clients, o.Seconds = load.Worlds, load.Clients, load.Seconds
			r, err := bench.do(c.Context(), args[1:], o)
			if err != nil {
				return err
			}
			return printReport(c.OutOrStdout(), r, json)
		},
	}
	f := c.Flags()
	f.BoolVar(&json, "json", false, "print one JSON document")
	f.BoolVar(&quick, "quick", false, "import: stones as import --quick writes them")
	f.Float64Var(&voxels, "voxels", 1e8, "level, edit, grid: cells that are not empty, at least; 1e9 takes a minute")
	f.Uint64Var(&seed, "seed", 1, "another seed makes another terrain or level")
	f.IntVar(&load.Worlds, "worlds", 0, "store, islands: how many; abuse: connections, and calls; forms: how many of a kind are made; island: how many (default 100000, 1000000, 10000, 3, 20)")
	f.IntVar(&load.Clients, "clients", 0, "store: who save and load at the same time (default 16)")
	f.Float64Var(&load.Seconds, "seconds", 0, "store, abuse: how long each row is measured (default 300, 60)")
	return c
}
