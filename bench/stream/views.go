package stream

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/internal/codec"
	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/render/lod"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// ViewRow is what a viewer gets: cells as package codec packs them, and cubeHead bytes for each cube.
type ViewRow struct {
	Radius   int     `json:"radius"`
	Top      int     `json:"top"`
	MaxError float64 `json:"max_error"`
	First    int64   `json:"first_bytes"`  // the top level of all within the radius
	Finest   int64   `json:"finest_bytes"` // level 0 of all within the radius
	All      int64   `json:"all_bytes"`    // what a viewer that stands gets
	Cubes    int     `json:"cubes"`        // in All
	Steps    int     `json:"steps"`        // the length of a walk, in blocks
	Walk     int64   `json:"walk_bytes"`   // what it gets while it walks on
	// FinestWalk is what comes within the radius on the walk, at level 0.
	FinestWalk int64 `json:"finest_walk_bytes"`
}

// PlanTime is a time of package lod.
type PlanTime struct {
	Name   string  `json:"name"`
	Micros float64 `json:"us"`
}

// cubeHead is what a cube takes besides its cells: its place and its version.
const cubeHead = 12

// land is a level and what its cubes take.
type land struct {
	view   *grid.View
	half   int // of its edge, in blocks
	bounds geom.Box
	cubes  map[lod.Key]lod.Cube
	cells  []voxel.Cell
	buf    []byte
}

func newLand(v *grid.View, half int) *land {
	l := &land{view: v, half: half * geom.ChunkEdge, cubes: make(map[lod.Key]lod.Cube), cells: make([]voxel.Cell, 16*16*16)}
	for pos := range v.Chunks() {
		l.bounds = l.bounds.Union(pos.Box())
	}
	return l
}

// cube returns what a plan is told of a cube. Bytes are those on the wire.
func (l *land) cube(k lod.Key) lod.Cube {
	c, ok := l.cubes[k]
	if !ok {
		c = l.read(k)
		l.cubes[k] = c
	}
	return c
}

func (l *land) read(k lod.Key) lod.Cube {
	low := geom.Point{X: int(k.X) * lod.Edge, Y: int(k.Y) * lod.Edge, Z: int(k.Z) * lod.Edge}
	l.view.ReadBox(geom.Box{Min: low, Max: low.Add(geom.Point{X: lod.Edge, Y: lod.Edge, Z: lod.Edge})}, int(k.Level), l.cells)
	var full [8]bool
	any, all := false, true
	for i, c := range l.cells {
		o := i>>3&1 | i>>7&1<<1 | i>>11&1<<2
		full[o] = full[o] || c != 0
		any, all = any || c != 0, all && c != 0
	}
	if !any {
		return lod.Cube{}
	}
	l.buf = codec.AppendBitRLE(l.buf[:0], l.cells, lod.Edge, voxel.Terrain)
	c := lod.Cube{Version: 1, Bytes: len(l.buf) + cubeHead, Solid: all}
	for o, f := range full {
		if !f {
			c.Empty |= 1 << o
		}
	}
	return c
}

// serve gives a plan all that it asks for down to a level and returns the bytes.
func (l *land) serve(p *lod.Plan, level int) (n int64) {
	var keys []lod.Key
	for {
		keys = p.AppendNext(keys[:0], 64)
		if len(keys) == 0 || p.Complete(level) {
			for _, k := range keys {
				p.Again(k)
			}
			return n
		}
		for _, k := range keys {
			c := l.cube(k)
			if c.Version != 0 {
				n += int64(c.Bytes)
			} else {
				n += 4
			}
			p.Have(k, c)
		}
	}
}

// finest returns the bytes of level 0 that yes says.
func (l *land) finest(yes func(k lod.Key) bool) (n int64) {
	low, high := lod.KeyOf(l.bounds.Min, 0), lod.KeyOf(l.bounds.Max, 0)
	for y := low.Y; y < high.Y; y++ {
		for z := low.Z; z < high.Z; z++ {
			for x := low.X; x < high.X; x++ {
				k := lod.Key{X: x, Y: y, Z: z}
				if yes(k) {
					if c := l.cube(k); c.Version != 0 {
						n += int64(c.Bytes)
					}
				}
			}
		}
	}
	return n
}

