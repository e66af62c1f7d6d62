package main

import (
	"context"
	"fmt"

	"github.com/cairnvoxel/cairn/world"
	"github.com/spf13/cobra"
)

func newDelete(d *depot) *cobra.Command {
	return d.nameVerb("delete", "Takes a world out of the store", `delete takes a world out of the store. Until cairn gc has taken it for good, a week
later, cairn undelete brings it back.`,
		"%s is deleted; until gc takes it, cairn undelete %[1]s brings it back\n",
		func(st world.Store, ctx context.Context, name string) error { return st.Delete(ctx, name, 0) })
}

func newUndelete(d *depot) *cobra.Command {
	return d.nameVerb("undelete", "Brings a deleted world back", "undelete brings a deleted world back: of several of that name, the last.",
		"%s is back\n", world.Store.Undelete)
}

// nameVerb is a verb that does one thing with a name.
func (d *depot) nameVerb(verb, short, long, done string, do func(world.Store, context.Context, string) error) *cobra.Command {
	return &cobra.Command{
		Use:     verb + " @name",
		Short:   short,
		Long:    long,
		Example: "  cairn " + verb + " @hub",
		Args:    takes(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			name, err := parseName(args[0])
			if err != nil {
				return err
			}
			st, err := d.change(c.Context())
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
