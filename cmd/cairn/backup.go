package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/internal/backups"
	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/store/disk"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/store/backup"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

type backupOptions struct {
	to, keep, lock, identity string
	recipients               []string
	verify, json             bool
	force, plain, dryRun     bool
}

// backedUp is what backup prints for a folder.
type backedUp struct {
	Dir string `json:"dir"`
	disk.Backed
}

func newBackup(sf *storeFlag) *cobra.Command {
	var o backupOptions
	c := &cobra.Command{
		Use:   "backup --to DIR|BUCKET",
		Short: "Adds a backup of the store to a folder or to a bucket",
		Long: `backup adds a backup of the whole store to DIR, a folder of backups, or to BUCKET:
s3://NAME/PREFIX, or dir:DIR, a folder that is used like one.

In a folder, which is for stores local:DIR alone, the backup is a whole store. It shares
files that did not change with the backup before it, and every byte is verified before
the backup gets its name.

In a bucket a backup has what changed since the one before. Any store can be backed up
there. Each world is as it was at one moment. A sample is read back, and everything with
--verify. With --recipient what lies in the bucket is encrypted for the holders of the
private keys. A backup that was interrupted goes on. See docs/BACKUP.md.

Then backups of this store that --keep does not keep are deleted; those of other stores
stay. --dry-run makes no backup, and lists which would be deleted. A store with less than
half of the worlds of the backup before is taken for a wrong one: it needs --force.
cairn restore-store makes a store from a backup.`,
		Example: "  cairn backup --to /mnt/backups/worlds --keep 14\n  cairn backup --to s3://backups/worlds --keep 3w,5 --recipient age1...\n  cairn backup list --from s3://backups/worlds",
		Args:    takes(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			return runBackup(c.Context(), sf, c.OutOrStdout(), o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.to, "to", "", "the folder of backups, or the bucket")
	f.StringVar(&o.keep, "keep", "all", keepHelp)
	f.BoolVar(&o.verify, "verify", false, "read back everything (bucket)")
	f.BoolVar(&o.force, "force", false, "make the backup even if the store has far fewer worlds than the backup before")
	f.BoolVar(&o.plain, "plain", false, "make a backup without encryption even if the one before is encrypted (bucket)")
	dryRunFlag(f, &o.dryRun)
	f.BoolVar(&o.json, "json", false, "print one JSON document")
	bucketFlags(c, &o.recipients, &o.lock)
	f.StringVar(&o.identity, "identity", "", identityHelp)
	c.AddCommand(newBackupList(), newBackupVerify(), newBackupEnd())
	return c
}

const identityHelp = "the file with private keys of age, if the backups are encrypted"

// bucketFlags adds the flags of backups to a bucket.
func bucketFlags(c *cobra.Command, recipients *[]string, lock *string) {
	c.Flags().StringArrayVar(recipients, "recipient", nil, "encrypt for the holder of this public key of age, age1... (bucket)")
	c.Flags().StringVar(lock, "lock", "0", "how long nobody can delete the backup, if the bucket has object lock, such as 14d")
}

func runBackup(ctx context.Context, sf *storeFlag, out io.Writer, o backupOptions) error {
	if o.to == "" {
		return usagef("backup: give the folder of backups, or the bucket, by --to")
	}
	keep, err := parseKeep(o.keep)
	if err != nil {
		return err
	}
	if backups.IsBucket(o.to) {
		return runBucketBackup(ctx, sf, out, o, keep)
	}
	if o.verify || o.plain || len(o.recipients) > 0 || o.lock != "0" || o.identity != "" {
		return usagef("--to %s: --verify, --plain, --recipient, --lock and --identity are for buckets: s3://NAME/PREFIX or dir:DIR", o.to)
	}
	sf.writes = true
	st, err := sf.local(ctx, o.to)
	if err != nil {
		return err
	}
	p := console.NewProgress()
	defer p.Done()
	done, err := st.Backup(ctx, o.to, disk.BackupOptions{Keep: keep, Force: o.force, DryRun: o.dryRun,
		Progress: func(done, total int64) { p.Show("verified " + table.Size(done) + " of " + table.Size(total)) }})
	if err != nil {
		return err
	}
	if done.Removed == nil {
		done.Removed = []string{}
	}
	if o.dryRun {
		return report(out, wouldRemove{done.Removed}, o.json)
	}
	if err := report(out, &backedUp{o.to, done}, o.json); err != nil || len(done.Report.Faults) == 0 {
		return err
	}
	return errWrong
}

func (b *backedUp) print(out io.Writer) {
	fmt.Fprintf(out, "%s in %s: %s, %s, verified; %s new, %s as before\n", b.Name, b.Dir,
		console.Counted(b.Report.Worlds, "world"), console.Counted(b.Report.Commits, "version"), table.Size(b.New), table.Size(b.Shared))
	console.PrintList(out, "removed:", b.Removed)
	printFaults(out, b.Report)
}

// printFaults prints what is wrong with a store, and which worlds that hurts.
func printFaults(out io.Writer, r disk.Report) {
	console.PrintList(out, "wrong:", r.Faults)
	var hurt []string
	for _, h := range r.Hurt {
		hurt = append(hurt, h.String())
	}
	console.PrintList(out, "hurt:", hurt)
}

// bucketBackup is what backup prints for a bucket.
type bucketBackup struct {
	To string `json:"to"`
	backup.Report
	Verified *backup.Verified `json:"verified,omitempty"`
}

func runBucketBackup(ctx context.Context, sf *storeFlag, out io.Writer, o backupOptions, keep history.Keep) error {
	lock, err := parseSpan("--lock", o.lock)
	if err != nil {
		return err
	}
	st, err := sf.open(ctx)
	if err != nil {
		return err
	}
	from, err := backups.Archiver(st, sf.location())
	if err != nil {
		return err
	}
	b, closeBucket, err := backups.Open(ctx, o.to, nil)
	if err != nil {
		return err
	}
	p := console.NewProgress()
	defer p.Done()
	r := &bucketBackup{To: o.to}
	r.Report, err = backup.Run(ctx, from, b, backup.Options{Keep: keep, Force: o.force, Plain: o.plain, DryRun: o.dryRun, Recipients: o.recipients, Lock: max(0, lock), Holder: backups.Holder(), Temp: sf.temp,
		Progress: func(done, total int) { p.Show(fmt.Sprintf("%d of %d worlds", done, total)) }})
	if err == nil && o.dryRun {
		return cmp.Or(closeBucket(), report(out, wouldRemove{append([]string{}, r.Removed...)}, o.json))
	}
	if err == nil && o.verify {
		var a backup.Access
		if a, err = backups.Access(ctx, o.identity, from); err == nil {
			r.Verified, err = verifyAll(ctx, b, a, p)
		}
	}
	if err = errors.Join(err, closeBucket()); err != nil && r.Name == "" {
		return err
	}
	if r.Removed == nil {
		r.Removed = []string{}
	}
	return cmp.Or(report(out, r, o.json), foundWrong(err))
}

// foundWrong says that something is damaged, which was printed already.
func foundWrong(err error) error {
	if errors.Is(err, backup.ErrFaults) || errors.Is(err, backup.ErrHurt) {
		return errWrong
	}
	return err
}

func verifyAll(ctx context.Context, b blob.Bucket, a backup.Access, p *console.Progress) (*backup.Verified, error) {
	all, err := backup.Open(ctx, b, a)
	if err != nil {
		return nil, err
	}
	v, err := all.Verify(ctx, func(done, total int64) { p.Show("verified " + table.Size(done) + " of " + table.Size(total)) })
	return &v, err
}

func (b *bucketBackup) print(out io.Writer) {
	fmt.Fprintf(out, "%.20s in %s: %s, %d changed; %s new, %s as before; %s read back, %d wrong\n", b.Name, b.To,
		console.Counted(b.Worlds, "world"), b.Changed, table.Size(b.New), table.Size(b.Shared), console.Counted(b.Sampled, "object"), b.Wrong)
	console.PrintList(out, "removed:", b.Removed)
	console.PrintList(out, "damaged in the bucket:", b.Damaged)
	console.PrintList(out, "damaged in the store:", b.Hurt)
	if b.Verified != nil {
		(&verifiedBackups{*b.Verified}).print(out)
	}
}

// wouldRemove is what backup prints with --dry-run.
type wouldRemove struct {
	Removed []string `json:"removed"`
}

func (w wouldRemove) print(out io.Writer) {
	if len(w.Removed) == 0 {
		fmt.Fprintln(out, "would remove nothing")
	}
	console.PrintList(out, "after the backup that this would make, it would remove:", w.Removed)
}

// dryRunFlag adds --dry-run to a verb that deletes.
func dryRunFlag(f *pflag.FlagSet, to *bool) {
	f.BoolVar(to, "dry-run", false, "delete nothing, and print what would be deleted")
}

// newBackupEnd returns backup end.
func newBackupEnd() *cobra.Command {
	var to string
	c := &cobra.Command{
		Use:   "end --to BUCKET",
		Short: "Ends the claim of a backup whose process was killed",
		Long: `end lets the next backup to a bucket begin at once, if the process that made the last one
was killed. Without it that takes an hour. A backup that is being made fails then.`,
		Example: "  cairn backup end --to s3://backups/worlds",
		Args:    takes(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			if !backups.IsBucket(to) {
				return usagef("--to %q: want a bucket: s3://NAME/PREFIX or dir:DIR", to)
			}
			b, closeBucket, err := backups.OpenToRead(c.Context(), to)
			if err != nil {
				return err
			}
			holder, err := backup.EndClaim(c.Context(), b)
			if err = errors.Join(err, closeBucket()); err != nil {
				return err
			}
			if holder == "" {
				fmt.Fprintln(c.OutOrStdout(), "no backup is being made")
				return nil
			}
			fmt.Fprintf(c.OutOrStdout(), "ended the claim of %s\n", holder)
			return nil
		},
	}
	c.Flags().StringVar(&to, "to", "", "the bucket")
	return c
}

// openBackups opens the backups in a bucket.
func openBackups(ctx context.Context, from, identity string) (*backup.Backups, func() error, error) {
	if !backups.IsBucket(from) {
		return nil, nil, usagef("%q: want a bucket: s3://NAME/PREFIX or dir:DIR; a backup in a folder is a store: cairn check local:DIR/NAME verifies it", from)
	}
	a, err := backups.Access(ctx, identity, nil)
	if err != nil {
		return nil, nil, err
	}
	b, closeBucket, err := backups.OpenToRead(ctx, from)
	if err != nil {
		return nil, nil, err
	}
	all, err := backup.Open(ctx, b, a)
	return all, closeBucket, err
}

const keepHelp = "which backups to keep: a number (14), a time (36h, 14d, 3w), or both with a comma, which keeps what either keeps"

// parseKeep parses which backups to keep.
func parseKeep(s string) (k history.Keep, err error) {
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
