package server_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/store/history"
)

func TestSaveAndLoad(t *testing.T) {
	var saved []string
	s := newSite(t, server.Options{Saved: func(name string, _ uint64) { saved = append(saved, name) }})
	const name = "players/ann/island"
	var head wire.HeadAnswer
	s.want(201, request{method: "PUT", path: "/v1/worlds/" + name}, &head)
	if head != (wire.HeadAnswer{}) {
		t.Errorf("got head %+v of a new world", head)
	}
	st := mustStone(t, 1)
	var c wire.Commit
	got := s.want(201, commitRequest(name, commitOf(history.ID{}, "first", st), st), &c)
	if c.Number != 1 || c.Message != "first" || got.header.Get("ETag") != tag(history.ID(c.ID)) || len(saved) != 1 || saved[0] != name {
		t.Errorf("got %+v, header %v, saved %q", c, got.header, saved)
	}
	got = s.want(200, request{method: "GET", path: "/v1/head/" + name}, &head)
	if head.Commit != c.ID || got.header.Get("ETag") != tag(history.ID(c.ID)) || got.header.Get("Cairn-Fence") != "0" {
		t.Errorf("got head %v and header %v, want %v", head, got.header, c.ID)
	}
	stack, stones := s.mustStack(name, "")
	if wire.HexID(stack.Head.Commit) != c.ID || len(stack.Layers) != 1 || stones != 1 || !bytes.Equal(stack.Data[0], st.Data) {
		t.Errorf("got stack %+v with %d stones", stack, stones)
	}
	if got := s.get("/v1/stones/" + st.ID.String() + "/" + name); !bytes.Equal(got.body, st.Data) {
		t.Errorf("got %d %q", got.status, got.body)
	}
	s.do(commitRequest(name, commitOf(history.ID{}, "again", st), st)).wantCode(t, wire.Conflict)
	if len(saved) != 1 {
		t.Errorf("saved %q", saved)
	}
}

// mustStack returns a stack, and how many stones came with it.
func (s *site) mustStack(name, query string) (f history.Fetched, stones int) {
	s.t.Helper()
	got := s.want(200, request{method: "GET", path: "/v1/stack/" + name + query}, nil)
	f, err := wire.ReadStack(wire.NewRecordReader(bytes.NewReader(got.body), 1<<30), 1<<30)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, data := range f.Data {
		if data != nil {
			stones++
		}
	}
	return f, stones
}

// mustSave makes a commit over the network.
func (s *site) mustSave(r request) history.Commit {
	s.t.Helper()
	r.header = append(slices.Clone(r.header), "Accept", wire.RecordsType)
	got := s.want(201, r, nil)
	log, err := wire.ReadLog(wire.NewRecordReader(bytes.NewReader(got.body), 1<<20), 1)
	if err != nil || len(log) != 1 {
		s.t.Fatalf("got %d commits, %v", len(log), err)
	}
	return log[0]
}

// TestRetry makes commits twice, as who did not hear the answer does.
func TestRetry(t *testing.T) {
	s := newSite(t, server.Options{})
	head := s.mustCommit("a", 1)
	st := mustStone(t, 5)
	first := commitRequest("a", commitOf(head, "mine", st), st)
	again := first
	again.header = append(slices.Clone(first.header), "Cairn-Retry", "1")
	made := s.mustSave(again) // nothing was made before
	s.do(first).wantCode(t, wire.Conflict)
	if got := s.mustSave(again); got.ID() != made.ID() {
		t.Errorf("got %+v, want %+v", got, made)
	}
	next := s.mustSave(commitRequest("a", commitOf(made.ID(), "next", mustStone(t, 6)), mustStone(t, 6)))
	if got := s.mustSave(again); got.ID() != made.ID() {
		t.Errorf("got %+v after another commit, want %+v", got, made)
	}
	other := commitRequest("a", commitOf(head, "another's", st), st)
	other.header = append(other.header, "Cairn-Retry", "1")
	s.do(other).wantCode(t, wire.Conflict)

	// Made under a lease that was lost since: it is there all the same.
	var l wire.Lease
	s.want(201, request{"POST", "/v1/leases/a", []byte(`{"holder":"me","seconds":100}`), nil}, &l)
	leased := commitRequest("a", commitOf(next.ID(), "leased", st), st)
	leased.header = append(leased.header, "Cairn-Fence", fmt.Sprint(l.Fence), "Cairn-Retry", "1")
	made = s.mustSave(leased)
	s.want(204, request{"DELETE", "/v1/leases/a", nil, []string{"Cairn-Fence", fmt.Sprint(l.Fence)}}, nil)
	if got := s.mustSave(leased); got.ID() != made.ID() {
		t.Errorf("got %+v without the lease, want %+v", got, made)
	}
	late := commitRequest("a", commitOf(made.ID(), "late", st), st)
	late.header = append(late.header, "Cairn-Fence", fmt.Sprint(l.Fence), "Cairn-Retry", "1")
	s.do(late).wantCode(t, wire.Fenced)

	// So it is behind more commits than fit a page of the log.
	parent := made.ID()
	for i := range 200 {
		st := mustStone(t, 100+i)
		c, err := s.st.Commit(context.Background(), "a", history.Head{Commit: parent}, commitOf(parent, "", st), st)
		if err != nil {
			t.Fatal(err)
		}
		parent = c.ID()
	}
	if got := s.mustSave(leased); got.ID() != made.ID() {
		t.Errorf("got %+v far below, want %+v", got, made)
	}
}

