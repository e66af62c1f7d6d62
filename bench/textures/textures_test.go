package textures_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/bench/textures"
)

// TestMain lets Bench start this program again.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == textures.ChildName {
		if err := textures.Child(context.Background(), os.Args[2:], os.Stdout); err != nil {
			panic(err)
		}
		return
	}
	os.Exit(m.Run())
}

// TestBench plays a little of everything. Both systems must have found the same.
func TestBench(t *testing.T) {
	if _, err := exec.LookPath("maketx"); err != nil || testing.Short() {
		t.Skip("it needs maketx, and time to make images")
	}
	r, err := textures.Bench(t.Context(), t.TempDir(), true, func(done, all int) {})
	if err != nil {
		t.Fatal(err)
	}
	if r.Same.Lookups > 0 && !(r.Same.Worst < 1e-4) {
		t.Errorf("samples differ by %v", r.Same.Worst)
	}
	var text strings.Builder
	r.Table(&text)
	for _, row := range r.Rows {
		name := row.Trace + ", " + row.What
		if !strings.Contains(text.String(), name) {
			t.Errorf("no %s in\n%s", name, &text)
		}
		far := 1e-5
		if row.Trace == "scene" {
			far = 1e-4 // at the rims of a set OpenImageIO repeats the image, and cairn its last texels
		}
		if ours, its := row.Cairn, row.Rival; its != nil && math.Abs(ours.Mean-its.Mean) > far {
			t.Errorf("%s: means of %v and %v", name, ours.Mean, its.Mean)
		}
		if row.Cairn.Tiles == 0 || row.Cairn.Calls == 0 {
			t.Errorf("%s: %+v", name, row.Cairn)
		}
	}
	for _, trace := range []string{"coh", "inc", "level", "scene"} {
		if !slices.ContainsFunc(r.Rows, func(row textures.Row) bool { return row.Trace == trace }) {
			t.Errorf("no row of %s", trace)
		}
	}
	if p := r.Picture; p.Free.Calls == 0 || p.Bounded.Calls == 0 {
		t.Errorf("a picture without textures: %+v", p)
	}
	for i := range r.Files {
		if f := r.Files[i]; f.Bytes == 0 || f.Read <= 0 || f.Two <= 0 {
			t.Errorf("file: %+v", f)
		}
	}
	if len(r.Choices) != 28 {
		t.Errorf("%d choices", len(r.Choices))
	}
	for i, row := range r.Choices { // calls find the same, however
		if ours, first := row.Cairn, r.Choices[i/7*7].Cairn; math.Abs(ours.Mean-first.Mean) > 1e-4 || ours.Tiles == 0 || first.Constants == 0 || row.Varied && ours.Constants > 0 {
			t.Errorf("%s: %+v, the default %+v", row.What, ours, first)
		}
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
}

// TestTraces: a trace is the same each time. The numbers are those of the driver.
func TestTraces(t *testing.T) {
	for _, c := range []struct {
		name                   string
		thread, threads, files int
		call                   int
		want                   [7]float64
	}{
		{"coh", 0, 2, 1, 17, [7]float64{0, 1.5 / 2048, 1.5 / 2048, 1. / 2048, 0, 0, 1. / 2048}},
		{"coh", 1, 2, 1, 256, [7]float64{0, 48.5 / 2048, 0.5 / 2048, 1. / 2048, 0, 0, 1. / 2048}},
	} {
		calls, err := textures.Calls(c.name, c.thread, c.threads, c.files, c.call+1)
		if err != nil || calls[c.call] != c.want {
			t.Errorf("call %d of %s: %v, %v, want %v", c.call, c.name, calls[c.call], err, c.want)
		}
	}
	a, _ := textures.Calls("inc", 0, 1, 6, 1000)
	b, _ := textures.Calls("inc", 0, 1, 6, 1000)
	c, _ := textures.Calls("inc", 1, 2, 6, 1000)
	if !slices.Equal(a, b) || slices.Equal(a, c) {
		t.Error("a trace is another, or that of another thread")
	}
	name := filepath.Join(t.TempDir(), "recorded")
	if err := textures.Record(name, 1, c[:2]); err != nil {
		t.Fatal(err)
	}
	for i := range c[:2] {
		for j, v := range c[i] {
			c[i][j] = float64(float32(v))
		}
	}
	if d, err := textures.Calls(name, 1, 2, 6, 5); err != nil || !slices.Equal(d, [][7]float64{c[0], c[1], c[0], c[1], c[0]}) {
		t.Errorf("%v was recorded, %v came back, %v", c[:2], d, err)
	}
	if _, err := textures.Calls(name, 0, 2, 6, 0); err == nil {
		t.Error("there is a recording of another thread")
	}
}

// TestScene: the scene is the same each time, is another for each thread, and has as many files as the
// article's. The calls stay in the sets.
func TestScene(t *testing.T) {
	name, again := filepath.Join(t.TempDir(), "scene"), filepath.Join(t.TempDir(), "again")
	if err := errors.Join(textures.RecordScene(name, textures.SceneCalls), textures.RecordScene(again, textures.SceneCalls)); err != nil {
		t.Fatal(err)
	}
	var of [2][][7]float64
	for thread := range of {
		a, err := textures.Calls(name, thread, 2, 0, textures.SceneCalls)
		b, _ := textures.Calls(again, thread, 2, 0, textures.SceneCalls)
		if err != nil || !slices.Equal(a, b) {
			t.Fatalf("thread %d is another the second time, or %v", thread, err)
		}
		of[thread] = a
	}
	if slices.Equal(of[0], of[1]) {
		t.Error("both threads have the same calls")
	}
	for calls := range slices.Values([][][7]float64{of[0], slices.Concat(of[0][:textures.SceneCalls/2], of[1][:textures.SceneCalls/2])}) {
		files := make(map[[3]int]bool)
		for _, c := range calls {
			if !(c[1] >= 0 && c[1] < 10 && c[2] >= 0 && c[2] < 10) {
				t.Fatalf("a call at %v, %v", c[1], c[2])
			}
			files[[3]int{int(c[0]), int(c[1]), int(c[2])}] = true
		}
		if len(files) != 898 {
			t.Errorf("%d files", len(files))
		}
	}
}
