package stone

import (
	"context"
	"errors"
	"slices"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/light"
	"github.com/cairnvoxel/cairn/voxel"
)

const (
	// maxDecoded is the most pages of blocks that one page of light, or one column,
	// may need.
	maxDecoded = 1024
	// maxWork is how much work decoding them may be, see codec.Decoder.Work.
	maxWork = 1 << 26
	// maxHeld is the most bytes of pages that a towerReader holds besides the Cache.
	maxHeld = 64 << 20
)

var (
	errTowers = errors.New("blocks in too many pages")
	errWork   = errors.New("blocks that take too long to read")
)

// footprint is the x and z of a chunk, or of a cube of chunks counted in cubes.
type footprint struct{ x, z int32 }

// towerReader reads the towers of a dimension's blocks from the stone, for one page
// of light or for columns. After the first error, kept in err, towers are
// incomplete.
type towerReader struct {
	ctx        context.Context
	s          *Reader
	v          *volume
	entries    []entry
	footprints map[footprint][]int32 // entries by the footprint of their cubes
	pages      map[uint32][]*voxel.Chunk
	work       int // that all pages took that were needed so far
	bytes      int // of pages
	last       footprint
	held       light.Tower // over last
	err        error
}

func (s *Reader) towers(ctx context.Context, d *dimension) *towerReader {
	v, entries := s.entries(d.name, voxel.Block, 0)
	return &towerReader{ctx: ctx, s: s, v: v, entries: entries, footprints: d.footprints(), pages: make(map[uint32][]*voxel.Chunk), last: footprint{1 << 30, 0}}
}

// footprintsOf returns the indexes of a dimension's block entries by footprint.
func (d *dimension) footprintsOf() map[footprint][]int32 {
	feet := make(map[footprint][]int32)
	for _, v := range d.volumes {
		if v.Name != voxel.Block || len(v.levels) == 0 || v.levels[0].level != 0 {
			continue
		}
		for i, e := range v.levels[0].entries {
			at := cubeChunk(e.key, 0)
			f := footprint{at.X >> 2, at.Z >> 2}
			feet[f] = append(feet[f], int32(i))
		}
	}
	return feet
}

// tower returns the chunks with cells over a chunk's x and z, topmost first. It
// returns at most one more than maxTower. It is a light.Towers.
func (t *towerReader) tower(x, z int32) light.Tower {
	if t.last == (footprint{x, z}) {
		return t.held
	}
	var held light.Tower
	for _, p := range t.places(x, z) {
		c, err := t.chunk(p)
		if err != nil {
			t.err = first(t.err, err)
			return nil
		}
		if c != nil {
			held = append(held, light.Floor{Y: p.at.Y, Chunk: c})
		}
		if len(held) > maxTower {
			break
		}
	}
	t.last, t.held = footprint{x, z}, held
	return held
}

// place is a chunk's position and its entry.
type place struct {
	at    geom.ChunkPos
	entry int
}

// places returns the chunks of the volume at x and z, topmost first.
func (t *towerReader) places(x, z int32) (ps []place) {
	for _, i := range t.footprints[footprint{x >> 2, z >> 2}] {
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
	e := &t.entries[p.entry]
	if !e.paged() {
		return e.chunk(), nil
	}
	start := groupStart(t.entries, p.entry)
	number := t.entries[start].number
	page, seen := t.pages[number]
	if page == nil {
		if len(t.pages) == maxDecoded && !seen {
			return nil, corrupt(-1, "blocks", errTowers)
		}
		cells, err := t.s.cellsPage(t.ctx, t.v, group(t.entries, start))
		if err != nil {
			return nil, err
		}
		if t.work += cells.work; t.work > maxWork {
			return nil, corrupt(-1, "blocks", errWork)
		}
		page = cells.chunks
		t.hold(number, page)
	}
	_, bit := cubeKey(p.at, 0)
	return page[e.at(bit)], nil
}

// hold keeps a page. It drops the others if they are too large.
func (t *towerReader) hold(number uint32, page []*voxel.Chunk) {
	if t.bytes > maxHeld {
		for n := range t.pages {
			t.pages[n] = nil
		}
		t.bytes = 0
	}
	t.pages[number] = page
	t.bytes += int(cellBytes(page))
}
