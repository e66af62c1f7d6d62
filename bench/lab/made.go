package lab

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// OrMade calls f with dirs, or if there are none with a folder of made worlds
// that is removed afterwards.
func OrMade(ctx context.Context, dirs []string, f func(dirs []string) error) (err error) {
	if len(dirs) > 0 {
		return f(dirs)
	}
	dir, err := os.MkdirTemp("", "cairn-bench-*")
	if err != nil {
		return fmt.Errorf("lab: %w", err)
	}
	defer os.RemoveAll(dir)
	for name, src := range map[string]format.Source{
		"survival":     terrain.Survival(terrain.Options{Seed: 1, Version: terrain.Modern, Size: 24}),
		"survival-1.8": terrain.Survival(terrain.Options{Seed: 2, Size: 24}),
		"plots":        terrain.Plots(terrain.Options{Seed: 3, Version: terrain.Modern}),
		"island":       terrain.Island(terrain.Options{Seed: 4, Version: terrain.Modern}),
		"arena":        terrain.Arena(terrain.Options{Seed: 5}),
	} {
		if err := writeAnvil(ctx, filepath.Join(dir, "made", name), src); err != nil {
			return err
		}
	}
	return f([]string{dir})
}

func writeAnvil(ctx context.Context, dir string, src format.Source) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("lab: %w", err)
	}
	out, err := anvil.Create(dir, anvil.FolderOptions{LevelName: filepath.Base(dir)})
	if err != nil {
		return err
	}
	if err := src.Read(ctx, out); err != nil {
		out.Abort()
		return err
	}
	return out.Close()
}

// LandVolume is the volume of the terrain that is made.
const LandVolume = "solid"

// The terrain that is made, in chunks.
const (
	landEdge   = 24
	landHeight = 8
)

// Land returns a terrain of LandEdge by LandEdge chunks around the middle.
func Land(o Options) format.Source {
	low := -cmp.Or(o.LandEdge, landEdge) / 2 * geom.ChunkEdge
	high := low + cmp.Or(o.LandEdge, landEdge)*geom.ChunkEdge
	return terrain.Level{Seed: o.Seed}.Source(geom.Box{
		Min: geom.Point{X: low, Z: low}, Max: geom.Point{X: high, Y: landHeight * geom.ChunkEdge, Z: high}})
}
