package store_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/store"
	_ "github.com/cairnvoxel/cairn/store/client"
	"github.com/cairnvoxel/cairn/store/history"
	_ "github.com/cairnvoxel/cairn/store/local"
)

func TestOpen(t *testing.T) {
	dir := "local:" + filepath.Join(t.TempDir(), "new")
	for _, tt := range []struct {
		url  string
		want error // of making a world
	}{{dir, nil}, {dir, history.ErrExists}, {"memory:", nil}, {"memory:", nil}} {
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
	for _, url := range []string{"", "local", "local:", "memory:x", "memory", "https://", "http:host", "https://ann:secret@host", "ftp://host", "/dir"} {
		if s, err := store.Open(t.Context(), url); s != nil || err == nil {
			t.Errorf("%q: got %v, %v, want an error", url, s, err)
		}
	}
	_, err := store.Open(t.Context(), "https://ann:secret@host")
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v, want an error that keeps the secret", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if s, err := store.Open(ctx, "memory:"); s != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v, %v", s, err)
	}
}

// An error about a scheme that the program does not import names the import.
func TestNotImported(t *testing.T) {
	_, err := store.Open(t.Context(), "cluster:c.toml")
	if err == nil || !strings.Contains(err.Error(), `import _ "github.com/cairnvoxel/cairn/store/cluster"`) {
		t.Errorf("got %v", err)
	}
}
