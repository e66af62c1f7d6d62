package server_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/server"
)

// login logs in and returns the cookie as a header's value.
func (s *site) login(secret string, header ...string) (reply, *http.Cookie) {
	s.t.Helper()
	got := s.want(200, request{"POST", "/v1/login", []byte(`{"token":"` + secret + `"}`), header}, nil)
	cookies := (&http.Response{Header: got.header}).Cookies()
	if len(cookies) != 1 {
		s.t.Fatalf("got cookies %v", cookies)
	}
	return got, cookies[0]
}

// TestLogin logs in, makes calls with the cookie, and logs out.
func TestLogin(t *testing.T) {
	tokens, secrets := mustTokens(t, token.Token{Role: token.Write, Prefixes: []string{"in"}, Note: "ann"}, token.Token{Role: token.Admin})
	s := newSite(t, server.Options{Tokens: tokens, Limits: server.Limits{StrangerRate: -1}})
	got, cookie := s.login(secrets[0])
	if want := `{"role":"write","prefixes":["in"],"note":"ann"}` + "\n"; string(got.body) != want {
		t.Errorf("got %s, want %s", got.body, want)
	}
	if cookie.Name != "cairn" || !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Secure || cookie.Path != "/" || cookie.MaxAge != 12*3600 || cookie.Domain != "" {
		t.Errorf("got %v", cookie)
	}
	if strings.Contains(cookie.Value, secrets[0]) || len(cookie.Value) < 26 {
		t.Errorf("got the id %q", cookie.Value)
	}
	over := []string{"Origin", strings.Replace(s.url, "http:", "https:", 1)}
	if _, under := s.login(secrets[0], over...); !under.Secure || under.Name != "__Host-cairn" || under.Path != "/" || under.Domain != "" {
		t.Errorf("behind TLS: got %v", under)
	}
	for cookie, want := range map[string]int{"cairn=" + cookie.Value: 401, "__Host-cairn=" + cookie.Value: 200} { // the first may be planted
		s.want(want, request{"GET", "/v1/login", nil, []string{"X-Forwarded-Proto", "https", "Cookie", cookie}}, nil)
	}
	with := []string{"Cookie", "cairn=" + cookie.Value}
	s.want(200, request{"GET", "/v1/login", nil, with}, nil)
	s.want(200, request{"GET", "/v1/worlds?prefix=in", nil, with}, nil)
	s.do(request{"GET", "/v1/worlds", nil, with}).wantCode(t, wire.Forbidden)
	if got := s.get("/v1/login", append(with, "Authorization", "Bearer "+secrets[1])...); !strings.Contains(string(got.body), "admin") {
		t.Errorf("a header beside the cookie: got %s", got.body)
	}
	s.get("/v1/login", append(with, "Authorization", "Bearer none")...).wantCode(t, wire.Unauthorized)

	out := s.want(204, request{"DELETE", "/v1/login", nil, append(with, "Origin", s.url)}, nil)
	if c := (&http.Response{Header: out.header}).Cookies(); len(c) != 1 || c[0].MaxAge >= 0 || c[0].Value != "" {
		t.Errorf("got cookies %v", c)
	}
	s.get("/v1/login", with...).wantCode(t, wire.Unauthorized)
	s.want(204, request{"DELETE", "/v1/login", nil, nil}, nil)

	for body, want := range map[string]wire.Code{
		`{"token":"cairn_x"}`: wire.Unauthorized, `{"token":""}`: wire.Unauthorized, `{}`: wire.BadRequest, ``: wire.BadRequest, `{"token":1}`: wire.BadRequest,
		`{"token":"` + strings.Repeat("x", 70_000) + `"}`: wire.TooLarge,
	} {
		got := s.do(request{"POST", "/v1/login", []byte(body), nil})
		got.wantCode(t, want)
		if len((&http.Response{Header: got.header}).Cookies()) > 0 {
			t.Errorf("%.40s: a cookie", body)
		}
	}
}

// TestLoginReplaced logs in twice from one browser: the first session ends.
func TestLoginReplaced(t *testing.T) {
	tokens, secrets := mustTokens(t, token.Token{Role: token.Read})
	s := newSite(t, server.Options{Tokens: tokens})
	_, first := s.login(secrets[0])
	_, second := s.login(secrets[0], "Cookie", "cairn="+first.Value, "Sec-Fetch-Site", "same-origin")
	s.get("/v1/login", "Cookie", "cairn="+first.Value).wantCode(t, wire.Unauthorized)
	s.want(200, request{"GET", "/v1/login", nil, []string{"Cookie", "cairn=" + second.Value}}, nil)
}

