package client_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/client"
	"github.com/cairnvoxel/cairn/store/history"
)

// answerPlain listens at the address that it returns, and answers all that comes
// without TLS.
func answerPlain(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				_, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n")
				_, _ = io.Copy(io.Discard, c)
			}()
		}
	}()
	return l.Addr().String()
}

// What another try would meet too is said at once, also of a server that answered
// before.
func TestLasting(t *testing.T) {
	secure := httptest.NewUnstartedServer(goodHead)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	open := newFake(t, goodHead)
	known := true
	unknown := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		if known {
			return new(net.Dialer).DialContext(ctx, network, addr)
		}
		return nil, &net.OpError{Op: "dial", Net: network, Err: &net.DNSError{Err: "no such host", Name: "away", IsNotFound: true}}
	}}
	for _, tt := range []struct {
		name, address string
		http          http.RoundTripper
		want          string
	}{
		{"nobody vouches for it", secure.URL, nil, "$SSL_CERT_FILE"},
		{"http to TLS", "http://" + secure.Listener.Addr().String(), nil, "does the address begin with https://?"},
		{"https to none", "https://" + answerPlain(t), nil, "does its address begin with http://?"},
		{"no such host", open.URL, unknown, "no such host"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &clock{at: time.Unix(1e9, 0)}
			o := c.options()
			o.HTTP = tt.http
			s, err := openStore(t.Context(), tt.address, o)
			if err != nil {
				t.Fatal(err)
			}
			if tt.http != nil {
				if _, err := s.Head(t.Context(), "a"); err != nil {
					t.Fatal(err)
				}
				known = false
			}
			if _, err := s.Head(t.Context(), "a"); !plain(err) || !strings.Contains(err.Error(), tt.want) || len(c.waits) > 0 {
				t.Errorf("after %d waits: got %v, want %q", len(c.waits), err, tt.want)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A read that waits for its next try ends with what it reads.
func TestCloseEndsReads(t *testing.T) {
	large := writtenStone(t, "large", 3<<20)
	for name, end := range map[string]func(remoteStore, *history.Opened) error{
		"store": func(s remoteStore, _ *history.Opened) error { return s.Close() },
		"stone": func(_ remoteStore, o *history.Opened) error { return o.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t, serveStones(large))
			waits := make(chan struct{})
			once := sync.OnceFunc(func() { close(waits) })
			s := f.open(func(o *client.Options) {
				o.Cache = stone.NewCache(0)
				o.Wait = func(ctx context.Context, _ time.Duration) error {
					once()
					<-ctx.Done()
					return ctx.Err()
				}
			})
			o, err := s.Open(t.Context(), "w", large.ID)
			if err != nil {
				t.Fatal(err)
			}
			f.mu.Lock()
			f.steps = []http.HandlerFunc{hangUp}
			f.mu.Unlock()
			read := make(chan error, 1)
			go func() {
				_, err := o.ReadAt(make([]byte, 100), 1<<20)
				read <- err
			}()
			<-waits
			if err := end(s, o); err != nil {
				t.Error(err)
			}
			if err := <-read; !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		})
	}
}
