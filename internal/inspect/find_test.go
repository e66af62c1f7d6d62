package inspect_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/internal/testing/worldtest"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
)

func TestFind(t *testing.T) {
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	st := memory.New(memory.Options{Now: func() time.Time { return now }})
	var ids []string
	for seed := range uint64(3) {
		c, same, err := port.CommitStone(t.Context(), st, "isle", worldtest.Stone(t, worldtest.Load(t, worldtest.Island(seed, terrain.Modern))), port.Note{})
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
