package world_test

import (
	"fmt"
	"os"
	"runtime"
	"testing"

	"github.com/cairnvoxel/cairn/internal/long"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/store/local"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/world"
)

// Worlds that were opened, loaded and closed leave nothing behind: no goroutine,
// no file and no memory.
func TestNothingIsLeftBehind(t *testing.T) {
	long.Alone(t)
	const worlds = 200
	st, err := local.Open(t.TempDir(), local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer closeWorld(t, st)
	imported(t, st, "template", terrain.Island(terrain.Options{Seed: 1}))
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
			w := open(t, st, fmt.Sprint("island/", i%worlds), world.Options{})
			if _, err := w.Load(ctx, w.View().Dimensions()[0].Name(), world.Everywhere, voxel.Block); err != nil {
				t.Fatal(err)
			}
			closeWorld(t, w)
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