func TestRestore(t *testing.T) {
	s := newSite(t, server.Options{})
	head := s.mustCommit("a", 3)
	first, err := s.st.Log(context.Background(), "a", history.ID{}, 3)
	if err != nil {
		t.Fatal(err)
	}
	restore := func(body string, header ...string) request {
		return request{"POST", "/v1/restore/a", []byte(body), header}
	}
	s.do(restore(`{"at":"1"}`, "If-Match", `"0"`)).wantCode(t, wire.Conflict)
	var c wire.Commit
	got := s.want(201, restore(`{"at":"1","message":"back","author":"me"}`, "If-Match", tag(head)), &c)
	if c.Number != 4 || c.Base != wire.HexID(first[2].ID()) || c.Parent != wire.HexID(head) || c.Message != "back" || c.Author != "me" || got.header.Get("ETag") != tag(history.ID(c.ID)) {
		t.Errorf("got %+v, %v", c, got.header)
	}
	if stack, _ := s.mustStack("a", ""); len(stack.Layers) != 1 || wire.HexID(stack.Head.Commit) != c.ID {
		t.Errorf("got %+v", stack)
	}
	s.want(201, restore(`{"at":"`+head.String()[:8]+`"}`), nil)
	s.want(201, restore(`{"at":"`+first[0].Time.Format("2006-01-02T15:04:05.000Z07:00")+`"}`), nil)

	var l wire.Lease
	s.want(201, request{"POST", "/v1/leases/a", []byte(`{"seconds":100}`), nil}, &l)
	s.do(restore(`{"at":"1"}`)).wantCode(t, wire.Leased)
	got = s.want(201, restore(`{"at":"1"}`, "Cairn-Fence", fmt.Sprint(l.Fence)), nil)
	if want := fmt.Sprint(l.Fence + 1); got.header.Get("Cairn-Fence") != want {
		t.Errorf("got fence %q, want %q", got.header.Get("Cairn-Fence"), want)
	}
	s.do(restore(`{"at":"1"}`, "Cairn-Fence", fmt.Sprint(l.Fence))).wantCode(t, wire.Fenced)
	s.want(201, restore(`{"at":"1"}`, "Cairn-Fence", "force"), nil)
}

// TestZeroID names a commit by zeros alone, which is none: neither the head nor a
// world before its first.
func TestZeroID(t *testing.T) {
	s := newSite(t, server.Options{})
	s.mustCommit("a", 2)
	zero := history.ID{}.String()
	for _, r := range []request{
		{method: "GET", path: "/v1/stack/a?at=" + zero}, {method: "GET", path: "/v1/log/a?from=" + zero}, {method: "GET", path: "/v1/worlds/a?at=" + zero},
		{method: "POST", path: "/v1/restore/a", body: []byte(`{"at":"` + zero + `"}`)}, {method: "POST", path: "/v1/fork/b", body: []byte(`{"from":"a","at":"` + zero + `"}`)},
	} {
		s.do(r).wantCode(t, wire.NoCommit)
	}
	s.do(request{method: "POST", path: "/v1/fork/b", body: []byte(`{"from":"none","at":"` + zero + `"}`)}).wantCode(t, wire.NoWorld)
}

