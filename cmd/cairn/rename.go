package main

import (
	"context"
	"fmt"
	"io"

	"github.com/cairnvoxel/cairn/game/arena"
	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/spf13/cobra"
)

func newRename(sf *storeFlag) *cobra.Command {
	var f force
	c := &cobra.Command{
		Use:     "rename @name @new",
		Short:   "Gives a world another name",
		Long:    "rename gives a world another name. It keeps all its versions, and its snapshots go with it.",
		Example: "  cairn rename @hub @lobby/main",
		Args:    takes(2, 2),
		RunE: func(c *cobra.Command, args []string) error {
			return runRename(c.Context(), sf, c.OutOrStdout(), args[0], args[1], f.fence())
		},
	}
	f.flags(c.Flags())
	return c
}

func runRename(ctx context.Context, sf *storeFlag, out io.Writer, from, to string, fence uint64) error {
	next, err := parseName(to)
	if err != nil {
		return err
	}
	name, st, err := sf.named(ctx, from)
	if err != nil {
		return err
	}
	moved, err := arena.Rename(ctx, st, name, next, fence)
	if err != nil {
		return err
	}
	with := ""
	if moved > 0 {
		with = ", with " + console.Counted(moved, "snapshot")
	}
	_, err = fmt.Fprintf(out, "%s is %s now%s\n", from, to, with)
	return err
}
