package stream

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/lod"
	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/voxel"
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
	s     *Server
	stage *stage
	conn  Conn
	stop  func() // closes conn, which may take a while
	box   *geom.Box
	wake  chan struct{}

	mu        sync.Mutex
	shot      *shot // nil until the first At
	follow    bool  // the shot is the newest
	wantAt    string
	traveling bool // wantAt counts
	welcomed  bool
	told      Moment

	plan    *lod.Plan
	planned Moment // what the plan has of bounds and top
	view    *View
	looked  bool
	memory  int // that the plan may use

	claims  map[Key]uint64
	stale   map[Key]bool // the client's copy of these may be old
	check   []Key        // stale ones in order, the last first
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

func newViewer(s *Server, g *stage, conn Conn, box *geom.Box) *viewer {
	v := &viewer{s: s, stage: g, conn: conn, box: box, wake: make(chan struct{}, 1),
		claims: make(map[Key]uint64), stale: make(map[Key]bool), reading: make(map[Key]bool), window: firstRoom,
		named: make([][]uint64, len(g.volumes))}
	v.quota = float64(s.o.Cubes)
	v.batch.names = make([][]byte, len(g.volumes))
	return v
}

func (s *Server) now() time.Time { return time.Unix(0, s.clock.Load()) }

// call wakes the writer.
func (v *viewer) call() {
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
	v.call()
}

// show sets what the session shows. The viewer owns a use of it.
func (v *viewer) show(s *shot) {
	v.shot = s
	if v.view != nil {
		v.replan()
	}
}

