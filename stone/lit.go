package stone

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/cairnvoxel/cairn/internal/codec"
	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/internal/stone/pages"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// formLit is the form of pages of light that hold the difference from a flood
// through the blocks of the dimension.
const formLit = 6

// Streams of a page of form lit before those of codec.Columns.
const (
	litOctants = cellCodec + iota // u8 for each chunk of runs: octants that differ from the flood, not from the default
	litCodec
)

// Light sets how the blocks of the dimension affect light, in cells of the volume
// voxel.Block as written, and the towers of blocks. The blocks must be written
// already. Later pages of the volumes voxel.Sky and voxel.Light hold the difference
// from the light that follows from blocks, where that is smaller.
func (w *Writer) Light(m Matters, towers Towers) error {
	w.flushCells()
	if err := w.step(atVolumes, atVolumes, atVolumes, "Light"); err != nil {
		return err
	}
	if d := w.dimension(); d == nil || !m.Valid() || len(m) > maxNames || !d.hasBlocks() {
		return w.misuse("light of %d cells: not a rule, or no blocks", len(m))
	}
	w.indexBlocks()
	w.lit = &lighting{matters: m, towers: towers}
	return nil
}

// Matters says how the blocks of the dimension affect light, as Light takes it, for those who
// read the stone: no page follows from it. It is for what somebody knows who does not call Light.
func (w *Writer) Matters(m Matters) error {
	w.flushCells()
	if err := w.step(atVolumes, atVolumes, atVolumes, "Matters"); err != nil {
		return err
	}
	if d := w.dimension(); d == nil || !m.Valid() || len(m) > maxNames || !d.hasBlocks() {
		return w.misuse("light of %d cells: not a rule, or no blocks", len(m))
	}
	w.dimension().matters = m
	return nil
}

// dimensionOf returns the dimension of a volume.
func (s *Reader) dimensionOf(v *volume) *dimension {
	for i := range s.dir.dims {
		d := &s.dir.dims[i]
		for j := range d.volumes {
			if &d.volumes[j] == v {
				return d
			}
		}
	}
	panic("stone: a volume of another stone")
}

// lightOf adds the light to chunks of a page. A nil want means all.
func (s *Reader) lightOf(ctx context.Context, d *dimension, p *cellsPage, want []int) error {
	return p.unlit.light(ctx, p.chunks, want, func() *lighting {
		blocks := s.towers(ctx, d)
		return &lighting{ctx: ctx, matters: d.matters, towers: blocks.tower, failed: func() error { return blocks.err }}
	})
}

// appendMatters appends the matters of all dimensions, if any has some: for each the
// number of cells, then the low bytes and the high bytes.
func (d *directory) appendMatters(dst []byte) []byte {
	if !slices.ContainsFunc(d.dims, func(d dimension) bool { return len(d.matters) > 0 || d.tally != nil }) {
		return dst
	}
	for i := range d.dims {
		m := d.dims[i].matters
		dst = binary.AppendUvarint(dst, uint64(len(m)))
		for _, v := range m {
			dst = append(dst, byte(v))
		}
		for _, v := range m {
			dst = append(dst, byte(v>>8))
		}
	}
	return dst
}

func (p *parser) matters() {
	if p.Err() != nil || p.Left() == 0 {
		return // from before there were rules of light, or without any
	}
	any := false
	for i := range p.dir.dims {
		d := &p.dir.dims[i]
		n := p.AtMost(maxNames)
		low, high := p.Bytes(n), p.Bytes(n)
		if p.Err() != nil {
			return
		}
		if d.matters = pages.Some[light.Matter](n); n == 0 {
			continue
		}
		any = true
		for c := range d.matters {
			d.matters[c] = light.Matter(low[c]) | light.Matter(high[c])<<8
		}
		if !d.matters.Valid() || !d.hasBlocks() {
			p.Fail(fmt.Errorf("light of %d cells: not a rule, or no blocks", n))
		}
	}
	if !any && p.Left() == 0 {
		p.Fail(errors.New("light of no dimension"))
	}
}

// hasBlocks reports whether the dimension has a volume of blocks for floods.
func (d *dimension) hasBlocks() bool {
	return slices.ContainsFunc(d.volumes, func(v volume) bool {
		return v.Name == voxel.Block && v.Schema == voxel.Palette && v.Scale == 1
	})
}

