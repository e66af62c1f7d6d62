package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/server"
)

var echoPages = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	fmt.Fprintf(w, "page %s", r.URL.Path)
})

// TestWebPages asks for pages without a token: what is outside of the API is a page, what
// is in it stays as it is.
func TestWebPages(t *testing.T) {
	tokens, _ := mustTokens(t, token.Token{Role: token.Admin})
	s := newSite(t, server.Options{Tokens: tokens, Pages: echoPages, Limits: server.Limits{StrangerRate: -1}})
	for _, path := range []string{"/", "/world/a/b", "/3d/a?at=3&x=1.5", "/assets/app.js", "/v1x", "/v2/head/a"} {
		got := s.want(200, request{method: "GET", path: path}, nil)
		want, _, _ := strings.Cut(path, "?")
		if string(got.body) != "page "+want {
			t.Errorf("%s: got %q", path, got.body)
		}
		if got := s.want(200, request{method: "HEAD", path: path}, nil); len(got.body) != 0 {
			t.Errorf("%s: got a body for HEAD", path)
		}
	}
	for path, want := range map[string]wire.Code{
		"/v1": wire.NoRoute, "/v1/": wire.NoRoute, "/v1/nothing": wire.NoRoute, "/v1/worlds": wire.Unauthorized, "/metrics": wire.Unauthorized,
	} {
		s.get(path).wantCode(t, want)
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS"} {
		s.do(request{method: method, path: "/"}).wantCode(t, wire.NoRoute)
	}
	s.want(200, request{method: "GET", path: "/healthz"}, nil)
}

// TestWebPagesOnLoopback has no tokens: a page is for this machine alone, but a link on
// another page may lead to it.
func TestWebPagesOnLoopback(t *testing.T) {
	s := newSite(t, server.Options{Pages: echoPages})
	for _, header := range [][]string{{"Host", "evil.example"}, {"Host", "127.0.0.1:1"}, {"X-Forwarded-For", "192.0.2.1"}, {"Via", "1.1 front"}} {
		s.get("/", header...).wantCode(t, wire.Forbidden)
	}
	for _, header := range [][]string{nil, {"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"}, {"Sec-Fetch-Site", "same-origin"}} {
		if got := s.get("/", header...); got.status != 200 {
			t.Errorf("%q: got %d", header, got.status)
		}
	}
}
