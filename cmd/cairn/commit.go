package main

import (
	"context"
	"errors"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"
)

func newCommit(sf *storeFlag) *cobra.Command {
	var o importOptions
	c := &cobra.Command{
		Use:   "commit SRC @name",
		Short: "Makes the differences the next version of a world",
		Long: `commit reads a world in any known format. It makes the differences from the newest
version of @name the next version. It is cairn import for a world that exists already.
If nothing differs, it says so and makes no version.`,
		Example: "  cairn commit ./saves/hub @hub -m \"new gate\"",
		Args:    takes(2, 2),
		RunE: func(c *cobra.Command, args []string) error {
			return runCommit(c.Context(), sf, c.OutOrStdout(), args[0], args[1], o)
		},
	}
	f := c.Flags()
	f.BoolVar(&o.salvage, "salvage", false, "keep damaged chunks as they are stored")
	f.BoolVar(&o.json, "json", false, "print one JSON document")
	o.note.flags(f)
	return c
}

func runCommit(ctx context.Context, sf *storeFlag, out io.Writer, from, to string, o importOptions) error {
	name, err := parseName(to)
	if err = errors.Join(err, o.note.check()); err != nil {
		return err
	}
	st, err := sf.openWritable(ctx)
	if err != nil {
		return err
	}
	if _, err := st.Head(ctx, name); err != nil {
		return err
	}
	if o.message == "" {
		o.message = "commit " + filepath.Base(from)
	}
	o.light = "keep"
	return runImport(ctx, sf, out, from, to, o)
}
