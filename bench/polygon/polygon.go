// Package polygon measures how fast polygons are split by a line, beside simplefeatures, and
// checks what the project promises of a split on many random ones.
package polygon

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/peterstace/simplefeatures/geom"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/voxel/region"
)

// Row is a polygon that is split. Times are in nanoseconds of one split, the least of the rounds.
type Row struct {
	Shape  string  `json:"shape"`
	Size   int     `json:"corners"`
	Parts  int     `json:"parts"`
	Ours   float64 `json:"split_ns"`
	Check  float64 `json:"check_ns"` // NewPolygon
	Theirs float64 `json:"simplefeatures_ns"`
	// Allocations of one split, and their bytes.
	OurAllocs, TheirAllocs int64   `json:"-"`
	OurBytes, TheirBytes   int64   `json:"-"`
	Apart                  float64 `json:"area_difference"` // of the sums on both sides, in parts of the area
	Failed                 string  `json:"simplefeatures_error,omitempty"`
}

// Report is what a measurement of splits found.
type Report struct {
	Rows   []Row   `json:"rows"`
	Checks *Checks `json:"checks"`
}

// sizes of polygons in corners.
var sizes = []int{4, 16, 64, 256, 1024, 4096, 16384, 65536, 100000}

// Bench splits polygons of each shape and size for Options.Seconds, by default 0.3, then checks
// Options.Splits random splits.
func Bench(ctx context.Context, o lab.Options) (*Report, error) {
	o = o.WithLoad(0, 0, 0.3)
	r := &Report{Rows: []Row{}}
	for i, n := range sizes {
		for _, shape := range []string{"convex", "star", "comb"} {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			o.Step(i, len(sizes)+1, fmt.Sprintf("%s of %d corners", shape, n))
			row, err := measure(shape, n, o)
			if err != nil {
				return nil, fmt.Errorf("polygons: %s of %d corners: %w", shape, n, err)
			}
			r.Rows = append(r.Rows, row)
		}
	}
	o.Step(len(sizes), len(sizes)+1, "random splits")
	var err error
	r.Checks, err = check(ctx, o.Splits, o.Seed)
	return r, err
}

// corners returns a polygon of n corners and a line that cuts it.
func corners(shape string, n int, seed uint64) ([]region.Corner, region.Line) {
	const far = 1 << 40
	rnd := rand.New(rand.NewPCG(seed, uint64(n)))
	var out []region.Corner
	if shape == "comb" { // teeth of random length on a back
		step := far / n
		out = append(out, region.Corner{X: (n - 1) * step}, region.Corner{})
		for i := range n - 2 {
			out = append(out, region.Corner{X: i * step, Z: far/8 + i%2*far/2 + rnd.IntN(far/8)})
		}
		return out, region.Line{A: region.Corner{Z: far / 3}, B: region.Corner{X: far, Z: far / 2}}
	}
	for i := range n {
		radius := float64(far)
		if shape == "star" {
			radius *= 0.5 + rnd.Float64()/2
		}
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		out = append(out, region.Corner{X: int(radius * cos), Z: int(radius * sin)})
	}
	return out, region.Line{A: region.Corner{X: -far, Z: far / 3}, B: region.Corner{X: far, Z: far / 2}}
}

func measure(shape string, n int, o lab.Options) (Row, error) {
	ring, line := corners(shape, n, o.Seed)
	row := Row{Shape: shape, Size: n}
	var p region.Polygon
	var err error
	each := time.Duration(o.Seconds * float64(time.Second))
	if row.Check, _, _, err = timed(each/3, func() error {
		p, err = region.NewPolygon(ring)
		return err
	}); err != nil {
		return row, err
	}
	var parts []region.PolygonPart
	if row.Ours, row.OurAllocs, row.OurBytes, err = timed(each, func() error {
		parts, err = region.Split(p, line)
		return err
	}); err != nil {
		return row, err
	}
	row.Parts = len(parts)
	peer, sides := peerPolygon(ring), peerSides(line)
	var areas [2]float64
	row.Theirs, row.TheirAllocs, row.TheirBytes, err = timed(each, func() error {
		for i, side := range sides {
			got, err := geom.Intersection(peer, side)
			if err != nil {
				return err
			}
			areas[i] = got.Area()
		}
		return nil
	})
	if err != nil {
		row.Failed = err.Error()
		return row, nil
	}
	for _, part := range parts {
		i := 0
		if part.Side == region.Right {
			i = 1
		}
		areas[i] -= floatArea(part.Polygon)
	}
	row.Apart = (math.Abs(areas[0]) + math.Abs(areas[1])) / peer.Area()
	return row, nil
}

