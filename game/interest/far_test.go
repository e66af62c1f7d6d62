package interest_test

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/game/interest"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// A client that asks for another shape in each tick does not fill the memory.
func TestShapesAreForgotten(t *testing.T) {
	long.Alone(t)
	s := newSet(t, interest.Options{})
	id, err := s.Add(interest.Viewer{})
	if err != nil {
		t.Fatal(err)
	}
	before := heap()
	for v := 40; v < 50; v++ {
		if err := s.Update(id, interest.Viewer{Chunks: interest.Reach{Horizontal: 40, Vertical: v}}); err != nil {
			t.Fatal(err)
		}
		s.Tick(nil, func(*interest.Changes) {})
	}
	if err := s.Update(id, interest.Viewer{}); err != nil {
		t.Fatal(err)
	}
	s.Tick(nil, func(*interest.Changes) {})
	if took := heap() - before; took > 20<<20 {
		t.Errorf("%d MB after 10 shapes of 81 chunks", took>>20)
	}
	runtime.KeepAlive(s)
}

// Of a ball the vertical radius does not count.
func TestBallIsABall(t *testing.T) {
	s := newSet(t, interest.Options{})
	v := interest.Viewer{Chunks: interest.Reach{Horizontal: 3, Ball: true}}
	id, err := s.Add(v)
	if err != nil {
		t.Fatal(err)
	}
	s.Tick(nil, func(*interest.Changes) {})
	v.Chunks.Vertical = 9
	if err := s.Update(id, v); err != nil {
		t.Fatal(err)
	}
	s.Tick(nil, func(c *interest.Changes) { t.Errorf("%v", c) })
}

// The tree of objects may be cleared, filled again and built anew between ticks.
func TestTreeAnew(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 3))
		s, tree := newSet(t, interest.Options{Moves: true}), newTree(t)
		twin := &slow{margin: 8, slack: 8, viewers: make(map[interest.ViewerID]*slowViewer)}
		for range 4 {
			v := interest.Viewer{Objects: 60, Position: octree.Vec{X: rng.Float64() * 100}}
			id, err := s.Add(v)
			if err != nil {
				t.Fatal(err)
			}
			twin.viewers[id] = &slowViewer{Viewer: v, objects: make(map[octree.ObjectID]bool)}
		}
		var ids []octree.ObjectID
		for tick := range 60 {
			var r *octree.Renewal
			switch rng.IntN(8) {
			case 0:
				tree.Clear()
				ids = nil
			case 1:
				r = tree.Renew()
			}
			for range rng.IntN(30) {
				p := octree.Around(octree.Vec{X: rng.Float64()*300 - 150, Y: rng.Float64() * 20}, rng.Float64())
				if len(ids) > 0 && rng.IntN(3) > 0 {
					k := rng.IntN(len(ids))
					if rng.IntN(3) == 0 {
						tree.Remove(ids[k])
						ids = slices.Delete(ids, k, k+1)
					} else if err := tree.Move(ids[k], p); err != nil {
						t.Fatal(err)
					}
					continue
				}
				id, err := tree.Insert(p)
				if err != nil {
					t.Fatal(err)
				}
				ids = append(ids, id)
			}
			if r != nil {
				r.Build()
				r.Finish()
			}
			want := twin.tick(tree)
			var got []interest.Changes
			s.Tick(tree, func(c *interest.Changes) { got = append(got, clone(c)) })
			if !slices.EqualFunc(got, want, equal) {
				t.Fatalf("seed %d tick %d:\n got %v\nwant %v", seed, tick, got, want)
			}
		}
	}
}

// Ends of the range, huge radii, and a viewer that jumps between the ends.
func TestFarEnds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	s, tree := newSet(t, interest.Options{Moves: true, Slack: 3}), newTree(t)
	twin := &slow{margin: 8, slack: 3, viewers: make(map[interest.ViewerID]*slowViewer)}
	const far = geom.MaxChunk * geom.ChunkEdge
	ends := []float64{-far, far - 1, 0, 1e9, -1e12, 1e300, -1e300, far - 40, 1 << 31, 17}
	at := func() octree.Vec {
		p := octree.Vec{X: ends[rng.IntN(len(ends))], Y: ends[rng.IntN(len(ends))] * float64(rng.IntN(2)), Z: ends[rng.IntN(len(ends))] * float64(rng.IntN(2))}
		p.X += rng.Float64()*50 - 25
		return p
	}
	var viewers []interest.ViewerID
	for range 6 {
		v := interest.Viewer{Position: at(), Chunks: interest.Reach{Horizontal: 2, Vertical: 2}, Objects: 50}
		id, err := s.Add(v)
		if err != nil {
			t.Fatal(err)
		}
		viewers = append(viewers, id)
		twin.viewers[id] = &slowViewer{Viewer: v, objects: make(map[octree.ObjectID]bool)}
	}
	var ids []octree.ObjectID
	for range 50 {
		id, err := tree.Insert(octree.At(at()))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	for tick := range 150 {
		id := viewers[rng.IntN(len(viewers))]
		v, _ := s.Get(id)
		v.Position = at()
		v.Objects = []float64{0, 50, 1e4, 1e10, 1e308}[rng.IntN(5)]
		if err := s.Update(id, v); err != nil {
			t.Fatal(err)
		}
		twin.viewers[id].Viewer = v
		for range 3 {
			k := rng.IntN(len(ids))
			if err := tree.Move(ids[k], octree.At(at())); err != nil {
				t.Fatal(err)
			}
		}
		slowTickAtEnds(twin)
		want := twin.tick(tree)
		var got []interest.Changes
		s.Tick(tree, func(c *interest.Changes) { got = append(got, clone(c)) })
		for i := range want {
			want[i].ChunksIn, want[i].ChunksOut = nil, nil
		}
		for i := range got {
			got[i].ChunksIn, got[i].ChunksOut = nil, nil
		}
		drop := func(c interest.Changes) bool { return len(c.ObjectsIn)+len(c.ObjectsOut)+len(c.ObjectsMoved) == 0 }
		got, want = slices.DeleteFunc(got, drop), slices.DeleteFunc(want, drop)
		if !slices.EqualFunc(got, want, equal) {
			t.Fatalf("tick %d:\n got %v\nwant %v", tick, got, want)
		}
		for _, c := range []geom.ChunkPos{{X: -1 << 31, Y: 1<<31 - 1, Z: 1<<31 - 1}, {X: 1<<31 - 1}} {
			if n := s.AppendViewers(nil, c); len(n) != 0 {
				t.Fatalf("%v is seen", c)
			}
		}
	}
}

// The twin's chunks do not know the ends of the range.
func slowTickAtEnds(s *slow) {
	for _, v := range s.viewers {
		v.chunks = nil
	}
}
