package server_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/server/metrics"
	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
)

// gated is a Store whose Create and Head wait to be let through.
type gated struct {
	history.Store
	inside chan struct{} // one for each call that waits
	open   chan struct{}
}

func newGated() *gated {
	return &gated{memory.New(memory.Options{}), make(chan struct{}, 100), make(chan struct{})}
}

func (g *gated) wait() {
	g.inside <- struct{}{}
	<-g.open
}

func (g *gated) Create(ctx context.Context, name string) error {
	g.wait()
	return g.Store.Create(ctx, name)
}

func (g *gated) Head(ctx context.Context, name string) (history.Head, error) {
	g.wait()
	return g.Store.Head(ctx, name)
}

func TestDrain(t *testing.T) {
	g := newGated()
	s := newSiteOf(t, g, server.Options{})
	created := make(chan reply)
	go func() { created <- s.do(request{method: "PUT", path: "/v1/worlds/a"}) }()
	<-g.inside

	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.srv.Drain(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v while a change is under way", err)
	}
	if got := s.get("/healthz"); got.status != 200 {
		t.Errorf("got %d: the process lives", got.status)
	}
	got := s.get("/readyz")
	got.wantCode(t, wire.Draining)
	if got.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	s.do(request{method: "PUT", path: "/v1/worlds/b"}).wantCode(t, wire.Draining)
	if got := s.get("/v1/worlds"); got.status != 200 {
		t.Errorf("got %d: reading goes on", got.status)
	}
	drained := make(chan error)
	for range 2 {
		go func() { drained <- s.srv.Drain(t.Context()) }()
	}
	close(g.open)
	for range 2 {
		if err := <-drained; err != nil {
			t.Error(err)
		}
	}
	if got := <-created; got.status != 201 {
		t.Errorf("got %d %s of what was under way", got.status, got.body)
	}
	if names, err := g.List(context.Background(), "", "", 10); err != nil || !slices.Equal(names, []string{"a"}) {
		t.Errorf("got %q, %v", names, err)
	}
}

func TestCallsAtATime(t *testing.T) {
	tokens, secrets := mustTokens(t, token.Token{Role: token.Admin}, token.Token{Role: token.Admin}, token.Token{Role: token.Admin})
	g := newGated()
	s := newSiteOf(t, g, server.Options{Tokens: tokens, Limits: server.Limits{Calls: 4}})
	if err := g.Store.Create(context.Background(), "a"); err != nil {
		t.Fatal(err)
	}
	var waiting sync.WaitGroup
	head := func(i int) reply { return s.get("/v1/head/a", "Authorization", "Bearer "+secrets[i]) }
	begin := func(i int) {
		waiting.Go(func() {
			if got := head(i); got.status != 200 {
				t.Errorf("got %d %s", got.status, got.body)
			}
		})
		<-g.inside
	}
	begin(0)
	begin(0)
	got := head(0) // half of all is one token's
	got.wantCode(t, wire.Busy)
	if got.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	begin(1)
	begin(1)
	head(2).wantCode(t, wire.Busy)
	if got := s.get("/healthz"); got.status != 200 {
		t.Errorf("got %d", got.status)
	}
	close(g.open)
	waiting.Wait()
	for range 10 {
		if got := head(2); got.status != 200 {
			t.Errorf("got %d %s when there is room again", got.status, got.body)
		}
		<-g.inside
	}
}

func TestRates(t *testing.T) {
	tokens, secrets := mustTokens(t, token.Token{Role: token.Read}, token.Token{Role: token.Read})
	s := newSite(t, server.Options{Tokens: tokens, Limits: server.Limits{Rate: 1e-6, StrangerRate: 1e-6}})
	list := func(secret string) reply { return s.get("/v1/worlds", "Authorization", "Bearer "+secret) }
	for _, secret := range secrets { // each has its own rate
		if got := list(secret); got.status != 200 {
			t.Errorf("got %d", got.status)
		}
		list(secret).wantCode(t, wire.Busy)
	}
	list("wrong").wantCode(t, wire.Unauthorized)
	list("wrong").wantCode(t, wire.Busy)
}

// TestManyStrangers comes from more addresses than are remembered.
func TestManyStrangers(t *testing.T) {
	tokens, _ := mustTokens(t)
	srv, err := server.New(memory.New(memory.Options{}), server.Options{Tokens: tokens, Limits: server.Limits{StrangerRate: 1e-6}})
	if err != nil {
		t.Fatal(err)
	}
	code := func(from string) int {
		r := httptest.NewRequest("GET", "/v1/worlds", nil)
		r.RemoteAddr = from
		w := httptest.NewRecorder()
		srv.ServeHTTP(w, r)
		return w.Code
	}
	first, again := code("[2001:db8::1]:1"), code("[2001:db8::2]:99") // of one network
	if first != 401 || again != 429 {
		t.Errorf("got %d, %d", first, again)
	}
	for i := range 20_000 {
		if got := code(fmt.Sprintf("10.%d.%d.%d:1", i>>16, i>>8&255, i&255)); got != 401 {
			t.Fatalf("address %d: got %d", i, got)
		}
	}
	if n := srv.Strangers(); n > 16_500 {
		t.Errorf("%d addresses are remembered", n)
	}
}

