// Package stream measures what a viewer costs who sees a land by level of detail: bytes of the first
// complete view and of a walk, beside sending the finest cells of the same radius.
package stream

import (
	"context"
	"fmt"
	"io"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/bench/level"
	"github.com/cairnvoxel/cairn/internal/table"
)

// Report is what a measurement of streams found.
type Report struct {
	Edge  int        `json:"edge"` // of the land, in blocks
	Views []ViewRow  `json:"views"`
	Plans []PlanTime `json:"plans"`
	Sizes []SizeRow  `json:"sizes"`
	// Streamed is nil if there is no server to start: in a test.
	Streamed *Streamed `json:"streamed"`
}

// Bench makes a land of at least Options.Voxels cells that are not empty. With Options.Full it also has a
// server in a process of its own stream it, over a shaped link and to viewers who walk.
func Bench(ctx context.Context, o lab.Options) (*Report, error) {
	v, half, err := level.Land(ctx, o)
	if err != nil {
		return nil, err
	}
	r := &Report{Edge: 64 * half}
	b := newLand(v, half)
	if err := b.views(ctx, o, r); err != nil {
		return nil, err
	}
	r.Sizes = b.sizes(o.Seed)
	if !o.Full {
		return r, nil
	}
	r.Streamed, err = b.streamed(ctx, o, r.Views[0])
	return r, err
}

// Table prints the report for people.
func (r *Report) Table(w io.Writer) {
	fmt.Fprintf(w, "land of %d x %d blocks\n\n", r.Edge, r.Edge)
	t := table.New(w, "radius", "top", "error px", "first", "of finest", "all", "walked", "for", "finest", "of finest", "cubes")
	for _, v := range r.Views {
		t.Row(fmt.Sprint(v.Radius), fmt.Sprint(v.Top), fmt.Sprint(v.MaxError), table.Size(v.First), fmt.Sprintf("1/%.0f", float64(v.Finest)/float64(max(v.First, 1))), table.Size(v.All), fmt.Sprint(v.Steps),
			table.Size(v.Walk), table.Size(v.FinestWalk), fmt.Sprintf("%.2f", float64(v.Walk)/float64(max(v.FinestWalk, 1))), fmt.Sprint(v.Cubes))
	}
	t.Flush()
	fmt.Fprintln(w)
	t = table.New(w, "plan", "each")
	for _, p := range r.Plans {
		t.Row(p.Name, fmt.Sprintf("%.1f us", p.Micros))
	}
	t.Flush()
	fmt.Fprintln(w)
	t = table.New(w, "cells an edge", "boxes", "bytes", "an edit")
	for _, row := range r.Sizes {
		t.Row(fmt.Sprint(row.Edge), fmt.Sprint(row.Boxes), table.Size(row.Bytes), fmt.Sprintf("%.0f B", row.Edit))
	}
	t.Flush()
	s := r.Streamed
	if s == nil {
		return
	}
	fmt.Fprintf(w, "\na server on a link of %.0f Mbit/s\n\n", s.Rate/1e6)
	t = table.New(w, "what", "bytes", "of finest", "wanted", "seconds", "wanted")
	t.Row("first complete view", table.Size(s.First), fmt.Sprintf("1/%.0f", float64(s.Finest)/float64(max(s.First, 1))), "1/50", fmt.Sprintf("%.2f", s.FirstSeconds), "1")
	t.Row("all detail", table.Size(s.All), fmt.Sprintf("1/%.0f", float64(s.Finest)/float64(max(s.All, 1))), "", fmt.Sprintf("%.2f", s.AllSeconds), "")
	t.Row("walking on", table.Size(s.Walk), fmt.Sprintf("%.2f", float64(s.Walk)/float64(max(s.FinestWalk, 1))), "0.25", "", "")
	t.Flush()
}
