package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/store/local"
)

// versions makes a store with a world @isle of three versions: an island,
// another one, and the first again.
func versions(t *testing.T) (dir string) {
	t.Helper()
	dir = island(t)
	mustRun(t, 0, dir, "gen", "--size", "4", "--seed", "2", "island", "other")
	mustRun(t, 0, dir, "import", "island", "@isle", "--author", "ada")
	mustRun(t, 0, dir, "commit", "other", "@isle", "-m", "a new\nland", "--author", "bob")
	mustRun(t, 0, dir, "restore", "@isle@1", "--author", "eve")
	return dir
}

// logs returns the commits that log --json prints, newest first.
func logs(t *testing.T, dir string, args ...string) []map[string]any {
	t.Helper()
	var out []map[string]any
	for _, c := range mustJSON(t, 0, dir, append([]string{"log"}, args...)...)["commits"].([]any) {
		out = append(out, c.(map[string]any))
	}
	return out
}

func TestVersions(t *testing.T) {
	dir := versions(t)
	log := logs(t, dir, "@isle")
	if len(log) != 3 || keys(log[0]) != "author base bytes id message number parent stones time" {
		t.Fatalf("log is %v", log)
	}
	for i, want := range []struct {
		number, stones        float64
		author, message, base string
	}{
		{3, 0, "eve", "restore 1 (" + log[2]["id"].(string)[:8] + ")", log[2]["id"].(string)},
		{2, 1, "bob", "a new\nland", log[2]["id"].(string)},
		{1, 1, "ada", "import island", ""},
	} {
		c := log[i]
		if c["number"] != want.number || c["stones"] != want.stones || c["author"] != want.author || c["message"] != want.message || c["base"] != want.base {
			t.Errorf("commit %d is %v, want %v", i, c, want)
		}
	}
	text := mustRun(t, 0, dir, "log", "@isle", "-n", "2").out
	if strings.Count(text, "\n") != 2 || !strings.Contains(text, `"a new\nland"`) {
		t.Errorf("log says %q", text)
	}
	first, second := log[2], log[1]
	for version, like := range map[string]string{
		"@isle":                              "island",
		"@isle@3":                            "island",
		"@isle@2":                            "other",
		"@isle@1":                            "island",
		"@isle@" + second["id"].(string)[:6]: "other",
		"@isle@" + strings.ToUpper(second["id"].(string)):          "other",
		"@isle@" + second["time"].(string):                         "other",
		"@isle@" + strings.TrimSuffix(first["time"].(string), "Z"): "island",
		"@isle@2999-01-02T03:04":                                   "island",
		"@isle@2999-01-02T03:04:05Z":                               "island",
	} {
		if r := mustRun(t, 0, dir, "diff", version, like); r.out != "same\n" {
			t.Errorf("%s and %s: %s", version, like, r.out)
		}
	}
	mustRun(t, 1, dir, "diff", "@isle@2", "@isle@3")
	if l := logs(t, dir, "@isle@2"); len(l) != 2 || l[0]["id"] != second["id"] {
		t.Errorf("the log of @isle@2 is %v", l)
	}
}

// TestKeptEverywhere gives a world of the store to every verb that takes one.
func TestKeptEverywhere(t *testing.T) {
	dir := versions(t)
	mustRun(t, 0, dir, "export", "@isle@2", "back")
	mustRun(t, 0, dir, "diff", "back", "other")
	mustRun(t, 0, dir, "import", "@isle@2", "two.cairn")
	mustRun(t, 0, dir, "diff", "two.cairn", "other")
	mustRun(t, 0, dir, "import", "--slim", "@isle@2", "@slim")
	mustRun(t, 0, dir, "render", "@isle@2", "two.png")
	mustRun(t, 0, dir, "check", "@isle", "@isle@2", "@slim")
	facts := mustJSON(t, 0, dir, "info", "@isle@2")
	if c := facts["commit"].(map[string]any); c["number"] != 2.0 || c["author"] != "bob" || facts["origin"] != "anvil" {
		t.Errorf("info says %v", facts)
	}
	for _, seed := range []string{"1", "2"} {
		mustRun(t, 0, dir, "gen", "--size", "4", "--seed", seed, "terrain", "@made/terrain")
	}
	mustRun(t, 0, dir, "gen", "--size", "4", "terrain", "made.cairn")
	mustRun(t, 0, dir, "diff", "@made/terrain@1", "made.cairn")
	worlds := mustJSON(t, 0, dir, "list")["worlds"].([]any)
	if fmt.Sprint(len(worlds)) != "3" || worlds[0].(map[string]any)["world"] != "@isle" {
		t.Errorf("list prints %v", worlds)
	}
	if r := mustRun(t, 0, dir, "list", "@made/"); strings.Count(r.out, "\n") != 1 || !strings.HasPrefix(r.out, "@made/terrain  version 2  ") {
		t.Errorf("list of a prefix says %q", r.out)
	}
}

