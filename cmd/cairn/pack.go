package main

import (
	"context"
	"fmt"
	"io"

	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/world"
	"github.com/spf13/cobra"
)

// packed is the result of pack.
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
	return printing(&cobra.Command{
		Use:   "pack @name",
		Short: "Merges the stones of a world into one",
		Long: `pack merges all stones that the newest version of a world needs into one, as small as
possible. It changes no version; cairn gc deletes what is no longer needed. Worlds with
many stones are packed automatically; use pack for a world that will not change for a
while.`,
		Example: "  cairn pack @hub",
		Args:    takes(1, 1),
	}, func(ctx context.Context, args []string) (result, error) { return pack(ctx, sf, args[0]) })
}

func pack(ctx context.Context, sf *storeFlag, arg string) (*packed, error) {
	name, err := parseName(arg)
	if err != nil {
		return nil, err
	}
	r := &packed{World: arg}
	return r, sf.withWorld(ctx, name, "", func(w *world.World) (err error) {
		if r.Before, err = stackOf(ctx, sf.st, w); err == nil {
			err = w.Pack(ctx)
		}
		if err == nil {
			r.After, err = stackOf(ctx, sf.st, w)
		}
		return err
	})
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
