package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/game/arena"
	"github.com/cairnvoxel/cairn/internal/backups"
	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/spf13/cobra"
)

// listed is a world in the store as list prints it.
type listed struct {
	World  string   `json:"world"`
	Commit *version `json:"commit"` // the newest; null if there is none yet
}

// deletedWorld is a deleted world as list prints it.
type deletedWorld struct {
	World   string    `json:"world"`
	Deleted time.Time `json:"deleted"`
}

func newList(sf *storeFlag) *cobra.Command {
	var json, snapshots, deleted bool
	c := &cobra.Command{
		Use:   "list [PREFIX]",
		Short: "Lists the worlds of the store",
		Long: `list lists the worlds of the store, with PREFIX only those whose names begin with it. Snapshots of
worlds that are there, and what moves of many worlds remember, are left out; cairn snapshot list
shows the snapshots. With --deleted it lists the
worlds that cairn undelete can bring back.`,
		Example: "  cairn list @arenas/\n  cairn list --deleted",
		Args:    takes(0, 1),
		RunE: func(c *cobra.Command, args []string) error {
			prefix := strings.TrimPrefix(strings.Join(args, ""), "@")
			if deleted {
				return runListDeleted(c.Context(), sf, c.OutOrStdout(), prefix, json)
			}
			return runList(c.Context(), sf, c.OutOrStdout(), prefix, snapshots, json)
		},
	}
	c.Flags().BoolVar(&snapshots, "snapshots", false, "list snapshots as well: they are worlds too")
	c.Flags().BoolVar(&deleted, "deleted", false, "list deleted worlds instead")
	jsonFlag(c.Flags(), &json)
	return c
}

func runList(ctx context.Context, sf *storeFlag, out io.Writer, prefix string, snapshots, json bool) error {
	st, err := sf.open(ctx)
	if err != nil {
		return err
	}
	const page = 1000
	all := []listed{}
	for after := ""; ; {
		names, err := st.List(ctx, prefix, after, page)
		if err != nil {
			return err
		}
		some, err := listOf(ctx, st, names, snapshots)
		if err != nil {
			return err
		}
		if json {
			all = append(all, some...)
		} else {
			printListed(out, some)
		}
		if len(names) < page {
			break
		}
		after = names[len(names)-1]
	}
	if json {
		return console.PrintJSON(out, map[string]any{"worlds": all})
	}
	return nil
}

// runListDeleted lists the deleted worlds, those deleted last first.
func runListDeleted(ctx context.Context, sf *storeFlag, out io.Writer, prefix string, json bool) error {
	st, err := sf.open(ctx)
	if err != nil {
		return err
	}
	from, err := backups.Archiver(st, sf.location())
	if err != nil {
		return err
	}
	all := []deletedWorld{}
	err = from.Outlines(ctx, func(o history.Outline) error {
		if !o.Deleted.IsZero() && strings.HasPrefix(o.Name, prefix) {
			all = append(all, deletedWorld{"@" + o.Name, o.Deleted})
		}
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortStableFunc(all, func(a, b deletedWorld) int { return b.Deleted.Compare(a.Deleted) })
	if json {
		return console.PrintJSON(out, map[string]any{"deleted": all})
	}
	t := console.NewColumns(out)
	for _, w := range all {
		t.Row(w.World, "deleted "+stamp(w.Deleted))
	}
	t.Flush()
	return nil
}

func listOf(ctx context.Context, st history.Store, names []string, snapshots bool) ([]listed, error) {
	var out []listed
	for _, name := range names {
		if of, _, ok := arena.SplitSnapshotName(name); ok && !snapshots {
			if _, err := st.Head(ctx, of); err == nil {
				continue
			}
		}
		if record.Hidden(name) && !snapshots {
			continue
		}
		log, err := st.Log(ctx, name, history.ID{}, 1)
		if errors.Is(err, history.ErrNoWorld) {
			continue // deleted since it was listed
		}
		if err != nil {
			return nil, err
		}
		l := listed{World: "@" + name}
		if len(log) > 0 {
			l.Commit = versionOf(log[0])
		}
		out = append(out, l)
	}
	return out, nil
}

func printListed(out io.Writer, some []listed) {
	t := console.NewColumns(out)
	for _, l := range some {
		if l.Commit == nil {
			t.Row(l.World, "nothing committed yet")
			continue
		}
		said, _, _ := strings.Cut(l.Commit.Message, "\n")
		t.Row(l.World, fmt.Sprint("version ", l.Commit.Number), l.Commit.stamp(), console.Line(said))
	}
	t.Flush()
}
