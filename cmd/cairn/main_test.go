package main_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// program is the command, built once. userCache is the cache of who runs the tests.
var program, userCache string

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "cairn-test")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "cairn.exe")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		return 1
	}
	userCache, _ = os.UserCacheDir()                         // the current directory if there is none
	os.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache")) // what imports remember, not the cache of go
	return m.Run()
}

// result is what a run of the command came to.
type result struct {
	code        int
	out, errors string
}

// cairn runs the command in dir.
func cairn(t *testing.T, dir string, args ...string) result {
	t.Helper()
	return start(t, dir, program, args...)
}

func start(t *testing.T, dir, name string, args ...string) result {
	t.Helper()
	var out, errors bytes.Buffer
	c := exec.Command(name, args...)
	c.Dir, c.Stdout, c.Stderr = dir, &out, &errors
	if err := c.Run(); err != nil && c.ProcessState == nil {
		t.Fatal(err)
	}
	return result{c.ProcessState.ExitCode(), out.String(), errors.String()}
}

// mustRun runs the command and fails unless it exits with want.
func mustRun(t *testing.T, want int, dir string, args ...string) result {
	t.Helper()
	r := cairn(t, dir, args...)
	if r.code != want {
		t.Fatalf("cairn %s: exit status %d, want %d\n%s%s", strings.Join(args, " "), r.code, want, r.out, r.errors)
	}
	if want == 0 && r.errors != "" {
		t.Errorf("cairn %s says on stderr: %s", strings.Join(args, " "), r.errors)
	}
	return r
}

// mustJSON runs the command with --json and decodes its one document.
func mustJSON(t *testing.T, want int, dir string, args ...string) map[string]any {
	t.Helper()
	r := mustRun(t, want, dir, append(args, "--json")...)
	var v map[string]any
	if err := json.Unmarshal([]byte(r.out), &v); err != nil {
		t.Fatalf("cairn %s: %v in %q", strings.Join(args, " "), err, r.out)
	}
	return v
}

