package stream

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/world"
)

// Options of a Server. The zero value is the default.
type Options struct {
	// World is the world's name, for Welcome.
	World string
	// Look says how a cell looks from afar. Default: opaque, in a colour that the name gives.
	Look func(volume, name string) Look
	// Top is the coarsest level. Default: the world is at most 16 cubes wide at that level.
	Top int
	// Cache bounds the bytes of encoded cubes that are kept. Lists of volumes that viewers see, and the last
	// four that they saw, share it. Default 64 MiB.
	Cache int
	// Window bounds the bytes that a viewer has not acknowledged. Default 1 MiB, at least 64 KiB.
	Window int
	// Patience is how long a viewer may not read or acknowledge what it was sent. Default 10 s.
	Patience time.Duration
	// Viewers is how many there may be at once. Default 1,000.
	Viewers int
	// Radius bounds how many blocks far viewers see. Default 16,384.
	Radius float64
	// Cubes bounds how many cubes a second are read for one viewer. Default 10,000.
	Cubes int
	// Memory bounds the bytes of cubes that a viewer is sent to keep, see FORMAT.md. Default 512 MiB.
	Memory int
}

// minWindow is the least window, and what Welcome says.
const minWindow = 64 << 10

func (o Options) withDefaults() Options {
	or := func(v *int, def int) {
		if *v <= 0 {
			*v = def
		}
	}
	or(&o.Cache, 64<<20)
	or(&o.Window, 1<<20)
	or(&o.Viewers, 1000)
	or(&o.Cubes, 10000)
	or(&o.Memory, 512<<20)
	o.Window = max(o.Window, minWindow)
	if o.Patience <= 0 {
		o.Patience = 10 * time.Second
	}
	if o.Radius <= 0 {
		o.Radius = 16384
	}
	return o
}

// Access is what a viewer may see. The zero value is everything.
type Access struct {
	// Dimension is the only one that it may see, if it is not empty.
	Dimension string
	// Box bounds the blocks that it may see. Nothing else is sent.
	Box *geom.Box
}

// Conn is a connection to a viewer, such as a net.Conn. Each Write holds whole frames. Close ends
// Reads and Writes under way.
type Conn interface {
	io.Reader
	io.Writer
	io.Closer
}

// Server streams a world to viewers. Any number of goroutines may use it.
type Server struct {
	src   Source
	o     Options
	clock atomic.Int64 // of the last Tick, in nanoseconds since 1970

	sent, cubes, edits, cut atomic.Int64

	mu      sync.Mutex
	head    *counted
	feeds   map[string]*stage
	idle    []idle // the last ones that viewers left
	viewers []*viewer
	closed  bool
}

// users counts who uses something that ends with its last user.
type users struct {
	n    atomic.Int32
	last func() error
}

// join adds a user. It fails if the last one is gone; who has a use of it already may add one to n.
func (u *users) join() bool {
	for {
		n := u.n.Load()
		if n == 0 || u.n.CompareAndSwap(n, n+1) {
			return n > 0
		}
	}
}

// release takes a user away.
func (u *users) release() error {
	if u.n.Add(-1) > 0 {
		return nil
	}
	return u.last()
}

// counted is a state that closes when its last user is gone.
type counted struct {
	State
	users
}

func count(s State) *counted {
	c := &counted{State: s}
	c.n.Store(1)
	c.last = s.Close
	return c
}

// shoot shows the state in a feed; the caller has the first use of it.
func (c *counted) shoot(f *feed, o *Options) (*shot, error) {
	s, err := newShot(f, c.State, o)
	if err != nil {
		return nil, err
	}
	c.n.Add(1)
	return s.own(c.release), nil
}

// stage is a feed with what it shows.
type stage struct {
	*feed
	head    *shot
	viewers int

	mu   sync.Mutex       // guards past, and the feed against who has not the Server's
	past map[string]*shot // by ID of the commit
}

// idle is a feed without viewers. It is kept for those who come back: what differs from
// the versions that they have is found in its records.
type idle struct {
	key string
	*feed
}

// maxIdle is how many feeds without viewers are kept.
const maxIdle = 4

// Stats are counts since New, but for Viewers.
type Stats struct {
	Viewers int
	Bytes   int64 // sent
	Cubes   int64 // sent whole
	Edits   int64 // records of edits sent
	Cut     int64 // viewers that were cut off
}

// New returns a Server of a Source. Call Tick or Run.
func New(src Source, o Options) (*Server, error) {
	head, err := src.Now()
	if err != nil {
		return nil, err
	}
	return &Server{src: src, o: o.withDefaults(), head: count(head), feeds: make(map[string]*stage)}, nil
}

// Run calls Tick for each time that comes, until ctx ends. Ten or twenty ticks a second are usual.
func (s *Server) Run(ctx context.Context, ticks <-chan time.Time) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case now, ok := <-ticks:
			if !ok {
				return nil
			}
			if err := s.Tick(ctx, now); err != nil {
				return err
			}
		}
	}
}

