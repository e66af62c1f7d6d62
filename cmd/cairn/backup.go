package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/internal/backups"
	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/store/backup"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

type backupOptions struct {
	to, keep, lock, identity string
	recipients               []string
	verify, force            bool
	plain, dryRun            bool
}

func newBackup(sf *storeFlag) *cobra.Command {
	var o backupOptions
	c := printing(&cobra.Command{
		Use:   "backup --to BUCKET",
		Short: "Adds a backup of the store to a folder or to a bucket of S3",
		Long: `backup adds a backup of the whole store to BUCKET: a folder, DIR or dir:DIR, or
s3://NAME/PREFIX. Any store can be backed up.

A backup has what changed since the one before. Each world is as it was at one moment.
What is put into a folder is read back before the backup counts, of what is put into S3
a sample; --verify reads everything that is there. With --recipient what lies in the
bucket is encrypted for the holders of the private keys. A backup that was interrupted
goes on. See docs/BACKUP.md.

Then backups of this store that --keep does not keep are deleted; those of other stores
stay. --dry-run makes no backup, and lists which would be deleted. A store with less than
half of the worlds of the backup before is taken for a wrong one: it needs --force.
cairn restore-store makes a store from a backup.`,
		Example: "  cairn backup --to /mnt/backups/worlds --keep 14\n  cairn backup --to s3://backups/worlds --keep 3w,5 --recipient age1...\n  cairn backup list --from s3://backups/worlds",
		Args:    takes(0, 0),
	}, func(ctx context.Context, _ []string) (result, error) { return makeBackup(ctx, sf, o) })
	f := c.Flags()
	f.StringVar(&o.to, "to", "", bucketHelp)
	f.StringVar(&o.keep, "keep", "all", keepHelp)
	f.BoolVar(&o.verify, "verify", false, "read back everything")
	f.BoolVar(&o.force, "force", false, "make the backup even if the store has far fewer worlds than the backup before")
	f.BoolVar(&o.plain, "plain", false, "make a backup without encryption even if the one before is encrypted")
	dryRunFlag(f, &o.dryRun)
	bucketFlags(c, &o.recipients, &o.lock)
	f.StringVar(&o.identity, "identity", "", identityHelp)
	c.AddCommand(newBackupList(), newBackupVerify(), newBackupEnd())
	return c
}

const identityHelp = "the file with private keys of age, if the backups are encrypted"

const bucketHelp = "the folder of backups, or the bucket s3://NAME/PREFIX"

// bucketFlags adds the flags of a bucket.
func bucketFlags(c *cobra.Command, recipients *[]string, lock *string) {
	c.Flags().StringArrayVar(recipients, "recipient", nil, "encrypt for the holder of this public key of age, age1...")
	c.Flags().StringVar(lock, "lock", "0", "how long nobody can delete the backup, if the bucket has object lock, such as 14d")
}

// backedUp is the result of backup.
type backedUp struct {
	To string `json:"to"`
	backup.Report
	Verified *backup.Verified `json:"verified,omitempty"`
}

func makeBackup(ctx context.Context, sf *storeFlag, o backupOptions) (result, error) {
	if o.to == "" {
		return nil, usagef("backup: give the folder of backups, or the bucket, by --to")
	}
	keep, err := parseKeep(o.keep)
	if err != nil {
		return nil, err
	}
	if err := backups.Check(o.to); err != nil {
		return nil, usagef("--to %v", err)
	}
	lock, err := parseSpan("--lock", o.lock)
	if err != nil {
		return nil, err
	}
	st, err := sf.open(ctx)
	if err != nil {
		return nil, err
	}
	job, err := backups.NewJob(ctx, st, sf.location(), o.to, nil)
	if err != nil {
		return nil, err
	}
	p := console.NewProgress()
	defer p.Done()
	r := &backedUp{To: o.to}
	r.Report, err = backup.Run(ctx, job.From, job.To, backup.Options{Keep: keep, ReadBack: job.ReadBack, Force: o.force, Plain: o.plain, DryRun: o.dryRun, Recipients: o.recipients, Lock: max(0, lock), Holder: backups.Holder(), Temp: sf.temp,
		Progress: func(done, total int) { p.Show(fmt.Sprintf("%d of %d worlds", done, total)) }})
	if err == nil && o.verify && !o.dryRun {
		var a backup.Access
		if a, err = backups.Access(ctx, o.identity, job.From); err == nil {
			r.Verified, err = verifyAll(ctx, job.To, a, p)
		}
	}
	err = errors.Join(err, job.Close())
	r.Removed = append([]string{}, r.Removed...)
	switch {
	case err == nil && o.dryRun:
		return wouldRemove{r.Removed}, nil
	case r.Name == "":
		return r, err
	}
	return r, partlyDone(foundWrong(err))
}

// foundWrong returns errWrong for what is damaged: the result names it.
func foundWrong(err error) error {
	if errors.Is(err, backup.ErrFaults) || errors.Is(err, backup.ErrHurt) {
		return partly{errWrong}
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

func (b *backedUp) print(out io.Writer) {
	fmt.Fprintf(out, "%.20s in %s: %s, %d changed; %s new, %s as before; %s read back, %d wrong\n", b.Name, b.To,
		console.Counted(b.Worlds, "world"), b.Changed, table.Size(b.New), table.Size(b.Shared), console.Counted(b.Sampled, "object"), b.Wrong)
	console.PrintList(out, "removed:", b.Removed)
	console.PrintList(out, "damaged in the bucket:", b.Damaged)
	console.PrintList(out, "damaged in the store:", b.Hurt)
	if b.Verified != nil {
		(&verifiedBackups{*b.Verified}).print(out)
	}
}

// wouldRemove is the result of backup with --dry-run.
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
			if err := backups.Check(to); err != nil {
				return usagef("--to %v", err)
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
	c.Flags().StringVar(&to, "to", "", bucketHelp)
	return c
}

// withBackups calls do with the backups in a bucket.
func withBackups(ctx context.Context, from, identity string, do func(*backup.Backups) error) error {
	if err := backups.Check(from); err != nil {
		return usagef("%v", err)
	}
	a, err := backups.Access(ctx, identity, nil)
	if err != nil {
		return err
	}
	b, closeBucket, err := backups.OpenToRead(ctx, from)
	if err != nil {
		return err
	}
	all, err := backup.Open(ctx, b, a)
	if err == nil {
		err = do(all)
	}
	return errors.Join(err, closeBucket())
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
