package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/backup"
	"github.com/cairnvoxel/cairn/blob"
	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/internal/backups"
	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/port"
	"github.com/cairnvoxel/cairn/store/local"
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
	local.Backed
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
	done, err := st.Backup(ctx, o.to, local.BackupOptions{Keep: keep, Force: o.force, DryRun: o.dryRun,
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
func printFaults(out io.Writer, r local.Report) {
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

func newBackupList() *cobra.Command {
	var from string
	var json bool
	c := &cobra.Command{
		Use:     "list --from DIR|BUCKET",
		Short:   "Lists the backups in a folder or in a bucket",
		Example: "  cairn backup list --from /mnt/backups/worlds\n  cairn backup list --from s3://backups/worlds",
		Args:    takes(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			if from != "" && !backups.IsBucket(from) {
				return listFolder(c.OutOrStdout(), from, json)
			}
			all, closeBucket, err := openBackups(c.Context(), from, "")
			if err != nil {
				return err
			}
			list, err := all.List(c.Context())
			if err = errors.Join(err, closeBucket()); err != nil {
				return err
			}
			return report(c.OutOrStdout(), &backupList{list}, json)
		},
	}
	c.Flags().StringVar(&from, "from", "", "the folder of backups, or the bucket")
	c.Flags().BoolVar(&json, "json", false, "print one JSON document")
	return c
}

// folderBackups are the backups in a folder. Each is a whole store, which shares files with
// others.
type folderBackups struct {
	Backups []folderBackup `json:"backups"`
}

type folderBackup struct {
	Name  string    `json:"name"`
	Time  time.Time `json:"time"`
	Bytes int64     `json:"bytes"` // of all its files
}

func listFolder(out io.Writer, dir string, json bool) error {
	found, err := os.ReadDir(dir)
	if err != nil {
		return pathError(dir, err)
	}
	times, err := local.Backups(dir, local.Options{})
	if err != nil {
		return err
	}
	if len(times) == 0 && len(found) > 0 {
		return usagef("%s: no folder of backups; a bucket in a folder is written dir:%[1]s", dir)
	}
	all := &folderBackups{[]folderBackup{}}
	for _, at := range times {
		b := folderBackup{Name: local.BackupName(at), Time: at}
		if b.Bytes, err = port.FolderSize(filepath.Join(dir, b.Name)); err != nil {
			return err
		}
		all.Backups = append(all.Backups, b)
	}
	return report(out, all, json)
}

func (l *folderBackups) print(out io.Writer) {
	if len(l.Backups) == 0 {
		fmt.Fprintln(out, "no backups")
	}
	for _, b := range l.Backups {
		fmt.Fprintf(out, "%s  %s\n", b.Name, table.Size(b.Bytes))
	}
}

type backupList struct {
	Backups []backup.Info `json:"backups"`
}

func (l *backupList) print(out io.Writer) {
	for _, b := range l.Backups {
		more := ""
		if b.Encrypted {
			more += ", encrypted"
		}
		if !b.Locked.IsZero() {
			more += ", locked until " + b.Locked.Format(time.RFC3339)
		}
		if b.Damaged != "" {
			more = ", damaged: " + b.Damaged
		}
		fmt.Fprintf(out, "%.20s  %s, %d changed, %s of stones, %s new%s\n", b.Name, console.Counted(int(b.Worlds), "world"), b.Changed, table.Size(b.Bytes), table.Size(b.New), more)
	}
}

func newBackupVerify() *cobra.Command {
	var from, identity string
	var json bool
	c := &cobra.Command{
		Use:   "verify --from BUCKET",
		Short: "Reads and verifies everything in the backups of a bucket",
		Long: `verify reads every object of all backups in a bucket, and compares it with its hash and
with what names it. Without --identity it does not look into the stones of encrypted
backups, but it finds every changed byte. The exit status is 1 if anything is damaged.`,
		Example: "  cairn backup verify --from s3://backups/worlds",
		Args:    takes(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			all, closeBucket, err := openBackups(c.Context(), from, identity)
			if err != nil {
				return err
			}
			p := console.NewProgress()
			defer p.Done()
			v, err := all.Verify(c.Context(), func(done, total int64) { p.Show("verified " + table.Size(done) + " of " + table.Size(total)) })
			if err = foundWrong(errors.Join(err, closeBucket())); err != nil && err != errWrong {
				return err
			}
			if err == nil && v.Backups == 0 {
				return fmt.Errorf("backup: %s: %w", from, backup.ErrNone)
			}
			return cmp.Or(report(c.OutOrStdout(), &verifiedBackups{v}, json), err)
		},
	}
	c.Flags().StringVar(&from, "from", "", "the bucket")
	c.Flags().StringVar(&identity, "identity", "", identityHelp)
	c.Flags().BoolVar(&json, "json", false, "print one JSON document")
	return c
}

type verifiedBackups struct{ backup.Verified }

func (v *verifiedBackups) print(out io.Writer) {
	verified := ", verified"
	if len(v.Faults) > 0 {
		verified = " without fault"
	}
	fmt.Fprintf(out, "%s: %s of %s, %s%s\n", console.Counted(v.Backups, "backup"), console.Counted(v.Objects, "object"), table.Size(v.Bytes), console.Counted(v.Stones, "stone"), verified)
	if v.Unread {
		fmt.Fprintln(out, "no identity opens the stones: they were verified as they are encrypted")
	}
	console.PrintList(out, "damaged:", v.Faults)
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

// restoredStore is what restore-store prints.
type restoredStore struct {
	From  string `json:"from"`
	Store string `json:"store"`
	local.Restored
}

type restoreStoreOptions struct {
	world, as, backup, identity string
	at                          string
	json                        bool
}

func newRestoreStore(sf *storeFlag) *cobra.Command {
	var o restoreStoreOptions
	c := &cobra.Command{
		Use:   "restore-store DIR|BUCKET STORE",
		Short: "Makes a store from a backup",
		Long: `restore-store makes a store, local:DIR, from a backup in a folder, or from the newest in
a folder of backups. It verifies the whole backup first. It does not replace a store. Of
a damaged backup it restores what can be read, names the rest, and exits with 1.

From a bucket it restores all worlds with their histories into any store, which may have
other worlds; it replaces none. It can be repeated after an interruption. With --world
it restores one world, and with --at that world as it was then. It says which backup it
took, and exits with 1 if a newer one has no seal.`,
		Example: "  cairn restore-store /mnt/backups/worlds local:cairn-data\n  cairn restore-store s3://backups/worlds cluster:cairn.toml\n  cairn restore-store s3://backups/worlds https://cairn:7070 --world hub --at 2026-11-20T10:00 --as hub-then",
		Args:    takes(2, 2),
		RunE: func(c *cobra.Command, args []string) error {
			if backups.IsBucket(args[0]) {
				return o.run(c.Context(), sf, c.OutOrStdout(), args[0], args[1])
			}
			if o.world != "" || o.as != "" || o.at != "" || o.backup != "" || o.identity != "" {
				return usagef("%s: --world, --as, --at, --backup and --identity are for buckets: s3://NAME/PREFIX or dir:DIR; of a folder, cairn export --store local:DIR/NAME @WORLD takes out one world", args[0])
			}
			return runRestoreStore(c.Context(), sf, c.OutOrStdout(), args[0], args[1], o.json)
		},
	}
	f := c.Flags()
	f.StringVar(&o.world, "world", "", "the world to restore; without it all (bucket)")
	f.StringVar(&o.as, "as", "", "the name of the restored world, if not its own")
	f.StringVar(&o.at, "at", "", "a time in UTC such as 2026-11-20T10:00: the newest version that is not after it")
	f.StringVar(&o.backup, "backup", "", "the backup, as backup list shows it; without it the newest")
	f.StringVar(&o.identity, "identity", "", identityHelp)
	f.BoolVar(&o.json, "json", false, "print one JSON document")
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
	r.Lost, r.Unread = append([]local.Hurt{}, r.Lost...), append([]string{}, r.Unread...)
	if err := report(out, &restoredStore{from, to, r}, json); err != nil {
		return err
	}
	if len(r.Faults)+len(r.Lost)+len(r.Unread) > 0 {
		return errWrong
	}
	return nil
}

// run restores from a bucket.
func (o *restoreStoreOptions) run(ctx context.Context, sf *storeFlag, out io.Writer, from, url string) (err error) {
	w := backup.WorldOptions{Backup: o.backup, As: strings.TrimPrefix(o.as, "@")}
	if o.world == "" && (o.as != "" || o.at != "") {
		return usagef("--as and --at need --world")
	}
	if o.at != "" {
		if w.At, err = port.ParseTime(o.at); err != nil {
			return usagef("--at %s: want a time such as 2026-11-20T10:00", o.at)
		}
	}
	all, closeBucket, err := openBackups(ctx, from, o.identity)
	if err != nil {
		return err
	}
	if all.Last().IsZero() { // before a store is made
		return errors.Join(fmt.Errorf("%s: %w", from, backup.ErrNone), closeBucket())
	}
	if o.at == "" || o.backup != "" {
		if err := all.Ready(ctx, o.backup); err != nil {
			return errors.Join(err, closeBucket())
		}
	}
	to, closeStore, err := sf.other(ctx, url, true)
	if err != nil {
		return errors.Join(err, closeBucket())
	}
	p := console.NewProgress()
	defer p.Done()
	var r interface{ print(io.Writer) }
	unsealed := 0 // newer backups
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
	err = errors.Join(err, closeStore(), closeBucket())
	if err != nil && !errors.Is(err, backup.ErrRefused) && !errors.Is(err, backup.ErrHurt) {
		return err
	}
	if err = cmp.Or(report(out, r, o.json), err); errors.Is(err, backup.ErrRefused) {
		return err
	}
	if err == nil && unsealed > 0 {
		return errWrong
	}
	return foundWrong(err)
}

// printBackup says which backup was restored, and which newer ones do not count.
func printBackup(out io.Writer, name string, unsealed []string) {
	fmt.Fprintf(out, "from backup %.20s\n", name)
	console.PrintList(out, "newer, without a seal: not finished, or the seal is lost; --backup takes it all the same:", unsealed)
}

// restoredWorlds is what restore-store prints for a bucket.
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

// restoredWorld is what restore-store --world prints.
type restoredWorld struct {
	Store string `json:"store"`
	backup.RestoredWorld
}

func (r *restoredWorld) print(out io.Writer) {
	printBackup(out, r.Backup, r.Unsealed)
	fmt.Fprintf(out, "%s: @%s, version %d of %s of @%s, %s of %s\n", r.Store, r.As, r.Version, r.Time.Format(time.RFC3339), r.World,
		console.Counted(r.Stones, "stone"), table.Size(r.Bytes))
}

func (r *restoredStore) print(out io.Writer) {
	fmt.Fprintf(out, "from %s\n", r.Backup)
	(&salvaged{Store: r.Store, Salvaged: r.Salvaged}).print(out)
	printFaults(out, r.Report)
}
