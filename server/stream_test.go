package server_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/server/metrics"
	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/server/stream"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
	"github.com/coder/websocket"
)

// watcher is a viewer that is connected.
type watcher struct {
	*stream.Client
	t     testing.TB
	conn  net.Conn
	told  chan struct{} // after a frame, and closed at the end
	ended chan struct{}
	err   error
}

var everything = stream.Viewpoint{Radius: 4000, Memory: 1 << 30}

// watch runs a session on a connection.
func watch(t testing.TB, conn net.Conn, hello stream.Hello) *watcher {
	w := &watcher{Client: &stream.Client{}, t: t, conn: conn, told: make(chan struct{}, 1), ended: make(chan struct{})}
	w.Told = func(stream.Frame) {
		select {
		case w.told <- struct{}{}:
		default:
		}
	}
	go func() {
		defer close(w.ended)
		w.err = w.Run(conn, hello, everything)
		conn.Close()
	}()
	t.Cleanup(func() {
		conn.Close()
		<-w.ended
	})
	return w
}

// wait waits until something is true after a frame.
func (w *watcher) wait(what string, f func() bool) {
	w.t.Helper()
	late := time.After(30 * time.Second)
	for !f() {
		select {
		case <-w.told:
		case <-w.ended:
			if !f() {
				w.t.Fatalf("%s: the session ended: %v", what, w.err)
			}
		case <-late:
			w.t.Fatalf("%s: did not happen", what)
		}
	}
}

// wantEnd waits for the end of the session, whose Failure must have a code.
func (w *watcher) wantEnd(code string) {
	w.t.Helper()
	select {
	case <-w.ended:
	case <-time.After(30 * time.Second):
		w.t.Fatalf("the session goes on, want %s", code)
	}
	var said *stream.Failure
	if !errors.As(w.err, &said) || said.Code != code || said.Words == "" {
		w.t.Errorf("got %v, want %s", w.err, code)
	}
}

// block returns the name of a block in the copy.
func (w *watcher) block(x int) string {
	cell, level, ok := w.Cell(0, geom.Point{X: x})
	if !ok || level != 0 {
		return fmt.Sprintf("level %d, %v", level, ok)
	}
	name, _ := w.Name(0, cell)
	return name.Name
}

// socket opens a WebSocket.
func (s *site) socket(header ...string) (net.Conn, *http.Response, error) {
	h := http.Header{}
	for i := 0; i < len(header); i += 2 {
		h.Add(header[i], header[i+1])
	}
	ws, resp, err := websocket.Dial(context.Background(), strings.Replace(s.url, "http", "ws", 1)+"/v1/stream", &websocket.DialOptions{HTTPHeader: h})
	if err != nil {
		return nil, resp, err
	}
	return websocket.NetConn(context.Background(), ws, websocket.MessageBinary), resp, nil
}

// look opens a WebSocket and runs a session on it.
func (s *site) look(hello stream.Hello, header ...string) *watcher {
	s.t.Helper()
	conn, _, err := s.socket(header...)
	if err != nil {
		s.t.Fatal(err)
	}
	return watch(s.t, conn, hello)
}

// TestStream looks at a world while versions are made, through the Server and behind its
// back, and goes back in time.
func TestStream(t *testing.T) {
	s := newSite(t, server.Options{})
	last := s.mustCommit("a", 3)
	w := s.look(stream.Hello{World: "a"})
	w.wait("synced", func() bool { return w.Synced() == 2 })
	if look, _ := w.Name(0, 1); look.Name != "stone" || look.Look.Kind != stream.Opaque || look.Look.A != 255 {
		t.Errorf("got the look %+v", look)
	}
	if w.Moment().Number != 3 || w.block(33) != "stone" || w.block(66) != "stone" {
		t.Errorf("got %+v with %q", w.Moment(), w.block(33))
	}
	var restored wire.Commit
	s.want(201, request{"POST", "/v1/restore/a", []byte(`{"at":"1"}`), nil}, &restored)
	w.wait("restored", func() bool { return w.Moment().Number == 4 && w.Synced() == 2 && w.block(33) != "stone" })

	st := mustStone(t, 3)
	again := commitOf(history.ID(restored.ID), "", st)
	if _, err := s.st.Commit(context.Background(), "a", history.Head{Commit: history.ID(restored.ID)}, again, st); err != nil {
		t.Fatal(err)
	}
	w.wait("a commit of another server", func() bool { return w.Moment().Number == 5 && w.Synced() == 2 && w.block(99) == "stone" })

	if err := w.Send(&stream.At{Version: "3"}); err != nil {
		t.Fatal(err)
	}
	w.wait("the past", func() bool {
		return w.Moment().ID == last.String() && w.Synced() == 2 && w.block(33) == "stone" && w.block(99) != "stone"
	})
	past := s.look(stream.Hello{World: "a", At: last.String()[:12]})
	past.wait("synced", func() bool { return past.Synced() == 2 && past.Moment().Number == 3 })
	none := s.look(stream.Hello{World: "a", At: "77"})
	none.wantEnd("no_version")
	s.want(204, request{method: "DELETE", path: "/v1/worlds/a"}, nil)
	w.wantEnd("closing")
	past.wantEnd("closing")
	s.look(stream.Hello{World: "a"}).wantEnd("no_world")
	s.look(stream.Hello{World: "A"}).wantEnd("bad_name")
	s.wantNoViewers()
	if all, _ := s.srv.Streams(); all.Bytes == 0 {
		t.Error("no bytes were sent")
	}
}

