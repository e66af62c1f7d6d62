package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/store/backup"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/spf13/cobra"
)

func newBackupList() *cobra.Command {
	var from string
	c := printing(&cobra.Command{
		Use:     "list --from BUCKET",
		Short:   "Lists the backups in a bucket",
		Example: "  cairn backup list --from /mnt/backups/worlds\n  cairn backup list --from s3://backups/worlds",
		Args:    takes(0, 0),
	}, func(ctx context.Context, _ []string) (result, error) {
		l := new(backupList)
		return l, withBackups(ctx, from, "", func(all *backup.Backups) (err error) {
			l.Backups, err = all.List(ctx)
			return err
		})
	})
	c.Flags().StringVar(&from, "from", "", bucketHelp)
	return c
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
	c := printing(&cobra.Command{
		Use:   "verify --from BUCKET",
		Short: "Reads and verifies everything in the backups of a bucket",
		Long: `verify reads every object of all backups in a bucket, and compares it with its hash and
with what names it. Without --identity it does not look into the stones of encrypted
backups, but it finds every changed byte. The exit status is 1 if anything is damaged.`,
		Example: "  cairn backup verify --from s3://backups/worlds",
		Args:    takes(0, 0),
	}, func(ctx context.Context, _ []string) (result, error) {
		p := console.NewProgress()
		defer p.Done()
		v := new(verifiedBackups)
		err := withBackups(ctx, from, identity, func(all *backup.Backups) (err error) {
			v.Verified, err = all.Verify(ctx, func(done, total int64) { p.Show("verified " + table.Size(done) + " of " + table.Size(total)) })
			return err
		})
		if err == nil && v.Backups == 0 {
			err = fmt.Errorf("backup: %s: %w", from, backup.ErrNone)
		}
		return v, foundWrong(err)
	})
	c.Flags().StringVar(&from, "from", "", bucketHelp)
	c.Flags().StringVar(&identity, "identity", "", identityHelp)
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
