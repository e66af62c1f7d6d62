package atomicfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/cairnvoxel/cairn/internal/atomicfile"
)

// A file or folder is at its path after Commit, and nothing else is in the folder.
func TestCommit(t *testing.T) {
	for _, old := range []string{"", "old content"} {
		dir := t.TempDir()
		path := filepath.Join(dir, "a")
		if old != "" {
			write(t, path, old)
		}
		p, err := atomicfile.NewFile(path, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Abort()
		if in, err := p.File.Stat(); err != nil || runtime.GOOS != "windows" && in.Mode().Perm() != 0o600 {
			t.Errorf("before Commit the mode is %v (%v)", in.Mode(), err)
		}
		if _, err := p.File.WriteString("new"); err != nil {
			t.Fatal(err)
		}
		if b, _ := os.ReadFile(path); string(b) != old {
			t.Errorf("before Commit the file holds %q, want %q", b, old)
		}
		if err := p.Commit(); err != nil {
			t.Fatal(err)
		}
		p.Abort()
		if b, err := os.ReadFile(path); string(b) != "new" {
			t.Errorf("after Commit the file holds %q (%v)", b, err)
		}
		wantEntries(t, dir, "a")
	}
}

func TestCommitFolder(t *testing.T) {
	for _, tt := range []struct {
		name, in string // in is a file in the folder that is there before
		ok       bool
	}{{"new", "", true}, {"empty", ".", true}, {"not empty", "b", false}} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "out")
			if tt.in != "" {
				if err := os.Mkdir(path, 0o777); err != nil {
					t.Fatal(err)
				}
			}
			if tt.in == "b" {
				write(t, filepath.Join(path, "b"), "x")
			}
			p, err := atomicfile.NewFolder(path + "/")
			if err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(p.Temp, "a"), "x")
			err = p.Commit()
			p.Abort()
			if (err == nil) != tt.ok {
				t.Fatalf("Commit: %v", err)
			}
			wantEntries(t, dir, "out")
			wantEntries(t, path, map[bool]string{true: "a", false: "b"}[tt.ok])
		})
	}
}

func TestAbort(t *testing.T) {
	dir := t.TempDir()
	file, err := atomicfile.NewFile(filepath.Join(dir, "a"), 0o666)
	if err != nil {
		t.Fatal(err)
	}
	folder, err := atomicfile.NewFolder(filepath.Join(dir, "b"))
	if err != nil {
		t.Fatal(err)
	}
	file.Abort()
	folder.Abort()
	wantEntries(t, dir)
}

// An error of the parent names the parent and not the temporary file.
func TestParent(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "file"), "")
	for name, want := range map[string]error{"nowhere": fs.ErrNotExist, "file": syscall.ENOTDIR} {
		parent := filepath.Join(dir, name)
		_, err := atomicfile.NewFile(filepath.Join(parent, "a"), 0o666)
		if !errors.Is(err, want) || !strings.HasPrefix(err.Error(), parent+": ") || strings.Contains(err.Error(), ".tmp") {
			t.Errorf("NewFile: %v", err)
		}
	}
}

// An error of Commit names the path and not the temporary file.
func TestCommitError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	if err := os.MkdirAll(filepath.Join(path, "full"), 0o777); err != nil {
		t.Fatal(err)
	}
	p, err := atomicfile.NewFile(path, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Abort()
	if err := p.Commit(); err == nil || !strings.HasPrefix(err.Error(), path+": ") || strings.Contains(err.Error(), ".tmp") {
		t.Errorf("Commit: %v", err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func wantEntries(t *testing.T, dir string, want ...string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range list {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("%s holds %v, want %v", dir, got, want)
	}
}
