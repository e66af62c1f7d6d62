package index

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/cairnvoxel/cairn/octree"
)

// kind says what is asked. The driver of OrthoTree has the same numbers.
type kind uint64

const (
	point kind = iota
	overlap
	inside
	ball
	nearest
	first
	all
	frustum
	crossing // a plane
	pairs
)

// query has in it what its kind needs.
type query struct {
	at      octree.Vec
	radius  float64
	box     octree.Box
	ray     octree.Ray
	frustum octree.Frustum
	plane   octree.Plane
}

// class is queries of one kind and size.
type class struct {
	name    string
	kind    kind
	k       int // of nearest
	queries []query
}

// scene is objects, and what is done with them.
type scene struct {
	name   string
	boxes  []octree.Box
	points bool // boxes have size 0
	flat   bool // Z is 0
	whole  bool // coordinates are integers, and objects stay
	// steps are other places of all objects. They go there one after the other, and back.
	steps [][]octree.Box
	// churn are objects that are taken out and put back.
	churn   []int
	classes []class
	extra   bool // a study
}

// maker draws a scene.
type maker struct {
	*rand.Rand
	space octree.Vec // from 0 to it
	edge  float64    // that sizes of queries go with
	// about are objects that queries are near, or nil for anywhere.
	about []octree.Box
}

func newMaker(seed uint64, x, y, z float64) *maker {
	return &maker{Rand: rand.New(rand.NewPCG(seed, 15)), space: octree.Vec{X: x, Y: y, Z: z}, edge: x}
}

// spot returns where something is asked.
func (m *maker) spot() octree.Vec {
	if m.about == nil {
		return m.place()
	}
	c := middle(&m.about[m.IntN(len(m.about))])
	away := m.edge / 128
	return octree.Vec{X: c.X + away*m.NormFloat64(), Y: c.Y + away*m.NormFloat64(), Z: c.Z + away*m.NormFloat64()}
}

func (m *maker) place() octree.Vec {
	return octree.Vec{X: m.Float64() * m.space.X, Y: m.Float64() * m.space.Y, Z: m.Float64() * m.space.Z}
}

func (m *maker) direction() octree.Vec {
	for {
		v := octree.Vec{X: m.NormFloat64(), Y: m.NormFloat64(), Z: m.NormFloat64()}
		if m.space.Z == 0 {
			v.Z = 0
		}
		if l := math.Sqrt(v.X*v.X + v.Y*v.Y + v.Z*v.Z); l > 0.01 {
			return octree.Vec{X: v.X / l, Y: v.Y / l, Z: v.Z / l}
		}
	}
}

// around returns a box with a center and edges of up to some length each, at least a tenth.
func (m *maker) around(c octree.Vec, edge float64) octree.Box {
	half := func() float64 { return edge * (0.05 + 0.45*m.Float64()) }
	x, y, z := half(), half(), half()
	if m.space.Z == 0 {
		z = 0
	}
	return octree.Box{Min: octree.Vec{X: c.X - x, Y: c.Y - y, Z: c.Z - z}, Max: octree.Vec{X: c.X + x, Y: c.Y + y, Z: c.Z + z}}
}

func boxes(n int, make func() octree.Box) []octree.Box {
	out := []octree.Box{}
	for range n {
		out = append(out, make())
	}
	return out
}

// walk returns the places of objects in some steps: each goes its own way, at most 1 on each axis in a step.
func (m *maker) walk(from []octree.Box, steps int) (out [][]octree.Box) {
	speeds := make([]octree.Vec, len(from))
	for i := range speeds {
		speeds[i] = octree.Vec{X: m.Float64()*2 - 1, Y: m.Float64()*2 - 1, Z: m.Float64()*2 - 1}
		if m.space.Z == 0 {
			speeds[i].Z = 0
		}
	}
	for range steps {
		to := make([]octree.Box, len(from))
		for i, b := range from {
			v := speeds[i]
			to[i] = octree.Box{
				Min: octree.Vec{X: b.Min.X + v.X, Y: b.Min.Y + v.Y, Z: b.Min.Z + v.Z},
				Max: octree.Vec{X: b.Max.X + v.X, Y: b.Max.Y + v.Y, Z: b.Max.Z + v.Z},
			}
		}
		out, from = append(out, to), to
	}
	return out
}

// worlds is the scene of real maps. The others are made.
const worlds = "worlds"

// SceneNames returns the names of all scenes.
func SceneNames() []string {
	return []string{"uniform", "clustered", "movers", "static", "points", "flat", worlds}
}

