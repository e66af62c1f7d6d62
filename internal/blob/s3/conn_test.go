package s3_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cairnvoxel/cairn/internal/blob/s3"
)

// TestConnections uses one connection for calls one after the other.
func TestConnections(t *testing.T) {
	var opened atomic.Int64
	server := httptest.NewUnstartedServer(newFake())
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	b, err := s3.Open(t.Context(), options(server.URL))
	if err != nil {
		t.Fatal(err)
	}
	body := strings.Repeat("body", 10_000)
	for range 10 {
		if err := b.Put(t.Context(), "k", section(body)); err != nil {
			t.Fatal(err)
		}
		for _, n := range []int64{-1, 40_000, 30_000, 0} {
			if _, err := b.Get(t.Context(), "k", 0, n); err != nil {
				t.Fatal(err)
			}
			if _, err := b.Get(t.Context(), "k", 10_000, min(n, 20_000)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := b.Get(t.Context(), "none", 0, -1); err == nil {
			t.Fatal("a key that is not there")
		}
		if _, err := b.List(t.Context(), "", "", 9); err != nil {
			t.Fatal(err)
		}
		if err := b.Delete(t.Context(), "k"); err != nil {
			t.Fatal(err)
		}
	}
	if n := opened.Load(); n > 1 {
		t.Errorf("%d connections", n)
	}
}
