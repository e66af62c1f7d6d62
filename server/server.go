// Package server serves a history.Store over HTTP. API.md describes the API.
//
// A Server is an http.Handler. It treats every call the same way (Server.serve): it finds the
// route in one table (route.go), checks the caller (door.go, loopback.go, package token) and the
// limits (package limits), and runs the route. An error becomes one of the codes of package wire
// (fail.go).
//
// Routes that need the same things are methods of one small struct, which holds these things and
// nothing else; New makes them. What belongs to one call is in a call, which reaches no store but
// its caller's.
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
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"github.com/cairnvoxel/cairn/game/arena"
	"github.com/cairnvoxel/cairn/internal/resourcepack"
	"github.com/cairnvoxel/cairn/internal/server/away"
	"github.com/cairnvoxel/cairn/internal/server/limits"
	"github.com/cairnvoxel/cairn/internal/server/metrics"
	"github.com/cairnvoxel/cairn/internal/server/operations"
	"github.com/cairnvoxel/cairn/internal/server/streams"
	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/server/versions"
	"github.com/cairnvoxel/cairn/internal/store/wire"
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

// Watched is what Metrics read of a Server.
type Watched = metrics.Watched

// Textures are those of blocks in resource packs.
type Textures = resourcepack.Atlas

// ReadTextures reads resource packs, folders or zips; a later one replaces textures of those before.
func ReadTextures(packs ...string) (*Textures, error) { return resourcepack.Load(packs...) }

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
	// Passed are files that are not served, and why. Default none.
	Passed []string
	// Textures are those of a resource pack. Default none.
	Textures *Textures
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
	// Folders are those of games, by the worlds that are their history. Default none.
	Folders map[string]GameFolder
	// Inbox makes versions of what was saved otherwise and is no version yet, before a call reads or changes a world.
	// It then calls the functions of OnSave. Default none.
	Inbox interface {
		Settle(ctx context.Context, world string) error
		OnSave(func(name string, number uint64))
	}
	// Arenas are for operations, such as restoring a snapshot. Without them those routes
	// answer no_route.
	Arenas arena.Opener
}

// Server serves a Store. All of its methods are safe for any number of
// goroutines.
type Server struct {
	transport
	door    door
	gate    gate
	worlds  worlds
	streams streamed
	table   table
	packs   bool
	saved   func(name string, number uint64)
}

// New returns a Server of st. The caller closes st after Drain.
func New(st history.Store, o Options) (*Server, error) {
	l := o.Limits.Filled()
	s := &Server{
		transport: transport{limits: l, observe: o.Observe, origins: o.Origins},
		door: door{tokens: o.Tokens, rates: limits.NewRates(l.Rate), strangers: limits.NewRates(l.StrangerRate),
			readOnly: o.ReadOnly, st: st, most: l.Calls},
		gate:  gate{quiet: make(chan struct{}, 1)},
		packs: o.Packs,
		saved: o.Saved,
	}
	for _, origin := range o.Origins {
		if err := CheckOrigin(origin); err != nil {
			return nil, err
		}
		if o.Tokens == nil {
			return nil, errors.New("server: Origins without Tokens: any page of them could do everything")
		}
	}
	if o.Tokens != nil {
		secret, err := sessionSecret(st)
		if err != nil {
			return nil, err
		}
		s.door.sessions = token.NewSessions(o.Tokens, secret)
	}
	if s.settle = func(context.Context, string) error { return nil }; o.Inbox != nil {
		s.settle = o.Inbox.Settle
		o.Inbox.OnSave(s.moved)
	}
	s.log.open(o.Log)
	s.memory.Set(l.BodyMemory)
	guard := away.New(st, away.Options{Stale: l.Stale, Log: s.log.to})
	s.worlds = worlds{
		guard: guard, open: versions.New(st, l.CacheBytes, time.Now), made: versions.NewMade(l.CacheBytes / 2),
		light: limits.NewQueue(lightCalls, int(l.Calls), 0), heavy: limits.NewQueue(l.Heavy, l.Waiting, 0),
		program: cmp.Or(o.Program, programMark()),
	}
	s.streams = streamed{transport: &s.transport, door: &s.door, gate: &s.gate, hub: streams.New(st, streams.Options{
		Cache: s.worlds.open.Cache, Viewers: l.Viewers, WorldMemory: l.WorldMemory, Patience: l.Patience,
		Failure: s.log.streamFailure, Log: s.log.to,
	})}
	return s, s.fillTable(st, o)
}

// fillTable makes the handlers, and the table of their routes.
func (s *Server) fillTable(st history.Store, o Options) error {
	w, l := &s.worlds, s.limits
	checks := &checker{queue: limits.NewQueue(2*runtime.GOMAXPROCS(0), int(l.Calls), l.WorldMemory)}
	files := &spools{dir: o.Temp}
	files.room.Set(l.SpoolBytes)
	changes := &edits{worlds: w, arenas: o.Arenas, packs: o.Packs, saved: s.moved}
	state := &state{st: st, worlds: w, gate: &s.gate, hub: s.streams.hub, metrics: o.Metrics, policy: o.Policy, packs: o.Packs}
	var running *operations.List
	if o.Arenas != nil {
		running = operations.New(st, o.Arenas, s.log.born, l.Operations)
	}
	s.table = tableOf(slices.Concat(
		state.routes(),
		(&logins{door: &s.door}).routes(),
		(&atlas{o.Textures}).routes(),
		(&names{st: st, worlds: w, passed: o.Passed}).routes(),
		(&commits{st: st, worlds: w, checks: checks, saved: s.moved}).routes(),
		(&stones{st: st, worlds: w, checks: checks}).routes(),
		leaseRoutes(),
		s.streams.routes(),
		(&facts{worlds: w, folders: o.Folders}).routes(),
		(&boxes{worlds: w}).routes(),
		changes.routes(),
		(&pictures{worlds: w}).routes(),
		(&diffs{worlds: w}).routes(),
		(&imports{files: files, worlds: w, checks: checks, saved: s.moved, weigh: o.Weigh}).routes(),
		(&exports{files: files, worlds: w}).routes(),
		(&putbacks{worlds: w, folders: o.Folders}).routes(),
		(&snapshots{arenas: o.Arenas, saved: s.moved}).routes(),
		(&restores{worlds: w, gate: &s.gate, door: &s.door, running: running, saved: s.moved, log: &s.log}).routes(),
	))
	if o.Pages != nil {
		s.table.page = (&pages{o.Pages, o.Tokens == nil}).route()
	}
	var err error
	state.document, err = openAPI(s.table.all)
	return err
}

