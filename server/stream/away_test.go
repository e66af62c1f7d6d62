package stream_test

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/server/stream"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// slow is a Store whose stones cannot be read while somebody holds shut.
type slow struct {
	history.Store
	shut sync.RWMutex

	mu     sync.Mutex
	stones map[stone.ID][]byte
}

func (s *slow) Commit(ctx context.Context, name string, base history.Head, c history.Commit, stones ...history.Stone) (history.Commit, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range stones {
		s.stones[x.ID] = x.Data
	}
	return s.Store.Commit(ctx, name, base, c, stones...)
}

func (s *slow) Open(ctx context.Context, name string, id stone.ID) (*history.Opened, error) {
	o, err := s.Store.Open(ctx, name, id)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if o.Reader, err = stone.Open(slowBytes{s.stones[id], &s.shut}, int64(len(s.stones[id]))); err != nil {
		return nil, err
	}
	return o, nil
}

type slowBytes struct {
	b    []byte
	shut *sync.RWMutex
}

func (s slowBytes) ReadAt(dst []byte, off int64) (int, error) {
	s.shut.RLock()
	defer s.shut.RUnlock()
	return copy(dst, s.b[off:]), nil
}

// TestTicksDoNotWait has a store that does not answer, and an edit beside chunks that are not in memory. Ticks go on, and
// viewers see the edit when it answers.
func TestTicksDoNotWait(t *testing.T) {
	ctx := t.Context()
	st := &slow{Store: memory.New(memory.Options{}), stones: make(map[stone.ID][]byte)}
	w, err := world.Create(ctx, st, "w", world.Options{Whole: true, Manual: true})
	if err != nil {
		t.Fatal(err)
	}
	edit := func(f func(v *world.VolumeTx)) {
		t.Helper()
		_, err := w.Update(func(tx *world.Tx) error {
			v := tx.AddDimension("d", []voxel.Volume{{Name: voxel.Block, Scale: 1}}, nil).Volume(voxel.Block)
			f(v)
			return v.Err()
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	edit(func(v *world.VolumeTx) { // more than is read when a stone is opened
		r := rand.New(rand.NewPCG(1, 1))
		var flat [voxel.ChunkCells]voxel.Cell
		for i := range 16 {
			for j := range 1 << 13 {
				flat[j] = v.Named(fmt.Sprint("stone ", r.IntN(64)))
			}
			v.SetChunk(geom.ChunkPos{X: int32(i % 4), Z: int32(i / 4)}, new(voxel.ChunkBuilder).FromFlat(&flat))
		}
	})
	_, err = w.Commit(ctx, "")
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		w, err = world.Open(ctx, st, "w", world.Options{Manual: true, Memory: 1})
	}
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	held, err := w.Load(ctx, "d", geom.Box{Max: geom.Point{X: 32, Y: 32, Z: 32}})
	if err != nil {
		t.Fatal(err)
	}
	defer held.Release()
	srv, err := stream.Serve(w, stream.Options{Top: 3})
	if err != nil {
		t.Fatal(err)
	}
	ticked, stop := make(chan struct{}), make(chan struct{})
	var ticks sync.WaitGroup
	ticks.Go(func() {
		for now := time.Unix(1e9, 0); ; now = now.Add(time.Second / 20) {
			if err := srv.Tick(ctx, now); err != nil {
				t.Error(err)
			}
			select {
			case ticked <- struct{}{}:
			case <-time.After(2 * time.Millisecond):
			case <-stop:
				return
			}
		}
	})
	defer func() {
		close(stop)
		ticks.Wait()
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	}()
	s := connect(t, srv, new(stream.Client), stream.Hello{}, stream.Viewpoint{Radius: 300, Pixels: 3000, Error: 1}, stream.Access{})
	s.synced(t)
	st.shut.Lock()
	edit(func(v *world.VolumeTx) {
		v.Fill(geom.Box{Min: geom.Point{X: 20, Z: 20}, Max: geom.Point{X: 32, Y: 20, Z: 32}}, v.Named("gold"))
	})
	for range 3 {
		select {
		case <-ticked:
		case <-time.After(20 * time.Second):
			t.Error("the ticks wait for the store")
		}
	}
	st.shut.Unlock()
	s.wait(t, "gold", func() bool {
		c, level, ok := s.Cell(0, geom.Point{X: 25, Y: 10, Z: 25})
		n, _ := s.Name(0, c)
		return ok && level == 0 && n.Name == "gold" && s.Synced() == 2
	})
	s.close()
}

// painted is a State that is a slab of 63 materials, which each version names anew.
type painted struct {
	*entry
	materials []string
}

func (l *ledger) paint(version int) *painted {
	p := &painted{entry: l.add(version), materials: []string{"air"}}
	for m := 1; m < 64; m++ {
		p.materials = append(p.materials, fmt.Sprintf("material %d of version %d", m, version))
	}
	return p
}

func (p *painted) Dimensions() []stone.DimensionInfo {
	ground := voxel.Volume{Name: "ground", Schema: voxel.Terrain, Scale: 1}
	return []stone.DimensionInfo{{Name: "d", Volumes: []stone.VolumeInfo{{Volume: ground, Names: p.materials}}}}
}

func (p *painted) ReadBox(_ context.Context, _, _ string, level int, b geom.Box, dst []voxel.Cell) error {
	i := 0
	for range b.Size().Y * b.Size().Z {
		for x := b.Min.X; x < b.Max.X; x++ {
			dst[i] = voxel.Cell(1+x&31)<<8 | 255
			i++
		}
	}
	return nil
}

func (p *painted) ReadNow(d, v string, level int, b geom.Box, dst []voxel.Cell) bool {
	return p.ReadBox(context.Background(), d, v, level, b, dst) == nil
}

func (p *painted) Apart(stream.State, string, string) iter.Seq[geom.Box] { return nil }

// paints is their Source.
type paints struct {
	l   ledger
	mu  sync.Mutex
	now *painted
}

func (p *paints) Now() (stream.State, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now, nil
}

func (p *paints) At(_ context.Context, version string) (stream.State, error) {
	n := 0
	_, err := fmt.Sscan(version, &n)
	return p.l.paint(n), err
}

// TestNamesOfVersions has versions that each name all materials of a terrain anew. A viewer that stays sees each with its names,
// and so does one that looks at older ones.
func TestNamesOfVersions(t *testing.T) {
	src := new(paints)
	src.now = src.l.paint(0)
	srv, err := stream.New(src, stream.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tick(t, srv)
	// shows waits until all cells that a copy has are of a version.
	shows := func(s *session, version int) {
		t.Helper()
		s.wait(t, fmt.Sprint("version ", version), func() bool {
			if s.Moment().Number != uint64(version) || s.Synced() != 2 {
				return false
			}
			wrong := map[string]bool{} // what is here now: before, cells of another version may have been
			for x := range 64 {
				c, level, ok := s.Cell(0, geom.Point{X: x, Y: 3, Z: 3})
				n, _ := s.Name(0, c)
				if want := fmt.Sprintf("material %d of version %d", 1+(x>>level)&31, version); ok && n.Name != want {
					wrong[n.Name] = true
				}
			}
			if len(wrong) > 0 {
				t.Fatalf("version %d has the materials %v", version, slices.Collect(maps.Keys(wrong)))
			}
			return true
		})
	}
	a := connect(t, srv, new(stream.Client), stream.Hello{}, stream.Viewpoint{Radius: 300}, stream.Access{})
	b := connect(t, srv, new(stream.Client), stream.Hello{At: "9"}, stream.Viewpoint{Radius: 300}, stream.Access{})
	shows(a, 0)
	shows(b, 9)
	for version := 1; version < 4; version++ {
		src.mu.Lock()
		src.now = src.l.paint(version)
		src.mu.Unlock()
		shows(a, version)
		if err := b.Send(&stream.At{Version: fmt.Sprint(9 - version)}); err != nil {
			t.Fatal(err)
		}
		shows(b, 9-version)
	}
	if err := b.Send(&stream.At{}); err != nil {
		t.Fatal(err)
	}
	shows(b, 3)
	a.close()
	b.close()
}
