package anvil_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/cairnvoxel/cairn/format"
	"github.com/cairnvoxel/cairn/format/anvil"
	"github.com/cairnvoxel/cairn/format/nbt"
)

// worlds returns the folders of real worlds of a kind.
func worlds(t testing.TB, kind string) []string {
	t.Helper()
	root := os.Getenv("CAIRN_WORLDS")
	if root == "" {
		t.Skip("CAIRN_WORLDS is not set")
	}
	dirs, err := filepath.Glob(filepath.Join(root, kind, "*"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no worlds in %s: %v", root, err)
	}
	return dirs
}

// TestWorldsRoundTrip reads every real world straight into a Writer and
// compares: every chunk tag by tag and cell by cell, every other file byte by
// byte.
func TestWorldsRoundTrip(t *testing.T) {
	for _, dir := range worlds(t, "anvil") {
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
	compareWorlds(t, dir, out)
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
	s, err := anvil.Create(out, anvil.WriteOptions{Level: 1})
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

var regionName = regexp.MustCompile(`(^|/)(region|entities|poi)/r\.-?\d+\.-?\d+\.mca$`)

func compareWorlds(t *testing.T, a, b string) {
	t.Helper()
	want, got := listFiles(t, a), listFiles(t, b)
	for name := range got {
		if !want[name] {
			t.Errorf("%s: only in the copy", name)
		}
	}
	numbers := intern{}
	for name := range want {
		switch {
		case !got[name]:
			t.Errorf("%s: missing in the copy", name)
		case regionName.MatchString(name):
			compareRegions(t, numbers, filepath.Join(a, name), filepath.Join(b, name))
		default:
			if !bytes.Equal(mustRead(t, a, name), mustRead(t, b, name)) {
				t.Errorf("%s: differs", name)
			}
		}
	}
}

// listFiles returns the slash paths of all files but session.lock.
func listFiles(t *testing.T, dir string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && path.Base(name) != "session.lock" {
			out[name] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func mustRead(t *testing.T, dir, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func compareRegions(t *testing.T, numbers intern, a, b string) {
	t.Helper()
	want, got := slotsOf(t, a), slotsOf(t, b)
	if len(got) != len(want) {
		t.Errorf("%s: %d slots, want %d", a, len(got), len(want))
	}
	for i, s := range want {
		r := got[i]
		if r.stamp != s.stamp || (r.raw == nil) != (s.raw == nil) {
			t.Errorf("%s slot %d: stamp %d, %d bytes, want %d, %d bytes", a, i, r.stamp, len(r.raw), s.stamp, len(s.raw))
		}
		if s.raw == nil || r.raw == nil {
			continue
		}
		da, err := s.doc()
		if err != nil {
			if !bytes.Equal(s.raw, r.raw) {
				t.Errorf("%s slot %d: damaged (%v) and changed", a, i, err)
			}
			continue
		}
		db, err := r.doc()
		if err != nil {
			t.Errorf("%s slot %d: %v", a, i, err)
			continue
		}
		if p, ok := nbt.Equal(numbers.plainDoc(t, db), numbers.plainDoc(t, da)); !ok {
			t.Fatalf("%s slot %d: differs at %q", a, i, p)
		}
	}
}

// TestWorldsDamage reads the world with cut streams without salvage: the rest
// comes, and the error names what did not.
func TestWorldsDamage(t *testing.T) {
	total := 0
	for _, dir := range worlds(t, "anvil") {
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
