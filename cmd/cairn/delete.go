package main

import (
	"context"
	"fmt"
	"io"

	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// force says that a verb may change a world whose lease someone else holds.
type force bool

func (f *force) flags(to *pflag.FlagSet) {
	to.BoolVar((*bool)(f), "force", false, "change the world even if someone holds its lease; the holder loses it")
}

// fence returns the fence for the change.
func (f force) fence() uint64 {
	if f {
		return history.Force
	}
	return 0
}

func newDelete(sf *storeFlag) *cobra.Command {
	var f force
	c := sf.nameVerb("delete", "Removes a world from the store", `delete removes a world from the store. cairn undelete brings it back until cairn gc
deletes it for good, a week later. cairn purge deletes it at once. Its snapshots stay, and
cairn list shows them from then on.`,
		"%s is deleted; cairn undelete %[1]s brings it back until gc deletes it for good\n",
		func(st history.Store, ctx context.Context, name string) error { return st.Delete(ctx, name, f.fence()) })
	f.flags(c.Flags())
	return c
}

// purged is what purge prints.
type purged struct {
	World string `json:"world"`
	history.Purged
}

func newPurge(sf *storeFlag) *cobra.Command {
	var f force
	var json bool
	c := &cobra.Command{
		Use:   "purge @name",
		Short: "Deletes a world for good, with all its versions",
		Long: `purge deletes a world with all its versions, at once and for good. If there is no such
world, it purges the deleted worlds of that name. It keeps and counts what other worlds
share with it.`,
		Example: "  cairn purge @hub",
		Args:    takes(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return runPurge(c.Context(), sf, c.OutOrStdout(), args[0], f.fence(), json)
		},
	}
	f.flags(c.Flags())
	c.Flags().BoolVar(&json, "json", false, "print one JSON document")
	return c
}

func runPurge(ctx context.Context, sf *storeFlag, out io.Writer, arg string, fence uint64, json bool) error {
	name, st, err := sf.named(ctx, arg)
	if err != nil {
		return err
	}
	p, err := st.Purge(ctx, name, fence)
	if err != nil {
		return err
	}
	return report(out, purged{arg, p}, json)
}

func (p purged) print(out io.Writer) {
	fmt.Fprintf(out, "%s is gone for good\n", p.World)
	t := console.NewColumns(out)
	t.Row("  worlds", console.Count(p.Worlds))
	t.Row("  versions", console.Count(p.Commits))
	t.Row("  stones", fmt.Sprintf("%s, %s", console.Count(p.Stones), table.Size(p.Bytes)))
	t.Row("  shared, kept", fmt.Sprintf("%s, %s", console.Count(p.SharedStones), table.Size(p.SharedBytes)))
	t.Flush()
}

func newUndelete(sf *storeFlag) *cobra.Command {
	return sf.nameVerb("undelete", "Brings a deleted world back", "undelete brings a deleted world back. If several of that name were deleted, it brings\nback the last one.",
		"%s is back\n", history.Store.Undelete)
}

// nameVerb returns a verb that calls do with the name of a world.
func (sf *storeFlag) nameVerb(verb, short, long, done string, do func(history.Store, context.Context, string) error) *cobra.Command {
	return &cobra.Command{
		Use:     verb + " @name",
		Short:   short,
		Long:    long,
		Example: "  cairn " + verb + " @hub",
		Args:    takes(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			name, st, err := sf.named(c.Context(), args[0])
			if err != nil {
				return err
			}
			if err := do(st, c.Context(), name); err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), done, args[0])
			return err
		},
	}
}
