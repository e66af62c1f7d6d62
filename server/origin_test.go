package server_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/store/memory"
)

// Pages of permitted places call the API with a token, and never with a cookie.
func TestOrigins(t *testing.T) {
	const tool = "https://tool.example"
	tokens, secrets := mustTokens(t, token.Token{Role: token.Write})
	s := newSite(t, server.Options{Tokens: tokens, Origins: []string{tool, "http://localhost:3000"}})
	s.mustCommit("a", 1)
	bearer := []string{"Authorization", "Bearer " + secrets[0]}
	ask := func(method string, header ...string) reply { return s.do(request{method, "/v1/head/a", nil, header}) }
	for origin, permitted := range map[string]bool{tool: true, "http://localhost:3000": true, "https://tool.example.evil": false, "http://tool.example": false, "null": false, "https://other": false} {
		got := ask("GET", append([]string{"Origin", origin}, bearer...)...)
		if permitted && (got.status != 200 || got.header.Get("Access-Control-Allow-Origin") != origin) || !permitted && got.header.Get("Access-Control-Allow-Origin") != "" ||
			got.header.Get("Access-Control-Allow-Credentials") != "" || !strings.Contains(got.header.Get("Vary"), "Origin") {
			t.Errorf("%s: got %d %v", origin, got.status, got.header)
		}
		before := ask("OPTIONS", "Origin", origin, "Access-Control-Request-Method", "GET", "Access-Control-Request-Headers", "authorization,if-match")
		if !permitted {
			before.wantCode(t, wire.BadMethod)
			continue
		}
		allowed := strings.Split(before.header.Get("Access-Control-Allow-Headers"), ", ")
		if before.status != 204 || !slices.Contains(allowed, "Authorization") || !slices.Contains(allowed, wire.FenceHeader) || !strings.Contains(before.header.Get("Access-Control-Allow-Methods"), "GET") {
			t.Errorf("%s: before it got %d %v", origin, before.status, before.header)
		}
	}
	if got := ask("GET", "Origin", tool); got.status != 401 || got.header.Get("Access-Control-Allow-Origin") != tool { // the page is told why
		t.Errorf("without a token: got %d %v", got.status, got.header)
	}
	login := s.want(200, request{"POST", "/v1/login", []byte(`{"token":"` + secrets[0] + `"}`), nil}, nil)
	cookie, _, _ := strings.Cut(login.header.Get("Set-Cookie"), ";")
	for _, header := range [][]string{{"Origin", tool}, {"Origin", tool, "Sec-Fetch-Site", "cross-site"}} {
		if got := ask("GET", append(header, "Cookie", cookie)...); got.status != 401 && got.status != 403 {
			t.Errorf("with a cookie: got %d", got.status)
		}
		s.do(request{"POST", "/v1/login", []byte(`{"token":"` + secrets[0] + `"}`), header}).wantCode(t, wire.Forbidden)
	}
	s.get("/v1/nowhere/a", "Origin", tool).wantCode(t, wire.NoRoute)
	if got := s.get("/healthz", "Origin", tool); got.header.Get("Access-Control-Allow-Origin") != "" {
		t.Error("a path outside of the API is for pages of others")
	}
	closed := newSite(t, server.Options{Tokens: tokens})
	if got := closed.get("/v1/worlds", append([]string{"Origin", tool}, bearer...)...); got.header.Get("Access-Control-Allow-Origin") != "" || got.header.Get("Vary") != "Accept-Encoding" {
		t.Errorf("without Origins: %v", got.header)
	}
}

func TestOriginOptions(t *testing.T) {
	for origin, good := range map[string]bool{"*": true, "https://a.example": true, "http://localhost:3000": true, "": false, "a.example": false, "https://a.example/": false, "https://a.example/x": false, "ftp://a": false, "https://A.example": false, "https://u@a": false, "https://a?b": false, "null": false} {
		if err := server.CheckOrigin(origin); (err == nil) != good {
			t.Errorf("%q: %v", origin, err)
		}
	}
	if _, err := server.New(memory.New(memory.Options{}), server.Options{Origins: []string{"*"}}); err == nil {
		t.Error("pages of every place may do everything")
	}
}
