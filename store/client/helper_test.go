package client_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/store/client"
	"github.com/cairnvoxel/cairn/store/history"
)

// clock is time that passes only where a Store waits.
type clock struct {
	mu    sync.Mutex
	at    time.Time
	waits []time.Duration
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) wait(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
	c.waits = append(c.waits, d)
	return ctx.Err()
}

// options are those of a Store that never really waits and rolls no dice.
func (c *clock) options() client.Options {
	return client.Options{Now: c.now, Wait: c.wait, Rand: func() float64 { return 1 }}
}

// fake is a server that does what is written down: the steps, one for each call,
// the last for all that come after.
type fake struct {
	*httptest.Server
	t     *testing.T
	clock *clock
	// states are those that connections come to.
	states chan http.ConnState

	mu    sync.Mutex
	steps []http.HandlerFunc
	calls []string // method, path and query
	heads []http.Header
}

func newFake(t *testing.T, steps ...http.HandlerFunc) *fake {
	f := &fake{t: t, steps: steps, clock: &clock{at: time.Unix(1e9, 0)}, states: make(chan http.ConnState, 100)}
	f.Server = httptest.NewUnstartedServer(f)
	f.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		select {
		case f.states <- s:
		default: // nobody looks at so many
		}
	}
	f.Start()
	t.Cleanup(f.Close)
	return f
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.calls = append(f.calls, r.Method+" "+r.URL.RequestURI())
	f.heads = append(f.heads, r.Header.Clone())
	step := f.steps[0]
	if len(f.steps) > 1 {
		f.steps = f.steps[1:]
	}
	f.mu.Unlock()
	step(w, r)
}

func (f *fake) seen() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls
}

// remoteStore is what a Store of Open can do.
type remoteStore interface {
	history.Store
	history.Fetcher
	history.Archiver
	Packs() bool
}

func openStore(ctx context.Context, address string, o client.Options) (remoteStore, error) {
	s, err := client.Open(ctx, address, o)
	if err != nil {
		return nil, err
	}
	return s.(remoteStore), nil
}

// open returns a Store of the fake, which is closed with the test.
func (f *fake) open(change func(*client.Options)) remoteStore {
	f.t.Helper()
	o := f.clock.options()
	if change != nil {
		change(&o)
	}
	s, err := openStore(f.t.Context(), f.URL, o)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() {
		if err := s.Close(); err != nil {
			f.t.Errorf("close: %v", err)
		}
	})
	return s
}

// Steps of a fake.

func refuse(code wire.Code) http.HandlerFunc { return refuseWith(code, "") }

func refuseWith(code wire.Code, after string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if after != "" {
			w.Header().Set("Retry-After", after)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code.Status())
		_ = json.NewEncoder(w).Encode(wire.Refusal{Error: wire.Error{Code: code, Message: "so it is"}})
	}
}

func status(n int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if body != "" {
			w.Header().Set("Content-Type", "text/html")
		}
		w.WriteHeader(n)
		_, _ = io.WriteString(w, body)
	}
}

// hangUp takes the call and answers nothing.
func hangUp(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// cutWith sends the beginning of an answer.
func cutWith(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(`{"commit":`))
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
}

func say(v any) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v)
	}
}

func sayRecords(b *wire.Body) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", wire.RecordsType)
		w.Header().Set("Content-Length", fmt.Sprint(b.Size()))
		w.Header().Set(wire.FenceHeader, "7")
		_, _ = b.WriteTo(w)
	}
}

var goodHead = say(wire.HeadAnswer{Commit: wire.HexID{1}, Fence: 2})

var aHead = history.Head{Commit: history.ID{1}, Fence: 2}

func stoneOf(data string) history.Stone {
	return history.Stone{ID: sha256.Sum256([]byte(data)), Data: []byte(data)}
}

func ref(s history.Stone) history.StoneRef {
	return history.StoneRef{ID: s.ID, Size: int64(len(s.Data))}
}

func commitOf(message string, stones ...history.Stone) history.Commit {
	c := history.Commit{Parent: history.ID{1}, Base: history.ID{2}, Number: 3, Time: time.UnixMilli(1234).UTC(), Author: "ann", Message: message}
	for _, s := range stones {
		c.Stones = append(c.Stones, ref(s))
	}
	return c
}

func refused(err error, want wire.Code) bool {
	code, ok := wire.CodeOf(err)
	return ok && code == want
}
