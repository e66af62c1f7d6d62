package tile_test

import (
	"context"
	"fmt"

	"github.com/cairnvoxel/cairn/tile"
)

// bricks computes the tiles of an image.
type bricks struct{}

func (bricks) ReadTile(_ context.Context, key tile.Flat, room func(size int) ([]byte, error)) error {
	const edge = 64
	b, err := room(edge * edge)
	if err != nil {
		return err
	}
	_, y, x := key.At()
	for i := range b {
		b[i] = byte(x + y + i)
	}
	return nil
}

// A cache of 1 MiB for images of any size. A worker's microcache finds what its goroutine used last.
func Example() {
	ctx := context.Background()
	c := tile.New[tile.Flat](tile.Options{Budget: 1 << 20})
	w := c.NewWorker(16)
	for range 3 {
		key, _ := tile.FlatKey(1, 0, 2, 5) // the tile in row 2 and column 5 of level 0 of item 1
		h, err := c.Get(ctx, w, key, bricks{})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(len(h.Bytes()), h.Bytes()[0])
		h.Release()
	}
	w.Close()
	s := c.Stats()
	fmt.Println(s.Requests, s.MicroHits, s.Reads, c.Close())
	// Output:
	// 4096 7
	// 4096 7
	// 4096 7
	// 3 2 1 <nil>
}
