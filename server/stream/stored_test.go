package stream_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/server/stream"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
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
						v.Fill(geom.Box{Min: geom.Point{X: x, Z: z}, Max: geom.Point{X: x + 8, Y: 9 + (x*x/77+z)&15, Z: z + 8}}, v.Named("stone"))
					}
				}
			}
			at := geom.Point{X: i * 23, Y: 12, Z: -i * 9}
			v.Fill(geom.Box{Min: at, Max: at.Add(geom.Point{X: 9, Y: 9, Z: 9})}, v.Named(fmt.Sprint("brick ", i)))
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
	view := stream.Viewpoint{Radius: 300}
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
	if again := c.AppendCopy(nil); string(again) != string(kept) {
		t.Errorf("a copy of %d bytes is written as %d others", len(kept), len(again))
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
	long.Alone(t)
	st, commits := versionsOf(t, 3)
	w, err := world.Open(context.Background(), st, "w", world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	srv := serve(t, w, stream.Options{Top: 4})
	view := stream.Viewpoint{Radius: 300}
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
			v.Fill(geom.Box{Min: geom.Point{X: -40 + 32*i, Y: 3, Z: 1}, Max: geom.Point{X: -20 + 32*i, Y: 30, Z: 5}}, v.Named("stone"))
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

// ledger is a source that counts what is open. Its states have one block each, at a place of its own.
type ledger struct {
	mu     sync.Mutex
	now    *entry
	open   int
	closed int
}

type entry struct {
	l    *ledger
	at   int
	done bool
}

func (l *ledger) add(at int) *entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open++
	return &entry{l: l, at: at}
}

func (l *ledger) Now() (stream.State, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now, nil
}

func (l *ledger) At(_ context.Context, version string) (stream.State, error) {
	at, err := strconv.Atoi(version)
	if err != nil {
		return nil, fs.ErrNotExist
	}
	return l.add(at), nil
}

func (e *entry) Moment() stream.Moment {
	return stream.Moment{ID: fmt.Sprint(e.at), Number: uint64(e.at)}
}

func (e *entry) Dimensions() []stone.DimensionInfo {
	return []stone.DimensionInfo{{Name: "d", Volumes: []stone.VolumeInfo{{Volume: voxel.Volume{Name: "block", Scale: 1}, Names: []string{"air", "stone"}}}}}
}

func (e *entry) Bounds(string) geom.Box { return geom.Box{Max: geom.Point{X: 64, Y: 64, Z: 64}} }

func (e *entry) ReadBox(_ context.Context, _, _ string, level int, b geom.Box, dst []voxel.Cell) error {
	e.l.mu.Lock()
	defer e.l.mu.Unlock()
	if e.done {
		return errors.New("it is closed")
	}
	i := 0
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for z := b.Min.Z; z < b.Max.Z; z++ {
			for x := b.Min.X; x < b.Max.X; x++ {
				dst[i] = 0
				if y == 0 && z == 0 && x == e.at>>level {
					dst[i] = 1
				}
				i++
			}
		}
	}
	return nil
}

func (e *entry) ReadNow(d, v string, level int, b geom.Box, dst []voxel.Cell) bool {
	return e.ReadBox(context.Background(), d, v, level, b, dst) == nil
}

func (e *entry) Apart(old stream.State, _, _ string) iter.Seq[geom.Box] {
	at := func(x int) geom.Box { return geom.Box{Min: geom.Point{X: x}, Max: geom.Point{X: x + 1, Y: 1, Z: 1}} }
	return slices.Values([]geom.Box{at(e.at), at(old.(*entry).at)})
}

func (e *entry) Close() error {
	e.l.mu.Lock()
	defer e.l.mu.Unlock()
	if e.done {
		return errors.New("closed twice")
	}
	e.done = true
	e.l.open--
	e.l.closed++
	return nil
}

