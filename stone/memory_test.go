package stone_test

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/stonetest"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// TestMemory compares what a Reader says that it holds with what it takes.
func TestMemory(t *testing.T) {
	spec := stonetest.Spec{Dimensions: []stonetest.DimensionSpec{{Name: "a", Volumes: []stonetest.VolumeSpec{{
		Volume: voxel.Volume{Name: "block", Schema: voxel.Palette, Scale: 1}, Names: []string{"air", "stone"},
		Levels: []stonetest.LevelSpec{{}},
	}}}}}
	chunks := &spec.Dimensions[0].Volumes[0].Levels[0].Chunks
	for i := range int32(50_000) { // each of a cube of its own
		*chunks = append(*chunks, stone.Placed{Pos: geom.ChunkPos{X: i * 4}, Chunk: voxel.Uniform(1)})
	}
	var b bytes.Buffer
	if _, err := spec.Write(&b, stone.Options{}); err != nil {
		t.Fatal(err)
	}
	r := bytes.NewReader(b.Bytes())
	var before, after runtime.MemStats
	runtime.GC()
	runtime.GC() // for what pools keep through one
	runtime.ReadMemStats(&before)
	s, err := stone.Open(r, r.Size())
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	held := int64(after.HeapAlloc - before.HeapAlloc) // with what decompressing needed
	if got := s.Memory(); got < held/2 || got > held*5/4 {
		t.Errorf("got %d bytes of a stone of %d, and %d are held", got, s.Size(), held)
	}
}
