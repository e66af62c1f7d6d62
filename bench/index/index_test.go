package index_test

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/bench/index"
	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/bench/labtest"
	"github.com/cairnvoxel/cairn/octree"
)

// TestScenes measures each scene with few objects. All indexes have to give equal answers.
func TestScenes(t *testing.T) {
	for _, name := range index.SceneNames() {
		if name == "worlds" {
			continue
		}
		r, err := index.Measure(context.Background(), name, 0.003)
		if err != nil {
			t.Fatal(err)
		}
		found := uint64(0)
		for _, x := range r.Rows {
			if x.Differs {
				t.Errorf("%s: %s of %s %s differs", name, x.Class, x.Index, x.Variant)
			}
			found += x.Found
		}
		if found < 1000 {
			t.Errorf("%s: all queries find %d objects", name, found)
		}
		labtest.Table(t, r.Table, name, "octree", "brute force", "hash grid", "nearest 64", "build")
		if name != "movers" {
			continue
		}
		dir := filepath.Join(t.TempDir(), "plots")
		if r.Studies, err = index.MeasureStudies(context.Background(), 0.003); err != nil {
			t.Fatal(err)
		}
		if err := r.Plot(dir); err != nil {
			t.Fatal(err)
		}
		for plot, part := range map[string]string{"queries-movers": "hash grid", "changes": "hash grid", "depth": "by size, to 128", "layouts": "inner-leaf"} {
			wellFormed(t, filepath.Join(dir, "octrees-"+plot+".svg"), "octree", part)
		}
		labtest.Table(t, r.Table, "depth", "hashed 64 mask virtual", "loose 1.5", "two trees")
		for _, y := range r.Studies {
			for _, x := range y.Rows {
				if x.Differs {
					t.Errorf("%s: %s of %s differs", y.Name, x.Class, x.Index)
				}
			}
		}
	}
}

func wellFormed(t *testing.T, file string, parts ...string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for d := xml.NewDecoder(strings.NewReader(string(text))); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	for _, part := range append(parts, "<circle") {
		if !strings.Contains(string(text), part) {
			t.Errorf("%s: no %q", file, part)
		}
	}
	if strings.Contains(string(text), "NaN") || strings.Contains(string(text), "Inf") {
		t.Errorf("%s has a place that is no number", file)
	}
}

func TestWorlds(t *testing.T) {
	o := lab.Options{Scenes: []string{"worlds"}, Seconds: 1e-6, Seed: 1}
	r, err := index.Bench(context.Background(), []string{labtest.Arenas(t)}, o)
	if err != nil {
		t.Fatal(err)
	}
	labtest.JSON(t, r)
	if len(r.Objects) != 1 || r.Objects[0].Count < 10 {
		t.Errorf("found %+v, want entities and block entities", r.Objects)
	}
	for _, x := range r.Rows {
		if x.Differs {
			t.Errorf("%s of %s %s differs", x.Class, x.Index, x.Variant)
		}
	}
	if r, err = index.Bench(context.Background(), nil, o); err != nil || len(r.Rows) != 0 {
		t.Errorf("without folders: %d rows, %v", len(r.Rows), err)
	}
}

func TestJudge(t *testing.T) {
	rows := index.Judge([]index.Row{
		{Class: "box", Index: "octree", Sum: "1"}, {Class: "box", Index: "a", Sum: "1"}, {Class: "box", Index: "b", Sum: "2"},
		{Class: "build", Index: "octree", Sum: "0"}, {Class: "build", Index: "a", Sum: "5"},
	})
	for i, x := range rows {
		if want := i == 2; x.Differs != want {
			t.Errorf("%+v: differs %v", x, x.Differs)
		}
	}
	if rows, err := index.ReadRows("box 16\tbvh2\t12.5\t00ff\t7\n"); err != nil || len(rows) != 1 || rows[0] != (index.Row{Scene: "made", Class: "box 16", Index: "OrthoTree", Variant: "bvh2", Each: 12.5, Found: 7, Sum: "00ff"}) {
		t.Errorf("reads %+v, %v", rows, err)
	}
	for _, bad := range []string{"box\n", "a\tb\tc\td\t1\n", "a\tb\t1\td\t-1\n"} {
		if _, err := index.ReadRows(bad); err == nil {
			t.Errorf("%q is no error", bad)
		}
	}
}

func TestWriteScene(t *testing.T) {
	file := filepath.Join(t.TempDir(), "scene")
	objects, queries, err := index.SceneBytes(file)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if least := int64(4*48*objects + 24*queries); err != nil || info.Size() < least {
		t.Errorf("%d objects and %d queries take %v bytes, want %d at least: %v", objects, queries, info, least, err)
	}
}

func TestNearest(t *testing.T) {
	boxes := []octree.Box{octree.Around(octree.Vec{X: 5}, 1), octree.Around(octree.Vec{Y: 3}, 1), octree.Around(octree.Vec{Z: 9}, 1)}
	near := index.Nearest(boxes, octree.Vec{}, 2)
	if len(near) != 2 || near[0] != (octree.Near{ID: 1, Distance: 2}) || near[1] != (octree.Near{ID: 0, Distance: 4}) {
		t.Errorf("got %v", near)
	}
	if near := index.Nearest(boxes, octree.Vec{}, 5); len(near) != 3 {
		t.Errorf("got %v of 3", near)
	}
}

func TestWrongScenes(t *testing.T) {
	if err := index.Check(lab.Options{Scenes: []string{"movers", "moon"}}); err == nil || !strings.Contains(err.Error(), "moon") {
		t.Errorf("got %v", err)
	}
	over, stop := context.WithCancel(context.Background())
	stop()
	if _, err := index.Bench(over, nil, lab.Options{Scenes: []string{"points"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("after a cancel: %v", err)
	}
}
