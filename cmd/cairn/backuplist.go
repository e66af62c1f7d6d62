package main

import (
	"cmp"
	"errors"
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
	var json bool
	c := &cobra.Command{
		Use:     "list --from BUCKET",
		Short:   "Lists the backups in a bucket",
		Example: "  cairn backup list --from /mnt/backups/worlds\n  cairn backup list --from s3://backups/worlds",
		Args:    takes(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
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
	c.Flags().StringVar(&from, "from", "", bucketHelp)
	c.Flags().BoolVar(&json, "json", false, "print one JSON document")
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
	c.Flags().StringVar(&from, "from", "", bucketHelp)
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