// makeScene makes a scene with a share of its objects.
func makeScene(name string, seed uint64, share float64) *scene {
	count := func(n int) int { return max(100, int(float64(n)*share)) }
	s := &scene{name: name}
	var m *maker
	switch name {
	case "uniform":
		m = newMaker(seed, 2048, 2048, 2048)
		s.boxes = boxes(count(100_000), func() octree.Box { return m.around(m.place(), 32) })
	case "clustered":
		m = newMaker(seed, 4096, 512, 4096)
		var center octree.Vec
		spread, left := 0.0, 0
		s.boxes = boxes(count(100_000), func() octree.Box {
			if left--; left < 0 {
				center, spread, left = m.place(), 10+70*m.Float64(), count(100_000)/100
			}
			return m.around(octree.Vec{X: center.X + spread*m.NormFloat64(), Y: center.Y + spread*m.NormFloat64(), Z: center.Z + spread*m.NormFloat64()}, 8)
		})
	case "movers":
		m = newMaker(seed, 4096, 512, 4096)
		s.boxes = boxes(count(40_000), func() octree.Box { return octree.Around(m.place(), 0.5+29.5*m.Float64()) })
	case "static":
		m = newMaker(seed, 8192, 256, 8192)
		s.whole = true
		s.boxes = boxes(count(1_000_000), func() octree.Box {
			p := m.place()
			p = octree.Vec{X: math.Floor(p.X), Y: math.Floor(p.Y), Z: math.Floor(p.Z)}
			edge := func() float64 { return 1 + float64(m.IntN(8)) }
			return octree.Box{Min: p, Max: octree.Vec{X: p.X + edge(), Y: p.Y + edge(), Z: p.Z + edge()}}
		})
	case "points":
		m, s.points = newMaker(seed, 4096, 512, 4096), true
		s.boxes = boxes(count(100_000), func() octree.Box { return octree.At(m.place()) })
	case "flat":
		m, s.flat = newMaker(seed, 4096, 4096, 0), true
		s.boxes = boxes(count(100_000), func() octree.Box { return m.around(m.place(), 16) })
	}
	if !s.whole {
		s.steps = m.walk(s.boxes, 3)
	}
	if name == "clustered" {
		m.about = s.boxes
	}
	s.churn = m.Perm(len(s.boxes))[:len(s.boxes)/4]
	s.classes = m.queries(s)
	return s
}

const queriesEach = 256

// queries draws queries of each kind and size. Sizes go with the space, so that the found are some, some dozens and
// thousands.
func (m *maker) queries(s *scene) (out []class) {
	sizes := []float64{m.edge / 256, m.edge / 64, m.edge / 16}
	add := func(name string, k kind, n int, draw func(q *query)) {
		c := class{name: name, kind: k, queries: make([]query, n)}
		for i := range c.queries {
			c.queries[i].at = m.spot()
			draw(&c.queries[i])
		}
		out = append(out, c)
	}
	if !s.points {
		add("point", point, queriesEach, func(*query) {})
	}
	for _, size := range sizes {
		of := fmt.Sprintf(" %g", size)
		n := queriesEach
		add("box"+of, overlap, n, func(q *query) { q.box = m.flatten(octree.Around(q.at, size)) })
		add("inside"+of, inside, n, func(q *query) { q.box = m.flatten(octree.Around(q.at, size)) })
		add("ball"+of, ball, n, func(q *query) { q.radius = size })
	}
	for _, k := range []int{1, 8, 64} {
		add(fmt.Sprintf("nearest %d", k), nearest, queriesEach, func(*query) {})
		out[len(out)-1].k = k
	}
	if s.flat {
		return out
	}
	for _, size := range sizes {
		ray := func(q *query) { q.ray = octree.Ray{Origin: q.at, Direction: m.direction(), Max: size * 8} }
		if !s.points {
			add(fmt.Sprintf("first %g", size*8), first, queriesEach, ray)
			add(fmt.Sprintf("all %g", size*8), all, queriesEach, ray)
		}
		add(fmt.Sprintf("frustum %g", size*4), frustum, 64, func(q *query) { q.frustum = m.view(q.at, size*4) })
	}
	add("plane", crossing, 16, func(q *query) {
		n := m.direction()
		q.plane = octree.Plane{Normal: n, Offset: -(n.X*q.at.X + n.Y*q.at.Y + n.Z*q.at.Z)}
	})
	if !s.points && !s.whole { // OrthoTree does not count boxes that touch
		add("pairs", pairs, 1, func(*query) {})
	}
	return out
}

func (m *maker) flatten(b octree.Box) octree.Box {
	if m.space.Z == 0 {
		b.Min.Z, b.Max.Z = -1, 1 // an empty box finds nothing in OrthoTree
	}
	return b
}

// view returns what a camera sees that looks level: a right angle wide and high, and so far.
func (m *maker) view(at octree.Vec, far float64) (f octree.Frustum) {
	sin, cos := math.Sincos(2 * math.Pi * m.Float64())
	forward, right := octree.Vec{X: cos, Z: sin}, octree.Vec{X: -sin, Z: cos}
	plane := func(n octree.Vec, beyond float64) octree.Plane {
		l := math.Sqrt(n.X*n.X + n.Y*n.Y + n.Z*n.Z)
		n = octree.Vec{X: n.X / l, Y: n.Y / l, Z: n.Z / l}
		return octree.Plane{Normal: n, Offset: beyond - (n.X*at.X + n.Y*at.Y + n.Z*at.Z)}
	}
	return octree.Frustum{
		plane(forward, 0),
		plane(octree.Vec{X: -forward.X, Z: -forward.Z}, far),
		plane(octree.Vec{X: forward.X + right.X, Z: forward.Z + right.Z}, 0),
		plane(octree.Vec{X: forward.X - right.X, Z: forward.Z - right.Z}, 0),
		plane(octree.Vec{X: forward.X, Y: 1, Z: forward.Z}, 0),
		plane(octree.Vec{X: forward.X, Y: -1, Z: forward.Z}, 0),
	}
}
