package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/savings"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/spf13/cobra"
)

func newSavings(sf *storeFlag) *cobra.Command {
	var json, quick bool
	c := &cobra.Command{
		Use:   "savings DIR...",
		Short: "Compares the sizes of worlds: zip, Slime, cairn",
		Long: `savings finds every Anvil world below the folders. For each world and each kind of game
it prints the size as a zipped folder, as a Slime file, as a stone with the content of
the Slime file, and as a stone with everything. A world that takes more than a quarter of
--memory is listed as skipped, because a Slime file is made of a whole world.`,
		Example: "  cairn savings ./saves",
		Args:    takes(1, 1<<30),
		RunE: func(c *cobra.Command, args []string) error {
			r, err := weigh(c.Context(), sf, args, quick)
			if err != nil {
				return err
			}
			if json {
				return console.PrintJSON(c.OutOrStdout(), r)
			}
			r.Table(c.OutOrStdout())
			return nil
		},
	}
	c.Flags().BoolVar(&json, "json", false, "print one JSON document")
	c.Flags().BoolVar(&quick, "quick", false, "write stones as import --quick does")
	return c
}

func weigh(ctx context.Context, sf *storeFlag, dirs []string, quick bool) (*savings.Report, error) {
	for _, dir := range dirs {
		info, err := os.Stat(dir)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			return nil, fmt.Errorf("%s: not a folder", dir)
		}
	}
	o := savings.Options{Memory: sf.memory.world()}
	show, done := console.Bar()
	defer done()
	o.Progress = show
	if quick {
		o.Stone.Effort = stone.Good
	}
	r, err := savings.Of(ctx, dirs, o)
	if err == nil && len(r.Worlds)+len(r.Skipped) == 0 {
		err = fmt.Errorf("%s: no world below", strings.Join(dirs, ", "))
	}
	return r, err
}
