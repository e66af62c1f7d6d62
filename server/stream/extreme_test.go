package stream_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/server/stream"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// TestExtremeViews has viewers whose numbers are as large as a View can hold.
func TestExtremeViews(t *testing.T) {
	w := newWorld(t, 64)
	srv := serve(t, w, stream.Options{})
	const most = math.MaxFloat32
	for i, view := range []stream.Viewpoint{
		{Direction: [3]float32{most, -most, most}},
		{Direction: [3]float32{math.SmallestNonzeroFloat32, 0, 0}},
		{Velocity: [3]float32{-most, most, 0}},
		{Pixels: most, Error: math.SmallestNonzeroFloat32},
		{Error: most, Pixels: math.SmallestNonzeroFloat32},
		{Position: [3]float64{1 << 30, -1 << 30, 1 << 30}, Radius: most},
		{Radius: math.SmallestNonzeroFloat32, Position: [3]float64{0, 5, 0}},
		{Rate: math.MaxUint64, Memory: math.MaxUint64},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			s := connect(t, srv, new(stream.Client), stream.Hello{}, view, stream.Access{})
			s.synced(t)
			s.close()
		})
	}
}

// TestThinBox shows what is in a box that is thinner than the cells of the coarsest level.
func TestThinBox(t *testing.T) {
	w := newWorld(t, 160)
	srv := serve(t, w, stream.Options{Top: 3})
	for _, box := range []geom.Box{
		{Min: geom.Point{X: -100, Y: 3, Z: -100}, Max: geom.Point{X: 100, Y: 4, Z: 100}},
		{Min: geom.Point{X: 1, Y: 1, Z: 1}, Max: geom.Point{X: 2, Y: 2, Z: 2}},
	} {
		view := stream.Viewpoint{Position: [3]float64{1, 3, 1}, Radius: 300}
		s := connect(t, srv, new(stream.Client), stream.Hello{}, view, stream.Access{Box: &box})
		s.synced(t)
		for _, p := range []geom.Point{box.Min, box.Max.Add(geom.Point{X: -1, Y: -1, Z: -1})} {
			if p.X < -20 || p.X > 20 {
				p.X, p.Z = p.X/8, p.Z/8
			}
			c, level, ok := s.Cell(0, p)
			if n, _ := s.Name(0, c); !ok || level != 0 || n.Name != "stone" {
				t.Errorf("%v in %v is %q of level %d, %v", p, box, n.Name, level, ok)
			}
		}
		if c, _, _ := s.Cell(0, box.Max); c != 0 {
			t.Errorf("%v outside of %v is shown", box.Max, box)
		}
		want := truthOf(w.View().Dimension("overworld").Volume(voxel.Block))
		want.box = &box
		want.agree(t, "the box", s, view, true)
		s.close()
	}
}

