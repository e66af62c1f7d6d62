// Package server serves a history.Store over HTTP. API.md describes the API.
//
// A Server is an http.Handler. It treats every call the same way: it finds the
// route in one table (route.go), checks the caller (admit.go, loopback.go,
// package token) and the limits (limits.go), and runs the route. An error becomes one
// of the codes of package client.
//
// The package starts no goroutine for a call and stores no world itself: what it
// has acknowledged is in the Store. Package keeper decides when worlds are packed,
// collected and backed up, and package metrics counts.
package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net/http"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/cairnvoxel/cairn/game/arena"
	"github.com/cairnvoxel/cairn/internal/server/away"
	"github.com/cairnvoxel/cairn/internal/server/limits"
	"github.com/cairnvoxel/cairn/internal/server/metrics"
	"github.com/cairnvoxel/cairn/internal/server/operations"
	"github.com/cairnvoxel/cairn/internal/server/streams"
	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/server/versions"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/internal/texture"
	"github.com/cairnvoxel/cairn/server/stream"
	"github.com/cairnvoxel/cairn/store/history"
)

// Limits bound the cost of calls.
type Limits = limits.Limits

// Tokens are the tokens of a file, which say who may do what. Reload reads the file again.
type Tokens = token.Set

// ReadTokens reads a file of tokens, such as `cairn token new` writes.
func ReadTokens(path string) (*Tokens, error) { return token.ReadFile(path) }

// Event describes one call, for Options.Observe.
type Event = metrics.CallEvent

// Metrics count what Servers do, for Prometheus.
type Metrics = metrics.Metrics

// NewMetrics returns Metrics that are all zero. Watch, Observe and Handler connect them to a Server.
func NewMetrics() *Metrics { return metrics.New() }

// Options of a Server. The zero value is the default.
type Options struct {
	// Tokens say who may do what. Without Tokens the Server accepts calls from this
	// machine only, and treats each as an admin's.
	Tokens *Tokens
	Limits Limits
	// Log receives what callers must not see. Default none.
	Log *slog.Logger
	// Saved is called after a world was changed and before the caller gets the
	// answer.
	Saved func(name string, number uint64)
	// Packs says that someone, such as a Keeper, packs the worlds. The Server tells
	// its clients, which then do not pack.
	Packs bool
	// Observe is called after every call, in the goroutine of the call. It must not
	// keep the Event.
	Observe func(*Event)
	// Temp is the folder for worlds that are being received or sent. Default
	// os.TempDir.
	Temp string
	// Metrics serves GET /metrics. Without it the route answers no_route.
	Metrics http.Handler
	// Look says how a cell looks in a stream. Default as in pictures.
	Look func(volume, name string) stream.Look
	// Passed are files that are not served, and why. Default none.
	Passed []string
	// Textures are those of a resource pack. Default none.
	Textures *texture.Atlas
	// Policy is that of collections whose callers do not give one.
	Policy history.Policy
	// Origins are those of web tools whose pages may call the API with a token: see CheckOrigin.
	// They need Tokens. Default none.
	Origins []string
	// ReadOnly gives every caller the role Read at most.
	ReadOnly bool
	// Weigh compares the sizes of the worlds in a folder, in several forms, within some memory.
	// It returns what becomes JSON. Without it POST /v1/savings answers no_route.
	Weigh func(ctx context.Context, dir string, memory int64) (any, error)
	// Program is another text for each program whose pictures or answers differ, for ETags.
	// Default this build.
	Program string
	// Pages serves GET and HEAD of paths outside of the API, without tokens. Default
	// no_route.
	Pages http.Handler
	// Arenas are for operations, such as restoring a snapshot. Without them those routes
	// answer no_route.
	Arenas arena.Opener
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
	guard     *away.Guard
	heavy     *queue // calls that read whole worlds
	light     *queue // calls that open worlds
	checks    *queue // stones that are being checked
	snapshots *versions.Open
	made      *madeCache
	sessions  *token.Sessions // nil without tokens
	rates     *token.Rates    // of tokens
	granted   token.Granted
	streams   *streams.Hub
	sizes     metrics.Sizes    // of worlds
	ops       *operations.List // nil without Options.Arenas
	strangers *token.Rates     // of addresses without a token
	calls     atomic.Int64
	proven    atomic.Int64 // Grant.Proven of callers without a token
	greeting  greeting
	numbers   atomic.Uint64 // of calls in the log
	born      string        // prefix of the numbers in the log
	program   string        // this build

	draining atomic.Bool
	changes  atomic.Int64  // in progress
	quiet    chan struct{} // holds one when the last change ended while draining
}

