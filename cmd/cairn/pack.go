package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/world"
	"github.com/spf13/cobra"
)

// packed is what pack prints.
type packed struct {
	World  string `json:"world"`
	Before stack  `json:"before"`
	After  stack  `json:"after"`
}

// stack counts the stones that the newest version of a world needs.
type stack struct {
	Stones int   `json:"stones"`
	Bytes  int64 `json:"bytes"`
}

// String returns the number of stones and their bytes.
func (s stack) String() string {
	return console.Counted(s.Stones, "stone") + " of " + table.Size(s.Bytes)
}

func newPack(sf *storeFlag) *cobra.Command {
	var json bool
	c := &cobra.Command{
		Use:   "pack @name",
		Short: "Merges the stones of a world into one",
		Long: `pack merges all stones that the newest version of a world needs into one, as small as
possible. It changes no version; cairn gc deletes what is no longer needed. Worlds with
many stones are packed automatically; use pack for a world that will not change for a
while.`,
		Example: "  cairn pack @hub",
		Args:    takes(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return runPack(c.Context(), sf, c.OutOrStdout(), args[0], json)
		},
	}
	c.Flags().BoolVar(&json, "json", false, "print one JSON document")
	return c
}

func runPack(ctx context.Context, sf *storeFlag, out io.Writer, arg string, json bool) error {
	name, err := parseName(arg)
	if err != nil {
		return err
	}
	w, err := sf.world(ctx, name, "")
	if err != nil {
		return err
	}
	r := &packed{World: arg}
	if r.Before, err = stackOf(ctx, sf.st, w); err == nil {
		err = w.Pack(ctx)
	}
	if err == nil {
		r.After, err = stackOf(ctx, sf.st, w)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return err
	}
	return report(out, r, json)
}

func stackOf(ctx context.Context, st history.Store, w *world.World) (s stack, err error) {
	layers, err := st.Stack(ctx, w.Name(), w.Head())
	for _, l := range layers {
		s.Stones++
		s.Bytes += l.Stone.Size
	}
	return s, err
}

func (p *packed) print(out io.Writer) {
	fmt.Fprintf(out, "%s needs %s, before %s\n", p.World, p.After, p.Before)
}