// litKind returns the kind of light in a volume. It returns false if floods cannot
// compute it.
func litKind(v *volume) (light.Channel, bool) {
	ok := v.Schema == voxel.Level && v.Scale == 1
	switch v.Name {
	case voxel.Sky:
		return light.Sky, ok && v.Default == light.MaxLight
	case voxel.Light:
		return light.Block, ok && v.Default == 0
	}
	return 0, false
}

// lighting computes the light of chunks.
type lighting struct {
	ctx     context.Context // nil: never ends
	matters light.Matters
	towers  light.Towers
	failed  func() error // the error because of which towers are incomplete, or too much for a Reader
}

// flooding is the floods of one kind for the chunks at some places.
type flooding struct {
	*lighting
	f      *light.Flood
	kind   light.Channel
	places []geom.ChunkPos
	use    func(some []int) // called with indexes of places that f has computed
	cells  int              // of boxes so far
}

var (
	floods   = sync.Pool{New: func() any { return new(light.Flood) }}
	builders = sync.Pool{New: func() any { return new(voxel.ChunkBuilder) }}
)

var errFlood = errors.New("light that goes too far to be computed")

// Limits of the floods of one page of light. They follow from the places of its chunks and from
// the heights of blocks alone, so a Reader and a Writer find the same.
const (
	// maxArea is the most footprints of a box that is flooded at once.
	maxArea = 256
	// maxFlooded is the most cells of all these boxes.
	maxFlooded = 1 << 27
)

// floods floods boxes with the chunks at some places and calls use after each, with
// the indexes of the chunks in it.
func (l *lighting) floods(f *light.Flood, kind light.Channel, places []geom.ChunkPos, use func(some []int)) error {
	f.Use(l.matters)
	f.Until(l.ctx, 0)
	defer f.Until(context.Background(), 0)
	all := make([]int, len(places))
	for i := range all {
		all[i] = i
	}
	return (&flooding{lighting: l, f: f, kind: kind, places: places, use: use}).flood(all)
}

// flood floods a box around places, or parts of it if it is too large.
func (l *flooding) flood(some []int) error {
	places := l.places
	from, to := places[some[0]], places[some[0]]
	for _, i := range some {
		p := places[i]
		from = geom.ChunkPos{X: min(from.X, p.X), Y: min(from.Y, p.Y), Z: min(from.Z, p.Z)}
		to = geom.ChunkPos{X: max(to.X, p.X), Y: max(to.Y, p.Y), Z: max(to.Z, p.Z)}
	}
	high := false // a Reader does not read higher towers to their ends
	towers := func(x, z int32) light.Tower {
		t := l.towers(x, z)
		high = high || len(t) > maxTower
		return t
	}
	one, wide, deep := from.X == to.X && from.Z == to.Z, to.X-from.X+1, to.Z-from.Z+1
	ok := one || wide <= maxArea && deep <= maxArea/wide
	if ok {
		ok = l.f.Fill(l.kind, from, geom.ChunkPos{X: to.X + 1, Y: to.Y + 1, Z: to.Z + 1}, towers) && !high
		l.cells += l.f.Cells()
	}
	if l.ctx != nil && l.ctx.Err() != nil {
		return l.ctx.Err()
	}
	if err := l.failed(); err != nil {
		return err
	}
	if l.cells > maxFlooded || one && !ok {
		return errFlood
	}
	if ok {
		l.use(some)
		return nil
	}
	key := func(i int) int32 { return places[i].X }
	if to.Z-from.Z > to.X-from.X {
		key = func(i int) int32 { return places[i].Z }
	}
	slices.SortStableFunc(some, func(i, j int) int { return cmp.Compare(key(i), key(j)) })
	low, last := key(some[0]), key(some[len(some)-1])
	cut, _ := slices.BinarySearchFunc(some, low+(last-low)/2+1, func(i int, k int32) int { return cmp.Compare(key(i), k) })
	return cmp.Or(l.flood(some[:cut]), l.flood(some[cut:]))
}

