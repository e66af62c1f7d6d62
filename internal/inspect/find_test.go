package inspect_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
)

// island is a made-up world of a version of the game.
func island(seed uint64, version int32) format.Source {
	return terrain.Island(terrain.Options{Seed: seed, Size: 3, Version: version})
}

// mustLoad reads a source into memory.
func mustLoad(t *testing.T, src format.Source) *convert.Loaded {
	t.Helper()
	w, err := convert.Load(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// mustStone returns a world as a stone.
func mustStone(t *testing.T, w *convert.Loaded) history.Stone {
	t.Helper()
	var b bytes.Buffer
	id, _, err := convert.WriteStone(t.Context(), w, &b, stone.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return history.Stone{ID: id, Data: b.Bytes()}
}

func TestFind(t *testing.T) {
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	st := memory.New(memory.Options{Now: func() time.Time { return now }})
	var ids []string
	for seed := range uint64(3) {
		c, same, err := port.CommitStone(t.Context(), st, "isle", mustStone(t, mustLoad(t, island(seed, terrain.Modern))), port.Note{})
		if err != nil || same {
			t.Fatalf("version %d: same %v, %v", seed+1, same, err)
		}
		ids = append(ids, c.ID().String())
		now = now.Add(time.Hour)
	}
	if err := st.Create(t.Context(), "new"); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, version string
		want          int
		err           error
	}{
		{"isle", "", 3, nil},
		{"isle", "1", 1, nil},
		{"isle", "4", 0, history.ErrNoCommit},
		{"isle", "0", 0, history.ErrNoCommit},
		{"isle", ids[1], 2, nil},
		{"isle", ids[1][:12], 2, nil},
		{"isle", "abc", 0, inspect.ErrVersion},
		{"isle", "0123456789abcdef", 0, history.ErrNoCommit},
		{"isle", ids[1] + "0", 0, inspect.ErrVersion},
		{"isle", "2026-11-20T11:59", 2, nil},
		{"isle", "2026-11-20T12:00:00+02:00", 1, nil},
		{"isle", "2026-11-20", 0, history.ErrNoCommit},
		{"isle", "yesterday", 0, inspect.ErrVersion},
		{"new", "", 0, history.ErrNoCommit},
		{"new", "1", 0, history.ErrNoCommit},
		{"none", "", 0, history.ErrNoWorld},
		{"none", "1", 0, history.ErrNoWorld},
	} {
		c, err := inspect.Find(context.Background(), st, tt.name, tt.version)
		if !errors.Is(err, tt.err) || c.Number != uint64(tt.want) {
			t.Errorf("%s %q: version %d, %v; want %d, %v", tt.name, tt.version, c.Number, err, tt.want, tt.err)
		}
	}
}
