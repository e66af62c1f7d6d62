package anvil_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/testing/anviltest"
	"github.com/cairnvoxel/cairn/internal/testing/long"
)

// TestWorldsRoundTrip reads real worlds straight into a Writer and
// compares: every chunk tag by tag and cell by cell, every other file byte by
// byte.
func TestWorldsRoundTrip(t *testing.T) {
	for _, dir := range anviltest.Sample(t, "anvil") {
		t.Run(filepath.Base(dir), func(t *testing.T) { roundTrip(t, dir, t.TempDir(), anvil.Options{Salvage: true}) })
	}
}

// roundTrip writes the world in dir to out and compares the two.
func roundTrip(t *testing.T, dir, out string, o anvil.Options) anvil.Stats {
	t.Helper()
	st := mustCopy(t, dir, out, o)
	if st.KeptSections != 0 {
		t.Errorf("%d sections were kept as tags", st.KeptSections)
	}
	anviltest.Compare(t, dir, out)
	return st
}

// mustCopy reads the world in dir into a Writer for out.
func mustCopy(t *testing.T, dir, out string, o anvil.Options) anvil.Stats {
	t.Helper()
	w, err := anvil.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	s, err := anvil.Create(out, anvil.FolderOptions{Level: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Read(context.Background(), s); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return w.Stats()
}

// TestWorldsDamage reads the world with cut streams without salvage: the rest
// comes, and the error names what did not.
func TestWorldsDamage(t *testing.T) {
	long.Rest(t)
	total := 0
	for _, dir := range anviltest.Worlds(t, "anvil") {
		w, err := anvil.Open(dir, anvil.Options{})
		if err != nil {
			t.Error(err)
			continue
		}
		var damage *format.DamageError
		err = w.Read(context.Background(), &taker{})
		if errors.As(err, &damage) {
			total += len(damage.Columns)
		} else if err != nil {
			t.Errorf("%s: %v", dir, err)
		}
		w.Close()
	}
	if total != 3 {
		t.Errorf("%d damaged chunks, want the 3 that were cut", total)
	}
}
