package stone

import (
	"context"
	"errors"
	"slices"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/light"
	"github.com/cairnvoxel/cairn/stone/pages"
	"github.com/cairnvoxel/cairn/voxel"
)

const (
	// maxDecoded is the most pages of blocks that one page of light, or one column,
	// may need.
	maxDecoded = 1024
	// maxWork is how much work decoding them may be, beyond what is paid.
	maxWork = 1 << 25
	// workOfByte is the work that a byte of a stored page pays for. Pages of large worlds
	// are many and take much work, and have the bytes for it.
	workOfByte = 64
	// workOfLook is the work of looking up a chunk.
	workOfLook = 4
	// maxRows is the most runs of cells that rules look at for a page of columns.
	maxRows = 1 << 29
	// looksAtOnce is how many entries are looked at before the context is asked again.
	looksAtOnce = 1 << 12
	// maxAgain is how much work decoding pages again may be, because of maxHeld.
	maxAgain = 1 << 27
	// maxHeld is the most bytes of pages that a towerReader holds besides the Cache.
	maxHeld = 64 << 20
)

var (
	errTowers = errors.New("blocks in too many pages")
	errWork   = errors.New("blocks that take too long to read")
)

// paid is the numbers of the pages whose stored bytes have paid for work.
type paid map[int]bool

// rest returns the work of decoding a page, as of codec.Decoder.Work, beyond what its
// stored bytes pay for. A page pays once, however often it is named.
func (p paid) rest(work, number, stored int) int {
	if p[number] {
		return work
	}
	p[number] = true
	return max(0, work-workOfByte*stored)
}

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
	d          *dimension
	footprints map[footprint][]int32 // see footprintsOf; nil before the first tower
	pages      map[uint32][]*voxel.Chunk
	work       int // that all pages took that were needed so far, and looks
	again      int // work of pages that were decoded before
	looks      int // at chunks
	paid       paid
	bytes      int // of pages
	last       footprint
	held       light.Tower // over last
	err        error
}

func (s *Reader) towers(ctx context.Context, d *dimension) *towerReader {
	v, entries := s.entries(d.name, voxel.Block, 0)
	return &towerReader{ctx: ctx, s: s, v: v, entries: entries, d: d, pages: make(map[uint32][]*voxel.Chunk), paid: make(paid), last: footprint{1 << 30, 0}}
}

// footprints holds the indexes of a dimension's block entries with cells by footprint, those
// that are lowest first.
type footprints struct {
	turn pages.Turn // to make at
	at   map[footprint][]int32
}

// footprintsOf returns the indexes of the block entries by footprint. The first call makes them.
func (d *dimension) footprintsOf(ctx context.Context, blocks []entry) (map[footprint][]int32, error) {
	if err := d.footprints.turn.Take(ctx); err != nil {
		return nil, err
	}
	defer d.footprints.turn.Give()
	if d.footprints.at != nil {
		return d.footprints.at, nil
	}
	at := make(map[footprint][]int32)
	for i := range blocks {
		if i%looksAtOnce == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if e := &blocks[i]; e.page != nonePage {
			pos := cubeChunk(e.key, 0)
			f := footprint{pos.X >> 2, pos.Z >> 2}
			at[f] = append(at[f], int32(i))
		}
	}
	d.footprints.at = at
	return at, nil
}

// tower returns the chunks with cells over a chunk's x and z, topmost first. It
// returns at most one more than maxTower. It is a light.Towers.
func (t *towerReader) tower(x, z int32) light.Tower {
	if t.err != nil {
		return nil
	}
	if t.last == (footprint{x, z}) {
		return t.held
	}
	held, err := t.read(x, z)
	if err != nil {
		t.err = err
		return nil
	}
	t.last, t.held = footprint{x, z}, held
	return held
}

// read looks at the chunks at x and z from the top down. Entries of one footprint are in
// ascending order of height, because keys and bits are Morton codes.
func (t *towerReader) read(x, z int32) (held light.Tower, err error) {
	if t.footprints == nil {
		if t.footprints, err = t.d.footprintsOf(t.ctx, t.entries); err != nil {
			return nil, err
		}
	}
	for _, i := range slices.Backward(t.footprints[footprint{x >> 2, z >> 2}]) {
		e := &t.entries[i]
		for y := uint32(4); y > 0 && len(held) <= maxTower; y-- {
			bit := int(geom.Morton(uint32(x&3), y-1, uint32(z&3)))
			if e.mask>>bit&1 == 0 {
				continue
			}
			if err := t.worked(workOfLook); err != nil {
				return nil, err
			}
			c, err := t.chunk(int(i), bit)
			if err != nil {
				return nil, err
			}
			if c != nil {
				held = append(held, light.Floor{Y: cubeChunk(e.key, bit).Y, Chunk: c})
			}
		}
	}
	return held, nil
}

// worked counts work, and fails if it is too much or the context has ended.
func (t *towerReader) worked(n int) error {
	if t.looks++; t.looks%looksAtOnce == 0 && t.ctx.Err() != nil {
		return t.ctx.Err()
	}
	if t.work += n; t.work > maxWork {
		return corrupt(-1, "blocks", errWork)
	}
	return nil
}

// chunk returns the chunk at a bit of an entry.
func (t *towerReader) chunk(entry, bit int) (*voxel.Chunk, error) {
	e := &t.entries[entry]
	if !e.paged() {
		return e.chunk(), nil
	}
	page, seen := t.pages[e.begun]
	if page == nil {
		if len(t.pages) == maxDecoded && !seen {
			return nil, corrupt(-1, "blocks", errTowers)
		}
		cells, err := t.s.cellsPage(t.ctx, t.v, group(t.entries, entry))
		if err != nil {
			return nil, err
		}
		if seen {
			t.again += cells.work
		} else if err := t.worked(t.paid.rest(cells.work, e.page, t.s.dir.pages[e.page].size)); err != nil {
			return nil, err
		}
		if t.again > maxAgain {
			return nil, corrupt(-1, "blocks", errWork)
		}
		page = cells.chunks
		t.hold(e.begun, page)
	}
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
