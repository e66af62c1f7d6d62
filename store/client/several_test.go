package client_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/inmemory"
	"github.com/cairnvoxel/cairn/internal/store/pair"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/internal/testing/storetest"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/store/client"
	"github.com/cairnvoxel/cairn/store/history"
)

// openBoth returns a Store whose home is the first of several fakes.
func openBoth(t *testing.T, change func(*client.Options), all ...*fake) remoteStore {
	t.Helper()
	o := all[0].clock.options()
	if change != nil {
		change(&o)
	}
	var urls []string
	for _, f := range all {
		urls = append(urls, f.URL)
	}
	s, err := openStore(t.Context(), strings.Join(urls, ","), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

// A call goes on at the next address, without a pause, after what another server may do
// better.
func TestElsewhere(t *testing.T) {
	for _, tt := range []struct {
		name  string
		step  http.HandlerFunc
		calls []int // of each fake
		waits int
	}{
		{"draining", refuse(wire.Draining), []int{1, 1}, 0},
		{"away", refuse(wire.Away), []int{1, 1}, 0},
		{"internal", refuse(wire.Internal), []int{1, 1}, 0},
		{"timeout", refuse(wire.Timeout), []int{1, 1}, 0},
		{"a proxy's error", status(502, "<html>"), []int{1, 1}, 0},
		{"hung up", hangUp, []int{1, 1}, 0},
		{"cut", cutWith(200), []int{1, 1}, 0},
		{"busy", refuse(wire.Busy), []int{8, 0}, 7}, // more servers are no reason for more calls
		{"no world", refuse(wire.NoWorld), []int{1, 0}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			one, two := newFake(t, tt.step), newFake(t, goodHead)
			h, err := openBoth(t, nil, one, two).Head(t.Context(), "a")
			if tt.calls[1] > 0 && (err != nil || h != aHead) || tt.calls[1] == 0 && err == nil {
				t.Errorf("got %+v, %v", h, err)
			}
			if got := []int{len(one.seen()), len(two.seen())}; !slices.Equal(got, tt.calls) || len(one.clock.waits) != tt.waits {
				t.Errorf("got %v calls and %d waits, want %v and %d", got, len(one.clock.waits), tt.calls, tt.waits)
			}
		})
	}
}

// A dead address is avoided, and tried again by one call when its time is over.
func TestAvoid(t *testing.T) {
	one, two := newFake(t, hangUp), newFake(t, goodHead)
	s := openBoth(t, nil, one, two)
	head := func() {
		t.Helper()
		if _, err := s.Head(t.Context(), "a"); err != nil {
			t.Error(err)
		}
	}
	want := func(n, m int) {
		t.Helper()
		if got := []int{len(one.seen()), len(two.seen())}; !slices.Equal(got, []int{n, m}) {
			t.Errorf("got %v calls, want %d and %d", got, n, m)
		}
	}
	pass := func(d time.Duration) { _ = one.clock.wait(context.Background(), d) }
	head()
	want(1, 1)
	head()
	want(1, 2)
	pass(time.Second)
	head()
	want(2, 3)
	pass(900 * time.Millisecond)
	head() // the second failure counts longer
	want(2, 4)
	one.mu.Lock()
	one.steps = []http.HandlerFunc{goodHead}
	one.mu.Unlock()
	pass(time.Second)
	head()
	head()
	want(4, 4)
}

// When no address answers, the Store waits and asks all again.
func TestAllAway(t *testing.T) {
	one, two := newFake(t, refuse(wire.Away)), newFake(t, refuse(wire.Draining), refuse(wire.Away), goodHead)
	s := openBoth(t, nil, one, two)
	if h, err := s.Head(t.Context(), "a"); err != nil || h != aHead || len(one.clock.waits) != 2 {
		t.Errorf("after %d waits: %+v, %v", len(one.clock.waits), h, err)
	}
	two = newFake(t, refuse(wire.Away))
	if _, err := openBoth(t, func(o *client.Options) { o.Tries = 2 }, one, two).Head(t.Context(), "a"); !errors.Is(err, history.ErrAway) {
		t.Errorf("got %v", err)
	}
	if n := len(two.seen()); n != 2 {
		t.Errorf("%d calls", n)
	}
}

// One server says that the store is away, and the other is dead: the error is that of
// the first.
func TestAwayAndDead(t *testing.T) {
	one, two := newFake(t, refuse(wire.Away)), newFake(t, goodHead)
	two.Close()
	if _, err := openBoth(t, func(o *client.Options) { o.Tries = 3 }, one, two).Head(t.Context(), "a"); !errors.Is(err, history.ErrAway) {
		t.Errorf("got %v", err)
	}
}

// Nothing listens at any address: that is said at once.
func TestNobodyListens(t *testing.T) {
	c := &clock{at: time.Unix(1e9, 0)}
	s, err := openStore(t.Context(), "http://127.0.0.1:1,http://127.0.0.1:2", c.options())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Head(t.Context(), "a"); err == nil || !strings.Contains(err.Error(), "no server listens at 127.0.0.1:1, 127.0.0.1:2") || len(c.waits) > 0 {
		t.Errorf("after %d waits: %v", len(c.waits), err)
	}
}

// What must not be done twice goes on only where nothing was begun.
func TestElsewhereOnce(t *testing.T) {
	for _, tt := range []struct {
		name string
		step http.HandlerFunc
		good bool
	}{
		{"draining", refuse(wire.Draining), true}, {"hung up", hangUp, false}, {"away", refuse(wire.Away), false},
	} {
		one, two := newFake(t, tt.step), newFake(t, status(201, ""))
		if err := openBoth(t, nil, one, two).Create(t.Context(), "a"); (err == nil) != tt.good || len(two.seen()) == 1 != tt.good {
			t.Errorf("%s: got %v and %d calls", tt.name, err, len(two.seen()))
		}
	}
}

// fleet is two servers of one catalogue and one bucket, one of which is down at every
// moment. A server that starts has a Store of its own.
type fleet struct {
	t      *testing.T
	behind func() history.Store
	kills  bool // servers are killed by calls

	gate  sync.RWMutex // held for reading by calls that must not be cut off, for writing by a kill
	calls atomic.Int64
	sites [2]*http.Server
	way   *http.Transport

	mu    sync.Mutex
	addrs map[string]string // of the servers that are up, by their names
}

// siteNames are the names of the servers of a fleet, whose ports change.
var siteNames = [2]string{"one:1", "two:2"}

func (f *fleet) dial(ctx context.Context, network, name string) (net.Conn, error) {
	f.mu.Lock()
	at := f.addrs[name]
	f.mu.Unlock()
	if at == "" {
		return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
	}
	return new(net.Dialer).DialContext(ctx, network, at)
}

func (f *fleet) setAddr(i int, at string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.addrs[siteNames[i]] = at
}

func newFleet(t *testing.T, behind func() history.Store) *fleet {
	t.Helper()
	f := &fleet{t: t, behind: behind, kills: true, addrs: make(map[string]string)}
	f.way = &http.Transport{DialContext: f.dial, MaxIdleConnsPerHost: 64}
	for i := range f.sites {
		f.start(i)
	}
	return f
}

// start starts server i.
func (f *fleet) start(i int) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		f.t.Error(err)
		return
	}
	s, err := server.New(f.behind(), server.Options{})
	if err != nil {
		f.t.Error(err)
	}
	f.sites[i] = s.HTTP()
	f.setAddr(i, l.Addr().String())
	next := f.sites[i].Handler
	f.sites[i].Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Host = l.Addr().String()
		f.serve(i, next, w, r)
	})
	go f.sites[i].Serve(l)
}

