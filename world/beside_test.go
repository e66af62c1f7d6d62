package world_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"github.com/cairnvoxel/cairn/internal/diff"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// crowd is goroutines that do all there is to a world in which some blocks, an
// object and a biome always say the same.
type crowd struct {
	t      *testing.T
	w      *world.World
	st     *flaky
	points []geom.Point

	mu       sync.Mutex
	versions []history.ID
}

// said returns what a view says, "" if some of it is not in memory. What it says
// must be one thing.
func (c *crowd) said(v *world.View) string {
	d := v.Dimension(earth)
	var all []string
	for _, p := range c.points {
		block, biome := d.Volume(voxel.Block), d.Volume(voxel.Biome)
		cell, ok := block.Cell(p)
		patch, too := biome.Cell(geom.Point{X: geom.FloorDiv(p.X, 4), Z: geom.FloorDiv(p.Z, 4)})
		col, three := d.Column(geom.ColumnPos{X: int32(p.X >> 4), Z: int32(p.Z >> 4)})
		if !ok || !too || !three {
			return ""
		}
		all = append(all, block.CellName(cell), biome.CellName(patch), string(col.Lists[0].Objects[0].Payload))
	}
	if all = slices.Compact(all); len(all) > 1 {
		c.t.Errorf("one view says %q", all)
	}
	return all[0]
}

// say makes the world say something.
func (c *crowd) say(what string) error {
	_, err := c.w.Update(func(tx *world.Tx) error {
		d := tx.Dimension(earth)
		for _, p := range c.points {
			block, biome := d.Volume(voxel.Block), d.Volume(voxel.Biome)
			block.Set(p, block.Named(what))
			biome.Set(geom.Point{X: geom.FloorDiv(p.X, 4), Z: geom.FloorDiv(p.Z, 4)}, biome.Named(what))
			d.SetObjects("l", geom.ColumnPos{X: int32(p.X >> 4), Z: int32(p.Z >> 4)}, []voxel.Object{chest(p.X, 0, p.Z, what)})
		}
		tx.SetFile("f", []byte(what))
		return nil
	})
	return err
}

func (c *crowd) version(r *rand.Rand) history.ID {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.versions[r.IntN(len(c.versions))]
}

// act does one thing as a member of the crowd.
func (c *crowd) act(kind int, r *rand.Rand) error {
	switch kind {
	case 0, 1:
		return c.visit(r, kind == 0)
	case 2:
		h, err := c.w.Load(ctx, earth, world.Everywhere)
		if err != nil {
			return err
		}
		defer h.Release()
		return c.say(fmt.Sprint("name ", r.IntN(5)))
	case 3:
		if r.IntN(6) == 0 {
			_, err := c.w.Restore(ctx, c.version(r), "back")
			return err
		}
		k, err := c.w.Commit(ctx, "save")
		if err == nil {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.versions = append(c.versions, k.ID())
		}
		return err
	case 4:
		if r.IntN(4) == 0 {
			return c.w.Pack(ctx)
		}
		_, err := c.st.Collect(ctx, history.Policy{Keep: history.Retention{All: true}, Grace: -1})
		return err
	case 5:
		_, err := apartIn(ctx, c.w, c.version(r), c.version(r))
		return err
	case 6:
		var far [1]voxel.Cell
		return c.w.ReadFar(ctx, earth, voxel.Block, 3, geom.Box{Max: geom.Point{X: 1, Y: 1, Z: 1}}, far[:])
	}
	return c.become()
}

// visit holds a box, or everything, and looks at it.
func (c *crowd) visit(r *rand.Rand, everything bool) error {
	box := world.Everywhere
	if !everything {
		box = around(c.points[r.IntN(len(c.points))], 1+r.IntN(200))
	}
	h, err := c.w.Load(ctx, earth, box)
	if err != nil {
		return err
	}
	defer h.Release()
	for range 5 {
		if said := c.said(c.w.View()); said == "" && everything {
			c.t.Error("what is held is not in memory")
		}
	}
	f, err := c.w.OpenFile("f")
	if err != nil {
		return err
	}
	_, err = io.ReadAll(f)
	return errors.Join(err, f.Close())
}

