package cairn_test

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"testing"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/local"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/world"
)

// Worlds that were opened, loaded and closed leave nothing behind: no goroutine,
// no file and no memory.
func TestNothingIsLeftBehind(t *testing.T) {
	const worlds = 200
	ctx := t.Context()
	st, err := local.Open(t.TempDir(), local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	have, err := convert.Load(ctx, terrain.Island(terrain.Options{Seed: 1}))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	id, _, err := convert.WriteStone(ctx, have, &out, stone.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := world.Import(ctx, st, "template", history.Stone{ID: id, Data: out.Bytes()}, world.Options{}, "import"); err != nil {
		t.Fatal(err)
	}
	head, err := st.Head(ctx, "template")
	if err != nil {
		t.Fatal(err)
	}
	for i := range worlds {
		if err := st.Fork(ctx, "template", head.Commit, fmt.Sprint("island/", i)); err != nil {
			t.Fatal(err)
		}
	}
	visit := func(n int) {
		for i := range n {
			w, err := world.Open(ctx, st, fmt.Sprint("island/", i%worlds), world.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Load(ctx, w.View().Dimensions()[0].Name(), world.Everywhere, voxel.Block); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	visit(worlds) // caches fill
	before := usage()
	visit(long.Of(1000, 10_000))
	after := usage()
	if after.goroutines > before.goroutines+2 || after.files > before.files+2 || after.heap > before.heap+4<<20 {
		t.Errorf("before %+v, after %+v", before, after)
	}
}

type use struct {
	goroutines, files int
	heap              uint64
}

func usage() use {
	for range 3 {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	files, _ := os.ReadDir("/proc/self/fd") // none elsewhere: then they are not counted
	return use{runtime.NumGoroutine(), len(files), m.HeapAlloc}
}
