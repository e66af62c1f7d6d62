package main_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/store/local"
)

// TestImportTime gives versions the times of old states.
func TestImportTime(t *testing.T) {
	dir := island(t)
	mustRun(t, 0, dir, "gen", "--size", "4", "--seed", "2", "island", "other")
	mustRun(t, 0, dir, "import", "island", "@hub", "--time", "2019-03-04T12:00+02:00")
	mustRun(t, 0, dir, "import", "other", "@hub", "--time", "2019-03-04T10:00") // the same again
	mustRun(t, 0, dir, "import", "island", "@hub", "--time", "2020-01-02")
	if v := mustJSON(t, 0, dir, "import", "island", "@hub", "--time", "2021-01-02"); v["same"] != true {
		t.Errorf("nothing differs, and there is %v", v["commit"])
	}
	for _, tt := range []struct {
		args string
		code int
		says string
	}{
		{"import other @hub --time 2019-12-31T23:59:59", 3, "2019-12-31T23:59:59Z is before 2020-01-02T00:00:00Z, the time of version 3"},
		{"import other @new --time 2999-01-01", 3, "2999-01-01T00:00:00Z is to come, it is 20"},
		{"import other @hub --time yesterday", 2, "--time yesterday: want a time in UTC such as"},
		{"import other @hub --time 1969-01-01", 2, "--time 1969-01-01: want a time in UTC such as"},
		{"import other other.cairn --time 2019-03-04", 2, "for a version of @name"},
		{"info @new", 3, "no such world"},
	} {
		if r := mustRun(t, tt.code, dir, strings.Fields(tt.args)...); !strings.Contains(r.errors, tt.says) {
			t.Errorf("%s says %q, want %q", tt.args, r.errors, tt.says)
		}
	}
	want := []string{"2020-01-02T00:00:00Z", "2019-03-04T10:00:00Z", "2019-03-04T10:00:00Z"}
	log := logs(t, dir, "@hub")
	if len(log) != len(want) {
		t.Fatalf("log is %v", log)
	}
	for i, c := range log {
		if c["time"] != want[i] {
			t.Errorf("version %v is of %v, want %v", c["number"], c["time"], want[i])
		}
	}
	mustRun(t, 0, dir, "diff", "@hub@2019-03-04T11:00", "other")
}

// TestImportDated makes a history of dated backups: in the order of their times, whatever says them.
func TestImportDated(t *testing.T) {
	dir := island(t)
	mustRun(t, 0, dir, "gen", "--size", "4", "--seed", "2", "island", "other")
	a, b := filepath.Join(dir, "island"), filepath.Join(dir, "other")
	backup := func(name, of string) string {
		path := filepath.Join(dir, "backups", name)
		write(t, path, zipOf(t, of))
		return path
	}
	backup("x-20200506-1000.zip", b)
	backup("y-2019-03-04.zip", a)
	backup("same_2020-05-07.zip", b)
	backup("z-2999-01-01.zip", a)
	backup("notes.txt", a)
	write(t, filepath.Join(dir, "backups", "cut-2019-07-01.zip"), zipOf(t, a)[:5000])
	played(t, filepath.Join(a, "level.dat"), time.Date(2021, 2, 3, 4, 5, 6, 7e6, time.UTC))
	backup("a.zip", a)

	states := func(code int, want string, args ...string) map[string]any {
		t.Helper()
		v := mustJSON(t, code, dir, append([]string{"import", "backups", "@hub", "--dated", "*.zip"}, args...)...)
		got := ""
		for _, s := range v["sources"].([]any) {
			s := s.(map[string]any)
			got += fmt.Sprintf("%s %.19s %s %s\n", filepath.Base(s["source"].(string)), s["time"], s["by"], s["state"])
		}
		if got != want {
			t.Errorf("import %v: got\n%swant\n%s", args, got, want)
		}
		return v
	}
	states(3, `y-2019-03-04.zip 2019-03-04T00:00:00 name new
cut-2019-07-01.zip 2019-07-01T00:00:00 name new
x-20200506-1000.zip 2020-05-06T10:00:00 name new
same_2020-05-07.zip 2020-05-07T00:00:00 name new
a.zip 2021-02-03T04:05:06 level.dat new
z-2999-01-01.zip 2999-01-01T00:00:00 name failed
`, "--dry-run")
	mustRun(t, 3, dir, "log", "@hub")
	if list, err := os.ReadDir(filepath.Join(dir, "cairn-data")); err == nil {
		t.Errorf("a dry run made a store of %v", list)
	}
	if err := os.Remove(filepath.Join(dir, "backups", "z-2999-01-01.zip")); err != nil {
		t.Fatal(err)
	}
	v := states(3, `y-2019-03-04.zip 2019-03-04T00:00:00 name version
cut-2019-07-01.zip 2019-07-01T00:00:00 name failed
x-20200506-1000.zip 2020-05-06T10:00:00 name version
same_2020-05-07.zip 2020-05-07T00:00:00 name same
a.zip 2021-02-03T04:05:06 level.dat version
`)
	if v["remarks"] != nil {
		t.Errorf("three versions stay, and there is %v", v["remarks"])
	}
	if log := logs(t, dir, "@hub"); len(log) != 3 || log[0]["time"] != "2021-02-03T04:05:06.007Z" || log[1]["time"] != "2020-05-06T10:00:00Z" || log[2]["time"] != "2019-03-04T00:00:00Z" || log[2]["message"] != "import y-2019-03-04.zip" {
		t.Errorf("log is %v", log)
	}
	mustRun(t, 0, dir, "diff", "@hub@2020-12-31", "other")

	backup("next-2022-01-01.zip", b)
	states(0, `y-2019-03-04.zip 2019-03-04T00:00:00 name skipped
cut-2019-07-01.zip 2019-07-01T00:00:00 name skipped
x-20200506-1000.zip 2020-05-06T10:00:00 name skipped
same_2020-05-07.zip 2020-05-07T00:00:00 name skipped
a.zip 2021-02-03T04:05:06 level.dat skipped
next-2022-01-01.zip 2022-01-01T00:00:00 name version
`)
	for _, tt := range []struct {
		args string
		says string
	}{
		{"import backups @hub --dated *.zip --time 2023-01-01", "--time and --dated: give one of them"},
		{"import backups @hub --dated [", "want a pattern such as '*.zip'"},
		{"import backups @hub --dated *.tar", "backups: nothing in it matches *.tar"},
		{"import backups hub.cairn --dated *.zip", "hub.cairn: want a world in the store"},
		{"import island @hub --dry-run", "--dry-run: only with --dated"},
	} {
		if r := mustRun(t, 2, dir, strings.Fields(tt.args)...); !strings.Contains(r.errors, tt.says) {
			t.Errorf("%s says %q, want %q", tt.args, r.errors, tt.says)
		}
	}
	backup("twice-2022-01-01.zip", a)
	if r := mustRun(t, 2, dir, "import", "backups", "@hub", "--dated", "*.zip"); !strings.Contains(r.errors, "next-2022-01-01.zip and backups/twice-2022-01-01.zip are both of 2022-01-01T00:00:00.000Z") {
		t.Errorf("two of one time: %q", r.errors)
	}
}

