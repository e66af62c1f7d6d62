package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/store/backup"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/spf13/cobra"
)

type migrateOptions struct {
	workers          int
	keepSource, json bool
	dryRun           bool
}

// migrated is what migrate prints.
type migrated struct {
	From string `json:"from"`
	To   string `json:"to"`
	backup.Migrated
}

// wouldMove is what migrate prints with --dry-run.
type wouldMove struct {
	Worlds []string `json:"worlds"`
}

func (w wouldMove) print(out io.Writer) {
	console.PrintList(out, "would move, and delete at the source:", w.Worlds)
	fmt.Fprintf(out, "%s\n", console.Counted(len(w.Worlds), "world"))
}

func newMigrate(sf *storeFlag) *cobra.Command {
	var o migrateOptions
	c := &cobra.Command{
		Use:   "migrate FROM TO",
		Short: "Moves all worlds of a living store to another store",
		Long: `migrate moves all worlds, with their histories, from one store to another: local:DIR,
cluster:FILE or a server's URL. The source may be in use. migrate copies all worlds, and
then moves one after the other: it takes the world's lease from whoever has it, copies
the rest, compares both sides, deletes the world at the source, where it can be
restored, and lets it be opened at the target. A game that had the world open gets an
error for its next save and opens it at the target. No save that was acknowledged is
lost.

migrate can be repeated after an interruption, and goes on. It replaces no world of the
target.`,
		Example: "  cairn migrate local:cairn-data cluster:cairn.toml\n  cairn migrate https://old:7070 https://new:7070",
		Args:    takes(2, 2),
		RunE: func(c *cobra.Command, args []string) error {
			return o.run(c.Context(), sf, c.OutOrStdout(), args[0], args[1])
		},
	}
	f := c.Flags()
	f.BoolVar(&o.keepSource, "keep-source", false, "keep moved worlds at the source, below "+backup.MovedPrefix)
	f.BoolVar(&o.dryRun, "dry-run", false, "move and delete nothing, and list the worlds that would be moved and deleted at the source")
	f.IntVar(&o.workers, "workers", 4, "how many worlds are moved at a time")
	f.BoolVar(&o.json, "json", false, "print one JSON document")
	return c
}

func (o *migrateOptions) run(ctx context.Context, sf *storeFlag, out io.Writer, from, to string) error {
	if from == to {
		return usagef("migrate %s %s: the stores are the same", from, to)
	}
	a, closeFrom, err := sf.other(ctx, from, false)
	if err != nil {
		return err
	}
	if o.dryRun {
		would := wouldMove{Worlds: []string{}}
		err := a.Outlines(ctx, func(w history.Outline) error {
			if w.Deleted.IsZero() && !strings.HasPrefix(w.Name, backup.MovedPrefix) {
				would.Worlds = append(would.Worlds, w.Name)
			}
			return nil
		})
		if err = errors.Join(err, closeFrom()); err != nil {
			return err
		}
		return report(out, would, o.json)
	}
	b, closeTo, err := sf.other(ctx, to, true)
	if err != nil {
		return errors.Join(err, closeFrom())
	}
	p := console.NewProgress()
	defer p.Done()
	r := &migrated{From: from, To: to}
	r.Migrated, err = backup.Migrate(ctx, a, b, backup.MigrateOptions{KeepSource: o.keepSource, Workers: o.workers,
		Progress: func(g backup.MigrateProgress) { p.Show(fmt.Sprintf("%s: %d of %d worlds", g.Phase, g.Done, g.Total)) }})
	err = errors.Join(err, closeTo(), closeFrom())
	if err != nil && !errors.Is(err, backup.ErrRefused) {
		return err
	}
	return cmp.Or(report(out, r, o.json), err)
}

func (r *migrated) print(out io.Writer) {
	fmt.Fprintf(out, "%s moved from %s to %s, %d deleted ones copied; %s of %s\n", console.Counted(r.Moved, "world"), r.From, r.To, r.Deleted,
		console.Counted(r.Stones, "stone"), table.Size(r.Bytes))
	console.PrintList(out, "not moved:", r.Refused)
}