// TestStreamTokens tries who may look, by header, cookie and the first frame.
func TestStreamTokens(t *testing.T) {
	bound := token.Token{Role: token.Read, Prefixes: []string{"in/w"}, Dimension: "a", Box: token.BlockBox{Max: geom.Point{X: 64, Y: 32, Z: 32}}}
	tokens, secrets := mustTokens(t, token.Token{Role: token.Read, Prefixes: []string{"in"}}, bound)
	s := newSite(t, server.Options{Tokens: tokens, Limits: server.Limits{StrangerRate: -1}})
	s.mustCommit("in/w", 4)
	s.mustCommit("out", 1)
	_, cookie := s.login(secrets[0])
	by := []string{"Authorization", "Bearer " + secrets[0]}
	for _, header := range [][]string{by, {"Cookie", "cairn=" + cookie.Value, "Origin", s.url}} {
		w := s.look(stream.Hello{World: "in/w", Token: "nothing"}, header...)
		w.wait("synced", func() bool { return w.Synced() == 2 && w.block(99) == "stone" })
		s.look(stream.Hello{World: "out"}, header...).wantEnd("forbidden")
		s.look(stream.Hello{World: "in/none"}, header...).wantEnd("no_world")
	}
	w := s.look(stream.Hello{World: "in/w", Token: secrets[0]})
	w.wait("synced", func() bool { return w.Synced() == 2 })
	s.look(stream.Hello{World: "out", Token: secrets[0]}).wantEnd("forbidden")
	s.look(stream.Hello{World: "in/w", Token: "cairn_none"}).wantEnd("unauthorized")
	s.look(stream.Hello{World: "in/w"}).wantEnd("unauthorized")

	part := s.look(stream.Hello{World: "in/w", Token: secrets[1]})
	part.wait("synced", func() bool { return part.Synced() == 2 && part.block(33) == "stone" })
	if got := part.block(66); got == "stone" {
		t.Error("the token shows what is outside of its box")
	}
	if b := part.Moment().Bounds; b.Max.X > 64 {
		t.Errorf("got bounds %v", b)
	}
	s.look(stream.Hello{World: "in/w", Token: secrets[1], Dimension: "b"}).wantEnd("no_dimension")
	s.look(stream.Hello{World: "in", Token: secrets[1]}).wantEnd("forbidden")

	for _, tt := range []struct {
		header []string
		want   int
	}{
		{[]string{"Authorization", "Bearer none"}, 401},
		{[]string{"Cookie", "cairn=none"}, 401},
		{[]string{"Cookie", "cairn=" + cookie.Value}, 403},
		{[]string{"Cookie", "cairn=" + cookie.Value, "Origin", "http://evil.example"}, 403},
		{[]string{"Cookie", "cairn=" + cookie.Value, "Sec-Fetch-Site", "cross-site", "Origin", s.url}, 403},
	} {
		if _, resp, err := s.socket(tt.header...); err == nil || resp == nil || resp.StatusCode != tt.want {
			t.Errorf("%q: got %v, %v, want %d", tt.header, resp, err, tt.want)
		}
	}
	s.get("/v1/stream", by...).wantCode(t, wire.BadRequest)
}

