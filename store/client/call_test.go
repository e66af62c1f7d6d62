package client_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/client"
	"github.com/cairnvoxel/cairn/store/history"
)

var sentinels = []error{
	history.ErrNoWorld, history.ErrExists, history.ErrName, history.ErrNoCommit, history.ErrConflict, history.ErrFenced,
	history.ErrLeased, history.ErrGone, context.Canceled, context.DeadlineExceeded,
}

// plain reports whether err is one on which nobody branches.
func plain(err error) bool {
	corrupt := (*stone.CorruptError)(nil)
	return err != nil && !errors.As(err, &corrupt) &&
		!slices.ContainsFunc(sentinels, func(s error) bool { return errors.Is(err, s) })
}

// Reading is tried again after what may pass.
func TestReadAgain(t *testing.T) {
	type steps = []http.HandlerFunc
	for _, tt := range []struct {
		name  string
		steps steps
		calls int
		want  error // errors.ErrUnsupported for one that is plain
	}{
		{"at once", steps{goodHead}, 1, nil},
		{"internal", steps{refuse(wire.Internal), goodHead}, 2, nil},
		{"busy", steps{refuse(wire.Busy), refuse(wire.Draining), goodHead}, 3, nil},
		{"timeout", steps{refuse(wire.Timeout), goodHead}, 2, nil},
		{"a proxy's error", steps{status(502, "<html>"), status(503, ""), status(429, ""), goodHead}, 4, nil},
		{"hung up", steps{hangUp, goodHead}, 2, nil},
		{"cut refusal", steps{cutWith(404), goodHead}, 2, nil},
		{"cut", steps{cutWith(200), cutWith(200), goodHead}, 3, nil},
		{"always cut", steps{cutWith(200)}, 8, errors.ErrUnsupported},
		{"always internal", steps{refuse(wire.Internal)}, 8, errors.ErrUnsupported},
		{"no world", steps{refuse(wire.NoWorld)}, 1, history.ErrNoWorld},
		{"no world in the end", steps{hangUp, refuse(wire.NoWorld)}, 2, history.ErrNoWorld},
		{"forbidden", steps{refuse(wire.Forbidden)}, 1, errors.ErrUnsupported},
		{"full", steps{refuse(wire.Full)}, 1, errors.ErrUnsupported},
		{"a page of no use", steps{status(404, "not found")}, 1, errors.ErrUnsupported},
		{"a code of another status", steps{status(404, `{"error":{"code":"gone"}}`)}, 1, errors.ErrUnsupported},
		{"no JSON", steps{status(200, "<html>")}, 1, errors.ErrUnsupported},
		{"elsewhere", steps{status(302, "")}, 1, errors.ErrUnsupported},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t, tt.steps...)
			h, err := f.open(nil).Head(t.Context(), "a")
			if tt.want == errors.ErrUnsupported && !plain(err) || tt.want != errors.ErrUnsupported && !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			if err == nil && h != aHead {
				t.Errorf("got %+v, want %+v", h, aHead)
			}
			if got := len(f.seen()); got != tt.calls {
				t.Errorf("%d calls, want %d", got, tt.calls)
			}
		})
	}
}