// TestCloses closes each state once, and none while it is read.
func TestCloses(t *testing.T) {
	l := new(ledger)
	l.now = l.add(0)
	srv, err := stream.New(l, stream.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	at := time.Unix(1e9, 0)
	var all []*session
	for range 3 {
		all = append(all, connect(t, srv, new(stream.Client), stream.Hello{}, stream.Viewpoint{Radius: 100}, stream.Access{}))
	}
	for n := 1; n < 40; n++ {
		l.mu.Lock()
		e := &entry{l: l, at: n % 64}
		l.open++
		l.now = e
		l.mu.Unlock()
		at = at.Add(time.Second / 20)
		if err := srv.Tick(ctx, at); err != nil {
			t.Fatal(err)
		}
		if n%3 == 0 {
			if err := all[n%2].Send(&stream.At{Version: fmt.Sprint(n / 2)}); err != nil {
				t.Fatal(err)
			}
		}
		if n%10 == 0 {
			all[2].close()
			all[2] = connect(t, srv, all[2].Client, stream.Hello{At: "5"}, stream.Viewpoint{Radius: 100}, stream.Access{})
		}
	}
	for i, want := range []int{18, 19, 5} {
		all[i].wait(t, fmt.Sprint("viewer ", i), func() bool {
			c, level, ok := all[i].Cell(0, geom.Point{X: want})
			return ok && level == 0 && c == 1 && all[i].Moment().Number == uint64(want) && all[i].Synced() == 2
		})
	}
	for _, s := range all {
		s.close()
	}
	if l.open != 1 {
		t.Errorf("%d states are open with nobody there", l.open)
	}
	l.now = l.add(9) // and no tick that shows it
	if err := errors.Join(srv.Close(), srv.Close()); err != nil {
		t.Error(err)
	}
	if l.open != 0 {
		t.Errorf("%d states are left open, %d were closed", l.open, l.closed)
	}
}

// TestReturnAlone has a viewer come back to a world that nobody looked at meanwhile: it gets
// what differs and not whole cubes.
func TestReturnAlone(t *testing.T) {
	w := newWorld(t, 128)
	srv := serve(t, w, stream.Options{Top: 3})
	view := stream.Viewpoint{Position: [3]float64{0, 40, 0}, Radius: 300}
	s := connect(t, srv, new(stream.Client), stream.Hello{}, view, stream.Access{})
	s.synced(t)
	first := s.bytes()
	s.close()
	_, err := w.Update(func(tx *world.Tx) error {
		v := tx.Dimension("overworld").Volume(voxel.Block)
		v.Fill(geom.Box{Min: geom.Point{X: 3, Y: 30, Z: 3}, Max: geom.Point{X: 5, Y: 60, Z: 5}}, v.Named("gold"))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s = connect(t, srv, s.Client, stream.Hello{}, view, stream.Access{})
	s.synced(t)
	truthOf(w.View().Dimension("overworld").Volume(voxel.Block)).agree(t, "back", s, view, true)
	if st := srv.Stats(); st.Edits == 0 || s.bytes() > 900 {
		t.Errorf("%d bytes and %d edits after %d bytes", s.bytes(), st.Edits, first)
	}
}

// TestCacheOfLists: viewers that ask for many lists of volumes share one cache, and each sees
// the world.
func TestCacheOfLists(t *testing.T) {
	names := []string{"a", "b", "c", "d"}
	if testing.Short() {
		names = names[:2]
	}
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
			s := connect(t, srv, new(stream.Client), stream.Hello{Volumes: list}, stream.Viewpoint{Radius: 300}, stream.Access{})
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

// twoVolumes is a State of a ledger with a second volume, which later versions do not have.
type twoVolumes struct {
	*entry
	both bool
}

func (s twoVolumes) Dimensions() []stone.DimensionInfo {
	all := s.entry.Dimensions()
	if s.both {
		all[0].Volumes = append(all[0].Volumes, stone.VolumeInfo{Volume: voxel.Volume{Name: "a", Schema: voxel.Level, Scale: 1}})
	}
	return all
}

func (s twoVolumes) ReadBox(ctx context.Context, d, v string, level int, b geom.Box, dst []voxel.Cell) error {
	if v == "a" {
		clear(dst)
		return nil
	}
	return s.entry.ReadBox(ctx, d, v, level, b, dst)
}

func (s twoVolumes) ReadNow(d, v string, level int, b geom.Box, dst []voxel.Cell) bool {
	return s.ReadBox(context.Background(), d, v, level, b, dst) == nil
}

func (s twoVolumes) Apart(old stream.State, d, v string) iter.Seq[geom.Box] {
	o := old.(twoVolumes)
	if v == "a" {
		return nil // it is not there, or came, or went
	}
	return s.entry.Apart(o.entry, d, v)
}

// TestVolumeThatWent has a volume that two versions lack: what differs in the volume after it is seen.
func TestVolumeThatWent(t *testing.T) {
	l := new(ledger)
	src := &volumesThatGo{now: twoVolumes{l.add(0), true}}
	srv, err := stream.New(src, stream.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tick(t, srv)
	s := connect(t, srv, new(stream.Client), stream.Hello{Volumes: []string{"a", "block"}}, stream.Viewpoint{Radius: 300}, stream.Access{})
	for version := range 4 {
		if version > 0 {
			src.mu.Lock()
			src.now = twoVolumes{l.add(version), false}
			src.mu.Unlock()
		}
		s.wait(t, fmt.Sprint("version ", version), func() bool {
			c, level, ok := s.Cell(1, geom.Point{X: version})
			if s.Moment().Number != uint64(version) || s.Synced() != 2 {
				return false
			}
			if n, _ := s.Name(1, c); !ok || level != 0 || n.Name != "stone" {
				t.Fatalf("version %d has %q of level %d, %v; want stone", version, n.Name, level, ok)
			}
			return true
		})
	}
	s.close()
}

type volumesThatGo struct {
	mu  sync.Mutex
	now stream.State
}

func (v *volumesThatGo) Now() (stream.State, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.now, nil
}

func (v *volumesThatGo) At(context.Context, string) (stream.State, error) { return nil, fs.ErrNotExist }
