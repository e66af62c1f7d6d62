package main

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/spf13/cobra"
)

func newCommit(sf *storeFlag) *cobra.Command {
	var o importOptions
	c := printing(&cobra.Command{
		Use:   "commit SRC @name",
		Short: "Makes the differences the next version of a world",
		Long: `commit reads a world in any known format. It makes the differences from the newest
version of @name the next version. It is cairn import for a world that exists already.
If nothing differs, it says so and makes no version.`,
		Example: "  cairn commit ./saves/hub @hub -m \"new gate\"",
		Args:    takes(2, 2),
	}, func(ctx context.Context, args []string) (result, error) {
		return commitWorld(ctx, sf, args[0], args[1], o)
	})
	c.Flags().BoolVar(&o.salvage, "salvage", false, "keep damaged chunks as they are stored")
	o.note.flags(c.Flags())
	return c
}

func commitWorld(ctx context.Context, sf *storeFlag, from, to string, o importOptions) (*imported, error) {
	name, err := parseName(to)
	if err = errors.Join(err, o.note.check()); err != nil {
		return nil, err
	}
	st, err := sf.openWritable(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := st.Head(ctx, name); err != nil {
		return nil, err
	}
	if o.message == "" {
		o.message = "commit " + filepath.Base(from)
	}
	o.light = "keep"
	return importWorld(ctx, sf, from, to, o)
}
