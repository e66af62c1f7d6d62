package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// forked is the result of fork.
type forked struct {
	World  string   `json:"world"`
	From   string   `json:"from"`
	Commit *version `json:"commit"` // the newest that both have
}

func newFork(sf *storeFlag) *cobra.Command {
	return printing(&cobra.Command{
		Use:   "fork @name[@version] @new",
		Short: "Makes a new world that begins as a version of another",
		Long: `fork makes a new world that begins as a version of another. It copies nothing: both
worlds share stones until they change.`,
		Example: "  cairn fork @arena @match/17",
		Args:    takes(2, 2),
	}, func(ctx context.Context, args []string) (result, error) { return fork(ctx, sf, args[0], args[1]) })
}

func fork(ctx context.Context, sf *storeFlag, from, to string) (*forked, error) {
	a, err := parseAddress(from)
	if err != nil {
		return nil, err
	}
	name, st, err := sf.named(ctx, to)
	if err != nil {
		return nil, err
	}
	c, err := a.commit(ctx, st)
	if err == nil {
		err = st.Fork(ctx, a.name, c.ID(), name)
	}
	return &forked{to, "@" + a.name, versionOf(c)}, err
}

func (f *forked) print(out io.Writer) {
	fmt.Fprintf(out, "%s begins as %s, version %s\n", f.World, f.From, f.Commit)
}
