package service

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/http/pprof"
	"strings"
	"sync/atomic"
	"time"

	"github.com/cairnvoxel/cairn/internal/savings"
	"github.com/cairnvoxel/cairn/internal/server/metrics"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/store/history"
)

// certificate is a TLS certificate that can be read from its files again.
type certificate struct {
	cert, key string
	now       atomic.Pointer[tls.Certificate]
}

func newCertificate(cert, key string) (*certificate, error) {
	c := &certificate{cert: cert, key: key}
	return c, c.reload()
}

func (c *certificate) reload() error {
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		return fmt.Errorf("--tls-cert %s with --tls-key %s: %w", c.cert, c.key, err)
	}
	c.now.Store(&pair)
	return nil
}

func (c *certificate) config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.now.Load(), nil }}
}

// debugHandler serves profiles and metrics. It refuses calls that a page of another place makes.
// With near it refuses calls to a host name that is not this machine's, so that no web page can
// reach it through its own DNS name.
func debugHandler(m *metrics.Metrics, near bool) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", m.Handler())
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if near && server.Loopback(r.Host) != nil {
			http.Error(w, "this machine only", http.StatusForbidden)
			return
		}
		if site := r.Header.Get("Sec-Fetch-Site"); r.Header.Get("Origin") != "" || site != "" && site != "same-origin" && site != "none" {
			http.Error(w, "no pages of other places", http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// weigh compares the sizes of the worlds below a folder. What it returns does not name the folder.
func weigh(ctx context.Context, dir string, memory int64) (any, error) {
	r, err := savings.Of(ctx, []string{dir}, savings.Options{Memory: memory})
	if err != nil {
		return nil, err
	}
	below := func(path string) string {
		return strings.Trim(strings.ReplaceAll(path, dir, ""), "/")
	}
	for i := range r.Worlds {
		r.Worlds[i].Path = below(r.Worlds[i].Path)
	}
	for i := range r.Skipped {
		r.Skipped[i] = savings.SkippedWorld{Path: below(r.Skipped[i].Path), Why: below(r.Skipped[i].Why)}
	}
	return r, nil
}

// makeDemo makes the demo worlds that the store does not have, and logs each, because
// each takes seconds.
func (s *service) makeDemo(ctx context.Context, st history.Store) error {
	kinds := []string{"island", "arena", "plots"}
	for i, kind := range kinds {
		name := "demo/" + kind
		_, err := st.Head(ctx, name)
		if errors.Is(err, history.ErrNoWorld) {
			s.log.Info("demo: making a world", "world", name, "number", i+1, "of", len(kinds))
			began := time.Now()
			if err = s.MakeDemo(ctx, kind, name); err == nil {
				s.log.Info("demo: made a world", "world", name, "took", time.Since(began).Round(time.Millisecond))
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
