package texture_test

import (
	"context"
	"fmt"

	"github.com/cairnvoxel/cairn/render/texture"
	"github.com/cairnvoxel/cairn/tile"
)

// One sample of an image, at a quarter of its width and half of its height, for a pixel that covers a
// tenth of it in each direction.
func Example() {
	sys := &texture.System{Open: album{"wood.exr": ramp()}.open, Tiles: tile.Options{Budget: 64 << 20}}
	wood := &texture.Texture{Name: "wood.exr", WrapS: texture.Periodic, WrapT: texture.Periodic}
	err := sys.With(func(m *texture.Sampler) error {
		var rgb [3]float32
		l := texture.Lookup{Texture: wood, S: 0.25, T: 0.5, DSDX: 0.1, DTDY: 0.1, Result: rgb[:]}
		err := m.Sample(context.Background(), &l)
		fmt.Printf("%.3f\n", rgb)
		return err
	})
	fmt.Println(err, sys.Stats().Calls, sys.Close())
	// Output:
	// [0.250 0.500 0.500]
	// <nil> 1 <nil>
}
