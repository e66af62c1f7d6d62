package tile

import (
	"context"
	"math"
)

// Virtual is a File that computes its tiles: a source without a disk, with any delay and
// any failure.
type Virtual[K Key] struct {
	Item About
	// Size returns the bytes of a tile.
	Size func(key K) int
	// Fill writes all bytes of a tile. nil leaves any bytes there.
	Fill func(key K, b []byte)
	// Before is called before a tile is computed. It may wait, fail or panic.
	Before func(ctx context.Context, key K) error
}

// About implements File.
func (v *Virtual[K]) About() About { return v.Item }

// Traits returns those of the item, for a Virtual that is read without Items.
func (v *Virtual[K]) Traits() Traits { return v.Item.Traits }

// ReadTile implements Reader.
func (v *Virtual[K]) ReadTile(ctx context.Context, key K, room func(size int) ([]byte, error)) error {
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

// Close implements File.
func (v *Virtual[K]) Close() error { return nil }

// Level returns the level that a sampler of this purpose reads, where an element of level
// 0 is to be width elements wide: 1 reads level 0, 2 level 1. part is how much of the next
// coarser level a sampler mixes in, 0 to 1.
func (p Purpose) Level(width float64, levels int) (level int, part float64) {
	l := min(max(math.Log2(width)-p.Sharper, 0), float64(levels-1))
	return int(l), l - float64(int(l))
}
