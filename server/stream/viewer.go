package stream

import (
	"math"
	"slices"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/render/lod"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

const (
	batchCubes = 48       // read at once for a viewer
	frameBytes = 64 << 10 // after which a frame ends
	maxFrames  = 200      // a second from a client, but for Acks
	firstRoom  = minWindow
)

// viewer is a session. Its mutex is taken by who reads its connection, who writes to
// it, and the Tick.
type viewer struct {
	s       *Server
	active  *activeFeed
	volumes []ShownVolume
	conn    Conn
	stop    func() // closes conn, which may take a while
	box     *geom.Box
	wake    chan struct{}

	mu          sync.Mutex
	scene       *scene // nil until the first At
	follow      bool   // the scene is the newest
	wantVersion string
	wantMove    bool // wantAt counts
	welcomed    bool
	sentMoment  Moment

	plan        *lod.Plan
	planMoment  Moment // what the plan has of bounds and top
	view        *Viewpoint
	planUpdated bool
	memory      int // that the plan may use
	cubeBytes   int // what a cube may take of it

	claims  map[Key]uint64
	stale   map[Key]bool // the client's copy of these may be old
	recheck []Key        // stale ones in order, the last first
	reading map[Key]bool // true if it changed while it is read
	named   [][]uint64   // bits of numbers, by volume

	out      []byte
	writing  bool // the client has not read all of the last batch
	batch    batch
	sequence uint64
	flight   []flight
	inFlight int
	window   int
	tokens   float64
	quota    float64 // of cubes to be read
	rate     float64
	waited   time.Duration // for the client, since it acknowledged last or began to owe
	ticked   time.Time
	frames   int
	second   int64
	synced   uint8

	failure *Failure
	over    bool // no more is written
	cut     bool // it was cut off
	gone    bool
}

// flight is a frame that was not acknowledged.
type flight struct {
	sequence uint64
	bytes    int
	at       time.Time
	keys     []Key // of Cubes
}

// batch is what becomes frames.
type batch struct {
	names  [][]byte
	cubes  []byte
	keys   []Key
	edits  []byte
	forget []byte
}

func newViewer(s *Server, g *activeFeed, conn Conn, box *geom.Box) *viewer {
	v := &viewer{s: s, active: g, volumes: g.volumes, conn: conn, box: box, wake: make(chan struct{}, 1),
		claims: make(map[Key]uint64), stale: make(map[Key]bool), reading: make(map[Key]bool), window: firstRoom,
		named: make([][]uint64, len(g.volumes))}
	v.quota, v.cubeBytes = float64(s.o.Cubes), emptyBytes
	for i := range v.volumes {
		e := v.volumes[i].edge()
		v.cubeBytes += 2 * e * e * e
	}
	v.batch.names = make([][]byte, len(g.volumes))
	return v
}

func (s *Server) now() time.Time { return time.Unix(0, s.clock.Load()) }

// wakeWriter wakes the writer.
func (v *viewer) wakeWriter() {
	select {
	case v.wake <- struct{}{}:
	default:
	}
}

// end ends the session with a reason, which the client may still read.
func (v *viewer) end(f *Failure) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.failure == nil && !v.over {
		v.failure = f
	}
	v.wakeWriter()
}

// setScene sets what the session shows. The viewer owns a use of it.
func (v *viewer) setScene(s *scene) {
	if v.scene != nil && v.scene.feed != s.feed {
		v.flush()
		clear(v.named) // its numbers have other names
	}
	v.scene = s
	if v.view != nil {
		v.replan()
	}
}

// moment returns what the client is told of the scene.
func (v *viewer) moment() Moment {
	m := v.scene.moment
	m.Live = m.Live || v.follow
	if v.box != nil {
		m.Bounds = m.Bounds.Intersect(*v.box)
		m.Top = topOf(m.Bounds, v.s.o.Top)
	}
	if m.Bounds.Empty() {
		m.Bounds = geom.Box{}
	}
	return m
}

func (v *viewer) sendWelcome() {
	v.sentMoment = v.moment()
	v.out = Append(v.out, &Welcome{Protocol: Protocol, World: v.s.o.World, Dimension: v.scene.dimension, Window: minWindow,
		Moment: v.sentMoment, Volumes: v.volumes}, nil)
	v.welcomed = true
	for i, w := range v.volumes {
		if c := w.Default; c != 0 && w.Schema == voxel.Palette {
			v.queueNames(i, []voxel.Cell{c})
		} else if w.Schema == voxel.Terrain {
			v.queueNames(i, []voxel.Cell{c >> 8})
		}
	}
	v.flush()
}

// sendNow tells the client of another moment, if it should know.
func (v *viewer) sendNow() {
	m := v.moment()
	if !v.welcomed {
		v.sendWelcome()
	} else if m != v.sentMoment && (m.ID != "" || m.Bounds != v.sentMoment.Bounds || m.Top != v.sentMoment.Top || m.Live != v.sentMoment.Live) {
		v.sentMoment = m
		v.synced = 0 // Synced comes again after Now
		v.out = Append(v.out, &Now{m}, nil)
	}
}

