package stream_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/server/stream"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// newWorld makes an open world of hills of a few hundred blocks.
func newWorld(t testing.TB, edge int) *world.World {
	t.Helper()
	w, err := world.Create(context.Background(), memory.New(memory.Options{}), "w", world.Options{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	_, err = w.Update(func(tx *world.Tx) error {
		d := tx.AddDimension("overworld", []voxel.Volume{{Name: voxel.Block, Scale: 1}}, nil)
		v := d.Volume(voxel.Block)
		stone, grass := v.Named("stone"), v.Named("grass")
		for x := -edge; x < edge; x += 4 {
			for z := -edge; z < edge; z += 4 {
				h := 20 + (x*x/97+z*z/61)%23
				v.Fill(geom.Box{Min: geom.Point{X: x, Z: z}, Max: geom.Point{X: x + 4, Y: h, Z: z + 4}}, stone)
				v.Fill(geom.Box{Min: geom.Point{X: x, Y: h, Z: z}, Max: geom.Point{X: x + 4, Y: h + 1, Z: z + 4}}, grass)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// session is a client that is connected.
type session struct {
	*stream.Client
	conn   net.Conn
	mu     sync.Mutex
	told   *sync.Cond
	done   bool
	err    error
	got    int // bytes
	frames int
}

type counter struct {
	net.Conn
	s *session
}

func (c counter) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.s.mu.Lock()
	c.s.got += n
	c.s.mu.Unlock()
	return n, err
}

// connect opens a session; c may have a copy of an earlier one.
func connect(t testing.TB, srv *stream.Server, c *stream.Client, hello stream.Hello, view stream.Viewpoint, a stream.Access) *session {
	t.Helper()
	near, far := net.Pipe()
	s := &session{Client: c, conn: near}
	s.told = sync.NewCond(&s.mu)
	c.Told = func(stream.Frame) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.frames++
		s.told.Broadcast()
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		h, err := stream.ReadHello(far)
		if err != nil {
			far.Close()
			return
		}
		srv.Serve(context.Background(), far, h, a)
	}()
	go func() {
		err := c.Run(counter{near, s}, hello, view)
		near.Close()
		<-served
		s.mu.Lock()
		defer s.mu.Unlock()
		s.done, s.err = true, err
		s.told.Broadcast()
	}()
	t.Cleanup(s.close)
	s.wait(t, "welcome", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.frames > 0
	})
	return s
}

// wait waits until something is true after a frame.
func (s *session) wait(t testing.TB, what string, f func() bool) {
	t.Helper()
	late := time.AfterFunc(30*time.Second, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.done, s.err = true, fmt.Errorf("nothing for 30 s: %v", s.err)
		s.told.Broadcast()
	})
	defer late.Stop()
	for {
		s.mu.Lock()
		frames, done, err := s.frames, s.done, s.err
		s.mu.Unlock()
		if f() {
			return
		}
		if done {
			t.Fatalf("%s: the session ended: %v", what, err)
		}
		s.mu.Lock()
		for s.frames == frames && !s.done {
			s.told.Wait()
		}
		s.mu.Unlock()
	}
}

func (s *session) synced(t testing.TB) {
	t.Helper()
	s.wait(t, "synced", func() bool { return s.Synced() == 2 })
}

func (s *session) bytes() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.got
}

func (s *session) close() {
	s.conn.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.done {
		s.told.Wait()
	}
}

// serve streams a world with ticks until the test ends.
func serve(t testing.TB, w *world.World, o stream.Options) *stream.Server {
	t.Helper()
	srv, err := stream.Serve(w, o)
	if err != nil {
		t.Fatal(err)
	}
	tick(t, srv)
	return srv
}

func tick(t testing.TB, srv *stream.Server) {
	ctx, stop := context.WithCancel(context.Background())
	ticker := time.NewTicker(2 * time.Millisecond)
	done := make(chan struct{})
	go func() {
		defer close(done)
		srv.Run(ctx, ticker.C)
	}()
	t.Cleanup(func() {
		stop()
		<-done
		ticker.Stop()
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	})
}

// compare compares a copy with a world.
func compare(t testing.TB, s *session, w *world.View) {
	t.Helper()
	d := w.Dimensions()[0]
	n := 0
	for _, k := range s.Keys() {
		for i, vol := range s.Volumes() {
			v := d.Volume(vol.Name)
			cells, version, ok := s.Cube(k, i)
			if !ok {
				t.Fatalf("%v is gone", k)
			}
			e := 16 / vol.Scale
			low := geom.Point{X: int(k.X) * e, Y: int(k.Y) * e, Z: int(k.Z) * e}
			want := make([]voxel.Cell, e*e*e)
			if !v.ReadBox(geom.Box{Min: low, Max: low.Add(geom.Point{X: e, Y: e, Z: e})}, int(k.Level), want) {
				t.Fatalf("%v cannot be read", k)
			}
			empty := true
			for j := range want {
				have, _ := s.Name(i, cells[j])
				if have.Name != v.CellName(want[j]) {
					t.Fatalf("%v, version %x, volume %s: cell %d is %q (%d), want %q", k, version, vol.Name, j, have.Name, cells[j], v.CellName(want[j]))
				}
				empty = empty && want[j] == v.Default()
			}
			if i == 0 && len(s.Volumes()) == 1 && empty != (version == 0) {
				t.Fatalf("%v has version %x, empty %v", k, version, empty)
			}
			n++
		}
	}
	if n == 0 {
		t.Fatal("the copy is empty")
	}
}

// see compares what is seen at random places with the world.
func see(t testing.TB, s *session, w *world.View, far int, rng *rand.Rand) {
	t.Helper()
	d := w.Dimensions()[0]
	for range 300 {
		p := geom.Point{X: rng.IntN(2*far) - far, Y: rng.IntN(64), Z: rng.IntN(2*far) - far}
		for i, vol := range s.Volumes() {
			v := d.Volume(vol.Name)
			cell, level, ok := s.Cell(i, p)
			if !ok {
				continue
			}
			q := geom.Point{X: p.X >> level, Y: p.Y >> level, Z: p.Z >> level}
			var want [1]voxel.Cell
			v.ReadBox(geom.Box{Min: q, Max: q.Add(geom.Point{X: 1, Y: 1, Z: 1})}, level, want[:])
			if have, _ := s.Name(i, cell); have.Name != v.CellName(want[0]) {
				t.Fatalf("%v at level %d is %q, want %q", p, level, have.Name, v.CellName(want[0]))
			}
		}
	}
}

func TestFirstView(t *testing.T) {
	long.Alone(t)
	w := newWorld(t, 128)
	srv := serve(t, w, stream.Options{Top: 3})
	s := connect(t, srv, new(stream.Client), stream.Hello{}, stream.Viewpoint{Position: [3]float64{0, 40, 0}, Radius: 300}, stream.Access{})
	s.synced(t)
	compare(t, s, w.View())
	see(t, s, w.View(), 250, rand.New(rand.NewPCG(1, 1)))
	levels := map[uint8]int{}
	for _, k := range s.Keys() {
		levels[k.Level]++
	}
	if levels[0] == 0 || levels[3] == 0 {
		t.Errorf("cubes by level: %v", levels)
	}
	if c, level, ok := s.Cell(0, geom.Point{X: 1, Y: 1, Z: 1}); !ok || level != 0 {
		t.Errorf("cell %d at level %d, %v", c, level, ok)
	}
	t.Log(levels, s.bytes(), "bytes")

	// An edit arrives, at all levels.
	_, err := w.Update(func(tx *world.Tx) error {
		v := tx.Dimension("overworld").Volume(voxel.Block)
		v.Fill(geom.Box{Min: geom.Point{X: 3, Y: 40, Z: 3}, Max: geom.Point{X: 12, Y: 60, Z: 12}}, v.Named("gold"))
		v.Set(geom.Point{X: -20, Y: 3, Z: 7}, 0)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	before := s.bytes()
	s.wait(t, "an edit", func() bool {
		c, _, _ := s.Cell(0, geom.Point{X: 5, Y: 50, Z: 5})
		n, _ := s.Name(0, c)
		return n.Name == "gold"
	})
	s.synced(t)
	compare(t, s, w.View())
	t.Log(s.bytes()-before, "bytes of an edit")

	// Who comes back gets what changed.
	s.close()
	first := s.bytes()
	s = connect(t, srv, s.Client, stream.Hello{}, stream.Viewpoint{Position: [3]float64{0, 40, 0}, Radius: 300}, stream.Access{})
	s.synced(t)
	compare(t, s, w.View())
	if s.bytes() > 400 {
		t.Errorf("%d bytes where nothing changed, after %d", s.bytes(), first)
	}
}

// TestClosedWorld ends the sessions of a world that was closed, with a reason, and says so to who ticks.
func TestClosedWorld(t *testing.T) {
	w := newWorld(t, 16)
	srv := serve(t, w, stream.Options{})
	s := connect(t, srv, new(stream.Client), stream.Hello{}, stream.Viewpoint{Radius: 32}, stream.Access{})
	w.Close()
	if err := srv.Tick(t.Context(), time.Unix(9, 0)); !errors.Is(err, world.ErrClosed) {
		t.Errorf("a tick of a closed world: %v", err)
	}
	s.wait(t, "the end", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return s.done })
	var f *stream.Failure
	if !errors.As(s.err, &f) || f.Code != "closing" {
		t.Errorf("the session ended with %v", s.err)
	}
}

// TestLittleMemory has viewers whose copies may take little. Each sees something of everything within the radius, or as much as
// fits, and gets nothing again and again.
func TestLittleMemory(t *testing.T) {
	w := newWorld(t, 256)
	srv := serve(t, w, stream.Options{Top: 2})
	var all []*session
	sent := int64(0)
	for i, memory := range []int{10 << 10, 20 << 10, 50 << 10, 100 << 10, 400 << 10, 1 << 20, 8 << 20} {
		s := connect(t, srv, &stream.Client{Memory: memory}, stream.Hello{}, stream.Viewpoint{Position: [3]float64{0, 50, 0}, Radius: 240, Pixels: 2000, Error: 8}, stream.Access{})
		if i > 2 {
			s.synced(t)
		} else {
			s.wait(t, "a cube", func() bool { n, _ := s.Len(); return n > 0 })
		}
		cubes, bytes := s.Len()
		if bytes > memory {
			t.Errorf("memory %d: the copy takes %d", memory, bytes)
		}
		if n := srv.Stats().Cubes - sent; n > int64(8*cubes+100) {
			t.Errorf("memory %d: %d cubes are sent for %d", memory, n, cubes)
		}
		levels, far := map[int]int{}, 240*240
		for x := -200; x < 200; x += 7 {
			for z := -200; z < 200; z += 7 {
				if _, level, ok := s.Cell(0, geom.Point{X: x, Y: 10, Z: z}); ok {
					levels[level]++
				} else {
					far = min(far, x*x+z*z)
				}
			}
		}
		if far < 200*200 && (levels[0] > 0 || levels[1] > 0) {
			t.Errorf("memory %d: nothing is seen %d blocks away, and levels %v", memory, far, levels)
		}
		if memory >= 8<<20 && levels[0] == 0 {
			t.Errorf("memory %d: levels %v", memory, levels)
		}
		all = append(all, s)
		sent = srv.Stats().Cubes
	}
	for _, s := range all {
		s.mu.Lock()
		if s.done {
			t.Errorf("memory %d: the session ended: %v", s.Memory, s.err)
		}
		s.mu.Unlock()
	}
}