// ServeHTTP is for http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &call{transport: &s.transport, caller: s.door.stranger(), w: w, r: r, began: time.Now()}
	c.lastStep = c.began
	if s.packs {
		w.Header()[wire.PacksHeader] = []string{"yes"}
	}
	defer c.end()
	if err := s.work(c); err != nil {
		c.fail(err)
	}
}

// work is serve, but it turns a panic into an error.
func (s *Server) work(c *call) (err error) {
	defer func() {
		switch v := recover(); v {
		case nil:
		case http.ErrAbortHandler:
			panic(v)
		default:
			err = fmt.Errorf("server: panic: %v\n%s", v, debug.Stack())
		}
	}()
	return s.serve(c)
}

// serve finds the route, checks the caller and runs the route.
func (s *Server) serve(c *call) error {
	c.permit()
	if err := s.table.find(c); err != nil {
		if c.allow != "" && c.preflight() {
			return nil
		}
		return err
	}
	if err := s.door.admit(c); err != nil {
		return err
	}
	c.negotiate()
	if err := c.parseQuery(); err != nil {
		return err
	}
	if c.route.changes() {
		if !s.gate.enter() {
			return errDraining
		}
		defer s.gate.leave()
	}
	c.start()
	defer func() { c.cancel() }()
	c.step("admit")
	return c.route.serve(c)
}

// moved says that a world has a new version, and its number.
func (s *Server) moved(name string, number uint64) {
	if s.saved != nil {
		s.saved(name, number)
	}
	s.streams.hub.Moved(name)
}

// Drain makes the Server refuse changes and report so at /readyz, and ends all streams. It
// waits until the changes in progress have ended or ctx ends. Reads continue.
func (s *Server) Drain(ctx context.Context) error {
	s.gate.draining.Store(true)
	return errors.Join(s.streams.hub.Close(ctx), s.gate.wait(ctx))
}

// Draining reports whether Drain was called.
func (s *Server) Draining() bool { return s.gate.draining.Load() }

// Watched returns what metrics read of the Server.
func (s *Server) Watched() Watched {
	return Watched{Store: s.door.st, InFlight: s.door.calls.Load, Pages: s.worlds.open.Cache.Stats, Streams: s.streams.hub.Stats,
		Ready: func() bool { return !s.Draining() && s.worlds.guard.Ready(context.Background()) == nil }}
}

// HTTP returns an http.Server with timeouts and bounds for a public address. The
// caller serves with it, on the result of Listen, and shuts it down. With TLS it
// also uses HTTP/2.
func (s *Server) HTTP() *http.Server {
	return &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 10 * time.Second,
		WriteTimeout:      s.limits.Patience + s.limits.Time, // longer calls extend it
		IdleTimeout:       5 * time.Minute,
		MaxHeaderBytes:    s.limits.HeaderBytes,
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: 128, MaxReceiveBufferPerConnection: 1 << 20, MaxReceiveBufferPerStream: 256 << 10},
		ErrorLog:          slog.NewLogLogger(s.log.to.Handler(), slog.LevelDebug), // panics and TLS handshakes
		ConnState:         limits.ConnState,
	}
}

// Listen is net.Listen for TCP with at most Limits.Connections open connections, of
// which one address has at most half. A new connection beyond that takes the place of the
// oldest one that waits for a call, of its own address or of the one with the most; if
// none waits, it is closed, or waits itself to be accepted.
func (s *Server) Listen(addr string) (net.Listener, error) {
	return limits.Listen(addr, s.limits.Connections)
}

// ServeStreams serves streams on connections that l accepts, without HTTP, until l is closed.
// Without tokens it serves only this machine. Of Limits.Calls an eighth may wait for
// their first frame, half of them from one address.
func (s *Server) ServeStreams(l net.Listener) error { return s.streams.listen(l) }

// gate counts changes in progress, and lets none through once the Server drains.
type gate struct {
	draining atomic.Bool
	changes  atomic.Int64
	quiet    chan struct{} // holds one when the last change ended while draining
}

var errDraining = fault(wire.Draining, "the server is shutting down")

// enter counts a change; the caller calls leave when it has ended.
func (g *gate) enter() bool {
	g.changes.Add(1)
	if g.draining.Load() {
		g.leave()
		return false
	}
	return true
}

func (g *gate) leave() {
	if g.changes.Add(-1) == 0 && g.draining.Load() {
		g.tellQuiet()
	}
}

// wait waits until no change is in progress.
func (g *gate) wait(ctx context.Context) error {
	for n := g.changes.Load(); n > 0; n = g.changes.Load() {
		select {
		case <-g.quiet:
		case <-ctx.Done():
			return fmt.Errorf("server: drain: %d changes are in progress: %w", n, ctx.Err())
		}
	}
	g.tellQuiet() // another Drain may be waiting
	return nil
}

func (g *gate) tellQuiet() {
	select {
	case g.quiet <- struct{}{}:
	default:
	}
}
