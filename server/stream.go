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

	"github.com/cairnvoxel/cairn/internal/server/streams"
	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/server/stream"
)

// StreamRoute is the route of Events whose calls are long because somebody looks at a
// world.
const StreamRoute = "GET /v1/stream"

// streamed is the worlds that viewers look at.
type streamed struct {
	*transport
	*door
	*gate
	hub *streams.Hub
}

func (h *streamed) routes() []route {
	return []route{{method: "GET", path: "/v1/stream", part: true, socket: true, about: "a WebSocket on which a viewer sees a world, see stream/FORMAT.md",
		headers: []string{"Upgrade", "Connection", "Sec-WebSocket-Key", "Sec-WebSocket-Version"}, status: 101, handler: plain(h.socket, nothing)}}
}

// streamFailure returns what a viewer is told of an error.
func (l *faultLog) streamFailure(err error) *stream.Failure {
	var bytes *stream.CorruptError
	switch {
	case errors.As(err, &bytes):
		return &stream.Failure{Code: "bad_frame", Words: bytes.Error()}
	case errors.Is(err, streams.ErrBusy):
		err = fault(wire.Busy, "too many viewers at a time")
	case errors.Is(err, streams.ErrClosed):
		err = errDraining
	}
	e := refusalOf(err)
	if ours(err, e.Code) {
		l.to.Error("a stream failed", "err", err)
	}
	return &stream.Failure{Code: string(e.Code), Words: e.Message}
}

// socket serves a viewer. A caller without a header or a cookie names its token in the first
// frame.
func (h *streamed) socket(c *call) error {
	if !strings.EqualFold(c.r.Header.Get("Upgrade"), "websocket") {
		return bad("this route is a WebSocket")
	}
	if h.draining.Load() {
		return errDraining
	}
	named := h.tokens == nil || len(c.r.Header["Authorization"]) > 0 || session(c.r) != ""
	leave := c.place.leave
	var err error
	if named {
		if err = h.identify(c); err == nil {
			err = h.count(c)
		}
	} else if err = h.guess(c.r.RemoteAddr, c.began); err == nil {
		leave, err = h.greet(c.r.RemoteAddr)
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
	hello, err := h.hub.Hello(socket)
	leave() // a viewer counts as a viewer
	if err == nil {
		c.name = hello.World
		if !named {
			c.token, err = h.find(hello, c.r.RemoteAddr)
		}
	}
	if err == nil {
		err = mayLook(hello, c.token)
	}
	if err != nil {
		c.code = wire.Code(h.hub.Refuse(socket, err).Code)
		return nil
	}
	var pings sync.WaitGroup
	pings.Go(func() { socket.Ping(ctx, h.limits.Patience) })
	defer pings.Wait()
	defer cancel()
	c.code = whyEnded(h.hub.Show(ctx, socket, hello, c.token, h.staysGood(c)))
	return nil
}

// whyEnded returns the code of a refusal that ended a session. The viewer was told.
func whyEnded(err error) wire.Code {
	if said := (*stream.Failure)(nil); errors.As(err, &said) && said.Code != "closing" {
		return wire.Code(said.Code)
	}
	return ""
}

// find returns the token that a Hello names, nil on a server without tokens.
func (h *streamed) find(hello *stream.Hello, remote string) (*token.Grant, error) {
	if h.tokens == nil {
		return nil, nil
	}
	g := h.tokens.Find(hello.Token)
	return g, h.check(g, remote, time.Now())
}

// mayLook returns an error unless a viewer may look at the world that it names.
func mayLook(hello *stream.Hello, g *token.Grant) error {
	return (&caller{token: g}).other(hello.World)
}

// listen serves streams on connections without HTTP.
func (h *streamed) listen(l net.Listener) error {
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
			h.log.to.Error("a connection cannot be accepted", "err", err)
			time.Sleep(late)
			continue
		}
		late = 0
		all.Go(func() { h.serve(conn) })
	}
}

// serve serves one connection.
func (h *streamed) serve(conn net.Conn) {
	e := Event{Route: StreamRoute}
	began := time.Now()
	hello, g, err := h.hello(conn)
	if hello != nil {
		e.World = hello.World
	}
	if err != nil {
		_ = conn.SetWriteDeadline(time.Now().Add(h.limits.Patience)) // else the connection is gone
		e.Code = wire.Code(h.hub.Refuse(conn, err).Code)
	} else {
		e.Code = whyEnded(h.hub.Show(context.Background(), conn, hello, g, h.good(g)))
	}
	if e.Took = time.Since(began); h.observe != nil {
		h.observe(&e)
	}
}

// hello reads the first frame of a connection, and checks who looks at what.
func (h *streamed) hello(conn net.Conn) (*stream.Hello, *token.Grant, error) {
	remote := conn.RemoteAddr().String()
	if from, err := netip.ParseAddrPort(remote); h.tokens == nil && (err != nil || !from.Addr().Unmap().IsLoopback()) {
		return nil, nil, refuse("a server without tokens serves only this machine")
	}
	leave, err := h.greet(remote)
	if err != nil {
		return nil, nil, err
	}
	hello, err := h.hub.Hello(conn)
	leave()
	if err != nil {
		return nil, nil, err
	}
	g, err := h.find(hello, remote)
	if err == nil {
		err = mayLook(hello, g)
	}
	if err == nil {
		err = h.settle(context.Background(), hello.World)
	}
	return hello, g, err
}
