package stream_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/server/stream"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// talk sends bytes to a session, closes the connection when it was told that it ended, or right away, and returns
// how the session ended and what the server sent.
func talk(t testing.TB, srv *stream.Server, b []byte, stay bool) ([]byte, error) {
	t.Helper()
	near, far := net.Pipe()
	ended := make(chan error, 1)
	go func() {
		hello, err := stream.ReadHello(far)
		if err != nil {
			far.Close()
			ended <- err
			return
		}
		ended <- srv.Serve(context.Background(), far, hello, stream.Access{})
	}()
	var got bytes.Buffer
	read := make(chan struct{})
	go func() {
		defer close(read)
		io.Copy(&got, near)
	}()
	near.Write(b) // fails if the server hangs up before
	if !stay {
		near.Close()
	}
	select {
	case err := <-ended:
		near.Close()
		<-read
		return got.Bytes(), err
	case <-time.After(20 * time.Second):
		t.Fatal("the session does not end")
		return nil, nil
	}
}

func frames(f ...stream.Frame) (b []byte) {
	var volumes []stream.ShownVolume
	for _, f := range f {
		if w, ok := f.(*stream.Welcome); ok {
			volumes = w.Volumes
		}
		b = stream.Append(b, f, volumes)
	}
	return b
}

// TestRefusals says how sessions of bad clients end.
func TestRefusals(t *testing.T) {
	w := newWorld(t, 32)
	srv := serve(t, w, stream.Options{Patience: 100 * time.Millisecond, Viewers: 2})
	hello, view := &stream.Hello{Protocol: 1}, &stream.Viewpoint{Radius: 100}
	views := make([]stream.Frame, 1000)
	for i := range views {
		views[i] = view
	}
	tests := []struct {
		name, code string
		bytes      []byte
	}{
		{"no view", "slow_viewer", frames(hello)},
		{"no acks", "slow_viewer", frames(hello, view)},
		{"an ack of nothing", "bad_frame", frames(hello, &stream.Ack{Sequence: 7})},
		{"a second hello", "bad_frame", frames(hello, hello)},
		{"a server's frame", "bad_frame", frames(hello, &stream.Synced{Stage: 1})},
		{"an unknown frame", "bad_frame", append(frames(hello), 1, 99)},
		{"a frame that is too long", "bad_frame", append(frames(hello), 0xFF, 0xFF, 0xFF, 0x7F, 2)},
		{"a thousand views", "too_fast", frames(append([]stream.Frame{hello}, views...)...)},
		{"no such dimension", "no_dimension", frames(&stream.Hello{Protocol: 1, Dimension: "nether"})},
		{"no such volume", "no_volume", frames(&stream.Hello{Protocol: 1, Volumes: []string{"nothing"}})},
		{"no such version", "no_version", frames(&stream.Hello{Protocol: 1, At: "nonsense"}, view)},
		{"no such commit", "no_version", frames(&stream.Hello{Protocol: 1, At: strings.Repeat("ab", 32)}, view)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := talk(t, srv, test.bytes, true)
			var f *stream.Failure
			if !errors.As(err, &f) || f.Code != test.code {
				t.Fatalf("ended with %v, want %s", err, test.code)
			}
			if test.code != "slow_viewer" && !bytes.Contains(got, []byte(test.code)) {
				t.Errorf("the client was not told %s", test.code)
			}
			if st := srv.Stats(); st.Viewers != 0 {
				t.Errorf("%d viewers are left", st.Viewers)
			}
		})
	}
}

// TestStuckReader is cut off, and leaves nothing.
func TestStuckReader(t *testing.T) {
	w := newWorld(t, 64)
	srv, err := stream.Serve(w, stream.Options{Patience: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	near, far := net.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- srv.Serve(context.Background(), far, &stream.Hello{Protocol: 1}, stream.Access{})
	}()
	if _, err := near.Read(make([]byte, 1)); err != nil { // the rest of Welcome waits, and nothing else is made
		t.Fatal(err)
	}
	if _, err := near.Write(frames(&stream.Viewpoint{Radius: 500})); err != nil {
		t.Fatal(err)
	}
	at := time.Unix(1e9, 0)
	for n := 0; ; n++ {
		if err := srv.Tick(context.Background(), at.Add(time.Duration(n)*time.Second)); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-ended:
			var f *stream.Failure
			if !errors.As(err, &f) || f.Code != "slow_viewer" || n < 60 {
				t.Errorf("ended after %d s with %v", n, err)
			}
			if st := srv.Stats(); st.Viewers != 0 || st.Cut != 1 {
				t.Errorf("%+v", st)
			}
			if err := srv.Close(); err != nil {
				t.Error(err)
			}
			return
		default:
		}
		if n > 1e6 {
			t.Fatal("it is never cut off")
		}
	}
}

