// Package server is a history.Store as an HTTP API: API.md.
//
// A Server is an http.Handler. Every call goes the same way: its route is found
// in one table (route.go), who calls is looked at (token.go, loopback.go), what it
// may cost is bounded (limits.go), the route does its work, and an error becomes
// one of the codes of package client.
//
// The package starts no goroutine for a call and keeps no world itself: what was
// acknowledged is in the Store. It does not decide what is packed, collected or
// backed up when: a Keeper does, as its caller steps it.
package server

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"net/http"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/cairnvoxel/cairn/client"
	"github.com/cairnvoxel/cairn/history"
)

// Options of a Server. The zero value is the default.
type Options struct {
	// Tokens say who may do what. Without any the Server takes calls from this
	// machine alone, and each for an admin's.
	Tokens *Tokens
	Limits Limits
	// Log is told what callers are not: default none.
	Log *slog.Logger
	// Saved is called after a world was changed, before its caller is answered.
	Saved func(name string)
	// Packs says that stacks are packed behind the Server, as a Keeper does. Clients are
	// told, and then do not try it themselves.
	Packs bool
	// Observe is called after every call, by its goroutine. The Event is the
	// Server's again when it returns.
	Observe func(*Event)
	// Temp is the folder in which worlds lie on their way. Default os.TempDir.
	Temp string
	// Metrics answers GET /metrics. Default no_route.
	Metrics http.Handler
}

// Server serves a Store. All of its methods are safe for any number of
// goroutines.
type Server struct {
	st     history.Store
	o      Options
	limits Limits
	logger *slog.Logger
	paths  map[string]*methods
	api    []byte // openapi.json

	memory    memory
	disk      memory // of spools
	heavy     *queue // of calls that read whole worlds
	light     *queue // of calls that open worlds
	checks    *queue // of stones that are looked at
	snapshots *snapshots
	rates     *rates // of tokens
	granted   granted
	strangers *rates // of addresses without one
	calls     atomic.Int64
	numbers   atomic.Uint64 // of calls that are logged
	born      string        // begins the numbers of this Server's calls

	draining atomic.Bool
	changes  atomic.Int64  // under way
	quiet    chan struct{} // holds one when the last change ended while draining
}

// New returns a Server of st, which stays the caller's to close after Drain.
func New(st history.Store, o Options) (*Server, error) {
	l := o.Limits.filled()
	s := &Server{
		st: st, o: o, limits: l, logger: o.Log, rates: newRates(l.Rate), strangers: newRates(l.StrangerRate),
		born: fmt.Sprintf("%08x", uint32(time.Now().UnixNano())), quiet: make(chan struct{}, 1),
	}
	if s.logger == nil {
		s.logger = slog.New(slog.DiscardHandler)
	}
	s.memory.free.Store(l.BodyMemory)
	s.disk.free.Store(l.SpoolBytes)
	s.heavy = newQueue(l.Heavy, l.Waiting)
	s.snapshots = newSnapshots(st, l.CacheBytes)
	s.light = newQueue(lightCalls, int(l.Calls))
	s.checks = newQueue(2*runtime.GOMAXPROCS(0), int(l.Calls))
	s.paths = pathsOf(routes())
	var err error
	s.api, err = openAPI(routes())
	return s, err
}

// ServeHTTP is for http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &call{Server: s, w: w, r: r, began: time.Now()}
	c.lap = c.began
	if s.o.Packs {
		w.Header()[client.PacksHeader] = []string{"yes"}
	}
	defer c.end()
	if err := c.work(); err != nil {
		c.fail(err)
	}
}

// Drain makes the Server refuse changes, and /readyz say so, and waits until
// those under way are done or ctx ends. Reading goes on.
func (s *Server) Drain(ctx context.Context) error {
	s.draining.Store(true)
	for n := s.changes.Load(); n > 0; n = s.changes.Load() {
		select {
		case <-s.quiet:
		case <-ctx.Done():
			return fmt.Errorf("server: drain: %d changes are under way: %w", n, ctx.Err())
		}
	}
	s.tellQuiet() // another Drain may wait
	return nil
}

// enter counts a change; leave is called when it ended.
func (s *Server) enter() bool {
	s.changes.Add(1)
	if s.draining.Load() {
		s.leave()
		return false
	}
	return true
}

func (s *Server) leave() {
	if s.changes.Add(-1) == 0 && s.draining.Load() {
		s.tellQuiet()
	}
}

func (s *Server) tellQuiet() {
	select {
	case s.quiet <- struct{}{}:
	default:
	}
}

// Draining reports whether Drain was called.
func (s *Server) Draining() bool { return s.draining.Load() }

// httpLog returns a log for what net/http has to say: panics and hand-shakes.
func (s *Server) httpLog() *log.Logger {
	return slog.NewLogLogger(s.logger.Handler(), slog.LevelDebug)
}