func TestPauses(t *testing.T) {
	ms := func(n ...int) (out []time.Duration) {
		for _, n := range n {
			out = append(out, time.Duration(n)*time.Millisecond)
		}
		return out
	}
	for _, tt := range []struct {
		name   string
		step   http.HandlerFunc
		change func(*client.Options)
		want   []time.Duration
	}{
		{"default", refuse(wire.Busy), nil, ms(50, 100, 200, 400, 800, 1600, 3200)},
		{"by chance", refuse(wire.Busy), func(o *client.Options) { o.Rand, o.Tries = func() float64 { return 0 }, 4 }, ms(25, 50, 100)},
		{"longest", refuse(wire.Internal), func(o *client.Options) { o.Tries = 10 }, ms(50, 100, 200, 400, 800, 1600, 3200, 5000, 5000)},
		{"patience", refuse(wire.Internal), func(o *client.Options) { o.Patience = time.Second }, ms(50, 100, 200, 400)},
		{"told to wait", refuseWith(wire.Busy, "2"), func(o *client.Options) { o.Tries = 3 }, ms(2050, 2100)},
		{"told a time", refuseWith(wire.Busy, time.Unix(1e9+3, 0).UTC().Format(http.TimeFormat)),
			func(o *client.Options) { o.Tries = 3 }, ms(3050, 100)},
		{"told to wait for too long", refuseWith(wire.Draining, "61"), nil, nil},
		{"told nonsense", refuseWith(wire.Draining, "-5"), func(o *client.Options) { o.Tries = 2 }, ms(50)},
	} {
		f := newFake(t, tt.step)
		if _, err := f.open(tt.change).Head(t.Context(), "a"); !plain(err) {
			t.Errorf("%s: got %v", tt.name, err)
		}
		if !slices.Equal(f.clock.waits, tt.want) {
			t.Errorf("%s: waited %v, want %v", tt.name, f.clock.waits, tt.want)
		}
	}
}

// Changes are tried again only if nothing was begun; those that a second time
// does not change, always.
func TestChangeAgain(t *testing.T) {
	s1 := stoneOf("s")
	lease := func(holder string) func(context.Context, remoteStore) error {
		return func(ctx context.Context, s remoteStore) error {
			_, err := s.Lease(ctx, "a", holder, time.Second)
			return err
		}
	}
	for _, tt := range []struct {
		name string
		do   func(context.Context, remoteStore) error
		good http.HandlerFunc
		safe bool
	}{
		{"create", func(ctx context.Context, s remoteStore) error { return s.Create(ctx, "a") }, status(201, ""), false},
		{"rename", func(ctx context.Context, s remoteStore) error { return s.Rename(ctx, "a", "b", 1) }, status(200, ""), false},
		{"delete", func(ctx context.Context, s remoteStore) error { return s.Delete(ctx, "a", 1) }, status(204, ""), false},
		{"undelete", func(ctx context.Context, s remoteStore) error { return s.Undelete(ctx, "a") }, status(200, ""), false},
		{"fork", func(ctx context.Context, s remoteStore) error { return s.Fork(ctx, "a", history.ID{1}, "b") }, status(201, ""), false},
		{"release", func(ctx context.Context, s remoteStore) error { return s.Release(ctx, "a", 3) }, status(200, ""), false},
		{"purge", func(ctx context.Context, s remoteStore) error { _, err := s.Purge(ctx, "a", 3); return err }, say(history.Purged{}), false},
		{"collect", func(ctx context.Context, s remoteStore) error {
			_, err := s.Collect(ctx, history.Policy{})
			return err
		}, say(history.Collected{}), false},
		{"lease of nobody", lease(""), say(wire.Lease{Fence: 1}), false},
		{"lease", lease("ann"), say(wire.Lease{Fence: 1}), true},
		{"renew", func(ctx context.Context, s remoteStore) error {
			_, err := s.Renew(ctx, "a", 1, time.Second)
			return err
		}, say(wire.Lease{Fence: 1}), true},
		{"pack", func(ctx context.Context, s remoteStore) error {
			return s.PutPack(ctx, "a", history.Pack{Upto: history.ID{1}, Stone: ref(s1)}, s1)
		}, status(201, ""), true},
	} {
		for _, step := range []struct {
			name  string
			first http.HandlerFunc
			begun bool
		}{
			{"busy", refuse(wire.Busy), false}, {"draining", refuse(wire.Draining), false},
			{"hung up", hangUp, true}, {"internal", refuse(wire.Internal), true}, {"timeout", refuse(wire.Timeout), true},
			{"a proxy's 503", status(503, "busy"), true},
		} {
			t.Run(tt.name+"/"+step.name, func(t *testing.T) {
				f := newFake(t, step.first, tt.good)
				err := tt.do(t.Context(), f.open(nil))
				want := 2
				if step.begun && !tt.safe {
					want = 1
				}
				if got := len(f.seen()); got != want || (want == 1) != (err != nil) || err != nil && !plain(err) {
					t.Errorf("%d calls and %v, want %d calls", got, err, want)
				}
				if slices.ContainsFunc(f.heads, func(h http.Header) bool { return h.Get(wire.RetryHeader) != "" }) {
					t.Error("says that it is a second try, which is for commits")
				}
			})
		}
	}
}

