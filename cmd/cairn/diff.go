package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/diff"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/spf13/cobra"
)

func newDiff(sf *storeFlag) *cobra.Command {
	return printing(&cobra.Command{
		Use:   "diff A B",
		Short: "Compares two worlds",
		Long: `diff compares two worlds in any formats. It compares cells by meaning, tags without
their order in a compound, and files byte by byte. The exit status is 0 if the worlds
are the same and 1 if they differ. For two versions of one world it reads only the
parts that differ.`,
		Example: "  cairn diff ./saves/hub hub.cairn",
		Args:    takes(2, 2),
	}, func(ctx context.Context, args []string) (result, error) {
		d, err := diffPaths(ctx, sf, args[0], args[1])
		return differing(d, err)
	})
}

// notCompared hides that an error reports damage: a damaged world gives exit status 3,
// because status 1 would mean that the worlds differ.
type notCompared struct{ error }

// compared returns an error of comparing.
func compared(err error) error {
	if isWrong(err) {
		return notCompared{err}
	}
	return err
}

// difference is the result of diff.
type difference struct{ *diff.Difference }

// differing returns a difference as a result, with errWrong if there is one.
func differing(d *diff.Difference, err error) (result, error) {
	if err == nil && !d.Same() {
		err = partly{errWrong}
	}
	return difference{d}, err
}

// diffPaths compares two worlds in any formats. Of two versions of a world it reads what differs.
func diffPaths(ctx context.Context, sf *storeFlag, a, b string) (*diff.Difference, error) {
	var worlds [2]stone.Content
	for i, path := range []string{a, b} {
		src, err := openSource(ctx, sf, path, true)
		if err == nil {
			defer src.Close()
			worlds[i], err = src.parts(ctx, nil)
		}
		if err != nil {
			return nil, compared(err)
		}
	}
	d, err := diff.Worlds(ctx, worlds[0], worlds[1], diff.Options{})
	return d, compared(cmp.Or(err, ctx.Err()))
}

func (d difference) print(out io.Writer) {
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