func TestEvents(t *testing.T) {
	events := make(chan metrics.CallEvent, 10)
	s := newSite(t, server.Options{Observe: func(e *metrics.CallEvent) {
		c := *e
		c.Steps = slices.Clone(e.Steps)
		events <- c
	}})
	head := s.mustCommit("a", 2)
	st := mustStone(t, 9)
	for _, tt := range []struct {
		r      request
		route  string
		status int
		code   wire.Code
		stones int
		steps  string
	}{
		{request{method: "GET", path: "/v1/stack/a"}, "GET /v1/stack/NAME", 200, "", 2, "admit fetch send"},
		{request{method: "HEAD", path: "/v1/head/a"}, "GET /v1/head/NAME", 200, "", 0, "admit send"},
		{commitRequest("a", commitOf(head, "", st), st), "POST /v1/commits/NAME", 201, "", 0, "admit receive check commit send"},
		{commitRequest("a", commitOf(head, "", st), st), "POST /v1/commits/NAME", 412, wire.Conflict, 0, "admit receive check send"},
		{request{method: "GET", path: "/nothing"}, "", 404, wire.NoRoute, 0, "send"},
		{request{method: "DELETE", path: "/v1/worlds/a"}, "DELETE /v1/worlds/NAME", 204, "", 0, "admit"},
	} {
		s.do(tt.r)
		e := <-events
		var steps []string
		var sum time.Duration
		for _, step := range e.Steps {
			steps = append(steps, step.Name)
			sum += step.Took
		}
		if e.Route != tt.route || e.Status != tt.status || e.Code != tt.code || e.Stones != tt.stones || strings.Join(steps, " ") != tt.steps {
			t.Errorf("%s %s: got %+v", tt.r.method, tt.r.path, e)
		}
		if e.In != int64(len(tt.r.body)) || tt.status != 204 && e.Out == 0 || sum > e.Took {
			t.Errorf("%s %s: got %+v", tt.r.method, tt.r.path, e)
		}
	}
}

// TestListen opens more connections than there may be.
func TestListen(t *testing.T) {
	srv, err := server.New(memory.New(memory.Options{}), server.Options{Limits: server.Limits{Connections: 2}})
	if err != nil {
		t.Fatal(err)
	}
	l, err := srv.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var accepted []net.Conn
	for i := range 3 {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if i < 2 {
			a, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			accepted = append(accepted, a)
		}
	}
	var room atomic.Bool
	third := make(chan bool)
	go func() {
		c, err := l.Accept()
		third <- err == nil && room.Load()
		if err == nil {
			c.Close()
		}
	}()
	for range 1000 {
		runtime.Gosched() // a third that is accepted too early has its chance
	}
	room.Store(true)
	accepted[0].Close()
	accepted[0].Close() // makes room once
	if !<-third {
		t.Error("a third connection was accepted before one of two was closed")
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("got %v of a listener that is closed", err)
	}
}

// TestHTTP2 saves and loads with TLS.
func TestHTTP2(t *testing.T) {
	st := memory.New(memory.Options{})
	srv, err := server.New(st, server.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewUnstartedServer(nil)
	h.Config = srv.HTTP()
	h.EnableHTTP2 = true
	h.StartTLS()
	defer h.Close()
	s := &site{t: t, st: st, srv: srv, url: h.URL}
	head := s.mustCommit("a", 1)
	large := noise(t, 2<<20)
	r := commitRequest("a", commitOf(head, "", large), large)
	req, err := http.NewRequest("POST", h.URL+r.path, strings.NewReader(string(r.body)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("If-Match", tag(head))
	for _, want := range []int{201, 412} {
		resp, err := h.Client().Do(req.Clone(context.Background()))
		if err != nil {
			t.Fatal(err)
		}
		if b, err := io.ReadAll(resp.Body); resp.StatusCode != want || resp.ProtoMajor != 2 || err != nil || resp.Header.Get("Strict-Transport-Security") != "max-age=31536000" {
			t.Errorf("got %s %d %s %v %v", resp.Proto, resp.StatusCode, b, err, resp.Header)
		}
		resp.Body.Close()
		req.Body = io.NopCloser(strings.NewReader(string(r.body)))
	}
	resp, err := h.Client().Get(h.URL + "/v1/stones/" + large.ID.String() + "/a")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if b, err := io.ReadAll(resp.Body); err != nil || hashOf(b) != large.ID {
		t.Errorf("got %d bytes, %v", len(b), err)
	}
}

func TestHTTPConfig(t *testing.T) {
	srv, err := server.New(memory.New(memory.Options{}), server.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h := srv.HTTP()
	if h.ReadHeaderTimeout <= 0 || h.IdleTimeout <= 0 || h.WriteTimeout <= 0 || h.MaxHeaderBytes <= 0 || h.Handler != srv {
		t.Errorf("got %+v", h)
	}
	s := newSite(t, server.Options{})
	got, err := s.raw(s.head(request{"GET", "/healthz", nil, []string{"X-Large", strings.Repeat("x", 32<<10)}}, "X-End: 1"), false)
	if err != nil || got.status != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("got %d, %v", got.status, err)
	}
}
