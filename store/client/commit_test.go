package client_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
)

// meddler stands between a client and a server, and loses what it is told to.
type meddler struct {
	t    *testing.T
	next http.Handler
	// lose says of the n-th commit, from 0, what gets lost: the call before it was
	// made, the answer after it, or nothing.
	lose  func(n int) string
	after func() // called after a commit whose answer gets lost
	// before is called before a call that gets lost, outside of what the meddler guards.
	before func()

	mu    sync.Mutex
	calls []http.Header // of commits
}

// met notes a call and returns what of it gets lost.
func (m *meddler) met(h http.Header) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls = append(m.calls, h.Clone())
	return m.lose(len(m.calls) - 1)
}

func (m *meddler) seen() []http.Header {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.calls)
}

func (m *meddler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasPrefix(r.URL.Path, "/v1/commits/") {
		m.next.ServeHTTP(w, r)
		return
	}
	switch m.met(r.Header) {
	case "call":
		if m.before != nil {
			m.before()
		}
		panic(http.ErrAbortHandler)
	case "answer":
		m.next.ServeHTTP(httptest.NewRecorder(), r)
		if m.after != nil {
			m.after()
		}
		panic(http.ErrAbortHandler)
	case "half":
		rec := httptest.NewRecorder()
		m.next.ServeHTTP(rec, r)
		w.Header().Set("Content-Type", wire.RecordsType)
		w.Header().Set("Content-Length", rec.Header().Get("Content-Length"))
		w.WriteHeader(rec.Code)
		_, _ = w.Write(rec.Body.Bytes()[:10])
		panic(http.ErrAbortHandler)
	}
	m.next.ServeHTTP(w, r)
}

func newMeddler(t *testing.T, lose func(int) string) (*meddler, remoteStore, history.Store) {
	t.Helper()
	behind := memory.New(memory.Options{})
	s, err := server.New(behind, server.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := &meddler{t: t, next: s, lose: lose}
	f := newFake(t, m.ServeHTTP)
	return m, f.open(nil), behind
}

// realStone is a stone that a server takes.
func realStone(t testing.TB, text string) history.Stone {
	t.Helper()
	return writtenStone(t, text, 0)
}

// A commit whose answer is lost is made once, whatever gets lost, and beside
// whatever comes between.
func TestCommitLost(t *testing.T) {
	for _, tt := range []struct {
		name  string
		lost  []string
		after func(ctx context.Context, behind history.Store) error
		fence bool
	}{
		{"nothing", nil, nil, false},
		{"the call", []string{"call"}, nil, false},
		{"the answer", []string{"answer"}, nil, false},
		{"half an answer", []string{"half"}, nil, false},
		{"all in turn", []string{"call", "answer", "call", "half", "answer"}, nil, false},
		{"under a lease", []string{"answer", "call", "answer"}, nil, true},
		{"another comes after", []string{"answer"}, func(ctx context.Context, behind history.Store) error {
			h, err := behind.Head(ctx, "a")
			if err == nil {
				_, err = behind.Commit(ctx, "a", h, history.Commit{Parent: h.Commit, Base: h.Commit, Message: "later"})
			}
			return err
		}, false},
		{"another takes a lease", []string{"answer"}, func(ctx context.Context, behind history.Store) error {
			_, err := behind.Lease(ctx, "a", "bob", time.Hour)
			return err
		}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx := t.Context()
			m, s, behind := newMeddler(t, func(n int) string {
				if n < len(tt.lost) {
					return tt.lost[n]
				}
				return ""
			})
			if tt.after != nil {
				m.after = func() {
					if err := tt.after(ctx, behind); err != nil {
						t.Error(err)
					}
				}
			}
			if err := s.Create(ctx, "a"); err != nil {
				t.Fatal(err)
			}
			var base history.Head
			if tt.fence {
				l, err := s.Lease(ctx, "a", "ann", time.Hour)
				if err != nil {
					t.Fatal(err)
				}
				base.Fence = l.Fence
			}
			st := realStone(t, "x")
			c, err := s.Commit(ctx, "a", base, history.Commit{Message: "once", Stones: []history.StoneRef{ref(st)}}, st)
			if err != nil || c.Number != 1 || c.Message != "once" {
				t.Fatalf("got %+v, %v", c, err)
			}
			log, err := behind.Log(ctx, "a", history.ID{}, 9)
			if err != nil || !reflect.DeepEqual(log[len(log)-1], c) {
				t.Errorf("got log %+v, %v, want %+v in it", log, err, c)
			}
			if times := len(slices.DeleteFunc(log, func(c history.Commit) bool { return c.Message != "once" })); times != 1 {
				t.Errorf("made %d times", times)
			}
			for i, h := range m.seen() {
				if got := h.Get(wire.RetryHeader) != ""; got != (i > 0) {
					t.Errorf("try %d says it is a second: %v", i+1, got)
				}
			}
		})
	}
}

