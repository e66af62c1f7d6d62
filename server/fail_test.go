package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"syscall"
	"testing"

	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
)

// failing is a Store whose Head fails.
type failing struct {
	history.Store
	head func(context.Context) (history.Head, error)
}

func (f *failing) Head(ctx context.Context, name string) (history.Head, error) { return f.head(ctx) }

// TestFaultsOfTheStore holds what callers hear, and what the log has, of errors
// below the server.
func TestFaultsOfTheStore(t *testing.T) {
	const secret = "/var/lib/cairn/secret-path"
	for _, tt := range []struct {
		name   string
		err    error
		want   wire.Code
		logged bool
	}{
		{"unknown", errors.New("open " + secret), wire.Internal, true},
		{"disk", fmt.Errorf("write %s: %w", secret, syscall.ENOSPC), wire.Full, true},
		{"damage", fmt.Errorf("read %s: %w", secret, &stone.CorruptError{Part: "page", Err: errors.New("checksum does not match")}), wire.Corrupt, true},
		{"sentinel", fmt.Errorf("%s: %w", secret, history.ErrGone), wire.Gone, false},
		{"time", fmt.Errorf("%s: %w", secret, context.DeadlineExceeded), wire.Timeout, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var log bytes.Buffer
			st := &failing{Store: memory.New(memory.Options{}), head: func(context.Context) (history.Head, error) { return history.Head{}, tt.err }}
			s := newSiteOf(t, st, server.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
			got := s.get("/v1/head/a")
			got.wantCode(t, tt.want)
			if strings.Contains(string(got.body)+fmt.Sprint(got.header), "secret") {
				t.Errorf("a stranger is told %s", got.body)
			}
			number := got.header.Get("Cairn-Request")
			if logged := strings.Contains(log.String(), secret); logged != tt.logged || (number != "") != tt.logged || !strings.Contains(log.String(), number) {
				t.Errorf("got number %q and log %q", number, log.String())
			}
			if strings.Count(log.String(), "\n") > 1 {
				t.Errorf("logged more than once: %s", log.String())
			}
		})
	}
}

// decayed is a Store that cannot keep commits for damage of its own.
type decayed struct{ history.Store }

func (decayed) Commit(context.Context, string, history.Head, history.Commit, ...history.Stone) (history.Commit, error) {
	return history.Commit{}, &stone.CorruptError{Part: "record", Err: errors.New("kept badly")}
}