// Where nobody listened yet it is said at once; a server that goes and comes is
// waited for, for there nothing was begun.
func TestDialAgain(t *testing.T) {
	f := newFake(t, status(201, ""))
	dead := 1
	s := f.open(func(o *client.Options) {
		d := new(net.Dialer)
		o.HTTP = &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			if dead--; dead >= 0 {
				addr = "127.0.0.1:1"
			}
			return d.DialContext(ctx, network, addr)
		}}
	})
	err := s.Create(t.Context(), "a")
	if len(f.clock.waits) != 0 || err == nil || !strings.Contains(err.Error(), "no server listens at 127.0.0.1:") {
		t.Errorf("at first: got %v after %d waits", err, len(f.clock.waits))
	}
	if err := s.Create(t.Context(), "a"); err != nil {
		t.Error(err)
	}
	dead = 2
	if err := s.Create(t.Context(), "a"); err != nil || len(f.clock.waits) != 2 {
		t.Errorf("later: got %v after %d waits", err, len(f.clock.waits))
	}
}

func TestRequests(t *testing.T) {
	f := newFake(t, status(200, ""))
	s := f.open(func(o *client.Options) { o.Token, o.Tries = "secret", 1 })
	ctx, id, a := t.Context(), history.ID{0xAB}, stoneOf("a")
	hex := "ab" + strings.Repeat("0", 62)
	for _, tt := range []struct {
		do   func()
		want string
		head map[string]string
	}{
		{func() { _ = s.Create(ctx, "a/b") }, "PUT /v1/worlds/a/b", nil},
		{func() { _ = s.Delete(ctx, "a", 0) }, "DELETE /v1/worlds/a", map[string]string{"Cairn-Fence": ""}},
		{func() { _ = s.Delete(ctx, "a", history.Force) }, "DELETE /v1/worlds/a", map[string]string{"Cairn-Fence": "force"}},
		{func() { _ = s.Rename(ctx, "a", "b", 12) }, "POST /v1/rename/a", map[string]string{"Cairn-Fence": "12"}},
		{func() { _ = s.Undelete(ctx, "a") }, "POST /v1/undelete/a", nil},
		{func() { _, _ = s.Purge(ctx, "a", 3) }, "POST /v1/purge/a", map[string]string{"Cairn-Fence": "3"}},
		{func() { _ = s.Fork(ctx, "a", id, "b") }, "POST /v1/fork/b", map[string]string{"Content-Type": "application/json"}},
		{func() { _, _ = s.Head(ctx, "a") }, "GET /v1/head/a", map[string]string{"Authorization": "Bearer secret"}},
		{func() { _, _ = s.Log(ctx, "a", id, 9) }, "GET /v1/log/a?n=9&from=" + hex, map[string]string{"Accept": wire.RecordsType}},
		{func() { _, _ = s.Log(ctx, "a", history.ID{}, 1e9) }, "GET /v1/log/a?n=1000", nil},
		{func() { _, _ = s.Stack(ctx, "a", id) }, "GET /v1/stack/a?inline=0&at=" + hex, map[string]string{"Accept": wire.RecordsType}},
		{func() { _, _ = s.Open(ctx, "a", stone.ID(id)) }, "GET /v1/stones/" + hex + "/a", map[string]string{"Range": "bytes=-1048576"}},
		{func() { _, _ = s.List(ctx, "p/", "a&b", 3) }, "GET /v1/worlds?after=a%26b&n=3&prefix=p%2F", nil},
		{func() { _, _ = s.Leased(ctx, "a") }, "GET /v1/leases/a", nil},
		{func() { _, _ = s.Lease(ctx, "a", "h", time.Second) }, "POST /v1/leases/a", nil},
		{func() { _, _ = s.Renew(ctx, "a", 4, time.Second) }, "PUT /v1/leases/a", map[string]string{"Cairn-Fence": "4"}},
		{func() { _ = s.Release(ctx, "a", 4) }, "DELETE /v1/leases/a", map[string]string{"Cairn-Fence": "4"}},
		{func() { _, _ = s.Collect(ctx, history.Policy{}) }, "POST /v1/collect", nil},
		{func() { _, _ = s.Commit(ctx, "a", history.Head{}, history.Commit{}) }, "POST /v1/commits/a",
			map[string]string{"If-Match": `"0"`, "Cairn-Fence": "", "Content-Type": wire.RecordsType, "Cairn-Retry": ""}},
		{func() { _, _ = s.Commit(ctx, "a", history.Head{Commit: id, Fence: 3}, history.Commit{Parent: id}) }, "POST /v1/commits/a",
			map[string]string{"If-Match": `"` + hex + `"`, "Cairn-Fence": "3"}},
		{func() { _ = s.PutPack(ctx, "a", history.Pack{Upto: id, Stone: ref(a)}, a) }, "POST /v1/packs/a", map[string]string{"Content-Type": wire.RecordsType}},
	} {
		n := len(f.seen())
		tt.do()
		if got := f.seen()[n:]; !reflect.DeepEqual(got, []string{tt.want}) {
			t.Errorf("got %q, want %q", got, tt.want)
			continue
		}
		for key, want := range tt.head {
			if got := f.heads[n].Get(key); got != want {
				t.Errorf("%s: %s is %q, want %q", tt.want, key, got, want)
			}
		}
	}
}