// killEvery is after how many calls a server is killed.
const killEvery = 101

// serve serves a call, or kills server i before or after it and starts the other one.
func (f *fleet) serve(i int, next http.Handler, w http.ResponseWriter, r *http.Request) {
	n := f.calls.Add(1)
	if n%killEvery != 0 || !f.kills || !f.gate.TryLock() {
		next.ServeHTTP(w, r)
		return
	}
	defer f.gate.Unlock()
	if n%2 == 0 {
		next.ServeHTTP(httptest.NewRecorder(), r)
	}
	if err := f.sites[1-i].Close(); err != nil { // it may be down already
		f.t.Error(err)
	}
	f.start(1 - i)
	f.setAddr(i, "")
	if err := f.sites[i].Close(); err != nil {
		f.t.Error(err)
	}
	f.way.CloseIdleConnections() // a call on one that was cut meanwhile may have begun
	panic(http.ErrAbortHandler)
}

// steady is a Store of a fleet. No server is killed while a call is under way that the
// Store must not repeat.
type steady struct {
	remoteStore
	f *fleet
}

func (s steady) keep() func() {
	s.f.gate.RLock()
	return s.f.gate.RUnlock
}

func (s steady) Create(ctx context.Context, name string) error {
	defer s.keep()()
	return s.remoteStore.Create(ctx, name)
}