// floatArea is the area in floating point. An exact one takes long with many fractions.
func floatArea(p region.Polygon) (sum float64) {
	var ring [][2]float64
	for v := range p.Vertices() {
		x, z := v.Exact()
		fx, _ := x.Float64()
		fz, _ := z.Float64()
		ring = append(ring, [2]float64{fx, fz})
	}
	for i, a := range ring {
		b := ring[(i+1)%len(ring)]
		sum += (a[1] + b[1]) / 2 * (b[0] - a[0])
	}
	return sum
}

// timed returns the least time of f and what it allocates. It calls f until the time is over,
// and once if that takes longer.
func timed(limit time.Duration, f func() error) (ns float64, allocs, bytes int64, err error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begin := time.Now()
	if err := f(); err != nil {
		return 0, 0, 0, err
	}
	first := time.Since(begin)
	runtime.ReadMemStats(&after)
	allocs, bytes = int64(after.Mallocs-before.Mallocs), int64(after.TotalAlloc-before.TotalAlloc)
	if first > limit {
		return float64(first), allocs, bytes, nil
	}
	for calls := 1; ; calls = min(2*calls, 1000) {
		start := time.Now()
		for range calls {
			if err := f(); err != nil {
				return 0, 0, 0, err
			}
		}
		ns = lab.Least(ns, float64(time.Since(start))/float64(calls))
		if time.Since(begin) > limit {
			return ns, allocs, bytes, nil
		}
	}
}

// peerPolygon returns a ring as simplefeatures has it.
func peerPolygon(ring []region.Corner) geom.Geometry {
	var flat []float64
	for _, c := range append(ring[:len(ring):len(ring)], ring[0]) {
		flat = append(flat, float64(c.X), float64(c.Z))
	}
	return geom.NewPolygon([]geom.LineString{geom.NewLineString(geom.NewSequence(flat, geom.DimXY))}).AsGeometry()
}

// peerSides returns the half-planes left and right of a line as large quadrilaterals: simplefeatures has
// no split, and intersections with both are what its user would write.
func peerSides(l region.Line) [2]geom.Geometry {
	dx, dz := l.B.X-l.A.X, l.B.Z-l.A.Z
	a, b := region.Corner{X: l.A.X - 2*dx, Z: l.A.Z - 2*dz}, region.Corner{X: l.B.X + 2*dx, Z: l.B.Z + 2*dz}
	side := func(s int) geom.Geometry {
		nx, nz := s*4*dz, -s*4*dx
		return peerPolygon([]region.Corner{a, b, {X: b.X + nx, Z: b.Z + nz}, {X: a.X + nx, Z: a.Z + nz}})
	}
	return [2]geom.Geometry{side(1), side(-1)}
}

// Table prints the report.
func (r *Report) Table(w io.Writer) {
	t := table.New(w, "shape", "corners", "parts", "check us", "split us", "allocs", "KiB", "simplefeatures us", "allocs", "KiB", "times", "areas apart")
	for _, x := range r.Rows {
		theirs, times := figure(x.Theirs/1000), fmt.Sprintf("%.0f", x.Theirs/x.Ours)
		if x.Failed != "" {
			theirs, times = "fails", ""
		}
		t.Row(x.Shape, fmt.Sprint(x.Size), fmt.Sprint(x.Parts), figure(x.Check/1000), figure(x.Ours/1000), fmt.Sprint(x.OurAllocs), fmt.Sprint(x.OurBytes>>10),
			theirs, fmt.Sprint(x.TheirAllocs), fmt.Sprint(x.TheirBytes>>10), times, fmt.Sprintf("%.0e", x.Apart))
	}
	t.Flush()
	for _, x := range r.Rows {
		if x.Failed != "" {
			fmt.Fprintf(w, "simplefeatures: %s of %d corners: %s\n", x.Shape, x.Size, x.Failed)
		}
	}
	c := r.Checks
	fmt.Fprintf(w, "\n%d random splits of %d polygons in %.0f s: no property fails. %d parts, %d splits into more than 2 parts, %d with a corner on the line.\n",
		c.Splits, c.Polygons, c.Seconds, c.Parts, c.Many, c.Touching)
}

func figure(v float64) string {
	if v < 100 {
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.0f", v)
}
