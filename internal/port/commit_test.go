package port_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/diff"
	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/internal/testing/worldtest"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/world"
)

// become makes a world of a store what src is.
func become(t *testing.T, st history.Store, name string, seed uint64, n port.Note) (history.Commit, bool, error) {
	t.Helper()
	return port.CommitStone(t.Context(), st, name, worldtest.Stone(t, worldtest.Load(t, worldtest.Island(seed, terrain.Modern))), n)
}

func mustBecome(t *testing.T, st history.Store, name string, seed uint64) history.Commit {
	t.Helper()
	c, _, err := become(t, st, name, seed, port.Note{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestTimes makes versions of old states: the first, one of the differences, and one before that.
func TestTimes(t *testing.T) {
	st := memory.New(memory.Options{})
	old := time.Date(2019, 3, 4, 10, 0, 0, 0, time.UTC)
	if _, _, err := become(t, st, "a", 1, port.Note{Time: time.Now().Add(time.Hour)}); !errors.Is(err, history.ErrTime) {
		t.Errorf("to come: %v", err)
	}
	if _, err := st.Head(t.Context(), "a"); !errors.Is(err, history.ErrNoWorld) {
		t.Errorf("it was made all the same: %v", err)
	}
	for i, at := range []time.Time{old, old.Add(time.Hour)} {
		if c, same, err := become(t, st, "a", uint64(1+i), port.Note{Time: at}); err != nil || same || c.Time != at {
			t.Errorf("version %d: %v, %v, %v, want %v", i+1, c.Time, same, err, at)
		}
	}
	if _, _, err := become(t, st, "a", 3, port.Note{Time: old}); !errors.Is(err, history.ErrTime) || !strings.Contains(err.Error(), "2019-03-04T10:00:00Z is before 2019-03-04T11:00:00Z, the time of version 2") {
		t.Errorf("before the last: %v", err)
	}
}

func TestCommitStone(t *testing.T) {
	st := memory.New(memory.Options{})
	none := history.ID{}
	if _, _, err := become(t, st, "a", 1, port.Note{On: &history.ID{1}}); !errors.Is(err, history.ErrConflict) {
		t.Errorf("a new world on a commit: %v", err)
	}
	if _, err := st.Head(t.Context(), "a"); !errors.Is(err, history.ErrNoWorld) {
		t.Errorf("it was made all the same: %v", err)
	}
	first, same, err := become(t, st, "a", 1, port.Note{On: &none, Author: "ann", Message: "begin"})
	if err != nil || same || first.Number != 1 || first.Author != "ann" || first.Message != "begin" {
		t.Fatal(first, same, err)
	}
	if again, same, err := become(t, st, "a", 1, port.Note{}); err != nil || !same || again.ID() != first.ID() {
		t.Error(again, same, err)
	}
	cache := stone.NewCache(stone.CacheBytes)
	if _, same, err := become(t, st, "a", 1, port.Note{Cache: cache}); err != nil || !same || cache.Stats().Hits < cache.Stats().Reads {
		t.Errorf("through a cache: %v, %v; one stone twice: %v", same, err, cache.Stats())
	}
	if _, _, err := become(t, st, "a", 2, port.Note{On: &none}); !errors.Is(err, history.ErrConflict) {
		t.Error(err)
	}
	id := first.ID()
	second, same, err := become(t, st, "a", 2, port.Note{On: &id})
	if err != nil || same || second.Parent != id || second.Base != id {
		t.Error(second, same, err)
	}
	if _, _, err := become(t, st, "a", 1, port.Note{MaxBytes: 4 << 10}); !errors.Is(err, convert.ErrTooLarge) {
		t.Error(err)
	}
	if _, _, err := port.CommitStone(t.Context(), st, "a", history.Stone{Data: []byte("text")}, port.Note{}); err == nil {
		t.Error("text became a world")
	}
}

// TestPayloads holds a few bytes that unpack to many of a column to the bound.
func TestPayloads(t *testing.T) {
	st := memory.New(memory.Options{})
	w := worldtest.Load(t, worldtest.Island(1, terrain.Modern))
	columns := w.Dimensions[0].Columns
	columns[0].Parts = append(columns[0].Parts, voxel.Part{Name: "zeros", Data: make([]byte, 8<<20)})
	whole := worldtest.Stone(t, w)
	c, _, err := port.CommitStone(t.Context(), st, "a", whole, port.Note{})
	if err != nil {
		t.Fatal(err)
	}
	v := worldtest.Snapshot(t, st, "a", c.ID())
	if _, err := convert.FromContent(t.Context(), v, 32<<20); err != nil {
		t.Errorf("%d bytes that hold 8 MB, read with 32: %v", len(whole.Data), err)
	}
	if _, err := convert.FromContent(t.Context(), v, 4<<20); !errors.Is(err, convert.ErrTooLarge) {
		t.Errorf("read with 4 MB: %v", err)
	}
}

func TestCommitStoneUnderFence(t *testing.T) {
	st := memory.New(memory.Options{})
	mustBecome(t, st, "a", 1)
	lease, err := st.Lease(t.Context(), "a", "ann", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		fence uint64
		want  error
	}{{0, history.ErrLeased}, {lease.Fence + 1, history.ErrFenced}, {lease.Fence, nil}, {history.Force, nil}} {
		if _, _, err := become(t, st, "a", 2+tt.fence%2, port.Note{Fence: tt.fence}); !errors.Is(err, tt.want) {
			t.Errorf("fence %d: %v, want %v", tt.fence, err, tt.want)
		}
	}
}

// TestCommitStoneUnlike makes a volume another of the same name.
func TestCommitStoneUnlike(t *testing.T) {
	st := memory.New(memory.Options{})
	mustBecome(t, st, "a", 1)
	other := worldtest.Load(t, worldtest.Island(1, terrain.Modern))
	other.Dimensions[0].Volume(voxel.Biome).Scale = 2
	if _, _, err := port.CommitStone(t.Context(), st, "a", worldtest.Stone(t, other), port.Note{}); !errors.Is(err, port.ErrHolds) {
		t.Error(err)
	}
}

// TestDiff compares Diff with the comparison of all of both.
func TestDiff(t *testing.T) {
	st := memory.New(memory.Options{})
	var versions []*world.Snapshot
	for i := range uint64(3) {
		name := []string{"a", "a", "b"}[i]
		versions = append(versions, worldtest.Snapshot(t, st, name, mustBecome(t, st, name, i+1).ID()))
	}
	for _, pair := range [][2]*world.Snapshot{{versions[0], versions[0]}, {versions[0], versions[1]}, {versions[1], versions[2]}} {
		got, err := diff.Worlds(t.Context(), pair[0], pair[1], diff.Options{MaxBytes: 64 << 20})
		if err != nil {
			t.Fatal(err)
		}
		var worlds [2]*convert.Loaded
		for i, v := range pair {
			if worlds[i], err = convert.FromContent(t.Context(), v, 0); err != nil {
				t.Fatal(err)
			}
		}
		want, err := diff.Worlds(t.Context(), worlds[0].Content(), worlds[1].Content(), diff.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got.Cells != want.Cells || got.Objects != want.Objects || got.Columns != want.Columns || got.Same() != (pair[0] == pair[1]) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	if _, err := diff.Worlds(t.Context(), versions[0], versions[1], diff.Options{MaxBytes: 40 << 10}); !errors.Is(err, convert.ErrTooLarge) {
		t.Error(err)
	}
}

func TestWriteZip(t *testing.T) {
	files := folder(t, worldtest.Load(t, worldtest.Island(1, terrain.Modern)))
	files["data/notes.txt"] = one("", bytes.Repeat([]byte("x"), 10_000))[""]
	var b bytes.Buffer
	if err := port.WriteZip(t.Context(), files, &b); err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	if err := port.WriteZip(t.Context(), files, &again); err != nil || !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Errorf("the same files give other bytes: %v", err)
	}
	_, got, err := open(t, b.Bytes(), port.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, want, err := open(t, zipOf(t, files), port.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d, err := diff.Worlds(t.Context(), want.Content(), got.Content(), diff.Options{}); err != nil || !d.Same() {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestPick(t *testing.T) {
	for _, tt := range []struct {
		dimension string
		single    bool
		left      []string
		lost      int
		fails     bool
	}{
		{"", false, []string{"overworld", "the_nether", "the_end"}, 0, false},
		{"the_nether", false, []string{"the_nether"}, 1, false},
		{"", true, nil, 0, true},
		{"overworld", true, []string{"overworld"}, 1, false},
		{"nowhere", true, nil, 0, true},
	} {
		w := &convert.Loaded{Dimensions: []*convert.LoadedDimension{
			{Name: "overworld", Columns: make([]voxel.Column, 3)}, {Name: "the_nether", Columns: make([]voxel.Column, 2)}, {Name: "the_end"},
		}}
		lost := map[string]int{}
		got, err := port.Pick(t.Context(), w.Content(), tt.dimension, tt.single, lost)
		if which := (*inspect.DimensionError)(nil); tt.fails != errors.As(err, &which) || tt.fails && len(which.Have) != 3 {
			t.Errorf("%+v: %v", tt, err)
		}
		if err != nil {
			continue
		}
		var left []string
		for _, d := range got.About().Dimensions {
			left = append(left, d.Name)
		}
		if !slices.Equal(left, tt.left) || len(lost) != tt.lost {
			t.Errorf("%+v: %v, lost %v", tt, left, lost)
		}
	}
}