// far returns how far the viewer is from a cube.
func far(k lod.Key, p octree.Vec) float64 {
	b := k.Box()
	x := max(float64(b.Min.X)-p.X, 0, p.X-float64(b.Max.X))
	y := max(float64(b.Min.Y)-p.Y, 0, p.Y-float64(b.Max.Y))
	z := max(float64(b.Min.Z)-p.Z, 0, p.Z-float64(b.Max.Z))
	return math.Sqrt(x*x + y*y + z*z)
}

// stand measures a viewer who stands in the middle.
func (l *land) stand(radius, top int, maxError float64) ViewRow {
	r := ViewRow{Radius: radius, Top: top, MaxError: maxError}
	p, e := l.viewer(&r)
	r.First = l.serve(p, top)
	r.All = r.First + l.serve(p, 0)
	r.Cubes = p.Len()
	r.Finest = l.finest(func(k lod.Key) bool { return far(k, e.Position) < e.Radius })
	return r
}

func (l *land) viewer(r *ViewRow) (*lod.Plan, lod.Eye) {
	p, e := lod.New(lod.Options{Bounds: l.bounds, Top: r.Top}), lod.Eye{MaxError: r.MaxError, Radius: float64(r.Radius)}
	e.Position.Y = 120
	p.Look(e)
	return p, e
}

// walk measures viewers who walk from the middle in four directions, two blocks a step, as far as
// all within the radius is land.
func (l *land) walk(r *ViewRow) {
	r.Steps = l.half - r.Radius
	for _, d := range []octree.Vec{{X: 1}, {Z: 1}, {X: -1}, {Z: -1}} {
		p, e := l.viewer(r)
		start := e.Position
		l.serve(p, 0)
		e.Direction, e.Velocity = d, octree.Vec{X: 4.3 * d.X, Z: 4.3 * d.Z}
		for range r.Steps / 2 {
			e.Position.X += 2 * d.X
			e.Position.Z += 2 * d.Z
			p.Look(e)
			p.AppendForget(nil)
			r.Walk += l.serve(p, 0)
		}
		r.FinestWalk += l.finest(func(k lod.Key) bool {
			return far(k, start) >= e.Radius && farOfWay(k, start, e.Position) < e.Radius
		})
	}
}

// farOfWay returns how far a cube is from a way along x or z.
func farOfWay(k lod.Key, from, to octree.Vec) float64 {
	b := k.Box()
	at := from
	at.X = min(max(float64(b.Min.X+b.Max.X)/2, min(from.X, to.X)), max(from.X, to.X))
	at.Z = min(max(float64(b.Min.Z+b.Max.Z)/2, min(from.Z, to.Z)), max(from.Z, to.Z))
	return far(k, at)
}

func (l *land) views(ctx context.Context, o lab.Options, r *Report) error {
	whole := int(float64(l.half) * math.Sqrt2)
	for i, row := range []struct {
		top      int
		maxError float64
	}{{4, 12}, {3, 12}, {5, 12}, {4, 8}, {4, 16}} {
		if err := ctx.Err(); err != nil {
			return err
		}
		o.Step(i, 5, "views")
		v := l.stand(whole, row.top, row.maxError)
		v.Radius = l.half * 8 / 10
		l.walk(&v)
		v.Radius = whole
		r.Views = append(r.Views, v)
	}
	r.Plans = l.times(whole)
	return nil
}

// times measures package lod alone, as what it is told is known by now.
func (l *land) times(radius int) []PlanTime {
	var p *lod.Plan
	e := lod.Eye{Position: octree.Vec{Y: 120}, Radius: float64(radius)}
	least := math.Inf(1)
	for range 3 {
		start := time.Now()
		p = lod.New(lod.Options{Bounds: l.bounds, Top: 4})
		p.Look(e)
		l.serve(p, 0)
		least = min(least, float64(time.Since(start).Nanoseconds())/1e3)
	}
	out := []PlanTime{{fmt.Sprintf("first look, and %d cubes", p.Len()), least}}
	for i := range 200 { // what the walk needs is read
		e.Position.X = float64(i)
		p.Look(e)
		l.serve(p, 0)
	}
	var sum time.Duration
	for i := range 200 {
		e.Position.X = float64(i)
		start := time.Now()
		p.Look(e)
		sum += time.Since(start)
		l.serve(p, 0)
	}
	return append(out, PlanTime{"look after a block", float64(sum.Nanoseconds()) / 200 / 1e3})
}
