package light_test

import (
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// plot is a box of n*n*n sections with its light, under an open sky and behind walls.
type plot struct {
	n              int
	before, blocks []voxel.Cell
	level          [2][]uint8
	unlit          map[light.SectionPos]bool
}

func newPlot(n int) *plot {
	p := &plot{n: n}
	cells := n * n * n * light.SectionCells
	p.before, p.blocks = make([]voxel.Cell, cells), make([]voxel.Cell, cells)
	for kind := range p.level {
		p.level[kind] = make([]uint8, cells)
	}
	return p
}

func (p *plot) edge() int { return p.n * light.SectionEdge }

func (p *plot) index(x, y, z int) (int, bool) {
	e := p.edge()
	return (y*e+z)*e + x, min(x, y, z) >= 0 && max(x, y, z) < e
}

func (p *plot) Section(kind light.Channel, at light.SectionPos, s *light.Section) light.Presence {
	n := int32(p.n)
	if kind == light.Sky && at.Y >= n && min(at.X, at.Z) >= 0 && max(at.X, at.Z) < n {
		return light.Open
	}
	if min(at.X, at.Y, at.Z) < 0 || max(at.X, at.Y, at.Z) >= n {
		return light.Wall
	}
	s.Changed, s.Unlit = true, p.unlit[at]
	p.section(at, func(i, j int) {
		s.Blocks[i], s.Before[i], s.Levels[i] = p.blocks[j], p.before[j], p.level[kind][j]
	})
	return light.Inside
}

func (p *plot) section(at light.SectionPos, f func(i, j int)) {
	for i := range light.SectionCells {
		j, _ := p.index(int(at.X)*16+i&15, int(at.Y)*16+i>>8, int(at.Z)*16+i>>4&15)
		f(i, j)
	}
}

func (p *plot) all() (all []light.SectionPos) {
	for i := range int32(p.n * p.n * p.n) {
		n := int32(p.n)
		all = append(all, light.SectionPos{X: i % n, Y: i / n / n, Z: i / n % n})
	}
	return all
}

// relight lights the plot after its blocks, and returns how many cells that took.
func (p *plot) relight(t *testing.T, r *light.Relight, kind light.Channel) int {
	t.Helper()
	if !r.Run(kind, p, p.all()) {
		t.Fatal("too much changed")
	}
	for at, levels := range r.Changed() {
		p.section(at, func(i, j int) { p.level[kind][j] = levels[i] })
	}
	return r.Visited()
}

var steps = [light.Sides][3]int{{-1}, {1}, {0, -1}, {0, 1}, {0, 0, -1}, {0, 0, 1}}

// odd is what the slow twin knows of a cell whose light is not as the rule says.
type odd struct{ darker, leak, glow int8 }

// slowPlot is the twin of Relight: all cells again and again until nothing changes.
type slowPlot struct {
	*plot
	m    light.Matters
	kind light.Channel
	odd  []odd
}

func (s *slowPlot) matter(c voxel.Cell) light.Matter {
	switch {
	case c == 0:
		return 0
	case int(c) >= len(s.m):
		return light.Opaque
	}
	return s.m[c]
}

// beside calls f with the cells at the faces of one.
func (s *slowPlot) beside(i int, f func(face light.CellFace, j int, sky bool)) {
	e := s.edge()
	for face, step := range steps {
		j, ok := s.index(i%e+step[0], i/e/e+step[1], i/e%e+step[2])
		sky := !ok && light.CellFace(face) == light.Above && s.kind == light.Sky
		if ok || sky {
			f(light.CellFace(face), j, sky)
		}
	}
}

// look returns the rule's light of a cell, and the brightest beside it.
func (s *slowPlot) look(i int, blocks []voxel.Cell, level []uint8) (rule, brightest, above int8) {
	v := s.matter(blocks[i])
	if s.kind == light.Block {
		rule = int8(v >> 4 & 15)
	}
	s.beside(i, func(f light.CellFace, j int, sky bool) {
		l, there := int8(15), light.Matter(0)
		if !sky {
			l, there = int8(level[j]), s.matter(blocks[j])
		}
		brightest = max(brightest, l)
		if f == light.Above {
			above = l
		}
		switch {
		case shut(v, f) || shut(there, f^1):
		case s.kind == light.Sky && f == light.Above && l == 15 && v&15 == 0:
			rule = 15
		default:
			rule = max(rule, l-max(1, int8(v&15)))
		}
	})
	return rule, brightest, above
}

func (s *slowPlot) run() []uint8 {
	s.odd = make([]odd, len(s.blocks))
	old := s.level[s.kind]
	changed := func(i int) bool { return s.matter(s.before[i]) != s.matter(s.blocks[i]) }
	for i := range old {
		o := &s.odd[i]
		if o.leak = -1; changed(i) {
			continue
		}
		near := false
		s.beside(i, func(_ light.CellFace, j int, sky bool) { near = near || !sky && changed(j) })
		rule, brightest, above := s.look(i, s.before, old)
		switch l := int8(old[i]); {
		case l < rule && !near:
			o.darker = rule - l
		case l > rule && s.matter(s.before[i])&15 == light.Opaque:
			o.glow = l
		case l > rule && l < brightest:
			o.leak = brightest - l
		case l > rule && s.kind == light.Sky && l == 15 && above == 15:
			o.leak = 0
		case l > rule:
			o.glow = l
		}
	}
	now := make([]uint8, len(old))
	for more := true; more; {
		more = false
		for i := len(now) - 1; i >= 0; i-- {
			rule, brightest, above := s.look(i, s.blocks, now)
			o := s.odd[i]
			v := max(rule-o.darker, o.glow)
			if o.leak > 0 {
				v = max(v, brightest-o.leak)
			}
			if o.leak == 0 && above == 15 {
				v = 15
			}
			if v > int8(now[i]) {
				now[i], more = uint8(v), true
			}
		}
	}
	return now
}

// edit changes blocks at random, lamps, boxes, holes and single cells.
func (p *plot) edit(r *rand.Rand, values, boxes int) {
	copy(p.before, p.blocks)
	e := p.edge()
	for range boxes {
		v := voxel.Cell(r.IntN(values))
		x, y, z := r.IntN(e), r.IntN(e), r.IntN(e)
		w, h, d := 1, 1, 1
		if r.IntN(2) == 0 {
			w, h, d = 1+r.IntN(20), 1+r.IntN(3), 1+r.IntN(20)
		}
		for i := range w * h * d {
			if j, ok := p.index(x+i%w, y+i/w/d, z+i/w%d); ok {
				p.blocks[j] = v
			}
		}
	}
}

func (p *plot) compare(t *testing.T, what string, kind light.Channel, want []uint8) {
	t.Helper()
	for i, got := range p.level[kind] {
		if got != want[i] {
			e := p.edge()
			t.Fatalf("%s, light %d at %d %d %d: got %d, want %d", what, kind, i%e, i/e/e, i/e%e, got, want[i])
		}
	}
}

// TestRelight lights plots after random edits and compares with the twin, from light
// that follows the rule and from light that does not.
func TestRelight(t *testing.T) {
	m := someMatters()
	var fast light.Relight
	fast.Use(m)
	for seed := range uint64(long.By(2, 4, 4)) {
		r := rand.New(rand.NewPCG(seed, 9))
		p := newPlot(2)
		for round := range 3 {
			p.edit(r, len(m)+1, 1+r.IntN(12))
			for _, kind := range []light.Channel{light.Sky, light.Block} {
				if round == 0 {
					copy(p.before, p.blocks)
					p.level[kind] = (&slowPlot{plot: p, m: m, kind: kind}).scratch()
				}
				if seed%2 == 1 { // somebody else's light
					for range 40 {
						p.level[kind][r.IntN(len(p.blocks))] = uint8(r.IntN(16))
					}
				}
				want := (&slowPlot{plot: p, m: m, kind: kind}).run()
				p.relight(t, &fast, kind)
				p.compare(t, "after an edit", kind, want)
				if seed%2 == 0 {
					p.compare(t, "by the rule alone", kind, (&slowPlot{plot: p, m: m, kind: kind}).scratch())
				}
			}
		}
	}
}

// scratch is the light by the rule alone.
func (s *slowPlot) scratch() []uint8 {
	bare := *s.plot
	bare.before = bare.blocks
	bare.level[s.kind] = make([]uint8, len(bare.blocks))
	all := slowPlot{plot: &bare, m: s.m, kind: s.kind}
	bare.before = make([]voxel.Cell, len(bare.blocks)) // no cell is as it was
	for i := range bare.before {
		bare.before[i] = voxel.Cell(len(s.m) + 1)
		if all.matter(bare.blocks[i]) == light.Opaque {
			bare.before[i] = 0
		}
	}
	return all.run()
}

// The light of a Relight is that of a Flood of the same blocks.
func TestRelightIsFlood(t *testing.T) {
	m := someMatters()
	var fast light.Relight
	var flood light.Flood
	fast.Use(m)
	flood.Use(m)
	r := rand.New(rand.NewPCG(4, 4))
	p := newPlot(6)
	for i := range p.level[light.Sky] {
		p.level[light.Sky][i] = light.MaxLight
	}
	for range 4 {
		p.edit(r, len(m)+1, 10)
		e := p.edge()
		for i := range p.blocks { // nothing within reach of the walls
			if x, z := i%e, i/e%e; min(x, z) < 32 || max(x, z) >= e-32 {
				p.blocks[i] = 0
			}
		}
		towers := func(x, z int32) (t light.Tower) {
			for y := int32(p.n)/2 - 1; y >= 0 && min(x, z) >= 0 && max(x, z) < int32(p.n)/2; y-- {
				flat := new([voxel.ChunkCells]voxel.Cell)
				for i := range flat {
					j, _ := p.index(int(x)*32+i&31, int(y)*32+i>>10, int(z)*32+i>>5&31)
					flat[i] = p.blocks[j]
				}
				t = append(t, light.Floor{Y: y, Chunk: voxel.FromFlat(flat)})
			}
			return t
		}
		for _, kind := range []light.Channel{light.Sky, light.Block} {
			p.relight(t, &fast, kind)
			to := geom.ChunkPos{X: 3, Y: 3, Z: 3}
			if !flood.Fill(kind, geom.ChunkPos{}, to, towers) {
				t.Fatal("no flood")
			}
			want := make([]uint8, len(p.blocks))
			for i := range int32(27) {
				pos := geom.ChunkPos{X: i % 3, Y: i / 9, Z: i / 3 % 3}
				for k := range voxel.SliceCells { // rows
					j, _ := p.index(int(pos.X)*32, int(pos.Y)*32+k>>5, int(pos.Z)*32+k&31)
					flood.Row(pos, k>>5, k&31, (*[geom.ChunkEdge]uint8)(want[j:]))
				}
			}
			p.compare(t, "flood", kind, want)
		}
	}
}
