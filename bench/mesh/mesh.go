// Package mesh measures how fast surfaces are made, beside binary-greedy-meshing (C++) and
// fast-surface-nets (Rust) if their folders are given, on the same boxes of a made terrain.
package mesh

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/render/mesh"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// Row is a mesher on all boxes. Times are in microseconds of one box, the least of the rounds.
type Row struct {
	Name  string `json:"name"`
	Edge  int    `json:"edge"` // of a box, without its border
	Boxes int    `json:"boxes"`
	// Load is reading cells and making masks; of a rival, making masks of an array.
	Load float64 `json:"load_us"`
	Mesh float64 `json:"mesh_us"`
	// Each is how many quads or triangles a box has.
	Each float64 `json:"each"`
	// Ratio is Mesh beside that of the rival, 0 without one.
	Ratio float64 `json:"of_rival,omitempty"`
}

// Report is what a measurement of meshes found.
type Report struct {
	Rows []Row    `json:"rows"`
	Left []string `json:"left_out"`
}

const (
	rounds  = 5 // of all meshers in turn
	repeats = 4 // in each round
	towers  = 16
)

// Bench makes the surfaces of a terrain of 16x16 towers. Options.Greedy and Options.Nets are the
// folders of the rivals.
func Bench(ctx context.Context, o lab.Options) (*Report, error) {
	temp, err := os.MkdirTemp("", "cairn-mesh")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	b := &bench{o: o, view: land(o.Seed), temp: temp}
	r := &Report{Rows: []Row{}, Left: []string{}}
	for i, do := range []func(context.Context, *Report) error{b.blocky, b.smooth, b.collide} {
		o.Step(i, 3, []string{"blocky", "smooth", "collision"}[i])
		if err := do(ctx, r); err != nil {
			return nil, err
		}
	}
	return r, nil
}

type bench struct {
	o    lab.Options
	view *grid.View
	temp string
}

// land is a terrain from the generator of levels.
func land(seed uint64) *grid.View {
	l := terrain.Level{Seed: seed}
	return grid.Build(grid.Options{Schema: voxel.Terrain}, func(yield func(geom.ChunkPos, *voxel.Chunk) bool) {
		for x := range int32(towers) {
			for z := range int32(towers) {
				for y, c := range l.Tower(x, z) {
					if !yield(geom.ChunkPos{X: x, Y: int32(y), Z: z}, c) {
						return
					}
				}
			}
		}
	})
}

// boxes returns the boxes of an edge inside of the land that have a surface, and their cells with a
// border.
func (b *bench) boxes(edge int) (out []geom.Box, cells [][]voxel.Cell) {
	const wide, high = towers * geom.ChunkEdge, 192
	for y := 1; y+edge <= high; y += edge {
		for z := 1; z+edge < wide; z += edge {
			for x := 1; x+edge < wide; x += edge {
				box := geom.Box{Min: geom.Point{X: x, Y: y, Z: z}, Max: geom.Point{X: x + edge, Y: y + edge, Z: z + edge}}
				with := geom.Box{Min: box.Min.Sub(geom.Point{X: 1, Y: 1, Z: 1}), Max: box.Max.Add(geom.Point{X: 1, Y: 1, Z: 1})}
				got := make([]voxel.Cell, with.Cells())
				b.view.ReadBox(with, 0, got)
				if mixed(got) {
					out, cells = append(out, box), append(cells, got)
				}
			}
		}
	}
	return out, cells
}

func mixed(cells []voxel.Cell) bool {
	for _, c := range cells {
		if (c == 0) != (cells[0] == 0) {
			return true
		}
	}
	return false
}

// mesher is one of ours.
type mesher struct {
	row        Row
	load, mesh func(geom.Box) int
}

// time runs ours on all boxes. The least time of each box counts, as in the drivers of the rivals, so
// that a disturbance does not.
func (m *mesher) time(boxes []geom.Box) {
	load, run, count := make([]float64, len(boxes)), make([]float64, len(boxes)), 0
	for range repeats {
		count = 0
		for i, box := range boxes {
			t0 := time.Now()
			m.load(box)
			t1 := time.Now()
			count += m.mesh(box)
			run[i] = lab.Least(run[i], float64(time.Since(t1).Nanoseconds()))
			load[i] = lab.Least(load[i], float64(t1.Sub(t0).Nanoseconds()))
		}
	}
	n := float64(len(boxes)) * 1e3
	m.row.Load, m.row.Mesh = lab.Least(m.row.Load, sum(load)/n), lab.Least(m.row.Mesh, sum(run)/n)
	m.row.Each = float64(count) / float64(len(boxes))
}

func sum(all []float64) (s float64) {
	for _, f := range all {
		s += f
	}
	return s
}

func (b *bench) quads(o mesh.Options) (load, run func(geom.Box) int) {
	m := mesh.NewMesher(mesh.NewTerrainOpacities(nil), o)
	return func(box geom.Box) int {
			m.Load(b.view, box, 0, [mesh.Faces]mesh.Border{})
			return 0
		}, func(geom.Box) int {
			opaque, _, _ := m.Quads()
			return len(opaque)
		}
}

