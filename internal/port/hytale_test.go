package port_test

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/hytale"
	"github.com/cairnvoxel/cairn/internal/port"
)

// TestHytale opens a save of Hytale as a folder and in a zip, and refuses to read it while a game may be writing it.
func TestHytale(t *testing.T) {
	const text = `{"version": 8, "anchorX": 0, "blocks": [{"x": 0, "y": 0, "z": 0, "name": "Rock_Stone"}]}`
	dir := t.TempDir()
	src, err := hytale.Prefab().Open(strings.NewReader(text), int64(len(text)), format.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	out, err := hytale.Kind().CreateFolder(dir, format.WriteOptions{})
	if err == nil {
		err = src.Read(t.Context(), out)
	}
	if err == nil {
		err = out.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	if err := z.AddFS(os.DirFS(dir)); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	archive := filepath.Join(t.TempDir(), "save.zip")
	if err := os.WriteFile(archive, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, archive} {
		s, err := port.Open(path, port.Options{})
		if err != nil {
			t.Fatal(err)
		}
		w, err := s.Parts(t.Context(), nil)
		if err != nil || s.Format() != "hytale" || len(w.About().Dimensions) != 1 {
			t.Errorf("%s: %v, %s", path, err, s.Format())
		}
		s.Close()
	}
	if s, err := port.Open(dir, port.Options{Live: true}); err == nil || !strings.Contains(err.Error(), "stop the game") {
		t.Errorf("live: %v, %v", s, err)
	}
}
