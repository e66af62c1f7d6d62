package stone_test

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// What the Writer accepts a Reader must open, however much there is of it.
func TestManyUniformChunks(t *testing.T) {
	var at []geom.ChunkPos
	for i := range int32(9000) {
		at = append(at, geom.ChunkPos{X: i % 100 * 4, Y: i / 10000, Z: i / 100 * 4})
		if i%2 == 0 { // a cube of two values is not constant, and has no runs
			at = append(at, geom.ChunkPos{X: i%100*4 + 1, Y: i / 10000, Z: i / 100 * 4})
		}
	}
	slices.SortFunc(at, func(a, b geom.ChunkPos) int { return geom.CodeOf(a, 0).Compare(geom.CodeOf(b, 0)) })
	var file bytes.Buffer
	w := stone.NewWriter(&file, stone.Options{})
	w.Dimension("d", "")
	w.Volume(voxel.Volume{Name: "light", Schema: voxel.Level, Scale: 1}, nil)
	for _, pos := range at {
		w.Chunk(0, pos, voxel.Uniform(voxel.Cell(1+pos.X&1)))
	}
	if _, _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := stone.Open(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for p, err := range r.Chunks(t.Context(), "d", "light", 0) {
		if err != nil {
			t.Fatal(err)
		}
		if c, ok := p.Chunk.Uniform(); !ok || c != voxel.Cell(1+p.Pos.X&1) || p.Pos != at[n] {
			t.Fatalf("chunk %d at %v holds %d, want %v", n, p.Pos, c, at[n])
		}
		n++
	}
	if n != len(at) {
		t.Errorf("%d chunks, want %d", n, len(at))
	}
}

func TestTooManyBytesOfNames(t *testing.T) {
	names := []string{"air"}
	long := strings.Repeat("n", 3000)
	for i := range 25000 {
		names = append(names, fmt.Sprintf("%s%05d", long, i))
	}
	w := stone.NewWriter(new(bytes.Buffer), stone.Options{})
	w.Dimension("d", "")
	if err := w.Volume(voxel.Volume{Name: "block", Schema: voxel.Palette, Scale: 1}, names); err == nil {
		t.Errorf("%d names of %d bytes are written, and no Reader reads them", len(names), len(long))
	}
}

// A column may lack a list whose page is still held for the columns before it.
func TestListsOfDifferentColumns(t *testing.T) {
	objects := make([]voxel.Object, 400_000)
	var file bytes.Buffer
	w := stone.NewWriter(&file, stone.Options{Effort: stone.Quick})
	w.Dimension("d", "")
	for i := range int32(3) {
		w.Column(&voxel.Column{Pos: geom.ColumnPos{X: i * 8}, Lists: []voxel.List{{Name: fmt.Sprint(i), Objects: objects}},
			Parts: []voxel.Part{{Name: "p", Data: make([]byte, 1<<18)}}})
	}
	if _, _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := stone.Open(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err == nil {
		err = r.Check(context.Background())
	}
	if err != nil {
		t.Error(err)
	}
}

// After the first thing that is wrong, no more of a directory is believed.
func TestBrokenDirectoryAllocatesOnce(t *testing.T) {
	lists := make([]plain, 64)
	for i := range lists { // each claims a million entries, of which the first is wrong
		lists[i] = plain{}.s("").n(1_000_000, 0).mask(0)
	}
	dim := plain{}.s("d", "").n(0, 0, 0).list(lists...)
	b := stone.Assemble(nil, append(plain{}.n(0, 0).list(dim), make([]byte, 12<<20)...))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := stone.Open(bytes.NewReader(b), int64(len(b)))
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; err == nil || got > 200<<20 {
		t.Errorf("%d bytes allocated for a stone of %d, error %v", got, len(b), err)
	}
}
