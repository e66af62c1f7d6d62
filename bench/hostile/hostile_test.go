package hostile_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/bench/hostile"
	"github.com/cairnvoxel/cairn/bench/lab"
)

// TestBenchEnds measures some stones, then its context ends.
func TestBenchEnds(t *testing.T) {
	if testing.Short() {
		t.Skip("reads stones for seconds")
	}
	ctx, cancel := context.WithCancel(context.Background())
	var told []string
	o := lab.Options{Progress: func(done, all int, next string) {
		if told = append(told, next); done == 2 {
			cancel()
		}
	}}
	if r, err := hostile.Bench(ctx, o); r != nil || !errors.Is(err, context.Canceled) || len(told) != 3 || !strings.HasPrefix(told[2], "images") {
		t.Errorf("%+v, %v after %q", r, err, told)
	}
}

func TestTable(t *testing.T) {
	var out bytes.Buffer
	(&hostile.Report{Rows: []hostile.Row{{Form: "odds", Attack: "noise", Bytes: 2000, Uses: 1, Seconds: 0.5}, {Form: "light", Refused: "too far"}}}).Table(&out)
	if got := out.String(); !strings.Contains(got, "0.500") || !strings.Contains(got, "refused: too far") {
		t.Error(got)
	}
}