// TestCookiePages sends what browsers send for pages of this and of other places.
func TestCookiePages(t *testing.T) {
	tokens, secrets := mustTokens(t, token.Token{Role: token.Admin})
	s := newSite(t, server.Options{Tokens: tokens, Limits: server.Limits{StrangerRate: -1}})
	_, cookie := s.login(secrets[0])
	host := strings.TrimPrefix(s.url, "http://")
	for _, tt := range []struct {
		name          string
		header        []string
		read, changes bool
	}{
		{"a program", nil, true, false},
		{"our page", []string{"Sec-Fetch-Site", "same-origin", "Origin", s.url}, true, true},
		{"our page, TLS ends at a proxy", []string{"Origin", "https://" + host}, true, true},
		{"our page, without Sec-Fetch-Site", []string{"Origin", s.url}, true, true},
		{"our page, without Origin", []string{"Sec-Fetch-Site", "same-origin"}, true, true},
		{"typed", []string{"Sec-Fetch-Site", "none"}, true, false},
		{"another page", []string{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"}, false, false},
		{"another page, without Sec-Fetch-Site", []string{"Origin", "https://evil.example"}, false, false},
		{"a page beside ours", []string{"Sec-Fetch-Site", "same-site", "Origin", "http://127.0.0.1:1"}, false, false},
		{"another port", []string{"Origin", "http://127.0.0.1:1"}, false, false},
		{"a page without a place", []string{"Origin", "null"}, false, false},
		{"a name that ends like ours", []string{"Origin", "http://evil" + host}, false, false},
		{"a user", []string{"Origin", "http://" + host + "@evil.example"}, false, false},
		{"two origins", []string{"Origin", s.url, "Origin", s.url}, false, false},
		{"an empty origin", []string{"Origin", ""}, false, false},
		{"two sites", []string{"Sec-Fetch-Site", "same-origin", "Sec-Fetch-Site", "cross-site"}, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.t = t
			header := append([]string{"Cookie", "cairn=" + cookie.Value + "; __Host-cairn=" + cookie.Value}, tt.header...)
			for r, want := range map[string]bool{"GET /v1/worlds": tt.read, "POST /v1/leases/none": tt.changes, "PUT /v1/worlds/A": tt.changes} {
				method, path, _ := strings.Cut(r, " ")
				var refusal wire.Refusal
				got := s.do(request{method, path, nil, header})
				_ = json.Unmarshal(got.body, &refusal) // may be no refusal
				if admitted := refusal.Error.Code != wire.Forbidden && refusal.Error.Code != wire.Unauthorized; admitted != want {
					t.Errorf("%s: got %d %s", r, got.status, got.body)
				}
			}
			header[0], header[1] = "Authorization", "Bearer "+secrets[0]
			if got := s.get("/v1/worlds", header...); got.status != 200 {
				t.Errorf("with the token in a header: got %d", got.status)
			}
		})
	}
	s.do(request{"POST", "/v1/login", []byte(`{"token":"` + secrets[0] + `"}`), []string{"Origin", "https://evil.example"}}).wantCode(t, wire.Forbidden)
	s.do(request{"DELETE", "/v1/login", nil, []string{"Origin", "https://evil.example", "Cookie", "cairn=" + cookie.Value}}).wantCode(t, wire.Forbidden)
	s.want(200, request{"GET", "/v1/login", nil, []string{"Cookie", "cairn=" + cookie.Value}}, nil)
}

// TestLoginGuessed guesses tokens and sessions: the rate of strangers bounds all
// guesses together.
func TestLoginGuessed(t *testing.T) {
	tokens, secrets := mustTokens(t, token.Token{Role: token.Read})
	s := newSite(t, server.Options{Tokens: tokens, Limits: server.Limits{StrangerRate: 1e-9}})
	guess := request{"POST", "/v1/login", []byte(`{"token":"cairn_guess"}`), nil}
	s.do(guess).wantCode(t, wire.Unauthorized)
	for _, again := range []request{guess, {"GET", "/v1/login", nil, []string{"Cookie", "cairn=guess"}}, {"GET", "/v1/worlds", nil, nil}} {
		s.do(again).wantCode(t, wire.Busy)
	}
	// Who logs in is a stranger until the body is read; who has a token is none.
	s.do(request{"POST", "/v1/login", []byte(`{"token":"` + secrets[0] + `"}`), nil}).wantCode(t, wire.Busy)
	s.want(200, request{"GET", "/v1/login", nil, []string{"Authorization", "Bearer " + secrets[0]}}, nil)
}

// TestLoginCalls counts the calls of a login back.
func TestLoginCalls(t *testing.T) {
	tokens, secrets := mustTokens(t, token.Token{Role: token.Read})
	s := newSite(t, server.Options{Tokens: tokens, Limits: server.Limits{Calls: 2}})
	for range 5 {
		s.login(secrets[0])
	}
	if n := tokens.Find(secrets[0]).Calls.Load(); n != 0 {
		t.Errorf("got %d calls in progress", n)
	}
}

// TestLoginOnLoopback has no tokens: everybody on this machine is an administrator.
func TestLoginOnLoopback(t *testing.T) {
	s := newSite(t, server.Options{})
	for _, method := range []string{"POST", "GET"} {
		body := []byte(nil)
		if method == "POST" {
			body = []byte(`{"token":"any"}`)
		}
		got := s.want(200, request{method, "/v1/login", body, []string{"Origin", s.url}}, nil)
		if string(got.body) != `{"role":"admin","prefixes":[],"note":""}`+"\n" || got.header.Get("Set-Cookie") != "" {
			t.Errorf("got %s, %v", got.body, got.header)
		}
		s.do(request{method, "/v1/login", body, []string{"Host", "evil.example"}}).wantCode(t, wire.Forbidden)
	}
}
