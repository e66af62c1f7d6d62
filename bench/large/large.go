// Package large measures the command on a world that is much larger than the memory it may
// take. The world is the land of terrain.Plains, which is made chunk by chunk. Each verb runs in
// a process of its own. In the end the levels of the packed world are compared with those of the
// land at random points.
package large

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	"github.com/cairnvoxel/cairn/bench/growth"
	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/store/local"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// Row is the cost of a verb.
type Row struct {
	Verb    string  `json:"verb"`
	Seconds float64 `json:"seconds"` // of processors, user and system
	Wall    float64 `json:"wall_seconds"`
	Peak    int64   `json:"peak_bytes"`    // of memory
	Within  bool    `json:"within_memory"` // Peak is at most growth.Memory
}

// Report is what a large found.
type Report struct {
	Edge  int   `json:"edge_cells"`
	Cells int64 `json:"cells"` // that are not empty
	Bytes int64 `json:"stone_bytes"`
	Rows  []Row `json:"rows"`
	// Points is how many cells of each level were compared with the land, from level 0 on.
	// Levels 1 and 2 are made from level 0 when they are read.
	Points []int `json:"points"`
}

// standardEdge is the default of Options.Edge: 60,000 cells and 10^10 that are not empty.
const standardEdge = 3750

// Bench makes a land of Options.Edge columns and measures verbs on it with the command
// Options.Cairn.
func Bench(ctx context.Context, o lab.Options) (*Report, error) {
	if o.Edge <= 0 {
		o.Edge = standardEdge
	}
	r := &Report{Edge: o.Edge * geom.ColumnEdge}
	err := lab.WithCairn(ctx, o, func(o lab.Options, dir string) error {
		if err := r.verbs(ctx, o, dir); err != nil {
			return err
		}
		o.Step(len(verbs(o)), len(verbs(o))+1, "comparing levels")
		return r.compare(ctx, filepath.Join(dir, storeDir), terrain.Plains{Seed: o.Seed})
	})
	if err != nil {
		return nil, fmt.Errorf("large: %w", err)
	}
	return r, nil
}

const (
	storeDir = "store"
	copied   = "copy.cairn"
)

// The edits. Points near them are not compared with the land.
const editRadius = 6

func edits() []geom.Point { return []geom.Point{{X: 10, Y: 4, Z: 10}, {X: -100, Y: 4, Z: 60}} }

type verb struct {
	name string
	args []string
}

// verbs returns the verbs in the order in which they run.
func verbs(o lab.Options) []verb {
	v := []verb{{"gen", []string{"gen", "--quick", "--seed", fmt.Sprint(o.Seed), "--size", strconv.Itoa(o.Edge), "plains", "@wide"}}}
	for i, at := range edits() {
		v = append(v, verb{[]string{"edit", "edit-again"}[i], []string{"edit", "@wide", "ball", "--at", fmt.Sprintf("%d,%d,%d", at.X, at.Y, at.Z), "--r", strconv.Itoa(editRadius), "--name", "basalt"}})
	}
	return append(v, verb{"pack", []string{"pack", "@wide"}}, verb{"render", []string{"render", "@wide", "wide.png"}},
		verb{"diff", []string{"diff", "@wide@2", "@wide@3"}}, verb{"export", []string{"import", "--quick", "@wide", copied}},
		verb{"import", []string{"import", copied, "@again"}}, verb{"check", []string{"check", copied}})
}

func (r *Report) verbs(ctx context.Context, o lab.Options, dir string) error {
	all := verbs(o)
	for i, v := range all {
		o.Step(i, len(all)+1, v.name)
		_, cost, err := lab.Run(ctx, dir, o.Cairn, append([]string{"--store", "local:" + storeDir}, v.args...)...)
		if err != nil && v.name != "diff" { // which says that they differ
			return fmt.Errorf("%s: %w", v.name, err)
		}
		r.Rows = append(r.Rows, Row{v.name, cost.Processor.Seconds(), cost.Wall.Seconds(), cost.Peak, cost.Peak <= growth.Memory})
	}
	info, err := os.Stat(filepath.Join(dir, copied))
	if err == nil {
		r.Bytes = info.Size()
	}
	return err
}