// Stats returns counts.
func (s *Server) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Stats{len(s.viewers), s.sent.Load(), s.cubes.Load(), s.edits.Load(), s.cut.Load()}
}

// Close ends all sessions and closes what the Server has of the Source.
func (s *Server) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	for _, v := range s.viewers {
		v.end(&Failure{"closing", "the server is closing"})
	}
	for _, g := range s.feeds {
		g.head.release()
	}
	clear(s.feeds)
	s.idle = nil
	if state, err := s.src.Now(); err == nil && state != s.head.State {
		state.Close() // no Tick came to show it
	}
	return s.head.release()
}

// Tick shows viewers what changed in the world, lets time pass, and cuts off who does not read. It never waits for the store:
// what of a change is not in memory the viewers' own goroutines read. Of a world that was closed it ends all sessions, and
// returns world.ErrClosed. Calls must not overlap.
func (s *Server) Tick(ctx context.Context, now time.Time) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errors.New("stream: the server is closed")
	}
	s.clock.Store(now.UnixNano())
	state, err := s.src.Now()
	if errors.Is(err, world.ErrClosed) {
		for _, v := range s.viewers {
			v.end(&Failure{"closing", "the world is closed"})
		}
	}
	if err != nil {
		return fmt.Errorf("stream: %w", err)
	}
	if state != s.head.State {
		if err := s.advance(state); err != nil {
			return err
		}
	}
	for _, v := range s.viewers {
		v.tick(now)
	}
	return nil
}

// advance shows a new state to those who see the newest one.
func (s *Server) advance(state State) error {
	old := s.head
	s.head = count(state)
	for key, g := range s.feeds {
		next, err := s.head.shoot(g.feed, &s.o)
		if err != nil {
			delete(s.feeds, key)
			s.endAll(g, err)
			g.head.release()
			continue
		}
		d := differ(g.head, next)
		next.inherit(g.head, &d)
		last := g.head
		g.show(next)
		for _, v := range s.viewers {
			if v.stage == g {
				v.advance(last, next, &d)
			}
		}
		last.release()
	}
	return old.release()
}

// show makes a shot the newest one, and its feed that of those to come.
func (g *stage) show(next *shot) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.head, g.feed = next, next.feed
}

func (s *Server) endAll(g *stage, err error) {
	for _, v := range s.viewers {
		if v.stage == g {
			v.end(asFailure(err))
		}
	}
}

// inherit takes over what an older shot knows, but for what changed.
func (s *shot) inherit(old *shot, d *difference) {
	if d.all {
		return
	}
	old.mu.Lock()
	known := old.known
	old.known = nil
	old.mu.Unlock()
	for k := range d.vague {
		delete(known, k)
	}
	for _, c := range d.changes {
		delete(known, c.Key)
	}
	s.known = known
}

// asFailure returns what a viewer is told of an error.
func asFailure(err error) *Failure {
	var f *Failure
	var corrupt *CorruptError
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &corrupt):
		return &Failure{"bad_frame", corrupt.Error()}
	case errors.Is(err, fs.ErrNotExist):
		return &Failure{"no_version", "there is no such version"}
	}
	return &Failure{"internal", "the world cannot be read"}
}

