// Package anviltest compares folders of Anvil worlds for tests. It reads regions,
// tags and cells in the simplest way and shares no code with format/anvil, so it
// does not repeat that package's faults; only tags are parsed by format/nbt. It does
// not compare McRegion files cell by cell, nor chunks that are not zlib. A Scribe writes
// a folder all the time, as a game does.
package anviltest

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/internal/testing/long"
)

// Worlds returns the folders of a kind ("anvil", "mcr") in CAIRN_WORLDS. It skips
// the test if that is not set.
func Worlds(t testing.TB, kind string) []string {
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

// Sample returns a few of Worlds; in "./test all" every fifth, in "./test long" all.
func Sample(t testing.TB, kind string) []string {
	t.Helper()
	dirs := Worlds(t, kind)
	some := dirs[:0]
	for i := 0; i < len(dirs); i += long.By(40, 5, 1) {
		some = append(some, dirs[i])
	}
	return some
}

var regionName = regexp.MustCompile(`(^|/)(region|entities|poi)/r\.-?\d+\.-?\d+\.mc[ar]$`)

// Compare reports differences between the worlds in the folders want and got as
// errors of t. It compares chunks tag by tag in any order within a compound, cell by
// cell, and by their time of writing. It compares all other files byte by byte.
func Compare(t testing.TB, want, got string) {
	t.Helper()
	compare(t, want, got, bytes.Equal)
}

// CompareTags is Compare for a world of several versions, in which files of NBT may be packed otherwise.
func CompareTags(t testing.TB, want, got string) {
	t.Helper()
	compare(t, want, got, func(a, b []byte) bool {
		tags, err := unpacked(a)
		again, wrong := unpacked(b)
		return bytes.Equal(a, b) || err == nil && wrong == nil && bytes.Equal(tags, again)
	})
}

func compare(t testing.TB, want, got string, equal func(a, b []byte) bool) {
	t.Helper()
	here, there := Files(t, want), Files(t, got)
	for name := range there {
		if !here[name] {
			t.Errorf("%s: only in the copy", name)
		}
	}
	n := numbers{}
	for name := range here {
		switch {
		case !there[name]:
			t.Errorf("%s: missing in the copy", name)
		case regionName.MatchString(name):
			compareRegions(t, n, filepath.Join(want, name), filepath.Join(got, name))
		case !equal(Bytes(t, want, name), Bytes(t, got, name)):
			t.Errorf("%s: differs", name)
		}
	}
}

// Files returns the slash paths of all files below dir except the game's lock.
func Files(t testing.TB, dir string) map[string]bool {
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

// Bytes returns the content of a file below dir.
func Bytes(t testing.TB, dir, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func compareRegions(t testing.TB, n numbers, a, b string) {
	t.Helper()
	want, got := Slots(t, a), Slots(t, b)
	for i := range got {
		if _, ok := want[i]; !ok {
			t.Errorf("%s slot %d: only in the copy", a, i)
		}
	}
	for i, s := range want {
		r := got[i]
		if r.Stamp != s.Stamp || (r.Raw == nil) != (s.Raw == nil) {
			t.Errorf("%s slot %d: stamp %d, %d bytes, want %d, %d bytes", a, i, r.Stamp, len(r.Raw), s.Stamp, len(s.Raw))
			continue
		}
		if s.Raw == nil {
			continue
		}
		da, err := s.Doc()
		if err != nil {
			if !bytes.Equal(s.Raw, r.Raw) {
				t.Errorf("%s slot %d: damaged (%v) and changed", a, i, err)
			}
			continue
		}
		db, err := r.Doc()
		if err != nil {
			t.Errorf("%s slot %d: %v", a, i, err)
			continue
		}
		if p, ok := nbt.Equal(n.chunk(t, db), n.chunk(t, da)); !ok {
			t.Errorf("%s slot %d: differs at %q", a, i, p)
		}
	}
}