// TestLog reads a log of many pages in both forms, from its head and from within.
func TestLog(t *testing.T) {
	s := newSite(t, server.Options{})
	s.mustCommit("a", 150)
	all, err := s.st.Log(context.Background(), "a", history.ID{}, 1000)
	if err != nil || len(all) != 150 {
		t.Fatal(len(all), err)
	}
	s.do(request{method: "GET", path: fmt.Sprint("/v1/log/a?n=", wire.MaxLog+1)}).wantCode(t, wire.BadRequest)
	for _, from := range []int{0, 1, 63, 64, 86, 149} {
		for _, n := range []int{1, 63, 64, 65, 128, 129, wire.MaxLog} {
			want := all[from:min(len(all), from+n)]
			query := fmt.Sprintf("/v1/log/a?n=%d", n)
			if from > 0 {
				query += "&from=" + all[from].ID().String()
			}
			var got struct{ Commits []wire.Commit }
			s.want(200, request{method: "GET", path: query}, &got)
			if !slices.EqualFunc(got.Commits, want, func(a wire.Commit, b history.Commit) bool { return history.ID(a.ID) == b.ID() }) {
				t.Errorf("%s: got %d commits, want %d", query, len(got.Commits), len(want))
			}
			records := s.get(query, "Accept", wire.RecordsType)
			log, err := wire.ReadLog(wire.NewRecordReader(bytes.NewReader(records.body), 1<<30), n)
			if err != nil || !slices.EqualFunc(log, want, func(a, b history.Commit) bool { return a.ID() == b.ID() }) {
				t.Errorf("%s: got %d records, want %d: %v", query, len(log), len(want), err)
			}
		}
	}
	var def struct{ Commits []wire.Commit }
	if s.want(200, request{method: "GET", path: "/v1/log/a"}, &def); len(def.Commits) != 100 {
		t.Errorf("got %d commits by default", len(def.Commits))
	}
	s.mustCommit("empty", 0)
	if got := s.get("/v1/log/empty"); strings.TrimSpace(string(got.body)) != `{"commits":[]}` {
		t.Errorf("got %s", got.body)
	}
}

func TestLeases(t *testing.T) {
	s := newSite(t, server.Options{})
	s.mustCommit("a", 1)
	if got := s.get("/v1/leases/a"); strings.TrimSpace(string(got.body)) != "null" {
		t.Errorf("got %s", got.body)
	}
	take := func(body string) request { return request{"POST", "/v1/leases/a", []byte(body), nil} }
	var l, again wire.Lease
	got := s.want(201, take(`{"holder":"me","seconds":100}`), &l)
	if l.Fence != 1 || l.Holder != "me" || got.header.Get("Cairn-Fence") != "1" {
		t.Errorf("got %+v, %v", l, got.header)
	}
	s.do(take(`{"holder":"you","seconds":100}`)).wantCode(t, wire.Leased)
	if s.want(200, request{method: "GET", path: "/v1/leases/a"}, &again); again.Fence != 1 || !again.Until.Equal(l.Until.Time) {
		t.Errorf("got %+v, want %+v", again, l)
	}
	if s.want(200, request{"PUT", "/v1/leases/a", []byte(`{"seconds":1e18}`), []string{"Cairn-Fence", "1"}}, &again); !again.Until.After(l.Until.Time) {
		t.Errorf("got %+v after %+v was renewed", again, l)
	}
	s.do(request{"PUT", "/v1/leases/a", []byte(`{"seconds":1}`), nil}).wantCode(t, wire.Fenced)
	s.do(request{"DELETE", "/v1/worlds/a", nil, nil}).wantCode(t, wire.Leased)
	s.want(204, request{"DELETE", "/v1/leases/a", nil, []string{"Cairn-Fence", "1"}}, nil)
	if s.want(201, take(`{"holder":"you","seconds":0.001}`), &l); l.Fence < 2 {
		t.Errorf("got %+v", l)
	}
}

