package inspect_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// blamed is a world with a history, and what a slow search knows of it.
type blamed struct {
	t  *testing.T
	st history.Store
	w  *world.World
}

func newBlamed(t *testing.T) *blamed {
	t.Helper()
	st := memory.New(memory.Options{})
	w, err := world.Create(t.Context(), st, "w", world.Options{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	b := &blamed{t, st, w}
	b.update(func(tx *world.Tx) {
		tx.AddDimension("d", []voxel.Volume{{Name: "block", Schema: voxel.Palette, Scale: 1}, {Name: "biome", Schema: voxel.Palette, Scale: 4}}, nil)
	})
	b.commit()
	return b
}

func (b *blamed) update(f func(*world.Tx)) {
	b.t.Helper()
	if _, err := b.w.Update(func(tx *world.Tx) error { f(tx); return nil }); err != nil {
		b.t.Fatal(err)
	}
}

func (b *blamed) set(at geom.Point, name string) {
	b.t.Helper()
	b.update(func(tx *world.Tx) {
		v := tx.Dimension("d").Volume("block")
		v.Set(at, v.Named(name))
	})
}

func (b *blamed) commit() history.ID {
	b.t.Helper()
	c, err := b.w.Commit(b.t.Context(), "")
	if err != nil {
		b.t.Fatal(err)
	}
	return c.ID()
}

// at reads a block of a version, the slow way.
func (b *blamed) at(id history.ID, p geom.Point) string {
	b.t.Helper()
	s, err := world.OpenSnapshot(b.t.Context(), b.st, "w", id, world.Options{})
	if err != nil {
		b.t.Fatal(err)
	}
	defer s.Close()
	var cell [1]voxel.Cell
	if err := s.ReadBox(b.t.Context(), "d", "block", 0, geom.Box{Min: p, Max: p.Add(geom.Point{X: 1, Y: 1, Z: 1})}, cell[:]); err != nil {
		b.t.Fatal(err)
	}
	return s.About().Dimensions[0].Volumes[0].Name(cell[0])
}

// slow looks at every version of the log.
func (b *blamed) slow(from history.ID, p geom.Point) (c *history.Commit, before string) {
	b.t.Helper()
	log, err := b.st.Log(b.t.Context(), "w", from, 1000)
	if err != nil {
		b.t.Fatal(err)
	}
	now := b.at(log[0].ID(), p)
	for i := range log {
		if i+1 == len(log) {
			if log[i].Parent != (history.ID{}) || now == "" || now == b.at(log[i].ID(), geom.Point{Y: 10_000}) {
				return nil, ""
			}
			return &log[i], ""
		}
		if before = b.at(log[i+1].ID(), p); before != now {
			return &log[i], before
		}
	}
	return nil, ""
}

// blame asks for a block with few opens at a time, and goes on until it is known.
func (b *blamed) blame(from history.ID, p geom.Point, opens int) (inspect.Blamed, int) {
	b.t.Helper()
	name := ""
	for calls := 1; ; calls++ {
		got, err := inspect.Blame(b.t.Context(), b.st, "w", from, inspect.Spot{Dimension: "d", At: p}, inspect.BlameOptions{Opens: opens})
		if err != nil {
			b.t.Fatal(err)
		}
		if calls == 1 {
			name = got.Name
		}
		if got.Name != name {
			b.t.Fatalf("call %d: got %q, want %q", calls, got.Name, name)
		}
		if got.Next == (history.ID{}) {
			return got, calls
		}
		if from = got.Next; calls > 1000 {
			b.t.Fatal("the search does not end")
		}
	}
}

// TestBlame compares with a search through every version of a world with packs, restored
// versions and versions that a collection removed.
func TestBlame(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			b := newBlamed(t)
			spots := []geom.Point{{X: 0}, {X: 1}, {X: 40}, {X: -1, Y: 5, Z: 70}, {X: 500}}
			ids := []history.ID{b.commit()}
			for range 60 {
				switch n := r.IntN(20); {
				case n == 0:
					if _, err := b.w.Restore(t.Context(), ids[r.IntN(len(ids))], ""); err != nil {
						t.Fatal(err)
					}
				case n == 1:
					if _, _, err := world.PackStack(t.Context(), b.st, "w", world.PackStackOptions{High: 2}); err != nil {
						t.Fatal(err)
					}
				case n < 8:
					b.update(func(tx *world.Tx) { tx.SetProperty("n", fmt.Sprint(n, len(ids))) })
				default:
					b.set(spots[r.IntN(4)], []string{"air", "stone", "dirt"}[r.IntN(3)])
				}
				ids = append(ids, b.commit())
			}
			if seed%2 == 1 {
				if _, err := b.st.Collect(t.Context(), history.Policy{Keep: history.Retention{Newest: 20, Hourly: -1, Daily: -1, Monthly: -1}, Grace: -1}); err != nil {
					t.Fatal(err)
				}
				ids = ids[len(ids)-1:]
			}
			for _, p := range spots {
				for range 8 {
					from := ids[r.IntN(len(ids))]
					want, before := b.slow(from, p)
					got, _ := b.blame(from, p, 1+r.IntN(20))
					switch {
					case (want == nil) != (got.Commit == nil):
						t.Errorf("%v from %v: got %+v, want %v", p, from, got, want)
					case want != nil && (got.Commit.ID() != want.ID() || got.Before != before):
						t.Errorf("%v from %v: got version %d after %q, want %d after %q", p, from, got.Commit.Number, got.Before, want.Number, before)
					}
				}
			}
		})
	}
}

