package main

import (
	"context"
	"fmt"
	"io"

	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/store/local"
	"github.com/spf13/cobra"
)

// salvaged is what salvage prints.
type salvaged struct {
	From  string `json:"from"`
	Store string `json:"store"`
	local.Salvaged
}

func newSalvage() *cobra.Command {
	var json bool
	c := &cobra.Command{
		Use:   "salvage STORE NEW-STORE",
		Short: "Saves what can be read of a damaged store",
		Long: `salvage copies what can be read of a damaged store into a new one, local:DIR. It does
not change the damaged store. Each world keeps the versions that can be read as a
whole; the newest of them becomes the current one. Leases are not copied. salvage
verifies the new store and prints what is lost. The exit status is 1 if anything is
lost: a backup may still have it (cairn restore-store).`,
		Example: "  cairn salvage local:cairn-data local:cairn-salvaged",
		Args:    takes(2, 2),
		RunE: func(c *cobra.Command, args []string) error {
			return runSalvage(c.Context(), c.OutOrStdout(), args[0], args[1], json)
		},
	}
	c.Flags().BoolVar(&json, "json", false, "print one JSON document")
	return c
}

func runSalvage(ctx context.Context, out io.Writer, from, to string, json bool) error {
	damaged, err := localDir(from)
	if err != nil {
		return err
	}
	dir, err := localDir(to)
	if err != nil {
		return err
	}
	if err := checkStoreDir(damaged); err != nil {
		return err
	}
	done, err := local.Salvage(ctx, damaged, dir, local.Options{})
	if err != nil {
		return err
	}
	if done.Lost == nil {
		done.Lost = []local.Hurt{}
	}
	if done.Unread == nil {
		done.Unread = []string{}
	}
	if err := report(out, &salvaged{from, to, done}, json); err != nil {
		return err
	}
	if len(done.Lost)+len(done.Unread) > 0 {
		return errWrong
	}
	return nil
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
