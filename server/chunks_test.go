package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/cairnvoxel/cairn/internal/codec"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// mustChunk reads a chunk of a volume as cells by name.
func (s *site) mustChunk(query string) (names []string, cells []voxel.Cell, ok bool) {
	s.t.Helper()
	got := s.get("/v1/chunks/a?" + query)
	if got.status != 200 {
		got.wantCode(s.t, wire.NoChunk)
		return nil, nil, false
	}
	r := wire.NewRecordReader(bytes.NewReader(got.body), 1<<20)
	var head struct {
		Schema string
		Names  []string
	}
	b, err := r.Next(1 << 20)
	if err == nil {
		err = json.Unmarshal(b, &head)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	if b, err = r.Next(1 << 20); err != nil {
		s.t.Fatal(err)
	}
	cells = make([]voxel.Cell, voxel.ChunkCells)
	if n, err := codec.DecodeBitRLE(cells, geom.ChunkEdge, voxel.Palette, b); err != nil || n != len(b) {
		s.t.Fatalf("%s: %d of %d bytes: %v", query, n, len(b), err)
	}
	return head.Names, cells, true
}

func TestChunks(t *testing.T) {
	s := newSite(t, server.Options{})
	w := madeUp(t, 1)
	s.mustImport("a", mustSlime(t, w))
	v := w.Dimensions[0].Volume(voxel.Block)
	for _, pos := range append(v.Positions(), geom.ChunkPos{X: 1000}) {
		names, cells, ok := s.mustChunk(fmt.Sprintf("dimension=overworld&volume=block&x=%d&y=%d&z=%d", pos.X, pos.Y, pos.Z))
		want := v.Chunks[pos]
		if ok != (want != nil) {
			t.Errorf("%v: there is one: %v", pos, ok)
		}
		if want == nil || !ok {
			continue
		}
		var flat [voxel.ChunkCells]voxel.Cell
		want.Flat(&flat)
		for i, cell := range flat {
			if names[cells[i]] != v.Names[cell] {
				t.Fatalf("%v: cell %d: %s, want %s", pos, i, names[cells[i]], v.Names[cell])
			}
		}
	}
	for level := range 6 {
		if _, _, ok := s.mustChunk(fmt.Sprintf("dimension=overworld&volume=block&level=%d", level)); !ok && level > 1 {
			t.Errorf("level %d has no chunk", level)
		}
	}
	for query, want := range map[string]wire.Code{
		"volume=block": wire.BadRequest,
		"dimension=overworld&volume=block&level=99":          wire.BadRequest,
		"dimension=overworld&volume=block&x=1048576":         wire.BadRequest,
		"dimension=overworld&volume=block&x=1048575&level=1": wire.NoChunk,
		"dimension=nowhere&volume=block":                     wire.BadRequest,
		"dimension=overworld&volume=none":                    wire.BadRequest,
		"dimension=overworld&volume=block&at=9":              wire.NoCommit,
		"dimension=overworld&volume=block&at=nine":           wire.BadRequest,
	} {
		s.get("/v1/chunks/a?"+query).wantCode(t, want)
	}
	for query, want := range map[string]string{
		"dimension=nowhere&volume=block":  "there are overworld",
		"dimension=overworld&volume=none": "there are block",
	} {
		if got := s.get("/v1/chunks/a?" + query); !bytes.Contains(got.body, []byte(want)) {
			t.Errorf("%s: got %s, want %q", query, got.body, want)
		}
	}
}

// TestChunkAskedAgain: an answer is made once for each version, and one that was made costs no more than a call.
func TestChunkAskedAgain(t *testing.T) {
	s := newSite(t, server.Options{})
	w := madeUp(t, 1)
	s.mustImport("a", mustSlime(t, w))
	pos := w.Dimensions[0].Volume(voxel.Block).Positions()[0]
	query, far := fmt.Sprintf("dimension=overworld&volume=block&x=%d&y=%d&z=%d", pos.X, pos.Y, pos.Z), "dimension=overworld&volume=block&level=2"
	first, another := s.get("/v1/chunks/a?"+query), s.get("/v1/chunks/a?"+far)
	if first.status != 200 || bytes.Equal(first.body, another.body) {
		t.Fatalf("%d %d bytes, and %d %d of another level", first.status, len(first.body), another.status, len(another.body))
	}
	least := uint64(1 << 40)
	for range 8 {
		before := allocated()
		again := s.get("/v1/chunks/a?" + query)
		if least = min(least, allocated()-before); !bytes.Equal(again.body, first.body) || again.header.Get("ETag") != first.header.Get("ETag") {
			t.Fatal("the answer differs")
		}
	}
	// Decoding a chunk takes 64 KiB alone. Under the race detector pools lose what they have.
	if most := uint64(8*len(first.body) + 48<<10); least > most && !testing.Short() {
		t.Errorf("an answer that was made before takes %d bytes of memory, want at most %d", least, most)
	}
	p := pos.Min()
	s.want(200, request{"PUT", "/v1/cells/a", fmt.Appendf(nil, `{"box":"%[1]d,%[2]d,%[3]d..%[1]d,%[2]d,%[3]d","names":["glowstone"],"cells":[0]}`, p.X, p.Y, p.Z), nil}, nil)
	if names, cells, ok := s.mustChunk(query); !ok || names[cells[0]] != "minecraft:glowstone" {
		t.Error("the answer is of an older version")
	}
}
