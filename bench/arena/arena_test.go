package arena_test

import (
	"context"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/bench/arena"
	"github.com/cairnvoxel/cairn/bench/lab"
)

// TestBench runs all ways to restore a small arena; each checks that it did.
func TestBench(t *testing.T) {
	arena.Small()
	r, err := arena.Bench(context.Background(), nil, lab.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, row := range r.Rows {
		names = append(names, row.Name)
		if row.MS <= 0 && row.Name != "snapshot" || row.Bytes == 0 && strings.Contains(row.Name, "disk") {
			t.Errorf("%+v", row)
		}
	}
	const want = "snapshot restore_0 restore_1 restore_10 restore_100 restore_disk_100 restore_disk_best_100 restore_all naive clipboard palette sections schem dragonfly"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("rows %s, want %s", got, want)
	}
	var out strings.Builder
	r.Table(&out)
	if !strings.Contains(out.String(), "1572864 cells") {
		t.Errorf("table:\n%s", &out)
	}
}
