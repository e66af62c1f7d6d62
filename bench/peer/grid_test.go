package peer_test

import (
	"path/filepath"
	"testing"

	"github.com/cairnvoxel/cairn/bench/peer"
	"github.com/cairnvoxel/cairn/internal/terrain"
)

// TestGrids loads one made world; that all forms hold the same blocks, before
// and after writes, is checked by Measure.
func TestGrids(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "arena")
	if err := peer.Write(dir, terrain.Arena(terrain.Options{Seed: 3})); err != nil {
		t.Fatal(err)
	}
	g, err := peer.LoadGrids([]string{dir}, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := g.Measure(func(int, int) {})
	if err != nil || len(rows) != 7 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for _, r := range rows {
		if r.Cairn <= 0 || r.Dragonfly <= 0 || r.GoMC <= 0 || r.Storage < 0 {
			t.Errorf("not plausible: %+v", r)
		}
	}
	if m := rows[0]; m.Cairn > 32<<10 || m.ByDragonfly < 1 || m.ByGoMC < 1 {
		t.Errorf("memory: %+v", m)
	}
	if _, err := peer.LoadGrids(nil, func(int) {}); err == nil {
		t.Error("no worlds are measured")
	}
}