// TestBlameOpens changes a far chunk often: versions that do not cover the chunk are not
// opened.
func TestBlameOpens(t *testing.T) {
	b := newBlamed(t)
	b.set(geom.Point{}, "stone")
	id := b.commit()
	for i := range 200 {
		b.set(geom.Point{X: 100}, fmt.Sprint("block", i%2))
		b.commit()
	}
	got, calls := b.blame(history.ID{}, geom.Point{}, 0)
	if got.Commit == nil || got.Commit.ID() != id || got.Name != "stone" || calls != 1 || got.Searched > 64 {
		t.Errorf("got %+v in %d calls", got, calls)
	}
}

func TestBlameFaults(t *testing.T) {
	b := newBlamed(t)
	b.set(geom.Point{}, "stone")
	b.commit()
	blame := func(ctx context.Context, name string, spot inspect.Spot) error {
		_, err := inspect.Blame(ctx, b.st, name, history.ID{}, spot, inspect.BlameOptions{})
		return err
	}
	var dimension *inspect.DimensionError
	if err := blame(t.Context(), "w", inspect.Spot{Dimension: "none"}); !errors.As(err, &dimension) {
		t.Errorf("got %v", err)
	}
	var volume *inspect.VolumeError
	if err := blame(t.Context(), "w", inspect.Spot{Volume: "none"}); !errors.As(err, &volume) {
		t.Errorf("got %v", err)
	}
	if err := blame(t.Context(), "none", inspect.Spot{}); !errors.Is(err, history.ErrNoWorld) {
		t.Errorf("got %v", err)
	}
	if err := blame(t.Context(), "w", inspect.Spot{At: geom.Point{Y: 1 << 40}}); !errors.Is(err, geom.ErrOutOfRange) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := blame(ctx, "w", inspect.Spot{}); err == nil {
		t.Error("no error after the end")
	}
	if err := b.st.Create(t.Context(), "new"); err != nil {
		t.Fatal(err)
	}
	if err := blame(t.Context(), "new", inspect.Spot{}); !errors.Is(err, history.ErrNoCommit) {
		t.Errorf("got %v", err)
	}
}

// TestBlameGone asks who changed cells that a version changed which a collection has dropped
// since.
func TestBlameGone(t *testing.T) {
	b := newBlamed(t)
	theirs, mine := geom.Point{X: 1}, geom.Point{X: 2} // in one chunk
	b.set(theirs, "gold")
	b.commit() // is dropped
	b.set(mine, "tnt")
	last := b.commit()
	if _, err := b.st.Collect(t.Context(), history.Policy{Keep: history.Retention{Newest: 1, Hourly: -1, Daily: -1, Monthly: -1}, Grace: -1}); err != nil {
		t.Fatal(err)
	}
	if got, _ := b.blame(history.ID{}, theirs, 0); got.Commit != nil || got.Name != "gold" {
		t.Errorf("what is gone changed it: got %+v", got)
	}
	if got, _ := b.blame(history.ID{}, mine, 0); got.Commit == nil || got.Commit.ID() != last || got.Before != "air" {
		t.Errorf("what is there changed it: got %+v", got)
	}
}
