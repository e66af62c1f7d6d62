package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// caller is who makes a call in TestRoles.
type caller struct {
	name     string
	secret   string // "" for no header
	role     token.Role
	prefixes []string
	bound    bool // to a box in the world of the only prefix
}

// TestRoles tries each caller on each route of the table.
func TestRoles(t *testing.T) {
	callers := []caller{
		{name: "nobody"}, {name: "unknown", secret: "cairn_00000000000000000000000000000000"},
		{name: "reader", role: token.Read}, {name: "writer", role: token.Write}, {name: "admin", role: token.Admin},
		{name: "reader below", role: token.Read, prefixes: []string{"in"}}, {name: "writer below", role: token.Write, prefixes: []string{"in"}},
		{name: "admin below", role: token.Admin, prefixes: []string{"elsewhere", "in"}},
		{name: "bound", role: token.Read, prefixes: []string{"in/w"}, bound: true},
	}
	var want []token.Token
	for _, c := range callers[2:] {
		tok := token.Token{Role: c.role, Prefixes: c.prefixes}
		if c.bound {
			tok.Dimension, tok.Box = "a", token.BlockBox{Max: geom.Point{X: 16, Y: 16, Z: 16}}
		}
		want = append(want, tok)
	}
	tokens, secrets := mustTokens(t, want...)
	for i, secret := range secrets {
		callers[i+2].secret = secret
	}
	s := newSite(t, server.Options{Tokens: tokens, Limits: server.Limits{StrangerRate: -1}})
	for _, r := range server.Routes() {
		for _, c := range callers {
			for _, world := range []string{"in/w", "in", "out/w", "inx/w", "i"} {
				t.Run(fmt.Sprintf("%s %s/%s/%s", r.Method, r.Path, c.name, world), func(t *testing.T) {
					s.t = t
					s.tryRole(r, c, world)
				})
				if !strings.HasSuffix(r.Path, "/NAME") {
					break
				}
			}
		}
	}
}

func (s *site) tryRole(r server.RouteInfo, c caller, name string) {
	_ = s.st.Create(context.Background(), name) // it may be there
	path := strings.NewReplacer("ID", strings.Repeat("0", 64), "NAME", name).Replace(r.Path)
	var header []string
	if c.secret != "" {
		header = []string{"Authorization", "Bearer " + c.secret}
	}
	got := s.do(request{r.Method, path, nil, header})
	var refusal wire.Refusal
	_ = json.Unmarshal(got.body, &refusal) // may be no JSON
	s.wantRole(r, c, name, refusal.Error.Code)
}

// wantRole holds an answer's code to the rules of API.md.
func (s *site) wantRole(r server.RouteInfo, c caller, name string, got wire.Code) {
	s.t.Helper()
	about := strings.HasSuffix(r.Path, "/NAME")
	inside := len(c.prefixes) == 0 || about && (name == "in" && !c.bound || strings.HasPrefix(name, "in/")) || r.Own
	var want wire.Code
	switch {
	case r.Role == token.Nobody: // POST /v1/login without a token is a bad request
	case c.role == token.Nobody:
		want = wire.Unauthorized
	case c.role < r.Role, c.bound && !r.Part, !inside: // of what is about no world, /v1/worlds needs a prefix and the rest all of them
		want = wire.Forbidden
	}
	refused := got == wire.Unauthorized || got == wire.Forbidden
	if refused && got != want || !refused && want != "" {
		s.t.Errorf("got %q, want %q", got, want)
	}
}

