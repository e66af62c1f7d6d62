package cairn_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

const module = "github.com/cairnvoxel/cairn"

// homes lists the outside libraries and the packages that may import each. One
// without a home is for tests alone; a test may import any that is listed.
var homes = []row{
	{"github.com/klauspost/compress", "internal/stone/pages internal/texture internal/format/* internal/raster/*"},
	{"github.com/cespare/xxhash/v2", "internal/format/linear"},
	{"github.com/pierrec/lz4/v4", "internal/format/anvil tile"},
	{"github.com/zeebo/xxh3", "stone internal/stone/patch internal/texture internal/testing/stonetest tile"},
	{"github.com/cockroachdb/pebble/v2", "internal/store/disk internal/store/journal internal/store/ledger internal/testing/crash"},
	{"github.com/minio/minio-go/v7", "internal/blob/s3"},
	{"github.com/jackc/pgx/v5", "internal/store/postgres"},
	{"go.mongodb.org/mongo-driver/v2", "internal/store/mongo internal/move"},
	// Redis has no library here: internal/move sends it nine commands in a hundred lines. go-redis is 1.9 MB of the program.
	{"github.com/go-sql-driver/mysql", "internal/move"},
	{"github.com/BurntSushi/toml", "store/cluster internal/port"},
	{"filippo.io/age", "internal/store/backup"},
	{"github.com/prometheus/client_golang", "internal/server/metrics store/client/metrics"},
	{"golang.org/x/time", "internal/server/limits"},
	{"github.com/coder/websocket", "internal/server/streams"},
	{"github.com/spf13/cobra", "cmd/cairn"},
	{"github.com/spf13/pflag", "cmd/cairn"},
	{"github.com/fsnotify/fsnotify", "internal/living"},
	{"github.com/schollz/progressbar/v3", "internal/console"},
	{"modernc.org/sqlite", "internal/format/luanti"},
	{"pgregory.net/rapid", "internal/testing/storetest"},
	{"github.com/anishathalye/porcupine", "internal/testing/storetest internal/testing/crash"},
	{"github.com/evanw/esbuild", "internal/server/web/build"},
	{"github.com/chromedp/chromedp", ""},
	{"github.com/chromedp/cdproto", ""},
}

func TestLayers(t *testing.T) {
	for _, fault := range faults(os.DirFS("."), plan, homes) {
		t.Error(fault)
	}
}

// TestCommandDeps keeps what only tests and the laboratory need out of the command.
func TestCommandDeps(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "./cmd/cairn").Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(out), module+"/cmd/cairn\n") {
		t.Fatalf("go list -deps does not name the command: %q", out)
	}
	for dep := range strings.Lines(string(out)) {
		for _, not := range []string{"go-redis", "porcupine", "rapid", "esbuild", module + "/bench", module + "/internal/testing"} {
			if strings.Contains(dep, not) {
				t.Errorf("the command depends on %s", strings.TrimSpace(dep))
			}
		}
	}
}

// TestModules lists the outside modules that a program links by what it imports of ours.
func TestModules(t *testing.T) {
	const bytes = "github.com/klauspost/compress github.com/klauspost/cpuid/v2 github.com/pierrec/lz4/v4 github.com/zeebo/xxh3"
	for _, pkg := range []string{".", "./world", "./store/memory", "./store/client"} {
		out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", pkg).Output()
		if err != nil {
			t.Fatal(err)
		}
		modules := strings.Fields(string(out))
		slices.Sort(modules)
		if got := strings.Join(slices.Compact(modules), " "); got != bytes {
			t.Errorf("%s links %s, want %s", pkg, got, bytes)
		}
	}
}

// faults returns what in the tree goes against plan and homes.
func faults(tree fs.FS, plan, homes []row) []string {
	out := planFaults(plan)
	names, err := goFiles(tree)
	if err != nil {
		out = append(out, err.Error())
	}
	for _, name := range names {
		rank := rankOf(plan, path.Dir(name))
		if rank < 0 {
			out = append(out, fmt.Sprintf("%s: directory %s has no row", name, path.Dir(name)))
			continue
		}
		imports, err := importsOf(tree, name)
		if err != nil {
			out = append(out, err.Error())
		}
		for _, imp := range imports {
			if why := importFault(name, imp, rank, plan, homes); why != "" {
				out = append(out, fmt.Sprintf("%s imports %s: %s", name, imp, why))
			}
		}
	}
	return out
}

