package world_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// life is a world to which everything happens once; what fails is done again.
type life struct {
	t      *testing.T
	where  string
	st     *flaky
	w      *world.World
	ctx    func() context.Context
	wanted error
	leased bool // the world is opened under a lease
}

// do calls f until it succeeds, which it must soon.
func (l *life) do(what string, f func() error) {
	l.t.Helper()
	for try := 1; ; try++ {
		err := f()
		switch {
		case err == nil:
			return
		case !errors.Is(err, l.wanted) || try == 3:
			l.t.Fatalf("%s: %s, time %d: %v", l.where, what, try, err)
		}
	}
}

// made is err, unless what was to be made is there from the time before.
func made(err error) error {
	if errors.Is(err, history.ErrExists) {
		return nil
	}
	return err
}

func (l *life) commit() history.ID {
	l.t.Helper()
	l.do("commit", func() error { _, err := l.w.Commit(l.ctx(), "save"); return err })
	return l.w.Head()
}

// read checks what the names of a few blocks and the file are.
func (l *life) read(w *world.World, a, b, file string) {
	l.t.Helper()
	var h *world.Held
	l.do("load", func() (err error) { h, err = w.Load(l.ctx(), earth, world.Everywhere); return err })
	defer h.Release()
	if x, y := name(w, geom.Point{}), name(w, geom.Point{X: 400}); x != a || y != b {
		l.t.Errorf("%s: %q and %q, want %q and %q", l.where, x, y, a, b)
	}
	l.do("file", func() error {
		r, err := w.OpenFile("f")
		if err != nil {
			return err
		}
		data, err := io.ReadAll(r)
		if err == nil && string(data) != file {
			err = fmt.Errorf("file %q, want %q", data, file)
		}
		return errors.Join(err, r.Close())
	})
}

func (l *life) live() {
	l.do("create", func() error { return made(l.st.Create(l.ctx(), "a")) })
	var o world.Options
	if l.leased {
		lease, err := l.st.Store.Lease(ctx, "a", "ann", time.Hour)
		if err != nil {
			l.t.Fatal(err)
		}
		o.Fence = lease.Fence
	}
	l.do("open", func() (err error) { l.w, err = world.Open(l.ctx(), l.st, "a", o); return err })
	update(l.t, l.w, func(tx *world.Tx) {
		tx.AddDimension(earth, voxel.BlockVolumes(), nil)
		tx.SetFile("f", []byte("one"))
	})
	l.commit()
	var h *world.Held
	l.do("load", func() (err error) { h, err = l.w.Load(l.ctx(), earth, world.Everywhere); return err })
	ids := make([]history.ID, 12)
	for i := range ids {
		set(l.t, l.w, geom.Point{}, fmt.Sprint("a", i))
		set(l.t, l.w, geom.Point{X: 400}, fmt.Sprint("b", i))
		ids[i] = l.commit()
	}
	l.do("restore", func() error { _, err := l.w.Restore(l.ctx(), ids[3], "back"); return err })
	set(l.t, l.w, geom.Point{X: 400}, "late")
	l.commit()
	h.Release()
	l.read(l.w, "a3", "late", "one")
	l.do("fork", func() error { return made(l.w.Fork(l.ctx(), "b")) })
	l.do("far", func() error {
		return l.w.ReadFar(l.ctx(), earth, voxel.Block, 3, geom.Box{Max: geom.Point{X: 2, Y: 1, Z: 1}}, make([]voxel.Cell, 2))
	})
	l.do("diff", func() error {
		d, err := apartIn(l.ctx(), l.w, ids[0], ids[4])
		if err == nil && d.Cells != 2 {
			err = fmt.Errorf("%d cells differ, want 2", d.Cells)
		}
		return err
	})
	l.older(ids[5])
	l.do("pack", func() error { return l.w.Pack(l.ctx()) })
	l.read(l.w, "a5", "b5", "two")
}

