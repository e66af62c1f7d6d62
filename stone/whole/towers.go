package whole

import (
	"cmp"
	"context"
	"iter"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/light"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
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
// that it reads them when they are asked for, 4x4 towers at once. After add and sort, goroutines
// may share it.
type towers struct {
	read   func(want []geom.ChunkPos, f func(geom.ChunkPos, *voxel.Chunk) error) error
	most   int64 // bytes of chunks to hold
	bytes  int64
	held   map[footprint]light.Tower // nil: they are read
	cubes  []cube                    // in ascending order of code
	chunks int

	ctx    context.Context
	feet   map[footprint][]int32 // cubes by their place, if towers are read
	cache  stone.Cache           // of *block, by the first cube of a place
	failed atomic.Pointer[error] // the first error because of which towers are incomplete
}

// block is 4x4 towers, z after z.
type block [16]light.Tower

func newTowers(ctx context.Context, most int64, read func([]geom.ChunkPos, func(geom.ChunkPos, *voxel.Chunk) error) error) *towers {
	return &towers{ctx: ctx, most: most, read: read, held: make(map[footprint]light.Tower)}
}

// add adds the next chunk in ascending order of code.
func (t *towers) add(c stone.Placed) {
	code := geom.CodeOf(c.Pos, 0)
	if n := len(t.cubes); n == 0 || t.cubes[n-1].code != code>>6 {
		t.cubes = append(t.cubes, cube{code: code >> 6, before: t.chunks})
	}
	t.cubes[len(t.cubes)-1].mask |= 1 << (code & 63)
	t.chunks++
	if t.held == nil {
		return
	}
	if t.bytes += int64(c.Chunk.Bytes()); t.bytes > t.most {
		t.held = nil
		return
	}
	at := footprint{c.Pos.X, c.Pos.Z}
	t.held[at] = append(t.held[at], light.Floor{Y: c.Pos.Y, Chunk: c.Chunk})
}

// sort ends the adding. It orders towers topmost first.
func (t *towers) sort() {
	for _, tower := range t.held {
		topmostFirst(tower)
	}
	if t.held != nil {
		return
	}
	t.cache = stone.NewLRU(max(t.most, leastTowers))
	t.feet = make(map[footprint][]int32)
	for i := range t.cubes {
		for pos := range t.cubes[i].all() {
			at := footprint{pos.X >> 2, pos.Z >> 2}
			t.feet[at] = append(t.feet[at], int32(i))
			break
		}
	}
}

func topmostFirst(t light.Tower) {
	slices.SortFunc(t, func(a, b light.Floor) int { return cmp.Compare(b.Y, a.Y) })
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
		t.failed.CompareAndSwap(nil, &err)
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
	err := t.read(want, func(pos geom.ChunkPos, c *voxel.Chunk) error {
		if c != nil {
			tower := &b[pos.Z&3<<2|pos.X&3]
			*tower = append(*tower, light.Floor{Y: pos.Y, Chunk: c})
			bytes += int64(c.Bytes())
		}
		return nil
	})
	for _, tower := range b {
		topmostFirst(tower)
	}
	return b, bytes, err
}

// err returns the error because of which towers are incomplete, or nil.
func (t *towers) err() error {
	if t == nil || t.failed.Load() == nil {
		return nil
	}
	return *t.failed.Load()
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
	if t.held == nil {
		return t.read(want, f)
	}
	for _, pos := range want {
		tower := t.held[footprint{pos.X, pos.Z}]
		if i := slices.IndexFunc(tower, func(f light.Floor) bool { return f.Y == pos.Y }); i >= 0 {
			if err := f(pos, tower[i].Chunk); err != nil {
				return err
			}
		}
	}
	return nil
}
