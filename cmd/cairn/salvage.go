package main

import (
	"context"
	"fmt"
	"io"
	"strings"

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
		Short: "Makes a store of what can be read of a damaged one",
		Long: `salvage makes a new store, local:DIR, of what can be read of a damaged one, which it
does not change. Each world is there with every version of which all can be read; the
newest of these is what the world is like now. Leases are left out. It prints what is
lost, and verifies all of the new store first. Exit status 1 if anything is lost: a
backup may still have it (cairn restore-store).`,
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
	var dirs [2]string
	for i, store := range []string{from, to} {
		dir, isLocal := strings.CutPrefix(store, localScheme)
		if !isLocal || dir == "" {
			return usagef("store %q: want %sDIR", store, localScheme)
		}
		dirs[i] = dir
	}
	if err := checkStoreDir(dirs[0]); err != nil {
		return err
	}
	done, err := local.Salvage(ctx, dirs[0], dirs[1], local.Options{})
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