// TestOtherNames tries prefixes on names that stand in bodies and the query.
func TestOtherNames(t *testing.T) {
	tokens, secrets := mustTokens(t, token.Token{Role: token.Write, Prefixes: []string{"in"}}, token.Token{Role: token.Admin})
	s := newSite(t, server.Options{Tokens: tokens})
	s.mustCommit("in/w", 1)
	s.mustCommit("out/w", 1)
	as := func(secret, method, path, body string) reply {
		t.Helper()
		return s.do(request{method, path, []byte(body), []string{"Authorization", "bearer " + secret}})
	}
	for _, tt := range []struct {
		method, path, body string
		want               wire.Code
	}{
		{"POST", "/v1/fork/in/x", `{"from":"out/w"}`, wire.Forbidden},
		{"POST", "/v1/fork/out/x", `{"from":"in/w"}`, wire.Forbidden},
		{"POST", "/v1/rename/in/w", `{"to":"out/x"}`, wire.Forbidden},
		{"POST", "/v1/rename/in/w", `{"to":"inx"}`, wire.Forbidden},
		{"POST", "/v1/rename/in/w", `{"to":"in/../out/x"}`, wire.BadName},
		{"GET", "/v1/worlds", "", wire.Forbidden},
		{"GET", "/v1/worlds?prefix=i", "", wire.Forbidden},
		{"GET", "/v1/worlds?prefix=inx/", "", wire.Forbidden},
	} {
		t.Run(tt.method+" "+tt.path+" "+tt.body, func(t *testing.T) {
			as(secrets[0], tt.method, tt.path, tt.body).wantCode(t, tt.want)
		})
	}
	for _, name := range []string{"in", "in-x", "inx"} {
		s.mustCommit(name, 1)
	}
	for query, want := range map[string]string{
		"prefix=in/":         `{"worlds":["in/w"],"more":false}`,
		"prefix=in":          `{"worlds":["in","in/w"],"more":false}`,
		"prefix=in&n=1":      `{"worlds":["in"],"more":true}`,
		"prefix=in&after=in": `{"worlds":["in/w"],"more":false}`,
	} {
		if got := as(secrets[0], "GET", "/v1/worlds?"+query, ""); string(got.body) != want+"\n" {
			t.Errorf("%s: got %d %s", query, got.status, got.body)
		}
	}
	if got := as(secrets[0], "POST", "/v1/fork/in/x", `{"from":"in/w"}`); got.status != 201 {
		t.Errorf("got %d %s", got.status, got.body)
	}
	if got := as(secrets[1], "POST", "/v1/rename/in/x", `{"to":"out/x"}`); got.status != 204 {
		t.Errorf("got %d %s", got.status, got.body)
	}
}

func TestForceIsForAdmins(t *testing.T) {
	tokens, secrets := mustTokens(t, token.Token{Role: token.Write}, token.Token{Role: token.Admin})
	s := newSite(t, server.Options{Tokens: tokens})
	s.mustCommit("a", 1)
	for _, tt := range []struct {
		fence string
		admin bool
		want  wire.Code
	}{
		{"force", false, wire.Forbidden}, {"18446744073709551615", false, wire.BadRequest}, {"18446744073709551615", true, wire.BadRequest},
		{"-1", true, wire.BadRequest}, {"", true, wire.BadRequest}, {"0x1", true, wire.BadRequest}, {"7", true, wire.Fenced},
	} {
		secret := secrets[0]
		if tt.admin {
			secret = secrets[1]
		}
		s.do(request{"DELETE", "/v1/worlds/a", nil, []string{"Authorization", "Bearer " + secret, "Cairn-Fence", tt.fence}}).wantCode(t, tt.want)
	}
	s.want(204, request{"DELETE", "/v1/worlds/a", nil, []string{"Authorization", "Bearer " + secrets[1], "Cairn-Fence", "force"}}, nil)
}

