package main_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/anviltest"
)

// twoVersions makes a store with a world of two versions, the folder of the second, and the folder of the first.
func twoVersions(t *testing.T) (dir string) {
	t.Helper()
	dir = island(t)
	player := filepath.Join("playerdata", "ann.dat")
	write(t, filepath.Join(dir, "island", player), []byte("rich"))
	mustRun(t, 0, dir, "import", "island", "@hub")
	mustRun(t, 0, dir, "edit", "@hub", "ball", "--at", "0,70,0", "--r", "12", "--name", "glass")
	mustRun(t, 0, dir, "export", "@hub", "world")
	write(t, filepath.Join(dir, "world", player), []byte("poor"))
	return dir
}

func TestPut(t *testing.T) {
	dir := twoVersions(t)
	world := filepath.Join(dir, "world")
	before := list(t, world)
	args := []string{"put", "@hub@1", "world", "--region", "box:-1000,-64,-1000..1000,319,1000", "--file", "playerdata/ann.dat"}
	dry := mustJSON(t, 0, dir, append(args, "--dry-run")...)
	if list(t, world) != before {
		t.Error("--dry-run changed the folder")
	}
	if got, want := keys(dry), "added cells chunks dimension dry_run files folder kept left newest objects removed version world"; got != want {
		t.Errorf("put prints %s, want %s", got, want)
	}
	r := mustRun(t, 0, dir, args...)
	for _, want := range []string{"put @hub, version 1", "chunks replaced", "playerdata/ann.dat, of 4 bytes in place of 4", "does not have what this replaces; cairn import world @hub before a put keeps it"} {
		if !strings.Contains(r.out, want) {
			t.Errorf("it does not say %q:\n%s", want, r.out)
		}
	}
	if dry["cells"].(float64) < 100 || dry["kept"] != false {
		t.Errorf("it was to do %v", dry)
	}
	anviltest.Compare(t, filepath.Join(dir, "island"), world)
	if again := mustRun(t, 0, dir, args...); !strings.Contains(again.out, "nothing differs") {
		t.Errorf("again: %s", again.out)
	}
	// What was replaced can be had back.
	mustRun(t, 0, dir, "put", "@hub@2", "world", "--region", "box:-1000,-64,-1000..1000,319,1000")
	if again := mustJSON(t, 0, dir, "import", "world", "@hub"); again["same"] != true {
		t.Errorf("the second version, put back, is another: %v", again)
	}
	if r := mustRun(t, 0, dir, "put", "@hub@1", "world", "--region", "ball:0,70,0,3", "--dry-run"); !strings.Contains(r.out, "has what this replaces") {
		t.Errorf("a folder that is a version: %s", r.out)
	}
}

func TestPutWrong(t *testing.T) {
	dir := twoVersions(t)
	world := filepath.Join(dir, "world")
	before := list(t, world)
	for _, tt := range []struct {
		code int
		args string
		want string
	}{
		{2, "@hub world", "--region"},
		{2, "@hub world --dimension overworld", "--region"},
		{2, "hub world --region box:0,0,0..1,1,1", "@name"},
		{2, "@hub world --region box:0,0", "--region"},
		{2, "@hub world --region box:0,0,0..1,1,1 --dimension moon", "overworld"},
		{3, "@hub@7 world --region box:0,0,0..1,1,1", "cairn log"},
		{3, "@none world --region box:0,0,0..1,1,1", "cairn list"},
		{3, "@hub nowhere --region box:0,0,0..1,1,1", "nowhere"},
		{3, "@hub world --file playerdata/bob.dat", "playerdata/ann.dat"},
		{3, "@hub@1 world --region box:-99,0,-99..99,99,99 --file playerdata/bob.dat", "playerdata/ann.dat"},
	} {
		r := mustRun(t, tt.code, dir, append([]string{"put"}, strings.Fields(tt.args)...)...)
		if !strings.Contains(r.errors, tt.want) || list(t, world) != before {
			t.Errorf("put %s: %s", tt.args, r.errors)
		}
	}
}

// TestExportPart: the chunks that a region touches, and single files.
func TestExportPart(t *testing.T) {
	dir := twoVersions(t)
	mustRun(t, 0, dir, "export", "@hub@1", "part", "--region", "box:-3,60,1..3,62,2")
	if r := mustJSON(t, 0, dir, "info", "part"); fmt.Sprint(r["dimensions"].([]any)[0].(map[string]any)["columns"]) != "2" {
		t.Errorf("a part: %v", r["dimensions"])
	}
	for name := range anviltest.Files(t, filepath.Join(dir, "part")) {
		if filepath.Ext(name) != ".mca" {
			continue
		}
		whole := anviltest.Slots(t, filepath.Join(dir, "island", name))
		for slot, s := range anviltest.Slots(t, filepath.Join(dir, "part", name)) {
			got, err := s.Doc()
			want, _ := whole[slot].Doc()
			if err != nil || len(got) != len(want) {
				t.Errorf("%s slot %d: %d bytes of tags, want %d: %v", name, slot, len(got), len(want), err)
			}
		}
	}
	mustRun(t, 0, dir, "export", "@hub@1", "part.slime", "--region", "box:-3,60,1..3,62,2", "--dimension", "overworld")
	mustRun(t, 0, dir, "export", "@hub@1", "ann.dat", "--file", "playerdata/ann.dat")
	if got := read(t, filepath.Join(dir, "ann.dat")); !bytes.Equal(got, []byte("rich")) {
		t.Errorf("the file is %q", got)
	}
	for _, tt := range []struct {
		code int
		args string
		want string
	}{
		{3, "@hub@1 ann.dat --file playerdata/ann.dat", "exists"},
		{3, "@hub@1 bob.dat --file playerdata/bob.dat", "playerdata/ann.dat"},
		{2, "@hub@1 bob.dat --file playerdata/ann.dat --region box:0,0,0..1,1,1", "--json alone"},
		{2, "island island/x.dat --file level.dat", "only reads"},
		{3, "@hub far --region box:5000,0,5000..5001,1,5001", "touches no chunk"},
		{2, "@hub far --region box:0,0,0..1,1,1 --dimension moon", "overworld"},
	} {
		if r := mustRun(t, tt.code, dir, append([]string{"export"}, strings.Fields(tt.args)...)...); !strings.Contains(r.errors, tt.want) {
			t.Errorf("export %s: %s", tt.args, r.errors)
		}
	}
	for _, name := range []string{"far", "bob.dat"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s is there", name)
		}
	}
}

// TestNamesAreNoFiles: the name of a world is no name of a file, so none is too odd for a system, and no two meet.
func TestNamesAreNoFiles(t *testing.T) {
	dir := island(t)
	names := []string{"con", "nul.txt", "end.", "a/b", "a-b", "a_b"}
	for _, name := range names {
		mustRun(t, 0, dir, "import", "island", "@"+name)
	}
	mustRun(t, 0, dir, "backup", "--to", "backups")
	for _, in := range []string{"cairn-data", "backups"} {
		for name := range anviltest.Files(t, filepath.Join(dir, in)) {
			for _, part := range strings.Split(name, "/") {
				stem, _, _ := strings.Cut(part, ".")
				if slices.Contains(append(names, "nul", "end", "a", "b"), stem) {
					t.Errorf("%s/%s has the name of a world", in, name)
				}
			}
		}
	}
}
