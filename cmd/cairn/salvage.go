package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/store/disk"
	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/store/cluster"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/spf13/cobra"
)

// salvaged is the result of salvage.
type salvaged struct {
	From  string `json:"from"`
	Store string `json:"store"`
	disk.Salvaged
}

func newSalvage() *cobra.Command {
	return printing(&cobra.Command{
		Use:   "salvage STORE NEW-STORE",
		Short: "Saves what can be read of a damaged store",
		Long: `salvage copies what can be read of a damaged store, local:DIR or cluster:FILE, into a new
one, local:DIR; cairn migrate moves that to a new cluster. It does not change the damaged store. Each world keeps the versions that can be read as a
whole; the newest of them becomes the current one. Leases are not copied. salvage
verifies the new store and prints what is lost. The exit status is 1 if anything is
lost: a backup may still have it (cairn restore-store).`,
		Example: "  cairn salvage local:cairn-data local:cairn-salvaged",
		Args:    takes(2, 2),
	}, func(ctx context.Context, args []string) (result, error) { return salvage(ctx, args[0], args[1]) })
}

func salvage(ctx context.Context, from, to string) (*salvaged, error) {
	dir, err := localDir(to)
	if err != nil {
		return nil, err
	}
	var done disk.Salvaged
	if file, ok := strings.CutPrefix(from, clusterScheme); ok {
		done, err = salvageCluster(ctx, file, dir)
	} else {
		done, err = salvageDir(ctx, from, dir)
	}
	if err != nil {
		return nil, err
	}
	if done.Lost == nil {
		done.Lost = []disk.Hurt{}
	}
	if done.Unread == nil {
		done.Unread = []string{}
	}
	if len(done.Lost)+len(done.Unread) > 0 {
		err = partly{errWrong}
	}
	return &salvaged{from, to, done}, err
}

func salvageDir(ctx context.Context, from, dir string) (done disk.Salvaged, err error) {
	damaged, err := localDir(from)
	if err == nil {
		err = checkStoreDir(damaged)
	}
	if err != nil {
		return done, err
	}
	return disk.Salvage(ctx, damaged, dir, disk.Options{})
}

// salvageCluster copies into a store that gets its name when it was verified.
func salvageCluster(ctx context.Context, file, dir string) (done disk.Salvaged, err error) {
	if list, err := os.ReadDir(dir); err == nil && len(list) > 0 {
		return done, fmt.Errorf("%s%s is not empty: there is %s", localScheme, dir, list[0].Name())
	}
	from, err := cluster.Open(ctx, file, cluster.Options{Damaged: true, Existing: true})
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	temp := dir + ".partial"
	if err := os.RemoveAll(temp); err != nil {
		return done, err
	}
	to, err := disk.Open(temp, disk.Options{})
	if err != nil {
		return done, err
	}
	salvaging, ok := from.(interface {
		Salvage(context.Context, history.ArchiveWriter) ([]record.Hurt, []string, error)
	})
	if !ok {
		return done, errors.Join(fmt.Errorf("salvage: %s: %w", file, errors.ErrUnsupported), to.Close())
	}
	done.Lost, done.Unread, err = salvaging.Salvage(ctx, to)
	if err == nil {
		if done.Report, err = to.Check(ctx, nil); err == nil && len(done.Faults) > 0 {
			err = fmt.Errorf("the copy has faults: %s", done.Faults[0])
		}
	}
	if err = errors.Join(err, to.Close()); err != nil {
		return done, errors.Join(err, os.RemoveAll(temp))
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return done, err
	}
	return done, os.Rename(temp, dir)
}

func (s *salvaged) print(out io.Writer) {
	fmt.Fprintf(out, "%s: %s, %s, %s of %s, verified\n", s.Store, console.Counted(s.Worlds, "world"), console.Counted(s.Commits, "version"),
		console.Counted(s.Stones, "stone"), table.Size(s.Bytes))
	var lost []string
	for _, h := range s.Lost {
		lost = append(lost, h.String())
	}
	console.PrintList(out, "lost:", lost)
	console.PrintList(out, "could not be read:", s.Unread)
}