// TestTimesAreForAdmins gives versions a time: others restore a world to what it was at one.
func TestTimesAreForAdmins(t *testing.T) {
	tokens, secrets := mustTokens(t, token.Token{Role: token.Write}, token.Token{Role: token.Admin})
	s := newSite(t, server.Options{Tokens: tokens})
	old := time.Date(2019, 3, 4, 10, 0, 0, 0, time.UTC)
	body := mustCairn(t, madeUp(t, 1))
	importAt := func(secret, at string) request {
		return request{"POST", "/v1/import/a?time=" + at, body, []string{"Authorization", "Bearer " + secret}}
	}
	s.do(importAt(secrets[0], "2019-03-04T10:00")).wantCode(t, wire.Forbidden)
	s.do(importAt(secrets[1], "yesterday")).wantCode(t, wire.BadRequest)
	s.do(importAt(secrets[1], "2999-01-01")).wantCode(t, wire.BadRequest)
	var made imported
	s.want(200, importAt(secrets[1], "2019-03-04T10:00"), &made)
	if !made.Commit.Time.Equal(old) || made.Commit.Number != 1 {
		t.Errorf("imported: %+v", made.Commit)
	}
	head := history.ID(made.Commit.ID)
	commitAt := func(secret string, at time.Time) request {
		st := mustStone(t, 1)
		c := commitOf(head, "later", st)
		c.Time = at
		r := commitRequest("a", c, st)
		r.header = append(r.header, "Authorization", "Bearer "+secret)
		return r
	}
	s.do(commitAt(secrets[0], old.Add(time.Hour))).wantCode(t, wire.Forbidden)
	early := s.do(commitAt(secrets[1], old.Add(-time.Hour)))
	if early.wantCode(t, wire.BadRequest); !strings.Contains(string(early.body), "2019-03-04T09:00:00Z is before 2019-03-04T10:00:00Z, the time of version 1") {
		t.Errorf("before the last: %s", early.body)
	}
	s.want(201, commitAt(secrets[1], old.Add(time.Hour)), nil)
	log, err := s.st.Log(t.Context(), "a", history.ID{}, 9)
	if err != nil || len(log) != 2 || !log[0].Time.Equal(old.Add(time.Hour)) {
		t.Errorf("the log has %v, %v", log, err)
	}
}

func TestAuthorizationHeader(t *testing.T) {
	tokens, secrets := mustTokens(t, token.Token{Role: token.Admin})
	s := newSite(t, server.Options{Tokens: tokens, Limits: server.Limits{StrangerRate: -1}})
	secret := secrets[0]
	for _, h := range [][]string{
		{}, {"Authorization", secret}, {"Authorization", "Bearer " + strings.ToUpper(secret)}, {"Authorization", "Bearer  " + secret},
		{"Authorization", "Basic " + secret}, {"Authorization", "Bearer " + secret, "Authorization", "Bearer " + secret},
		{"Authorization", "Bearer " + secret + strings.Repeat("x", 5000)}, {"Authorization", "Bearer "}, {"Authorization", "Bearer " + secret[:len(secret)-1]},
	} {
		got := s.get("/v1/worlds", h...)
		got.wantCode(t, wire.Unauthorized)
		if got.header.Get("WWW-Authenticate") == "" {
			t.Errorf("%q: no WWW-Authenticate", h)
		}
	}
	if got := s.get("/v1/worlds", "Authorization", "BEARER "+secret); got.status != 200 {
		t.Errorf("got %d", got.status)
	}
}

// TestReload takes a token away and gives another while the Server runs.
func TestReload(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens")
	one, first, err := token.New(token.Token{Role: token.Read, Note: "one"})
	if err != nil {
		t.Fatal(err)
	}
	two, second, err := token.New(token.Token{Role: token.Read, Note: "two"})
	if err != nil {
		t.Fatal(err)
	}
	if err := token.WriteFile(path, []token.Token{first}); err != nil {
		t.Fatal(err)
	}
	tokens, err := token.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s := newSite(t, server.Options{Tokens: tokens})
	status := func(secret string) int { return s.get("/v1/worlds", "Authorization", "Bearer "+secret).status }
	if a, b := status(one), status(two); a != 200 || b != 401 {
		t.Errorf("got %d, %d", a, b)
	}
	if err := token.WriteFile(path, []token.Token{second}); err != nil {
		t.Fatal(err)
	}
	if err := tokens.Reload(); err != nil {
		t.Fatal(err)
	}
	if a, b := status(one), status(two); a != 401 || b != 200 {
		t.Errorf("got %d, %d after Reload", a, b)
	}
}

