package server_test

import (
	"bytes"
	"testing"

	"github.com/cairnvoxel/cairn/client"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/world"
)

func TestSaveAndLoad(t *testing.T) {
	var saved []string
	s := newSite(t, server.Options{Saved: func(name string) { saved = append(saved, name) }})
	const name = "players/ann/island"
	var head client.Head
	s.want(201, request{method: "PUT", path: "/v1/worlds/" + name}, &head)
	if head != (client.Head{}) {
		t.Errorf("got head %+v of a new world", head)
	}
	st := mustStone(t, 1)
	var c client.Commit
	got := s.want(201, commitRequest(name, commitOf(world.ID{}, "first", st), st), &c)
	if c.Number != 1 || c.Message != "first" || got.header.Get("ETag") != tag(world.ID(c.ID)) || len(saved) != 1 || saved[0] != name {
		t.Errorf("got %+v, header %v, saved %q", c, got.header, saved)
	}
	s.want(200, request{method: "GET", path: "/v1/head/" + name}, &head)
	if head.Commit != c.ID {
		t.Errorf("got head %v, want %v", head, c.ID)
	}
	stack, stones := s.mustStack(name, "")
	if stack.At != c.ID || len(stack.Layers) != 1 || len(stones) != 1 || !bytes.Equal(stones[0].Data, st.Data) {
		t.Errorf("got stack %+v with %d stones", stack, len(stones))
	}
	if got := s.get("/v1/stones/" + st.ID.String() + "/" + name); !bytes.Equal(got.body, st.Data) {
		t.Errorf("got %d %q", got.status, got.body)
	}
	s.do(commitRequest(name, commitOf(world.ID{}, "again", st), st)).wantCode(t, client.Conflict)
}

func (s *site) mustStack(name, query string) (client.Stack, []world.Stone) {
	s.t.Helper()
	got := s.want(200, request{method: "GET", path: "/v1/stack/" + name + query}, nil)
	stack, stones, err := client.ReadStack(client.NewRecords(bytes.NewReader(got.body), 1<<20), 1<<20)
	if err != nil {
		s.t.Fatal(err)
	}
	return stack, stones
}
