package server_test

import (
	"bytes"
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cairnvoxel/cairn/client"
	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/world"
)

// mustCrowd returns a stone of few bytes that speaks of n chunks.
func mustCrowd(t testing.TB, n int) world.Stone {
	t.Helper()
	var b bytes.Buffer
	w := stone.NewWriter(&b, stone.Options{Effort: stone.Quick})
	err := w.Dimension("a", "")
	if err == nil {
		err = w.Volume(voxel.Volume{Name: "block", Schema: voxel.Palette, Scale: 1}, []string{"air", "stone"})
	}
	full := voxel.Uniform(1)
	for i := 0; i < n && err == nil; i++ {
		var pos geom.ChunkPos
		for k := range 10 { // ascending by code
			pos.X |= int32(i>>(3*k)&1) << k
			pos.Z |= int32(i>>(3*k+1)&1) << k
			pos.Y |= int32(i>>(3*k+2)&1) << k
		}
		err = w.Chunk(0, pos, full)
	}
	if err != nil {
		t.Fatal(err)
	}
	id, _, err := w.Close()
	if err != nil {
		t.Fatal(err)
	}
	return world.Stone{ID: id, Data: b.Bytes()}
}

// TestCrowd sends some hundred bytes that are many chunks.
func TestCrowd(t *testing.T) {
	s := newSite(t, server.Options{Limits: server.Limits{WorldMemory: 8 << 20}})
	small, large := mustCrowd(t, 30_000), mustCrowd(t, 1_000_000)
	if len(large.Data) > 1000 {
		t.Fatalf("the stone has %d bytes", len(large.Data))
	}
	s.mustCommit("a", 1)
	refused := commitRequest("b", commitOf(world.ID{}, "", large), large)
	s.want(201, request{method: "PUT", path: "/v1/worlds/b"}, nil)
	s.do(refused).wantCode(t, client.TooLarge)
	s.do(request{"POST", "/v1/import/b", large.Data, nil}).wantCode(t, client.TooLarge)
	s.mustSave(commitRequest("b", commitOf(world.ID{}, "", small), small))
	s.want(200, request{method: "GET", path: "/v1/worlds/b"}, nil)

	ctx := context.Background()
	if err := s.st.Create(ctx, "c"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.st.Commit(ctx, "c", world.Head{}, commitOf(world.ID{}, "", large), large); err != nil {
		t.Fatal(err)
	}
	before := allocated()
	for _, r := range []request{
		{"GET", "/v1/worlds/c", nil, nil},
		{"GET", "/v1/properties/c", nil, nil},
		{"PATCH", "/v1/properties/c", []byte(`{"set":{"a":"b"}}`), nil},
		{"GET", "/v1/chunks/c?dimension=a&volume=block", nil, nil},
		{"GET", "/v1/chunks/c?dimension=a&volume=block&level=5", nil, nil},
		{"GET", "/v1/picture/c", nil, nil},
		{"GET", "/v1/export/c", nil, nil},
		{"GET", "/v1/export/c?format=slime", nil, nil},
		{"GET", "/v1/export/c?format=anvil", nil, nil},
		{"GET", "/v1/diff/c?with=b", nil, nil},
		{"POST", "/v1/import/c", mustStone(t, 1).Data, nil},
	} {
		t.Run(r.method+" "+r.path, func(t *testing.T) { s.do(r).wantCode(t, client.TooLarge) })
	}
	if grown := allocated() - before; grown > 100<<20 {
		t.Errorf("%d bytes were allocated for a world of %d", grown, len(large.Data))
	}
}

// TestCrowds lets many ask for worlds that take much memory.
func TestCrowds(t *testing.T) {
	s := newSite(t, server.Options{})
	st := mustCrowd(t, 100_000)
	s.want(201, request{method: "PUT", path: "/v1/worlds/a"}, nil)
	s.mustSave(commitRequest("a", commitOf(world.ID{}, "", st), st))
	var all sync.WaitGroup
	var most atomic.Uint64
	for range 64 {
		all.Go(func() {
			if got := s.get("/v1/properties/a"); got.status != 200 {
				t.Errorf("got %d %s", got.status, got.body)
			}
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most.Store(max(most.Load(), m.HeapInuse))
		})
	}
	all.Wait()
	if most.Load() > 300<<20 {
		t.Errorf("%d bytes were in use", most.Load())
	}
}
