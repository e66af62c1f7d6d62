package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/cairnvoxel/cairn/internal/server/cells"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// A server that opens a part of a world for a change makes what one makes that opens all of it:
// the same stones, or the same refusal.
func TestEditOfPart(t *testing.T) {
	part, whole := newSite(t, server.Options{Packs: true}), newSite(t, server.Options{})
	for _, s := range []*site{part, whole} {
		s.mustImport("a", mustSlime(t, madeUp(t, 3)))
	}
	rnd := rand.New(rand.NewPCG(7, 7))
	brushes := []string{
		`{"brush":"box","from":[%d,%d,%d],"to":[%d,%d,%d],"name":"glowstone"}`,
		`{"brush":"ball","at":[%d,%d,%d],"r":4,"name":"air"}`,
		`{"brush":"ball","at":[%d,%d,%d],"r":5,"name":"oak_leaves","any_height":true}`,
		`{"brush":"box","from":[%d,%d,%d],"to":[%d,%d,%d],"name":"stone","new_columns":true}`,
		`{"brush":"box","from":[%d,%d,%d],"to":[%d,%d,%d],"name":"sand","volume":"biome"}`,
		`{"brush":"smooth","at":[%d,%d,%d],"r":6}`,
	}
	made, refused := 0, 0
	for i := range 60 {
		text := brushes[rnd.IntN(len(brushes))]
		x, y, z := rnd.IntN(120)-60, rnd.IntN(160), rnd.IntN(120)-60
		args := []any{x, y, z}
		if text[len(`{"brush":"`)] == 'b' && text[len(`{"brush":"b`)] == 'o' {
			args = append(args, x+rnd.IntN(20), y+rnd.IntN(10), z+rnd.IntN(20))
		}
		body := fmt.Sprintf(text, args...)
		var b cells.BrushCall
		if err := json.Unmarshal([]byte(body), &b); err != nil {
			t.Fatal(err)
		}
		e := cells.EditCall{Store: whole.st, World: "a", Message: "m", Options: world.Options{Relight: true, Manual: true}}
		want, err := e.Run(context.Background(), b.Apply)
		got := part.do(request{"POST", "/v1/brush/a", []byte(body[:len(body)-1] + `,"message":"m"}`), nil})
		var done cells.Done
		if err != nil {
			refused++
			var no wire.Refusal
			if _ = json.Unmarshal(got.body, &no); no.Error.Message != err.Error() {
				t.Errorf("edit %d, %s: got %d %s, want %v", i, body, got.status, got.body, err)
			}
			continue
		}
		if err := json.Unmarshal(got.body, &done); err != nil || got.status != 200 {
			t.Fatalf("edit %d, %s: got %d %s", i, body, got.status, got.body)
		}
		if made++; done.Cells != want.Cells || !reflect.DeepEqual(done.Commit.Stones, want.Commit.Stones) {
			t.Fatalf("edit %d, %s: got %+v, want %+v", i, body, done, want)
		}
	}
	if made < 20 || refused < 3 {
		t.Errorf("%d edits, %d refusals", made, refused)
	}
}

// A world that knows of too little to compute light makes no commit without it.
func TestLightOfPart(t *testing.T) {
	s := newSite(t, server.Options{Packs: true})
	s.mustImport("a", mustSlime(t, madeUp(t, 3)))
	head, err := s.st.Head(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	var b cells.BrushCall
	if err := json.Unmarshal([]byte(`{"brush":"box","from":[0,70,0],"to":[3,72,3],"name":"glowstone"}`), &b); err != nil {
		t.Fatal(err)
	}
	run := func(name string, part int) (cells.Done, error) {
		if err := s.st.Fork(t.Context(), "a", head.Commit, name); err != nil {
			t.Fatal(err)
		}
		e := cells.EditCall{Store: s.st, World: name, Options: world.Options{Relight: true, Manual: true, Part: part}}
		return e.Run(t.Context(), b.Apply)
	}
	want, err := run("whole", 0)
	if err != nil {
		t.Fatal(err)
	}
	for part := 1; ; part++ {
		got, err := run(fmt.Sprintf("part%d", part), part)
		if errors.Is(err, world.ErrPart) && part < 1000 {
			continue
		}
		if err != nil || !reflect.DeepEqual(got.Commit.Stones, want.Commit.Stones) {
			t.Errorf("a part of %d: got %+v, %v, want %v", part, got, err, want.Commit.Stones)
		}
		return
	}
}

// What a write of one cell takes does not depend on the size of the world.
func TestEditOfLargeWorld(t *testing.T) {
	if testing.Short() {
		t.Skip("under the race detector pools lose what they have, and two counts of memory cannot be compared")
	}
	took := func(chunks int) uint64 {
		s := newSiteOf(t, memory.New(memory.Options{}), server.Options{Packs: true})
		s.want(201, request{method: "PUT", path: "/v1/worlds/c"}, nil)
		st := mustChunks(t, chunks, func(i int) (pos geom.ChunkPos) {
			for k := range 10 {
				pos.X |= int32(i>>(2*k)&1) << k
				pos.Z |= int32(i>>(2*k+1)&1) << k
			}
			return pos
		})
		if _, err := s.st.Commit(t.Context(), "c", history.Head{}, commitOf(history.ID{}, "", st), st); err != nil {
			t.Fatal(err)
		}
		write := func(x int) {
			s.want(200, request{"PUT", "/v1/cells/c", fmt.Appendf(nil, `{"box":"%d,0,0..%d,0,0","names":["glass"],"cells":[0]}`, x, x), nil}, nil)
		}
		for x := range 4 {
			write(x) // the first opens the world
		}
		least := uint64(math.MaxUint64) // a collection of garbage makes others take more
		for x := range 8 {
			before := allocated()
			write(100 + x)
			least = min(least, allocated()-before)
		}
		return least
	}
	if small, large := took(64), took(250_000); large > small*5/4 {
		t.Errorf("a write takes %d bytes of memory in a world of 64 chunks, and %d in one of 250,000", small, large)
	}
}
