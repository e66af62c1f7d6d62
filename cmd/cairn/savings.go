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
	var json, quick, all bool
	c := &cobra.Command{
		Use:   "savings DIR...",
		Short: "Compares the sizes of worlds: folder, zip, Slime, cairn",
		Long: `savings finds every folder of a world below the folders. For each world and each kind of game
it prints the size of the folder, as a zip, as a Slime file, as a .cairn file with the
content of the Slime file, and as a .cairn file with everything. Of a world that Slime cannot hold, such as
one of Hytale, it prints the folder, the zip and the last. --all prints ratios and sizes
without light, as --json does. A world that takes more than a quarter of
--memory is listed as skipped, because a Slime file is made of a whole world.`,
		Example: "  cairn savings ./saves",
		Args:    takes(1, 1<<30),
		RunE: func(c *cobra.Command, args []string) error {
			r, err := weigh(c.Context(), sf, args, quick, !all && !json)
			if err != nil {
				return err
			}
			if json {
				return console.PrintJSON(c.OutOrStdout(), r)
			}
			r.Print(c.OutOrStdout(), all)
			return nil
		},
	}
	c.Flags().BoolVar(&all, "all", false, "print all that can be measured, which takes longer")
	jsonFlag(c.Flags(), &json)
	c.Flags().BoolVar(&quick, "quick", false, "write stones as import --quick does")
	return c
}

func weigh(ctx context.Context, sf *storeFlag, dirs []string, quick, short bool) (*savings.Savings, error) {
	for _, dir := range dirs {
		info, err := os.Stat(dir)
		if err != nil {
			return nil, pathError(dir, err)
		}
		if !info.IsDir() {
			return nil, fmt.Errorf("%s: not a folder", dir)
		}
	}
	o := savings.Options{Memory: sf.memory.world(), Short: short}
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
