package stone

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"sync"

	"github.com/cairnvoxel/cairn/codec"
	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/light"
	"github.com/cairnvoxel/cairn/stone/pages"
	"github.com/cairnvoxel/cairn/voxel"
)

// formLit is the form of pages of light that hold what differs from a flood
// through the blocks of the dimension.
const formLit = 6

// Streams of a page of form lit before those of codec.Columns.
const (
	litOctants = cellCodec + iota // u8 for each chunk of runs: octants that differ from the flood, not from the default
	litCodec
)

// Light gives the Writer what the blocks of the dimension, which are written
// already, are to light, in cells of the volume voxel.Block as written, and their towers. Pages of
// the volumes voxel.Sky and voxel.Light that come then hold what differs from the
// light that follows, where that is less.
func (w *Writer) Light(m light.Matters, towers light.Towers) error {
	w.flushCells()
	if err := w.step(atVolumes, atVolumes, atVolumes, "Light"); err != nil {
		return err
	}
	if d := w.dimension(); d == nil || !m.Valid() || len(m) > maxNames || !d.hasBlocks() {
		return w.misuse("light of %d cells: not a rule, or no blocks", len(m))
	}
	w.lit = &lit{matters: m, towers: towers, feet: writerFeet, most: maxFlooding / 4 * 3}
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

// lightOf gives chunks of a page their light; want nil: all.
func (s *Reader) lightOf(ctx context.Context, d *dimension, p *cellsPage, want []int) error {
	blocks := s.towers(ctx, d)
	err := p.unlit.light(p.chunks, want, &lit{ctx: ctx, matters: d.matters, towers: blocks.tower, feet: readerFeet, most: maxFlooding})
	return cmp.Or(blocks.err, err)
}

// appendMatters appends the rules of light of all dimensions, if any has one: for
// each how many cells, the low bytes of their matters and the high ones.
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
		return // of a stone from before there were rules of light, or without any
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

// hasBlocks reports whether floods go through a volume of the dimension.
func (d *dimension) hasBlocks() bool {
	return slices.ContainsFunc(d.volumes, func(v volume) bool {
		return v.Name == voxel.Block && v.Schema == voxel.Palette && v.Scale == 1
	})
}

// litKind returns what kind of light a volume holds, if floods give it.
func litKind(v *volume) (light.Kind, bool) {
	ok := v.Schema == voxel.Level && v.Scale == 1
	switch v.Name {
	case voxel.Sky:
		return light.Sky, ok && v.Default == light.MaxLight
	case voxel.Light:
		return light.Block, ok && v.Default == 0
	}
	return 0, false
}

// lit computes the light of chunks.
type lit struct {
	ctx     context.Context // nil: never ends
	matters light.Matters
	towers  light.Towers
	feet    int32 // chunks side by side that are flooded at once
	most    int   // work for one page
}

// flooding is floods of one kind for the chunks at some places.
type flooding struct {
	*lit
	f      *light.Flood
	kind   light.Kind
	places []geom.ChunkPos
	use    func(some []int) // called with indexes of places that f has
	work   int              // so far
}

var (
	floods   = sync.Pool{New: func() any { return new(light.Flood) }}
	builders = sync.Pool{New: func() any { return new(voxel.Builder) }}
)

var errFlood = errors.New("light that goes too far to be computed")

// Chunks side by side that are flooded at once by a Writer, whom more would cost
// memory and save no time, and by a Reader.
const (
	writerFeet = 16
	readerFeet = 256
)

// maxFlooding is how much work floods for one page of light may be to a Reader, see
// light.Flood.Work. A Writer does three quarters of that, since it floods other boxes.
const maxFlooding = 1 << 25

// floods calls use for floods by f that have the chunks at some places, each with
// the indexes of those that it has.
func (l *lit) floods(f *light.Flood, kind light.Kind, places []geom.ChunkPos, use func(some []int)) error {
	f.Follow(l.matters)
	f.Until(l.ctx, l.most)
	defer f.Until(context.Background(), 0)
	all := make([]int, len(places))
	for i := range all {
		all[i] = i
	}
	return (&flooding{lit: l, f: f, kind: kind, places: places, use: use}).flood(all)
}

// flood floods a box around places, or parts of them if it is too large.
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
	ok := one || wide <= l.feet && deep <= l.feet/wide
	if ok {
		ok = l.f.Fill(l.kind, from, geom.ChunkPos{X: to.X + 1, Y: to.Y + 1, Z: to.Z + 1}, towers) && !high
		l.work += l.f.Work()
	}
	if l.ctx != nil && l.ctx.Err() != nil {
		return l.ctx.Err()
	}
	if l.work > l.most || one && !ok {
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

// chunk returns a chunk of c plus its base, or less it; the base is the flood in some octants
// and full in the others.
func chunk(b *voxel.Builder, c *voxel.Chunk, fl *light.Flood, at geom.ChunkPos, octants, full uint8, less bool) *voxel.Chunk {
	var runs [geom.ChunkEdge]voxel.Cell
	beyond := light.All(full)
	for y := range geom.ChunkEdge {
		rows := c.Changed(y) | fl.Changed(at, y)
		if y == geom.ChunkEdge/2 && octants != 0xff {
			rows = ^uint32(0)
		}
		for left := rows; left != 0; left &= left - 1 {
			z := bits.TrailingZeros32(left)
			base := fl.Bits(at, y, z).Within(rowOf(octants, y, z), beyond)
			row := light.BitsOf(c, y, z)
			if less {
				row = row.Minus(base)
			} else {
				row = row.Plus(base)
			}
			starts, cells := row.Runs(&runs)
			b.Runs(z, starts, cells)
		}
		b.Next(rows)
	}
	return b.Chunk()
}

// half is the cells of half a row.
const half = 1<<(geom.ChunkEdge/2) - 1

// rowOf returns the cells of a row that are in octants of a mask.
func rowOf(octants uint8, y, z int) uint32 {
	two := uint32(octants >> (z>>4<<1 | y>>4<<2) & 3)
	return two&1*half | two>>1*half<<(geom.ChunkEdge/2)
}

// octantsOf returns the octants of a chunk that a flood explains better than the
// default, by every fourth slice.
func octantsOf(c *voxel.Chunk, full uint8, f *light.Flood, at geom.ChunkPos) (octants uint8) {
	var gain [8]int // cells that are the flood's, less those that are the default
	for y := 1; y < geom.ChunkEdge; y += 4 {
		for z := range geom.ChunkEdge {
			row := light.BitsOf(c, y, z)
			flooded, plain := row.Differ(f.Bits(at, y, z)), row.Differ(light.All(full))
			o := z>>4<<1 | y>>4<<2
			gain[o] += bits.OnesCount32(plain&half) - bits.OnesCount32(flooded&half)
			gain[o|1] += bits.OnesCount32(plain&^half) - bits.OnesCount32(flooded&^half)
		}
	}
	for o := range gain {
		if gain[o] > 0 {
			octants |= 1 << o
		}
	}
	return octants
}

// lit returns the streams of the page in the form lit, nil if it cannot be, and how many times
// less memory the chunks take without the light that follows.
func (p *cellPage) lit(pack *packer, l *lit, kind light.Kind) (streams [][]byte, times int) {
	full := kind.Full()
	octants := make([]byte, len(p.places))
	rests := make([]*voxel.Chunk, len(p.places))
	var chunks []*voxel.Chunk
	for _, s := range p.stacks {
		chunks = append(chunks, s...)
	}
	for _, c := range chunks {
		if c.Highest() > light.MaxLight {
			return nil, 0
		}
	}
	b := builders.Get().(*voxel.Builder)
	defer builders.Put(b)
	f := &pack.flood
	err := l.floods(f, kind, p.places, func(some []int) {
		for _, i := range some {
			octants[i] = octantsOf(chunks[i], full, f, p.places[i])
			rests[i] = chunk(b, chunks[i], f, p.places[i], octants[i], full, true)
		}
	})
	if err != nil {
		return nil, 0
	}
	times = runBytes(chunks) / max(1, runBytes(rests))
	stacks := make([]codec.Stack, len(p.stacks))
	for i, s := range p.stacks {
		stacks[i], rests = rests[:len(s)], rests[len(s):]
	}
	return append([][]byte{p.kinds, p.values, octants}, pack.cells.Encode(stacks)...), times
}

// runBytes returns the memory that chunks take beyond what each of one cell takes.
func runBytes(chunks []*voxel.Chunk) (n int) {
	for _, c := range chunks {
		n += c.Bytes() - voxel.Uniform(0).Bytes()
	}
	return n
}

// decodeLit reads what the chunks of runs of a page differ from the light that follows
// from blocks, from the streams of form lit, octants first.
func decodeLit(dec *codec.Decoder, page *cellsPage, streams [][]byte, at []geom.ChunkPos, kinds []byte, kind light.Kind) error {
	octants := streams[0]
	rest := volume{Volume: voxel.Volume{Schema: voxel.Palette}, names: make([]string, light.MaxLight+1)} // cells below 16
	if err := decodeRuns(dec, page.chunks, codec.Columns, streams[litCodec-litOctants:], at, kinds, &rest); err != nil {
		return err
	}
	order, _ := stackUp(at, kinds)
	if len(octants) != len(order) || len(order) == 0 {
		return corruptf(0, "octants", "%d of %d chunks", len(octants), len(order))
	}
	page.unlit = &unlit{kind: kind, at: at, octants: make(map[int]byte, len(order))}
	for i, n := range order {
		page.unlit.octants[n] = octants[i]
	}
	return nil
}

// unlit is the chunks of a page that hold what differs from the light that follows from
// blocks. They get that light when they are asked for: it takes reading all blocks
// around them.
type unlit struct {
	mu      sync.Mutex // guards octants, and those chunks of the page
	kind    light.Kind
	at      []geom.ChunkPos // of all chunks of the page
	octants map[int]byte    // of those chunks
}

// light gives chunks of a page their light; want nil: all.
func (u *unlit) light(chunks []*voxel.Chunk, want []int, l *lit) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	var some []int
	if want == nil {
		some = slices.Sorted(maps.Keys(u.octants))
	}
	for _, i := range want {
		if _, ok := u.octants[i]; ok {
			some = append(some, i)
		}
	}
	if len(some) == 0 {
		return nil
	}
	runs, places, octants := make([]*voxel.Chunk, len(some)), make([]geom.ChunkPos, len(some)), make([]byte, len(some))
	for k, i := range some {
		runs[k], places[k], octants[k] = chunks[i], u.at[i], u.octants[i]
	}
	if err := l.unlit(u.kind, runs, places, octants); errors.Is(err, errFlood) {
		return corrupt(-1, "page", err)
	} else if err != nil {
		return err
	}
	for k, i := range some {
		chunks[i] = runs[k]
		delete(u.octants, i)
	}
	return nil
}

// unlit puts the light that follows from blocks under chunks of a page that
// differ from it.
func (l *lit) unlit(kind light.Kind, chunks []*voxel.Chunk, at []geom.ChunkPos, octants []byte) error {
	full := kind.Full()
	b := builders.Get().(*voxel.Builder)
	defer builders.Put(b)
	f := floods.Get().(*light.Flood)
	defer floods.Put(f)
	err := l.floods(f, kind, at, func(some []int) {
		for _, i := range some {
			if l.ctx.Err() != nil {
				return
			}
			chunks[i] = chunk(b, chunks[i], f, at[i], octants[i], full, false)
		}
	})
	return cmp.Or(err, l.ctx.Err())
}
