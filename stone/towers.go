package stone

import (
	"errors"
	"slices"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/light"
	"github.com/cairnvoxel/cairn/voxel"
)

// What a towerReader keeps of the pages it read last.
const (
	cachedPages = 16
	cachedBytes = 64 << 20
)

// towerReader reads the towers of a dimension's blocks from the stone. The
// first error goes to *err and ends the towers.
type towerReader struct {
	s       *Reader
	d       *dimension
	err     *error
	v       *volume
	entries []entry
	cubes   map[foot][]int32 // entries by place of their cubes; nil before the first tower
	pages   []cachedPage     // oldest first
	bytes   int              // of their chunks
	last    foot
	held    light.Tower
	decoded int // pages, since it was taken
}

// maxDecoded is how many pages of blocks are decoded for one page of light or of
// columns.
const maxDecoded = 1024

var errTowers = errors.New("blocks in too many pages")

// foot is the x and z of a chunk, or of a cube of chunks counted in cubes.
type foot struct{ x, z int32 }

// cachedPage is the chunks of a group of entries.
type cachedPage struct {
	key, mask uint64 // of the group's first entry: no other of the volume has both
	chunks    map[geom.ChunkPos]*voxel.Chunk
	bytes     int
}

func newCachedPage(first entry, at []geom.ChunkPos, chunks []*voxel.Chunk) cachedPage {
	p := cachedPage{first.key, first.mask, make(map[geom.ChunkPos]*voxel.Chunk, len(at)), 0}
	for i, c := range chunks {
		p.chunks[at[i]] = c
		if c != nil {
			p.bytes += c.Bytes()
		}
	}
	return p
}

// index notes which entries are above each other.
func (t *towerReader) index() {
	t.cubes, t.last = map[foot][]int32{}, foot{1 << 30, 0} // where no chunk is
	t.v, t.entries = t.s.entries(t.d.name, voxel.Block, 0)
	for i, e := range t.entries {
		at := cubeChunk(e.key, 0)
		f := foot{at.X >> 2, at.Z >> 2}
		t.cubes[f] = append(t.cubes[f], int32(i))
	}
}

// tower returns the chunks with cells over a chunk's x and z, topmost first, at
// most one more than maxTower. It is a light.Towers.
func (t *towerReader) tower(x, z int32) light.Tower {
	if t.cubes == nil {
		t.index()
	} else if t.last == (foot{x, z}) {
		return t.held
	}
	var held light.Tower
	for _, p := range t.places(x, z) {
		c, err := t.chunk(p)
		if err != nil {
			if *t.err == nil {
				*t.err = err
			}
			return nil
		}
		if c != nil {
			held = append(held, light.Floor{Y: p.at.Y, Chunk: c})
		}
		if len(held) > maxTower {
			break
		}
	}
	t.last, t.held = foot{x, z}, held
	return held
}

// place is a chunk and the entry that speaks of it.
type place struct {
	at    geom.ChunkPos
	entry int
}

// places returns where the volume has chunks at x and z, topmost first.
func (t *towerReader) places(x, z int32) (ps []place) {
	for _, i := range t.cubes[foot{x >> 2, z >> 2}] {
		e := t.entries[i]
		for y := range uint32(4) {
			bit := int(geom.Morton(uint32(x&3), y, uint32(z&3)))
			if e.mask>>bit&1 != 0 {
				ps = append(ps, place{cubeChunk(e.key, bit), int(i)})
			}
		}
	}
	slices.SortFunc(ps, func(a, b place) int { return int(b.at.Y) - int(a.at.Y) })
	return ps
}

func (t *towerReader) chunk(p place) (*voxel.Chunk, error) {
	if e := t.entries[p.entry]; !e.paged() {
		return e.chunk(), nil
	}
	first := t.entries[groupStart(t.entries, p.entry)]
	if c := t.cached(first); c != nil {
		return c.chunks[p.at], nil
	}
	if t.decoded++; t.decoded > maxDecoded {
		return nil, corrupt(-1, "blocks", errTowers)
	}
	at, chunks, err := t.s.decode(t.v, group(t.entries, p.entry))
	if err != nil {
		return nil, err
	}
	page := newCachedPage(first, at, chunks)
	t.keep(page)
	return page.chunks[p.at], nil
}

// cached returns the page of a group, nil if it is not kept.
func (t *towerReader) cached(first entry) *cachedPage {
	for i := range t.pages {
		if c := &t.pages[i]; c.key == first.key && c.mask == first.mask {
			return c
		}
	}
	return nil
}

// keep adds a page to those kept and drops the oldest ones.
func (t *towerReader) keep(p cachedPage) {
	t.pages, t.bytes = append(t.pages, p), t.bytes+p.bytes
	for len(t.pages) > cachedPages || len(t.pages) > 1 && t.bytes > cachedBytes {
		t.bytes -= t.pages[0].bytes
		t.pages = slices.Delete(t.pages, 0, 1)
	}
}