// become makes the world what it is.
func (c *crowd) become() error {
	var out bytes.Buffer
	if _, err := c.w.WriteStone(ctx, &out, stone.Options{Effort: stone.Quick}); err != nil {
		return err
	}
	r, err := stone.Open(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		return err
	}
	_, err = c.w.Replace(ctx, r)
	return err
}

// All that can be done to a world, beside each other, until it is closed in the
// middle of it: views are of one moment, what is held is in memory, and nothing
// stays open.
func TestCrowd(t *testing.T) {
	c := &crowd{t: t, st: &flaky{Store: newStore()}, points: []geom.Point{{}, {X: 40}, {X: 400, Z: -90}}}
	c.w = create(t, c.st, "a", world.Options{Relight: true})
	if err := c.say("name 0"); err != nil {
		t.Fatal(err)
	}
	c.versions = []history.ID{commit(t, c.w).ID()}
	c.st.trouble = func(n int, method string) (error, bool) {
		if method == "open" && n%31 == 0 {
			return history.ErrGone, n%2 == 0
		}
		return nil, false
	}
	var group sync.WaitGroup
	for kind := range 8 {
		group.Go(func() {
			if kind == 3 {
				defer closeWorld(t, c.w)
			}
			r := rand.New(rand.NewPCG(uint64(kind), 1))
			for i := 0; kind != 3 || i < acts; i++ {
				err := c.act(kind, r)
				if errors.Is(err, world.ErrClosed) {
					return
				} else if err != nil {
					t.Errorf("act %d: %v", kind, err)
					return
				}
			}
		})
	}
	group.Wait()
	c.st.noneOpen(t, "closed")
	back := open(t, c.st, "a", world.Options{Whole: true})
	if c.said(back.View()) == "" {
		t.Error("the world that was left says nothing")
	}
	closeWorld(t, back)
	c.st.noneOpen(t, "closed again")
}

// acts is how much is saved and restored in a crowd.
const acts = 120

// What is loaded while the world goes back is in memory afterwards, and what is
// let go of leaves it.
func TestLoadDuringARestore(t *testing.T) {
	st := &failing{Store: newStore()}
	w := create(t, st, "a", world.Options{})
	p, q := geom.Point{}, geom.Point{X: 400}
	set(t, w, p, "rock")
	set(t, w, q, "rose")
	first := commit(t, w)
	set(t, w, geom.Point{Y: 100}, "moss")
	commit(t, w)
	held, err := w.Load(ctx, earth, around(q, 1))
	if err != nil {
		t.Fatal(err)
	}
	st.waiting, st.begun = make(chan struct{}), make(chan struct{}, 9)
	var group sync.WaitGroup
	group.Go(func() {
		if _, err := w.Restore(ctx, first.ID(), "back"); err != nil {
			t.Error(err)
		}
	})
	<-st.begun
	held.Release()
	loading := make(chan struct{})
	group.Go(func() {
		close(loading)
		if _, err := w.Load(ctx, earth, around(p, 1)); err != nil {
			t.Error(err)
		}
	})
	<-loading
	time.Sleep(20 * time.Millisecond) // the load may be done, if it does not wait
	close(st.waiting)
	group.Wait()
	if a, b := name(w, p), name(w, q); a != "rock" || b != "?" {
		t.Errorf("loaded meanwhile: %q; let go of meanwhile: %q, want it not loaded", a, b)
	}
	closeWorld(t, w)
}

// apartIn compares two commits of a world.
func apartIn(ctx context.Context, w *world.World, a, b history.ID) (*diff.Difference, error) {
	s, err := w.SnapshotAt(ctx, a)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	t, err := w.SnapshotAt(ctx, b)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	return diff.Worlds(ctx, s, t, diff.Options{})
}
