package cairn_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/long"
)

// TestSizes holds the sizes of programs in millions of bytes, built without C like the command, but
// with their symbols, which are a third. A program of net/http alone has 8.5, one of Pebble alone 19.2.
// Each type that slices.SortFunc sorts takes 20 kB; sort.Slice is there once, so what is sorted rarely goes through it.
func TestSizes(t *testing.T) {
	long.Rest(t)
	const inMemory, inFolder, byURL = `memory.New(memory.Options{}), error(nil)`, `local.Open("d", local.Options{})`, `cairn.Open(ctx, "memory:")`
	const openWorld, create = `world.Open(ctx, st, "w", world.Options{})`, `cairn.Create(ctx, st, "w", cairn.Options{})`
	for _, tt := range []struct {
		name, imports, store, world string
		most                        float64 // millions of bytes
	}{
		{"world in memory", "world store/memory", inMemory, openWorld, 8},
		{"world in a folder", "world store/local", inFolder, openWorld, 24},
		{"cairn", ".", byURL, create, 14.1},
		{"cairn in a folder", ". _store/local", byURL, create, 28},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var src strings.Builder
			src.WriteString("package main\nimport \"context\"\n")
			for _, i := range strings.Fields(tt.imports) {
				i, unnamed := strings.CutPrefix(i, "_")
				if unnamed {
					src.WriteString("import _ ")
				} else {
					src.WriteString("import ")
				}
				src.WriteString(`"` + strings.TrimSuffix(module+"/"+i, "/.") + "\"\n")
			}
			src.WriteString("func main() {\nctx := context.Background()\nst, err := " + tt.store + "\nif err != nil { panic(err) }\n")
			src.WriteString("w, err := " + tt.world + "\nif err != nil { panic(err) }\n_, err = w.Commit(ctx, \"\")\nprintln(err, w.Close())\n}\n")
			file := filepath.Join(t.TempDir(), "main.go")
			if err := os.WriteFile(file, []byte(src.String()), 0o600); err != nil {
				t.Fatal(err)
			}
			build := exec.Command("go", "build", "-trimpath", "-o", file+".out", file)
			build.Env = append(os.Environ(), "CGO_ENABLED=0")
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			info, err := os.Stat(file + ".out")
			if err != nil {
				t.Fatal(err)
			}
			if t.Log(info.Size(), "bytes"); float64(info.Size()) > tt.most*1e6 {
				t.Errorf("at most %v MB", tt.most)
			}
		})
	}
}
