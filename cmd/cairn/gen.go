package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/convert"
	"github.com/cairnvoxel/cairn/format"
	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/port"
	"github.com/spf13/cobra"
)

// kinds returns the made-up worlds by name.
func kinds() map[string]func(seed uint64, columns int) format.Source {
	block := func(build func(terrain.Options) format.Source) func(uint64, int) format.Source {
		return func(seed uint64, columns int) format.Source {
			return build(terrain.Options{Seed: seed, Size: columns, Version: terrain.Modern})
		}
	}
	return map[string]func(uint64, int) format.Source{
		"terrain":  level,
		"island":   block(terrain.Island),
		"arena":    block(terrain.Arena),
		"plots":    block(terrain.Plots),
		"survival": block(terrain.Survival),
	}
}

// levelTop is above the highest cell of a default terrain.
const levelTop = 256

func level(seed uint64, columns int) format.Source {
	if columns == 0 {
		columns = 32
	}
	half := columns * geom.ColumnEdge / 2
	return terrain.Level{Seed: seed}.Source(geom.Box{
		Min: geom.Point{X: -half, Z: -half}, Max: geom.Point{X: half, Y: levelTop, Z: half},
	})
}

type genOptions struct {
	seed        uint64
	size        int
	force, json bool
	note
}

// maxColumns is the largest edge of a made-up world, in columns.
const maxColumns = 2048

func newGen(sf *storeFlag) *cobra.Command {
	var o genOptions
	c := &cobra.Command{
		Use:   "gen KIND WORLD|FOLDER",
		Short: "Makes a world up: " + strings.Join(slices.Sorted(maps.Keys(kinds())), ", "),
		Long: `gen makes a world up: a terrain of materials and occupancies, or a block world: an
island, an arena, plots, a survival land. The same seed gives the same world. The
result is a WORLD, or an Anvil folder, which a game can open.`,
		Example: "  cairn gen island island.cairn\n  cairn gen arena @arena\n  cairn gen --seed 7 survival ./saves/wild",
		Args:    takes(2, 2),
		RunE: func(c *cobra.Command, args []string) error {
			return runGen(c.Context(), sf, c.OutOrStdout(), args[0], args[1], o)
		},
	}
	f := c.Flags()
	f.Uint64Var(&o.seed, "seed", 1, "the seed; another one makes another world")
	f.IntVar(&o.size, "size", 0, "the edge in columns of 16 blocks; by default what suits the kind")
	f.BoolVar(&o.force, "force", false, "replace WORLD")
	f.BoolVar(&o.json, "json", false, "print one JSON document")
	o.note.flags(f)
	return c
}

func runGen(ctx context.Context, sf *storeFlag, out io.Writer, kind, to string, o genOptions) error {
	make := kinds()[kind]
	switch {
	case make == nil:
		return usagef("no kind %q; there are %s", kind, strings.Join(slices.Sorted(maps.Keys(kinds())), ", "))
	case o.size < 0 || o.size > maxColumns:
		return usagef("--size %d: 1 to %d", o.size, maxColumns)
	}
	world := strings.HasSuffix(to, port.Ext) || isAddress(to)
	if !world && kind == "terrain" {
		return usagef("%s: a terrain has no blocks, so it cannot be a folder; give a path that ends in %s", to, port.Ext)
	}
	if err := o.check(sf, to, world); err != nil {
		return err
	}
	w, err := build(ctx, make(o.seed, o.size))
	if err != nil {
		return err
	}
	t := tally(w)
	done := imported{Source: kind, Format: w.Head.Format, World: to, Columns: t.columns, Cells: t.cells, Objects: t.objects, Files: len(w.Files),
		Lost: map[string]int{}, Damaged: []string{}}
	if world {
		if o.message == "" {
			o.message = fmt.Sprintf("gen %s --seed %d", kind, o.seed)
		}
		err = done.put(ctx, sf, w.Content(), o.note)
	} else {
		done.Bytes, err = exportFolder(ctx, w, to, port.Target{Format: port.Anvil}, done.Lost)
	}
	if err != nil {
		return err
	}
	if o.json {
		return console.PrintJSON(out, done)
	}
	fmt.Fprintf(out, "%s: %s, %s, %s, %s\n", to, console.Counted(t.columns, "column"), console.Counted(t.cells, "cell"), console.Counted(t.objects, "object"), table.Size(done.Bytes))
	if c := done.Commit; c != nil {
		fmt.Fprintln(out, "version", c)
	}
	return nil
}

func (o genOptions) check(sf *storeFlag, to string, world bool) error {
	if !world {
		return checkFree(to)
	}
	if err := errors.Join(checkWorldPath(to), o.note.check()); err != nil {
		return err
	}
	if isAddress(to) {
		sf.writes = true
		return nil
	}
	return checkReplaceable(to, o.force)
}

// build loads a source into memory.
func build(ctx context.Context, src format.Source) (*convert.World, error) {
	p := console.NewProgress()
	defer p.Done()
	l := convert.NewLoader(src.Head())
	err := src.Read(ctx, p.Through("making", nil)(l))
	return l.World(), err
}
