package tile_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/cairnvoxel/cairn/tile"
)

// BenchmarkItemHits is what a sampler does for a tile that is there, on 8 goroutines with a worker
// each: find the item by its name, look what it is, and get the tile. "item" is the first two alone.
func BenchmarkItemHits(b *testing.B) {
	const goroutines, files = 8, 256
	for _, all := range []bool{false, true} {
		b.Run(map[bool]string{false: "item", true: "tile"}[all], func(b *testing.B) {
			ctx := context.Background()
			c := tile.New[tile.Flat](tile.Options{Budget: 1 << 20})
			items := tile.NewItems(c, newDisk().Open, tile.Flat.Item, tile.ItemsOptions{Open: files})
			names := make([]string, files)
			for i := range names {
				names[i] = fmt.Sprint("textures/wall", i, ".exr")
			}
			b.ResetTimer()
			var group sync.WaitGroup
			for g := range goroutines {
				group.Go(func() {
					w := c.NewWorker(8)
					defer w.Close()
					for n := range (b.N + goroutines - 1) / goroutines {
						i := w.Item(items, names[(n/16*31+g*7)%files])
						about, err := i.About(ctx)
						if err != nil || about.Tile != 32 {
							b.Error(err)
						}
						if !all {
							continue
						}
						k, _ := tile.FlatKey(i.ID(), 0, 0, 0)
						h, err := c.Get(ctx, w, k, i)
						if err != nil {
							b.Error(err)
						}
						h.Release()
					}
				})
			}
			group.Wait()
		})
	}
}