// TestStreamRemoved takes tokens away from viewers.
func TestStreamRemoved(t *testing.T) {
	tokens, secrets := mustTokens(t, token.Token{Role: token.Read}, token.Token{Role: token.Read})
	s := newSite(t, server.Options{Tokens: tokens})
	s.mustCommit("a", 1)
	gone, stays := s.look(stream.Hello{World: "a", Token: secrets[0]}), s.look(stream.Hello{World: "a", Token: secrets[1]})
	gone.wait("synced", func() bool { return gone.Synced() == 2 })
	stays.wait("synced", func() bool { return stays.Synced() == 2 })
	if n := tokens.Find(secrets[0]).Streams.Load(); n != 1 {
		t.Errorf("got %d streams", n)
	}
	keep := tokens.Find(secrets[1]).Token
	if err := token.WriteFile(tokens.Path(), []token.Token{keep}); err != nil {
		t.Fatal(err)
	}
	if err := tokens.Reload(); err != nil {
		t.Fatal(err)
	}
	<-gone.ended
	select {
	case <-stays.ended:
		t.Errorf("the other viewer: %v", stays.err)
	default:
	}
}

// TestStreamLimits opens more streams than there may be, and drains.
func TestStreamLimits(t *testing.T) {
	tokens, secrets := mustTokens(t, token.Token{Role: token.Read}, token.Token{Role: token.Read}, token.Token{Role: token.Read})
	s := newSite(t, server.Options{Tokens: tokens, Limits: server.Limits{Viewers: 4}})
	s.mustCommit("a", 1)
	var all []*watcher
	for _, i := range []int{0, 0, 1, 1} {
		w := s.look(stream.Hello{World: "a", Token: secrets[i]})
		w.wait("synced", func() bool { return w.Synced() == 2 })
		all = append(all, w)
		if i == 0 && len(all) == 2 {
			s.look(stream.Hello{World: "a", Token: secrets[0]}).wantEnd("busy")
		}
	}
	s.look(stream.Hello{World: "a", Token: secrets[2]}).wantEnd("busy")
	all[0].conn.Close()
	<-all[0].ended
	for n := 0; ; n++ { // until the server has noticed
		w := s.look(stream.Hello{World: "a", Token: secrets[2]})
		select {
		case <-w.told:
		case <-w.ended:
		}
		if w.Moment().Number == 1 {
			break
		}
		if n > 1000 {
			t.Fatal("a viewer that left still counts")
		}
	}
	if n := s.srv.Calls(); n != 0 {
		t.Errorf("%d calls are in progress beside the streams", n)
	}
	if err := s.srv.Drain(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, w := range all[1:] {
		w.wantEnd("closing")
	}
	if _, resp, err := s.socket(); err == nil || resp == nil || resp.StatusCode != 503 {
		t.Errorf("after Drain: got %v, %v", resp, err)
	}
	if v, worlds := s.srv.Streams(); v.Viewers != 0 || worlds != 0 {
		t.Errorf("got %+v, %d worlds", v, worlds)
	}
}

// TestStreamHostile sends what no viewer sends. Each connection ends, and nothing is
// left of it.
func TestStreamHostile(t *testing.T) {
	s := newSite(t, server.Options{Limits: server.Limits{Patience: 200 * time.Millisecond}})
	s.mustCommit("a", 1)
	hello := stream.Append(nil, &stream.Hello{Protocol: stream.Protocol, World: "a"}, nil)
	for name, send := range map[string][]byte{
		"nothing":            nil,
		"half a frame":       hello[:len(hello)/2],
		"no Hello":           stream.Append(nil, &stream.Ack{Sequence: 1}, nil),
		"a huge claim":       {0xFF, 0xFF, 0xFF, 0xFF, 0x7F},
		"a long length":      {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01},
		"a frame of nothing": {0},
		"HTTP":               []byte("GET / HTTP/1.1\r\nHost: a\r\n\r\n"),
		"two Hellos":         append(append([]byte{}, hello...), hello...),
		"no View":            hello,
		"no Ack":             stream.Append(append([]byte{}, hello...), &everything, nil),
		"a huge frame then":  append(append([]byte{}, hello...), 0xFF, 0xFF, 0xFF, 0x7F),
		"an unknown type":    append(append([]byte{}, hello...), 1, 99),
		"another protocol":   stream.Append(nil, &stream.Hello{Protocol: 99, World: "a"}, nil),
	} {
		t.Run(name, func(t *testing.T) {
			conn, _, err := s.socket()
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if len(send) > 0 {
				if _, err := conn.Write(send); err != nil {
					t.Fatal(err)
				}
			}
			if err := conn.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, conn); errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the connection stays: %v", err)
			}
		})
	}
	ws, _, err := websocket.Dial(context.Background(), strings.Replace(s.url, "http", "ws", 1)+"/v1/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := ws.Write(context.Background(), websocket.MessageText, hello); err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, _, err = ws.Read(context.Background())
	}
	s.wantNoViewers()
}

