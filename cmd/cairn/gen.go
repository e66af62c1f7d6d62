package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/spf13/cobra"
)

// madeUp is a made-up world. It comes from one of the two.
type madeUp struct {
	src   format.Source
	parts stone.Content
}

// kinds returns the made-up worlds by name.
func kinds() map[string]func(seed uint64, columns int) madeUp {
	block := func(build func(terrain.Options) format.Source) func(uint64, int) madeUp {
		return func(seed uint64, columns int) madeUp {
			return madeUp{src: build(terrain.Options{Seed: seed, Size: columns, Version: terrain.Modern})}
		}
	}
	return map[string]func(uint64, int) madeUp{
		"terrain":  level,
		"plains":   plains,
		"island":   block(terrain.Island),
		"arena":    block(terrain.Arena),
		"plots":    block(terrain.Plots),
		"survival": block(terrain.Survival),
	}
}

// levelTop is above the highest cell of a default terrain.
const levelTop = 256

func level(seed uint64, columns int) madeUp {
	half := cmp.Or(columns, 32) * geom.ColumnEdge / 2
	return madeUp{src: terrain.Level{Seed: seed}.Source(geom.Box{
		Min: geom.Point{X: -half, Z: -half}, Max: geom.Point{X: half, Y: levelTop, Z: half},
	})}
}

func plains(seed uint64, columns int) madeUp {
	return madeUp{parts: terrain.Plains{Seed: seed}.Square(cmp.Or(columns, 32))}
}

type genOptions struct {
	seed         uint64
	size         int
	force, quick bool
	note
}

// maxColumns is the largest edge of a made-up world, in columns.
const maxColumns = 4096

func newGen(sf *storeFlag) *cobra.Command {
	var o genOptions
	c := printing(&cobra.Command{
		Use:   "gen KIND WORLD|FOLDER",
		Short: "Makes a world up: " + strings.Join(slices.Sorted(maps.Keys(kinds())), ", "),
		Long: `gen makes a world up: a terrain of materials and occupancies, low plains of them that may
be very wide, or a block world: an island, an arena, plots, a survival land. The same
seed gives the same world. The result is a WORLD, or an Anvil folder, which a game can
open.`,
		Example: "  cairn gen island island.cairn\n  cairn gen arena @arena\n  cairn gen --seed 7 survival ./saves/wild",
		Args:    takes(2, 2),
	}, func(ctx context.Context, args []string) (result, error) {
		return generate(ctx, sf, args[0], args[1], o)
	})
	f := c.Flags()
	f.Uint64Var(&o.seed, "seed", 1, "the seed; another one makes another world")
	f.IntVar(&o.size, "size", 0, "the edge in columns of 16 blocks; by default what suits the kind")
	f.BoolVar(&o.quick, "quick", false, "try one form: several times as fast, and up to twice as large")
	f.BoolVar(&o.force, "force", false, "replace WORLD")
	o.note.flags(f)
	return c
}

// generated is the result of gen.
type generated struct{ imported }

func (g *generated) print(out io.Writer) {
	fmt.Fprintf(out, "%s: %s, %s, %s, %s\n", g.World, console.Counted(g.Columns, "column"), console.Counted(g.Cells, "cell"), console.Counted(g.Objects, "object"), table.Size(g.Bytes))
	if g.Commit != nil {
		fmt.Fprintln(out, "version", g.Commit)
	}
}

func generate(ctx context.Context, sf *storeFlag, kind, to string, o genOptions) (*generated, error) {
	make := kinds()[kind]
	switch {
	case make == nil:
		return nil, usagef("no kind %q; there are %s", kind, strings.Join(slices.Sorted(maps.Keys(kinds())), ", "))
	case o.size < 0 || o.size > maxColumns:
		return nil, usagef("--size %d: 1 to %d", o.size, maxColumns)
	}
	world := strings.HasSuffix(to, port.Ext) || isAddress(to)
	if !world && (kind == "terrain" || kind == "plains") {
		return nil, usagef("%s: a terrain has no blocks, so it cannot be a folder; give a path that ends in %s", to, port.Ext)
	}
	if err := o.check(sf, to, world); err != nil {
		return nil, err
	}
	src := make(o.seed, o.size)
	g := &generated{imported{Source: kind, Format: "terrain", World: to, Lost: map[string]int{}, Damaged: []string{}}}
	if o.quick {
		g.options.Effort = stone.Quick
	}
	if !world {
		return g, g.folder(ctx, src.src)
	}
	if o.message == "" {
		o.message = fmt.Sprintf("gen %s --seed %d", kind, o.seed)
	}
	return g, g.make(ctx, sf, src, o.note)
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
	sf.temp = filepath.Dir(to)
	return checkReplaceable(to, o.force)
}

// make makes src a world.
func (r *imported) make(ctx context.Context, sf *storeFlag, src madeUp, n note) (err error) {
	if src.parts != nil { // the stone has counted it
		if err := r.put(ctx, sf, &source{Opened: port.FromContent(src.parts), path: r.Source}, src.parts, n); err != nil {
			return err
		}
		return withContent(ctx, sf, r.World, false, func(_ *source, c stone.Content) error { return r.count(ctx, c) })
	}
	s := &source{Opened: port.FromSource(src.src, sf.options()), path: r.Source}
	defer func() { err = errors.Join(err, s.Close()) }()
	w, err := s.parts(ctx, nil)
	if err == nil {
		err = r.count(ctx, w)
	}
	if err == nil {
		err = r.put(ctx, sf, s, w, n)
	}
	return err
}

// folder writes src as an Anvil folder while src is made.
func (r *imported) folder(ctx context.Context, src format.Source) (err error) {
	r.Bytes, err = newFolder(r.World, func(dir string, p *console.Progress) error {
		kind, _ := port.Format(port.Anvil)
		out, err := kind.CreateFolder(dir, format.WriteOptions{Head: src.Head(), Name: filepath.Base(r.World)})
		if err != nil {
			return err
		}
		counted := &counter{Sink: out, counts: r}
		if err := src.Read(ctx, p.Through("making", nil)(counted)); err != nil {
			return errors.Join(err, out.Abort())
		}
		err = errors.Join(out.Close(), ctx.Err())
		maps.Copy(r.Lost, out.Lost())
		return err
	})
	return err
}

// counter counts what it passes on.
type counter struct {
	format.Sink
	counts *imported
}

// Column passes on a column and counts its blocks, those that are not air, and its objects.
func (c *counter) Column(col *format.Column) error {
	c.counts.Columns++
	for i := range col.Cells {
		switch block := col.Cells[i].Block; {
		case len(block) == 1 && block[0] != voxel.Empty:
			c.counts.Cells += voxel.ChunkCells / 8
		case len(block) > 1:
			for _, cell := range block {
				if cell != voxel.Empty {
					c.counts.Cells++
				}
			}
		}
	}
	for _, l := range col.Lists {
		c.counts.Objects += len(l.Objects)
	}
	return c.Sink.Column(col)
}

// File passes on a file and counts it.
func (c *counter) File(f format.File) error {
	c.counts.Files++
	return c.Sink.File(f)
}
