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

// BenchmarkGet gets tiles of 8 KiB without a worker: those that are there, and those of a circle that
// does not fit, which evict others and make the cache forget.
func BenchmarkGet(b *testing.B) {
	for _, tt := range []struct {
		name  string
		tiles int
	}{{"hits", 1 << 10}, {"misses", 1 << 16}} {
		b.Run(tt.name, func(b *testing.B) {
			c := tile.New[tile.Flat](tile.Options{Budget: 16 << 20, Records: 1 << 13, Purposes: make([]tile.Purpose, 4)})
			r := &virtual[tile.Flat]{Size: func(tile.Flat) int { return 8 << 10 }}
			get := func(n int) {
				k, _ := tile.FlatKey(1, 0, n/256, n%256)
				h, err := c.Get(b.Context(), nil, k, r)
				if err != nil {
					b.Fatal(err)
				}
				h.Release()
			}
			for n := range tt.tiles {
				get(n)
			}
			for n := 0; b.Loop(); n++ {
				get(n * 7 % tt.tiles)
			}
		})
	}
}

// BenchmarkBorders gets the four tiles at a corner, which are there, one by one and in one call.
func BenchmarkBorders(b *testing.B) {
	for _, name := range []string{"one by one", "batch"} {
		b.Run(name, func(b *testing.B) {
			c := tile.New[tile.Flat](tile.Options{Budget: 16 << 20})
			r := &virtual[tile.Flat]{Size: func(tile.Flat) int { return 8 << 10 }}
			b.RunParallel(func(p *testing.PB) {
				var requests []tile.Request[tile.Flat]
				var handles []tile.Handle
				for n := 0; p.Next(); n++ {
					requests = requests[:0]
					for i := range 4 {
						k, _ := tile.FlatKey(1, 0, n*7%32+i/2, n*3%32+i%2)
						requests = append(requests, tile.Request[tile.Flat]{Key: k, Loader: r})
					}
					var err error
					if name == "batch" {
						handles, err = c.GetAll(context.Background(), nil, requests, handles[:0])
					} else {
						handles = handles[:0]
						for _, q := range requests {
							h, e := c.Get(context.Background(), nil, q.Key, q.Loader)
							handles, err = append(handles, h), e
						}
					}
					if err != nil {
						b.Error(err)
					}
					for _, h := range handles {
						h.Release()
					}
				}
			})
		})
	}
}