// wantNoViewers waits until no viewer and no call is left.
func (s *site) wantNoViewers() {
	s.t.Helper()
	for late := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		v, worlds := s.srv.Streams()
		if v.Viewers == 0 && worlds == 0 && s.srv.Calls() == 0 {
			return
		}
		if time.Now().After(late) {
			s.t.Fatalf("%d viewers, %d worlds and %d calls are left", v.Viewers, worlds, s.srv.Calls())
		}
	}
}

// TestStreamIdle opens many sockets that say nothing: only so many wait, and all are cut
// off. Those without a token take no room from callers with one.
func TestStreamIdle(t *testing.T) {
	tokens, secrets := mustTokens(t, token.Token{Role: token.Read})
	for _, tt := range []struct {
		tokens *token.Set
		header []string
		most   int
	}{
		{nil, nil, 20},
		{tokens, nil, 2},
		{tokens, []string{"Authorization", "Bearer " + secrets[0]}, 10},
	} {
		s := newSite(t, server.Options{Tokens: tt.tokens, Limits: server.Limits{Calls: 20, Patience: 300 * time.Millisecond, StrangerRate: -1}})
		var open []net.Conn
		refused := 0
		for range 40 {
			conn, resp, err := s.socket(tt.header...)
			switch {
			case err == nil:
				open = append(open, conn)
			case resp != nil && resp.StatusCode == 429:
				refused++
			default:
				t.Fatal(err)
			}
		}
		if refused == 0 || len(open) < tt.most {
			t.Errorf("%d sockets wait, %d are refused, want %d to wait", len(open), refused, tt.most)
		}
		if tt.header == nil && tt.tokens != nil {
			s.want(200, request{"GET", "/v1/worlds", nil, []string{"Authorization", "Bearer " + secrets[0]}}, nil)
		}
		for _, conn := range open {
			_, _ = io.Copy(io.Discard, conn) // until it is cut off
			conn.Close()
		}
		s.wantNoViewers()
	}
}

// TestStreamListen looks over plain TCP.
func TestStreamListen(t *testing.T) {
	tokens, secrets := mustTokens(t, token.Token{Role: token.Read})
	for _, o := range []server.Options{{}, {Tokens: tokens}} {
		st := memory.New(memory.Options{})
		s := newSiteOf(t, st, o)
		s.mustCommit("a", 2)
		l, err := s.srv.Listen("127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		served := make(chan error)
		go func() { served <- s.srv.ServeStreams(l) }()
		dial := func(hello stream.Hello) *watcher {
			conn, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			return watch(t, conn, hello)
		}
		w := dial(stream.Hello{World: "a", Token: secrets[0]})
		w.wait("synced", func() bool { return w.Synced() == 2 && w.block(33) == "stone" })
		dial(stream.Hello{World: "b", Token: secrets[0]}).wantEnd("no_world")
		if o.Tokens != nil {
			dial(stream.Hello{World: "a"}).wantEnd("unauthorized")
		}
		if err := s.srv.Drain(context.Background()); err != nil {
			t.Fatal(err)
		}
		w.wantEnd("closing")
		l.Close()
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("got %v", err)
		}
	}
}

// TestStreamListenIdle opens many connections that say nothing: calls go on beside them, and
// all are cut off.
func TestStreamListenIdle(t *testing.T) {
	s := newSite(t, server.Options{Limits: server.Limits{Calls: 20, Patience: 2 * time.Second}})
	s.mustCommit("a", 1)
	addr := s.listenStreams()
	var open []net.Conn
	for range 60 {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, conn)
	}
	for i, conn := range open {
		b, _ := io.ReadAll(conn) // until it is cut off
		if len(b) == 0 {
			t.Errorf("connection %d was not told why", i)
		}
		if i == 0 {
			s.want(200, request{method: "GET", path: "/v1/head/a"}, nil)
		}
		conn.Close()
	}
	s.wantNoViewers()
}

