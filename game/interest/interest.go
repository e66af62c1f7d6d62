// Package interest says who sees what: which viewers see which chunks and which objects, by distance
// and by frustum, as changes from tick to tick.
//
// Begin with New, Set.Add for each viewer, and Set.Tick in each tick of the game. Tick reports what
// enters and what leaves the sight of each viewer. A chunk or an object that lies on the border of
// what a viewer sees does not come and go with each step: Options.Margin and Options.Slack
// say how far it must get away first.
//
// A tick costs what changed. Viewers that stay near their chunk cost nothing for chunks, and viewers
// that stand still cost nothing for objects where the tree of objects did not change.
//
// AppendViewers and AppendWatchers answer who sees a chunk and who sees an object.
//
// The package sends nothing and knows no worlds: it has positions of chunks and IDs of a tree.
package interest

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"weak"

	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Options of a Set. The zero value is the default.
type Options struct {
	// Margin is how far in cells a viewer may leave the chunk around which it sees others before
	// it sees those around the chunk where it is then. Default 8; negative is 0.
	Margin float64
	// Slack is how much farther than its radius in cells an object may get from a viewer, and
	// chunks and objects from its frustum, and still be seen. Default 8; negative is 0.
	Slack float64
	// Moves has Tick report objects that get another box while they are seen.
	Moves bool
}

// Viewer is somebody who sees chunks and objects.
type Viewer struct {
	Position octree.Vec
	// Chunks are the chunks that it sees around its own.
	Chunks Reach
	// Objects is the radius in cells of the ball in which it sees objects. 0 is none.
	Objects float64
	// Frustum bounds what it sees further. nil is no bound.
	Frustum *octree.Frustum
}

// Objects are the objects that viewers see: an octree.Tree, or its View as it is in each Tick. It is the
// same tree in all of them.
type Objects interface {
	Moment() octree.Moment
	Changed(since octree.Moment, q octree.Box, yield func(octree.ObjectID, octree.Box) bool) bool
	Ball(center octree.Vec, radius float64, yield func(octree.ObjectID, octree.Box) bool)
	Get(octree.ObjectID) (octree.Box, bool)
}

// Changes are what changed for a viewer in a tick. What enters and leaves a Viewer's sight comes in
// slices that are good until the function returns that got them.
type Changes struct {
	Viewer                ViewerID
	ChunksIn              []geom.ChunkPos   // nearest to its anchor first
	ChunksOut             []geom.ChunkPos   // nearest to the anchor before first
	ObjectsIn, ObjectsOut []octree.ObjectID // in ascending order
	// ObjectsMoved are objects that the viewer saw and still sees, in ascending order.
	ObjectsMoved []octree.ObjectID
}

func (c *Changes) empty() bool {
	return len(c.ChunksIn)+len(c.ChunksOut)+len(c.ObjectsIn)+len(c.ObjectsOut)+len(c.ObjectsMoved) == 0
}

// ViewerID names a viewer of one Set. No viewer gets the ViewerID of one that was removed.
type ViewerID octree.ObjectID

// Index returns a small number that no other viewer of the Set has at the same time.
func (id ViewerID) Index() int { return octree.ObjectID(id).Index() }

func (id ViewerID) String() string { return octree.ObjectID(id).String() }

// Set is the viewers of a dimension. One goroutine at a time may use it.
type Set struct {
	o       Options
	shapes  map[Reach]weak.Pointer[shape]
	places  *octree.Tree // a box in chunks for each viewer, around all that it sees
	viewers []*viewer    // by ViewerID.Index
	since   octree.Moment
	changes Changes
	sides   []side // of towers, for the viewer whose turn it is

	last  []last   // by octree.ObjectID.Index
	moved []uint64 // the same, as bits: who moved in this tick
	jumps []octree.ObjectID
	era   uint64  // how often all viewers have to look anew
	drift float64 // how far any object went that did not jump, in all ticks together
	step  float64 // the same in this tick
	// stirred says that some object changed since the last Tick.
	stirred bool
	now     *near // whose turn it is
	met     func(octree.ObjectID, octree.Box) bool
	note    func(octree.ObjectID, octree.Box) bool

	watchers [][]ViewerID // by octree.ObjectID.Index
}

// last is an object when it was last looked at.
type last struct {
	id  octree.ObjectID
	box octree.Box
}

// viewer is a Viewer and what it was told.
type viewer struct {
	Viewer
	id      ViewerID
	frustum octree.Frustum
	moved   bool // since the last Tick
	seen    sight
	spare   []uint64
	objects []octree.ObjectID // that it sees, in ascending order
	near    near
	way     float64 // that it has gone since it looked for what is near
}

// New returns an empty Set.
func New(o Options) (*Set, error) {
	for _, f := range []*float64{&o.Margin, &o.Slack} {
		switch {
		case math.IsNaN(*f) || math.IsInf(*f, 1):
			return nil, fmt.Errorf("interest: options: %v cells: not finite", *f)
		case *f == 0:
			*f = 8
		}
		*f = max(*f, 0)
	}
	places, err := octree.New(octree.Options{})
	if err != nil {
		return nil, err
	}
	s := &Set{o: o, shapes: make(map[Reach]weak.Pointer[shape]), places: places, era: 1}
	s.met, s.note = s.meet, s.compare
	return s, nil
}

