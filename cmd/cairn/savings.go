package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/cairnvoxel/cairn/internal/measure"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
)

// table is a report of package measure.
type table interface{ Table(io.Writer) }

func newSavings() *cobra.Command {
	var json, quick bool
	c := &cobra.Command{
		Use:   "savings DIR...",
		Short: "Weighs the worlds below folders: zip, Slime, cairn",
		Long: `savings finds every Anvil world below the folders and prints what it takes as a
zipped folder, as a Slime file, and as a stone with the same content and with
all, for each world and each kind of game.`,
		Example: "  cairn savings ./saves",
		Args:    takes(1, 1<<30),
		RunE: func(c *cobra.Command, args []string) error {
			r, err := savings(c.Context(), args, quick)
			if err != nil {
				return err
			}
			return printReport(c.OutOrStdout(), r, json)
		},
	}
	c.Flags().BoolVar(&json, "json", false, "print one JSON document")
	c.Flags().BoolVar(&quick, "quick", false, "stones as import --quick writes them")
	return c
}

func savings(ctx context.Context, dirs []string, quick bool) (*measure.SavingsReport, error) {
	for _, dir := range dirs {
		info, err := os.Stat(dir)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			return nil, fmt.Errorf("%s: not a folder", dir)
		}
	}
	o, done := measureOptions()
	defer done()
	if quick {
		o.Stone.Effort = stone.Good
	}
	r, err := measure.Savings(ctx, dirs, o)
	if err == nil && len(r.Worlds)+len(r.Skipped) == 0 {
		err = fmt.Errorf("%s: no world below", strings.Join(dirs, ", "))
	}
	return r, err
}

// measureOptions shows progress until done is called.
func measureOptions() (o measure.Options, done func()) {
	if !isTerminal(os.Stderr) {
		return o, func() {}
	}
	bar := progressbar.NewOptions(1, progressbar.OptionSetWriter(os.Stderr), progressbar.OptionClearOnFinish(), progressbar.OptionShowCount())
	o.Progress = func(n, all int, next string) {
		bar.ChangeMax(max(all, 1))
		bar.Describe(next)
		bar.Set(n)
	}
	return o, func() { bar.Finish() }
}

func printReport(out io.Writer, r table, json bool) error {
	if json {
		return printJSON(out, r)
	}
	r.Table(out)
	return nil
}
