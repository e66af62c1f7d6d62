package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cairnvoxel/cairn/voxel/geom"
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
	head    *sharedState
	feeds   map[string]*activeFeed
	idle    []idleFeed // the last ones that viewers left
	viewers []*viewer
	closed  bool
}

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
	return &Server{src: src, o: o.withDefaults(), head: share(head), feeds: make(map[string]*activeFeed)}, nil
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
	s.head = share(state)
	for key, g := range s.feeds {
		next, err := s.headScene(g.feed)
		if err != nil {
			delete(s.feeds, key)
			s.endAll(g, err)
			g.head.release()
			continue
		}
		d := compareScenes(g.head, next)
		next.copyVersions(g.head, &d)
		last := g.head
		g.setHead(next)
		for _, v := range s.viewers {
			if v.active == g {
				v.advance(last, next, &d)
			}
		}
		last.release()
	}
	return old.release()
}

func (s *Server) endAll(g *activeFeed, err error) {
	for _, v := range s.viewers {
		if v.active == g {
			v.end(asFailure(err))
		}
	}
}
