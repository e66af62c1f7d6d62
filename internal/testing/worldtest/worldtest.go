// Package worldtest makes worlds for tests: as sources, in memory, as stones, as snapshots.
package worldtest

import (
	"bytes"
	"testing"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/world"
)

// Island returns a made-up world of a version of the game.
func Island(seed uint64, version int32) format.Source {
	return terrain.Island(terrain.Options{Seed: seed, Size: 3, Version: version})
}

// Load reads a source into memory.
func Load(t testing.TB, src format.Source) *convert.Loaded {
	t.Helper()
	w, err := convert.Load(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// Stone returns a world as a stone.
func Stone(t testing.TB, w *convert.Loaded) history.Stone {
	t.Helper()
	var b bytes.Buffer
	id, _, err := convert.WriteStone(t.Context(), w, &b, stone.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return history.Stone{ID: id, Data: b.Bytes()}
}

// Snapshot opens a commit until the test ends.
func Snapshot(t testing.TB, st history.Store, name string, id history.ID) *world.Snapshot {
	t.Helper()
	s, err := world.OpenSnapshot(t.Context(), st, name, id, world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
