package server_test

import (
	"testing"

	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/store/client"
)

// TestBlame asks who changed cells: each version of the world sets one cell of a chunk of
// its own.
func TestBlame(t *testing.T) {
	s := newSite(t, server.Options{})
	s.mustCommit("a", 4)
	type answer struct {
		Name, Before string
		Commit       *client.Commit
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
	for query, want := range map[string]client.Code{
		"?x=1e9": client.BadRequest, "?x=33554432": client.BadRequest, "?y=x": client.BadRequest, "?dimension=b": client.BadRequest, "?volume=b": client.BadRequest,
		"?at=9": client.NoCommit, "?from=1": client.BadRequest, "?from=" + mustStone(t, 1).ID.String(): client.NoCommit,
	} {
		s.get("/v1/blame/a"+query).wantCode(t, want)
	}
	s.get("/v1/blame/none").wantCode(t, client.NoWorld)
}