// lit returns the streams of the page in the form Lit, or nil if that is impossible.
// times is how much smaller in memory the chunks become.
func (p *cellPage) lit(enc *pageEncoder, l *lighting, kind light.Channel) (streams [][]byte, times int) {
	octants := make([]byte, len(p.places))
	rests := make([]*voxel.Chunk, len(p.places))
	var chunks []*voxel.Chunk
	for _, s := range p.towers {
		chunks = append(chunks, s...)
	}
	for _, c := range chunks {
		if c.Highest() > light.MaxLight {
			return nil, 0
		}
	}
	b := builders.Get().(*voxel.ChunkBuilder)
	defer builders.Put(b)
	f := &enc.flood
	err := l.floods(f, kind, p.places, func(some []int) {
		for _, i := range some {
			octants[i] = f.Octants(chunks[i], p.places[i])
			rests[i] = f.Minus(b, chunks[i], p.places[i], octants[i])
		}
	})
	if err != nil {
		return nil, 0
	}
	times = runBytes(chunks) / max(1, runBytes(rests))
	towers := make([]codec.Tower, len(p.towers))
	for i, s := range p.towers {
		towers[i], rests = rests[:len(s)], rests[len(s):]
	}
	return append([][]byte{p.kinds, p.values, octants}, enc.cells.Encode(towers)...), times
}

// runBytes returns the memory of chunks beyond that of uniform chunks.
func runBytes(chunks []*voxel.Chunk) (n int) {
	for _, c := range chunks {
		n += c.Bytes() - voxel.Uniform(0).Bytes()
	}
	return n
}

// decodeLit reads the chunks of runs of a page in the form Lit: their difference
// from the light that follows from blocks. The stream of octants comes first.
func decodeLit(dec *codec.Decoder, page *cellsPage, streams [][]byte, at []geom.ChunkPos, kinds []byte, kind light.Channel) error {
	octants := streams[0]
	rest := volume{Volume: voxel.Volume{Schema: voxel.Palette}, names: make([]string, light.MaxLight+1)} // cells below 16
	if err := decodeRuns(dec, page.chunks, codec.Columns, streams[litCodec-litOctants:], at, kinds, &rest); err != nil {
		return err
	}
	order, _ := towersOf(at, kinds)
	if len(octants) != len(order) || len(order) == 0 {
		return corruptf(0, "octants", "%d of %d chunks", len(octants), len(order))
	}
	page.unlit = &pendingLight{turn: pages.NewTurn(), kind: kind, at: at, runs: order, octants: make(map[int]byte, len(order))}
	for i, n := range order {
		page.unlit.octants[n] = octants[i]
	}
	return nil
}

// pendingLight is the chunks of a page that still hold the difference from the light
// that follows from blocks. They are completed on demand, because that reads all
// blocks around them.
type pendingLight struct {
	turn    pages.Turn // for octants and the chunks in it
	kind    light.Channel
	at      []geom.ChunkPos // of all chunks of the page
	runs    []int           // indexes of those that were not complete at first
	octants map[int]byte    // by index of chunk, for chunks that are not complete
}

// light adds the light to chunks of a page. A nil want means all. by returns what computes it, anew
// for each try.
func (u *pendingLight) light(ctx context.Context, chunks []*voxel.Chunk, want []int, by func() *lighting) error {
	if err := u.turn.Take(ctx); err != nil {
		return err
	}
	defer u.turn.Give()
	if len(u.octants) == 0 {
		return nil
	}
	if want == nil {
		return u.complete(chunks, u.runs, by())
	}
	some := slices.DeleteFunc(slices.Clone(want), func(i int) bool { _, ok := u.octants[i]; return !ok })
	if len(some) == 0 {
		return nil
	}
	err := u.complete(chunks, some, by())
	if c := (*CorruptError)(nil); errors.As(err, &c) && ctx.Err() == nil {
		// The Writer made sure of the boxes of all chunks. Those of some may take more.
		err = u.complete(chunks, u.runs, by())
	}
	return err
}

// complete floods the boxes of some chunks, and adds the light to those that are not complete.
func (u *pendingLight) complete(chunks []*voxel.Chunk, some []int, l *lighting) error {
	places := make([]geom.ChunkPos, len(some))
	for k, i := range some {
		places[k] = u.at[i]
	}
	b := builders.Get().(*voxel.ChunkBuilder)
	defer builders.Put(b)
	f := floods.Get().(*light.Flood)
	defer floods.Put(f)
	err := l.floods(f, u.kind, places, func(boxed []int) {
		for _, k := range boxed {
			i := some[k]
			octants, ok := u.octants[i]
			if l.ctx.Err() != nil {
				return
			}
			if ok {
				chunks[i] = f.Plus(b, chunks[i], places[k], octants)
				delete(u.octants, i)
			}
		}
	})
	if errors.Is(err, errFlood) {
		err = corrupt(-1, "page", err)
	}
	return cmp.Or(err, l.ctx.Err())
}