// New returns a Server of st. The caller closes st after Drain.
func New(st history.Store, o Options) (*Server, error) {
	l := o.Limits.Filled()
	s := &Server{
		st: st, o: o, limits: l, logger: o.Log, rates: token.NewRates(l.Rate), strangers: token.NewRates(l.StrangerRate),
		born: fmt.Sprintf("%08x", uint32(time.Now().UnixNano())), quiet: make(chan struct{}, 1),
	}
	for _, origin := range o.Origins {
		if err := CheckOrigin(origin); err != nil {
			return nil, err
		}
		if o.Tokens == nil {
			return nil, errors.New("server: Origins without Tokens: any page of them could do everything")
		}
	}
	if s.logger == nil {
		s.logger = slog.New(slog.DiscardHandler)
	}
	s.memory.free.Store(l.BodyMemory)
	s.disk.free.Store(l.SpoolBytes)
	s.guard = away.New(st, away.Options{Stale: l.Stale, Log: s.logger})
	s.heavy = newQueue(l.Heavy, l.Waiting, 0)
	s.snapshots = versions.New(st, l.CacheBytes, time.Now)
	s.made = newMadeCache(l.CacheBytes / 2)
	s.light = newQueue(lightCalls, int(l.Calls), 0)
	s.streams = s.newStreams()
	if o.Tokens != nil {
		secret, err := sessionSecret(st)
		if err != nil {
			return nil, err
		}
		s.sessions = token.NewSessions(o.Tokens, secret)
	}
	if o.Arenas != nil {
		s.ops = operations.New(st, o.Arenas, s.born, l.Operations)
	}
	s.checks = newQueue(2*runtime.GOMAXPROCS(0), int(l.Calls), l.WorldMemory)
	s.paths, s.program = pathsOf(routes()), cmp.Or(o.Program, programMark())
	var err error
	s.api, err = openAPI(routes())
	return s, err
}

// ServeHTTP is for http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &call{Server: s, w: w, r: r, st: s.st, began: time.Now()}
	c.lastStep = c.began
	if s.o.Packs {
		w.Header()[wire.PacksHeader] = []string{"yes"}
	}
	defer c.end()
	if err := c.work(); err != nil {
		c.fail(err)
	}
}

// Drain makes the Server refuse changes and report so at /readyz, and ends all streams. It
// waits until the changes in progress have ended or ctx ends. Reads continue.
func (s *Server) Drain(ctx context.Context) error {
	s.draining.Store(true)
	err := s.streams.Close(ctx)
	for n := s.changes.Load(); n > 0; n = s.changes.Load() {
		select {
		case <-s.quiet:
		case <-ctx.Done():
			return errors.Join(err, fmt.Errorf("server: drain: %d changes are in progress: %w", n, ctx.Err()))
		}
	}
	s.tellQuiet() // another Drain may be waiting
	return err
}

// enter counts a change; the caller calls leave when it has ended.
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

// saved says that a world has a new version, and its number.
func (s *Server) saved(name string, number uint64) {
	if s.o.Saved != nil {
		s.o.Saved(name, number)
	}
	s.streams.Moved(name)
}

// Watched returns what metrics read of the Server.
func (s *Server) Watched() metrics.Watched {
	return metrics.Watched{Store: s.st, InFlight: s.calls.Load, Pages: s.snapshots.Cache.Stats, Streams: s.streams.Stats,
		Ready: func() bool { return !s.Draining() && s.guard.Ready(context.Background()) == nil }}
}

// Draining reports whether Drain was called.
func (s *Server) Draining() bool { return s.draining.Load() }

// httpLog returns a log for the messages of net/http: panics and TLS handshakes.
func (s *Server) httpLog() *log.Logger {
	return slog.NewLogLogger(s.logger.Handler(), slog.LevelDebug)
}
