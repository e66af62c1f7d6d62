package port_test

import (
	"bytes"
	"cmp"
	"context"
	"testing"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// island is a made-up world of a version of the game.
func island(seed uint64, version int32) format.Source {
	return terrain.Island(terrain.Options{Seed: seed, Size: 3, Version: version})
}

// mustLoad reads a source into memory.
func mustLoad(t *testing.T, src format.Source) *convert.Loaded {
	t.Helper()
	w, err := convert.Load(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// mustStone returns a world as a stone.
func mustStone(t *testing.T, w *convert.Loaded) history.Stone {
	t.Helper()
	var b bytes.Buffer
	id, _, err := convert.WriteStone(t.Context(), w, &b, stone.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return history.Stone{ID: id, Data: b.Bytes()}
}

// loaded reads an opened world into memory. If chunks are damaged it returns the rest, and the error.
func loaded(ctx context.Context, s *port.Opened, maxBytes int64) (*convert.Loaded, error) {
	c, err := s.Parts(ctx, nil)
	if c == nil {
		return nil, err
	}
	w, failed := convert.FromContent(ctx, c, maxBytes)
	return w, cmp.Or(failed, err)
}
