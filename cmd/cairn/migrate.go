package main

import (
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
	workers            int
	keepSource, dryRun bool
}

// migrated is the result of migrate.
type migrated struct {
	From string `json:"from"`
	To   string `json:"to"`
	backup.Migrated
}

// wouldMove is the result of migrate with --dry-run.
type wouldMove struct {
	Worlds []string `json:"worlds"`
}

func (w wouldMove) print(out io.Writer) {
	console.PrintList(out, "would move, and delete at the source:", w.Worlds)
	fmt.Fprintf(out, "%s\n", console.Counted(len(w.Worlds), "world"))
}

func newMigrate(sf *storeFlag) *cobra.Command {
	var o migrateOptions
	c := printing(&cobra.Command{
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
	}, func(ctx context.Context, args []string) (result, error) { return o.run(ctx, sf, args[0], args[1]) })
	f := c.Flags()
	f.BoolVar(&o.keepSource, "keep-source", false, "keep moved worlds at the source, below "+backup.MovedPrefix)
	f.BoolVar(&o.dryRun, "dry-run", false, "move and delete nothing, and list the worlds that would be moved and deleted at the source")
	f.IntVar(&o.workers, "workers", 4, "how many worlds are moved at a time")
	return c
}

func (o *migrateOptions) run(ctx context.Context, sf *storeFlag, from, to string) (result, error) {
	if from == to {
		return nil, usagef("migrate %s %s: the stores are the same", from, to)
	}
	a, closeFrom, err := sf.other(ctx, from, false)
	if err != nil {
		return nil, err
	}
	if o.dryRun {
		would := wouldMove{Worlds: []string{}}
		err := a.Outlines(ctx, func(w history.Outline) error {
			if w.Deleted.IsZero() && !strings.HasPrefix(w.Name, backup.MovedPrefix) {
				would.Worlds = append(would.Worlds, w.Name)
			}
			return nil
		})
		return would, errors.Join(err, closeFrom())
	}
	b, closeTo, err := sf.other(ctx, to, true)
	if err != nil {
		return nil, errors.Join(err, closeFrom())
	}
	p := console.NewProgress()
	defer p.Done()
	r := &migrated{From: from, To: to}
	r.Migrated, err = backup.Migrate(ctx, a, b, backup.MigrateOptions{KeepSource: o.keepSource, Workers: o.workers,
		Progress: func(g backup.MigrateProgress) { p.Show(fmt.Sprintf("%s: %d of %d worlds", g.Phase, g.Done, g.Total)) }})
	err = errors.Join(err, closeTo(), closeFrom())
	if errors.Is(err, backup.ErrRefused) {
		err = partlyDone(err)
	}
	return r, err
}

func (r *migrated) print(out io.Writer) {
	fmt.Fprintf(out, "%s moved from %s to %s, %d deleted ones copied; %s of %s\n", console.Counted(r.Moved, "world"), r.From, r.To, r.Deleted,
		console.Counted(r.Stones, "stone"), table.Size(r.Bytes))
	console.PrintList(out, "not moved:", r.Refused)
}
