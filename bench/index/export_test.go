package index

import (
	"context"
	"time"

	"github.com/cairnvoxel/cairn/octree"
)

// Measure measures a scene with few objects.
func Measure(ctx context.Context, name string, share float64) (*Report, error) {
	s := makeScene(name, 1, share)
	rows, err := s.run(ctx, builders(s), 1, time.Microsecond)
	return &Report{Rows: judge(rows), Objects: []Objects{{name, len(s.boxes)}}, Skipped: nil}, err
}

// MeasureStudies measures all studies with few objects.
func MeasureStudies(ctx context.Context, share float64) (out []*Study, err error) {
	for _, y := range studies(1, share) {
		r, err := y.run(ctx, 1, time.Microsecond)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// Plot is plot.
func (r *Report) Plot(dir string) error { return r.plot(dir) }

// ReadRows is readRows.
func ReadRows(out string) ([]Row, error) { return readRows([]byte(out), &scene{name: "made"}) }

// Judge is judge.
func Judge(rows []Row) []Row { return judge(rows) }

// SceneBytes returns how a scene is written for OrthoTree, and how many objects and queries it has.
func SceneBytes(file string) (objects, queries int, err error) {
	s := makeScene("movers", 1, 0)
	for _, c := range s.classes {
		queries += len(c.queries)
	}
	return len(s.boxes), queries, writeScene(file, s)
}

// Nearest asks brute force.
func Nearest(boxes []octree.Box, p octree.Vec, k int) []octree.Near {
	return (&brute{boxes}).Nearest(p, make([]octree.Near, k))
}
