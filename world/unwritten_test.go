package world_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// giver puts a chest into the world when it is asked to write.
type giver struct {
	w     *world.World
	left  int
	fails error
}

func (l *giver) Dirty() bool { return l.left > 0 }

func (l *giver) Write(ctx context.Context) error {
	if l.fails != nil {
		return l.fails
	}
	_, err := l.w.UpdateContext(ctx, func(tx *world.Tx) error {
		tx.Dimension(earth).Add(voxel.BlockEntities, voxel.Object{Place: voxel.Moved, At: geom.Point{X: l.left}, Payload: []byte{0}})
		return nil
	})
	if err == nil {
		l.left--
	}
	return err
}

func chests(d *world.Dimension) int {
	n := 0
	for range d.Objects(voxel.BlockEntities, world.Everywhere) {
		n++
	}
	return n
}

func TestUnwritten(t *testing.T) {
	st := newStore()
	w := create(t, st, "a", world.Options{Whole: true})
	first := commit(t, w)
	l := &giver{w: w}
	w.AddUnwritten(l)
	if again := commit(t, w); again.ID() != first.ID() || w.Dirty() {
		t.Error("an Unwritten with nothing to write made a commit")
	}

	l.left = 2
	if closed, err := w.CloseSaved(); !w.Dirty() || closed || err != nil {
		t.Fatalf("what is unwritten is not dirty: closed %v, %v", closed, err)
	}
	l.fails = errors.New("no room")
	if _, err := w.Commit(ctx, ""); !errors.Is(err, l.fails) {
		t.Errorf("commit: %v", err)
	}
	if _, err := w.Capture(); !errors.Is(err, l.fails) {
		t.Errorf("capture: %v", err)
	}
	l.fails = nil
	c, err := w.Capture()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if n := chests(c.View().Dimension(earth)); n != 1 {
		t.Errorf("%d chests in the capture", n)
	}
	commit(t, w)
	old := open(t, st, "a", world.Options{Whole: true})
	if n := chests(old.View().Dimension(earth)); n != 2 {
		t.Errorf("%d chests in the commit", n)
	}
	w.RemoveUnwritten(l)
	l.left = 1
	if w.Dirty() {
		t.Error("dirty after RemoveUnwritten")
	}
}

// Apart names each column that differs, against a comparison of all.
func TestApartColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	w := create(t, newStore(), "a", world.Options{})
	views := []*world.View{w.View()}
	at := func() geom.ColumnPos { return geom.ColumnPos{X: rng.Int32N(300) - 150, Z: rng.Int32N(300) - 150} }
	for range 20 {
		update(t, w, func(tx *world.Tx) {
			d := tx.Dimension(earth)
			for range rng.IntN(30) {
				pos := at()
				if rng.IntN(3) == 0 {
					d.RemoveColumn(pos)
					continue
				}
				d.SetObjects("things", pos, []voxel.Object{{Payload: []byte{byte(rng.IntN(256))}}})
			}
		})
		views = append(views, w.View())
	}
	all := make(map[geom.ColumnPos]bool)
	for _, v := range views {
		for pos := range v.Dimension(earth).Columns(world.Everywhere) {
			all[pos] = true
		}
	}
	for _, a := range views {
		for _, b := range views {
			x, y := a.Dimension(earth), b.Dimension(earth)
			var want []geom.ColumnPos
			for pos := range all {
				c, _ := x.Column(pos)
				if d, _ := y.Column(pos); c != d {
					want = append(want, pos)
				}
			}
			slices.SortFunc(want, geom.ColumnPos.Compare)
			if got := x.Apart(y); !slices.Equal(got, want) {
				t.Fatalf("got %v, want %v", got, want)
			}
		}
	}
	last := views[len(views)-1].Dimension(earth)
	n := 0
	for range last.Columns(world.Everywhere) {
		n++
	}
	if got := last.Apart(nil); len(got) != n || n == 0 {
		t.Errorf("%d columns differ from nothing, want %d", len(got), n)
	}
}

// An update that needs columns gets those beside them too: it does not run again for each.
func TestUpdateContextColumns(t *testing.T) {
	w := create(t, newStore(), "a", world.Options{})
	mark := func(pos geom.ColumnPos) voxel.Object {
		return voxel.Object{Place: voxel.Moved, At: pos.Min(int(pos.X)), Payload: []byte{0}}
	}
	var all []geom.ColumnPos
	for x := range int32(8) {
		all = append(all, geom.ColumnPos{X: x - 8, Z: 7 - x})
	}
	update(t, w, func(tx *world.Tx) {
		for _, pos := range all {
			tx.Dimension(earth).Add("marks", mark(pos))
		}
	})
	commit(t, w) // nothing is held, so the columns leave memory
	calls := 0
	_, err := w.UpdateContext(ctx, func(tx *world.Tx) error {
		calls++
		for _, pos := range all {
			if o := tx.Dimension(earth).Objects("marks", pos); len(o) != 1 {
				return nil // it is called again
			}
		}
		return nil
	})
	if err != nil || calls != 2 {
		t.Errorf("%d calls, %v", calls, err)
	}
}

// panics is an Unwritten that panics until it is well.
type panics struct{ well bool }

func (p *panics) Dirty() bool { return true }

func (p *panics) Write(context.Context) error {
	if !p.well {
		panic("not well")
	}
	return nil
}

// A Write that panics leaves no lock behind.
func TestUnwrittenPanics(t *testing.T) {
	w := create(t, newStore(), "a", world.Options{})
	l := &panics{}
	w.AddUnwritten(l)
	for _, f := range []func() error{
		func() error { _, err := w.Commit(ctx, ""); return err },
		func() error { _, err := w.Capture(); return err },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			if err := f(); err != nil {
				t.Error(err)
			}
		}()
	}
	l.well = true
	commit(t, w)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Capture(); !errors.Is(err, world.ErrClosed) {
		t.Errorf("capture of a closed world: %v", err)
	}
}
