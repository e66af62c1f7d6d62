package server_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/internal/testing/stonetest"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// madeFolder is a folder that is made for each put.
type madeFolder struct{}

func (madeFolder) Put(ctx context.Context, _ bool, put func(dir string) error) error {
	dir, err := os.MkdirTemp("", "cairn")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	w, err := anvil.Create(dir, anvil.FolderOptions{Level: 1, LevelName: "a"})
	if err == nil {
		err = terrain.Island(terrain.Options{Size: 1}).Read(ctx, w)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return err
	}
	return put(dir)
}

// playerOfA makes a version of a with files of players and others.
func playerOfA(head history.ID) func(s *site) []byte {
	return func(s *site) []byte {
		s.t.Helper()
		var b bytes.Buffer
		named := nbt.AppendString(nbt.AppendCompound(nbt.AppendCompound(nil, ""), "bukkit"), "lastKnownName", "Ann")
		named = nbt.AppendEnd(nbt.AppendEnd(named))
		id, err := stonetest.Spec{Files: []stonetest.FileSpec{{Path: "data/raids.dat"}, {Path: "playerdata/x.dat", Data: named}, {Path: "playerdata/x.dat_old"}, {Path: "players/data/y.dat", Data: []byte("y")}}}.Write(&b, stone.Options{})
		if err != nil {
			s.t.Fatal(err)
		}
		st := history.Stone{ID: id, Data: b.Bytes()}
		s.want(201, commitRequest("a", commitOf(head, "", st), st), nil)
		return nil
	}
}

func TestPlayers(t *testing.T) {
	s := newSite(t, server.Options{})
	playerOfA(s.mustCommit("a", 2))(s)
	const want = `{"players":[{"id":"x","name":"Ann","file":"playerdata/x.dat"},{"id":"y","name":"","file":"players/data/y.dat"}]}`
	got := s.want(200, request{method: "GET", path: "/v1/players/a"}, nil)
	if string(bytes.TrimSpace(got.body)) != want {
		t.Errorf("got %s", got.body)
	}
	if again := s.get("/v1/players/a", "If-None-Match", got.header.Get("ETag")); again.status != 304 {
		t.Errorf("again: %d", again.status)
	}
	if got := s.want(200, request{method: "GET", path: "/v1/players/a?at=2"}, nil); string(bytes.TrimSpace(got.body)) != `{"players":[]}` {
		t.Errorf("got %s", got.body)
	}
	s.get("/v1/players/none").wantCode(t, wire.NoWorld)
}

// lostFolder is a folder of which no version can be made.
type lostFolder struct{}

func (lostFolder) Put(context.Context, bool, func(string) error) error {
	return errors.New("at /secret")
}

// TestPutFails: the caller does not see what went wrong inside.
func TestPutFails(t *testing.T) {
	s := newSite(t, server.Options{Folders: map[string]server.GameFolder{"a": lostFolder{}}})
	s.mustCommit("a", 1)
	got := s.do(request{"POST", "/v1/put/a", []byte(`{"region":"box:0,0,0..1,1,1"}`), nil})
	if got.wantCode(t, wire.Internal); bytes.Contains(got.body, []byte("secret")) {
		t.Errorf("got %s", got.body)
	}
}