// keys returns the names in a JSON object, sorted.
func keys(v any) string {
	var names []string
	for k := range v.(map[string]any) {
		names = append(names, k)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// island makes a folder with a small world "island" and returns where it lies.
func island(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	mustRun(t, 0, dir, "gen", "--size", "4", "island", "island")
	return dir
}

// list returns the files below dir with their hashes.
func list(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		fmt.Fprint(&b, filepath.ToSlash(rel), " ", e.Type())
		if e.Type().IsRegular() {
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, " %x", sha256.Sum256(content))
		}
		b.WriteByte('\n')
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestHelp(t *testing.T) {
	dir := t.TempDir()
	for _, verb := range []string{"demo", "try", "import", "export", "info", "check", "diff", "savings", "render", "mesh", "stone", "stone list",
		"stone dump", "stone check", "gen", "list", "log", "commit", "fork", "restore", "pack", "gc", "rename", "delete", "undelete", "purge", "edit", "put", "watch", "backup", "restore-store", "salvage",
		"texture", "texture make", "texture info", "texture check", "texture show", "texture dump"} {
		r := mustRun(t, 0, dir, append(strings.Fields(verb), "--help")...)
		if !strings.Contains(r.out, "Examples:\n  cairn "+verb) {
			t.Errorf("help of %s has no example of it:\n%s", verb, r.out)
		}
		if all := mustRun(t, 0, dir); !strings.Contains(all.out, "\n  "+strings.Fields(verb)[0]+" ") {
			t.Errorf("help does not list %s", verb)
		}
	}
}

func TestThereAndBack(t *testing.T) {
	dir := island(t)
	before := list(t, filepath.Join(dir, "island"))
	made := mustJSON(t, 0, dir, "import", "island", "a.cairn")
	if got, want := keys(made), "bytes cells columns damaged files format id lost objects source world"; got != want {
		t.Errorf("import prints %s, want %s", got, want)
	}
	if made["columns"] != 16.0 || made["cells"].(float64) < 1000 || made["objects"].(float64) < 10 || made["files"] != 1.0 {
		t.Errorf("import counts %v", made)
	}
	if sum := fmt.Sprintf("%x", sha256.Sum256(read(t, filepath.Join(dir, "a.cairn")))); made["id"] != sum {
		t.Errorf("import names %v, the file's hash is %s", made["id"], sum)
	}
	mustRun(t, 0, dir, "export", "a.cairn", "back/")
	for _, pair := range [][2]string{{"island", "a.cairn"}, {"a.cairn", "back"}, {"back", "island"}} {
		if r := mustRun(t, 0, dir, "diff", pair[0], pair[1]); r.out != "same\n" {
			t.Errorf("diff %v says %q", pair, r.out)
		}
	}
	mustRun(t, 0, dir, "import", "back", "b.cairn")
	mustRun(t, 0, dir, "import", "a.cairn", "c.cairn")
	mustRun(t, 0, dir, "import", "--force", "island", "c.cairn")
	if a := read(t, filepath.Join(dir, "a.cairn")); !bytes.Equal(a, read(t, filepath.Join(dir, "c.cairn"))) {
		t.Error("the same folder gives two stones")
	}
	mustRun(t, 0, dir, "render", "island", "x.png")
	mustRun(t, 0, dir, "check", "island", "back", "a.cairn", "b.cairn", "c.cairn")
	if list(t, filepath.Join(dir, "island")) != before {
		t.Error("the source's folder has changed")
	}
}

func TestSlim(t *testing.T) {
	dir := island(t)
	mustRun(t, 0, dir, "import", "island", "all.cairn")
	slim := mustJSON(t, 0, dir, "import", "--slim", "island", "slim.cairn")
	lost := mustJSON(t, 0, dir, "export", "all.cairn", "all.slime")
	if got, want := keys(lost), "bytes format lost target world"; got != want {
		t.Errorf("export prints %s, want %s", got, want)
	}
	if fmt.Sprint(slim["lost"]) != fmt.Sprint(lost["lost"]) || len(slim["lost"].(map[string]any)) == 0 {
		t.Errorf("import --slim drops %v, export %v", slim["lost"], lost["lost"])
	}
	d := mustJSON(t, 1, dir, "diff", "slim.cairn", "all.slime") // the files have other properties
	for _, k := range []string{"cells", "objects", "columns"} {
		if d[k] != 0.0 {
			t.Errorf("slim stone and Slime file: %s differ: %v", k, d)
		}
	}
	if all := len(read(t, filepath.Join(dir, "all.cairn"))); slim["bytes"].(float64) >= float64(all) {
		t.Errorf("slim has %v bytes, with everything %d", slim["bytes"], all)
	}
	mustRun(t, 0, dir, "export", "slim.cairn", "slim.slime")
	mustRun(t, 0, dir, "diff", "all.slime", "slim.slime") // with the properties of level.dat
	mustRun(t, 0, dir, "import", "all.slime", "of-slime.cairn")
	mustRun(t, 0, dir, "diff", "all.slime", "of-slime.cairn")
}

func TestLightDrop(t *testing.T) {
	dir := island(t)
	mustRun(t, 0, dir, "import", "--light", "drop", "island", "dark.cairn")
	for _, v := range mustJSON(t, 0, dir, "info", "dark.cairn")["dimensions"].([]any)[0].(map[string]any)["volumes"].([]any) {
		if name := v.(map[string]any)["name"]; name != "block" && name != "biome" {
			t.Errorf("light dropped, and there is volume %v", name)
		}
	}
	mustRun(t, 0, dir, "check", "dark.cairn")
	d := mustJSON(t, 1, dir, "diff", "island", "dark.cairn")
	if v := d["volumes"].(map[string]any); v["block"] != nil || v["biome"] != nil || v["sky"] == nil || d["objects"] != 0.0 {
		t.Errorf("without light differs in %v", d)
	}
	mustRun(t, 0, dir, "export", "dark.cairn", "dark")
	mustRun(t, 0, dir, "diff", "dark", "dark.cairn")
}

func TestDiff(t *testing.T) {
	dir := island(t)
	mustRun(t, 0, dir, "gen", "--size", "4", "--seed", "2", "island", "other.cairn")
	same := mustRun(t, 0, dir, "diff", "--json", "island", "island")
	want := "{\n  \"cells\": 0,\n  \"volumes\": {},\n  \"objects\": 0,\n  \"columns\": 0,\n  \"properties\": 0,\n  \"files\": 0,\n  \"first\": [],\n  \"blocks\": []\n}\n"
	if same.out != want {
		t.Errorf("same worlds: %s", same.out)
	}
	d := mustJSON(t, 1, dir, "diff", "island", "other.cairn")
	volumes := 0.0
	for _, n := range d["volumes"].(map[string]any) {
		volumes += n.(float64)
	}
	if d["cells"].(float64) == 0 || volumes != d["cells"] || len(d["first"].([]any)) == 0 || keys(d) != "blocks cells columns files first objects properties volumes" {
		t.Errorf("other worlds: %v", d)
	}
	if r := mustRun(t, 1, dir, "diff", "island", "other.cairn"); !strings.Contains(r.out, "first:\n  ") || r.errors != "" {
		t.Errorf("other worlds: %q, %q", r.out, r.errors)
	}
}

// TestQuick imports with fewer forms: more bytes, the same world.
func TestQuick(t *testing.T) {
	dir := island(t)
	all := mustJSON(t, 0, dir, "import", "island", "all.cairn")
	quick := mustJSON(t, 0, dir, "import", "--quick", "island", "quick.cairn")
	if a, q := all["bytes"].(float64), quick["bytes"].(float64); a >= q*0.9 {
		t.Errorf("%v bytes, %v with --quick", a, q)
	}
	mustRun(t, 0, dir, "check", "quick.cairn")
	mustRun(t, 0, dir, "diff", "all.cairn", "quick.cairn")
	mustRun(t, 0, dir, "export", "all.cairn", "again")
	mustRun(t, 0, dir, "diff", "island", "again")
	at := mustJSON(t, 0, dir, "import", "--quick", "island", "@island")
	if at["bytes"] != quick["bytes"] {
		t.Errorf("%v bytes in the store, %v in a file", at["bytes"], quick["bytes"])
	}
}
