package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/spf13/cobra"
)

func newFormats() *cobra.Command {
	return printing(&cobra.Command{
		Use:   "formats [NAMES]",
		Short: "Lists the formats of worlds, and the tables of names between games",
		Long: `formats lists each format: its name, what its files end in, which versions are read and written,
and what it cannot hold. What was never met was read from files that a library made, and from
none of a real world. formats NAMES prints a table of names that export --names takes, which
you may change.`,
		Example: "  cairn formats\n  cairn formats java-hytale > mine.toml",
		Args:    takes(0, 1),
	}, func(_ context.Context, args []string) (result, error) {
		if len(args) == 0 {
			l := &formatList{port.Table(), map[string]string{}}
			for _, name := range port.Shipped() {
				l.Names[name] = port.AboutNames(name)
			}
			return l, nil
		}
		text, err := port.NamesText(args[0])
		if err != nil {
			return nil, usagef("%w", err)
		}
		return &namesText{text}, nil
	})
}

// formatList is the result of formats.
type formatList struct {
	Formats []port.Row        `json:"formats"`
	Names   map[string]string `json:"names"` // tables of names, and what they say
}

func (l *formatList) print(out io.Writer) {
	for _, f := range l.Formats {
		fmt.Fprintf(out, "%-12s %s\n", f.Name, f.Title)
		for _, line := range [][2]string{{"files", f.Ext}, {"reads", f.Reads}, {"writes", f.Written()}, {"never met", f.Unmet}, {"cannot hold", f.Lacks}} {
			if line[1] != "" {
				fmt.Fprintf(out, "    %-12s %s\n", line[0], line[1])
			}
		}
	}
	fmt.Fprintln(out, "\ntables of names, for export --names:")
	for _, name := range slices.Sorted(maps.Keys(l.Names)) {
		fmt.Fprintf(out, "    %-14s %s\n", name, l.Names[name])
	}
}

// namesText is a table of names.
type namesText struct {
	Text string `json:"text"`
}

func (t *namesText) print(out io.Writer) { io.WriteString(out, t.Text) }
