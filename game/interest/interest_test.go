package interest_test

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/game/interest"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

const edge = geom.ChunkEdge

// slow is a Set that looks at everything in each tick.
type slow struct {
	margin, slack float64
	viewers       map[interest.ViewerID]*slowViewer
	boxes         map[octree.ObjectID]octree.Box // in the last tick
}

type slowViewer struct {
	interest.Viewer
	told    bool
	at      geom.ChunkPos // around which it was told of chunks
	shape   interest.Reach
	chunks  map[geom.ChunkPos]bool
	objects map[octree.ObjectID]bool
}

func chunkOf(p octree.Vec) geom.ChunkPos {
	return geom.ChunkPos{X: int32(math.Floor(p.X / edge)), Y: int32(math.Floor(p.Y / edge)), Z: int32(math.Floor(p.Z / edge))}
}

func boxOf(c geom.ChunkPos, grow float64) octree.Box {
	x, y, z := float64(c.X)*edge, float64(c.Y)*edge, float64(c.Z)*edge
	return octree.Box{Min: octree.Vec{X: x - grow, Y: y - grow, Z: z - grow}, Max: octree.Vec{X: x + edge + grow, Y: y + edge + grow, Z: z + edge + grow}}
}

func (s *slow) tick(tree *octree.Tree) (out []interest.Changes) {
	now := make(map[octree.ObjectID]octree.Box)
	tree.All(func(id octree.ObjectID, b octree.Box) bool { now[id] = b; return true })
	var ids []interest.ViewerID
	for id := range s.viewers {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b interest.ViewerID) int { return cmp.Compare(a.Index(), b.Index()) })
	for _, id := range ids {
		v := s.viewers[id]
		c := interest.Changes{Viewer: id}
		v.lookAtChunks(s, &c)
		v.lookAtObjects(s, &c, now)
		if len(c.ChunksIn)+len(c.ChunksOut)+len(c.ObjectsIn)+len(c.ObjectsOut)+len(c.ObjectsMoved) > 0 {
			out = append(out, c)
		}
	}
	s.boxes = now
	return out
}

func (v *slowViewer) lookAtChunks(s *slow, c *interest.Changes) {
	was := v.at
	b, p := boxOf(v.at, s.margin), v.Position
	inside := p.X >= b.Min.X && p.X < b.Max.X && p.Y >= b.Min.Y && p.Y < b.Max.Y && p.Z >= b.Min.Z && p.Z < b.Max.Z
	if !v.told || v.shape != v.Chunks || !inside {
		v.at = chunkOf(p)
	}
	v.told, v.shape = true, v.Chunks
	next := make(map[geom.ChunkPos]bool)
	r := int32(max(v.Chunks.Horizontal, v.Chunks.Vertical))
	for x := -r; x <= r; x++ {
		for y := -r; y <= r; y++ {
			for z := -r; z <= r; z++ {
				at := geom.ChunkPos{X: v.at.X + x, Y: v.at.Y + y, Z: v.at.Z + z}
				h := int32(v.Chunks.Horizontal)
				far := x*x+z*z > h*h || max(y, -y) > int32(v.Chunks.Vertical)
				if v.Chunks.Ball {
					far = x*x+y*y+z*z > h*h
				}
				grow := 0.0
				if v.chunks[at] {
					grow = s.slack
				}
				if !far && at.Check() == nil && (v.Frustum == nil || v.Frustum.Sees(boxOf(at, grow))) {
					next[at] = true
				}
			}
		}
	}
	for at := range next {
		if !v.chunks[at] {
			c.ChunksIn = append(c.ChunksIn, at)
		}
	}
	for at := range v.chunks {
		if !next[at] {
			c.ChunksOut = append(c.ChunksOut, at)
		}
	}
	nearest(c.ChunksIn, v.at)
	nearest(c.ChunksOut, was)
	v.chunks = next
}

// nearest sorts chunks by distance from one, and equal ones as the Set does.
func nearest(chunks []geom.ChunkPos, from geom.ChunkPos) {
	slices.SortFunc(chunks, func(a, b geom.ChunkPos) int {
		square := func(c geom.ChunkPos) int {
			x, y, z := int(c.X-from.X), int(c.Y-from.Y), int(c.Z-from.Z)
			return x*x + y*y + z*z
		}
		return cmp.Or(cmp.Compare(square(a), square(b)), cmp.Compare(a.Y, b.Y), cmp.Compare(a.Z, b.Z), cmp.Compare(a.X, b.X))
	})
}