// replan makes the plan anew if the moment has other bounds.
func (v *viewer) replan() {
	m := v.moment()
	if v.plan != nil && m.Bounds == v.planMoment.Bounds && m.Top == v.planMoment.Top {
		return
	}
	v.planMoment = m
	bounds := m.Bounds
	if bounds.Empty() {
		bounds = geom.Box{Max: geom.Point{X: 1, Y: 1, Z: 1}}
	}
	old := v.plan
	v.plan = lod.New(lod.Options{Bounds: bounds, Top: m.Top})
	v.updatePlan()
	if old == nil {
		return
	}
	// Keys come parents first, and so the new plan takes them.
	for k, version := range old.Held {
		c := lod.Cube{Version: version, Bytes: emptyBytes}
		if version != 0 {
			c.Bytes += 2 * CubeEdge * CubeEdge * CubeEdge
		}
		if r := v.scene.get(recordID{k, version}); r != nil {
			c = r.cube
		}
		if !v.plan.Have(k, c) {
			v.forget(k)
		}
	}
	for _, k := range old.AppendForget(nil) {
		v.forget(k)
	}
}

// forget tells the client that it needs a cube no longer.
func (v *viewer) forget(k Key) {
	if len(v.batch.cubes)+len(v.batch.edits) > 0 {
		v.flush() // the cube may be among them
	}
	w := writer{b: v.batch.forget}
	w.key(k)
	v.batch.forget = w.b
	delete(v.stale, k)
}

// updatePlan tells the plan where the viewer is.
func (v *viewer) updatePlan() {
	if v.view == nil || v.plan == nil {
		return
	}
	f := v.view
	vec := func(a [3]float32) octree.Vec {
		v := octree.Vec{X: float64(a[0]), Y: float64(a[1]), Z: float64(a[2])}
		if m := max(math.Abs(v.X), math.Abs(v.Y), math.Abs(v.Z)); m > maxPosition {
			m /= maxPosition
			v = octree.Vec{X: v.X / m, Y: v.Y / m, Z: v.Z / m}
		}
		return v
	}
	e := lod.Eye{Position: octree.Vec{X: f.Position[0], Y: f.Position[1], Z: f.Position[2]}, Direction: vec(f.Direction), Velocity: vec(f.Velocity),
		PixelsPerRadian: min(float64(f.Pixels), maxPosition), MaxError: min(float64(f.Error), maxPosition), Radius: min(float64(f.Radius), v.s.o.Radius), Memory: v.s.o.Memory}
	if e.Radius == 0 {
		e.Radius = v.s.o.Radius
	}
	if f.Memory > 0 {
		e.Memory = int(min(f.Memory, uint64(e.Memory)))
	}
	e.Memory = max(1, e.Memory-max(e.Memory/8, v.cubeBytes)) // edits may make cubes larger, and one may come before it is full
	v.memory = e.Memory
	if e.Check() != nil {
		return // a radius of Options that is not a distance
	}
	v.plan.Look(e)
	for _, k := range v.plan.AppendForget(nil) {
		v.forget(k)
	}
}

// tick lets time pass.
func (v *viewer) tick(now time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	step := time.Duration(0)
	if !v.ticked.IsZero() {
		step = min(max(now.Sub(v.ticked), 0), time.Second) // of a server that stood still a viewer is not guilty
	}
	if v.rate > 0 {
		v.tokens = min(v.tokens+v.rate*step.Seconds(), v.burst())
	}
	v.quota = min(v.quota+float64(v.s.o.Cubes)*step.Seconds(), float64(v.s.o.Cubes))
	v.ticked, v.planUpdated = now, false
	if v.view == nil || v.failure != nil || v.writing || len(v.flight) > 0 || len(v.out) > 0 {
		v.waited += step
	} else {
		v.waited = 0
	}
	if v.waited > v.s.o.Patience && !v.cut {
		v.cut, v.over = true, true
		if v.failure == nil {
			v.failure = &Failure{"slow_viewer", "the viewer did not read or acknowledge in time"}
		}
		v.s.cut.Add(1)
		v.stop()
	}
	v.wakeWriter()
}

// advance shows the viewer a newer scene, if it follows the newest.
func (v *viewer) advance(old, next *scene, d *difference) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.gone || !v.follow || v.scene != old {
		return
	}
	v.setScene(next.ref())
	old.release()
	v.sendNow()
	if v.plan == nil {
		return
	}
	if d.all || len(d.maybe) > 0 {
		v.invalidateWhere(func(k Key) bool { _, ok := d.maybe[k]; return ok || d.all })
	}
	for _, c := range d.changes {
		v.change(c, v.inFlight >= v.window || len(v.out) > v.s.o.Window || v.rate > 0 && v.tokens < -v.rate)
	}
	v.flush()
}

// invalidateWhere marks cubes whose copies may be old.
func (v *viewer) invalidateWhere(may func(Key) bool) {
	for k := range v.reading {
		v.reading[k] = v.reading[k] || may(k)
	}
	for k := range v.plan.Held {
		if !v.stale[k] && may(k) {
			v.stale[k] = true
			v.recheck = append(v.recheck, k)
		}
	}
	v.sortRecheck()
}

// sortRecheck puts coarse cubes last, and near ones after far ones, as check is taken from its end.
func (v *viewer) sortRecheck() {
	at := geom.Point{}
	if v.view != nil {
		p := v.view.Position
		at = geom.Point{X: int(p[0]), Y: int(p[1]), Z: int(p[2])}
	}
	far := func(k Key) int {
		e := CubeEdge << k.Level
		return max(abs(int(k.X)*e+e/2-at.X), abs(int(k.Y)*e+e/2-at.Y), abs(int(k.Z)*e+e/2-at.Z))
	}
	slices.SortFunc(v.recheck, func(a, b Key) int {
		if a.Level != b.Level {
			return int(a.Level) - int(b.Level)
		}
		return far(b) - far(a)
	})
}

func abs(v int) int { return max(v, -v) }
