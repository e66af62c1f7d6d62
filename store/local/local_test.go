package local_test

import (
	"errors"
	"testing"

	"github.com/cairnvoxel/cairn/store/local"
)

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	s, err := local.Open(dir, local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Create(t.Context(), "w"); err != nil {
		t.Error(err)
	}
	if _, err := local.Open(dir, local.Options{}); !errors.Is(err, local.ErrInUse) {
		t.Errorf("a second Open: got %v, want ErrInUse", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s, err = local.Open(dir, local.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if names, err := s.List(t.Context(), "", "", 9); err != nil || len(names) != 1 {
		t.Errorf("opened again: %q, %v", names, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
