package whole

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/tile"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// leastTowers is the least memory for towers that are read on demand. With less, the floods of
// one page would read the same towers again and again.
const leastTowers = 16 << 20

// footprint is the x and z of a chunk, or of a cube of chunks counted in cubes.
type footprint struct{ x, z int32 }

// cube says which of 4x4x4 chunks hold cells.
type cube struct {
	code   geom.Code // of its first chunk, without the last six bits
	mask   uint64    // by the last six bits
	before int       // chunks of earlier cubes
}

// all yields the positions of the chunks in ascending order of code.
func (c *cube) all() iter.Seq[geom.ChunkPos] {
	return func(yield func(geom.ChunkPos) bool) {
		for m := c.mask; m != 0; m &= m - 1 {
			if !yield((c.code<<6 | geom.Code(bits.TrailingZeros64(m))).Pos()) {
				return
			}
		}
	}
}

// towers is the chunks of blocks as written, by footprint. Up to a budget it holds them. Beyond
// that it reads them when they are asked for, 4x4 towers at once, from a temporary file or, where
// there is none, from the world. After add and sort, goroutines may share it.
type towers struct {
	read   func(want []geom.ChunkPos, f func(geom.ChunkPos, *voxel.Chunk) error) error // from the world
	temp   func() (TempFile, error)                                                    // nil: there is none
	file   *tile.Pieces                                                                // of cubes as they are in memory; nil while towers are held, and without temp
	cube   []byte                                                                      // the next piece
	most   int64                                                                       // bytes of chunks to hold
	bytes  int64
	held   map[footprint]light.Tower // nil: they are read
	cubes  []cube                    // in ascending order of code
	chunks int

	ctx    context.Context
	feet   map[footprint][]int32 // cubes by their place, if towers are read
	cache  stone.PageCache       // of *block, by the first cube of a place
	failed atomic.Pointer[error] // the first error because of which towers are incomplete
}

// block is 4x4 towers, z after z.
type block [16]light.Tower

func newTowers(ctx context.Context, most int64, temp func() (TempFile, error), read func([]geom.ChunkPos, func(geom.ChunkPos, *voxel.Chunk) error) error) *towers {
	return &towers{ctx: ctx, most: most, temp: temp, read: read, held: make(map[footprint]light.Tower)}
}

// add adds the next chunk in ascending order of code.
func (t *towers) add(c stone.Placed) {
	code := geom.CodeOf(c.Pos, 0)
	if n := len(t.cubes); n == 0 || t.cubes[n-1].code != code>>6 {
		t.endCube()
		t.cubes = append(t.cubes, cube{code: code >> 6, before: t.chunks})
	}
	t.cubes[len(t.cubes)-1].mask |= 1 << (code & 63)
	t.chunks++
	if t.file != nil {
		t.cube = c.Chunk.AppendMemory(t.cube)
	}
	if t.held == nil {
		return
	}
	at := footprint{c.Pos.X, c.Pos.Z}
	t.held[at] = append(t.held[at], light.Floor{Y: c.Pos.Y, Chunk: c.Chunk})
	if t.bytes += int64(c.Chunk.Bytes()); t.bytes > t.most {
		t.let()
	}
}

// let lets the held chunks go, to a temporary file if there is one.
func (t *towers) let() {
	if t.temp != nil {
		made, err := t.temp()
		if err != nil {
			t.fail(fmt.Errorf("whole: temporary file: %w", err))
			return
		}
		t.file = tile.NewPieces(made)
		for i := range t.cubes {
			t.endCube()
			for pos := range t.cubes[i].all() {
				t.cube = t.chunk(pos).AppendMemory(t.cube)
			}
		}
	}
	t.held = nil
}

// endCube writes a cube to the temporary file.
func (t *towers) endCube() {
	if len(t.cube) == 0 {
		return
	}
	if _, err := t.file.Add(t.cube); err != nil {
		t.fail(err)
	}
	t.cube = t.cube[:0]
}

func (t *towers) fail(err error) { t.failed.CompareAndSwap(nil, &err) }

// close deletes the temporary file.
func (t *towers) close() error {
	if t == nil || t.file == nil {
		return nil
	}
	return t.file.Close()
}