// Names that are none and calls whose time is over go nowhere.
func TestNoCall(t *testing.T) {
	f := newFake(t, hangUp)
	s := f.open(nil)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, name := range []string{"", "..", "a/../b", "A", "a?b", "a#b", "a%2fb", "/a", strings.Repeat("a", 65)} {
		if _, err := s.Head(t.Context(), name); !errors.Is(err, history.ErrName) {
			t.Errorf("%q: got %v", name, err)
		}
		if err := s.Rename(t.Context(), "a", name, 0); !errors.Is(err, history.ErrName) {
			t.Errorf("to %q: got %v", name, err)
		}
		if _, err := s.Head(gone, "a"); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: got %v", err)
		}
	}
	if _, err := s.Lease(t.Context(), "a", "\xFF", time.Second); err == nil {
		t.Error("a holder that JSON cannot say: no error")
	}
	if n := len(f.seen()); n != 0 {
		t.Errorf("%d calls", n)
	}
}

func TestContext(t *testing.T) {
	reached, over := make(chan bool, 9), make(chan bool)
	defer close(over)
	hang := func(http.ResponseWriter, *http.Request) { reached <- true; <-over }
	slow := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100")
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte("{"))
		w.(http.Flusher).Flush()
		hang(w, r)
	}
	for name, step := range map[string]http.HandlerFunc{"hangs": hang, "slow": slow} {
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-reached; cancel() }()
		if _, err := newFake(t, step).open(nil).Head(ctx, "a"); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v", name, err)
		}
		f := newFake(t, step, step, goodHead)
		s := f.open(func(o *client.Options) { o.Timeout = 20 * time.Millisecond })
		if h, err := s.Head(t.Context(), "a"); err != nil || h != aHead {
			t.Errorf("%s: after timeouts: got %v, %v", name, h, err)
		}
	}
	f := newFake(t, hang)
	s := f.open(func(o *client.Options) { o.Timeout, o.Tries = 20*time.Millisecond, 2 })
	if err := s.Create(t.Context(), "a"); !plain(err) || len(f.seen()) != 1 {
		t.Errorf("create: got %v after %d calls", err, len(f.seen()))
	}
	ctx, cancel := context.WithCancel(t.Context())
	f = newFake(t, refuse(wire.Busy))
	s = f.open(func(o *client.Options) {
		o.Wait = func(ctx context.Context, _ time.Duration) error { cancel(); return ctx.Err() }
	})
	if _, err := s.Head(ctx, "a"); !errors.Is(err, context.Canceled) || len(f.seen()) != 1 {
		t.Errorf("while waiting: got %v after %d calls", err, len(f.seen()))
	}
}

