package stream_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/bench/stream"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == stream.ChildName {
		if err := stream.Child(context.Background(), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		return
	}
	os.Exit(m.Run())
}

func TestBenchCrowd(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	r, err := stream.BenchCrowd(context.Background(), lab.Options{Voxels: 3e6, Seed: 1, Clients: 4, Seconds: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.Samples == 0 || r.Checked == 0 || r.Different != 0 || r.First == 0 || r.Returned == 0 || r.Changed == 0 || r.CutAfter < 0 {
		t.Errorf("%+v", r)
	}
	var out bytes.Buffer
	r.Table(&out)
	if !strings.Contains(out.String(), "4 viewers, 1000 edits a second") {
		t.Error(&out)
	}
}

func TestBench(t *testing.T) {
	r, err := stream.Bench(context.Background(), lab.Options{Voxels: 1e7, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	r.Table(&out)
	if !strings.Contains(out.String(), "land of 512 x 512 blocks") {
		t.Error(&out)
	}
	for _, v := range r.Views {
		if v.First == 0 || v.First >= v.All || v.First >= v.Finest || v.Walk == 0 || v.FinestWalk == 0 {
			t.Errorf("%+v", v)
		}
	}
}
