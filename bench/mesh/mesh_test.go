package mesh_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/bench/mesh"
)

func TestBench(t *testing.T) {
	if testing.Short() {
		t.Skip("makes a land")
	}
	r, err := mesh.Bench(context.Background(), lab.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	r.Table(&out)
	for _, part := range []string{"cairn, flat", "cairn, smooth", "cairn, collision", "left out: fast-surface-nets"} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("no %q in %s", part, &out)
		}
	}
	for _, row := range r.Rows {
		if row.Boxes == 0 || row.Each <= 0 || row.Mesh <= 0 {
			t.Errorf("%+v measured nothing", row)
		}
	}
	if _, err := mesh.Bench(context.Background(), lab.Options{Greedy: t.TempDir()}); err == nil {
		t.Error("a folder without a rival measures one")
	}
}
