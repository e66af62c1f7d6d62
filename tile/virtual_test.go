package tile_test

import (
	"context"

	"github.com/cairnvoxel/cairn/tile"
)

// virtual is a tile.ReadCloser that computes its tiles: a source without a disk, with any delay and
// any failure.
type virtual[K tile.Key] struct {
	Item tile.About
	// Size returns the bytes of a tile.
	Size func(key K) int
	// Fill writes all bytes of a tile. nil leaves any bytes there.
	Fill func(key K, b []byte)
	// Before is called before a tile is computed. It may wait, fail or panic.
	Before func(ctx context.Context, key K) error
}

func (v *virtual[K]) About() tile.About { return v.Item }

// Traits returns those of the item, for a virtual that is read without Items.
func (v *virtual[K]) Traits() tile.Traits { return v.Item.Traits }

func (v *virtual[K]) ReadTile(ctx context.Context, key K, room func(size int) ([]byte, error)) error {
	if v.Before != nil {
		if err := v.Before(ctx, key); err != nil {
			return err
		}
	}
	b, err := room(v.Size(key))
	if err != nil {
		return err
	}
	if v.Fill != nil {
		v.Fill(key, b)
	}
	return nil
}

func (v *virtual[K]) Close() error { return nil }
