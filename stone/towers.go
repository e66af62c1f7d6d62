package stone

import (
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
}

// foot is the x and z of a chunk, or of a cube of chunks counted in cubes.
type foot struct{ x, z int32 }

// cachedPage is the chunks of a group of entries.
type cachedPage struct {
	first  int // index of the group's first entry
	chunks map[geom.ChunkPos]*voxel.Chunk
	bytes  int
}

// index notes which entries are above each other.
func (t *towerReader) index() {
	t.cubes = map[foot][]int32{}
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
	t.last, t.held = foot{x, z}, nil
	for _, p := range t.places(x, z) {
		c, err := t.chunk(p)
		if err != nil {
			if *t.err == nil {
				*t.err = err
			}
			return nil
		}
		if c != nil {
			t.held = append(t.held, light.Floor{Y: p.at.Y, Chunk: c})
		}
		if len(t.held) > maxTower {
			break
		}
	}
	return t.held
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
	first := groupStart(t.entries, p.entry)
	for _, c := range t.pages {
		if c.first == first {
			return c.chunks[p.at], nil
		}
	}
	page := cachedPage{first: first, chunks: map[geom.ChunkPos]*voxel.Chunk{}}
	for pos, r := range t.s.chunks(t.v, group(t.entries, p.entry)) {
		if r.err != nil {
			return nil, r.err
		}
		page.chunks[pos] = r.chunk
		if r.chunk != nil {
			page.bytes += r.chunk.Bytes()
		}
	}
	t.keep(page)
	return page.chunks[p.at], nil
}

// keep adds a page to those kept and drops the oldest ones.
func (t *towerReader) keep(p cachedPage) {
	t.pages, t.bytes = append(t.pages, p), t.bytes+p.bytes
	for len(t.pages) > cachedPages || len(t.pages) > 1 && t.bytes > cachedBytes {
		t.bytes -= t.pages[0].bytes
		t.pages = slices.Delete(t.pages, 0, 1)
	}
}