func (s steady) Rename(ctx context.Context, from, to string, fence uint64) error {
	defer s.keep()()
	return s.remoteStore.Rename(ctx, from, to, fence)
}

func (s steady) Delete(ctx context.Context, name string, fence uint64) error {
	defer s.keep()()
	return s.remoteStore.Delete(ctx, name, fence)
}

func (s steady) Undelete(ctx context.Context, name string) error {
	defer s.keep()()
	return s.remoteStore.Undelete(ctx, name)
}

func (s steady) Fork(ctx context.Context, from string, at history.ID, name string) error {
	defer s.keep()()
	return s.remoteStore.Fork(ctx, from, at, name)
}

func (s steady) Purge(ctx context.Context, name string, fence uint64) (history.Purged, error) {
	defer s.keep()()
	return s.remoteStore.Purge(ctx, name, fence)
}

func (s steady) Collect(ctx context.Context, p history.Policy) (history.Collected, error) {
	defer s.keep()()
	return s.remoteStore.Collect(ctx, p)
}

func (s steady) Lease(ctx context.Context, name, holder string, d time.Duration) (history.Lease, error) {
	defer s.keep()()
	return s.remoteStore.Lease(ctx, name, holder, d) // repeated, it raises the fence twice
}

func (s steady) Renew(ctx context.Context, name string, fence uint64, d time.Duration) (history.Lease, error) {
	defer s.keep()()
	return s.remoteStore.Renew(ctx, name, fence, d) // repeated, the lease is renewed at two times
}

func (s steady) Release(ctx context.Context, name string, fence uint64) error {
	defer s.keep()()
	return s.remoteStore.Release(ctx, name, fence)
}

func (s steady) Close() error {
	err := s.remoteStore.Close()
	s.f.way.CloseIdleConnections()
	for _, site := range s.f.sites {
		err = errors.Join(err, site.Close())
	}
	return err
}

// TestKilledServers is the contract with servers that are killed all the time, before
// and after what they do, and started again.
func TestKilledServers(t *testing.T) {
	storetest.Run(t, storetest.Kind{
		Open: func(t *testing.T, now func() time.Time) history.Store {
			catalogue, bucket := inmemory.NewCatalogue(), inmemory.NewBucket()
			f := newFleet(t, func() history.Store { return pair.New(catalogue, bucket, pair.Options{Now: now}) })
			c, err := openStore(t.Context(), "http://"+siteNames[0]+",http://"+siteNames[1], client.Options{HTTP: f.way})
			if err != nil {
				t.Fatal(err)
			}
			return steady{c, f}
		},
	})
}

// Old answers are accepted only on request, and only after no address has a true one.
func TestStale(t *testing.T) {
	aged := func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(wire.StaleHeader) == "0" {
			refuse(wire.Away)(w, r)
			return
		}
		w.Header().Set(wire.StaleHeader, "7")
		goodHead(w, r)
	}
	for _, tt := range []struct {
		most  time.Duration
		calls []string
		age   time.Duration
	}{
		{0, []string{"0", "0", "0"}, 0},
		{time.Minute, []string{"0", "60"}, 7 * time.Second},
	} {
		one, two := newFake(t, aged), newFake(t, refuse(wire.Away))
		var age time.Duration
		_, err := openBoth(t, func(o *client.Options) {
			o.Tries, o.Stale, o.OnStale = 3, tt.most, func(_ string, d time.Duration) { age = d }
		}, one, two).Head(t.Context(), "a")
		var said []string
		for _, h := range one.heads {
			said = append(said, h.Get(wire.StaleHeader))
		}
		if (err == nil) != (tt.age > 0) || age != tt.age || !slices.Equal(said, tt.calls) {
			t.Errorf("got %v, age %v, calls %q", err, age, said)
		}
	}
}