func (v *slowViewer) lookAtObjects(s *slow, c *interest.Changes, now map[octree.ObjectID]octree.Box) {
	for id, b := range now {
		far, grown := v.Objects, b
		if v.objects[id] {
			far += s.slack
			k := s.slack
			grown = octree.Box{Min: octree.Vec{X: b.Min.X - k, Y: b.Min.Y - k, Z: b.Min.Z - k}, Max: octree.Vec{X: b.Max.X + k, Y: b.Max.Y + k, Z: b.Max.Z + k}}
		}
		sees := v.Objects > 0 && b.Distance(v.Position) <= far && (v.Frustum == nil || v.Frustum.Sees(grown))
		switch {
		case sees && !v.objects[id]:
			c.ObjectsIn = append(c.ObjectsIn, id)
		case !sees && v.objects[id]:
			c.ObjectsOut = append(c.ObjectsOut, id)
		case sees && s.boxes[id] != b:
			c.ObjectsMoved = append(c.ObjectsMoved, id)
		}
	}
	for id := range v.objects {
		if _, there := now[id]; !there {
			c.ObjectsOut = append(c.ObjectsOut, id)
		}
	}
	slices.Sort(c.ObjectsIn)
	slices.Sort(c.ObjectsOut)
	slices.Sort(c.ObjectsMoved)
	for _, id := range c.ObjectsIn {
		v.objects[id] = true
	}
	for _, id := range c.ObjectsOut {
		delete(v.objects, id)
	}
}

func clone(c *interest.Changes) interest.Changes {
	return interest.Changes{Viewer: c.Viewer, ChunksIn: slices.Clone(c.ChunksIn), ChunksOut: slices.Clone(c.ChunksOut),
		ObjectsIn: slices.Clone(c.ObjectsIn), ObjectsOut: slices.Clone(c.ObjectsOut), ObjectsMoved: slices.Clone(c.ObjectsMoved)}
}

func equal(a, b interest.Changes) bool {
	return a.Viewer == b.Viewer && slices.Equal(a.ChunksIn, b.ChunksIn) && slices.Equal(a.ChunksOut, b.ChunksOut) &&
		slices.Equal(a.ObjectsIn, b.ObjectsIn) && slices.Equal(a.ObjectsOut, b.ObjectsOut) && slices.Equal(a.ObjectsMoved, b.ObjectsMoved)
}

