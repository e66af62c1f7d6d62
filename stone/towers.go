package stone

import (
	"context"
	"errors"
	"slices"

	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/internal/stone/pages"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

const (
	// maxDecoded is the most pages of blocks that one page of light or of columns may need.
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
	// maxHeld is the most bytes of the chunks of these pages. They are held until the page of
	// light or of columns is read.
	maxHeld = 64 << 20
)

var (
	errTowers = errors.New("blocks in too many pages")
	errWork   = errors.New("blocks that take too long to read")
	errHeld   = errors.New("blocks that take too much memory")
)

// footprint is the x and z of a chunk, or of a cube of chunks counted in cubes.
type footprint struct{ x, z int32 }

// blockIndex is the entries of a dimension's blocks.
type blockIndex struct {
	entries []entry
	at      map[footprint][]int32 // indexes of entries with cells, those that are lowest first
}

func indexBlocks(ctx context.Context, entries []entry) (*blockIndex, error) {
	b := &blockIndex{entries, make(map[footprint][]int32)}
	for i := range entries {
		if i%looksAtOnce == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if e := &entries[i]; e.page != nonePage {
			pos := cubeChunk(e.key, 0)
			f := footprint{pos.X >> 2, pos.Z >> 2}
			b.at[f] = append(b.at[f], int32(i))
		}
	}
	return b, nil
}

// reach counts what one page of light or of columns takes of the blocks that it follows
// from. It is the one check of Readers and Writers: a Reader refuses a page whose reach is
// too far, and a Writer, which counts the same or more, writes it in another form.
type reach struct {
	*blockIndex
	most   int64 // bytes of chunks
	work   int   // see worked
	bytes  int64
	groups map[uint32]bool // of entries, whose pages were counted
	paid   map[int]bool    // pages whose stored bytes have paid for work
}

func (b *blockIndex) reach(most int64) reach {
	return reach{blockIndex: b, most: most, groups: make(map[uint32]bool), paid: make(map[int]bool)}
}

// tower calls f for the bits of entries over a chunk's x and z, topmost first, until f
// returns false. Entries of one footprint are in ascending order of height, because keys
// and bits are Morton codes.
func (r *reach) tower(x, z int32, f func(entry, bit int) (more bool, err error)) error {
	for _, i := range slices.Backward(r.at[footprint{x >> 2, z >> 2}]) {
		e := &r.entries[i]
		for y := uint32(4); y > 0; y-- {
			bit := int(geom.Morton(uint32(x&3), y-1, uint32(z&3)))
			if e.mask>>bit&1 == 0 {
				continue
			}
			if err := r.worked(workOfLook); err != nil {
				return err
			}
			if more, err := f(int(i), bit); err != nil || !more {
				return err
			}
		}
	}
	return nil
}

// pageCost is what decoding a page of cells takes.
type pageCost struct {
	work   int   // see codec.Decoder.Work
	stored int   // bytes of the page
	bytes  int64 // of its chunks in memory
}

// page counts the page of an entry, once. What a page pays, it pays once, however often it
// is named.
func (r *reach) page(e *entry, c pageCost) error {
	if r.groups[e.begun] {
		return nil
	}
	if len(r.groups) == maxDecoded {
		return corrupt(-1, "blocks", errTowers)
	}
	r.groups[e.begun] = true
	if r.bytes += c.bytes; r.bytes > r.most {
		return corrupt(-1, "blocks", errHeld)
	}
	if !r.paid[e.page] {
		r.paid[e.page] = true
		c.work = max(0, c.work-workOfByte*c.stored)
	}
	return r.worked(c.work)
}

// worked counts work.
func (r *reach) worked(n int) error {
	if r.work += n; r.work > maxWork {
		return corrupt(-1, "blocks", errWork)
	}
	return nil
}

// footprints is the index of a dimension's blocks, or none yet.
type footprints struct {
	turn  pages.Turn // to make index
	index *blockIndex
}

// blocks returns the index of the dimension's blocks. The first call makes it.
func (d *dimension) blocks(ctx context.Context, entries []entry) (*blockIndex, error) {
	if err := d.footprints.turn.Take(ctx); err != nil {
		return nil, err
	}
	defer d.footprints.turn.Give()
	if d.footprints.index != nil {
		return d.footprints.index, nil
	}
	made, err := indexBlocks(ctx, entries)
	d.footprints.index = made
	return made, err
}

// towerReader reads the towers of a dimension's blocks from the stone, for one page of light
// or of columns, until begin begins another. After the first error, kept in err, towers are
// incomplete.
type towerReader struct {
	ctx     context.Context
	s       *Reader
	v       *volume
	entries []entry
	d       *dimension
	reach   reach // its index is nil before the first tower
	looks   int   // at chunks
	pages   map[uint32][]*voxel.Chunk
	towers  map[footprint]light.Tower
	err     error
}

func (s *Reader) towers(ctx context.Context, d *dimension) *towerReader {
	v, entries := s.entries(d.name, voxel.Block, 0)
	t := &towerReader{ctx: ctx, s: s, v: v, entries: entries, d: d}
	t.begin()
	return t
}

// begin lets go of all that was read, for another page.
func (t *towerReader) begin() {
	t.reach = t.reach.blockIndex.reach(maxHeld)
	t.pages, t.towers = make(map[uint32][]*voxel.Chunk), make(map[footprint]light.Tower)
}

// tower returns the chunks with cells over a chunk's x and z, topmost first. It
// returns at most one more than maxTower. It is a light.Towers.
func (t *towerReader) tower(x, z int32) light.Tower {
	at := footprint{x, z}
	held, known := t.towers[at]
	if known || t.err != nil {
		return held
	}
	if held, t.err = t.read(at); t.err != nil {
		return nil
	}
	t.towers[at] = held
	return held
}

func (t *towerReader) read(at footprint) (held light.Tower, err error) {
	if t.reach.blockIndex == nil {
		if t.reach.blockIndex, err = t.d.blocks(t.ctx, t.entries); err != nil {
			return nil, err
		}
	}
	err = t.reach.tower(at.x, at.z, func(i, bit int) (more bool, err error) {
		if t.looks++; t.looks%looksAtOnce == 0 && t.ctx.Err() != nil {
			return false, t.ctx.Err()
		}
		c, err := t.chunk(i, bit)
		if c != nil {
			held = append(held, light.Floor{Y: cubeChunk(t.entries[i].key, bit).Y, Chunk: c})
		}
		return len(held) <= maxTower, err
	})
	return held, err
}

// chunk returns the chunk at a bit of an entry.
func (t *towerReader) chunk(entry, bit int) (*voxel.Chunk, error) {
	e := &t.entries[entry]
	if !e.paged() {
		return e.chunk(), nil
	}
	page := t.pages[e.begun]
	if page == nil {
		cells, err := t.s.cellsPage(t.ctx, t.v, group(t.entries, entry))
		if err != nil {
			return nil, err
		}
		page = cells.chunks
		if err := t.reach.page(e, pageCost{cells.work, t.s.dir.pages[e.page].size, cellBytes(page)}); err != nil {
			return nil, err
		}
		t.pages[e.begun] = page
	}
	return page[e.at(bit)], nil
}