func TestAddress(t *testing.T) {
	for _, address := range []string{"", "host", "http://", "http:///x", "ftp://host", "http://ann:secret@host", "http://host?secret", "http://host/#x", "http://ho st/secret"} {
		if _, err := openStore(t.Context(), address, client.Options{}); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: got %v", address, err)
		}
	}
	for _, tt := range []struct {
		address, token string
		plain, ok      bool
	}{
		{"http://127.0.0.1:7070", "secret", false, true},
		{"http://[::1]:7070", "secret", false, true},
		{"http://LocalHost", "secret", false, true},
		{"https://cairn.example", "secret", false, true},
		{"http://cairn.example", "secret", false, false},
		{"http://127.0.0.1.example", "secret", false, false},
		{"https://a.example,http://b.example", "secret", false, false},
		{"http://cairn.example", "secret", true, true},
		{"http://cairn.example", "", false, true},
	} {
		s, err := openStore(t.Context(), tt.address, client.Options{Token: tt.token, PlainToken: tt.plain})
		if err != nil && !errors.Is(err, client.ErrPlainToken) || (err == nil) != tt.ok {
			t.Errorf("%s with a token: got %v", tt.address, err)
		}
		if err == nil {
			s.Close()
		}
	}
	f := newFake(t, goodHead)
	s, err := openStore(t.Context(), f.URL+"/below/", client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Head(t.Context(), "a"); err != nil || f.seen()[0] != "GET /below/v1/head/a" {
		t.Errorf("got %v, %q", err, f.seen())
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// A token goes to the server alone, and no error shows it.
func TestToken(t *testing.T) {
	other := newFake(t, goodHead)
	for _, step := range []http.HandlerFunc{
		func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		},
		refuse(wire.Unauthorized), hangUp, status(500, "secret"), status(200, "secret"),
		status(400, `{"error":{"code":"bad_request","message":"x\u001b[2Jy"}}`), status(500, `{"error":{"code":"x\u001b[2Jy"}}`),
	} {
		f := newFake(t, step)
		s := f.open(func(o *client.Options) { o.Token = "secret" })
		_, err := s.Head(t.Context(), "a")
		if err == nil || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("got %v", err)
		}
	}
	if len(other.seen()) > 0 {
		t.Error("followed to another host")
	}
}

// The connections of an own transport, and with them its goroutines, end with
// Close.
func TestCloseLeavesNothing(t *testing.T) {
	f := newFake(t, goodHead)
	s, err := openStore(t.Context(), f.URL, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 8)
	for range cap(done) {
		go func() { _, err := s.Head(t.Context(), "a"); done <- err }()
	}
	for range cap(done) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	for open := map[http.ConnState]int{}; open[http.StateNew] == 0 || open[http.StateNew] > open[http.StateClosed]; {
		select {
		case s := <-f.states:
			open[s]++
		case <-t.Context().Done():
			t.Fatalf("connections stay: %v", open)
		}
	}
}