func TestLoopback(t *testing.T) {
	for addr, want := range map[string]bool{
		"127.0.0.1:7070": true, "127.8.9.1:1": true, "[::1]:7070": true, "localhost:0": true, "[::ffff:127.0.0.1]:1": true, "LOCALHOST:1": true,
		":7070": false, "0.0.0.0:7070": false, "[::]:7070": false, "192.168.0.1:7070": false, "example.org:80": false, "localhost.example.org:1": false, "127.0.0.1": false, "": false,
	} {
		if err := server.Loopback(addr); (err == nil) != want {
			t.Errorf("%q: got %v", addr, err)
		}
	}
}

// TestPages sends what a browser sends for pages of this and of other places.
func TestPages(t *testing.T) {
	s := newSite(t, server.Options{})
	host := strings.TrimPrefix(s.url, "http://")
	_, port, _ := strings.Cut(host, ":")
	for _, tt := range []struct {
		name   string
		header []string
		want   bool
	}{
		{"a program", nil, true},
		{"localhost", []string{"Host", "localhost:" + port}, true},
		{"IPv6", []string{"Host", "[::1]:" + port}, true},
		{"a name made to point here", []string{"Host", "evil.example:" + port}, false},
		{"a name below localhost", []string{"Host", "evil.localhost:" + port}, false},
		{"another port", []string{"Host", "127.0.0.1:1"}, false},
		{"no port", []string{"Host", "127.0.0.1"}, false},
		{"user", []string{"Host", "127.0.0.1:" + port + "@evil.example"}, false},
		{"another page", []string{"Origin", "https://evil.example"}, false},
		{"a page without a place", []string{"Origin", "null"}, false},
		{"another port's page", []string{"Origin", "http://127.0.0.1:1"}, false},
		{"another scheme's page", []string{"Origin", "https://" + host}, false},
		{"two origins", []string{"Origin", "http://" + host, "Origin", "http://" + host}, false},
		{"our page", []string{"Origin", "http://" + host, "Sec-Fetch-Site", "same-origin"}, true},
		{"typed", []string{"Sec-Fetch-Site", "none"}, true},
		{"a link", []string{"Sec-Fetch-Site", "cross-site"}, false},
		{"a page of this machine", []string{"Sec-Fetch-Site", "same-site"}, false},
		{"through a proxy", []string{"X-Forwarded-For", "192.0.2.1"}, false},
		{"through a proxy by its name", []string{"Via", "1.1 front"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := s.get("/v1/worlds", tt.header...)
			switch {
			case tt.want && got.status != http.StatusOK:
				t.Errorf("got %d %s", got.status, got.body)
			case !tt.want && got.status == http.StatusBadRequest: // net/http does not take such a Host
			case !tt.want:
				got.wantCode(t, wire.Forbidden)
			}
		})
	}
}

// TestRouted is reached at its loopback address by another machine, as rules for
// packets can make it.
func TestRouted(t *testing.T) {
	srv, err := server.New(memory.New(memory.Options{}), server.Options{})
	if err != nil {
		t.Fatal(err)
	}
	at := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7070}
	for remote, want := range map[string]int{"127.0.0.1:5": 200, "[::1]:5": 200, "[::ffff:127.0.0.1]:5": 200, "192.0.2.1:5": 403, "": 403} {
		r := httptest.NewRequest("GET", "http://127.0.0.1:7070/v1/worlds", nil)
		r.RemoteAddr = remote
		w := httptest.NewRecorder()
		srv.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, at)))
		if w.Code != want {
			t.Errorf("from %q: got %d, want %d", remote, w.Code, want)
		}
	}
}