// TestWhoseDamage tells damage of what was sent, which is not for the log, from
// damage of what is kept.
func TestWhoseDamage(t *testing.T) {
	var log bytes.Buffer
	s := newSiteOf(t, decayed{memory.New(memory.Options{})}, server.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	st := mustStone(t, 1)
	r := commitRequest("a", commitOf(history.ID{}, "", st), st)
	for _, body := range [][]byte{nil, r.body[:len(r.body)-1], append(bytes.Clone(r.body), 0)} {
		s.do(request{r.method, r.path, body, r.header}).wantCode(t, wire.Corrupt)
		if log.Len() > 0 {
			t.Errorf("logged: %s", log.String())
		}
	}
	s.do(r).wantCode(t, wire.Corrupt)
	if !strings.Contains(log.String(), "kept badly") {
		t.Errorf("logged: %q", log.String())
	}
}

func TestPanicIsInternal(t *testing.T) {
	var log bytes.Buffer
	st := &failing{Store: memory.New(memory.Options{}), head: func(context.Context) (history.Head, error) { panic("broken invariant") }}
	s := newSiteOf(t, st, server.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	got := s.get("/v1/head/a")
	got.wantCode(t, wire.Internal)
	if bytes.Contains(got.body, []byte("invariant")) || !strings.Contains(log.String(), "broken invariant") {
		t.Errorf("got %s, log %s", got.body, log.String())
	}
}

// TestCodes makes each code that a Store of its own can bring about.
func TestCodes(t *testing.T) {
	s := newSite(t, server.Options{Limits: server.Limits{StoneBytes: 4 << 10}})
	head := s.mustCommit("a", 2)
	none := strings.Repeat("0", 63) + "1"
	good := mustStone(t, 5)
	broken := history.Stone{ID: good.ID, Data: append([]byte(nil), good.Data...)}
	broken.Data[len(broken.Data)/2] ^= 1
	other := mustStone(t, 6)
	lying := commitOf(head, "", good)
	lying.Stones[0].Size++
	commit := func(c history.Commit, stones ...history.Stone) request { return commitRequest("a", c, stones...) }
	with := func(r request, header ...string) request { r.header = append(r.header, header...); return r }
	unmatched := commit(commitOf(head, "", good), good)
	unmatched.header = nil
	for _, tt := range []struct {
		name string
		r    request
		want wire.Code
	}{
		{"no world", request{method: "GET", path: "/v1/head/b"}, wire.NoWorld},
		{"no commit", request{method: "GET", path: "/v1/log/a?from=" + none}, wire.NoCommit},
		{"no commit to stack", request{method: "GET", path: "/v1/stack/a?at=" + none}, wire.NoCommit},
		{"no version", request{method: "POST", path: "/v1/restore/a", body: []byte(`{"at":"9"}`)}, wire.NoCommit},
		{"no name of a version", request{method: "POST", path: "/v1/restore/a", body: []byte(`{"at":"yesterday"}`)}, wire.BadRequest},
		{"no version at all", request{method: "POST", path: "/v1/restore/a", body: []byte(`{}`)}, wire.BadRequest},
		{"long message", request{method: "POST", path: "/v1/restore/a", body: []byte(`{"at":"1","author":"` + strings.Repeat("x", 300) + `"}`)}, wire.BadRequest},
		{"no route", request{method: "GET", path: "/v2/head/a"}, wire.NoRoute},
		{"bad method", request{method: "PUT", path: "/v1/head/a"}, wire.BadMethod},
		{"exists", request{method: "PUT", path: "/v1/worlds/a"}, wire.Exists},
		{"conflict", commit(commitOf(history.ID{}, "", good), good), wire.Conflict},
		{"conflict of a delete", request{"DELETE", "/v1/worlds/a", nil, []string{"If-Match", `"0"`}}, wire.Conflict},
		{"fenced", with(commit(commitOf(head, "", good), good), "Cairn-Fence", "3"), wire.Fenced},
		{"gone", request{method: "GET", path: "/v1/stones/" + none + "/a"}, wire.Gone},
		{"a stone of nobody by name", commit(commitOf(head, "", good)), wire.Gone},
		{"bad name", request{method: "PUT", path: "/v1/worlds/A"}, wire.BadName},
		{"query", request{method: "GET", path: "/v1/log/a?n=0"}, wire.BadRequest},
		{"query of letters", request{method: "GET", path: "/v1/log/a?n=ten"}, wire.BadRequest},
		{"query twice", request{method: "GET", path: "/v1/log/a?n=1&n=2"}, wire.BadRequest},
		{"query escaped badly", request{method: "GET", path: "/v1/log/a?n=%zz"}, wire.BadRequest},
		{"id", request{method: "GET", path: "/v1/stones/xyz/a"}, wire.BadRequest},
		{"id in capitals", request{method: "GET", path: "/v1/stones/" + strings.ToUpper(good.ID.String()) + "/a"}, wire.BadRequest},
		{"needs match", unmatched, wire.NeedsMatch},
		{"match of anything", with(unmatched, "If-Match", "*"), wire.BadRequest},
		{"match without quotes", with(unmatched, "If-Match", head.String()), wire.BadRequest},
		{"weak match", with(unmatched, "If-Match", "W/"+tag(head)), wire.BadRequest},
		{"two matches", with(unmatched, "If-Match", tag(head), "If-Match", tag(head)), wire.BadRequest},
		{"parent", request{"POST", "/v1/commits/a", commit(commitOf(head, "", good), good).body, []string{"If-Match", `"0"`}}, wire.BadRequest},
		{"corrupt stone", commit(commitOf(head, "", history.Stone{ID: hashOf(broken.Data), Data: broken.Data}), history.Stone{ID: hashOf(broken.Data), Data: broken.Data}), wire.Corrupt},
		{"no stone", commit(commitOf(head, "", history.Stone{ID: hashOf([]byte("x")), Data: []byte("x")}), history.Stone{ID: hashOf([]byte("x")), Data: []byte("x")}), wire.Corrupt},
		{"wrong stone", commit(commitOf(head, "", good), broken), wire.BadRequest},
		{"stone nobody named", commit(commitOf(head, "", good), other), wire.BadRequest},
		{"one stone too many", commit(commitOf(head, "", good), good, other), wire.Corrupt},
		{"size", commit(lying, good), wire.BadRequest},
		{"no commit in the body", request{"POST", "/v1/commits/a", nil, []string{"If-Match", tag(head)}}, wire.Corrupt},
		{"too large", commit(commitOf(head, strings.Repeat("m", 5<<10), good), good), wire.TooLarge},
		{"JSON", request{method: "POST", path: "/v1/rename/a", body: []byte(`{"to":"b"`)}, wire.BadRequest},
		{"JSON of another kind", request{method: "POST", path: "/v1/rename/a", body: []byte(`{"to":7}`)}, wire.BadRequest},
		{"two values of JSON", request{method: "POST", path: "/v1/rename/a", body: []byte(`{"to":"b"}{}`)}, wire.BadRequest},
		{"large JSON", request{method: "POST", path: "/v1/rename/a", body: []byte(`{"to":"` + strings.Repeat("b", 65<<10) + `"}`)}, wire.TooLarge},
		{"deep JSON", request{method: "POST", path: "/v1/rename/a", body: []byte(`{"to":` + strings.Repeat("[", 60<<10))}, wire.BadRequest},
		{"lease of no time", request{method: "POST", path: "/v1/leases/a", body: []byte(`{"seconds":0}`)}, wire.BadRequest},
		{"lease of less", request{method: "POST", path: "/v1/leases/a", body: []byte(`{"seconds":-1e300}`)}, wire.BadRequest},
		{"lease of no number", request{method: "POST", path: "/v1/leases/a", body: []byte(`{"seconds":1e999}`)}, wire.BadRequest},
		{"holder", request{method: "POST", path: "/v1/leases/a", body: []byte(`{"seconds":1,"holder":"` + strings.Repeat("h", 257) + `"}`)}, wire.BadRequest},
		{"renewal of nothing", request{"PUT", "/v1/leases/a", []byte(`{"seconds":1}`), []string{"Cairn-Fence", "1"}}, wire.Fenced},
		{"release of nothing", request{"DELETE", "/v1/leases/a", nil, []string{"Cairn-Fence", "1"}}, wire.Fenced},
		{"pack of nothing", request{method: "POST", path: "/v1/packs/a", body: packBody(t, history.Pack{}, good)}, wire.BadRequest},
		{"pack of no commit", request{method: "POST", path: "/v1/packs/a", body: packBody(t, history.Pack{Upto: history.ID{1}}, good)}, wire.NoCommit},
		{"fork of nothing", request{method: "POST", path: "/v1/fork/b", body: []byte(`{"from":"c"}`)}, wire.NoWorld},
		{"fork of no name", request{method: "POST", path: "/v1/fork/b", body: []byte(`{"from":"../a"}`)}, wire.BadName},
		{"fork over a world", request{method: "POST", path: "/v1/fork/a", body: []byte(`{"from":"a"}`)}, wire.Exists},
		{"metrics that nobody takes", request{method: "GET", path: "/metrics"}, wire.NoRoute},
	} {
		t.Run(tt.name, func(t *testing.T) { s.do(tt.r).wantCode(t, tt.want) })
	}
	if h, err := s.st.Head(context.Background(), "a"); err != nil || h != (history.Head{Commit: head}) {
		t.Errorf("got head %v, %v: something was done", h, err)
	}
}

// TestHostileNames tries paths that are no names.
func TestHostileNames(t *testing.T) {
	s := newSite(t, server.Options{})
	s.mustCommit("a/b", 1)
	for _, path := range []string{
		"", "/", "a/", "/a", "a//b", "A", "a/B", "%61", "a%2f", "a%2F%2fb", "a%252fb", "..", "a/..", "a/../b", "%2e%2e", "a/%2e%2e/b", ".", "a/./b", "a%00", "%00",
		"a%0ab", "a%20b", "a+b", "a;b", "a:b", "a\\b", "a%5cb", "é", "%ff", "%ef%bc%8f", "a/b/c/d/e/f/g/h/i",
		strings.Repeat("a", 65), "b/" + strings.Repeat("a", 65), strings.Repeat("a/", 5000) + "a", "a*", "~", "@a", "a@1", "$", "con:",
	} {
		for _, r := range server.Routes() {
			if !strings.HasSuffix(r.Path, "/NAME") {
				continue
			}
			where := strings.NewReplacer("ID", strings.Repeat("0", 64), "NAME", path).Replace(r.Path)
			got := s.do(request{method: r.Method, path: where})
			if got.header.Get("Location") != "" {
				t.Errorf("%s %q: sent to %s", r.Method, where, got.header.Get("Location"))
			}
			got.wantCode(t, wire.BadName)
		}
	}
	names, err := s.st.List(context.Background(), "", "", 10)
	if err != nil || len(names) != 1 {
		t.Errorf("got worlds %q, %v", names, err)
	}
}

// TestFaultsInWords holds what callers read of bodies and queries that are wrong.
func TestFaultsInWords(t *testing.T) {
	s := newSite(t, server.Options{})
	s.mustCommit("a", 1)
	for _, tt := range []struct{ method, path, body, want string }{
		{"POST", "/v1/fork/b", ``, "it is empty"},
		{"POST", "/v1/fork/b", `{"from":"a"`, "ends too early"},
		{"POST", "/v1/fork/b", `[]`, "all of it cannot be of type array"},
		{"POST", "/v1/fork/b", `{"from":1}`, "from cannot be of type number"},
		{"POST", "/v1/fork/b", `{"form":"a"}`, `unknown field "form"`},
		{"POST", "/v1/fork/b", `from=a`, "at byte 2"},
		{"POST", "/v1/fork/b", `{"from":"a"} {}`, "more than one value"},
		{"GET", "/v1/log/a?x=1", ``, `no query parameter "x"`},
		{"GET", "/v1/log/a?n=1&n=2", ``, `"n" is given more than once`},
		{"POST", "/v1/import/a?salvage=yes", `x`, "from 0 to 1"},
	} {
		got := s.do(request{method: tt.method, path: tt.path, body: []byte(tt.body)})
		var r wire.Refusal
		if err := json.Unmarshal(got.body, &r); err != nil || r.Error.Code != wire.BadRequest || !strings.Contains(r.Error.Message, tt.want) {
			t.Errorf("%s %s %s: got %s, want %q", tt.method, tt.path, tt.body, got.body, tt.want)
		}
	}
}

func TestPathsThatAreNone(t *testing.T) {
	s := newSite(t, server.Options{})
	for _, path := range []string{"/", "//", "/v1", "/v1/", "/v1//", "/v1/head", "/v1//head/a", "/v1/./head/a", "/v1/nothing/a", "/V1/head/a", "/v1/Head/a", "/healthz/", "/x/../v1/head/a", "/v1/collect/a", "/v1/openapi.json/x", "/debug/pprof/"} {
		got := s.get(path)
		if got.header.Get("Location") != "" {
			t.Errorf("%q: sent to %s", path, got.header.Get("Location"))
		}
		got.wantCode(t, wire.NoRoute)
	}
}