// TestImportDatedStays makes more old versions than a collection keeps by default: the command says so, and
// --keep all keeps them. While someone holds a lease of the world, none is made.
func TestImportDatedStays(t *testing.T) {
	dir := island(t)
	mustRun(t, 0, dir, "gen", "--size", "4", "--seed", "2", "island", "other")
	mustRun(t, 0, dir, "import", "island", "even.cairn")
	mustRun(t, 0, dir, "import", "other", "odd.cairn")
	for i := range 18 {
		of := []string{"even.cairn", "odd.cairn"}[i%2]
		write(t, filepath.Join(dir, "backups", fmt.Sprintf("hub-2015-01-%02d.cairn", 1+i)), read(t, filepath.Join(dir, of)))
	}
	const says = "a collection by the default drops 2 versions of 18, which are old: cairn gc --keep all and cairn serve --versions all keep them"
	if r := mustRun(t, 0, dir, "import", "backups", "@hub", "--dated", "*.cairn"); !strings.Contains(r.out, says) || strings.Count(r.out, "  version ") != 18 {
		t.Errorf("import says\n%s", r.out)
	}
	mustRun(t, 0, dir, "gc", "--keep", "all")
	if n := len(logs(t, dir, "@hub")); n != 18 {
		t.Errorf("%d versions are left by --keep all", n)
	}
	mustRun(t, 0, dir, "diff", "@hub@1", "island")
	mustRun(t, 0, dir, "gc")
	if n := len(logs(t, dir, "@hub")); n != 16 {
		t.Errorf("%d versions are left", n)
	}
	st, err := local.Open(filepath.Join(dir, "cairn-data"), local.Options{})
	if err == nil {
		_, err = st.Lease(t.Context(), "hub", "a game", time.Hour)
		err = errors.Join(err, st.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "backups", "hub-2016-01-01.cairn"), read(t, filepath.Join(dir, "even.cairn")))
	write(t, filepath.Join(dir, "backups", "hub-2016-01-02.cairn"), read(t, filepath.Join(dir, "odd.cairn")))
	if r := mustRun(t, 3, dir, "import", "backups", "@hub", "--dated", "*2016*"); !strings.Contains(r.errors, "hub-2016-01-01.cairn: ") || !strings.Contains(r.errors, "someone else holds a lease") || strings.Count(r.out, "  new\n") != 2 {
		t.Errorf("under a lease: %s%s", r.out, r.errors)
	}
}

// zipOf returns a folder as a zip.
func zipOf(t *testing.T, dir string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := port.WriteZip(t.Context(), os.DirFS(dir), &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// played sets the LastPlayed of a level.dat.
func played(t *testing.T, path string, at time.Time) {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(read(t, path)))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := io.ReadAll(r)
	name := []byte("LastPlayed")
	i := bytes.Index(doc, name)
	if err != nil || i < 0 {
		t.Fatal(i, err)
	}
	binary.BigEndian.PutUint64(doc[i+len(name):], uint64(at.UnixMilli()))
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(doc); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, path, b.Bytes())
}
