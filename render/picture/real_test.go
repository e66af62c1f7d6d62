package picture_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/render/picture"
	"github.com/cairnvoxel/cairn/voxel"
)

// TestRealWorlds: of what is seen of people's worlds, less than one column in a
// hundred has no family.
func TestRealWorlds(t *testing.T) {
	long.Rest(t)
	root := os.Getenv("CAIRN_WORLDS")
	if root == "" {
		t.Skip("CAIRN_WORLDS is not set")
	}
	dirs, err := filepath.Glob(filepath.Join(root, "anvil", "*"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no worlds below %s: %v", root, err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) { realWorld(t, dir) })
	}
}

func realWorld(t *testing.T, dir string) {
	src, err := anvil.Open(dir, anvil.Options{Salvage: true})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	w, err := convert.Load(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range w.Dimensions {
		_, r := mustTop(t, modelOf(d.Volume(voxel.Block)), picture.Options{})
		n := 0
		for _, u := range r.Unknown {
			n += u.N
		}
		if n*100 > r.Drawn {
			t.Errorf("%s: of %d columns %d are unknown: %v", d.Name, r.Drawn, n, r.Unknown)
		}
	}
}
