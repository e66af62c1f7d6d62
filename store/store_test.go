package store_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/cairnvoxel/cairn/store"
	"github.com/cairnvoxel/cairn/world"
)

func TestOpen(t *testing.T) {
	dir := "local:" + filepath.Join(t.TempDir(), "new")
	for _, tt := range []struct {
		url  string
		want error // of making a world
	}{{dir, nil}, {dir, world.ErrExists}, {"memory:", nil}, {"memory:", nil}} {
		s, err := store.Open(t.Context(), tt.url)
		if err != nil {
			t.Fatalf("%s: %v", tt.url, err)
		}
		if err := s.Create(t.Context(), "a"); !errors.Is(err, tt.want) {
			t.Errorf("%s: create: got %v, want %v", tt.url, err, tt.want)
		}
		if err := s.Close(); err != nil {
			t.Errorf("%s: close: %v", tt.url, err)
		}
	}
}

func TestOpenRefused(t *testing.T) {
	for _, url := range []string{"", "local", "local:", "memory:x", "memory", "https://host", "/dir"} {
		if s, err := store.Open(t.Context(), url); s != nil || err == nil {
			t.Errorf("%q: got %v, %v, want an error", url, s, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if s, err := store.Open(ctx, "memory:"); s != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v, %v", s, err)
	}
}