// A commit that goes back raises the fence: a second try of one that was made is
// under an older number, and is still known for what it is.
func TestCommitBackLost(t *testing.T) {
	ctx := t.Context()
	_, s, _ := newMeddler(t, func(n int) string { return []string{"", "answer", "", ""}[n] })
	if err := s.Create(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	l, err := s.Lease(ctx, "a", "ann", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	h := history.Head{Fence: l.Fence}
	for i, back := range []bool{false, true, false} {
		c := history.Commit{Parent: h.Commit, Base: h.Commit}
		if back {
			c.Base = history.ID{}
		}
		made, err := s.Commit(ctx, "a", h, c)
		if err != nil || made.Number != uint64(i+1) {
			t.Fatalf("commit %d: got %+v, %v", i+1, made, err)
		}
		if h.Commit = made.ID(); back {
			h.Fence++
		}
	}
	if got, err := s.Head(ctx, "a"); err != nil || got != h {
		t.Errorf("got %+v, %v, want %+v", got, err, h)
	}
}

// Someone else's save in between is a conflict also for a second try.
func TestCommitLostToAnother(t *testing.T) {
	ctx := t.Context()
	var behind history.Store
	_, s, behind := newMeddler(t, func(n int) string {
		if n > 0 {
			return ""
		}
		if _, err := behind.Commit(ctx, "a", history.Head{}, history.Commit{Message: "theirs"}); err != nil {
			t.Error(err)
		}
		return "call"
	})
	if err := s.Create(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Commit(ctx, "a", history.Head{}, history.Commit{Message: "ours"}); !errors.Is(err, history.ErrConflict) {
		t.Errorf("got %v", err)
	}
}

// What the server says to the end of a commit that may have been made is no error
// that anyone branches on.
func TestCommitUncertain(t *testing.T) {
	for name, step := range map[string]http.HandlerFunc{
		"hung up": hangUp, "cut": cutWith(201), "internal": refuse(wire.Internal), "another commit": sayRecords(wire.LogBody(commitOf("other"))),
		"none": sayRecords(wire.LogBody()), "two": sayRecords(wire.LogBody(commitOf("m"), commitOf("m"))),
		"no records": say(wire.CommitOf(commitOf("m"))), "encoded": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			sayRecords(wire.LogBody(commitOf("m")))(w, r)
		},
	} {
		f := newFake(t, step)
		c := commitOf("m")
		_, err := f.open(nil).Commit(t.Context(), "a", history.Head{Commit: c.Parent}, c)
		if refused(err, wire.Corrupt) && (name == "none" || name == "two") {
			continue
		}
		if !plain(err) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// A long body waits for the server to want it.
func TestLongBody(t *testing.T) {
	read := 0
	f := newFake(t, refuse(wire.Unauthorized))
	f.steps = []http.HandlerFunc{func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/packs/b" {
			b, _ := io.ReadAll(r.Body)
			read = len(b)
			w.WriteHeader(http.StatusCreated)
			return
		}
		refuse(wire.Unauthorized)(w, r)
	}}
	s := f.open(nil)
	st := stoneOf(string(bytes.Repeat([]byte("s"), 3<<20)))
	p := history.Pack{Upto: history.ID{1}, Stone: ref(st)}
	if err := s.PutPack(t.Context(), "a", p, st); !refused(err, wire.Unauthorized) {
		t.Errorf("got %v", err)
	}
	if err := s.PutPack(t.Context(), "b", p, st); err != nil || read < len(st.Data) {
		t.Errorf("got %v after %d bytes", err, read)
	}
}

func TestLogPages(t *testing.T) {
	log := make([]history.Commit, 2500)
	for i := range log {
		log[i] = history.Commit{Number: uint64(len(log) - i), Time: time.UnixMilli(5).UTC()}
	}
	at := make(map[history.ID]int)
	for i, c := range log {
		at[c.ID()] = i
	}
	f := newFake(t, func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		from := 0
		if q.Get("from") != "" {
			id, _ := history.ParseID(q.Get("from"))
			from = at[id]
		}
		n := 0
		for _, d := range q.Get("n") {
			n = 10*n + int(d-'0')
		}
		sayRecords(wire.LogBody(log[from:min(from+n, len(log))]...))(w, r)
	})
	s := f.open(nil)
	for _, n := range []int{1, 999, 1000, 1001, 1999, 2000, 2499, 2500, 2501, 1 << 40} {
		got, err := s.Log(t.Context(), "a", history.ID{}, n)
		if want := log[:min(n, len(log))]; err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%d: got %d commits, %v", n, len(got), err)
		}
	}
}

func TestListPages(t *testing.T) {
	f := newFake(t,
		say(wire.WorldList{Worlds: []string{"a", "b"}, More: true}), say(wire.WorldList{Worlds: []string{"c"}}),
		say(wire.WorldList{Worlds: []string{"b", "a"}}), say(wire.WorldList{Worlds: []string{"a", "b", "c"}}))
	s := f.open(nil)
	if got, err := s.List(t.Context(), "", "", 9); err != nil || !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("got %v, %v", got, err)
	}
	if got := f.seen(); got[1] != "GET /v1/worlds?after=b&n=7" {
		t.Errorf("went on with %s", got[1])
	}
	if got, err := s.List(t.Context(), "", "", 9); err == nil {
		t.Errorf("out of order: got %v", got)
	}
	if got, err := s.List(t.Context(), "", "", 2); err == nil {
		t.Errorf("too many: got %v", got)
	}
}

// An equal save of someone else in between is a conflict too: only one of two callers
// may believe that it was the first.
func TestCommitLostToAnEqual(t *testing.T) {
	ctx := t.Context()
	var other remoteStore
	m, s, _ := newMeddler(t, func(int) string { return "" })
	equal := history.Commit{Author: "ann", Message: "the same"}
	lost := false
	m.lose = func(n int) string {
		if n == 0 {
			lost = true
			return "call"
		}
		return ""
	}
	f := newFake(t, m.next.ServeHTTP) // the same server, and nothing gets lost
	other = f.open(nil)
	if err := s.Create(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	m.before = sync.OnceFunc(func() {
		if _, err := other.Commit(ctx, "a", history.Head{}, equal); err != nil {
			t.Error(err)
		}
	})
	if _, err := s.Commit(ctx, "a", history.Head{}, equal); !errors.Is(err, history.ErrConflict) || !lost {
		t.Errorf("got %v", err)
	}
}