// Add adds a viewer. The next Tick reports all that it sees.
func (s *Set) Add(v Viewer) (ViewerID, error) {
	if err := v.check(); err != nil {
		return 0, fmt.Errorf("interest: add: %w", err)
	}
	c := chunkOf(v.Position)
	id, err := s.places.Insert(octree.At(octree.Vec{X: float64(c.X), Y: float64(c.Y), Z: float64(c.Z)}))
	if err != nil {
		return 0, err
	}
	n := &viewer{id: ViewerID(id)}
	s.set(n, v)
	if i := id.Index(); i < len(s.viewers) {
		s.viewers[i] = n
	} else {
		s.viewers = append(s.viewers, n)
	}
	return n.id, nil
}

// Update gives a viewer another position, another frustum, or sees to it that it sees more or less.
// The next Tick reports what that changed. The error wraps fs.ErrNotExist if there is no such viewer.
func (s *Set) Update(id ViewerID, v Viewer) error {
	n := s.find(id)
	if n == nil {
		return fmt.Errorf("interest: update viewer %v: %w", id, fs.ErrNotExist)
	}
	if err := v.check(); err != nil {
		return fmt.Errorf("interest: update viewer %v: %w", id, err)
	}
	s.set(n, v)
	return nil
}

func (v *Viewer) check() error {
	if !octree.At(v.Position).Valid() {
		return fmt.Errorf("position %v: not finite", v.Position)
	}
	if !(v.Objects >= 0 && v.Objects <= math.MaxFloat64) {
		return fmt.Errorf("radius of objects %v: not finite, or negative", v.Objects)
	}
	if v.Frustum != nil {
		for _, p := range v.Frustum {
			if !octree.At(p.Normal).Valid() || math.IsNaN(p.Offset) {
				return errors.New("frustum: not finite")
			}
		}
	}
	return v.Chunks.check()
}

// set takes over a Viewer that was checked.
func (s *Set) set(n *viewer, v Viewer) {
	if v.Frustum != nil {
		n.frustum = *v.Frustum
		v.Frustum = &n.frustum
	}
	if v.Frustum != nil && n.Frustum == nil {
		clear(n.near.due)
		n.near.next = 0
	}
	n.way += octree.At(n.Position).Distance(v.Position)
	n.Viewer, n.moved = v, true
}

// Remove removes a viewer and reports whether the Set had it. Nothing is reported to it any more.
func (s *Set) Remove(id ViewerID) bool {
	n := s.find(id)
	if n == nil {
		return false
	}
	for _, o := range n.objects {
		s.unwatch(o, id)
	}
	s.places.Remove(octree.ObjectID(id))
	s.viewers[id.Index()] = nil
	return true
}

// Get returns a viewer, and whether the Set has it.
func (s *Set) Get(id ViewerID) (Viewer, bool) {
	n := s.find(id)
	if n == nil {
		return Viewer{}, false
	}
	v := n.Viewer
	if v.Frustum != nil {
		f := *v.Frustum
		v.Frustum = &f
	}
	return v, true
}

// Len returns the number of viewers.
func (s *Set) Len() int { return s.places.Len() }

func (s *Set) find(id ViewerID) *viewer {
	if i := id.Index(); i < len(s.viewers) && s.viewers[i] != nil && s.viewers[i].id == id {
		return s.viewers[i]
	}
	return nil
}

// Tick looks at all viewers and reports for each what changed since the last Tick, those with lower
// ViewerID.Index first. report must not change the Set. objects may be nil: then no viewer sees objects. Asking
// an octree.Tree for its moment changes it, so nobody may use the tree meanwhile; a View is free of that.
func (s *Set) Tick(objects Objects, report func(*Changes)) {
	if objects != nil {
		s.follow(objects)
	}
	for _, v := range s.viewers {
		if v == nil {
			continue
		}
		c := &s.changes
		c.Viewer = v.id
		c.ChunksIn, c.ChunksOut = c.ChunksIn[:0], c.ChunksOut[:0]
		c.ObjectsIn, c.ObjectsOut, c.ObjectsMoved = c.ObjectsIn[:0], c.ObjectsOut[:0], c.ObjectsMoved[:0]
		if v.moved {
			s.lookAtChunks(v)
		}
		s.lookAtObjects(v, objects)
		if v.moved = false; !c.empty() {
			report(c)
		}
	}
	if objects != nil {
		s.since = objects.Moment()
	}
}

var everything = octree.Box{
	Min: octree.Vec{X: math.Inf(-1), Y: math.Inf(-1), Z: math.Inf(-1)},
	Max: octree.Vec{X: math.Inf(1), Y: math.Inf(1), Z: math.Inf(1)},
}

// AppendViewers appends to dst the viewers that see a chunk, as Tick last said, in ascending
// order, and returns the longer slice.
func (s *Set) AppendViewers(dst []ViewerID, c geom.ChunkPos) []ViewerID {
	n := len(dst)
	s.places.Point(octree.Vec{X: float64(c.X), Y: float64(c.Y), Z: float64(c.Z)}, func(id octree.ObjectID, _ octree.Box) bool {
		if s.viewers[id.Index()].seen.has(c) {
			dst = append(dst, ViewerID(id))
		}
		return true
	})
	slices.Sort(dst[n:])
	return dst
}
