package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/cairnvoxel/cairn/game/arena"
	"github.com/cairnvoxel/cairn/internal/backups"
	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/store/archive"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/store/history"
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
	var dryRun, snapshots bool
	c := sf.nameVerb("delete", "Removes a world from the store", `delete removes a world from the store. cairn undelete brings it back until cairn gc
deletes it for good, a week later. cairn purge deletes it at once. Its snapshots stay, cairn
list shows them from then on, and a new world of that name has them again, unless
--snapshots removes them too.`,
		"%s is deleted; cairn undelete %[1]s brings it back until gc deletes it for good\n",
		func(st history.Store, ctx context.Context, name string) error {
			err := st.Delete(ctx, name, f.fence())
			if err == nil && snapshots {
				_, err = arena.DeleteAll(ctx, st, name)
			}
			return err
		}, &dryRun)
	f.flags(c.Flags())
	c.Flags().BoolVar(&snapshots, "snapshots", false, "remove its snapshots too")
	dryRunFlag(c.Flags(), &dryRun)
	return c
}

// said is a result in one line.
type said string

func (s said) print(out io.Writer) { fmt.Fprintln(out, string(s)) }

// wouldDelete says what delete would remove.
func wouldDelete(ctx context.Context, st history.Store, name string) (said, error) {
	h, err := st.Head(ctx, name)
	if err != nil {
		return "", err
	}
	what := "which has no version"
	if h.Commit != (history.ID{}) {
		log, err := st.Log(ctx, name, history.ID{}, 1)
		if err != nil {
			return "", err
		}
		what = fmt.Sprintf("whose newest version is %d of %s", log[0].Number, log[0].Time.Format(time.RFC3339))
	}
	return said(fmt.Sprintf("would delete @%s, %s", name, what)), nil
}

// purged is the result of purge.
type purged struct {
	World string `json:"world"`
	history.Purged
	DryRun bool `json:"dry_run,omitempty"` // the stones are all of the worlds, also those that others share
}

func newPurge(sf *storeFlag) *cobra.Command {
	var f force
	dryRun := false
	c := printing(&cobra.Command{
		Use:   "purge @name",
		Short: "Deletes a world for good, with all its versions",
		Long: `purge deletes a world with all its versions, at once and for good. If there is no such
world, it purges the deleted worlds of that name. It keeps and counts what other worlds
share with it.`,
		Example: "  cairn purge @hub",
		Args:    takes(1, 1),
	}, func(ctx context.Context, args []string) (result, error) {
		return purge(ctx, sf, args[0], f.fence(), dryRun)
	})
	f.flags(c.Flags())
	dryRunFlag(c.Flags(), &dryRun)
	return c
}

func purge(ctx context.Context, sf *storeFlag, arg string, fence uint64, dryRun bool) (*purged, error) {
	name, st, err := sf.named(ctx, arg)
	if err != nil {
		return nil, err
	}
	p := &purged{World: arg, DryRun: dryRun}
	if dryRun {
		p.Purged, err = dryPurge(ctx, st, name)
	} else {
		p.Purged, err = st.Purge(ctx, name, fence)
	}
	return p, err
}

// dryPurge counts the stones of the world with a name, or of the worlds that were deleted under it.
func dryPurge(ctx context.Context, st history.Store, name string) (p history.Purged, err error) {
	from, err := backups.Archiver(st, "this store")
	if err != nil {
		return p, err
	}
	var live, deleted []history.Outline
	err = from.Outlines(ctx, func(o history.Outline) error {
		switch {
		case o.Name != name:
		case o.Deleted.IsZero():
			live = append(live, o)
		default:
			deleted = append(deleted, o)
		}
		return nil
	})
	if len(live) > 0 {
		deleted = live
	}
	if err == nil && len(deleted) == 0 {
		err = history.ErrNoWorld
	}
	if err != nil {
		return p, fmt.Errorf("purge %q: %w", name, err)
	}
	for _, o := range deleted {
		a, err := from.Archive(ctx, o)
		if err != nil {
			return p, err
		}
		p.Worlds++
		p.Commits += len(a.Log)
		for _, ref := range archive.Stones(&a) {
			p.Stones++
			p.Bytes += ref.Size
		}
	}
	return p, nil
}

func (p purged) print(out io.Writer) {
	if p.DryRun {
		fmt.Fprintf(out, "nothing is deleted; of %s purge would delete what no other world shares of:\n", p.World)
	} else {
		fmt.Fprintf(out, "%s is gone for good\n", p.World)
	}
	t := console.NewColumns(out)
	t.Row("  worlds", console.Count(p.Worlds))
	t.Row("  versions", console.Count(p.Commits))
	t.Row("  stones", fmt.Sprintf("%s, %s", console.Count(p.Stones), table.Size(p.Bytes)))
	if p.DryRun {
		t.Flush()
		return
	}
	t.Row("  shared, kept", fmt.Sprintf("%s, %s", console.Count(p.SharedStones), table.Size(p.SharedBytes)))
	t.Flush()
}

func newUndelete(sf *storeFlag) *cobra.Command {
	c := sf.nameVerb("undelete", "Brings a deleted world back", "undelete brings a deleted world back. If several of that name were deleted, it brings\nback the last one. cairn list --deleted shows which can be brought back.",
		"%s is back\n", history.Store.Undelete, nil)
	c.Args = func(c *cobra.Command, args []string) error {
		err := takes(1, 1)(c, args)
		if len(args) == 0 {
			err = usagef("%w; cairn list --deleted shows the names", err)
		}
		return err
	}
	return c
}

// nameVerb returns a verb that calls do with the name of a world. If dryRun points to true, it
// says which world would be deleted.
func (sf *storeFlag) nameVerb(verb, short, long, done string, do func(history.Store, context.Context, string) error, dryRun *bool) *cobra.Command {
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
			if dryRun != nil && *dryRun {
				would, err := wouldDelete(c.Context(), st, name)
				if err == nil {
					would.print(c.OutOrStdout())
				}
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
