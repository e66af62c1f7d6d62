package stream_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/bench/stream"
)

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