func newSet(t testing.TB, o interest.Options) *interest.Set {
	t.Helper()
	s, err := interest.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func newTree(t testing.TB) *octree.Tree {
	t.Helper()
	tree, err := octree.New(octree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// Random viewers, objects and ticks, against a Set that recomputes everything. Some walk, some jump.
func TestTick(t *testing.T) {
	long.Alone(t)
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { testTick(t, seed) })
	}
}

func testTick(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	o := interest.Options{Moves: true, Margin: float64(rng.IntN(3)) * 9, Slack: float64(rng.IntN(3)) * 7}
	s := newSet(t, o)
	twin := &slow{margin: cmp.Or(o.Margin, 8), slack: cmp.Or(o.Slack, 8), viewers: make(map[interest.ViewerID]*slowViewer)}
	tree := newTree(t)
	speed := []float64{0.2, 1, 12}[seed%3]
	where := func() octree.Vec {
		return octree.Vec{X: rng.Float64()*300 - 150, Y: rng.Float64() * 100, Z: rng.Float64()*300 - 150}
	}
	near := func(p octree.Vec, by float64) octree.Vec {
		return octree.Vec{X: p.X + (rng.Float64()*2-1)*by, Y: p.Y, Z: p.Z + (rng.Float64()*2-1)*by}
	}
	var objects []octree.ObjectID
	var viewers []interest.ViewerID
	random := func(v interest.Viewer) interest.Viewer {
		v.Position = near(v.Position, speed)
		switch rng.IntN(12 * int(13/speed)) {
		case 0:
			v.Position = where()
		case 1:
			v.Chunks = interest.Reach{Horizontal: rng.IntN(5), Vertical: rng.IntN(4), Ball: rng.IntN(2) == 0}
		case 2:
			v.Objects = float64(rng.IntN(3) * 40)
		case 3, 4, 5:
			v.Frustum = nil
			if rng.IntN(3) > 0 {
				angle := rng.Float64() * 7
				x, z := math.Cos(angle), math.Sin(angle)
				at := v.Position
				v.Frustum = &octree.Frustum{{Normal: octree.Vec{X: x, Z: z}, Offset: -x*at.X - z*at.Z},
					{Normal: octree.Vec{X: -z, Z: x}, Offset: z*at.X - x*at.Z + 20}, {}, {}, {}, {}}
			}
		}
		return v
	}
	sawSome := 0
	for tick := range 200 {
		for range rng.IntN(6) {
			kind := rng.IntN(8 * int(13/speed))
			if len(viewers) < 5 {
				kind = 1
			}
			switch kind {
			case 0:
				if n := len(viewers); n > 0 {
					k := rng.IntN(n)
					if !s.Remove(viewers[k]) || s.Remove(viewers[k]) {
						t.Fatal("remove")
					}
					delete(twin.viewers, viewers[k])
					viewers = slices.Delete(viewers, k, k+1)
				}
			case 1, 2, 3:
				if len(viewers) < 12 {
					v := random(interest.Viewer{Position: where(), Objects: 60, Chunks: interest.Reach{Horizontal: 2, Vertical: 1}})
					id, err := s.Add(v)
					if err != nil {
						t.Fatal(err)
					}
					viewers = append(viewers, id)
					twin.viewers[id] = &slowViewer{Viewer: v, objects: make(map[octree.ObjectID]bool)}
				}
			default:
				if len(viewers) > 0 {
					id := viewers[rng.IntN(len(viewers))]
					v, _ := s.Get(id)
					v = random(v)
					if err := s.Update(id, v); err != nil {
						t.Fatal(err)
					}
					twin.viewers[id].Viewer = v
				}
			}
		}
		for range rng.IntN([]int{2, 40, 200}[rng.IntN(3)]) {
			switch k := rng.IntN(10 * int(13/speed)); {
			case k == 0 && len(objects) > 0:
				i := rng.IntN(len(objects))
				tree.Remove(objects[i])
				objects = slices.Delete(objects, i, i+1)
			case k < 3 || len(objects) < 60:
				id, err := tree.Insert(octree.Around(where(), rng.Float64()*3))
				if err != nil {
					t.Fatal(err)
				}
				objects = append(objects, id)
			default:
				id := objects[rng.IntN(len(objects))]
				b, _ := tree.Get(id)
				if err := tree.Move(id, octree.Around(near(b.Min, speed), rng.Float64()*min(3, speed))); err != nil {
					t.Fatal(err)
				}
			}
		}
		want := twin.tick(tree)
		var got []interest.Changes
		note := func(c *interest.Changes) { got = append(got, clone(c)) }
		if seed%2 == 0 {
			s.Tick(tree, note)
		} else {
			tree.Publish()
			v := tree.View()
			s.Tick(v, note)
			v.Release()
		}
		if !slices.EqualFunc(got, want, equal) {
			t.Fatalf("tick %d:\n got %v\nwant %v", tick, got, want)
		}
		if s.Len() != len(viewers) {
			t.Fatalf("%d viewers", s.Len())
		}
		sawSome += whoSees(t, rng, s, twin, objects)
	}
	if sawSome < 100 {
		t.Errorf("objects and chunks were seen %d times", sawSome)
	}
}

// whoSees asks the other way round.
func whoSees(t *testing.T, rng *rand.Rand, s *interest.Set, twin *slow, objects []octree.ObjectID) (n int) {
	t.Helper()
	check := func(what string, got []interest.ViewerID, sees func(v *slowViewer) bool) {
		var want []interest.ViewerID
		for id, v := range twin.viewers {
			if sees(v) {
				want = append(want, id)
			}
		}
		slices.Sort(want)
		n += len(want)
		if !slices.Equal(got, want) {
			t.Fatalf("%s: seen by %v, want %v", what, got, want)
		}
	}
	for range 20 {
		c := geom.ChunkPos{X: rng.Int32N(12) - 6, Y: rng.Int32N(6) - 1, Z: rng.Int32N(12) - 6}
		check("chunk", s.AppendViewers(nil, c), func(v *slowViewer) bool { return v.chunks[c] })
		if len(objects) > 0 {
			o := objects[rng.IntN(len(objects))]
			check("object", s.AppendWatchers(nil, o), func(v *slowViewer) bool { return v.objects[o] })
		}
	}
	return n
}

// A viewer that walks to and fro over a border is told of chunks and objects once.
func TestNoFlapping(t *testing.T) {
	s, tree := newSet(t, interest.Options{}), newTree(t)
	if _, err := tree.Insert(octree.At(octree.Vec{X: 100})); err != nil {
		t.Fatal(err)
	}
	v := interest.Viewer{Position: octree.Vec{X: 31}, Chunks: interest.Reach{Horizontal: 2}, Objects: 68}
	id, err := s.Add(v)
	if err != nil {
		t.Fatal(err)
	}
	in, out := 0, 0
	for i := range 100 {
		v.Position.X = 31 + float64(i%2)*5
		if err := s.Update(id, v); err != nil {
			t.Fatal(err)
		}
		s.Tick(tree, func(c *interest.Changes) {
			in += len(c.ChunksIn) + len(c.ObjectsIn)
			out += len(c.ChunksOut) + len(c.ObjectsOut)
		})
	}
	if in != 13+1 || out != 0 {
		t.Errorf("%d in, %d out", in, out)
	}
	v.Position.X = 40
	if err := s.Update(id, v); err != nil {
		t.Fatal(err)
	}
	s.Tick(tree, func(c *interest.Changes) { in, out = len(c.ChunksIn), len(c.ChunksOut) })
	if in != 5 || out != 5 {
		t.Errorf("a chunk on: %d in, %d out", in, out)
	}
}

// The edge of the range has no chunks beyond it, and a viewer beyond it sees those at the edge.
func TestEdge(t *testing.T) {
	s := newSet(t, interest.Options{Margin: -1})
	const m = geom.MaxChunk
	id, err := s.Add(interest.Viewer{Position: octree.Vec{X: 1e30, Y: -1e30}, Chunks: interest.Reach{Horizontal: 1, Vertical: 1}})
	if err != nil {
		t.Fatal(err)
	}
	var got []geom.ChunkPos
	s.Tick(nil, func(c *interest.Changes) { got = slices.Clone(c.ChunksIn) })
	x, y := int32(m-1), int32(-m)
	want := []geom.ChunkPos{{X: x, Y: y}, {X: x, Y: y, Z: -1}, {X: x - 1, Y: y}, {X: x, Y: y, Z: 1}, {X: x, Y: y + 1},
		{X: x, Y: y + 1, Z: -1}, {X: x - 1, Y: y + 1}, {X: x, Y: y + 1, Z: 1}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	if got := s.AppendViewers(nil, want[3]); !slices.Equal(got, []interest.ViewerID{id}) {
		t.Errorf("seen by %v", got)
	}
	if got := s.AppendViewers(nil, geom.ChunkPos{X: m, Y: y}); len(got) != 0 {
		t.Errorf("what is out of range is seen by %v", got)
	}
}

func TestFaults(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, o := range []interest.Options{{Margin: nan}, {Slack: nan}, {Margin: inf}, {Slack: inf}} {
		if _, err := interest.New(o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
	s := newSet(t, interest.Options{})
	id, err := s.Add(interest.Viewer{})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []interest.Viewer{
		{Position: octree.Vec{X: nan}}, {Position: octree.Vec{Z: inf}}, {Objects: -1}, {Objects: nan}, {Objects: inf},
		{Chunks: interest.Reach{Horizontal: -1}}, {Chunks: interest.Reach{Vertical: 65}}, {Chunks: interest.Reach{Horizontal: 65, Ball: true}},
		{Frustum: &octree.Frustum{{Offset: nan}}}, {Frustum: &octree.Frustum{5: {Normal: octree.Vec{Y: inf}}}},
	} {
		if _, err := s.Add(v); err == nil {
			t.Errorf("add %+v: no error", v)
		}
		if err := s.Update(id, v); err == nil {
			t.Errorf("update to %+v: no error", v)
		}
	}
	s.Remove(id)
	if err := s.Update(id, interest.Viewer{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("update of a removed viewer: %v", err)
	}
	if _, ok := s.Get(id); ok || s.Len() != 0 || s.AppendWatchers(nil, 99) != nil {
		t.Error("a removed viewer is there")
	}
}

// In the steady state nothing is allocated.
func TestAllocates(t *testing.T) {
	w := newCrowd(t, 50, 500, 1000)
	for range 200 {
		w.step()
		w.tick()
	}
	buf := make([]interest.ViewerID, 0, 100)
	if n := testing.AllocsPerRun(50, func() {
		w.step()
		w.tick()
		buf = w.set.AppendViewers(buf[:0], geom.ChunkPos{X: 3, Y: 1, Z: 3})
		buf = w.set.AppendWatchers(buf[:0], w.objects[7])
	}); n > 2 { // lists of watchers still get longer now and then
		t.Errorf("%v allocations in a tick", n)
	}
}