// listenStreams serves streams over TCP until the end of the test.
func (s *site) listenStreams() (addr string) {
	s.t.Helper()
	l, err := s.srv.Listen("127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	served := make(chan error)
	go func() { served <- s.srv.ServeStreams(l) }()
	s.t.Cleanup(func() {
		l.Close()
		<-served
	})
	return l.Addr().String()
}

// crowded is a listener that fails a few times.
type crowded struct {
	net.Listener
	left int
}

func (f *crowded) Accept() (net.Conn, error) {
	if f.left--; f.left >= 0 {
		return nil, errors.New("too many open files")
	}
	return f.Listener.Accept()
}

// TestStreamListenFails: a connection that cannot be accepted does not end the server.
func TestStreamListenFails(t *testing.T) {
	s := newSite(t, server.Options{})
	s.mustCommit("a", 1)
	l, err := s.srv.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error)
	go func() { served <- s.srv.ServeStreams(&crowded{l, 3}) }()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	w := watch(t, conn, stream.Hello{World: "a"})
	w.wait("synced", func() bool { return w.Synced() == 2 })
	conn.Close()
	l.Close()
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		t.Errorf("got %v", err)
	}
}

// TestStreamLoggedOut: what a cookie opened ends when its session does, and nothing else.
func TestStreamLoggedOut(t *testing.T) {
	tokens, secrets := mustTokens(t, token.Token{Role: token.Read})
	s := newSite(t, server.Options{Tokens: tokens})
	s.mustCommit("a", 1)
	_, first := s.login(secrets[0])
	_, second := s.login(secrets[0])
	gone := s.look(stream.Hello{World: "a"}, "Cookie", "cairn="+first.Value, "Origin", s.url)
	stay := []*watcher{
		s.look(stream.Hello{World: "a"}, "Cookie", "cairn="+second.Value, "Origin", s.url),
		s.look(stream.Hello{World: "a"}, "Cookie", "cairn="+first.Value, "Authorization", "Bearer "+secrets[0]),
		s.look(stream.Hello{World: "a", Token: secrets[0]}),
	}
	for _, w := range append(stay, gone) {
		w.wait("synced", func() bool { return w.Synced() == 2 })
	}
	s.want(204, request{"DELETE", "/v1/login", nil, []string{"Cookie", "cairn=" + first.Value, "Origin", s.url}}, nil)
	select {
	case <-gone.ended:
	case <-time.After(30 * time.Second):
		t.Error("the stream goes on after the logout")
	}
	for i, w := range stay {
		select {
		case <-w.ended:
			t.Errorf("viewer %d: %v", i, w.err)
		default:
		}
	}
}

// TestStreamRefusals counts refusals like those of calls, and logs nothing that callers do.
func TestStreamRefusals(t *testing.T) {
	var log bytes.Buffer
	codes := make(chan string, 10)
	tokens, secrets := mustTokens(t, token.Token{Role: token.Read, Prefixes: []string{"in"}})
	s := newSite(t, server.Options{Tokens: tokens, Log: slog.New(slog.NewTextHandler(&log, nil)), Limits: server.Limits{StrangerRate: -1, Patience: 200 * time.Millisecond},
		Observe: func(e *metrics.CallEvent) {
			if e.Route == server.StreamRoute {
				codes <- string(e.Code)
			}
		}})
	s.mustCommit("in/a", 1)
	addr := s.listenStreams()
	hello := func(h stream.Hello) []byte {
		h.Protocol = stream.Protocol
		return stream.Append(nil, &h, nil)
	}
	for _, tt := range []struct {
		send []byte
		want string
	}{
		{nil, "timeout"},
		{[]byte{0}, "bad_frame"},
		{hello(stream.Hello{World: "in/a", Token: "none"}), "unauthorized"},
		{hello(stream.Hello{World: "out", Token: secrets[0]}), "forbidden"},
		{hello(stream.Hello{World: "in/b", Token: secrets[0]}), "no_world"},
		{hello(stream.Hello{World: "in/a", Token: secrets[0], Dimension: "none"}), "no_dimension"},
		{hello(stream.Hello{World: "in/a", Token: secrets[0]}), "slow_viewer"}, // it does not say where it is
	} {
		for _, dial := range []func() (net.Conn, error){
			func() (net.Conn, error) { return net.Dial("tcp", addr) },
			func() (net.Conn, error) { conn, _, err := s.socket(); return conn, err },
		} {
			conn, err := dial()
			if err == nil {
				_, err = conn.Write(tt.send)
			}
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, conn) // until it is closed
			conn.Close()
			if got := <-codes; got != tt.want {
				t.Errorf("%q: counted as %q, want %q", tt.send, got, tt.want)
			}
		}
	}
	s.wantNoViewers()
	if log.Len() > 0 {
		t.Errorf("logged:\n%s", &log)
	}
}

