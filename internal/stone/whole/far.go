package whole

import (
	"cmp"
	"iter"
	"math/bits"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// lastChunks is the most chunks of the last far level, unless that is geom.MaxLevel.
const lastChunks = 8

// farLevels makes the far levels of a volume from its chunks. These come in ascending order of
// code, so a chunk of a far level is complete when the next one begins. A nil farLevels makes
// none.
type farLevels struct {
	rule    voxel.Rule
	def     voxel.Cell // the value where no chunk is stored
	most    int64      // bytes of chunks to hold
	bytes   int64
	chunks  int         // of level 0
	levels  []*farLevel // from stone.FirstFar up
	builder voxel.ChunkBuilder

	// With to, the chunks of levels[only] go there as soon as they are complete.
	to   func(stone.Placed) error
	only int
	err  error // the first error of to
}

// farLevel is a level in work.
type farLevel struct {
	at      geom.ChunkPos // of open
	begun   bool          // open is a chunk
	open    farChunk
	filled  uint64         // cubes of open that may hold more than the default; see cubeEdge
	count   int            // complete chunks
	done    []stone.Placed // these, unless they were dropped
	bytes   int64          // of done
	dropped bool
}

type farChunk = [voxel.ChunkCells]voxel.Cell

// A chunk in work has 4x4x4 cubes of cubeEdge cells an edge. A lone chunk fills one of them at each
// level, and what it costs there must not be that of a whole chunk.
const (
	cubeEdge = geom.ChunkEdge / 4
	allCubes = ^uint64(0)
)

// cubeOf returns the bit of the cube that holds a cell.
func cubeOf(x, y, z int) uint64 { return 1 << (y/cubeEdge*16 + z/cubeEdge*4 + x/cubeEdge) }

// corners yields the first cells of the cubes of a mask.
func corners(cubes uint64) iter.Seq[geom.Point] {
	return func(yield func(geom.Point) bool) {
		for ; cubes != 0; cubes &= cubes - 1 {
			i := bits.TrailingZeros64(cubes)
			if !yield(geom.Point{X: i & 3 * cubeEdge, Y: i >> 4 * cubeEdge, Z: i >> 2 & 3 * cubeEdge}) {
				return
			}
		}
	}
}

func newFarLevels(most int64, rule voxel.Rule, def voxel.Cell) *farLevels {
	f := &farLevels{rule: rule, most: most}
	f.def = voxel.Downsample(&f.rule, [8]voxel.Cell{def, def, def, def, def, def, def, def})
	return f
}

// at returns the chunk in work of levels[n], which becomes the one at pos.
func (f *farLevels) at(n int, pos geom.ChunkPos) *farChunk {
	if n == len(f.levels) {
		f.levels = append(f.levels, &farLevel{filled: allCubes})
	}
	l := f.levels[n]
	if l.begun && l.at == pos {
		return &l.open
	}
	f.complete(n)
	l.at, l.begun = pos, true
	for at := range corners(l.filled) {
		for y := at.Y; y < at.Y+cubeEdge; y++ {
			for z := at.Z; z < at.Z+cubeEdge; z++ {
				row := l.open[(y*geom.ChunkEdge+z)*geom.ChunkEdge+at.X:][:cubeEdge]
				for x := range row {
					row[x] = f.def
				}
			}
		}
	}
	l.filled = 0
	return &l.open
}

// complete ends the chunk in work of levels[n] and adds it to the level above. The level above
// begins when levels[n] has too many chunks to be the last one.
func (f *farLevels) complete(n int) {
	l := f.levels[n]
	if !l.begun {
		return
	}
	l.begun = false
	l.count++
	if f.to != nil && n < f.only {
		f.above(n+1, l.at, &l.open, l.filled)
		return
	}
	made := stone.Placed{Pos: l.at, Chunk: f.builder.FromFlat(&l.open)}
	if f.to != nil {
		f.err = cmp.Or(f.err, f.to(made))
		return
	}
	if !l.dropped {
		bytes := int64(made.Chunk.Bytes())
		l.done, l.bytes, f.bytes = append(l.done, made), l.bytes+bytes, f.bytes+bytes
	}
	if !f.last(n) && l.count == lastChunks+1 {
		flat := new(farChunk)
		for _, c := range l.done[:lastChunks] {
			c.Chunk.Flat(flat)
			f.above(n+1, c.Pos, flat, allCubes)
		}
	}
	if !f.last(n) {
		f.above(n+1, l.at, &l.open, l.filled)
	}
	f.drop()
}

// last reports whether levels[n] is the last far level by the chunks that are complete: it has at
// most lastChunks, or no level is higher.
func (f *farLevels) last(n int) bool {
	return f.levels[n].count <= lastChunks || stone.FirstFar+n == geom.MaxLevel
}

// drop drops chunks until the others fit the budget. Lower levels, which have more chunks, go
// first.
func (f *farLevels) drop() {
	for n, l := range f.levels {
		if f.bytes <= f.most {
			return
		}
		if !l.dropped && !f.last(n) {
			f.bytes -= l.bytes
			l.done, l.dropped = nil, true
		}
	}
}

// add adds the next chunk of level 0 in ascending order of code.
func (f *farLevels) add(c stone.Placed) {
	if f == nil {
		return
	}
	f.chunks++
	const edge = geom.ChunkEdge >> stone.FirstFar
	to := f.at(0, up(c.Pos, stone.FirstFar))
	mip := c.Chunk.Mip(&f.rule, stone.FirstFar)
	const mask = 1<<stone.FirstFar - 1
	x0, y0, z0 := int(c.Pos.X&mask)*edge, int(c.Pos.Y&mask)*edge, int(c.Pos.Z&mask)*edge
	f.levels[0].filled |= cubeOf(x0, y0, z0)
	var buf [64]voxel.Cell
	for y := range edge {
		for z := range edge {
			copy(to[((y0+y)*geom.ChunkEdge+z0+z)*geom.ChunkEdge+x0:], mip.Row(y, z, &buf)[:edge])
		}
	}
}

// finish ends all chunks in work.
func (f *farLevels) finish() {
	for n := 0; n < len(f.levels); n++ {
		f.complete(n)
	}
}

// up returns the cube of 1<<n positions an edge that holds pos.
func up(pos geom.ChunkPos, n int) geom.ChunkPos {
	return geom.ChunkPos{X: pos.X >> n, Y: pos.Y >> n, Z: pos.Z >> n}
}

// write writes the levels if the volume has more than a few chunks. Levels that were dropped are made again from the chunks of
// level 0.
func (f *farLevels) write(w *stone.Writer, level0 iter.Seq2[stone.Placed, error]) error {
	if f == nil || f.chunks <= nearWorld {
		return nil
	}
	f.finish()
	for n := range f.levels {
		if err := f.writeLevel(w, n, level0); err != nil || f.last(n) {
			return err
		}
	}
	return nil
}

func (f *farLevels) writeLevel(w *stone.Writer, n int, level0 iter.Seq2[stone.Placed, error]) error {
	to := func(c stone.Placed) error { return w.Chunk(stone.FirstFar+n, c.Pos, c.Chunk) }
	if !f.levels[n].dropped {
		for _, c := range f.levels[n].done {
			if err := to(c); err != nil {
				return err
			}
		}
		return nil
	}
	again := farLevels{rule: f.rule, def: f.def, to: to, only: n}
	for c, err := range level0 {
		if err != nil {
			return err
		}
		if again.add(c); again.err != nil {
			return again.err
		}
	}
	again.finish()
	return again.err
}

// above adds a chunk of the level below, of which those cubes may hold more than the default, to levels[n].
func (f *farLevels) above(n int, pos geom.ChunkPos, from *farChunk, filled uint64) {
	const half = geom.ChunkEdge / 2
	to := f.at(n, up(pos, 1))
	x0, y0, z0 := int(pos.X&1)*half, int(pos.Y&1)*half, int(pos.Z&1)*half
	for at := range corners(filled) {
		at := geom.Point{X: at.X / 2, Y: at.Y / 2, Z: at.Z / 2}
		f.levels[n].filled |= cubeOf(x0+at.X, y0+at.Y, z0+at.Z)
		for y := at.Y; y < at.Y+cubeEdge/2; y++ {
			for z := at.Z; z < at.Z+cubeEdge/2; z++ {
				for x := at.X; x < at.X+cubeEdge/2; x++ {
					var eight [8]voxel.Cell
					for i := range eight {
						eight[i] = from[((2*y+i>>2)*geom.ChunkEdge+2*z+i>>1&1)*geom.ChunkEdge+2*x+i&1]
					}
					to[((y0+y)*geom.ChunkEdge+z0+z)*geom.ChunkEdge+x0+x] = voxel.Downsample(&f.rule, eight)
				}
			}
		}
	}
}
