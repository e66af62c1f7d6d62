package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/diff"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/world"
	"github.com/spf13/cobra"
)

func newDiff(sf *storeFlag) *cobra.Command {
	var json bool
	c := &cobra.Command{
		Use:   "diff A B",
		Short: "Compares two worlds",
		Long: `diff compares two worlds in any formats. It compares cells by meaning, tags without
their order in a compound, and files byte by byte. The exit status is 0 if the worlds
are the same and 1 if they differ. For two versions of one world it reads only the
parts that differ.`,
		Example: "  cairn diff ./saves/hub hub.cairn",
		Args:    takes(2, 2),
		RunE: func(c *cobra.Command, args []string) error {
			return runDiff(c.Context(), sf, c.OutOrStdout(), args[0], args[1], json)
		},
	}
	c.Flags().BoolVar(&json, "json", false, "print one JSON document")
	return c
}

// notCompared hides that an error reports damage: a damaged world gives exit status 3,
// because status 1 would mean that the worlds differ.
type notCompared struct{ error }

func runDiff(ctx context.Context, sf *storeFlag, out io.Writer, a, b string, json bool) error {
	d, err := diffPaths(ctx, sf, a, b)
	if err != nil {
		return err
	}
	return printDiff(out, d, json)
}

// printDiff prints a difference and returns errWrong if there is one.
func printDiff(out io.Writer, d *diff.Difference, json bool) (err error) {
	if json {
		err = console.PrintJSON(out, d)
	} else {
		printDifference(out, d)
	}
	if err == nil && !d.Same() {
		err = errWrong
	}
	return err
}

func diffPaths(ctx context.Context, sf *storeFlag, a, b string) (*diff.Difference, error) {
	d, err := diffVersions(ctx, sf, a, b)
	if d == nil && err == nil {
		d, err = diffWhole(ctx, sf, a, b)
	}
	switch {
	case isWrong(err):
		return nil, notCompared{err}
	case err != nil:
		return nil, err
	}
	return d, ctx.Err()
}

// diffWhole compares two worlds in any formats.
func diffWhole(ctx context.Context, sf *storeFlag, a, b string) (*diff.Difference, error) {
	var worlds [2]stone.Content
	for i, path := range []string{a, b} {
		src, err := openSource(ctx, sf, path, true)
		if err == nil {
			defer src.Close()
			worlds[i], err = src.parts(ctx, nil)
		}
		if err != nil {
			return nil, err
		}
	}
	return diff.Worlds(ctx, worlds[0], worlds[1], diff.Options{})
}

// diffVersions compares two versions of one world. It reads only the parts that differ. It
// returns nil if a and b are not versions of one world.
func diffVersions(ctx context.Context, sf *storeFlag, a, b string) (*diff.Difference, error) {
	if !isAddress(a) || !isAddress(b) {
		return nil, nil
	}
	first, errA := parseAddress(a)
	second, errB := parseAddress(b)
	if errA != nil || errB != nil || first.name != second.name {
		return nil, errors.Join(errA, errB)
	}
	st, err := sf.open(ctx)
	if err != nil {
		return nil, err
	}
	var versions [2]*world.Snapshot
	for i, at := range []address{first, second} {
		c, err := at.commit(ctx, st)
		if err != nil {
			return nil, err
		}
		if versions[i], err = world.OpenSnapshot(ctx, st, at.name, c.ID(), world.Options{Cache: sf.memory.cache()}); err != nil {
			return nil, err
		}
		defer versions[i].Close()
	}
	return diff.Worlds(ctx, versions[0], versions[1], diff.Options{})
}

func printDifference(out io.Writer, d *diff.Difference) {
	if d.Same() {
		fmt.Fprintln(out, "same")
		return
	}
	t := console.NewColumns(out)
	t.Row("cells", console.Count(d.Cells))
	for _, v := range slices.Sorted(maps.Keys(d.Volumes)) {
		t.Row("  "+v, console.Count(d.Volumes[v]))
	}
	t.Row("objects", console.Count(d.Objects))
	t.Row("columns", console.Count(d.Columns))
	t.Row("properties", console.Count(d.Properties))
	t.Row("files", console.Count(d.Files))
	t.Flush()
	console.PrintList(out, "first:", d.First)
}
