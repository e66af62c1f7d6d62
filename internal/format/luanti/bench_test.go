package luanti_test

import (
	"testing"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/luanti"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// sink takes everything and keeps nothing.
type sink struct{}

func (sink) Dimension(*format.Dimension) error               { return nil }
func (sink) Column(*format.Column) error                     { return nil }
func (sink) Chunk(string, geom.ChunkPos, *voxel.Chunk) error { return nil }
func (sink) File(format.File) error                          { return nil }

// BenchmarkRead reads the first real world; bytes are those of its database.
func BenchmarkRead(b *testing.B) {
	dir := realWorlds(b)[0]
	src, err := luanti.Kind().OpenFolder(dir, format.ReadOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer src.Close()
	b.SetBytes(970752)
	for b.Loop() {
		if err := src.Read(b.Context(), sink{}); err != nil {
			b.Fatal(err)
		}
	}
}
