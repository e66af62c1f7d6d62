package main

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/measure"
	"github.com/spf13/cobra"
)

// measurement is one of the project's own.
type measurement func(context.Context, []string, measure.Options) (table, error)

func measurementOf[R table](f func(context.Context, []string, measure.Options) (R, error)) measurement {
	return func(ctx context.Context, dirs []string, o measure.Options) (table, error) { return f(ctx, dirs, o) }
}

func benches() map[string]measurement {
	return map[string]measurement{
		"import": measurementOf(measure.BenchImport),
		"chunks": measurementOf(measure.BenchChunks),
		"codec":  measurementOf(measure.BenchCodec),
	}
}

func newBench() *cobra.Command {
	var json bool
	names := strings.Join(slices.Sorted(maps.Keys(benches())), ", ")
	c := &cobra.Command{
		Use:   "bench NAME [DIR...]",
		Short: "Runs this project's own measurements: " + names,
		Long: `bench measures cairn on the worlds below the folders and prints a table.
Names: ` + names + `.`,
		Example: "  cairn bench import ./saves",
		Args:    takes(1, 1<<30),
		RunE: func(c *cobra.Command, args []string) error {
			bench := benches()[args[0]]
			if bench == nil {
				return usagef("no measurement %q; there are %s", args[0], names)
			}
			o, done := measureOptions()
			defer done()
			r, err := bench(c.Context(), args[1:], o)
			if err != nil {
				return err
			}
			return printReport(c.OutOrStdout(), r, json)
		},
	}
	c.Flags().BoolVar(&json, "json", false, "print one JSON document")
	return c
}
