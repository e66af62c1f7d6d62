package server_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/internal/testing/stonetest"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/local"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// blank is an answer that nobody reads.
type blank struct {
	h      http.Header
	status int
}

func (b *blank) Header() http.Header         { return b.h }
func (b *blank) Write(p []byte) (int, error) { return len(p), nil }
func (b *blank) WriteHeader(status int)      { b.status = status }

// onThisMachine makes a call that came over no connection look as if it had.
func onThisMachine(r *http.Request) *http.Request {
	r.Host, r.RemoteAddr = "localhost:7070", "127.0.0.1:1"
	at := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7070}
	return r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, at))
}

// BenchmarkCall is what a call costs without a connection: the Server's part, and
// the Store's, whose disk is memory.
func BenchmarkCall(b *testing.B) {
	ctx := context.Background()
	st, err := local.Open("/store", local.Options{FS: vfs.NewMem()})
	if err != nil {
		b.Fatal(err)
	}
	defer st.Close()
	srv, err := server.New(st, server.Options{})
	if err != nil {
		b.Fatal(err)
	}
	s := &site{t: b, st: st}
	head := s.mustCommit("load", 7)
	_, err = st.Commit(ctx, "load", history.Head{Commit: head}, commitOf(head, "large", noise(b, 12<<10)), noise(b, 12<<10))
	if err != nil {
		b.Fatal(err)
	}
	b.Run("load", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r, _ := http.NewRequest("GET", "/v1/stack/load", nil)
			w := &blank{h: make(http.Header)}
			if srv.ServeHTTP(w, onThisMachine(r)); w.status != 200 {
				b.Fatal(w.status)
			}
		}
	})
	b.Run("head", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r, _ := http.NewRequest("GET", "/v1/head/load", nil)
			w := &blank{h: make(http.Header)}
			if srv.ServeHTTP(w, onThisMachine(r)); w.status != 200 {
				b.Fatal(w.status)
			}
		}
	})
	for _, size := range []int{1 << 10, 12 << 10} {
		b.Run(fmt.Sprint("save/", size), func(b *testing.B) {
			stone := noise(b, size)
			var n int
			b.ReportAllocs()
			for b.Loop() {
				n++
				name := fmt.Sprintf("w%d/%d", size, n)
				if err := st.Create(ctx, name); err != nil {
					b.Fatal(err)
				}
				q := commitRequest(name, commitOf(history.ID{}, "", stone), stone)
				r, _ := http.NewRequest("POST", q.path, bytes.NewReader(q.body))
				r.Header.Set("If-Match", `"0"`)
				r.Header.Set("Accept", wire.RecordsType)
				w := &blank{h: make(http.Header)}
				if srv.ServeHTTP(w, onThisMachine(r)); w.status != 201 {
					b.Fatal(w.status)
				}
			}
		})
	}
}

// noise returns a stone of about size bytes that do not compress.
func noise(t testing.TB, size int) history.Stone {
	t.Helper()
	var b bytes.Buffer
	data := make([]byte, size-200)
	x := uint64(size)
	for i := range data {
		x = x*6364136223846793005 + 1442695040888963407
		data[i] = byte(x >> 56)
	}
	id, err := stonetest.Spec{Files: []stonetest.FileSpec{{Path: "noise", Data: data}}}.Write(&b, stone.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return history.Stone{ID: id, Data: b.Bytes()}
}

// BenchmarkLoopback is a load over a connection, client and all.
func BenchmarkLoopback(b *testing.B) {
	s := newSite(b, server.Options{})
	head := s.mustCommit("a", 7)
	st := noise(b, 12<<10)
	if _, err := s.st.Commit(context.Background(), "a", history.Head{Commit: head}, commitOf(head, "large", st), st); err != nil {
		b.Fatal(err)
	}
	tr := &http.Transport{MaxIdleConnsPerHost: 64}
	var bytes atomic.Int64
	b.ReportAllocs()
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			r, _ := http.NewRequest("GET", s.url+"/v1/stack/a", nil)
			resp, err := tr.RoundTrip(r)
			if err != nil {
				b.Error(err)
				return
			}
			n, err := io.Copy(io.Discard, resp.Body)
			if err != nil || resp.StatusCode != 200 {
				b.Error(resp.StatusCode, err)
			}
			bytes.Store(n)
			resp.Body.Close()
		}
	})
	b.ReportMetric(float64(bytes.Load()), "B/load")
}

// BenchmarkCheck is what it costs to look into a stone before it is kept.
func BenchmarkCheck(b *testing.B) {
	for _, st := range []history.Stone{mustStone(b, 1), noise(b, 12<<10), noise(b, 256<<10)} {
		b.Run(fmt.Sprint(len(st.Data)), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r, err := stone.Open(bytes.NewReader(st.Data), int64(len(st.Data)))
				if err == nil {
					err = r.Check(context.Background())
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkWorld is what a write of one cell, with the packs that a Keeper makes after it, and a read of one chunk cost
// over a connection, in worlds of several sizes.
func BenchmarkWorld(b *testing.B) {
	for _, n := range []int{64, 65536} {
		s := newSite(b, server.Options{Packs: true})
		s.want(201, request{method: "PUT", path: "/v1/worlds/c"}, nil)
		st := mustChunks(b, n, func(i int) (pos geom.ChunkPos) {
			for k := range 10 {
				pos.X |= int32(i>>(2*k)&1) << k
				pos.Z |= int32(i>>(2*k+1)&1) << k
			}
			return pos
		})
		if _, err := s.st.Commit(context.Background(), "c", history.Head{}, commitOf(history.ID{}, "", st), st); err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprint("chunk/", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.want(200, request{"GET", "/v1/chunks/c?dimension=a&volume=block&x=3&z=2", nil, nil}, nil)
			}
		})
		i := 0
		b.Run(fmt.Sprint("write/", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				i++
				s.want(200, request{"PUT", "/v1/cells/c", fmt.Appendf(nil, `{"box":"%d,0,0..%d,0,0","names":["glass"],"cells":[0]}`, i*37%250, i*37%250), nil}, nil)
				if _, _, err := world.PackStack(b.Context(), s.st, "c", world.PackStackOptions{High: 7}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
