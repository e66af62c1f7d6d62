package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/store/local"
	"github.com/spf13/cobra"
)

type backupOptions struct {
	to, keep string
	json     bool
}

// backedUp is what backup prints.
type backedUp struct {
	Dir string `json:"dir"`
	local.Backed
}

func newBackup(sf *storeFlag) *cobra.Command {
	var o backupOptions
	c := &cobra.Command{
		Use:   "backup --to DIR",
		Short: "Adds a verified backup of the store to a folder",
		Long: `backup adds a backup of the whole store to DIR, a folder of backups, which may be on
another disk. The backup is named by its time. It shares data that did not change with
the backup before it. cairn reads and verifies every byte before the backup gets its
name, and only then deletes backups that --keep does not keep. cairn restore-store
makes a store from a backup.`,
		Example: "  cairn backup --to /mnt/backups/worlds --keep 14\n  cairn backup --to /mnt/backups/worlds --keep 3w,5",
		Args:    takes(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			return runBackup(c.Context(), sf, c.OutOrStdout(), o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.to, "to", "", "the folder of backups")
	f.StringVar(&o.keep, "keep", "all", keepHelp)
	f.BoolVar(&o.json, "json", false, "print one JSON document")
	return c
}

func runBackup(ctx context.Context, sf *storeFlag, out io.Writer, o backupOptions) error {
	if o.to == "" {
		return usagef("backup: give the folder of backups by --to")
	}
	keep, err := parseKeep(o.keep)
	if err != nil {
		return err
	}
	sf.writes = true
	st, err := sf.local(ctx)
	if err != nil {
		return err
	}
	p := console.NewProgress()
	defer p.Done()
	done, err := st.Backup(ctx, o.to, local.BackupOptions{Keep: keep,
		Progress: func(done, total int64) { p.Show("verified " + table.Size(done) + " of " + table.Size(total)) }})
	if err != nil {
		return err
	}
	if done.Removed == nil {
		done.Removed = []string{}
	}
	return report(out, &backedUp{o.to, done}, o.json)
}

func (b *backedUp) print(out io.Writer) {
	fmt.Fprintf(out, "%s in %s: %s, %s, verified; %s new, %s as before\n", b.Name, b.Dir,
		console.Counted(b.Report.Worlds, "world"), console.Counted(b.Report.Commits, "version"), table.Size(b.New), table.Size(b.Shared))
	console.PrintList(out, "removed:", b.Removed)
}

const keepHelp = "which backups to keep: a number (14), a time (36h, 14d, 3w), or both with a comma, which keeps what either keeps"

// parseKeep parses which backups to keep.
func parseKeep(s string) (k local.Keep, err error) {
	if s == "all" {
		return k, nil
	}
	for part := range strings.SplitSeq(s, ",") {
		n, notNumber := strconv.Atoi(part)
		switch {
		case notNumber == nil && n == 0 && s == part: // an older way to write "all"
		case notNumber == nil && n > 0 && k.Newest == 0:
			k.Newest = n
		case notNumber != nil && k.For == 0:
			k.For, err = parseSpan("--keep", part)
		default:
			k.For = -1
		}
		if err != nil || k.For < 0 {
			return k, usagef("--keep %s: want all, a number such as 14, a time such as 3w, or both such as 3w,5", s)
		}
	}
	return k, nil
}

// restoredStore is what restore-store prints.
type restoredStore struct {
	From  string `json:"from"`
	Store string `json:"store"`
	local.Report
}

func newRestoreStore(sf *storeFlag) *cobra.Command {
	var json bool
	c := &cobra.Command{
		Use:   "restore-store DIR STORE",
		Short: "Makes a store from a backup",
		Long: `restore-store makes a store, local:DIR, from a backup, or from the newest in a folder of
backups. It verifies the whole backup first. It does not replace a store.`,
		Example: "  cairn restore-store /mnt/backups/worlds local:cairn-data",
		Args:    takes(2, 2),
		RunE: func(c *cobra.Command, args []string) error {
			return runRestoreStore(c.Context(), sf, c.OutOrStdout(), args[0], args[1], json)
		},
	}
	c.Flags().BoolVar(&json, "json", false, "print one JSON document")
	return c
}

func runRestoreStore(ctx context.Context, sf *storeFlag, out io.Writer, from, to string, json bool) error {
	dir, err := localDir(to)
	if err != nil {
		return err
	}
	r, err := local.Restore(ctx, from, dir, local.Options{CacheBytes: sf.cache})
	if err != nil {
		return err
	}
	return report(out, &restoredStore{from, to, r}, json)
}

func (r *restoredStore) print(out io.Writer) {
	fmt.Fprintf(out, "%s: %s, %s, %s of %s, verified\n", r.Store, console.Counted(r.Worlds, "world"), console.Counted(r.Commits, "version"),
		console.Counted(r.Stones, "stone"), table.Size(r.Bytes))
}
