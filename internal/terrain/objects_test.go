package terrain_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// TestObjectsStand: each block entity is at a block of its kind and each such block has one; both
// stand on a block, and animals stand on the ground with room around them.
func TestObjectsStand(t *testing.T) {
	for _, m := range makers {
		for _, version := range []int32{0, terrain.Modern} {
			for _, size := range []int{2, 3, 5} {
				t.Run(fmt.Sprintf("%s %d %d", m.name, version, size), func(t *testing.T) {
					w, err := convert.Load(t.Context(), m.make(terrain.Options{Seed: uint64(size), Size: size, Version: version}))
					if err != nil {
						t.Fatal(err)
					}
					d := w.Dimensions[0]
					v := d.Volume(voxel.Block)
					at := func(p geom.Point) string {
						c := v.Chunks[p.Chunk()]
						if c == nil {
							return "air"
						}
						in := p.InChunk()
						var row [64]voxel.Cell
						return strings.TrimPrefix(block.Flat(v.Names[c.Row(in.Y, in.Z, &row)[in.X]]), "minecraft:")
					}
					below := func(p geom.Point) string { return at(p.Add(geom.Point{Y: -1})) }
					owned := make(map[geom.Point]bool)
					for _, c := range d.Columns {
						for _, l := range c.Lists {
							for _, o := range l.Objects {
								base, _, _ := strings.Cut(at(o.At), "[")
								switch {
								case l.Name == voxel.BlockEntities:
									owned[o.At] = true
									id := strings.ToLower(string(o.Payload))
									if kind := strings.TrimPrefix(base, "oak_"); !strings.Contains(strings.ReplaceAll(id, "_", ""), kind) {
										t.Errorf("%v: %s has the block entity %.60q", o.At, base, id)
									}
								case l.Name == voxel.Entities && (strings.HasSuffix(base, "_log") || strings.HasSuffix(base, "_leaves") || below(o.At) == "air"):
									t.Errorf("%v: %.60q stands in %s on %s", o.At, o.Payload, base, below(o.At))
								}
							}
						}
					}
					owners := make([]bool, len(v.Names))
					for i, name := range v.Names {
						base, _, _ := strings.Cut(strings.TrimPrefix(block.Flat(name), "minecraft:"), "[")
						owners[i] = slices.Contains([]string{"chest", "furnace", "spawner", "oak_sign"}, base)
					}
					var flat [voxel.ChunkCells]voxel.Cell
					for pos, c := range v.Chunks {
						c.Flat(&flat)
						for i, cell := range flat {
							if !owners[cell] {
								continue
							}
							p := pos.Min().Add(geom.Point{X: i & 31, Y: i >> 10, Z: i >> 5 & 31})
							if !owned[p] || below(p) == "air" {
								t.Errorf("%v: %s without a block entity, or on %s", p, at(p), below(p))
							}
						}
					}
				})
			}
		}
	}
}
