package server

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/internal/server/metrics"
	"github.com/cairnvoxel/cairn/internal/server/streams"
	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/server/stream"
	"github.com/cairnvoxel/cairn/store/history"
)

// StreamRoute is the route of Events whose calls are long because somebody looks at a
// world.
const StreamRoute = "GET /v1/stream"

func streamRoutes() []route {
	return []route{{method: "GET", path: "/v1/stream", part: true, socket: true, about: "a WebSocket on which a viewer sees a world, see stream/FORMAT.md",
		headers: []string{"Upgrade", "Connection", "Sec-WebSocket-Key", "Sec-WebSocket-Version"}, status: 101, serve: (*call).stream}}
}

// newStreams returns the Hub of a Server.
func (s *Server) newStreams() *streams.Hub {
	return streams.New(s.st, streams.Options{
		Cache: s.snapshots.Cache, Look: s.o.Look, Viewers: s.limits.Viewers, WorldMemory: s.limits.WorldMemory, Patience: s.limits.Patience,
		Failure: s.streamFailure, Log: s.logger,
	})
}

// streamFailure returns what a viewer is told of an error.
func (s *Server) streamFailure(err error) *stream.Failure {
	var bytes *stream.CorruptError
	switch {
	case errors.As(err, &bytes):
		return &stream.Failure{Code: "bad_frame", Words: bytes.Error()}
	case errors.Is(err, streams.ErrBusy):
		err = fault(wire.Busy, "too many viewers at a time")
	case errors.Is(err, streams.ErrClosed):
		err = fault(wire.Draining, "the server is shutting down")
	case errors.Is(err, streams.ErrTooWide):
		err = fault(wire.TooLarge, "the world does not fit into the memory limit of the server")
	}
	e := refusalOf(err)
	if ours(err, e.Code) {
		s.logger.Error("a stream failed", "err", err)
	}
	return &stream.Failure{Code: string(e.Code), Words: e.Message}
}

// stream is GET /v1/stream. A caller without a header or a cookie names its token in the first
// frame.
func (c *call) stream() error {
	if !strings.EqualFold(c.r.Header.Get("Upgrade"), "websocket") {
		return bad("this route is a WebSocket")
	}
	if c.Draining() {
		return fault(wire.Draining, "the server is shutting down")
	}
	named := len(c.r.Header["Authorization"]) > 0 || c.session() != ""
	if c.o.Tokens == nil || named {
		if err := c.identify(); err != nil {
			return err
		}
	} else if !c.strangers.Allow(token.AddressKey(c.r.RemoteAddr), c.began) {
		return errStrangers
	}
	leave, err := c.uncount, error(nil)
	if named || c.o.Tokens == nil {
		err = c.count()
	} else {
		leave, err = c.greet(c.r.RemoteAddr)
	}
	if err != nil {
		return err
	}
	defer leave()
	socket, err := streams.Accept(c, c.r)
	if err != nil {
		return nil // it is answered
	}
	defer socket.Wait()
	defer socket.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	hello, err := c.streams.Hello(socket)
	leave() // a viewer counts as a viewer
	if err == nil {
		c.name = hello.World
		err = c.mayLook(hello, !named, c.r.RemoteAddr, &c.token)
	}
	if err != nil {
		c.code = wire.Code(c.streams.Refuse(socket, err).Code)
		return nil
	}
	var pings sync.WaitGroup
	pings.Go(func() { socket.Ping(ctx, c.limits.Patience) })
	defer pings.Wait()
	defer cancel()
	c.code = whyEnded(c.streams.Show(ctx, socket, hello, c.token, c.staysValid()))
	return nil
}

// stillValid returns what reports whether a token is still in the server's file, unchanged; nil on a
// server without tokens.
func (s *Server) stillValid(t *token.Grant) func() bool {
	if t == nil {
		return nil
	}
	return func() bool { return s.o.Tokens.Has(t) }
}

