package port_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/stone/whole"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/internal/testing/worldtest"
	"github.com/cairnvoxel/cairn/stone"
)

// A world in any form is the same whether it fits into memory or not, and leaves no file.
func TestParts(t *testing.T) {
	w := worldtest.Load(t, terrain.Survival(terrain.Options{Size: 6, Version: terrain.Modern}))
	inFolder := t.TempDir()
	if err := port.WriteFolder(t.Context(), w.Content(), inFolder, port.Target{Format: port.Anvil, Name: "made up"}, nil, map[string]int{}); err != nil {
		t.Fatal(err)
	}
	dark := func(to format.Sink) format.Sink { return &convert.Filter{Sink: to, NoLight: true} }
	for _, tt := range []struct {
		name    string
		path    string
		through port.Through
		spills  bool
	}{
		{"a folder", inFolder, nil, true},
		{"a folder through a filter", inFolder, dark, true},
		{"a zip", file(t, "a.zip", zipOf(t, folder(t, w))), nil, true},
		{"slime", file(t, "a.slime", slimeOf(t, w)), nil, true},
		{"a stone", file(t, "a.cairn", worldtest.Stone(t, w).Data), nil, false},
		{"a stone through a filter", file(t, "a.cairn", worldtest.Stone(t, w).Data), dark, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := stoneOf(t, t.Context(), tt.path, port.Options{}, tt.through)
			temp := t.TempDir()
			got := stoneOf(t, t.Context(), tt.path, port.Options{Memory: 1 << 15, File: filesIn(temp)}, tt.through)
			if !bytes.Equal(got, want) {
				t.Errorf("%d bytes, want the %d bytes of the world in memory", len(got), len(want))
			}
			if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
				t.Errorf("files are left: %v, %v", left, err)
			}
			// Without the folder the world cannot be loaded, unless it needs no files.
			s, err := port.Open(tt.path, port.Options{Memory: 1 << 15, File: filesIn(filepath.Join(temp, "missing"))})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Parts(t.Context(), tt.through); errors.Is(err, os.ErrNotExist) != tt.spills {
				t.Errorf("without a folder for files: %v", err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func file(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// stoneOf writes the world at a path, which it reads in parts, as a stone.
func stoneOf(t *testing.T, ctx context.Context, path string, o port.Options, through port.Through) []byte {
	t.Helper()
	s, err := port.Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c, err := s.Parts(ctx, through)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, _, err := whole.Write(ctx, &b, c, whole.Options{Options: stone.Options{Effort: stone.Quick}, Memory: o.Memory}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A world with damage is what can be read of it, in parts too.
func TestPartsOfDamage(t *testing.T) {
	w := worldtest.Load(t, terrain.Survival(terrain.Options{Size: 6}))
	files := folder(t, w)
	region := files["region/r.0.0.mca"].Data
	region[int(region[2])*4096+100] ^= 0xFF // in the first chunk
	for _, memory := range []int64{0, 1 << 15} {
		s, err := port.OpenReader(bytes.NewReader(zipOf(t, files)), int64(len(zipOf(t, files))), port.Options{Memory: memory, File: filesIn(t.TempDir())})
		if err != nil {
			t.Fatal(err)
		}
		c, err := s.Parts(t.Context(), nil)
		var damage *format.DamageError
		if !errors.As(err, &damage) || len(damage.Columns) != 1 || c == nil {
			t.Fatalf("memory %d: %v, %v", memory, c, err)
		}
		n := 0
		for _, err := range c.ReadColumns(t.Context(), c.About().Dimensions[0].Name) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		if n != 35 {
			t.Errorf("memory %d: %d columns of 36, of which one is damaged", memory, n)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestTempFile(t *testing.T) {
	dir := t.TempDir()
	f, err := port.TempFile(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("some bytes")); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(io.NewSectionReader(f, 5, 5))
	if err != nil || string(got) != "bytes" {
		t.Errorf("read %q, %v", got, err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("files are left: %v, %v", left, err)
	}
}

// filesIn makes temporary files in a folder.
func filesIn(dir string) func() (whole.TempFile, error) {
	return func() (whole.TempFile, error) { return port.TempFile(dir) }
}
