package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/internal/store/backup"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/spf13/cobra"
)

type restoreStoreOptions struct {
	world, as, backup, identity string
	at                          string
}

func newRestoreStore(sf *storeFlag) *cobra.Command {
	var o restoreStoreOptions
	c := printing(&cobra.Command{
		Use:   "restore-store BUCKET STORE",
		Short: "Makes a store from a backup",
		Long: `restore-store restores all worlds of the newest backup in BUCKET, with their histories,
into any store, which may have other worlds; it replaces none. BUCKET is a folder or
s3://NAME/PREFIX. It compares every byte with its hash, and can be repeated after an
interruption. Worlds that are damaged in the backup are named; it restores the others
and exits with 1.

With --world it restores one world, and with --at that world as it was then. It says
which backup it took, and exits with 1 if a newer one has no seal.`,
		Example: "  cairn restore-store /mnt/backups/worlds local:cairn-data\n  cairn restore-store s3://backups/worlds cluster:cairn.toml\n  cairn restore-store s3://backups/worlds https://cairn:7070 --world hub --at 2026-11-20T10:00 --as hub-then",
		Args:    takes(2, 2),
	}, func(ctx context.Context, args []string) (result, error) { return o.run(ctx, sf, args[0], args[1]) })
	f := c.Flags()
	f.StringVar(&o.world, "world", "", "the world to restore; without it all")
	f.StringVar(&o.as, "as", "", "the name of the restored world, if not its own")
	f.StringVar(&o.at, "at", "", "a time in UTC such as 2026-11-20T10:00: the newest version that is not after it")
	f.StringVar(&o.backup, "backup", "", "the backup, as backup list shows it; without it the newest")
	f.StringVar(&o.identity, "identity", "", identityHelp)
	return c
}

func (o *restoreStoreOptions) run(ctx context.Context, sf *storeFlag, from, url string) (r result, err error) {
	w := backup.WorldOptions{Backup: o.backup, As: strings.TrimPrefix(o.as, "@")}
	if o.world == "" && (o.as != "" || o.at != "") {
		return nil, usagef("--as and --at need --world")
	}
	if o.at != "" {
		if w.At, err = inspect.ParseTime(o.at); err != nil {
			return nil, usagef("--at %s: want a time such as 2026-11-20T10:00", o.at)
		}
	}
	unsealed := 0 // newer backups
	err = withBackups(ctx, from, o.identity, func(all *backup.Backups) error {
		if all.Last().IsZero() { // before a store is made
			return fmt.Errorf("%s: %w", from, backup.ErrNone)
		}
		if o.at == "" || o.backup != "" {
			if err := all.Ready(ctx, o.backup); err != nil {
				return err
			}
		}
		to, closeStore, err := sf.other(ctx, url, true)
		if err != nil {
			return err
		}
		r, unsealed, err = o.restore(ctx, all, to, from, url, w)
		return errors.Join(err, closeStore())
	})
	if err == nil && unsealed > 0 {
		err = partly{errWrong}
	}
	return r, err
}

// restore restores one world or all, and returns how many newer backups do not count. The error is
// a partly if worlds were left out.
func (o *restoreStoreOptions) restore(ctx context.Context, all *backup.Backups, to backup.Moving, from, url string, w backup.WorldOptions) (r result, unsealed int, err error) {
	p := console.NewProgress()
	defer p.Done()
	if o.world != "" {
		one := &restoredWorld{Store: url}
		one.RestoredWorld, err = all.RestoreWorld(ctx, to, strings.TrimPrefix(o.world, "@"), w)
		r, unsealed = one, len(one.Unsealed)
	} else {
		many := &restoredWorlds{From: from, Store: url}
		many.Restored, err = all.Restore(ctx, to, backup.RestoreOptions{Backup: o.backup,
			Progress: func(done, total int) { p.Show(fmt.Sprintf("%d of %d worlds", done, total)) }})
		r, unsealed = many, len(many.Unsealed)
	}
	if errors.Is(err, backup.ErrRefused) || errors.Is(err, backup.ErrDiffers) { // says more than the result
		return r, unsealed, partly{err}
	}
	return r, unsealed, foundWrong(err)
}

// printBackup says which backup was restored, and which newer ones do not count.
func printBackup(out io.Writer, name string, unsealed []string) {
	fmt.Fprintf(out, "from backup %.20s\n", name)
	console.PrintList(out, "newer, without a seal: not finished, or the seal is lost; --backup takes it all the same:", unsealed)
}

// restoredWorlds is the result of restore-store.
type restoredWorlds struct {
	From  string `json:"from"`
	Store string `json:"store"`
	backup.Restored
}

func (r *restoredWorlds) print(out io.Writer) {
	printBackup(out, r.Backup, r.Unsealed)
	fmt.Fprintf(out, "%s: %s restored, %s of %s, verified\n", r.Store, console.Counted(r.Worlds, "world"), console.Counted(r.Stones, "stone"), table.Size(r.Bytes))
	if r.Same > 0 {
		fmt.Fprintf(out, "%s there already: not read; cairn check verifies a store, and with --mend it mends a cluster\n", console.Counted(r.Same, "world"))
	}
	console.PrintList(out, "others have the names of:", r.Refused)
	console.PrintList(out, "damaged in the backup, not restored; --world and --backup try another:", r.Hurt)
}

// restoredWorld is the result of restore-store --world.
type restoredWorld struct {
	Store string `json:"store"`
	backup.RestoredWorld
}

func (r *restoredWorld) print(out io.Writer) {
	printBackup(out, r.Backup, r.Unsealed)
	fmt.Fprintf(out, "%s: @%s, version %d of %s of @%s, %s of %s\n", r.Store, r.As, r.Version, r.Time.Format(time.RFC3339), r.World,
		console.Counted(r.Stones, "stone"), table.Size(r.Bytes))
}