func importsOf(tree fs.FS, name string) ([]string, error) {
	src, err := fs.ReadFile(tree, name)
	if err != nil {
		return nil, err
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, spec := range file.Imports {
		imp, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		out = append(out, imp)
	}
	return out, nil
}

// planFaults returns the imports of rows that no row above provides.
func planFaults(plan []row) []string {
	var out []string
	for i, r := range plan {
		for _, imp := range strings.Fields(r.imports) {
			above := func(r row) bool { return r.pkg == imp || matches(r.pkg)(imp) }
			if imp != "*" && !slices.ContainsFunc(plan[:i], above) {
				out = append(out, fmt.Sprintf("plan: %s may import %s, which is not above it", r.pkg, imp))
			}
		}
	}
	return out
}

// importFault says why a file may not import imp, or "".
func importFault(name, imp string, rank int, plan, homes []row) string {
	test := strings.HasSuffix(name, "_test.go")
	if imp == module || strings.HasPrefix(imp, module+"/") {
		own := strings.TrimPrefix(imp[len(module):], "/")
		if own == "" {
			own = "."
		}
		if test || allows(plan, rank, own) {
			return ""
		}
		return "not on its row"
	}
	if first, _, _ := strings.Cut(imp, "/"); !strings.Contains(first, ".") {
		return "" // the standard library
	}
	for _, h := range homes {
		if imp != h.pkg && !strings.HasPrefix(imp, h.pkg+"/") {
			continue
		}
		if test || slices.ContainsFunc(strings.Fields(h.imports), matches(path.Dir(name))) {
			return ""
		}
		return "its home is: " + h.imports
	}
	return "it has no home"
}

// allows reports whether the row at rank names own, which must stand above it.
func allows(plan []row, rank int, own string) bool {
	target := rankOf(plan, own)
	if target < 0 || target >= rank {
		return false
	}
	imports := strings.Fields(plan[rank].imports)
	return slices.Contains(imports, "*") || slices.ContainsFunc(imports, matches(own))
}

// rankOf returns the index of pkg's row: its own, else the pattern it matches, else -1.
func rankOf(plan []row, pkg string) int {
	if i := slices.IndexFunc(plan, func(r row) bool { return r.pkg == pkg }); i >= 0 {
		return i
	}
	return slices.IndexFunc(plan, func(r row) bool { return matches(pkg)(r.pkg) })
}

// matches returns a test of patterns: whether pkg is one of those it stands for.
func matches(pkg string) func(string) bool {
	return func(pattern string) bool {
		ok, err := path.Match(pattern, pkg)
		return ok && err == nil
	}
}

// goFiles returns the names of the module's Go files in lexical order: none in
// directories that the go command passes over, none of modules below this one.
func goFiles(tree fs.FS) ([]string, error) {
	var out []string
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != "." {
			if _, err := fs.Stat(tree, name+"/go.mod"); err == nil || passedOver(d.Name()) {
				return fs.SkipDir
			}
		}
		if !d.IsDir() && path.Ext(name) == ".go" {
			out = append(out, name)
		}
		return nil
	})
	return out, err
}

func passedOver(dir string) bool {
	return dir == "testdata" || dir == "vendor" || dir[0] == '.' || dir[0] == '_'
}

