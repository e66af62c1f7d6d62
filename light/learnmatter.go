package light

import (
	"iter"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/voxel"
)

// Lit is the blocks of a chunk and their light, nil where there is none.
type Lit struct{ Blocks, Sky, Light *voxel.Chunk }

// How many samples of a cell there are at most for each kind of light, and how many
// of them of one chunk: it may lie in the dark, or be wrong.
const (
	mostSamples  = 384
	chunkSamples = 48
)

// sample is the light in a cell and beside it.
type sample struct {
	kind  Kind
	level uint8
	near  [Faces]uint8
}

// counted is a sample that came so many times.
type counted struct {
	sample
	n int
}

// tally brings equal samples together, in the order in which they first came.
func tally(samples []sample) (out []counted) {
	at := make(map[sample]int, len(samples))
	for _, s := range samples {
		i, ok := at[s]
		if !ok {
			i = len(out)
			at[s] = i
			out = append(out, counted{sample: s})
		}
		out[i].n++
	}
	return out
}

// LearnMatters returns what cells seem to be to light, after the light that there
// is in and around them. What no light comes near to is Opaque. It looks at a part of
// the chunks only; their order matters.
func LearnMatters(chunks iter.Seq[Lit]) Matters {
	l := learner{}
	for c := range chunks {
		l.look(c)
	}
	m := make(Matters, len(l.samples))
	for i, s := range l.samples {
		if i != int(voxel.Empty) {
			m[i] = decide(tally(s))
		}
	}
	return m.bounded()
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
	samples [][]sample // by cell
	counts  [][2]int   // of samples, by cell and kind
	limits  [][2]int   // of counts, in the chunk under way
	blocks  [voxel.ChunkCells]voxel.Cell
	levels  [voxel.ChunkCells]voxel.Cell
}

func (l *learner) look(c Lit) {
	if c.Blocks == nil {
		return
	}
	if _, ok := c.Blocks.Uniform(); ok {
		return
	}
	flat := false
	for kind, levels := range []*voxel.Chunk{Sky: c.Sky, Block: c.Light} {
		if levels == nil {
			continue
		}
		if _, ok := levels.Uniform(); ok {
			continue
		}
		if !flat {
			c.Blocks.Flat(&l.blocks)
			flat = true
		}
		levels.Flat(&l.levels)
		l.gather(Kind(kind))
	}
}

// gather takes samples of the cells within a chunk.
func (l *learner) gather(kind Kind) {
	for v := range l.limits {
		l.limits[v][kind] = min(l.counts[v][kind]+chunkSamples, mostSamples)
	}
	const edge, slice = geom.ChunkEdge, voxel.SliceCells
	offs := [Faces]int{-1, 1, -slice, slice, -edge, edge}
	for n := range edge - 2 {
		y := 1 + n*7%(edge-2) // from all heights before there are enough
		for z := 1; z < edge-1; z++ {
			row := y*slice + z*edge
			for i := row + 1; i < row+edge-1; i++ {
				v := int(l.blocks[i])
				if v == int(voxel.Empty) {
					continue
				}
				for v >= len(l.counts) {
					l.counts, l.samples = append(l.counts, [2]int{}), append(l.samples, nil)
					l.limits = append(l.limits, [2]int{chunkSamples, chunkSamples})
				}
				if l.counts[v][kind] >= l.limits[v][kind] {
					continue
				}
				s := sample{kind: kind, level: uint8(l.levels[i])}
				bright := s.level
				for f, off := range offs {
					s.near[f] = uint8(l.levels[i+off])
					bright = max(bright, s.near[f])
				}
				if bright >= 2 {
					l.counts[v][kind]++
					l.samples[v] = append(l.samples[v], s)
				}
			}
		}
	}
}

// says returns what m makes of the light near a cell.
func (m Matter) says(s *sample) uint8 {
	best := uint8(0)
	if s.kind == Block {
		best = m.gives()
	} else if m.takes() == 0 && s.near[Above] == MaxLight && m.shut()>>Above&1 == 0 {
		return MaxLight
	}
	lost := max(1, m.takes())
	for f, n := range s.near {
		if n > lost && n-lost > best && m.shut()>>f&1 == 0 {
			best = n - lost
		}
	}
	return best
}

// right counts the samples that m explains.
func (m Matter) right(samples []counted) (n int) {
	for i := range samples {
		if s := &samples[i]; m.says(&s.sample) == s.level {
			n += s.n
		}
	}
	return n
}

// decide returns the matter that explains most samples: first what it takes and
// gives, then which faces are shut.
func decide(samples []counted) Matter {
	if len(samples) == 0 {
		return Opaque
	}
	best, most := Opaque, -1
	try := func(m Matter) {
		if n := m.right(samples); n > most {
			best, most = m, n
		}
	}
	lamp := given(samples)
	takes := func(from Matter) {
		for n := range uint8(MaxLight + 1) {
			try(from.withTakes(n))
		}
	}
	for _, g := range []uint8{0, lamp} {
		takes(Matter(0).withGives(g))
	}
	for range 2 {
		for f := range Faces {
			try(best.turn(f))
		}
		takes(best)
	}
	return best
}

// given returns the level that most cells have that are no darker than all beside.
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