// older makes the world what a version was, with another file.
func (l *life) older(id history.ID) {
	var old *world.World
	l.do("at", func() (err error) { old, err = l.w.At(l.ctx(), id); return err })
	l.read(old, "a5", "b5", "one")
	var out bytes.Buffer
	l.do("stone", func() error {
		out.Reset()
		_, err := old.WriteStone(l.ctx(), &out, stone.Options{})
		return err
	})
	closeWorld(l.t, old)
	r, err := stone.Open(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		l.t.Fatal(err)
	}
	l.do("become", func() error { _, err := l.w.Replace(l.ctx(), r); return err })
	update(l.t, l.w, func(tx *world.Tx) { tx.SetFile("f", []byte("two")) })
	l.commit()
}

// Whichever call of the Store fails, before it did anything or after: done again,
// everything goes on, nothing is lost and no stone stays open.
func TestEveryCallFails(t *testing.T) {
	long.Alone(t)
	for _, leased := range []bool{false, true} {
		t.Run(fmt.Sprint("leased ", leased), func(t *testing.T) { everyCallFails(t, leased) })
	}
}

func everyCallFails(t *testing.T, leased bool) {
	run := func(where string, trouble func(int, string) (error, bool)) int {
		l := &life{t: t, where: where, st: &flaky{Store: newStore(), trouble: trouble}, wanted: errTrouble,
			ctx: func() context.Context { return ctx }, leased: leased}
		l.live()
		calls := l.st.calls
		l.st.trouble = nil
		if h, err := l.st.Head(ctx, "a"); leased && (err != nil || h.Fence != l.w.Fence() || h.Fence < 2) {
			t.Errorf("%s: head %+v, %v, the world says fence %d", where, h, err, l.w.Fence())
		}
		closeWorld(t, l.w)
		l.st.noneOpen(t, where)
		for name, want := range map[string][3]string{"a": {"a5", "b5", "two"}, "b": {"a3", "late", "one"}} {
			l.w = open(t, l.st, name, world.Options{})
			l.read(l.w, want[0], want[1], want[2])
			closeWorld(t, l.w)
		}
		l.st.noneOpen(t, where)
		return calls
	}
	calls := run("no trouble", nil)
	for n := range calls {
		for _, late := range []bool{false, true} {
			run(fmt.Sprintf("call %d, late %v", n, late), after(n, late))
			if t.Failed() {
				return
			}
		}
	}
}

// ending is a context that ends after it was asked so many times.
type ending struct {
	context.Context
	left *int
}

func (e ending) Err() error {
	if *e.left--; *e.left < 0 {
		return context.Canceled
	}
	return nil
}

// Whenever a context ends, the call fails with its error or is done, and what
// fails can be done again.
func TestContextsEnd(t *testing.T) {
	long.Alone(t)
	for n := 0; ; n++ {
		left, asked := n, 0
		l := &life{t: t, where: fmt.Sprintf("asked %d times", n), st: &flaky{Store: newStore()}, wanted: context.Canceled}
		l.ctx = func() context.Context {
			asked++
			if left < 0 { // it has ended once
				return ctx
			}
			return ending{ctx, &left}
		}
		l.live()
		closeWorld(t, l.w)
		l.st.noneOpen(t, l.where)
		if left >= 0 || t.Failed() {
			return
		}
	}
}

