package disk_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/cairnvoxel/cairn/internal/store/disk"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// TestDeltasOfDamaged damages the stone that deltas lie on: the versions on it are lost, and said to be, and those that
// do not lie on it are salvaged. Before it all are.
func TestDeltasOfDamaged(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	from := filepath.Join(dir, "from")
	st := mustOpen(t, from, disk.Options{})
	w, err := world.Create(ctx, st, "a", world.Options{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	commit := func(f func(v *world.VolumeTx)) history.Commit {
		_, err := w.Update(func(tx *world.Tx) error {
			f(tx.AddDimension("d", voxel.BlockVolumes(), nil).Volume(voxel.Block))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		c, err := w.Commit(ctx, "")
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	first := commit(func(v *world.VolumeTx) {
		var names [100]voxel.Cell
		for i := range names {
			names[i] = v.Named(fmt.Sprint("rock", i))
		}
		for i := range int32(48) {
			var flat [voxel.ChunkCells]voxel.Cell
			for i := range flat {
				flat[i] = names[r.IntN(len(names))]
			}
			v.SetChunk(geom.ChunkPos{X: i}, voxel.FromFlat(&flat))
		}
	})
	all := []history.Commit{first}
	for i := range 3 {
		all = append(all, commit(func(v *world.VolumeTx) { v.Set(geom.Point{X: i, Y: 5}, v.Named("moss")) }))
	}
	var out bytes.Buffer
	id, err := w.WriteStone(ctx, &out, stone.Options{Effort: stone.Quick})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := world.Import(ctx, st, "a", history.Stone{ID: id, Data: out.Bytes()}, world.Options{}, "")
	if err != nil {
		t.Fatal(err)
	}
	mustCheck(t, st)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	mustClose(t, st)
	reads := func(name string, c history.Commit, moss int) {
		t.Helper()
		st := mustOpen(t, filepath.Join(dir, name), disk.Options{})
		defer mustClose(t, st)
		s, err := world.OpenAt(ctx, st, "a", c.ID(), world.Options{Whole: true})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		v := s.View().Dimension("d").Volume(voxel.Block)
		for i := range 3 {
			c, _ := v.Cell(geom.Point{X: i, Y: 5})
			if got := v.CellName(c) == "moss"; got != (i < moss) {
				t.Errorf("%s: moss at %d: %v", name, i, got)
			}
		}
	}
	if done, err := disk.Salvage(ctx, from, filepath.Join(dir, "sound"), disk.Options{}); err != nil || len(done.Lost) > 0 {
		t.Fatal(done, err)
	}
	for i, c := range all {
		reads("sound", c, i)
	}

	base := filepath.Join(from, "stones")
	err = filepath.WalkDir(base, func(p string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(p)
		if err == nil && int64(len(b)) == first.Stones[0].Size && len(b) != out.Len() {
			b[len(b)/2] ^= 1
			err = os.WriteFile(p, b, 0o600)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := disk.Hurt{World: "a", Versions: 5, Lost: 4}
	st = mustOpen(t, from, disk.Options{ReadOnly: true})
	report, err := st.Check(ctx, nil)
	if err != nil || len(report.Hurt) != 1 || report.Hurt[0] != want {
		t.Errorf("check: %+v, %v", report, err)
	}
	mustClose(t, st)
	done, err := disk.Salvage(ctx, from, filepath.Join(dir, "hurt"), disk.Options{})
	if err != nil || len(done.Lost) != 1 || done.Lost[0] != want {
		t.Fatal(done, err)
	}
	reads("hurt", whole, 3)
}