const (
	pointsOfLevel = 400
	topLevel      = 6
)

// compare compares cells of the packed world with the land.
func (r *Report) compare(ctx context.Context, dir string, land terrain.Plains) error {
	st, err := local.Open(dir, local.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer st.Close()
	head, err := st.Head(ctx, "wide")
	if err != nil {
		return err
	}
	s, err := world.OpenSnapshot(ctx, st, "wide", head.Commit, world.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	tally, err := s.Tally(ctx, "overworld")
	if err != nil {
		return err
	}
	r.Cells = int64(tally.Cells["solid"])
	random := rand.New(rand.NewPCG(land.Seed, 1))
	for level := range topLevel + 1 {
		n := 0
		for range pointsOfLevel {
			x, z := random.IntN(r.Edge)-r.Edge/2, random.IntN(r.Edge)-r.Edge/2
			p := geom.Point{X: x >> level, Y: random.IntN(1 + geom.ChunkEdge>>level), Z: z >> level}
			if edited(p, level) || outside(p, level, r.Edge/2) {
				continue
			}
			var got [1]voxel.Cell
			if err := s.ReadBox(ctx, "overworld", "solid", level, geom.Box{Min: p, Max: p.Add(geom.Point{X: 1, Y: 1, Z: 1})}, got[:]); err != nil {
				return err
			}
			if want := cellOf(land, level, p); got[0] != want {
				return fmt.Errorf("level %d of %v: %d, but the land has %d", level, p, got[0], want)
			}
			n++
		}
		r.Points = append(r.Points, n)
	}
	if topLevel >= 3 && !s.HasLevel("overworld", "solid", 3) {
		return errors.New("the packed world has no far levels")
	}
	return nil
}

// cellOf returns a cell of a level of the land, from the cells below it.
func cellOf(land terrain.Plains, level int, p geom.Point) voxel.Cell {
	switch {
	case p.Y<<level >= geom.ChunkEdge:
		return voxel.Empty
	case level == 0:
		return land.Cell(p)
	}
	var eight [8]voxel.Cell
	for i := range eight {
		eight[i] = cellOf(land, level-1, geom.Point{X: p.X*2 + i&1, Y: p.Y*2 + i>>2, Z: p.Z*2 + i>>1&1})
	}
	return voxel.Downsample(&voxel.Rule{Schema: voxel.Terrain}, eight)
}

// edited reports whether a cell of a level may hold what an edit changed.
func edited(p geom.Point, level int) bool {
	for _, at := range edits() {
		b := geom.Box{Min: geom.Point{X: p.X << level, Y: p.Y << level, Z: p.Z << level}}
		b.Max = b.Min.Add(geom.Point{X: 1 << level, Y: 1 << level, Z: 1 << level})
		far := geom.Point{X: editRadius + 1, Y: editRadius + 1, Z: editRadius + 1}
		if !b.Intersect(geom.Box{Min: at.Sub(far), Max: at.Add(far)}).Empty() {
			return true
		}
	}
	return false
}

// outside reports whether a cell of a level reaches beyond the land.
func outside(p geom.Point, level, half int) bool {
	low, high := -half, half
	return p.X<<level < low || p.Z<<level < low || (p.X+1)<<level > high || (p.Z+1)<<level > high
}

// Table prints the report.
func (r *Report) Table(w io.Writer) {
	t := table.New(w, "verb", "processor s", "wall s", "memory at most", fmt.Sprintf("within %d MiB", growth.Memory>>20))
	for _, x := range r.Rows {
		t.Row(x.Verb, fmt.Sprintf("%.2f", x.Seconds), fmt.Sprintf("%.2f", x.Wall), table.Size(x.Peak), map[bool]string{true: "yes", false: "no"}[x.Within])
	}
	t.Flush()
	fmt.Fprintf(w, "\n%d x %d cells in the plane, %d cells that are not empty; a stone of %s\n", r.Edge, r.Edge, r.Cells, table.Size(r.Bytes))
	fmt.Fprintf(w, "cells compared with the land, by level: %v\n", r.Points)
}
