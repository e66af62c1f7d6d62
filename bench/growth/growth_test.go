package growth_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/bench/growth"
	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/bench/labtest"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == growth.ChildName {
		if err := growth.Child(context.Background(), os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(labtest.Main(m))
}

func TestBench(t *testing.T) {
	o := lab.Options{Columns: []int{16, 4}, Cairn: labtest.Cairn(t)}
	labtest.LeaveNothing(t)
	r, err := growth.Bench(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Lands) != 2 || r.Lands[0].Columns != 4 || r.Lands[1].Stone <= r.Lands[0].Stone || r.Lands[0].Folder == 0 {
		t.Errorf("lands %+v", r.Lands)
	}
	var got []string
	for _, x := range r.Rows {
		got = append(got, fmt.Sprint(x.Verb, x.Columns))
		if x.Error != "" || x.Runs == 0 || x.Seconds <= 0 || x.Wall <= 0 || x.SecondsColumn != x.Seconds/float64(x.Columns) {
			t.Errorf("not plausible: %+v", x)
		}
	}
	var want []string
	for _, v := range growth.Verbs() {
		want = append(want, v+"4", v+"16")
	}
	if !slices.Equal(got, want) {
		t.Errorf("rows %q, want %q", got, want)
	}
	var flat []string
	for _, g := range r.Growth {
		if g.Flat {
			flat = append(flat, g.Verb)
		}
	}
	if want := "info chunk open save edit edit-again"; strings.Join(flat, " ") != want || len(r.Growth) != len(growth.Verbs()) {
		t.Errorf("to be flat in all: %s, want %s of %d verbs", flat, want, len(r.Growth))
	}
	text := labtest.JSON(t, r)
	if got, want := labtest.KeysAt(t, text, "rows"), "columns peak_bytes peak_bytes_per_column runs seconds seconds_per_column verb wall_seconds within_memory"; got != want {
		t.Errorf("keys %s, want %s", got, want)
	}
	labtest.Table(t, r.Table, "processor s", "ms a column, 16", "memory at most", "within 512 MiB, 16", "4 columns to 16", "picture-again", "in all")
}

// An old command may lack a verb: the others are measured.
func TestBenchWithoutVerb(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command")
	}
	old := filepath.Join(t.TempDir(), "old")
	script := fmt.Sprintf("#!/bin/sh\ncase $1 in render) echo no such verb >&2; exit 2;; esac\nexec %q \"$@\"\n", labtest.Cairn(t))
	if err := os.WriteFile(old, []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	r, err := growth.Bench(context.Background(), lab.Options{Columns: []int{4}, Verbs: []string{"info", "render"}, Cairn: old})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Rows) != 2 || r.Rows[0].Error != "" || !strings.Contains(r.Rows[1].Error, "no such verb") || r.Rows[1].Runs != 0 {
		t.Errorf("got %+v, want info, and why render failed", r.Rows)
	}
	labtest.Table(t, r.Table, "error", "render, 4 columns: old render")
}

func TestCheck(t *testing.T) {
	for _, o := range []lab.Options{{Columns: []int{8}}, {Columns: []int{0}}, {Columns: []int{-4}}, {Verbs: []string{"fly"}}} {
		if _, err := growth.Bench(context.Background(), o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
}

func TestBenchStops(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	o := lab.Options{Columns: []int{4}, Cairn: labtest.Cairn(t)}
	if _, err := growth.Bench(ctx, o); err == nil {
		t.Error("no error")
	}
}

func TestChild(t *testing.T) {
	for _, args := range [][]string{nil, {"fly", "nowhere"}, {"open"}} {
		if err := growth.Child(context.Background(), args); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
}
