package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

func newRename(sf *storeFlag) *cobra.Command {
	var f force
	c := &cobra.Command{
		Use:     "rename @name @new",
		Short:   "Gives a world another name",
		Long:    "rename gives a world another name. It keeps all its versions.",
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
	if err := st.Rename(ctx, name, next, fence); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s is %s now\n", from, to)
	return err
}
