package server_test

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// mustCrowd returns a stone of few bytes that covers n chunks, 1<<apart from
// each other.
func mustCrowd(t testing.TB, n, apart int) history.Stone {
	t.Helper()
	return mustChunks(t, n, func(i int) (pos geom.ChunkPos) {
		for k := range 10 { // ascending by code
			pos.X |= int32(i>>(3*k)&1) << (k + apart)
			pos.Z |= int32(i>>(3*k+1)&1) << (k + apart)
			pos.Y |= int32(i>>(3*k+2)&1) << (k + apart)
		}
		return pos
	})
}

// mustChunks returns a stone with n equal chunks at places in ascending order of code.
func mustChunks(t testing.TB, n int, at func(i int) geom.ChunkPos) history.Stone {
	t.Helper()
	var b bytes.Buffer
	w := stone.NewWriter(&b, stone.Options{Effort: stone.Quick})
	err := w.Dimension("a", "")
	if err == nil {
		err = w.Volume(voxel.Volume{Name: "block", Schema: voxel.Palette, Scale: 1}, []string{"air", "stone"})
	}
	full := voxel.Uniform(1)
	for i := 0; i < n && err == nil; i++ {
		err = w.Chunk(0, at(i), full)
	}
	if err != nil {
		t.Fatal(err)
	}
	id, _, err := w.Close()
	if err != nil {
		t.Fatal(err)
	}
	return history.Stone{ID: id, Data: b.Bytes()}
}