// whyEnded returns the code of a refusal that ended a session. The viewer was told.
func whyEnded(err error) wire.Code {
	if said := (*stream.Failure)(nil); errors.As(err, &said) && said.Code != "closing" {
		return wire.Code(said.Code)
	}
	return ""
}

// greeting counts the connections that have not named their token yet, all and by address.
type greeting struct {
	mu  sync.Mutex
	all int64
	by  map[token.Hash]int64
}

// greet counts a connection that has not named its token yet, unless there are too many, or
// too many of its address. They take no room from callers with tokens. The caller calls leave.
func (s *Server) greet(remote string) (leave func(), err error) {
	g, key, most := &s.greeting, token.AddressKey(remote), max(1, s.limits.Calls/8)
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.all >= most || g.by[key] >= max(most/2, min(most, 2)) {
		return nil, fault(wire.Busy, "too many connections without a known token")
	}
	if g.by == nil {
		g.by = make(map[token.Hash]int64)
	}
	g.all++
	g.by[key]++
	return sync.OnceFunc(func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.all--
		if g.by[key]--; g.by[key] == 0 {
			delete(g.by, key)
		}
	}), nil
}

// mayLook returns an error unless a viewer may look at the world that it names. With tokens it
// finds that of the Hello, if the viewer has no other.
func (s *Server) mayLook(hello *stream.Hello, find bool, remote string, to **token.Grant) error {
	if s.o.Tokens != nil && find {
		now := time.Now()
		if *to = s.o.Tokens.Find(hello.Token); *to == nil {
			if !s.strangers.Allow(token.AddressKey(remote), now) {
				return errStrangers
			}
			return errUnknown
		}
		if !s.rates.Allow((*to).Hash, now) {
			return fault(wire.Busy, "too many calls with this token")
		}
	}
	if err := history.CheckName(hello.World); err != nil {
		return err
	}
	if t := *to; t != nil && !t.Reaches(hello.World) {
		return refuse("the token is for other names")
	}
	return nil
}

// ServeStreams serves streams on connections that l accepts, without HTTP, until l is closed.
// Without tokens it serves only this machine. Of Limits.Calls an eighth may wait for
// their first frame, half of them from one address.
func (s *Server) ServeStreams(l net.Listener) error {
	var all sync.WaitGroup
	defer all.Wait()
	var late time.Duration
	for {
		conn, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return http.ErrServerClosed
		}
		if err != nil { // too many files are open, for example
			late = min(max(2*late, 5*time.Millisecond), time.Second)
			s.logger.Error("a connection cannot be accepted", "err", err)
			time.Sleep(late)
			continue
		}
		late = 0
		all.Go(func() { s.serveStream(conn) })
	}
}

// serveStream serves one connection.
func (s *Server) serveStream(conn net.Conn) {
	e := metrics.CallEvent{Route: StreamRoute}
	began, remote := time.Now(), conn.RemoteAddr().String()
	err := error(nil)
	if from, bad := netip.ParseAddrPort(remote); s.o.Tokens == nil && (bad != nil || !from.Addr().Unmap().IsLoopback()) {
		err = refuse("a server without tokens serves only this machine")
	}
	var hello *stream.Hello
	if err == nil {
		var leave func()
		if leave, err = s.greet(remote); err == nil {
			hello, err = s.streams.Hello(conn)
			leave()
		}
	}
	var t *token.Grant
	if err == nil {
		e.World = hello.World
		err = s.mayLook(hello, true, remote, &t)
	}
	if err != nil {
		_ = conn.SetWriteDeadline(time.Now().Add(s.limits.Patience)) // else the connection is gone
		e.Code = wire.Code(s.streams.Refuse(conn, err).Code)
	} else {
		e.Code = whyEnded(s.streams.Show(context.Background(), conn, hello, t, s.stillValid(t)))
	}
	if e.Took = time.Since(began); s.o.Observe != nil {
		s.o.Observe(&e)
	}
}
