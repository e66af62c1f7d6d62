package streams_test

import (
	"bytes"
	"context"
	"net"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/convert"
	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/server/streams"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/stream"
	"github.com/cairnvoxel/cairn/world"
)

// mustStore returns a store with a world of hills.
func mustStore(t *testing.T, names ...string) history.Store {
	t.Helper()
	w, err := convert.Load(t.Context(), terrain.Level{Seed: 1}.Source(geom.Box{Max: geom.Point{X: 64, Y: 256, Z: 64}}))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	id, _, err := convert.WriteStone(t.Context(), w, &b, stone.Options{})
	if err != nil {
		t.Fatal(err)
	}
	st := memory.New(memory.Options{})
	for _, name := range names {
		if _, err := world.Import(t.Context(), st, name, history.Stone{ID: id, Data: b.Bytes()}, world.Options{}, ""); err != nil {
			t.Fatal(err)
		}
	}
	return st
}

// TestCloseUnread: a viewer that does not read does not keep a Hub from closing.
func TestCloseUnread(t *testing.T) {
	h := streams.New(mustStore(t, "a"), streams.Options{Patience: time.Second})
	ours, theirs := net.Pipe()
	defer theirs.Close()
	shown := make(chan error, 1)
	go func() {
		shown <- h.Show(context.Background(), ours, &stream.Hello{Protocol: stream.Protocol, World: "a"}, nil, nil)
	}()
	// The first byte of Welcome says that the session has begun. The rest waits to be read.
	if _, err := theirs.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		h.Close()
	}()
	select {
	case <-closed:
		<-shown
	case <-time.After(20 * time.Second):
		t.Error("the Hub waits for a viewer that does not read")
	}
}