// TestBox shows a viewer no more than a box, and names nothing that is not in it.
func TestBox(t *testing.T) {
	w := newWorld(t, 64)
	set := func(p geom.Point, name string) {
		t.Helper()
		_, err := w.Update(func(tx *world.Tx) error {
			v := tx.Dimension("overworld").Volume(voxel.Block)
			v.Set(p, v.Named(name))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	set(geom.Point{X: 20, Y: 5, Z: 20}, "secret")
	srv := serve(t, w, stream.Options{})
	box := geom.Box{Min: geom.Point{X: -8, Y: 0, Z: -8}, Max: geom.Point{X: 19, Y: 50, Z: 21}}
	s := connect(t, srv, new(stream.Client), stream.Hello{}, stream.Viewpoint{Radius: 400}, stream.Access{Box: &box})
	s.synced(t)
	set(geom.Point{X: 21, Y: 5, Z: 20}, "secret too")
	set(geom.Point{X: 18, Y: 5, Z: 20}, "public")
	s.wait(t, "the edit in the box", func() bool {
		c, level, _ := s.Cell(0, geom.Point{X: 18, Y: 5, Z: 20})
		n, _ := s.Name(0, c)
		return level == 0 && n.Name == "public"
	})
	for c := voxel.Cell(0); ; c++ {
		n, ok := s.Name(0, c)
		if !ok {
			break
		}
		if strings.HasPrefix(n.Name, "secret") {
			t.Errorf("%q was named", n.Name)
		}
	}
	want := truthOf(w.View().Dimension("overworld").Volume(voxel.Block))
	want.box = &box
	want.agree(t, "the box", s, stream.Viewpoint{Radius: 400}, true)
	if m := s.Moment(); m.Bounds.Intersect(box) != m.Bounds {
		t.Errorf("bounds are %v", m.Bounds)
	}
	if _, err := talk(t, srv, frames(&stream.Hello{Protocol: 1, Dimension: "overworld"}), false); err != nil {
		t.Errorf("another viewer: %v", err)
	}
}

// Dimensions whose names are that of another and a volume, however the two are joined, are
// seen by their own viewers alone.
func TestDimensionsApart(t *testing.T) {
	w := newWorld(t, 16)
	names := []string{"overworld", "overworldblock", "overworld\x01block", "overworld/block", "overworld:block", `overworld" "block`, `overworld\" \"block`}
	_, err := w.Update(func(tx *world.Tx) error {
		for _, name := range names[1:] {
			tx.AddDimension(name, voxel.BlockVolumes(), nil)
		}
		for i, name := range names {
			v := tx.Dimension(name).Volume(voxel.Block)
			v.Set(geom.Point{X: i, Y: 60}, v.Named("stone of "+name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	srv := serve(t, w, stream.Options{})
	view := stream.Viewpoint{Position: [3]float64{0, 60, 0}, Radius: 60}
	for _, name := range names[1:] {
		connect(t, srv, new(stream.Client), stream.Hello{Dimension: name}, view, stream.Access{}).synced(t)
	}
	s := connect(t, srv, new(stream.Client), stream.Hello{Dimension: names[0], Volumes: []string{voxel.Block}}, view, stream.Access{Dimension: names[0]})
	s.synced(t)
	c, _, _ := s.Cell(0, geom.Point{Y: 60})
	if n, _ := s.Name(0, c); n.Name != "stone of "+names[0] {
		t.Errorf("a viewer of %q sees %q", names[0], n.Name)
	}
}

// FuzzServer has clients of all kinds.
func FuzzServer(f *testing.F) {
	w := newWorld(f, 32)
	srv := serve(f, w, stream.Options{Patience: 50 * time.Millisecond})
	hello := &stream.Hello{Protocol: 1}
	f.Add(frames(hello, &stream.Viewpoint{Radius: 100}, &stream.Ack{Sequence: 1}))
	f.Add(frames(hello, &stream.Have{Claims: []stream.Claim{{Key: stream.Key{X: -1}, Version: 3}}}, &stream.Viewpoint{Radius: 1e9, Memory: 1, Rate: 1, Pixels: 1e9},
		&stream.Dropped{Keys: []stream.Key{{X: -1}, {}}}, &stream.At{Version: "12"}))
	f.Add(frames(&stream.Hello{Protocol: 1, Dimension: "overworld", Volumes: []string{"block"}, At: "x"}))
	f.Fuzz(func(t *testing.T, b []byte) {
		talk(t, srv, b, false)
		if st := srv.Stats(); st.Viewers != 0 {
			t.Fatalf("%d viewers are left", st.Viewers)
		}
	})
}

// wire is a connection that gives bytes and takes all.
type wire struct{ io.Reader }

func (wire) Write(b []byte) (int, error) { return len(b), nil }

// FuzzClient has servers of all kinds.
func FuzzClient(f *testing.F) {
	var all []byte
	for _, g := range goldenList() {
		if isServer(g.frame) {
			if c, ok := g.frame.(*stream.Cubes); ok && c.Sequence != 1 {
				continue
			}
			all = stream.Append(all, g.frame, goldenVolumes)
		}
	}
	f.Add(all)
	names := &stream.NumberNames{Names: []stream.Name{{Number: 1, Name: "stone"}}}
	volumes := []stream.ShownVolume{{Name: "block", Scale: 1}}
	cells := make([]voxel.Cell, 4096)
	for i := range 700 {
		cells[i*5] = 1
	}
	var p stream.CubePart
	p.Part = 63
	p.Cells[5] = 1
	f.Add(frames(&stream.Welcome{Protocol: 1, Volumes: volumes, Window: 1}, names,
		&stream.Cubes{Sequence: 1, Cubes: []stream.Cube{{Version: 4, Cells: [][]voxel.Cell{cells}}, {Key: stream.Key{X: 1}}}},
		&stream.Edits{Sequence: 2, Edits: []stream.Edit{{Version: 5, Parts: []stream.CubePart{p}}, {Key: stream.Key{X: 1}, Version: 9, Parts: []stream.CubePart{p}}}},
		&stream.Forget{Sequence: 3, Keys: []stream.Key{{}}}, &stream.Synced{Stage: 1}, &stream.Now{}, &stream.Failure{Code: "closing"}))
	f.Fuzz(func(t *testing.T, b []byte) {
		c := stream.Client{Memory: 100_000}
		for range 2 { // again with what the copy has
			c.Run(wire{bytes.NewReader(b)}, stream.Hello{}, stream.Viewpoint{})
			for _, k := range c.Keys() {
				for i := range c.Volumes() {
					c.Cube(k, i)
				}
				if k.Level == 0 {
					c.Cell(0, geom.Point{X: int(k.X) * 16, Y: int(k.Y) * 16, Z: int(k.Z) * 16})
				}
			}
			if n, size := c.Len(); size > 400_000 || n > 2000 {
				t.Fatalf("%d cubes of %d bytes", n, size)
			}
		}
	})
}

// FuzzCopy loads copies that somebody wrote.
func FuzzCopy(f *testing.F) {
	volumes := []stream.ShownVolume{{Name: "block", Scale: 1}, {Name: "light", Schema: voxel.Level, Scale: 4, Default: 15}}
	cells := make([]voxel.Cell, 4096)
	cells[77] = 1
	f.Add(frames(&stream.Welcome{Protocol: 1, Volumes: volumes}, &stream.NumberNames{Names: []stream.Name{{}, {Number: 1, Name: "stone"}}},
		&stream.Cubes{Sequence: 1, Cubes: []stream.Cube{{Version: 4, Cells: [][]voxel.Cell{cells, make([]voxel.Cell, 64)}}, {Key: stream.Key{X: 1}}}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		var c, d stream.Client
		if c.LoadCopy(b) != nil {
			return
		}
		kept := c.AppendCopy(nil)
		if err := d.LoadCopy(kept); err != nil {
			t.Fatalf("%x is kept as %x: %v", b, kept, err)
		}
		if again := d.AppendCopy(nil); !bytes.Equal(again, kept) {
			t.Fatalf("%x is kept as %x, and that as %x", b, kept, again)
		}
	})
}

// TestRate sends no more than a client wants.
func TestRate(t *testing.T) {
	w := newWorld(t, 128)
	srv, err := stream.Serve(w, stream.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	const rate = 40_000
	at := time.Unix(1e9, 0)
	srv.Tick(context.Background(), at)
	s := connect(t, srv, new(stream.Client), stream.Hello{}, stream.Viewpoint{Radius: 300, Rate: rate}, stream.Access{})
	for n := 0; s.Synced() < 2; n++ {
		if n > 100 {
			t.Fatal("it never has all")
		}
		at = at.Add(100 * time.Millisecond)
		if err := srv.Tick(context.Background(), at); err != nil {
			t.Fatal(err)
		}
		s.wait(t, "the next cubes", func() bool { return s.Synced() == 2 || s.bytes() > rate/10*n })
		// A burst of 16 KiB, what the time allows, and what the last batch went beyond it.
		if most := 16<<10 + rate/10*(n+1) + 16<<10; s.bytes() > most {
			t.Fatalf("%d bytes after %d ms, of at most %d", s.bytes(), (n+1)*100, most)
		}
	}
}
