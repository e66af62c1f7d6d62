package server_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
)

// FuzzCommit sends bodies to POST /v1/commits. Whatever they are, the answer is
// one of the API's, a refusal changes nothing, and what is taken can be read.
func FuzzCommit(f *testing.F) {
	st, other := mustStone(f, 1), mustStone(f, 2)
	named := commitOf(history.ID{}, "", st, other)
	for _, r := range []request{
		commitRequest("a", commitOf(history.ID{}, "first", st), st),
		commitRequest("a", commitOf(history.ID{}, ""), []history.Stone{}...),
		commitRequest("a", named, st, other),
		commitRequest("a", named, st),
		commitRequest("a", commitOf(history.ID{1}, "", st), st),
	} {
		f.Add(r.body)
		f.Add(r.body[:len(r.body)/2])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		mem := memory.New(memory.Options{})
		srv, err := server.New(mem, server.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s := &site{t: t, st: mem, srv: srv}
		if err := mem.Create(context.Background(), "a"); err != nil {
			t.Fatal(err)
		}
		s.commitAny(body)
	})
}

func (s *site) commitAny(body []byte) {
	s.t.Helper()
	r := onThisMachine(httptest.NewRequest("POST", "/v1/commits/a", bytes.NewReader(body)))
	r.Header.Set("If-Match", `"0"`)
	w := httptest.NewRecorder()
	s.srv.ServeHTTP(w, r)
	log, err := s.st.Log(context.Background(), "a", history.ID{}, 10)
	if err != nil {
		s.t.Fatal(err)
	}
	got := reply{w.Code, w.Header(), w.Body.Bytes()}
	if w.Code != http.StatusCreated {
		got.wantRefusal(s.t)
		if len(log) != 0 {
			s.t.Errorf("got %d %s, and %d commits", w.Code, w.Body, len(log))
		}
		return
	}
	if len(log) != 1 || got.header.Get("ETag") != tag(log[0].ID()) {
		s.t.Fatalf("got %d commits, ETag %s", len(log), got.header.Get("ETag"))
	}
	for _, ref := range log[0].Stones {
		s.wantStone(ref)
	}
}

// wantStone checks that a stone can be had and read whole.
func (s *site) wantStone(ref history.StoneRef) {
	s.t.Helper()
	r := onThisMachine(httptest.NewRequest("GET", "/v1/stones/"+ref.ID.String()+"/a", nil))
	w := httptest.NewRecorder()
	s.srv.ServeHTTP(w, r)
	if hashOf(w.Body.Bytes()) != ref.ID {
		s.t.Fatalf("got %d %s of stone %v", w.Code, w.Body, ref.ID)
	}
	o, err := stone.Open(bytes.NewReader(w.Body.Bytes()), ref.Size)
	if err == nil {
		err = o.Check(context.Background())
	}
	if err != nil {
		s.t.Errorf("a stone was taken that cannot be read: %v", err)
	}
}

// FuzzCall sends any call to any route.
func FuzzCall(f *testing.F) {
	long.Alone(f)
	for i := range server.Routes() {
		f.Add(i, "a", "", []byte(`{"to":"b","from":"a","at":"1","seconds":1}`), `"0"`, "1")
	}
	f.Add(0, "a/../b", "?n=1&prefix=a", []byte(nil), "", "force")
	f.Fuzz(func(t *testing.T, route int, name, query string, body []byte, match, fence string) {
		all := server.Routes()
		row := all[uint(route)%uint(len(all))]
		mem := memory.New(memory.Options{})
		srv, err := server.New(mem, withMetrics())
		if err != nil {
			t.Fatal(err)
		}
		s := &site{t: t, st: mem, srv: srv}
		s.mustCommit("a", 1)
		r := httptest.NewRequest(row.Method, "/", bytes.NewReader(body))
		r.URL.Path = strings.NewReplacer("ID", mustStone(t, 0).ID.String(), "NAME", name).Replace(row.Path)
		r.URL.RawQuery = query
		r.Header = http.Header{"If-Match": {match}, "Cairn-Fence": {fence}}
		w := httptest.NewRecorder()
		srv.ServeHTTP(w, onThisMachine(r))
		if w.Code >= 400 && w.Code != http.StatusRequestedRangeNotSatisfiable {
			(reply{w.Code, w.Header(), w.Body.Bytes()}).wantRefusal(t)
		} else if !slices.Contains([]int{200, 201, 204, 304, 416}, w.Code) {
			t.Errorf("got %d %s", w.Code, w.Body)
		}
	})
}