// moment returns what the client is told of the shot.
func (v *viewer) moment() Moment {
	m := v.shot.facts
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

func (v *viewer) welcome() {
	v.told = v.moment()
	v.out = Append(v.out, &Welcome{Protocol: Protocol, World: v.s.o.World, Dimension: v.stage.dimension, Window: minWindow,
		Moment: v.told, Volumes: v.stage.volumes}, nil)
	v.welcomed = true
	for i, w := range v.stage.volumes {
		if c := w.Default; c != 0 && w.Schema == voxel.Palette {
			v.name(i, []voxel.Cell{c})
		} else if w.Schema == voxel.Terrain {
			v.name(i, []voxel.Cell{c >> 8})
		}
	}
	v.flush()
}

// tellNow tells the client of another moment, if it should know.
func (v *viewer) tellNow() {
	m := v.moment()
	if !v.welcomed {
		v.welcome()
	} else if m != v.told && (m.ID != "" || m.Bounds != v.told.Bounds || m.Top != v.told.Top || m.Live != v.told.Live) {
		v.told = m
		v.synced = 0 // Synced comes again after Now
		v.out = Append(v.out, &Now{m}, nil)
	}
}

// replan makes the plan anew if the moment has other bounds.
func (v *viewer) replan() {
	m := v.moment()
	if v.plan != nil && m.Bounds == v.planned.Bounds && m.Top == v.planned.Top {
		return
	}
	v.planned = m
	bounds := m.Bounds
	if bounds.Empty() {
		bounds = geom.Box{Max: geom.Point{X: 1, Y: 1, Z: 1}}
	}
	old := v.plan
	v.plan = lod.New(lod.Options{Bounds: bounds, Top: m.Top})
	v.look()
	if old == nil {
		return
	}
	// Keys come parents first, and so the new plan takes them.
	for k, version := range old.Held {
		c := lod.Cube{Version: version, Bytes: emptyBytes}
		if version != 0 {
			c.Bytes += 2 * CubeEdge * CubeEdge * CubeEdge
		}
		if r := v.stage.get(recordID{k, version}); r != nil {
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

// look tells the plan where the viewer is.
func (v *viewer) look() {
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
	e.Memory -= e.Memory / 8 // edits may make cubes larger
	v.memory = e.Memory
	if e.Check() != nil {
		return // a radius of Options that is not a distance
	}
	v.plan.Look(e)
	for _, k := range v.plan.AppendForget(nil) {
		v.forget(k)
	}
}

// read reads frames until the client leaves.
func (v *viewer) read(r *bufio.Reader) error {
	buf := make([]byte, 0, 4096)
	for {
		kind, payload, err := readFrame(r, &buf, maxClientFrame)
		if err != nil {
			if errors.As(err, new(*CorruptError)) {
				return err
			}
			return nil // it left, or was cut off
		}
		f, err := decodeClient(kind, payload)
		if err != nil {
			return err
		}
		if err := v.take(f); err != nil {
			return err
		}
		v.call()
	}
}

// readFrame reads a frame into buf.
func readFrame(r *bufio.Reader, buf *[]byte, limit int) (kind byte, payload []byte, err error) {
	n, shift := 0, 0
	for {
		c, err := r.ReadByte()
		if err != nil {
			return 0, nil, err
		}
		n |= int(c&0x7F) << shift
		if shift += 7; c < 0x80 {
			if c == 0 && shift > 7 {
				n = 0
			}
			break
		}
		if shift > 21 {
			n = 0
			break
		}
	}
	if n == 0 || n > limit {
		return 0, nil, &CorruptError{Part: "length of a frame", Err: fmt.Errorf("not 1 to %d", limit)}
	}
	*buf = slices.Grow((*buf)[:0], min(n, 64<<10))
	for len(*buf) < n {
		m := min(n-len(*buf), 64<<10)
		*buf = slices.Grow(*buf, m)
		got, err := io.ReadFull(r, (*buf)[len(*buf):len(*buf)+m])
		*buf = (*buf)[:len(*buf)+got]
		if err != nil {
			return 0, nil, err
		}
	}
	return (*buf)[0], (*buf)[1:], nil
}

// take takes a frame from the client.
func (v *viewer) take(f Frame) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if a, ok := f.(*Ack); ok {
		return v.ack(a.Sequence)
	}
	if now := v.s.now().Unix(); now != v.second {
		v.second, v.frames = now, 0
	}
	if v.frames++; v.frames > maxFrames {
		return &Failure{"too_fast", fmt.Sprintf("more than %d frames in a second", maxFrames)}
	}
	switch f := f.(type) {
	case *View:
		v.setView(f)
	case *Have:
		for _, c := range f.Claims {
			held := false
			if v.plan != nil {
				_, held = v.plan.Get(c.Key)
			}
			if !held && len(v.claims) < maxClaims {
				v.claims[c.Key] = c.Version
			}
		}
	case *Dropped:
		v.dropped(f)
	case *At:
		v.wantAt, v.traveling = f.Version, true
	default:
		return &CorruptError{Part: "session", Err: errors.New("a second Hello")}
	}
	return nil
}

func (v *viewer) setView(f *View) {
	first := v.view == nil
	v.view = f
	if v.rate = float64(f.Rate); v.rate > 0 {
		v.tokens = min(v.tokens, v.burst())
	}
	if first {
		v.tokens = v.burst()
		if v.shot != nil {
			v.replan()
			v.looked = true
		}
	}
}

// burst is how many bytes may be sent at once under a bound of bytes per second.
func (v *viewer) burst() float64 { return max(v.rate/4, 16<<10) }

func (v *viewer) ack(sequence uint64) error {
	n := 0
	now := v.s.now()
	for n < len(v.flight) && v.flight[n].sequence <= sequence {
		f := &v.flight[n]
		v.inFlight -= f.bytes
		switch late := now.Sub(f.at); {
		case late < 200*time.Millisecond:
			v.window = min(v.window+f.bytes, v.s.o.Window)
		case late > 500*time.Millisecond:
			v.window = max(v.window-f.bytes/2, minWindow)
		}
		n++
	}
	if n == 0 || v.flight[n-1].sequence != sequence {
		return &CorruptError{Part: "Ack", Err: fmt.Errorf("sequence %d is not one that waits for it", sequence)}
	}
	v.flight = slices.Delete(v.flight, 0, n)
	v.waited = 0
	return nil
}

func (v *viewer) dropped(f *Dropped) {
	newer := make(map[Key]bool)
	for _, g := range v.flight {
		for _, k := range g.keys {
			if g.sequence > f.Sequence {
				newer[k] = true
			}
		}
	}
	for _, k := range f.Keys {
		delete(v.claims, k)
		if newer[k] || v.plan == nil {
			continue
		}
		delete(v.stale, k)
		v.plan.Drop(k)
	}
	if v.plan != nil {
		for _, k := range v.plan.AppendForget(nil) {
			v.forget(k)
		}
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
	v.ticked, v.looked = now, false
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
	v.call()
}

// advance shows the viewer a newer shot, if it follows the newest.
func (v *viewer) advance(ctx context.Context, old, next *shot, d *difference) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.gone || !v.follow || v.shot != old {
		return
	}
	v.show(next.keep())
	old.release()
	v.tellNow()
	if v.plan == nil {
		return
	}
	if d.all || len(d.vague) > 0 {
		v.doubt(func(k Key) bool { _, ok := d.vague[k]; return ok || d.all })
	}
	for _, c := range d.changes {
		v.change(ctx, c, v.inFlight >= v.window || len(v.out) > v.s.o.Window || v.rate > 0 && v.tokens < -v.rate)
	}
	v.flush()
}

// doubt marks cubes whose copies may be old.
func (v *viewer) doubt(may func(Key) bool) {
	for k := range v.reading {
		v.reading[k] = v.reading[k] || may(k)
	}
	for k := range v.plan.Held {
		if !v.stale[k] && may(k) {
			v.stale[k] = true
			v.check = append(v.check, k)
		}
	}
	v.order()
}

// order puts coarse cubes last, and near ones after far ones, as check is taken from its end.
func (v *viewer) order() {
	at := geom.Point{}
	if v.view != nil {
		p := v.view.Position
		at = geom.Point{X: int(p[0]), Y: int(p[1]), Z: int(p[2])}
	}
	far := func(k Key) int {
		e := CubeEdge << k.Level
		return max(abs(int(k.X)*e+e/2-at.X), abs(int(k.Y)*e+e/2-at.Y), abs(int(k.Z)*e+e/2-at.Z))
	}
	slices.SortFunc(v.check, func(a, b Key) int {
		if a.Level != b.Level {
			return int(a.Level) - int(b.Level)
		}
		return far(b) - far(a)
	})
}

func abs(v int) int { return max(v, -v) }

// change sends an edit of a cube if the viewer has the cube.
func (v *viewer) change(ctx context.Context, c *change, full bool) {
	if _, ok := v.reading[c.Key]; ok {
		v.reading[c.Key] = true // the client may have an older one
		return
	}
	if _, ok := v.plan.Get(c.Key); !ok || v.stale[c.Key] {
		return
	}
	if full || !inside(c.Key, v.box) {
		v.suspect(c.Key)
		return
	}
	if c.prepare(ctx, v.shot) != nil {
		v.suspect(c.Key)
		return
	}
	v.give(c.rec, c.edit, c.used)
}

// suspect marks a cube of which the client's copy is old.
func (v *viewer) suspect(k Key) {
	if !v.stale[k] {
		v.stale[k] = true
		v.check = append(v.check, k)
	}
}

// give puts a cube into the batch: as an edit of what the client has if there is one, else whole. It returns false if
// the viewer does not need it.
func (v *viewer) give(r *record, edit []byte, used [][]voxel.Cell) bool {
	if !v.plan.Have(r.Key, r.cube) {
		return false
	}
	for i, used := range used {
		v.name(i, used)
	}
	if len(edit) > 0 {
		v.batch.edits = append(v.batch.edits, edit...)
		v.s.edits.Add(1)
	} else {
		v.batch.cubes = append(v.batch.cubes, r.bytes...)
		v.batch.keys = append(v.batch.keys, r.Key)
		v.s.cubes.Add(1)
	}
	if len(v.batch.cubes) > frameBytes || len(v.batch.edits) > frameBytes || len(v.batch.keys) == maxCubes {
		v.flush()
	}
	return true
}

// name sends the names of numbers that the client does not know.
func (v *viewer) name(i int, used []voxel.Cell) {
	for _, c := range used {
		at, bit := int(c)/64, uint64(1)<<(c%64)
		for at >= len(v.named[i]) {
			v.named[i] = append(v.named[i], 0)
		}
		if v.named[i][at]&bit != 0 {
			continue
		}
		v.named[i][at] |= bit
		if v.stage.volumes[i].Schema == voxel.Terrain && c == 0 {
			continue
		}
		name, l := v.stage.nameOf(i, c)
		w := writer{b: v.batch.names[i]}
		if len(w.b) == 0 {
			w.u8(uint8(i))
		}
		w.uint(uint64(c))
		w.str(name[:min(len(name), maxName)])
		w.b = append(w.b, l.R, l.G, l.B, l.A, l.Kind)
		v.batch.names[i] = w.b
		if len(w.b) > frameBytes {
			v.out = appendFrame(v.out, (*Names)(nil).kind(), w.b)
			v.batch.names[i] = w.b[:0]
		}
	}
}

// flush makes frames of the batch.
func (v *viewer) flush() {
	b := &v.batch
	if len(b.forget) > 0 {
		for rest := b.forget; len(rest) > 0; {
			n := cutKeys(rest, maxServerFrame/2)
			v.numbered(&Forget{}, rest[:n], nil)
			rest = rest[n:]
		}
		b.forget = b.forget[:0]
	}
	for i := range b.names {
		if len(b.names[i]) > 0 {
			v.out = appendFrame(v.out, (*Names)(nil).kind(), b.names[i])
			b.names[i] = b.names[i][:0]
		}
	}
	if len(b.cubes) > 0 {
		v.numbered(&Cubes{}, b.cubes, b.keys)
		b.cubes, b.keys = b.cubes[:0], nil
	}
	if len(b.edits) > 0 {
		v.numbered(&Edits{}, b.edits, nil)
		b.edits = b.edits[:0]
	}
}

// cutKeys returns how many bytes of a list of keys make a frame.
func cutKeys(b []byte, most int) int {
	if len(b) <= most {
		return len(b)
	}
	r := reader{b: b}
	for r.at < most {
		r.key()
	}
	return r.at
}

// numbered appends a frame with a sequence.
func (v *viewer) numbered(f Frame, list []byte, keys []Key) {
	v.sequence++
	w := writer{}
	w.uint(v.sequence)
	before := len(v.out)
	v.out = appendFrame(v.out, f.kind(), w.b, list)
	n := len(v.out) - before
	v.inFlight += n
	if len(v.flight) == 0 {
		v.waited = 0
	}
	v.flight = append(v.flight, flight{v.sequence, n, v.s.now(), keys})
	v.tokens -= float64(n)
}

// write writes frames until the session ends.
func (v *viewer) write(ctx context.Context) error {
	var spare []byte
	for {
		more, err := v.fill(ctx)
		if err != nil {
			v.end(asFailure(err))
		}
		v.mu.Lock()
		b := v.out
		v.out = spare[:0]
		last := v.failure
		if last != nil {
			b = Append(b, last, nil)
			v.over = true
		}
		v.writing = len(b) > 0
		v.mu.Unlock()
		if len(b) > 0 && ctx.Err() == nil {
			v.s.sent.Add(int64(len(b)))
			if _, err := v.conn.Write(b); err != nil {
				return nil // it left, or was cut off
			}
		}
		v.mu.Lock()
		v.writing = false
		v.mu.Unlock()
		if last != nil {
			return nil
		}
		if spare = b; cap(spare) > 1<<20 {
			spare = nil
		}
		if more {
			continue
		}
		select {
		case <-ctx.Done():
			return nil
		case <-v.wake:
		}
	}
}

// fill puts what the viewer needs next into the batch. It returns whether there may be more at once.
func (v *viewer) fill(ctx context.Context) (more bool, err error) {
	if err := v.travel(ctx); err != nil {
		return false, err
	}
	v.mu.Lock()
	if v.failure != nil || v.shot == nil || v.plan == nil {
		if v.shot != nil && v.view != nil && v.failure == nil {
			v.replan()
			v.mu.Unlock()
			return true, nil
		}
		v.mu.Unlock()
		return false, nil
	}
	if !v.looked {
		v.look()
		v.looked = true
	}
	keys, idle := v.wanted()
	if len(keys) == 0 {
		for k := range v.claims { // what the client has of another place would become old
			if idle {
				v.forget(k)
				delete(v.claims, k)
			}
		}
		v.flush()
		v.sync()
		v.mu.Unlock()
		return false, nil
	}
	shot := v.shot.keep()
	for _, k := range keys {
		v.reading[k] = false
	}
	v.mu.Unlock()
	defer shot.release()

	recs := make([]*record, len(keys))
	for i, k := range keys {
		if recs[i], err = shot.record(ctx, k, v.box); err != nil {
			break
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for i, k := range keys {
		changed := v.reading[k]
		delete(v.reading, k)
		if recs[i] == nil || v.plan == nil {
			continue
		}
		v.deliver(recs[i], changed)
	}
	v.flush()
	if v.plan != nil {
		v.sync()
	}
	return err == nil, err
}

// wanted returns which cubes to read next. idle says that there is nothing to be read now, and not that it has to wait.
func (v *viewer) wanted() (keys []Key, idle bool) {
	room := min(v.window-v.inFlight, v.s.o.Window-len(v.out))
	if v.rate > 0 {
		room = min(room, int(v.tokens))
	}
	most := min(batchCubes, int(v.quota))
	if room <= 0 || most <= 0 {
		return nil, false
	}
	for len(v.check) > 0 && len(keys) < most {
		k := v.check[len(v.check)-1]
		v.check = v.check[:len(v.check)-1]
		if v.stale[k] {
			delete(v.stale, k)
			if _, ok := v.plan.Get(k); ok {
				keys = append(keys, k)
			}
		}
	}
	one := emptyBytes
	for i := range v.stage.volumes {
		e := v.stage.volumes[i].edge()
		one += 2 * e * e * e
	}
	keys = v.plan.AppendNext(keys, min(most-len(keys), max(1, (v.memory-v.plan.Bytes())/one)))
	v.quota -= float64(len(keys))
	return keys, len(keys) == 0 && len(v.reading) == 0
}

// deliver sends what the client lacks of a cube that was read. changed says that it changed since.
func (v *viewer) deliver(r *record, changed bool) {
	k := r.Key
	has, ok := v.plan.Get(k)
	claimed := false
	if !ok {
		has, claimed = v.claims[k]
		ok = claimed
		delete(v.claims, k)
	}
	needed := false
	if ok && has == r.version {
		needed = v.plan.Have(k, r.cube)
	} else {
		var edit []byte
		if ok {
			if base := v.stage.get(recordID{k, has}); has == 0 || base != nil {
				if base == nil {
					base = &record{recordID: recordID{k, 0}, bytes: Append(nil, &Cubes{Cubes: []Cube{{Key: k}}}, nil)[3:]}
				}
				if e, err := v.stage.between(base, r); err == nil {
					edit = e
				}
			}
		}
		needed = v.give(r, edit, r.used)
	}
	if !needed {
		if claimed {
			v.forget(k) // no edits would come for what the client still has
		}
		return
	}
	for _, k := range v.plan.AppendForget(nil) {
		v.forget(k)
	}
	if changed {
		v.suspect(k)
	}
}

// sync says whether the client has what it needs.
func (v *viewer) sync() {
	stage := uint8(0)
	if len(v.stale) == 0 && len(v.reading) == 0 && len(v.claims) == 0 && v.plan.Complete(0) {
		stage = 2
	} else if v.plan.Complete(v.planned.Top) && !v.staleAt(v.planned.Top) {
		stage = 1
	}
	for v.synced < stage {
		v.synced++
		v.out = Append(v.out, &Synced{v.synced}, nil)
	}
	v.synced = stage
}

func (v *viewer) staleAt(level int) bool {
	for k := range v.stale {
		if int(k.Level) == level {
			return true
		}
	}
	return false
}

// travel moves the session to the version that the client asked for.
func (v *viewer) travel(ctx context.Context) error {
	v.mu.Lock()
	version, want := v.wantAt, v.traveling
	v.traveling = false
	v.mu.Unlock()
	if !want {
		return nil
	}
	if version == "" {
		v.s.mu.Lock()
		defer v.s.mu.Unlock()
		if v.s.closed || !v.stage.head.revive() {
			return &Failure{"closing", "the server shows the world no longer"}
		}
		return v.moveTo(v.stage.head, true)
	}
	to, err := v.s.at(ctx, v.stage, version)
	if err != nil {
		if to != nil {
			to.release() // a second copy of it did not close
		}
		return err
	}
	return v.moveTo(to, false)
}

// moveTo moves the session to a shot, of which it gets a use.
func (v *viewer) moveTo(to *shot, follow bool) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	old := v.shot
	v.follow = follow
	v.show(to)
	if old == nil {
		v.tellNow()
		return nil
	}
	defer old.release()
	v.synced = 0
	v.told.ID = " " // always tell
	v.tellNow()
	if v.plan == nil || old == to {
		return nil
	}
	may, all := touchedKeys(old, to)
	v.doubt(func(k Key) bool { return all || may[k] })
	return nil
}

// touchedKeys returns the cubes of all levels that may differ.
func touchedKeys(from, to *shot) (may map[Key]bool, all bool) {
	where, _, ok := boxes(from, to)
	if !ok {
		return nil, true
	}
	at := make(map[Key]*touched)
	for i := range to.volumes {
		for _, b := range where[i] {
			spread(at, i, to.volumes[i].edge(), 0, b)
		}
	}
	may = make(map[Key]bool)
	for k := range at {
		for ; int(k.Level) <= max(from.facts.Top, to.facts.Top) && !may[k]; k = k.Parent() {
			may[k] = true
		}
	}
	return may, false
}