// What no stone takes is refused when it is written.
func TestRefused(t *testing.T) {
	w := create(t, newStore(), "a", world.Options{})
	defer closeWorld(t, w)
	update(t, w, func(tx *world.Tx) {
		tx.AddDimension("rock", []voxel.Volume{{Name: "solid", Schema: voxel.Terrain, Scale: 1}}, nil)
	})
	commit(t, w)
	far := geom.Point{X: 1 << 40}
	volume := func(v voxel.Volume, names ...string) func(tx *world.Tx) {
		return func(tx *world.Tx) {
			tx.AddDimension("new", []voxel.Volume{v}, map[string][]string{v.Name: names})
		}
	}
	many := make([]string, 65)
	for name, f := range map[string]func(tx *world.Tx){
		"scale 0":             volume(voxel.Volume{Name: "v", Schema: voxel.Level}),
		"scale 256":           volume(voxel.Volume{Name: "v", Schema: voxel.Level, Scale: 256}),
		"schema":              volume(voxel.Volume{Name: "v", Schema: 99, Scale: 1}),
		"default of levels":   volume(voxel.Volume{Name: "v", Schema: voxel.Level, Scale: 1, Default: 256}),
		"default of palettes": volume(voxel.Volume{Name: "v", Schema: voxel.Palette, Scale: 1, Default: 2}, "a", "b"),
		"one name twice":      volume(voxel.Volume{Name: "v", Schema: voxel.Palette, Scale: 1}, "a", "a"),
		"names of levels":     volume(voxel.Volume{Name: "v", Schema: voxel.Level, Scale: 1}, "a"),
		"materials":           volume(voxel.Volume{Name: "v", Schema: voxel.Terrain, Scale: 1}, many...),
		"called columns":      volume(voxel.Volume{Name: world.Columns, Schema: voxel.Level, Scale: 1}),
		"another volume": func(tx *world.Tx) {
			tx.AddDimension(earth, []voxel.Volume{{Name: voxel.Block, Schema: voxel.Level, Scale: 1}}, nil)
		},
		"object out of range": func(tx *world.Tx) { tx.Dimension(earth).Add("l", voxel.Object{Place: voxel.Indexed, At: far}) },
		"place":               func(tx *world.Tx) { tx.Dimension(earth).Add("l", voxel.Object{Place: 99}) },
		"nowhere, with a place": func(tx *world.Tx) {
			tx.Dimension(earth).Add("l", voxel.Object{Place: voxel.Nowhere, At: geom.Point{X: 1}})
		},
		"column out of range": func(tx *world.Tx) { tx.Dimension(earth).SetColumn(voxel.Column{Pos: geom.ColumnPos{X: 1 << 30}}) },
		"a list twice": func(tx *world.Tx) {
			l := voxel.List{Name: "l", Objects: []voxel.Object{{}}}
			tx.Dimension(earth).SetColumn(voxel.Column{Lists: []voxel.List{l, l}})
		},
		"lists": func(tx *world.Tx) {
			for i := range 257 {
				tx.Dimension(earth).Add(fmt.Sprint(i), voxel.Object{})
			}
		},
		"cell without a name": func(tx *world.Tx) {
			tx.Dimension(earth).Volume(voxel.Block).SetChunk(geom.ChunkPos{}, voxel.Uniform(9))
		},
		"level": func(tx *world.Tx) {
			tx.Dimension(earth).Volume(voxel.Sky).SetChunk(geom.ChunkPos{}, voxel.Uniform(256))
		},
		"air that fills": func(tx *world.Tx) {
			tx.Dimension("rock").Volume("solid").SetChunk(geom.ChunkPos{}, voxel.Uniform(7))
		},
		"cells of air that fill": func(tx *world.Tx) {
			c := voxel.Uniform(voxel.TerrainCell(3, 9)).Edit()
			c.Fill(geom.Box{Min: geom.Point{X: 5, Y: 6, Z: 7}, Max: geom.Point{X: 6, Y: 7, Z: 8}}, 7)
			tx.Dimension("rock").Volume("solid").SetChunk(geom.ChunkPos{}, c.Publish(new(voxel.ChunkBuilder)))
		},
		"cell out of range": func(tx *world.Tx) { tx.Dimension(earth).Volume(voxel.Block).Set(far, 0) },
		"name of a level":   func(tx *world.Tx) { tx.Dimension(earth).Volume(voxel.Sky).Named("bright") },
	} {
		if _, err := w.Update(func(tx *world.Tx) error { f(tx); return nil }); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	if w.Dirty() {
		t.Error("the world changed")
	}
	update(t, w, func(tx *world.Tx) {
		v := tx.Dimension("rock").Volume("solid")
		v.Fill(region.Ball{Radius: 9}, voxel.TerrainCell(3, 9))
	})
	commit(t, w)
}
