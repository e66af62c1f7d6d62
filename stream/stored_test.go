package stream_test

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/region"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/stream"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/world"
)

// versionsOf commits a world of hills and then some changes of it, and returns its store and commits.
func versionsOf(t *testing.T, n int) (history.Store, []history.Commit) {
	t.Helper()
	st := memory.New(memory.Options{})
	w, err := world.Create(context.Background(), st, "w", world.Options{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var out []history.Commit
	for i := range n {
		_, err := w.Update(func(tx *world.Tx) error {
			d := tx.AddDimension("overworld", []voxel.Volume{{Name: voxel.Block, Scale: 1}}, nil)
			v := d.Volume(voxel.Block)
			if i == 0 {
				for x := -160; x < 160; x += 8 {
					for z := -160; z < 160; z += 8 {
						v.Fill(region.Box(geom.Box{Min: geom.Point{X: x, Z: z}, Max: geom.Point{X: x + 8, Y: 9 + (x*x/77+z)&15, Z: z + 8}}), v.Named("stone"))
					}
				}
			}
			at := geom.Point{X: i * 23, Y: 12, Z: -i * 9}
			v.Fill(region.Box(geom.Box{Min: at, Max: at.Add(geom.Point{X: 9, Y: 9, Z: 9})}), v.Named(fmt.Sprint("brick ", i)))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		c, err := w.Commit(context.Background(), "")
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
		if i == 1 {
			if err := w.Pack(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
	}
	return st, out
}

// TestStored moves a viewer through stored versions, and the newest one on below it.
func TestStored(t *testing.T) {
	st, commits := versionsOf(t, 4)
	o := world.Options{Cache: stone.NewCache(32 << 20)}
	open := func(i int) stream.Version {
		t.Helper()
		s, err := world.OpenSnapshot(context.Background(), st, "w", commits[i].ID(), o)
		if err != nil {
			t.Fatal(err)
		}
		return stream.Version{Snapshot: s, Commit: commits[i]}
	}
	src := stream.NewStored(open(2), func(_ context.Context, version string) (stream.Version, error) {
		for i, c := range commits {
			if fmt.Sprint(c.Number) == version {
				return open(i), nil
			}
		}
		return stream.Version{}, fmt.Errorf("version %q: %w", version, fs.ErrNotExist)
	})
	srv, err := stream.New(src, stream.Options{Top: 3})
	if err != nil {
		t.Fatal(err)
	}
	tick(t, srv)
	view := stream.View{Radius: 300}
	check := func(s *session, i int) {
		t.Helper()
		v := open(i)
		defer v.Close()
		s.wait(t, fmt.Sprint("version ", i), func() bool { return s.Moment().ID == commits[i].ID().String() })
		truthAt(t, v.Snapshot).agree(t, fmt.Sprint("version ", i), s, view, true)
		if m := s.Moment(); m.Number != commits[i].Number || m.Time != commits[i].Time.UnixMilli() {
			t.Errorf("moment %+v, want commit %d", m, commits[i].Number)
		}
	}
	a := connect(t, srv, new(stream.Client), stream.Hello{}, view, stream.Access{})
	b := connect(t, srv, new(stream.Client), stream.Hello{At: "1"}, view, stream.Access{})
	check(a, 2)
	check(b, 0)
	first := b.bytes()
	src.Move(open(3))
	check(a, 3)
	for _, to := range []int{2, 1, 0, 3} {
		if err := b.Send(&stream.At{Version: fmt.Sprint(commits[to].Number)}); err != nil {
			t.Fatal(err)
		}
		check(b, to)
	}
	if n := b.bytes() - first; n > first/2 {
		t.Errorf("%d bytes for four versions after %d for the first", n, first)
	}
	if err := b.Send(&stream.At{}); err != nil {
		t.Fatal(err)
	}
	check(b, 3)

	// A copy that was saved is as good as one that was kept.
	b.synced(t)
	kept := b.AppendCopy(nil)
	b.close()
	c := new(stream.Client)
	if err := c.LoadCopy(kept); err != nil {
		t.Fatal(err)
	}
	s := connect(t, srv, c, stream.Hello{}, view, stream.Access{})
	s.synced(t)
	check(s, 3)
	if s.bytes() > 400 {
		t.Errorf("%d bytes where nothing changed", s.bytes())
	}
	for n := range kept {
		if n%1009 == 0 {
			if err := new(stream.Client).LoadCopy(kept[:n]); err == nil && n > 0 && !wholeFrames(kept, n) {
				t.Errorf("%d of %d bytes of a copy are taken", n, len(kept))
			}
		}
	}
}

// wholeFrames reports whether a frame of b ends at n.
func wholeFrames(b []byte, n int) bool {
	at := 0
	for at < n {
		size := bodyLen(b[at:])
		at += len(lengthOf(size)) + size
	}
	return at == n
}

// TestPartOfAWorld streams a world of which little is in memory.
func TestPartOfAWorld(t *testing.T) {
	st, commits := versionsOf(t, 3)
	w, err := world.Open(context.Background(), st, "w", world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	srv := serve(t, w, stream.Options{Top: 4})
	view := stream.View{Radius: 300}
	s := connect(t, srv, new(stream.Client), stream.Hello{}, view, stream.Access{})
	head := func() truth {
		t.Helper()
		snap, err := w.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { snap.Close() })
		return truthAt(t, snap)
	}
	head().agree(t, "nothing in memory", s, view, true)
	for i := range 4 {
		box := geom.Box{Min: geom.Point{X: -64 + 32*i, Y: -32, Z: -40}, Max: geom.Point{X: 32 * i, Y: 64, Z: 40}}
		held, err := w.Load(context.Background(), "overworld", box)
		if err != nil {
			t.Fatal(err)
		}
		_, err = w.Update(func(tx *world.Tx) error {
			v := tx.Dimension("overworld").Volume(voxel.Block)
			v.Fill(region.Box(geom.Box{Min: geom.Point{X: -40 + 32*i, Y: 3, Z: 1}, Max: geom.Point{X: -20 + 32*i, Y: 30, Z: 5}}), v.Named("stone"))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if i != 1 {
			held.Release()
		} else {
			defer held.Release()
		}
		if _, err := w.Commit(context.Background(), ""); err != nil {
			t.Fatal(err)
		}
		head().agree(t, fmt.Sprint("edit ", i), s, view, true)
	}
	if _, err := w.Restore(context.Background(), commits[0].ID(), ""); err != nil {
		t.Fatal(err)
	}
	head().agree(t, "restored", s, view, true)
}

// TestCacheOfLists: viewers that ask for many lists of volumes share one cache, and each sees
// the world.
func TestCacheOfLists(t *testing.T) {
	names := []string{"a", "b", "c", "d"}
	w := volumesOf(t, names...)
	defer w.Close()
	const most = 64 << 10
	srv := serve(t, w, stream.Options{Cache: most})
	for i := range names {
		for j := range names {
			list := []string{names[i]}
			if i != j {
				list = append(list, names[j])
			}
			s := connect(t, srv, new(stream.Client), stream.Hello{Volumes: list}, stream.View{Radius: 300}, stream.Access{})
			s.synced(t)
			compare(t, s, w.View())
		}
	}
	// The newest list keeps at least a cube, and one more may be on its way.
	if kept := srv.Kept(); kept == 0 || kept > most+most/4 {
		t.Errorf("%d bytes are kept, want at most %d", kept, most)
	}
}

// volumesOf makes a world of random blocks in some volumes.
func volumesOf(t *testing.T, names ...string) *world.World {
	t.Helper()
	w, err := world.Create(context.Background(), memory.New(memory.Options{}), "w", world.Options{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Update(func(tx *world.Tx) error {
		var volumes []voxel.Volume
		for _, name := range names {
			volumes = append(volumes, voxel.Volume{Name: name, Scale: 1})
		}
		d := tx.AddDimension("overworld", volumes, nil)
		rng := rand.New(rand.NewPCG(1, 2))
		for _, name := range names {
			for range 1500 {
				d.Volume(name).Set(geom.Point{X: rng.IntN(96), Y: rng.IntN(64), Z: rng.IntN(96)}, d.Volume(name).Named(fmt.Sprint("stone ", rng.IntN(9))))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}