// ReadHello reads the first frame of a connection, and no byte more. Bound how long it may take.
func ReadHello(conn io.Reader) (*Hello, error) {
	var b []byte
	for n := 0; ; {
		b = append(b, 0)
		if _, err := io.ReadFull(conn, b[len(b)-1:]); err != nil {
			return nil, fmt.Errorf("stream: %w", err)
		}
		if n++; b[n-1] < 0x80 || n > 3 {
			break
		}
	}
	r := reader{b: b, part: "length of a frame"}
	n := r.uint()
	if r.err != nil || n == 0 || n > maxClientFrame {
		return nil, &CorruptError{Part: "Hello", Err: fmt.Errorf("a frame of %d bytes", n)}
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(conn, body); err != nil {
		return nil, fmt.Errorf("stream: %w", err)
	}
	f, err := decodeClient(body[0], body[1:])
	if err != nil {
		return nil, err
	}
	hello, ok := f.(*Hello)
	if !ok {
		return nil, &CorruptError{Part: "Hello", Err: fmt.Errorf("the first frame is of type %d", body[0])}
	}
	return hello, nil
}

// Refuse writes a Failure that says why a connection ends.
func Refuse(conn io.Writer, err error) error {
	_, err = conn.Write(Append(nil, asFailure(err), nil))
	return err
}

// Serve is the session of a viewer whose Hello was read. It returns when the session has ended and
// nothing of it is left, and closes conn. The error is nil if the viewer left. Who calls it checks the
// token of the Hello, and that its world is this one.
func (s *Server) Serve(ctx context.Context, conn Conn, hello *Hello, a Access) error {
	defer conn.Close()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	v, err := s.join(stop, conn, hello, a)
	if err != nil {
		return errors.Join(err, Refuse(conn, err))
	}
	stopped := context.AfterFunc(ctx, func() { conn.Close() })
	defer stopped()
	var wrote error
	done := make(chan struct{})
	go func() {
		defer close(done)
		wrote = v.write(ctx)
		conn.Close()
	}()
	r := bufio.NewReaderSize(conn, 16<<10)
	read := v.read(r)
	if read != nil {
		v.end(asFailure(read))
		io.Copy(io.Discard, r) // until it has read why, or is cut off
	} else {
		stop()
	}
	<-done
	s.leave(v)
	if f := v.reason(); f != nil {
		return f
	}
	return errors.Join(read, wrote)
}

// reason returns why the session ended, nil if the viewer left.
func (v *viewer) reason() *Failure {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.failure
}

// join makes the viewer of a session.
func (s *Server) join(stop func(), conn Conn, hello *Hello, a Access) (*viewer, error) {
	if a.Dimension != "" && hello.Dimension != "" && hello.Dimension != a.Dimension {
		return nil, &Failure{"no_dimension", "the token is for another dimension"}
	}
	dimension := hello.Dimension
	if dimension == "" {
		dimension = a.Dimension
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, &Failure{"closing", "the server is closing"}
	}
	if len(s.viewers) >= s.o.Viewers {
		return nil, &Failure{"busy", fmt.Sprintf("there are %d viewers already", len(s.viewers))}
	}
	d, err := dimensionOf(s.head.State, dimension)
	if err != nil {
		return nil, err
	}
	key := fmt.Sprintf("%q", append([]string{d.Name}, hello.Volumes...)) // names may hold any bytes
	g := s.feeds[key]
	if g == nil {
		if g, err = s.open(key, d.Name, hello.Volumes); err != nil {
			return nil, err
		}
		s.feeds[key] = g
		s.share()
	}
	g.viewers++
	v := newViewer(s, g, conn, a.Box)
	v.stop = stop
	if hello.At != "" {
		v.wantAt, v.traveling = hello.At, true
	} else {
		v.show(g.head.keep())
		v.follow = true
		v.welcome()
	}
	s.viewers = append(s.viewers, v)
	return v, nil
}

// open makes a stage, of an idle feed if there is one. The caller holds mu.
func (s *Server) open(key, dimension string, volumes []string) (*stage, error) {
	var head *shot
	if i := slices.IndexFunc(s.idle, func(f idle) bool { return f.key == key }); i >= 0 {
		head, _ = s.head.shoot(s.idle[i].feed, &s.o) // fails if its volumes are of another kind by now
		s.idle = slices.Delete(s.idle, i, i+1)
	}
	if head == nil {
		f, err := newFeed(s.head.State, dimension, volumes, &s.o)
		if err == nil {
			head, err = s.head.shoot(f, &s.o)
		}
		if err != nil {
			return nil, err
		}
	}
	return &stage{feed: head.feed, head: head, past: make(map[string]*shot)}, nil
}

// leave frees what a viewer had.
func (s *Server) leave(v *viewer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.viewers = slices.DeleteFunc(s.viewers, func(o *viewer) bool { return o == v })
	v.mu.Lock()
	shot := v.shot
	v.shot, v.plan, v.gone = nil, nil, true
	v.mu.Unlock()
	if shot != nil {
		shot.release()
	}
	if v.stage.viewers--; v.stage.viewers == 0 {
		for key, g := range s.feeds {
			if g == v.stage {
				delete(s.feeds, key)
				g.head.release()
				s.idle = append(s.idle, idle{key, g.feed})
			}
		}
		s.idle = s.idle[max(0, len(s.idle)-maxIdle):]
		s.share()
	}
}

// share shares the cache between the feeds.
func (s *Server) share() {
	most := s.o.Cache / max(1, len(s.feeds)+len(s.idle))
	for _, g := range s.feeds {
		g.bound(most)
	}
	for _, i := range s.idle {
		i.feed.bound(most)
	}
}

// at returns a shot of a version; the caller releases it.
func (s *Server) at(ctx context.Context, g *stage, version string) (*shot, error) {
	state, err := s.src.At(ctx, version)
	if err != nil {
		return nil, err
	}
	id := state.Moment().ID
	g.mu.Lock()
	defer g.mu.Unlock()
	if p := g.past[id]; p != nil && id != "" && p.join() {
		return p, state.Close()
	}
	p, err := newShot(g.feed, state, &s.o)
	if err != nil {
		return nil, errors.Join(err, state.Close())
	}
	p.own(func() error {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.past[id] == p {
			delete(g.past, id)
		}
		return state.Close()
	})
	if p.feed != g.feed {
		p.bound(s.o.Cache / maxIdle) // it is for those alone who see this version
	}
	g.past[id] = p
	return p, nil
}

// own gives a shot its first user, and what to do when the last one is gone.
func (s *shot) own(last func() error) *shot {
	s.n.Store(1)
	s.last = last
	return s
}
