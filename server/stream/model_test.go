package stream_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/render/lod"
	"github.com/cairnvoxel/cairn/server/stream"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// truth is what a copy is compared with: a volume by names.
type truth struct {
	read func(level int, b geom.Box, dst []voxel.Cell) bool
	name func(c voxel.Cell) string
	box  *geom.Box // nil: everything
	kept map[lod.Key][]voxel.Cell
}

func truthOf(v *world.Volume) truth {
	return truth{kept: make(map[lod.Key][]voxel.Cell), read: func(level int, b geom.Box, dst []voxel.Cell) bool { return v.ReadBox(b, level, dst) }, name: v.CellName}
}

func truthAt(t *testing.T, s *world.Snapshot) truth {
	v := s.About().Dimensions[0].Volumes[0]
	return truth{kept: make(map[lod.Key][]voxel.Cell), name: v.Name, read: func(level int, b geom.Box, dst []voxel.Cell) bool {
		if err := s.ReadBox(context.Background(), "overworld", voxel.Block, level, b, dst); err != nil {
			t.Error(err)
			return false
		}
		return true
	}}
}

// cube returns the cells of a cube.
func (w truth) cube(k lod.Key) ([]voxel.Cell, bool) {
	if cells, ok := w.kept[k]; ok {
		return cells, true
	}
	low := geom.Point{X: int(k.X) * 16, Y: int(k.Y) * 16, Z: int(k.Z) * 16}
	b := geom.Box{Min: low, Max: low.Add(geom.Point{X: 16, Y: 16, Z: 16})}
	cells := make([]voxel.Cell, 4096)
	if !w.read(int(k.Level), b, cells) {
		return nil, false
	}
	for i := range cells {
		p := low.Add(geom.Point{X: i % 16, Y: i / 256, Z: i / 16 % 16})
		if w.box != nil {
			wide := geom.Box{Min: p, Max: p.Add(geom.Point{X: 1, Y: 1, Z: 1})}.Scale(1 << k.Level)
			if wide.Intersect(*w.box) != wide {
				cells[i] = 0
			}
		}
	}
	w.kept[k] = cells
	return cells, true
}

// differs says how a copy differs from the truth, or "".
func (w truth) differs(s *session) string {
	for _, k := range s.Keys() {
		cells, version, ok := s.Cube(k, 0)
		if !ok {
			return fmt.Sprint(k, " is gone")
		}
		want, ok := w.cube(k)
		if !ok {
			return fmt.Sprint(k, " cannot be read")
		}
		for i, c := range want {
			if i > 0 && c == want[i-1] && cells[i] == cells[i-1] {
				continue
			}
			if have, _ := s.Name(0, cells[i]); have.Name != w.name(c) {
				return fmt.Sprintf("%v, version %x: cell %d is %q, want %q", k, version, i, have.Name, w.name(c))
			}
		}
	}
	return ""
}

// lacks says which cube that a viewer needs its copy does not have, or "".
func (w truth) lacks(s *session, view stream.Viewpoint) string {
	m := s.Moment()
	if m.Bounds.Empty() {
		return ""
	}
	p := lod.New(lod.Options{Bounds: m.Bounds, Top: m.Top})
	at := view.Position
	p.Look(lod.Eye{Position: octree.Vec{X: at[0], Y: at[1], Z: at[2]}, Radius: float64(view.Radius), MaxError: float64(view.Error)})
	have := make(map[lod.Key]bool)
	for _, k := range s.Keys() {
		have[k] = true
	}
	for {
		keys := p.AppendNext(nil, 100)
		if len(keys) == 0 {
			return ""
		}
		for _, k := range keys {
			cells, ok := w.cube(k)
			if !ok {
				return fmt.Sprint(k, " cannot be read")
			}
			var c lod.Cube
			full := 0
			for i, n := range cells {
				if n != 0 {
					c.Version = 1
					full |= 1 << (i%16/8 | i/16%16/8<<1 | i/256/8<<2)
				}
			}
			c.Empty = ^uint8(full)
			if !have[k] {
				return fmt.Sprintf("%v is missing", k)
			}
			p.Have(k, c)
		}
	}
}

// agree waits until a copy is what a viewer should have.
func (w truth) agree(t *testing.T, what string, s *session, view stream.Viewpoint, all bool) {
	t.Helper()
	why := ""
	check := func() bool {
		if why = w.differs(s); why == "" && all {
			why = w.lacks(s, view)
		}
		return why == ""
	}
	defer func() {
		if why != "" {
			t.Logf("%s: %s; %+v, synced %d", what, why, s.Moment(), s.Synced())
		}
	}()
	s.wait(t, what, check)
}

