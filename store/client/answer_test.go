package client_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/store/client"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
)

// answers is a network that has one answer to everything.
type answers struct {
	status int
	header http.Header
	body   []byte
}

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		_, _ = io.Copy(io.Discard, r.Body)
		_ = r.Body.Close()
	}
	return &http.Response{
		StatusCode: a.status, Header: a.header, Body: io.NopCloser(bytes.NewReader(a.body)), ContentLength: int64(len(a.body)), Request: r,
	}, nil
}

// FuzzAnswer gives every call an answer of nobody's making: whatever comes, a
// call ends, and what it returns can be used.
func FuzzAnswer(f *testing.F) {
	kinds := []string{"application/json", wire.RecordsType, "application/octet-stream", "text/html"}
	a, b := stoneOf("a"), stoneOf("b")
	for _, body := range []*wire.Body{
		wire.CommitBody(commitOf("m", a, b), b),
		wire.LogBody(commitOf("a"), commitOf("b")),
		wire.StackBody(history.Fetched{
			Head:   history.Head{Commit: history.ID{9}},
			Layers: []history.Layer{{Stone: ref(a), Upto: history.ID{8}}, {Stone: ref(b), After: history.ID{8}, Upto: history.ID{9}}},
			Data:   [][]byte{a.Data, nil},
		}),
		wire.PackBody(history.Pack{After: history.ID{1}, Upto: history.ID{2}}, []byte("pack")),
	} {
		var b bytes.Buffer
		if _, err := body.WriteTo(&b); err != nil {
			f.Fatal(err)
		}
		f.Add(200, 1, "1", "", b.Bytes())
	}
	f.Add(200, 0, "", "", []byte(`{"commit":"","fence":3}`))
	f.Add(200, 0, "", "", []byte(`{"worlds":["a","b"],"more":true}`))
	f.Add(200, 0, "", "", []byte(`{"fence":1,"holder":"h","until":"2026-01-01T00:00:00.000Z"}`))
	f.Add(206, 2, "", "bytes 0-2/3", []byte("abc"))
	f.Add(206, 2, "", "bytes 1048576-2097151/2097152", make([]byte, 1<<20))
	f.Add(412, 0, "", "", []byte(`{"error":{"code":"conflict","message":"m"}}`))
	f.Fuzz(func(t *testing.T, status, kind int, fence, ranged string, body []byte) {
		h := http.Header{"Content-Type": {kinds[uint(kind)%4]}, wire.FenceHeader: {fence}, "Content-Range": {ranged}}
		c := &clock{at: time.Unix(1e9, 0)}
		o := c.options()
		o.HTTP, o.Tries = answers{status, h, body}, 2
		s, err := openStore(t.Context(), "http://host", o)
		if err != nil {
			t.Fatal(err)
		}
		ctx := t.Context()
		_, _ = s.Head(ctx, "a")
		if log, err := s.Log(ctx, "a", history.ID{}, 5000); err == nil && len(log) > 5000 {
			t.Errorf("%d commits", len(log))
		}
		fetched, err := s.Fetch(ctx, "a", history.ID{}, 1<<20)
		if err != nil && fetched.Layers != nil || len(fetched.Data) != len(fetched.Layers) {
			t.Errorf("%d layers, %d with bytes, %v", len(fetched.Layers), len(fetched.Data), err)
		}
		for _, l := range fetched.Layers[:min(len(fetched.Layers), 9)] {
			use(ctx, s, l)
		}
		use(ctx, s, history.Layer{Stone: history.StoneRef{ID: realID}})
		if names, err := s.List(ctx, "", "", 3); err == nil && len(names) > 3 {
			t.Errorf("%d names", len(names))
		}
		_, _ = s.Lease(ctx, "a", "h", time.Second)
		_, _ = s.Collect(ctx, history.Policy{})
		if made, err := s.Commit(ctx, "a", history.Head{}, history.Commit{Message: "m"}); err == nil && made.Message != "m" {
			t.Error("another commit")
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// realID is the SHA-256 of "abc".
var realID = stoneOf("abc").ID

// use reads what there is of a stone.
func use(ctx context.Context, s remoteStore, l history.Layer) {
	o, err := s.Open(ctx, "a", l.Stone.ID)
	if err != nil {
		return
	}
	_ = o.Check(ctx)
	_ = o.Close()
}

// Over TLS it is HTTP/2, with bodies of any size.
func TestTLS(t *testing.T) {
	srv, err := server.New(memory.New(memory.Options{}), server.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var protos []string
	site := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		protos = append(protos, r.Proto)
		srv.ServeHTTP(w, r)
	}))
	site.EnableHTTP2 = true
	site.StartTLS()
	defer site.Close()
	ctx := t.Context()
	stranger, err := openStore(ctx, site.URL, client.Options{Tries: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := stranger.Create(ctx, "a"); !plain(err) {
		t.Errorf("a certificate that nobody knows: got %v", err)
	}
	s, err := openStore(ctx, site.URL, client.Options{HTTP: site.Client().Transport})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Create(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	var h history.Head
	for _, size := range []int{10, 100_000, 3 << 20} {
		st := writtenStone(t, "x", size)
		c, err := s.Commit(ctx, "a", h, history.Commit{Parent: h.Commit, Base: h.Commit, Stones: []history.StoneRef{ref(st)}}, st)
		if err != nil {
			t.Fatal(err)
		}
		h.Commit = c.ID()
	}
	layers, err := s.Stack(ctx, "a", h.Commit)
	if err != nil || len(layers) != 3 {
		t.Fatalf("%d layers, %v", len(layers), err)
	}
	for _, l := range layers {
		if text, err := textOf(t, s, "a", l.Stone.ID); err != nil || text != "x" {
			t.Errorf("got %q, %v", text, err)
		}
	}
	for _, p := range protos {
		if p != "HTTP/2.0" {
			t.Errorf("spoke %s", p)
		}
	}
	for _, s := range []remoteStore{stranger, s} {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