// sort ends the adding. It orders towers topmost first.
func (t *towers) sort() {
	for _, tower := range t.held {
		tower.Sort()
	}
	if t.held != nil {
		return
	}
	t.endCube()
	t.cube = nil
	t.cache = stone.NewCache(max(t.most, leastTowers))
	t.feet = make(map[footprint][]int32)
	for i := range t.cubes {
		for pos := range t.cubes[i].all() {
			at := footprint{pos.X >> 2, pos.Z >> 2}
			t.feet[at] = append(t.feet[at], int32(i))
			break
		}
	}
}

// at is a light.Towers. After an error towers are incomplete; see err.
func (t *towers) at(x, z int32) light.Tower {
	if t.held != nil {
		return t.held[footprint{x, z}]
	}
	cubes := t.feet[footprint{x >> 2, z >> 2}]
	if len(cubes) == 0 {
		return nil
	}
	got, err := t.cache.Page(t.ctx, stone.PageKey{Entry: uint32(cubes[0])}, func() (any, int64, error) { return t.load(cubes) })
	if err != nil {
		t.fail(err)
		return nil
	}
	return got.(*block)[z&3<<2|x&3]
}

// keep returns at as a function that keeps all towers that it returns, for few of them all over
// the world. One goroutine may use it.
func (t *towers) keep() light.Towers {
	if t.held != nil {
		return t.at
	}
	kept := make(map[footprint]light.Tower)
	return func(x, z int32) light.Tower {
		tower, ok := kept[footprint{x, z}]
		if !ok {
			tower = t.at(x, z)
			kept[footprint{x, z}] = tower
		}
		return tower
	}
}

// load reads the towers of cubes over one another.
func (t *towers) load(cubes []int32) (*block, int64, error) {
	var want []geom.ChunkPos
	for _, i := range cubes {
		want = slices.AppendSeq(want, t.cubes[i].all())
	}
	b, bytes := new(block), int64(0)
	err := t.each(want, func(pos geom.ChunkPos, c *voxel.Chunk) error {
		if c != nil {
			tower := &b[pos.Z&3<<2|pos.X&3]
			*tower = append(*tower, light.Floor{Y: pos.Y, Chunk: c})
			bytes += int64(c.Bytes())
		}
		return nil
	})
	for _, tower := range b {
		tower.Sort()
	}
	return b, bytes, err
}

// err returns the error because of which towers are incomplete, or nil.
func (t *towers) err() error {
	switch {
	case t == nil:
		return nil
	case t.failed.Load() != nil:
		return *t.failed.Load()
	}
	return nil
}

// place returns the position of the nth chunk, counted from 0.
func (t *towers) place(n int) geom.ChunkPos {
	i, found := slices.BinarySearchFunc(t.cubes, n, func(c cube, n int) int { return cmp.Compare(c.before, n) })
	if !found {
		i--
	}
	n -= t.cubes[i].before
	for pos := range t.cubes[i].all() {
		if n == 0 {
			return pos
		}
		n--
	}
	panic("whole: a cube with fewer chunks than counted")
}

// each calls f with the chunks at the positions of want, which ascend by code, in any order.
func (t *towers) each(want []geom.ChunkPos, f func(geom.ChunkPos, *voxel.Chunk) error) error {
	if t.file != nil {
		return t.eachInFile(want, f)
	}
	if t.held == nil {
		return t.read(want, f)
	}
	for _, pos := range want {
		if err := f(pos, t.chunk(pos)); err != nil {
			return err
		}
	}
	return nil
}

// chunk returns a chunk that is held.
func (t *towers) chunk(pos geom.ChunkPos) *voxel.Chunk {
	tower := t.held[footprint{pos.X, pos.Z}]
	return tower[slices.IndexFunc(tower, func(f light.Floor) bool { return f.Y == pos.Y })].Chunk
}

// eachInFile is each for chunks in the temporary file.
func (t *towers) eachInFile(want []geom.ChunkPos, f func(geom.ChunkPos, *voxel.Chunk) error) error {
	for len(want) > 0 {
		code := geom.CodeOf(want[0], 0) >> 6
		i, _ := slices.BinarySearchFunc(t.cubes, code, func(c cube, k geom.Code) int { return c.code.Compare(k) })
		b, err := t.file.Read(i)
		if err != nil {
			return err
		}
		for pos := range t.cubes[i].all() {
			var c *voxel.Chunk
			if c, b = voxel.FromMemory(b); len(want) > 0 && pos == want[0] {
				want = want[1:]
				if err := f(pos, c); err != nil {
					return err
				}
			}
		}
	}
	return t.ctx.Err()
}
