package edit_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/game/edit"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
	"github.com/cairnvoxel/cairn/world"
)

// clock is a clock that goes on when the test says so.
type clock struct{ t time.Time }

func (c *clock) now() time.Time       { return c.t }
func (c *clock) pass(d time.Duration) { c.t = c.t.Add(d) }

// game is a game with blocks of its own, which a Sink keeps up to date.
type game struct {
	clock *clock
	w     *world.World
	own   *grid.View // the game's blocks
	worst time.Duration
}

const perSection, perCell = 400 * time.Microsecond, 100 * time.Nanosecond

func (g *game) Section(s *edit.SectionChange) error {
	d := g.own.Edit()
	for i, at := range s.Index {
		d.Set(s.Min.Add(geom.Point{X: int(at & 15), Y: int(at >> 8), Z: int(at >> 4 & 15)}), s.Cells[i])
	}
	g.own, _ = d.Publish()
	took := perSection + time.Duration(len(s.Cells))*perCell
	g.worst = max(g.worst, took)
	g.clock.pass(took)
	return nil
}

func (g *game) Column(geom.ColumnPos, *voxel.Column) error { return nil }

// play has a player write some cells.
func (g *game) play(t *testing.T, rng *rand.Rand) {
	blocks := g.w.View().Dimension("overworld").Volume(voxel.Block)
	names := voxel.Cell(len(blocks.Names()))
	d := g.own.Edit()
	_, err := g.w.Update(func(tx *world.Tx) error {
		v := tx.Dimension("overworld").Volume(voxel.Block)
		for range 20 {
			p := geom.Point{X: rng.IntN(64) - 32, Y: rng.IntN(384) - 64, Z: rng.IntN(64) - 32}
			if _, known := blocks.Chunk(p.Chunk()); !known || !blocks.Known(p.Chunk()) {
				continue
			}
			c := voxel.Cell(rng.IntN(int(names)))
			v.Set(p, c)
			d.Set(p, c)
		}
		return v.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	g.own, _ = d.Publish()
}

// TestGame plays a game of eight arenas with 20 ticks a second, other load in each tick and
// players who write, and restores all arenas at once. No tick takes longer than its budget by
// more than a section, and the game's own blocks are those of the world after each tick.
func TestGame(t *testing.T) {
	long.Alone(t)
	const arenas = 8
	c := &clock{time.Unix(0, 0)}
	rng := rand.New(rand.NewPCG(3, 4))
	q := edit.New(edit.Options{Clock: c.now, Go: func(f func()) { f() }})
	defer q.Close()
	var games []*game
	var futures []*edit.Operation
	for i := range arenas {
		_, w := made(t, 4)
		defer w.Close()
		capture, err := w.Capture()
		if err != nil {
			t.Fatal(err)
		}
		defer capture.Close()
		scatter(t, w, 30)
		g := &game{clock: c, w: w, own: w.View().Dimension("overworld").Volume(voxel.Block).View}
		games = append(games, g)
		futures = append(futures, q.Add(&edit.Arena{Name: fmt.Sprint(i), World: w, Sink: g}, &edit.Restore{Capture: capture}, 0))
	}
	var over time.Duration
	ticks, spread := 0, 0
	for ; q.Len() > 0; ticks++ {
		if ticks > 20000 {
			t.Fatal("the restores do not end")
		}
		began := c.t
		c.pass(time.Duration(rng.IntN(20)) * time.Millisecond) // other load
		load := c.t.Sub(began)
		for _, g := range games {
			g.play(t, rng)
		}
		q.Step(began, 0)
		over = max(over, c.t.Sub(began)-max(30*time.Millisecond, load))
		busy := 0
		for i, g := range games {
			if n := futures[i].Status().Progress.Done; 0 < n && n < futures[i].Status().Progress.Chunks {
				busy++
			}
			if ticks%50 == 0 {
				g.check(t)
			}
		}
		spread = max(spread, busy)
		c.pass(max(0, 50*time.Millisecond-c.t.Sub(began)))
	}
	var worst time.Duration
	for i, g := range games {
		g.check(t)
		worst = max(worst, g.worst)
		if p := futures[i].Status().Progress; p.Failed > 0 || p.Done != p.Chunks {
			t.Errorf("arena %d: %+v", i, p)
		}
	}
	if over > worst {
		t.Errorf("a tick took %v longer than its budget, a section takes %v at most", over, worst)
	}
	if spread < arenas/2 {
		t.Errorf("at most %d arenas were restored at the same time", spread)
	}
	t.Logf("%d ticks; the worst took %v more than its budget; a section takes up to %v", ticks, over, worst)
}

func (g *game) check(t *testing.T) {
	t.Helper()
	now := g.w.View().Dimension("overworld").Volume(voxel.Block)
	for pos, c := range now.Chunks() {
		if d, _ := g.own.Chunk(pos); d != c && (d == nil || !d.Equal(c)) {
			t.Fatalf("chunk %v of the game is not that of the world", pos)
		}
	}
}
