package world_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// A world and its snapshots and captures can be closed twice, and say so after it.
func TestClosed(t *testing.T) {
	ctx := t.Context()
	st := newStore()
	w := create(t, st, "a", world.Options{Whole: true})
	set(t, w, geom.Point{}, "rock")
	c := commit(t, w)
	s, err := w.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	capture, err := w.Capture()
	if err != nil {
		t.Fatal(err)
	}
	view := w.View()
	for range 2 {
		closeWorld(t, capture)
		closeWorld(t, s)
	}
	if got := name(w, geom.Point{}); got != "rock" || w.Pack(ctx) != nil {
		t.Errorf("a world whose capture was closed twice has %q", got)
	}
	for range 2 {
		closeWorld(t, w)
	}
	if closed, err := w.CloseSaved(); !closed || err != nil {
		t.Errorf("CloseSaved of a closed world: %v, %v", closed, err)
	}
	for _, tt := range []struct {
		name string
		call func() error
	}{
		{"Update", func() error {
			_, err := w.Update(func(*world.Tx) error { t.Error("Update calls its function"); return nil })
			return err
		}},
		{"UpdateContext", func() error {
			_, err := w.UpdateContext(ctx, func(*world.Tx) error { return nil })
			return err
		}},
		{"Commit", func() error { _, err := w.Commit(ctx, ""); return err }},
		{"Load", func() error { _, err := w.Load(ctx, earth, geom.Box{}); return err }},
		{"Restore", func() error { _, err := w.Restore(ctx, c.ID(), ""); return err }},
		{"Pack", func() error { return w.Pack(ctx) }},
		{"Relight", func() error { return w.Relight(ctx) }},
		{"Fork", func() error { return w.Fork(ctx, "b") }},
		{"Log", func() error { _, err := w.Log(ctx, 1); return err }},
		{"At", func() error { _, err := w.At(ctx, c.ID()); return err }},
		{"OpenFile", func() error { _, err := w.OpenFile("x"); return err }},
		{"Snapshot", func() error { _, err := w.Snapshot(); return err }},
		{"SnapshotAt", func() error { _, err := w.SnapshotAt(ctx, c.ID()); return err }},
		{"Capture", func() error { _, err := w.Capture(); return err }},
		{"Apart", func() error { _, err := w.Apart(s); return err }},
		{"Snapshot.ReadChunks", func() error {
			return s.ReadChunks(ctx, earth, voxel.Block, 0, []geom.ChunkPos{{}}, func(geom.ChunkPos, *voxel.Chunk) error { return nil })
		}},
		{"Snapshot.ReadBox", func() error {
			return s.ReadBox(ctx, earth, voxel.Block, 0, geom.Box{Max: geom.Point{X: 1, Y: 1, Z: 1}}, make([]voxel.Cell, 1))
		}},
		{"Snapshot.ReadSource", func() error { _, _, err := s.ReadSource(ctx, earth, voxel.Block, geom.ChunkPos{}); return err }},
		{"Snapshot.ReadColumn", func() error { _, err := s.ReadColumn(ctx, earth, geom.ColumnPos{}); return err }},
		{"Snapshot.ReadColumns", func() error {
			for _, err := range s.ReadColumns(ctx, earth) {
				return err
			}
			return nil
		}},
		{"Snapshot.OpenFile", func() error { _, err := s.OpenFile("x"); return err }},
		{"Snapshot.Write", func() error { _, _, err := s.Write(ctx, new(bytes.Buffer), stone.Options{}); return err }},
		{"Capture.Save", func() error { _, err := capture.Save(ctx, "b", ""); return err }},
	} {
		if err := tt.call(); !errors.Is(err, world.ErrClosed) {
			t.Errorf("%s after Close: got %v, want %v", tt.name, err, world.ErrClosed)
		}
	}
	if _, err := st.Head(ctx, "b"); !errors.Is(err, history.ErrNoWorld) {
		t.Errorf("a closed world was forked: %v", err)
	}
	if c, ok := view.Dimension(earth).Volume(voxel.Block).Cell(geom.Point{}); c == voxel.Empty || !ok {
		t.Error("a View cannot be read after Close")
	}
}

// Who keeps a Tx after its update changes nothing.
func TestKeptTx(t *testing.T) {
	w := create(t, newStore(), "a", world.Options{Whole: true})
	set(t, w, geom.Point{}, "rock")
	var kept *world.Tx
	var d *world.DimensionTx
	var v *world.VolumeTx
	update(t, w, func(tx *world.Tx) {
		kept, d = tx, tx.AddDimension("new", voxel.BlockVolumes(), nil)
		v = d.Volume(voxel.Block)
		v.Set(geom.Point{}, v.Named("sand"))
	})
	commit(t, w)
	v.Set(geom.Point{X: 1}, 1)
	v.Fill(geom.Box{Max: geom.Point{X: 64, Y: 64, Z: 64}}, 1)
	v.Named("later")
	kept.AddDimension("more", voxel.BlockVolumes(), nil)
	kept.AddDimension("new", []voxel.Volume{{Name: "more", Schema: voxel.Palette, Scale: 1}}, nil)
	kept.SetProperty("a", "b")
	kept.SetFile("f", []byte("x"))
	d.SetColumn(voxel.Column{})
	d.SetObjects("x", geom.ColumnPos{}, []voxel.Object{{}})
	d.Add("x", voxel.Object{})
	view := w.View()
	in := view.Dimension("new")
	c, _ := in.Volume(voxel.Block).Cell(geom.Point{X: 1})
	if names := in.Volume(voxel.Block).Names(); c != voxel.Empty || len(names) != 2 || w.Dirty() || view.Dimension("more") != nil ||
		in.Volume("more") != nil || view.Property("a") != "" || len(view.Files()) != 0 {
		t.Errorf("a Tx that was kept changed the world: cell %d, names %q, dirty %v", c, names, w.Dirty())
	}
	if v.Err() == nil {
		t.Error("a volume that was kept has no error")
	}
}
