package main

import (
	"context"
	"fmt"
	"io"

	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/spf13/cobra"
)

func newStone() *cobra.Command {
	return group(&cobra.Command{
		Use:     "stone",
		Short:   "Looks inside a stone: list, dump or check",
		Example: "  cairn stone list hub.cairn",
	}, newStoneList(), stoneVerb("dump", "Prints what each range of bytes holds", dumpStone),
		stoneVerb("check", "Verifies every page, chunk, column, object and file", checkStone))
}

func stoneVerb(name, short string, do func(context.Context, io.Writer, *source) error) *cobra.Command {
	return &cobra.Command{
		Use:     name + " FILE",
		Short:   short,
		Example: "  cairn stone " + name + " hub.cairn",
		Args:    takes(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return withStone(c.Context(), args[0], func(s *source) error { return do(c.Context(), c.OutOrStdout(), s) })
		},
	}
}

func newStoneList() *cobra.Command {
	var json bool
	c := stoneVerb("list", "Lists the pages", func(_ context.Context, out io.Writer, s *source) error {
		return listStone(out, s, json)
	})
	c.Long = `list prints a line for each page: what it holds, in which form, its bytes as
stored and before compression, how many chunks, columns or lists are in it, and
how often it is used. Then it prints the sums by form. Cells are in columns, relief, lit
(light as what differs from what the blocks give) or images: stone/FORMAT.md,
section 5.`
	jsonFlag(c.Flags(), &json)
	return c
}

func withStone(ctx context.Context, path string, do func(*source) error) error {
	if isAddress(path) {
		return usagef("%s: a world in the store has many stones; give a file", path)
	}
	s, err := openSource(ctx, nil, path, false)
	if err != nil {
		return err
	}
	defer s.Close()
	if s.Stone == nil {
		return usagef("%s: is %s, not a stone", path, s.Format())
	}
	if err := do(s); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func dumpStone(_ context.Context, out io.Writer, s *source) error { return s.Stone.Dump(out) }

func checkStone(ctx context.Context, out io.Writer, s *source) error {
	if err := s.Stone.Check(ctx); err != nil {
		return err
	}
	fmt.Fprintln(out, s.path+": ok")
	return nil
}

func listStone(out io.Writer, s *source, json bool) error {
	pages, err := s.Stone.Pages()
	if err != nil {
		return err
	}
	sums := stone.SumForms(pages)
	if json {
		if pages == nil {
			pages = []stone.PageInfo{}
		}
		return console.PrintJSON(out, map[string]any{"bytes": s.Stone.Size(), "pages": pages, "forms": sums})
	}
	t := console.NewColumns(out)
	t.Row("page", "offset", "holds", "of", "level", "form", "stored", "plain", "things", "uses")
	for _, p := range pages {
		of := p.Name
		if p.Dimension != "" {
			of = p.Dimension + " " + of
		}
		t.Row(fmt.Sprint(p.Number), fmt.Sprint(p.Offset), p.Holds, console.Line(of), fmt.Sprint(p.Level), p.FormName,
			table.Size(int64(p.Size)), table.Size(int64(p.Plain)), fmt.Sprint(p.Things), fmt.Sprint(p.Uses))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(out)
	return listForms(out, sums, s.Stone.Size())
}

// listForms prints the sums by form, and the bytes of the directory: the rest of the
// stone.
func listForms(out io.Writer, sums []stone.FormSum, rest int64) error {
	t := console.NewColumns(out)
	t.Row("holds", "form", "pages", "stored", "plain", "things")
	for _, f := range sums {
		t.Row(f.Holds, f.FormName, console.Count(f.Pages), table.Size(f.Size), table.Size(f.Plain), console.Count(f.Things))
		rest -= f.Size
	}
	t.Row("directory", "", "", table.Size(rest), "", "")
	return t.Flush()
}
