package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// forked is what fork prints.
type forked struct {
	World  string   `json:"world"`
	From   string   `json:"from"`
	Commit *version `json:"commit"` // the newest that both have
}

func newFork(sf *storeFlag) *cobra.Command {
	var json bool
	c := &cobra.Command{
		Use:   "fork @name[@version] @new",
		Short: "Makes a new world that begins as a version of another",
		Long: `fork makes a new world that begins as a version of another. It copies nothing: both
worlds share stones until they change.`,
		Example: "  cairn fork @arena @match/17",
		Args:    takes(2, 2),
		RunE: func(c *cobra.Command, args []string) error {
			return runFork(c.Context(), sf, c.OutOrStdout(), args[0], args[1], json)
		},
	}
	c.Flags().BoolVar(&json, "json", false, "print one JSON document")
	return c
}

func runFork(ctx context.Context, sf *storeFlag, out io.Writer, from, to string, json bool) error {
	a, err := parseAddress(from)
	if err != nil {
		return err
	}
	name, st, err := sf.named(ctx, to)
	if err != nil {
		return err
	}
	c, err := a.commit(ctx, st)
	if err != nil {
		return err
	}
	if err := st.Fork(ctx, a.name, c.ID(), name); err != nil {
		return err
	}
	return report(out, &forked{to, "@" + a.name, versionOf(c)}, json)
}

func (f *forked) print(out io.Writer) {
	fmt.Fprintf(out, "%s begins as %s, version %s\n", f.World, f.From, f.Commit)
}
