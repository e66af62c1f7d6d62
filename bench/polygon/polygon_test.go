package polygon_test

import (
	"context"
	"errors"
	"testing"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/bench/labtest"
	"github.com/cairnvoxel/cairn/bench/polygon"
)

func TestMeasure(t *testing.T) {
	r := &polygon.Report{Checks: &polygon.Checks{}}
	for _, shape := range []string{"convex", "star", "comb"} {
		row, err := polygon.Measure(shape, 64, lab.Options{Seconds: 0.001, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if row.Failed != "" || row.Apart > 1e-12 || row.Parts < 2 || row.Ours <= 0 || row.Theirs <= 0 || row.Check <= 0 || row.OurAllocs < 1 {
			t.Errorf("not plausible: %+v", row)
		}
		r.Rows = append(r.Rows, row)
	}
	labtest.Table(t, r.Table, "shape", "comb", "simplefeatures us", "no property fails")
}

func TestCheck(t *testing.T) {
	c, err := polygon.Check(context.Background(), 3000, 7)
	if err != nil {
		t.Fatal(err)
	}
	if c.Splits != 3000 || c.Polygons != 150 || c.Parts < 4000 || c.Many < 100 || c.Touching < 500 {
		t.Errorf("got %+v", c)
	}
	over, stop := context.WithCancel(context.Background())
	stop()
	if _, err := polygon.Check(over, 10, 7); !errors.Is(err, context.Canceled) {
		t.Errorf("after a cancel: %v", err)
	}
}
