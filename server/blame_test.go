package server_test

import (
	"testing"

	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/server"
)

// TestBlame asks who changed cells: each version of the world sets one cell of a chunk of
// its own.
func TestBlame(t *testing.T) {
	s := newSite(t, server.Options{})
	s.mustCommit("a", 4)
	type answer struct {
		Name, Before string
		Commit       *wire.Commit
		Searched     int
		Next         string
	}
	for _, tt := range []struct {
		query  string
		number uint64 // of the version, 0 for none
		name   string
	}{
		{"?x=33", 2, "stone"}, // version 2 sets cell 1 of chunk 1
		{"?x=99&at=4", 4, "stone"},
		{"?x=99&at=3", 0, "air"},
		{"?x=0", 1, "stone"},
		{"?x=5", 0, "air"},
		{"?x=-5000&y=-100&dimension=a&volume=block", 0, "air"},
	} {
		var got answer
		s.want(200, request{method: "GET", path: "/v1/blame/a" + tt.query}, &got)
		number := uint64(0)
		if got.Commit != nil {
			number = got.Commit.Number
		}
		if number != tt.number || got.Name != tt.name || got.Next != "" || got.Searched == 0 {
			t.Errorf("%s: got %+v", tt.query, got)
		}
	}
	for query, want := range map[string]wire.Code{
		"?x=1e9": wire.BadRequest, "?x=33554432": wire.BadRequest, "?y=x": wire.BadRequest, "?dimension=b": wire.BadRequest, "?volume=b": wire.BadRequest,
		"?at=9": wire.NoCommit, "?from=1": wire.BadRequest, "?from=" + mustStone(t, 1).ID.String(): wire.NoCommit,
	} {
		s.get("/v1/blame/a"+query).wantCode(t, want)
	}
	s.get("/v1/blame/none").wantCode(t, wire.NoWorld)
}