func TestLayersFaults(t *testing.T) {
	plan := []row{
		{"geom", ""}, {"voxel", "geom"}, {"format/nbt", ""}, {"format/*", "geom format/nbt"},
		{"server", "geom format/*"}, {".", "*"}, {"cmd/x", "*"},
	}
	homes := []row{{"lib.org/zip", "voxel format/*"}, {"lib.org/quick", ""}}
	const own = module + "/"
	for _, tt := range []struct {
		name, file string
		imports    []string
		want       string // part of the only fault, "" for none
	}{
		{"on its row", "voxel/a.go", []string{"fmt", own + "geom"}, ""},
		{"a leaf", "format/slime/a.go", []string{own + "geom", own + "format/nbt"}, ""},
		{"all leaves", "server/a.go", []string{own + "format/slime", own + "format/nbt"}, ""},
		{"anything above", "cmd/x/a.go", []string{own + "server", own + "format/slime", module}, ""},
		{"upward", "geom/a.go", []string{own + "voxel"}, "not on its row"},
		{"not on the row", "voxel/a.go", []string{own + "format/nbt"}, "not on its row"},
		{"a leaf's sister", "format/slime/a.go", []string{own + "format/anvil"}, "not on its row"},
		{"the root from below", "server/a.go", []string{module}, "not on its row"},
		{"anything, but below", "a.go", []string{own + "cmd/x"}, "not on its row"},
		{"a package without a row", "cmd/x/a.go", []string{own + "gone"}, "not on its row"},
		{"a test may", "geom/a_test.go", []string{own + "server"}, ""},
		{"no row", "utils/a.go", nil, "directory utils has no row"},
		{"no row, only a test", "utils/a_test.go", nil, "directory utils has no row"},
		{"no row below a leaf", "format/slime/x/a.go", nil, "directory format/slime/x has no row"},
		{"at home", "voxel/a.go", []string{"lib.org/zip/zstd"}, ""},
		{"at home in a leaf", "format/slime/a.go", []string{"lib.org/zip"}, ""},
		{"away from home", "geom/a.go", []string{"lib.org/zip/zstd"}, "its home is: voxel format/*"},
		{"away in a test", "geom/a_test.go", []string{"lib.org/zip"}, ""},
		{"for tests alone", "geom/a_test.go", []string{"lib.org/quick"}, ""},
		{"not for code", "geom/a.go", []string{"lib.org/quick"}, "its home is: "},
		{"homeless", "geom/a.go", []string{"lib.org/zipper"}, "it has no home"},
		{"homeless in a test", "geom/a_test.go", []string{"lib.org/other"}, "it has no home"},
		{"not ours by a prefix", "geom/a.go", []string{module + "x/geom"}, "it has no home"},
		{"another module", "bench/cmd/a.go", []string{"lib.org/other"}, ""},
		{"testdata", "geom/testdata/a.go", []string{"lib.org/other"}, ""},
		{"hidden", ".work/a.go", []string{"lib.org/other"}, ""},
		{"not Go", "utils/a.txt", nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src := "package p\n"
			for _, imp := range tt.imports {
				src += fmt.Sprintf("import %q\n", imp)
			}
			tree := fstest.MapFS{
				tt.file:        {Data: []byte(src)},
				"bench/go.mod": {Data: []byte("module bench\n")},
			}
			wantFault(t, faults(tree, plan, homes), tt.want)
		})
	}
}

func TestLayersPlanFaults(t *testing.T) {
	for _, tt := range []struct {
		name string
		plan []row
		want string
	}{
		{"in order", []row{{"a", ""}, {"b/*", "a"}, {"c", "a b/*"}}, ""},
		{"a cycle", []row{{"a", "b"}, {"b", "a"}}, "a may import b, which is not above it"},
		{"itself", []row{{"a", "a"}}, "a may import a, which is not above it"},
		{"nothing there", []row{{"a", "gone"}}, "a may import gone, which is not above it"},
		{"a pattern", []row{{"a", "b/*"}, {"b/*", ""}}, "a may import b/*, which is not above it"},
	} {
		t.Run(tt.name, func(t *testing.T) { wantFault(t, faults(fstest.MapFS{}, tt.plan, nil), tt.want) })
	}
}

func TestLayersBrokenFile(t *testing.T) {
	tree := fstest.MapFS{"a/a.go": {Data: []byte("package a; import (")}}
	wantFault(t, faults(tree, []row{{"a", ""}}, nil), "a/a.go")
}

// wantFault checks that got is one fault that contains want, or none if want is "".
func wantFault(t *testing.T, got []string, want string) {
	t.Helper()
	switch {
	case want == "" && len(got) > 0:
		t.Errorf("got %q, want no fault", got)
	case want != "" && (len(got) != 1 || !strings.Contains(got[0], want)):
		t.Errorf("got %q, want one fault with %q", got, want)
	}
}
