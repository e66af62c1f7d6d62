package lab

import (
	"context"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/savings"
)

// EachWorld calls f with every world below dirs that can be read. It returns the other worlds.
func EachWorld(ctx context.Context, dirs []string, f func(*convert.Loaded)) ([]savings.SkippedWorld, error) {
	places, err := savings.Find(dirs)
	if err != nil {
		return nil, err
	}
	skipped := []savings.SkippedWorld{}
	for _, p := range places {
		w, err := LoadPlace(ctx, p)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			skipped = append(skipped, savings.SkippedWorld{Path: p.Path, Why: err.Error()})
		default:
			f(w)
		}
	}
	return skipped, nil
}

// LoadPlace reads a world into memory. Its files cannot be read afterwards, because it closes
// the Source.
func LoadPlace(ctx context.Context, p savings.Place) (*convert.Loaded, error) {
	src, err := anvil.Open(p.Path, anvil.Options{})
	if err != nil {
		return nil, err
	}
	defer src.Close()
	return convert.Load(ctx, src)
}