// TestModel has viewers of each kind look at a world that changes at random.
func TestModel(t *testing.T) {
	seeds := uint64(3)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { model(t, seed) })
	}
}

func model(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 7))
	w := newWorld(t, 96)
	srv := serve(t, w, stream.Options{Top: 2 + int(seed%2), Patience: time.Minute, Cache: 1 << (16 + 3*seed)})
	first, err := w.Commit(context.Background(), "first")
	if err != nil {
		t.Fatal(err)
	}
	commits := []history.ID{first.ID()}
	box := geom.Box{Min: geom.Point{X: -37, Y: -5, Z: -11}, Max: geom.Point{X: 45, Y: 29, Z: 70}}
	view := func() stream.Viewpoint {
		return stream.Viewpoint{Position: [3]float64{float64(rng.IntN(200) - 100), 30, float64(rng.IntN(200) - 100)},
			Direction: [3]float32{1, 0, 0}, Radius: float32(60 + rng.IntN(200)), Error: 30}
	}
	type watcher struct {
		*session
		view stream.Viewpoint
		a    stream.Access
		at   string
	}
	all := make([]*watcher, 5)
	open := func(i int, c *stream.Client) {
		all[i] = &watcher{view: view()}
		switch i {
		case 1:
			all[i].view.Rate = 60000
		case 2:
			all[i].a.Box = &box
		case 3:
			c.Memory = 1 << 20
		}
		all[i].session = connect(t, srv, c, stream.Hello{}, all[i].view, all[i].a)
	}
	for i := range all {
		open(i, new(stream.Client))
	}
	kinds := []string{"stone", "sand", "glass", "air"}
	edit := func() {
		_, err := w.Update(func(tx *world.Tx) error {
			v := tx.Dimension("overworld").Volume(voxel.Block)
			for range 1 + rng.IntN(4) {
				p := geom.Point{X: rng.IntN(200) - 100, Y: rng.IntN(60), Z: rng.IntN(200) - 100}
				name := kinds[rng.IntN(len(kinds))]
				if rng.IntN(20) == 0 {
					name = fmt.Sprint("new ", rng.IntN(1000))
				}
				c := v.Named(name)
				if rng.IntN(10) > 0 {
					v.Set(p, c)
					continue
				}
				v.Fill(geom.Box{Min: p, Max: p.Add(geom.Point{X: 1 + rng.IntN(40), Y: 1 + rng.IntN(40), Z: 1 + rng.IntN(40)})}, c)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	rounds := 6
	if testing.Short() {
		rounds = 2
	}
	for round := range rounds {
		for range 25 {
			switch i := rng.IntN(len(all)); rng.IntN(8) {
			case 0:
				all[i].view = view()
				all[i].Send(&all[i].view)
			case 1:
				c := all[i].Client
				at := all[i].at
				all[i].close()
				open(i, c)
				if all[i].at = at; at != "" {
					if err := all[i].Send(&stream.At{Version: at}); err != nil {
						t.Fatal(err)
					}
				}
			case 2:
				if c, err := w.Commit(context.Background(), ""); err != nil {
					t.Fatal(err)
				} else if id := c.ID(); id != commits[len(commits)-1] {
					commits = append(commits, id)
				}
			case 3:
				all[4].at = commits[rng.IntN(len(commits))].String()
				if rng.IntN(3) == 0 {
					all[4].at = ""
				}
				all[4].Send(&stream.At{Version: all[4].at})
			default:
				edit()
			}
		}
		now := truthOf(w.View().Dimension("overworld").Volume(voxel.Block))
		for i, s := range all {
			want := now
			if s.at != "" {
				id, err := history.ParseID(s.at)
				if err != nil {
					t.Fatal(err)
				}
				snap, err := w.SnapshotAt(context.Background(), id)
				if err != nil {
					t.Fatal(err)
				}
				defer snap.Close()
				want = truthAt(t, snap)
			}
			if want.box = s.a.Box; want.box != nil {
				want.kept = make(map[lod.Key][]voxel.Cell)
			}
			want.agree(t, fmt.Sprintf("round %d, viewer %d at %q", round, i, s.at), s.session, s.view, i != 3)
		}
	}
	st := srv.Stats()
	t.Logf("%+v", st)
	for _, s := range all {
		s.close()
	}
	if st := srv.Stats(); st.Viewers != 0 {
		t.Errorf("%d viewers are left", st.Viewers)
	}
}