func TestSameAgain(t *testing.T) {
	dir := versions(t)
	for _, args := range [][]string{{"import", "island", "@isle"}, {"commit", "@isle@1", "@isle"}, {"restore", "@isle@1"}, {"restore", "@isle@3"}} {
		if v := mustJSON(t, 0, dir, args...); v["same"] != true || v["commit"].(map[string]any)["number"] != 3.0 {
			t.Errorf("%v: %v", args, v)
		}
	}
	if r := mustRun(t, 0, dir, "commit", "island", "@isle"); !strings.Contains(r.out, "same as  3 (") {
		t.Errorf("commit of the same says %q", r.out)
	}
	if l := logs(t, dir, "@isle"); len(l) != 3 {
		t.Errorf("there are %d versions, want 3", len(l))
	}
}

func TestFork(t *testing.T) {
	dir := versions(t)
	if v := mustJSON(t, 0, dir, "fork", "@isle@2", "@isle/fork"); v["world"] != "@isle/fork" || v["from"] != "@isle" || v["commit"].(map[string]any)["number"] != 2.0 {
		t.Errorf("fork prints %v", v)
	}
	mustRun(t, 0, dir, "diff", "@isle/fork", "other")
	mustRun(t, 0, dir, "commit", "island", "@isle/fork")
	mustRun(t, 0, dir, "diff", "@isle/fork@2", "other")
	if l := logs(t, dir, "@isle/fork"); len(l) < 2 || l[0]["number"] != 3.0 || l[1]["number"] != 2.0 {
		t.Errorf("the fork's log is %v", l)
	}
	if l := logs(t, dir, "@isle"); len(l) != 3 || l[0]["author"] != "eve" {
		t.Errorf("the log of the world that was forked is %v", l)
	}
	if r := mustRun(t, 3, dir, "fork", "@isle", "@isle/fork"); !strings.Contains(r.errors, "exists") {
		t.Errorf("fork onto a world says %q", r.errors)
	}
}

func TestPackAndGC(t *testing.T) {
	dir := versions(t)
	mustRun(t, 0, dir, "commit", "other", "@isle")
	v := mustJSON(t, 0, dir, "pack", "@isle")
	if before, after := v["before"].(map[string]any), v["after"].(map[string]any); before["stones"] != 2.0 || after["stones"] != 1.0 || after["bytes"].(float64) >= before["bytes"].(float64) {
		t.Errorf("pack prints %v", v)
	}
	if v := mustJSON(t, 0, dir, "gc", "--keep", "all"); v["commits"] != 0.0 {
		t.Errorf("gc --keep all drops %v", v)
	}
	v = mustJSON(t, 0, dir, "gc", "--keep", "newest=1", "--grace", "0")
	if keys(v) != "bytes commits condemned stones worlds" || v["commits"] != 3.0 || v["stones"].(float64) < 1 {
		t.Errorf("gc prints %v", v)
	}
	mustRun(t, 0, dir, "diff", "@isle", "other")
	mustRun(t, 3, dir, "info", "@isle@1")
	if r := mustRun(t, 0, dir, "gc"); r.out != "nothing to delete\n" {
		t.Errorf("a second gc says %q", r.out)
	}
}

func TestDelete(t *testing.T) {
	dir := versions(t)
	mustRun(t, 0, dir, "delete", "@isle")
	mustRun(t, 3, dir, "log", "@isle")
	mustRun(t, 0, dir, "undelete", "@isle")
	mustRun(t, 0, dir, "diff", "@isle", "island")
	mustRun(t, 0, dir, "delete", "@isle")
	if v := mustJSON(t, 0, dir, "gc", "--deleted", "0", "--grace", "0"); v["worlds"] != 1.0 {
		t.Errorf("gc prints %v", v)
	}
	mustRun(t, 3, dir, "undelete", "@isle")
}

func TestRename(t *testing.T) {
	dir := versions(t)
	mustRun(t, 0, dir, "rename", "@isle", "@a/b")
	mustRun(t, 3, dir, "log", "@isle")
	mustRun(t, 0, dir, "diff", "@a/b", "island")
	mustRun(t, 3, dir, "rename", "@isle", "@c")
	mustRun(t, 0, dir, "fork", "@a/b", "@isle")
	mustRun(t, 3, dir, "rename", "@isle", "@a/b")
}

func TestPurge(t *testing.T) {
	dir := versions(t)
	mustRun(t, 0, dir, "fork", "@isle", "@other")
	if v := mustJSON(t, 0, dir, "purge", "@isle"); v["worlds"] != 1.0 || v["shared_stones"] == 0.0 {
		t.Errorf("purge of what another world shares prints %v", v)
	}
	mustRun(t, 3, dir, "undelete", "@isle")
	mustRun(t, 0, dir, "diff", "@other", "island")
	mustRun(t, 0, dir, "delete", "@other")
	if v := mustJSON(t, 0, dir, "purge", "@other"); v["bytes"] == 0.0 || v["shared_stones"] != 0.0 {
		t.Errorf("purge of a deleted world prints %v", v)
	}
	mustRun(t, 3, dir, "purge", "@other")
}