// FuzzStream sends bytes on a connection that became a WebSocket. The server goes on, and
// nothing is left of the connection.
func FuzzStream(f *testing.F) {
	s := newSite(f, server.Options{Limits: server.Limits{Patience: 100 * time.Millisecond}})
	s.mustCommit("a", 1)
	hello := stream.Append(nil, &stream.Hello{Protocol: stream.Protocol, World: "a"}, nil)
	view := stream.Append(hello, &everything, nil)
	for _, b := range [][]byte{nil, hello, message(2, hello), message(2, view), message(1, hello), message(8, nil), message(9, []byte("ping")), message(0x42, hello), {0x82, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}} {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		head := "GET /v1/stream HTTP/1.1\r\nHost: " + strings.TrimPrefix(s.url, "http://") + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
		if _, err := conn.Write(append([]byte(head), b...)); err != nil {
			t.Fatal(err)
		}
		if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		if err := conn.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(conn); len(got) < 12 || string(got[:12]) != "HTTP/1.1 101" || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("got %q, %v", got, err)
		}
		s.t = t
		s.wantNoViewers()
	})
}

// message returns a frame of a WebSocket from a client.
func message(opcode byte, payload []byte) []byte {
	b := []byte{0x80 | opcode, 0x80 | byte(min(len(payload), 125)), 0, 0, 0, 0}
	return append(b, payload[:min(len(payload), 125)]...)
}

// TestStreamMemory looks at more versions at a time than the memory for directories holds.
func TestStreamMemory(t *testing.T) {
	st := memory.New(memory.Options{})
	made := newSiteOf(t, st, server.Options{})
	last := made.mustCommit("a", 8)
	snap, err := world.OpenSnapshot(t.Context(), st, "a", last, world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	most := snap.Memory()
	if err := snap.Close(); err != nil {
		t.Fatal(err)
	}
	newSiteOf(t, st, server.Options{Limits: server.Limits{WorldMemory: most - 1}}).look(stream.Hello{World: "a"}).wantEnd("too_large")

	s := newSiteOf(t, st, server.Options{Limits: server.Limits{WorldMemory: most}})
	for range 2 { // what was closed makes room
		var open []*watcher
		refused := 0
		for n := 8; n > 0; n-- {
			w := s.look(stream.Hello{World: "a", At: fmt.Sprint(n)})
			open = append(open, w)
			for ended := false; !ended && w.Synced() == 0; {
				select {
				case <-w.told:
				case <-w.ended:
					ended = true
				}
			}
			if w.Synced() == 0 {
				w.wantEnd("busy")
				refused++
			}
		}
		if refused == 0 || refused > 6 {
			t.Errorf("%d of 8 viewers were refused", refused)
		}
		for _, w := range open {
			w.conn.Close()
			<-w.ended
		}
		s.wantNoViewers()
	}
}

// TestStreamWorlds looks at many worlds with one token: there is room for others.
func TestStreamWorlds(t *testing.T) {
	tokens, secrets := mustTokens(t, token.Token{Role: token.Read}, token.Token{Role: token.Read})
	s := newSite(t, server.Options{Tokens: tokens})
	for i := range 34 {
		s.mustCommit(fmt.Sprint("w", i), 1)
	}
	for i := range 32 {
		w := s.look(stream.Hello{World: fmt.Sprint("w", i), Token: secrets[0]})
		w.wait("synced", func() bool { return w.Synced() == 2 })
	}
	s.look(stream.Hello{World: "w33", Token: secrets[0]}).wantEnd("busy")
	other := s.look(stream.Hello{World: "w33", Token: secrets[1]})
	other.wait("synced", func() bool { return other.Synced() == 2 })
	more := s.look(stream.Hello{World: "w33", Token: secrets[0]})
	more.wait("synced", func() bool { return more.Synced() == 2 })
}