func (b *bench) blocky(ctx context.Context, r *Report) error {
	boxes, cells := b.boxes(mesh.MaxEdge)
	flat := &mesher{row: Row{Name: "cairn, flat", Edge: mesh.MaxEdge, Boxes: len(boxes)}}
	flat.load, flat.mesh = b.quads(mesh.Options{Flat: true})
	shaded := &mesher{row: Row{Name: "cairn, ambient occlusion", Edge: mesh.MaxEdge, Boxes: len(boxes)}}
	shaded.load, shaded.mesh = b.quads(mesh.Options{})
	theirs := Row{Name: "binary-greedy-meshing", Edge: mesh.MaxEdge, Boxes: len(boxes)}
	var other *rival
	if b.o.Greedy == "" {
		r.Left = append(r.Left, "binary-greedy-meshing: --greedy names its folder")
	} else {
		var err error
		if other, err = greedy(ctx, b.o.Greedy, b.temp, cells); err != nil {
			return err
		}
	}
	for range rounds {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		flat.time(boxes)
		shaded.time(boxes)
		if other != nil {
			var load, run, count float64
			if err := other.run(ctx, repeats, &load, &run, &count); err != nil {
				return err
			}
			n := float64(len(boxes)) * 1e3
			theirs.Load, theirs.Mesh, theirs.Each = lab.Least(theirs.Load, load/n), lab.Least(theirs.Mesh, run/n), count/n*1e3
		}
	}
	small, _ := b.boxes(geom.ChunkEdge)
	chunk := &mesher{row: Row{Name: "cairn, ambient occlusion", Edge: geom.ChunkEdge, Boxes: len(small)}}
	chunk.load, chunk.mesh = b.quads(mesh.Options{})
	chunk.time(small)
	r.add(other, theirs, &flat.row, &shaded.row)
	r.Rows = append(r.Rows, chunk.row)
	return nil
}

func (b *bench) smooth(ctx context.Context, r *Report) error {
	boxes, cells := b.boxes(geom.ChunkEdge)
	shapes := make([]mesh.Shape, 64)
	for i := range shapes {
		shapes[i] = mesh.Shape(i % 3)
	}
	round, shaped := mesh.NewNetter(nil, mesh.Options{}), mesh.NewNetter(shapes, mesh.Options{})
	net := func(name string, n *mesh.Netter) *mesher {
		return &mesher{
			row:  Row{Name: name, Edge: geom.ChunkEdge, Boxes: len(boxes)},
			load: func(box geom.Box) int { n.Load(b.view, box, 0, mesh.Around{}); return 0 },
			mesh: func(geom.Box) int { _, i := n.Surface(); return len(i) / 3 },
		}
	}
	ours, mixed := net("cairn, smooth", round), net("cairn, smooth, three shapes", shaped)
	theirs := Row{Name: "fast-surface-nets", Edge: geom.ChunkEdge, Boxes: len(boxes)}
	var other *rival
	if b.o.Nets == "" {
		r.Left = append(r.Left, "fast-surface-nets: --nets names the folder of its crate")
	} else {
		var err error
		if other, err = nets(ctx, b.o.Nets, b.temp, cells); err != nil {
			return err
		}
	}
	for range rounds {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		ours.time(boxes)
		mixed.time(boxes)
		if other != nil {
			var run, count float64
			if err := other.run(ctx, repeats, &run, &count); err != nil {
				return err
			}
			n := float64(len(boxes)) * 1e3
			theirs.Mesh, theirs.Each = lab.Least(theirs.Mesh, run/n), count/n*1e3
		}
	}
	r.add(other, theirs, &ours.row, &mixed.row)
	return nil
}

// add appends ours, and the rival's row if it ran.
func (r *Report) add(other *rival, theirs Row, ours ...*Row) {
	for _, o := range ours {
		if other != nil {
			o.Ratio = math.Round(o.Mesh/theirs.Mesh*1000) / 1000
		}
		r.Rows = append(r.Rows, *o)
	}
	if other != nil {
		r.Rows = append(r.Rows, theirs)
	}
}

// collide makes the reports of all chunks.
func (b *bench) collide(ctx context.Context, r *Report) error {
	boxes, _ := b.boxes(geom.ChunkEdge)
	for i := range boxes {
		boxes[i] = boxes[i].Min.Chunk().Box()
	}
	m := &mesher{
		row:  Row{Name: "cairn, collision", Edge: geom.ChunkEdge, Boxes: len(boxes)},
		load: func(geom.Box) int { return 0 },
	}
	solid := mesh.NewTerrainOpacities(nil)
	m.mesh = func(box geom.Box) (n int) {
		c := mesh.NewCollider(solid)
		c.Update(b.view, []geom.Box{box}, func(report *mesh.Obstacles) { n = len(report.Boxes) })
		return n
	}
	for range rounds {
		m.time(boxes)
	}
	r.Rows = append(r.Rows, m.row)
	return ctx.Err()
}

// Table prints a line for each mesher.
func (r *Report) Table(w io.Writer) {
	t := table.New(w, "mesher", "edge", "boxes", "load us", "mesh us", "each has", "of the rival's mesh us")
	for _, x := range r.Rows {
		ratio := "-"
		if x.Ratio > 0 {
			ratio = fmt.Sprintf("%.2f", x.Ratio)
		}
		t.Row(x.Name, fmt.Sprint(x.Edge), fmt.Sprint(x.Boxes), fmt.Sprintf("%.1f", x.Load), fmt.Sprintf("%.1f", x.Mesh), fmt.Sprintf("%.0f", x.Each), ratio)
	}
	t.Flush()
	for _, left := range r.Left {
		fmt.Fprintf(w, "left out: %s\n", left)
	}
}
