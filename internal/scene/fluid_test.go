package scene_test

import (
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/hytale"
	"github.com/cairnvoxel/cairn/internal/scene"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// TestFluid: the fluids of Hytale are the liquid of the scene.
func TestFluid(t *testing.T) {
	const text = `{"version": 8, "anchorX": 0, "blocks": [{"x": 0, "y": 0, "z": 0, "name": "Rock_Stone"}], "fluids": [{"x": 40, "y": 40, "z": 0, "name": "Lava", "level": 8}]}`
	src, err := hytale.Prefab().Open(strings.NewReader(text), int64(len(text)), format.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := convert.Load(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	s, err := scene.Of(t.Context(), w.Content(), "", 0)
	if err != nil {
		t.Fatal(err)
	}
	at := geom.ChunkPos{X: 1, Y: 1}
	if s.Level("liquid", 0) != 0 || !s.Bounds().Contains(at.Min()) || len(s.Heights(0)) != 2 {
		t.Fatalf("level %d, bounds %v, heights %v", s.Level("liquid", 0), s.Bounds(), s.Heights(0))
	}
	name := ""
	if err := s.Read("liquid", 0, []geom.ChunkPos{at}, func(_ geom.ChunkPos, c *voxel.Chunk) { name = s.Name("liquid", c.Cell(8, 8, 0)) }); err != nil || name != "Lava" {
		t.Errorf("the fluid is %q, %v", name, err)
	}
}