func TestNames(t *testing.T) {
	s := newSite(t, server.Options{})
	for _, name := range []string{"a", "a/b", "a/c", "b"} {
		s.want(201, request{method: "PUT", path: "/v1/worlds/" + name}, nil)
	}
	for query, want := range map[string]string{
		"":               `{"worlds":["a","a/b","a/c","b"],"more":false}`,
		"?n=4":           `{"worlds":["a","a/b","a/c","b"],"more":false}`,
		"?n=3":           `{"worlds":["a","a/b","a/c"],"more":true}`,
		"?prefix=a/":     `{"worlds":["a/b","a/c"],"more":false}`,
		"?after=a/b":     `{"worlds":["a/c","b"],"more":false}`,
		"?prefix=z":      `{"worlds":[],"more":false}`,
		"?after=%ff%00":  `{"worlds":[],"more":false}`,
		"?prefix=%2e%2e": `{"worlds":[],"more":false}`,
	} {
		if got := s.get("/v1/worlds" + query); strings.TrimSpace(string(got.body)) != want {
			t.Errorf("%q: got %d %s, want %s", query, got.status, got.body, want)
		}
	}
	s.want(204, request{"POST", "/v1/rename/b", []byte(`{"to":"c"}`), nil}, nil)
	s.want(204, request{method: "DELETE", path: "/v1/worlds/c"}, nil)
	s.do(request{method: "GET", path: "/v1/head/c"}).wantCode(t, wire.NoWorld)
	s.want(204, request{method: "POST", path: "/v1/undelete/c"}, nil)
	var p history.Purged
	if s.want(200, request{method: "POST", path: "/v1/purge/c"}, &p); p.Worlds != 1 {
		t.Errorf("got %+v", p)
	}
	s.do(request{method: "POST", path: "/v1/undelete/c"}).wantCode(t, wire.NoWorld)
}

// TestDeleted: the worlds that can be undeleted are listed, those deleted last first, for a token
// those of its prefixes.
func TestDeleted(t *testing.T) {
	tokens, secrets := mustTokens(t, token.Token{Role: token.Write, Prefixes: []string{"in"}}, token.Token{Role: token.Admin}, token.Token{Role: token.Read},
		token.Token{Role: token.Write, Prefixes: []string{"in"}, Limits: token.Quota{Worlds: 9}})
	s := newSite(t, server.Options{Tokens: tokens})
	with := func(i int) []string { return []string{"Authorization", "Bearer " + secrets[i]} }
	for _, name := range []string{"in/b", "inn", "in", "out", "stays"} {
		s.want(201, request{"PUT", "/v1/worlds/" + name, nil, with(1)}, nil)
		if name != "stays" {
			s.want(204, request{"DELETE", "/v1/worlds/" + name, nil, with(1)}, nil)
		}
	}
	for _, tt := range []struct {
		who   int
		query string
		want  []string
	}{
		{1, "", []string{"out", "in", "inn", "in/b"}}, {1, "?prefix=inn", []string{"inn"}},
		{0, "?prefix=in", []string{"in", "in/b"}}, {0, "?prefix=in/", []string{"in/b"}},
		{3, "?prefix=in", []string{"in", "in/b"}},
	} {
		var got struct {
			Deleted []struct {
				World   string
				Deleted time.Time
			}
		}
		s.want(200, request{"GET", "/v1/deleted" + tt.query, nil, with(tt.who)}, &got)
		var names []string
		for _, d := range got.Deleted {
			names = append(names, d.World)
		}
		if slices.Sort(names); !slices.Equal(names, slices.Sorted(slices.Values(tt.want))) {
			t.Errorf("%s lists %q, want %q", tt.query, names, tt.want)
		}
	}
	s.do(request{"GET", "/v1/deleted", nil, with(0)}).wantCode(t, wire.Forbidden)
	s.do(request{"GET", "/v1/deleted", nil, with(2)}).wantCode(t, wire.Forbidden)
}

// TestAuthorOfToken: a commit that names no author is by the note of its token.
func TestAuthorOfToken(t *testing.T) {
	tokens, secrets := mustTokens(t, token.Token{Role: token.Write, Note: "ann"})
	s := newSite(t, server.Options{Tokens: tokens})
	with := []string{"Authorization", "Bearer " + secrets[0]}
	body := mustSlime(t, madeUp(t, 1))
	for _, tt := range []struct{ query, want string }{{"", "ann"}, {"?author=bob", "bob"}} {
		var got imported
		changed := madeUp(t, 1)
		if tt.want == "bob" {
			changeOne(changed)
			body = mustSlime(t, changed)
		}
		if s.want(200, request{"POST", "/v1/import/a" + tt.query, body, with}, &got); got.Commit.Author != tt.want {
			t.Errorf("%s: the author is %q, want %q", tt.query, got.Commit.Author, tt.want)
		}
	}
	var back wire.Commit
	if s.want(201, request{"POST", "/v1/restore/a", []byte(`{"at":"1"}`), with}, &back); back.Author != "ann" {
		t.Errorf("who went back is %q", back.Author)
	}
}
