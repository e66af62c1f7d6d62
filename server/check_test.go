package server_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/internal/testing/stonetest"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// A stone whose check would need more memory than there is for one is refused before
// anything of it is decoded.
func TestCheckMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var cells [voxel.ChunkCells]voxel.Cell
	for i := range cells {
		cells[i] = voxel.Cell(r.IntN(16))
	}
	var chunks []stone.Placed
	for i := range int32(64) {
		at := func(n int32) int32 { return n&1 | n>>3&1<<1 } // in the order of codes
		chunks = append(chunks, stone.Placed{Pos: geom.ChunkPos{X: at(i), Y: at(i >> 2), Z: at(i >> 1)}, Chunk: voxel.FromFlat(&cells)})
	}
	var b bytes.Buffer
	id, err := stonetest.Spec{Dimensions: []stonetest.DimensionSpec{{Name: "d", Volumes: []stonetest.VolumeSpec{
		{Volume: voxel.Volume{Name: "v", Schema: voxel.Level, Scale: 1}, Levels: []stonetest.LevelSpec{{Chunks: chunks}}},
	}}}}.Write(&b, stone.Options{Effort: stone.Quick}) // the form whose plain bytes are many
	if err != nil {
		t.Fatal(err)
	}
	st := history.Stone{ID: id, Data: b.Bytes()}
	for _, tt := range []struct {
		memory int64
		fits   bool
	}{{0, true}, {8 << 20, false}} {
		s := newSite(t, server.Options{Limits: server.Limits{WorldMemory: tt.memory}})
		head := s.mustCommit("a", 1)
		got := s.do(commitRequest("a", commitOf(head, "", st), st))
		if tt.fits != (got.status == 201) {
			t.Errorf("with %d bytes: got %d %s", tt.memory, got.status, got.body)
		}
		if !tt.fits {
			got.wantCode(t, wire.TooLarge)
		}
	}
}

// walked counts the walks for stones.
type walked struct {
	history.Store
	walks atomic.Int64
}

func (w *walked) Reaches(ctx context.Context, name string, id stone.ID) (bool, error) {
	w.walks.Add(1)
	return w.Store.(history.Reacher).Reaches(ctx, name, id)
}

// Nobody makes the server walk a log by asking for stones that nobody has.
func TestUnknownStone(t *testing.T) {
	tokens, secrets := mustTokens(t, token.Token{Role: token.Read, Prefixes: []string{"in"}})
	st := &walked{Store: memory.New(memory.Options{})}
	s := newSiteOf(t, st, server.Options{Tokens: tokens})
	s.mustCommit("in/w", 3)
	known := mustStone(t, 50)
	head := s.mustCommit("out/w", 1)
	if _, err := s.st.Commit(t.Context(), "out/w", history.Head{Commit: head}, commitOf(head, "", known), known); err != nil {
		t.Fatal(err)
	}
	ask := func(id string) {
		t.Helper()
		s.do(request{"GET", "/v1/stones/" + id + "/in/w", nil, []string{"Authorization", "Bearer " + secrets[0]}}).wantCode(t, wire.Gone)
	}
	for i := range 10 {
		ask(strings.Repeat("0123456789"[i:i+1], 64))
	}
	if n := st.walks.Load(); n != 0 {
		t.Errorf("%d walks for stones that nobody has", n)
	}
	if ask(known.ID.String()); st.walks.Load() != 1 {
		t.Errorf("%d walks for a stone of another world", st.walks.Load())
	}
}