// TestEmptyDimension is seen as empty, and then its first block, which lies at the end of space.
func TestEmptyDimension(t *testing.T) {
	const end = 1<<25 - 1
	for _, at := range []geom.Point{{X: end, Y: end, Z: end}, {X: -end - 1, Y: -end - 1, Z: -end - 1}} {
		w, err := world.Create(context.Background(), memory.New(memory.Options{}), "w", world.Options{Whole: true})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		_, err = w.Update(func(tx *world.Tx) error {
			tx.AddDimension("d", []voxel.Volume{{Name: "low", Scale: 4}, {Name: "fine", Scale: 1}}, nil)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		srv := serve(t, w, stream.Options{})
		view := stream.Viewpoint{Position: [3]float64{float64(at.X), float64(at.Y), float64(at.Z)}}
		s := connect(t, srv, new(stream.Client), stream.Hello{}, view, stream.Access{})
		s.synced(t)
		if m := s.Moment(); m.Top != 0 || !m.Bounds.Empty() {
			t.Errorf("%+v", m)
		}
		_, err = w.Update(func(tx *world.Tx) error {
			v := tx.Dimension("d").Volume("fine")
			v.Set(at, v.Named("end"))
			u := tx.Dimension("d").Volume("low")
			u.Fill(geom.Box{Min: geom.Point{X: at.X >> 2, Y: at.Y >> 2, Z: at.Z >> 2}, Max: geom.Point{X: at.X>>2 + 1, Y: at.Y>>2 + 1, Z: at.Z>>2 + 1}}, u.Named("low end"))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range []string{"low end", "end"} {
			s.wait(t, name, func() bool {
				c, level, ok := s.Cell(i, at)
				n, _ := s.Name(i, c)
				return ok && level == 0 && n.Name == name
			})
		}
		s.close()
	}
}

// vast is a state in which very many chunks differ from every other.
type vast struct {
	stream.State
	id   string
	n    int
	read *int
}

func (v *vast) Moment() stream.Moment { return stream.Moment{ID: v.id} }

func (v *vast) Apart(old stream.State, dimension, volume string) iter.Seq[geom.Box] {
	return func(yield func(geom.Box) bool) {
		for i := range v.n {
			*v.read++
			p := geom.ChunkPos{X: int32(i % 4096), Z: int32(i / 4096)}
			if !yield(p.Box()) {
				return
			}
		}
	}
}

// vasts is their Source.
type vasts struct {
	now  *vast
	read int
}

func (s *vasts) Now() (stream.State, error) { return s.now, nil }

func (s *vasts) At(_ context.Context, version string) (stream.State, error) {
	l := new(ledger)
	return &vast{State: l.add(1), id: version, n: 1 << 24, read: &s.read}, nil
}

// TestFarVersions does not list all that differs between versions.
func TestFarVersions(t *testing.T) {
	l := new(ledger)
	src := new(vasts)
	src.now = &vast{State: l.add(0), id: "a", n: 1 << 24, read: &src.read}
	srv, err := stream.New(src, stream.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tick(t, srv)
	s := connect(t, srv, new(stream.Client), stream.Hello{}, stream.Viewpoint{}, stream.Access{})
	s.synced(t)
	for i := range 3 {
		id := fmt.Sprint("b", i)
		if err := s.Send(&stream.At{Version: id}); err != nil {
			t.Fatal(err)
		}
		s.wait(t, id, func() bool { return s.Moment().ID == id && s.Synced() == 2 })
		if c, level, ok := s.Cell(0, geom.Point{X: 1}); c == 0 || level != 0 || !ok {
			t.Errorf("cell %d of level %d, %v", c, level, ok)
		}
	}
	s.close()
	if src.read > 1<<20 {
		t.Errorf("%d places were listed", src.read)
	}
}

// gate is a State of which one read of level 0 waits.
type gate struct {
	stream.State
	shut          atomic.Bool
	reached, open chan struct{}
}

func (g *gate) ReadBox(ctx context.Context, d, v string, level int, b geom.Box, dst []voxel.Cell) error {
	if level == 0 && g.shut.CompareAndSwap(true, false) {
		g.reached <- struct{}{}
		<-g.open
	}
	return g.State.ReadBox(ctx, d, v, level, b, dst)
}

type gates struct{ now stream.State }

func (s gates) Now() (stream.State, error) { return s.now, nil }

func (s gates) At(context.Context, string) (stream.State, error) {
	return nil, errors.New("there is no other")
}

// TestClaimAndGo has a viewer leave a cube that it claims while the server reads it. The server must not
// leave it with a cube that gets no edits.
func TestClaimAndGo(t *testing.T) {
	l := new(ledger)
	g := &gate{State: l.add(0), reached: make(chan struct{}), open: make(chan struct{})}
	srv, err := stream.New(gates{g}, stream.Options{Top: 1})
	if err != nil {
		t.Fatal(err)
	}
	near := stream.Viewpoint{Position: [3]float64{8, 8, 8}, Radius: 200}
	s := connect(t, srv, new(stream.Client), stream.Hello{}, near, stream.Access{})
	s.synced(t)
	s.close()
	if len(s.Keys()) < 2 {
		t.Fatalf("the copy has %v", s.Keys())
	}
	g.shut.Store(true)
	s = connect(t, srv, s.Client, stream.Hello{}, near, stream.Access{})
	<-g.reached
	if err := s.Send(&stream.Viewpoint{Position: [3]float64{1e6, 0, 0}, Radius: 200}); err != nil {
		t.Fatal(err)
	}
	var coarse []stream.Key
	for _, k := range s.Keys() {
		if k.Level == 1 {
			coarse = append(coarse, k)
		}
	}
	for range 2 { // the server reads the second when it has taken the first
		if err := s.Send(&stream.Dropped{Keys: coarse}); err != nil {
			t.Fatal(err)
		}
	}
	if err := srv.Tick(context.Background(), time.Unix(1e9, 0)); err != nil { // it then looks where the viewer went
		t.Fatal(err)
	}
	tick(t, srv)
	close(g.open)
	s.wait(t, "nothing fine is left", func() bool { return !slices.ContainsFunc(s.Keys(), func(k stream.Key) bool { return k.Level == 0 }) })
	s.close()
}

// TestManyMaterials has a server that gives a number of a terrain one name after the other. The copy keeps as many as it can have.
func TestManyMaterials(t *testing.T) {
	b := frames(&stream.Welcome{Protocol: 1, Window: 1, Volumes: []stream.ShownVolume{{Name: "terrain", Schema: voxel.Terrain, Scale: 1}}})
	for i := range 300 {
		b = append(b, frames(&stream.NumberNames{Names: []stream.Name{{Number: 1, Name: fmt.Sprint("m", i)}}})...)
	}
	var c stream.Client
	if err := c.LoadCopy(b); err != nil {
		t.Fatal(err)
	}
	last := false
	for m := range 80 {
		n, ok := c.Name(0, voxel.Cell(m<<8))
		last = last || n.Name == "m299"
		if ok && m > 63 {
			t.Errorf("there is a material %d, %s", m, n.Name)
		}
	}
	if !last {
		t.Error("the last name is not known")
	}
}

// TestManyEdits has a server that makes a copy large by a frame of small edits.
func TestManyEdits(t *testing.T) {
	volumes := []stream.ShownVolume{{Name: "block", Scale: 1}}
	var e stream.Edits
	p := stream.CubePart{}
	p.Cells[0] = 1
	for i := range 8193 {
		e.Edits = append(e.Edits, stream.Edit{Key: stream.Key{X: int32(i)}, Version: 1, Parts: []stream.CubePart{p}})
	}
	for n, bad := range map[int]bool{8192: false, 8193: true} {
		_, _, err := stream.DecodeServer(stream.Append(nil, &stream.Edits{Sequence: 1, Edits: e.Edits[:n]}, volumes), volumes)
		if bad != errors.As(err, new(*stream.CorruptError)) {
			t.Errorf("%d edits: %v", n, err)
		}
	}
}
