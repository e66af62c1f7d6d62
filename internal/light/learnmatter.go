package light

import (
	"iter"
	"slices"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Lit is the blocks of a chunk and their light. A nil Sky or Light says that there
// is none.
type Lit struct{ Blocks, Sky, Light *voxel.Chunk }

// Bounds of the samples of a cell for each kind of light: in total, and from one
// chunk. A chunk may be dark, or its light wrong.
const (
	mostSamples  = 384
	chunkSamples = 48
)

// leastSample is the least light in or beside a cell from which something can be learned.
const leastSample = 2

// sample is the light in a cell and in the six cells beside it.
type sample struct {
	kind  Channel
	level uint8
	near  [Sides]uint8
}

// counted is a sample and how often it occurs.
type counted struct {
	sample
	n int
}

// sampleBits is a sample with four bits for each level and one for the kind.
type sampleBits uint32

func (p sampleBits) sample() (s sample) {
	for f := range s.near {
		s.near[f] = uint8(p & 15)
		p >>= 4
	}
	s.level, s.kind = uint8(p&15), Channel(p>>4)
	return s
}

// tally sorts the samples and counts equal ones.
func tally(samples []sampleBits) (out []counted) {
	slices.Sort(samples)
	for i, p := range samples {
		if i == 0 || p != samples[i-1] {
			out = append(out, counted{sample: p.sample()})
		}
		out[len(out)-1].n++
	}
	return out
}

// Learn returns the matter that each cell seems to have, by the light in it and around it.
// It keeps the matter of m if that explains the light as well or if there is no light. Cells
// without light near them, of which m says nothing, are Opaque. It reads only part of the
// chunks, and their order matters.
func (m Matters) Learn(chunks iter.Seq[Lit]) Matters {
	l := learner{}
	for v := range l.wants {
		l.wants[v] = 1<<Sky | 1<<Block
	}
	l.wants[voxel.Empty] = 0
	for c := range chunks {
		l.look(c)
	}
	out := make(Matters, max(len(l.samples), len(m)))
	for i := range out {
		if out[i] = Opaque; i < len(m) {
			out[i] = m[i]
		}
		if i < len(l.samples) {
			out[i] = decide(tally(l.samples[i]), out[i], i < len(m))
		}
	}
	if len(out) > 0 {
		out[voxel.Empty] = 0
	}
	return out.bounded()
}

// bounded makes rare matters Opaque if there are too many.
func (m Matters) bounded() Matters {
	seen := map[Matter]bool{Opaque: true}
	for i, v := range m {
		if !seen[v] && len(seen) == maxMatters-2 {
			m[i] = Opaque
			continue
		}
		seen[v] = true
	}
	return m
}

type learner struct {
	samples [][]sampleBits                  // by cell
	counts  [][2]int                        // of samples, by cell and kind
	limits  [][2]int                        // of counts, for the current chunk
	wants   [1 << 15]uint8                  // by cell, a bit for each kind that needs more samples
	flat    [2][voxel.ChunkCells]voxel.Cell // light of the current chunk by kind
}

func (l *learner) look(c Lit) {
	if c.Blocks == nil {
		return
	}
	if _, ok := c.Blocks.Uniform(); ok {
		return
	}
	var kinds uint8
	for kind, levels := range []*voxel.Chunk{Sky: c.Sky, Block: c.Light} {
		if levels == nil {
			continue
		}
		if _, ok := levels.Uniform(); ok {
			continue
		}
		levels.Flat(&l.flat[kind])
		kinds |= 1 << kind
	}
	if kinds != 0 {
		l.begin()
		l.gather(c, kinds)
	}
}

// begin sets how many samples of each cell the next chunk may give.
func (l *learner) begin() {
	for v := range l.limits {
		l.wants[v] = 0
		for kind, n := range l.counts[v] {
			l.limits[v][kind] = min(n+chunkSamples, mostSamples)
			if n < mostSamples && v != int(voxel.Empty) {
				l.wants[v] |= 1 << kind
			}
		}
	}
}

// gather takes samples of the cells of a chunk for some kinds.
func (l *learner) gather(c Lit, kinds uint8) {
	const edge = geom.ChunkEdge
	var buf [2 * edge]voxel.Cell
	blocks, all := c.Blocks, kinds
	for n := range edge - 2 {
		y := 1 + n*7%(edge-2) // from all heights before there are enough
		kinds = all
		for kind, levels := range []*voxel.Chunk{Sky: c.Sky, Block: c.Light} {
			if kinds>>kind&1 != 0 && dark(levels, y) {
				kinds &^= 1 << kind
			}
		}
		if v, ok := blocks.SliceUniform(y); kinds == 0 || ok && l.wants[v]&kinds == 0 {
			continue
		}
		for z := 1; z < edge-1; z++ {
			for x, v := range blocks.Row(y, z, &buf)[:edge-1] {
				if l.wants[v]&kinds != 0 && x > 0 {
					l.take(int(v), y*voxel.SliceCells+z*edge+x, kinds)
				}
			}
		}
	}
}

// dark reports whether nothing is learned from slice y, because neither it nor the slices beside
// it have light.
func dark(levels *voxel.Chunk, y int) bool {
	for at := y - 1; at <= y+1; at++ {
		if v, ok := levels.SliceUniform(at); !ok || v >= leastSample {
			return false
		}
	}
	return true
}

// take takes samples of the cell v at an index.
func (l *learner) take(v, at int, kinds uint8) {
	for v >= len(l.counts) {
		l.counts, l.samples = append(l.counts, [2]int{}), append(l.samples, nil)
		l.limits = append(l.limits, [2]int{chunkSamples, chunkSamples})
	}
	for kind := range l.flat {
		if l.wants[v]&kinds>>kind&1 == 0 {
			continue
		}
		p, ok := sampleOf(&l.flat[kind], at)
		if !ok {
			continue
		}
		l.samples[v] = append(l.samples[v], p|sampleBits(kind)<<(4*Sides+4))
		if l.counts[v][kind]++; l.counts[v][kind] == l.limits[v][kind] {
			l.wants[v] &^= 1 << kind
		}
	}
}

// sampleOf returns the light in and beside a cell. It returns false if there is too
// little to learn from.
func sampleOf(levels *[voxel.ChunkCells]voxel.Cell, at int) (p sampleBits, ok bool) {
	const slice = voxel.SliceCells
	offs := [Sides]int{-1, 1, -slice, slice, -geom.ChunkEdge, geom.ChunkEdge}
	bright := levels[at]
	p = sampleBits(bright) << (4 * Sides)
	for f, off := range offs {
		l := levels[at+off]
		p |= sampleBits(l) << (4 * f)
		bright = max(bright, l)
	}
	return p, bright >= leastSample && bright <= MaxLight
}

// says returns the light that m predicts for a cell, from the light beside it.
func (m Matter) says(s *sample) uint8 {
	best := uint8(0)
	if s.kind == Block {
		best = m.emits()
	} else if m.absorbs() == 0 && s.near[Above] == MaxLight && m.closed()>>Above&1 == 0 {
		return MaxLight
	}
	lost := max(1, m.absorbs())
	for f, n := range s.near {
		if n > lost && n-lost > best && m.closed()>>f&1 == 0 {
			best = n - lost
		}
	}
	return best
}

// right counts the samples that m explains. It may stop when the count can no longer
// exceed most.
func (m Matter) right(samples []counted, all, most int) int {
	n := all
	for i := range samples {
		if s := &samples[i]; m.says(&s.sample) != s.level {
			if n -= s.n; n <= most {
				break
			}
		}
	}
	return n
}

// usual is how much blocks weaken light, common values first. Among values that
// explain as many samples the first wins.
var usual = [...]uint8{0, 1, MaxLight, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}

// decide returns the matter that explains most samples. It chooses first how much
// the cell weakens and emits, then which faces are closed. If believed is set, it
// tries the matter from before first.
func decide(samples []counted, before Matter, believed bool) Matter {
	if len(samples) == 0 {
		return before
	}
	all := 0
	for _, s := range samples {
		all += s.n
	}
	best, most := Opaque, -1
	try := func(m Matter) {
		if n := m.right(samples, all, most); n > most {
			best, most = m, n
		}
	}
	if believed {
		try(before)
	}
	lamp := given(samples)
	tryAbsorbing := func(from Matter) {
		for _, n := range usual {
			try(from.withAbsorbs(n))
		}
	}
	for _, g := range []uint8{0, lamp} {
		tryAbsorbing(Matter(0).withEmits(g))
	}
	for range 2 {
		for f := range Sides {
			try(best.turn(f))
		}
		tryAbsorbing(best)
	}
	return best
}

// given returns the most common level of cells that are at least as bright as all
// cells beside them.
func given(samples []counted) uint8 {
	var count [MaxLight + 1]int
	for _, s := range samples {
		bright := uint8(0)
		for _, n := range s.near {
			bright = max(bright, n)
		}
		if s.kind == Block && s.level >= bright && s.level <= MaxLight {
			count[s.level] += s.n
		}
	}
	best := 0
	for l, n := range count {
		if n > count[best] {
			best = l
		}
	}
	if count[best] == 0 {
		return 0
	}
	return uint8(best)
}