func TestWrongVersions(t *testing.T) {
	dir := versions(t)
	before := list(t, dir)
	for _, tt := range []struct {
		code        int
		arg, reason string
	}{
		{3, "@isle@4", "version 4: no such commit"},
		{3, "@isle@0", "version 0: no such commit"},
		{3, "@isle@123456789", "version 123456789: no such commit"},
		{3, "@isle@abcdefabcdef", "no such commit"},
		{2, "@isle@abc", "at least 4"},
		{2, "@isle@yesterday", "or a time in UTC such as"},
		{3, "@isle@2001-01-01", "or before: no such commit; cairn log @isle"},
		{3, "@atoll", "no such world; cairn list shows the worlds"},
	} {
		for _, args := range [][]string{{"info", tt.arg}, {"log", tt.arg}, {"export", tt.arg, "back"}, {"diff", tt.arg, "@isle"}} {
			if r := mustRun(t, tt.code, dir, args...); !strings.Contains(r.errors, tt.reason) || r.out != "" || strings.Count(r.errors, "\n") != 1 {
				t.Errorf("%v: says %q, %q; want %q", args, r.out, r.errors, tt.reason)
			}
		}
	}
	if r := mustRun(t, 2, dir, "check", "cairn-data"); !strings.Contains(r.errors, "a store; write local:cairn-data") {
		t.Errorf("check of a store's directory says %q", r.errors)
	}
	if after := list(t, dir); after != before {
		t.Errorf("reading has changed the store: before\n%safter\n%s", before, after)
	}
}

// TestInUse has the store open elsewhere.
func TestInUse(t *testing.T) {
	dir := versions(t)
	st, err := local.Open(filepath.Join(dir, "cairn-data"), local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"log", "@isle"}, {"import", "island", "@isle"}, {"list"}} {
		if r := mustRun(t, 3, dir, args...); !strings.Contains(r.errors, "in use by process ") || strings.Contains(r.errors, "unavailable") {
			t.Errorf("%v: says %q", args, r.errors)
		}
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	mustRun(t, 0, dir, "log", "@isle")
}

// TestTime goes back to between two versions.
func TestTime(t *testing.T) {
	dir := versions(t)
	log := logs(t, dir, "@isle")
	second, err := time.Parse(time.RFC3339Nano, log[1]["time"].(string))
	if err != nil {
		t.Fatal(err)
	}
	before := second.Add(-time.Millisecond).Format("2006-01-02T15:04:05.000Z07:00")
	mustRun(t, 0, dir, "diff", "@isle@"+before, "island")
	mustRun(t, 0, dir, "restore", "@isle", "--to", second.In(time.FixedZone("", 3600)).Format(time.RFC3339Nano))
	mustRun(t, 0, dir, "diff", "@isle", "other")
}

// TestStorePlace says where the store is.
func TestStorePlace(t *testing.T) {
	dir := island(t)
	mustRun(t, 0, dir, "import", "island", "@isle", "--store", "local:deep/er/store")
	mustRun(t, 3, dir, "log", "@isle")
	t.Setenv("CAIRN_STORE", "local:deep/er/store")
	mustRun(t, 0, dir, "log", "@isle")
	mustRun(t, 3, dir, "log", "@isle", "--store", "local:cairn-data")
	mustRun(t, 3, dir, "log", "@isle", "--store", "memory:")
}

// TestImportRegions puts region files without a level.dat over a world: the rest of it stays. In
// a new world they are all that there is.
func TestImportRegions(t *testing.T) {
	dir := versions(t)
	write(t, filepath.Join(dir, "part", "region", "r.0.0.mca"), read(t, filepath.Join(dir, "other", "region", "r.0.0.mca")))
	if err := os.CopyFS(filepath.Join(dir, "copied"), os.DirFS(filepath.Join(dir, "island"))); err != nil {
		t.Fatal(err)
	}
	mustRun(t, 0, dir, "import", "island", "@over")
	write(t, filepath.Join(dir, "copied", "region", "r.0.0.mca"), read(t, filepath.Join(dir, "other", "region", "r.0.0.mca")))
	mustRun(t, 0, dir, "import", "part", "@over")
	mustRun(t, 0, dir, "diff", "@over", "copied")
	if v := mustJSON(t, 0, dir, "import", "part", "@over"); v["same"] != true {
		t.Errorf("again: %v", v)
	}
	mustRun(t, 0, dir, "import", "part", "@alone")
	mustRun(t, 0, dir, "diff", "@alone", "part")
}