// TestCrowd sends some hundred bytes that are many chunks.
func TestCrowd(t *testing.T) {
	long.Alone(t)
	s := newSite(t, server.Options{Limits: server.Limits{WorldMemory: 8 << 20}})
	small, large := mustCrowd(t, 30_000, 0), mustCrowd(t, long.By(300_000, 1_000_000, 1_000_000), 0)
	if len(large.Data) > 1000 {
		t.Fatalf("the stone has %d bytes", len(large.Data))
	}
	s.mustCommit("a", 1)
	refused := commitRequest("b", commitOf(history.ID{}, "", large), large)
	s.want(201, request{method: "PUT", path: "/v1/worlds/b"}, nil)
	s.do(refused).wantCode(t, wire.TooLarge)
	s.do(request{"POST", "/v1/import/b", large.Data, nil}).wantCode(t, wire.TooLarge)
	wide := mustCrowd(t, 20_000, 2)
	s.do(commitRequest("b", commitOf(history.ID{}, "", wide), wide)).wantCode(t, wire.TooLarge)
	s.do(request{"POST", "/v1/import/b", wide.Data, nil}).wantCode(t, wire.TooLarge)
	s.mustSave(commitRequest("b", commitOf(history.ID{}, "", small), small))
	s.want(200, request{method: "GET", path: "/v1/worlds/b"}, nil)

	ctx := context.Background()
	if err := s.st.Create(ctx, "c"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.st.Commit(ctx, "c", history.Head{}, commitOf(history.ID{}, "", large), large); err != nil {
		t.Fatal(err)
	}
	before := allocated()
	for _, path := range []string{"worlds/c", "properties/c", "export/c", "chunks/c?dimension=a&volume=block", "chunks/c?dimension=a&volume=block&level=5", "picture/c"} {
		s.want(200, request{method: "GET", path: "/v1/" + path}, nil) // reads a directory and what it asks for
	}
	for _, tt := range []struct {
		request
		want wire.Code
	}{
		{request{"GET", "/v1/export/c?format=slime", nil, nil}, wire.Unsupported},
		{request{"GET", "/v1/export/c?format=anvil", nil, nil}, wire.Unsupported},
		{request{"GET", "/v1/diff/c?with=b", nil, nil}, wire.TooLarge},
		{request{"POST", "/v1/import/c", mustStone(t, 1).Data, nil}, wire.TooLarge},
	} {
		t.Run(tt.method+" "+tt.path, func(t *testing.T) { s.do(tt.request).wantCode(t, tt.want) })
	}
	s.want(200, request{"PATCH", "/v1/properties/c", []byte(`{"set":{"a":"b"}}`), nil}, nil)
	if grown := allocated() - before; grown > 100<<20 {
		t.Errorf("%d bytes were allocated for a world of %d", grown, len(large.Data))
	}
}

// TestCrowds lets many ask for what takes much memory.
func TestCrowds(t *testing.T) {
	s := newSite(t, server.Options{Limits: server.Limits{BodyMemory: 64 << 20}})
	st := mustCrowd(t, 120_000, 2)
	s.want(201, request{method: "PUT", path: "/v1/worlds/a"}, nil)
	s.mustSave(commitRequest("a", commitOf(history.ID{}, "", st), st))
	for _, path := range []string{"/v1/stones/" + st.ID.String() + "/a", "/v1/stack/a", "/v1/properties/a"} {
		t.Run(path, func(t *testing.T) {
			var all sync.WaitGroup
			var most, served atomic.Int64
			for range 24 {
				all.Go(func() {
					got := s.get(path)
					if got.status == 200 {
						served.Add(1)
					} else {
						got.wantCode(t, wire.Busy)
					}
					var m runtime.MemStats
					runtime.ReadMemStats(&m)
					most.Store(max(most.Load(), int64(m.HeapInuse)))
				})
			}
			all.Wait()
			if most.Load() > 400<<20 || served.Load() == 0 {
				t.Errorf("%d bytes were in use, %d calls were served", most.Load(), served.Load())
			}
		})
	}
}

// TestHostileJSON sends bodies that are almost right.
func TestHostileJSON(t *testing.T) {
	s := newSite(t, server.Options{})
	s.mustCommit("a", 1)
	long := strings.Repeat("a", history.MaxHolder+1)
	for _, tt := range []struct {
		body string
		want int
	}{
		{`{"seconds":-1}`, 400}, {`{"seconds":0}`, 400}, {`{"seconds":1e-300}`, 400}, {`{"seconds":0.0009}`, 400},
		{`{"seconds":1e999}`, 400}, {`{"seconds":-1e99}`, 400}, {`{"seconds":"1"}`, 400}, {`{"seconds":null}`, 400}, {`{}`, 400}, {``, 400},
		{`null`, 400}, {`[]`, 400}, {`1`, 400}, {`{"seconds":1`, 400}, {`{"seconds":1}x`, 400}, {`{"seconds":1}{"seconds":1}`, 400},
		{`{"seconds":1,"x":1}`, 400}, {`{"seconds":NaN}`, 400}, {"\xef\xbb\xbf" + `{"seconds":1}`, 400},
		{`{"holder":"` + long + `","seconds":1}`, 400}, {`{"holder":"` + strings.Repeat(long, 1000) + `","seconds":1}`, 413},
		{"{\"holder\":\"\xff\xfe\",\"seconds\":1}", 400}, {strings.Repeat("[", 60_000), 400},
		{`{"holder":` + strings.Repeat(`{"a":`, 9_000) + `1` + strings.Repeat("}", 9_000) + `}`, 400},
		{`{"seconds":0.001}`, 201}, {`{"holder":"` + long[1:] + `","seconds":1e99}`, 201},
	} {
		t.Run(fmt.Sprintf("%.30q", tt.body), func(t *testing.T) {
			got := s.do(request{"POST", "/v1/leases/a", []byte(tt.body), nil})
			if got.status != tt.want {
				t.Errorf("got %d %s, want %d", got.status, got.body, tt.want)
			}
			s.do(request{"DELETE", "/v1/leases/a", nil, []string{"Cairn-Fence", "force"}})
		})
	}
	for _, r := range []request{
		{"PATCH", "/v1/properties/a", []byte("{\"set\":{\"a\":\"\xff\"}}"), nil},
		{"POST", "/v1/restore/a", []byte("{\"at\":\"1\",\"author\":\"\xff\"}"), nil},
		{"POST", "/v1/import/b?author=%ff", mustStone(t, 1).Data, nil},
		{"POST", "/v1/import/b?message=%c0%80", mustStone(t, 1).Data, nil},
	} {
		s.do(r).wantCode(t, wire.BadRequest)
	}
}

// TestHostileHeaders sends what is no commit and no fence.
func TestHostileHeaders(t *testing.T) {
	s := newSite(t, server.Options{})
	head := s.mustCommit("a", 1)
	st := mustStone(t, 2)
	save := commitRequest("a", commitOf(head, "", st), st)
	for _, match := range []string{`"`, `""`, `*`, `W/` + tag(head), head.String(), tag(head) + ", " + tag(head), `"00"`, `"` + strings.Repeat("g", 64) + `"`, strings.Repeat("x", 10_000), "'" + head.String() + "'"} {
		save.header = []string{"If-Match", match}
		s.do(save).wantCode(t, wire.BadRequest)
	}
	save.header = []string{"If-Match", tag(head), "If-Match", tag(head)}
	s.do(save).wantCode(t, wire.BadRequest)
	for _, fence := range []string{"", "-1", "+1", "1e3", "0x1", "1_0", "Force", "force, 1", "18446744073709551615", "18446744073709551616", strings.Repeat("1", 10_000)} {
		save.header = []string{"If-Match", tag(head), "Cairn-Fence", fence}
		s.do(save).wantCode(t, wire.BadRequest)
	}
	save.header = []string{"If-Match", tag(head), "Cairn-Fence", "0", "Cairn-Fence", "0"}
	s.do(save).wantCode(t, wire.BadRequest)
	save.header = []string{"If-Match", tag(head), "Cairn-Fence", "1"}
	s.do(save).wantCode(t, wire.Fenced)
}
