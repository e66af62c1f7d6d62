package whole

import (
	"maps"
	"slices"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
)

// farLevels makes the far levels of a volume from its chunks. A nil farLevels makes
// none.
type farLevels struct {
	rule   voxel.Rule
	def    voxel.Cell // the value where no chunk is stored
	chunks int        // of level 0
	// level is the chunks of FirstFar, each of 8x8x8 chunks of level 0.
	level map[geom.ChunkPos]*farChunk
}

type farChunk = [voxel.ChunkCells]voxel.Cell

func newFarLevels(rule voxel.Rule, def voxel.Cell) *farLevels {
	f := &farLevels{rule: rule, level: make(map[geom.ChunkPos]*farChunk)}
	f.def = voxel.Downsample(&f.rule, [8]voxel.Cell{def, def, def, def, def, def, def, def})
	return f
}

// at returns the chunk of a level at pos and makes it if it is missing.
func (f *farLevels) at(level map[geom.ChunkPos]*farChunk, pos geom.ChunkPos) *farChunk {
	c := level[pos]
	if c == nil {
		c = new(farChunk)
		for i := range c {
			c[i] = f.def
		}
		level[pos] = c
	}
	return c
}

// add adds a chunk of level 0.
func (f *farLevels) add(c stone.Placed) {
	if f == nil {
		return
	}
	f.chunks++
	const edge = geom.ChunkEdge >> stone.FirstFar
	to := f.at(f.level, up(c.Pos, stone.FirstFar))
	mip := c.Chunk.Mip(&f.rule, stone.FirstFar)
	const mask = 1<<stone.FirstFar - 1
	x0, y0, z0 := int(c.Pos.X&mask)*edge, int(c.Pos.Y&mask)*edge, int(c.Pos.Z&mask)*edge
	var buf [64]voxel.Cell
	for y := range edge {
		for z := range edge {
			copy(to[((y0+y)*geom.ChunkEdge+z0+z)*geom.ChunkEdge+x0:], mip.Row(y, z, &buf)[:edge])
		}
	}
}

// up returns the cube of 1<<n positions an edge that holds pos.
func up(pos geom.ChunkPos, n int) geom.ChunkPos {
	return geom.ChunkPos{X: pos.X >> n, Y: pos.Y >> n, Z: pos.Z >> n}
}

// write writes the levels if the volume has more than a few chunks. The last level
// is the first with at most 8 chunks.
func (f *farLevels) write(w *stone.Writer) error {
	if f == nil || f.chunks <= nearWorld {
		return nil
	}
	var b voxel.Builder
	level, chunks := stone.FirstFar, f.level
	for {
		order := slices.SortedFunc(maps.Keys(chunks), func(p, q geom.ChunkPos) int {
			return geom.CodeOf(p, level).Compare(geom.CodeOf(q, level))
		})
		for _, pos := range order {
			if err := w.Chunk(level, pos, b.FromFlat(chunks[pos])); err != nil {
				return err
			}
		}
		if len(chunks) <= 8 {
			return nil
		}
		level, chunks = level+1, f.above(chunks, order)
	}
}

// above returns the level above chunks. order is their order.
func (f *farLevels) above(chunks map[geom.ChunkPos]*farChunk, order []geom.ChunkPos) map[geom.ChunkPos]*farChunk {
	const half = geom.ChunkEdge / 2
	out := make(map[geom.ChunkPos]*farChunk)
	for _, pos := range order {
		from, to := chunks[pos], f.at(out, up(pos, 1))
		x0, y0, z0 := int(pos.X&1)*half, int(pos.Y&1)*half, int(pos.Z&1)*half
		for y := range half {
			for z := range half {
				for x := range half {
					var eight [8]voxel.Cell
					for i := range eight {
						eight[i] = from[((2*y+i>>2)*geom.ChunkEdge+2*z+i>>1&1)*geom.ChunkEdge+2*x+i&1]
					}
					to[((y0+y)*geom.ChunkEdge+z0+z)*geom.ChunkEdge+x0+x] = voxel.Downsample(&f.rule, eight)
				}
			}
		}
	}
	return out
}
