package light_test

import (
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/voxel"
)

// The cells of someMatters by what they are.
const (
	air   voxel.Cell = 0
	stone voxel.Cell = 4
	lamp  voxel.Cell = 6
)

// countedPlot counts the sections asked for.
type countedPlot struct {
	*plot
	asked int
}

func (p *countedPlot) Section(kind light.Channel, at light.SectionPos, s *light.Section) light.Presence {
	p.asked++
	return p.plot.Section(kind, at, s)
}

// flatPlot is a plot of stone below air, lit.
func flatPlot(n int) *plot {
	p := newPlot(n)
	e := p.edge()
	for i := range p.blocks {
		if i/e/e < e/2 {
			p.blocks[i] = stone
		} else {
			p.level[light.Sky][i] = light.MaxLight
		}
	}
	copy(p.before, p.blocks)
	return p
}

// An edit costs what it lights and darkens, however large the world is.
func TestRelightCost(t *testing.T) {
	fill := func(v voxel.Cell, y, size int) func(p *plot) {
		return func(p *plot) {
			e := p.edge()
			for i := range size * size * size {
				j, _ := p.index(e/2+i%size, e/2+y+i/size/size, e/2+i/size%size)
				p.blocks[j] = v
			}
		}
	}
	for _, tt := range []struct {
		name     string
		edit     func(p *plot)
		kind     light.Channel
		visited  int // at most
		sections int
	}{
		{"a stone for a stone", fill(999, -4, 1), light.Sky, 0, 1},
		{"a stone within stone goes", fill(air, -6, 1), light.Sky, 40, 8},
		{"a block on the ground", fill(stone, 0, 1), light.Sky, 40, 8},
		{"a block on the ground, block light", fill(stone, 0, 1), light.Block, 40, 8},
		{"a lamp on the ground", fill(lamp, 0, 1), light.Block, 10_000, 40},
		{"16 cubed in the air", fill(stone, 8, 16), light.Sky, 110_000, 150},
		{"16 cubed of ground goes", fill(air, -16, 16), light.Sky, 60_000, 60},
	} {
		var counts [2]int
		for i, n := range []int{4, 6} {
			var r light.Relight
			r.Use(someMatters())
			p := flatPlot(n)
			tt.edit(p)
			at := int32(n / 2)
			c := &countedPlot{plot: p}
			var changed []light.SectionPos
			for k := range int32(8) {
				changed = append(changed, light.SectionPos{X: at + k&1, Y: at - 1 + k>>2, Z: at + k>>1&1})
			}
			if !r.Run(tt.kind, c, changed) {
				t.Fatal("too much changed")
			}
			if counts[i] = r.Visited(); counts[i] > tt.visited || c.asked > tt.sections+len(changed) {
				t.Errorf("%s: %d cells in %d sections, want at most %d in %d", tt.name, counts[i], c.asked, tt.visited, tt.sections)
			}
		}
		if counts[0] != counts[1] {
			t.Errorf("%s: %d cells, in a larger world %d", tt.name, counts[0], counts[1])
		}
	}
}

// What is too much changes nothing.
func TestRelightTooMuch(t *testing.T) {
	var r light.Relight
	r.Use(someMatters())
	if r.Run(light.Sky, endless{}, []light.SectionPos{{}}) {
		t.Error("an endless world was lit")
	}
	for at := range r.Changed() {
		t.Fatalf("section %v changed", at)
	}
	if p := flatPlot(1); p.relight(t, &r, light.Sky) != 0 {
		t.Error("nothing was changed, and looked at")
	}
}

// endless is a shaft without a bottom whose cover is gone.
type endless struct{}

func (endless) Section(kind light.Channel, at light.SectionPos, s *light.Section) light.Presence {
	if at.Y > 0 {
		return light.Open
	}
	*s = light.Section{Changed: at == light.SectionPos{}}
	for i := range s.Blocks {
		if s.Blocks[i], s.Before[i] = stone, stone; i&255 == 0 {
			s.Blocks[i] = air
		}
	}
	return light.Inside
}

// A section without light of its own has what falls from above, and is lit as a
// whole where some of it changed.
func TestRelightUnlit(t *testing.T) {
	var r light.Relight
	r.Use(someMatters())
	p := newPlot(2)
	e := p.edge()
	for i := range p.blocks {
		p.level[light.Sky][i] = light.MaxLight
		if i/e/e == 20 && i%e >= 20 {
			p.blocks[i] = stone
		}
	}
	p.unlit = map[light.SectionPos]bool{}
	for _, at := range p.all() {
		p.unlit[at] = at.Y == 0
	}
	for i, c := range p.blocks { // as the file has it
		if c == stone {
			p.level[light.Sky][i] = 0
		}
		if y := i / e / e; y < 20 && y > 15 && i%e >= 20 {
			p.level[light.Sky][i] = 0
		}
	}
	copy(p.before, p.blocks)
	for z := range e { // the roof grows
		j, _ := p.index(19, 20, z)
		p.blocks[j] = stone
	}
	p.relight(t, &r, light.Sky)
	for _, want := range []struct {
		x, y  int
		level uint8
	}{{18, 3, 15}, {19, 19, 14}, {19, 3, 14}, {20, 3, 0}, {31, 3, 0}, {20, 19, 0}} {
		j, _ := p.index(want.x, want.y, 9)
		if got := p.level[light.Sky][j]; got != want.level {
			t.Errorf("at %d %d: got %d, want %d", want.x, want.y, got, want.level)
		}
	}
}

// FuzzRelight lights a section after edits and compares with the twin.
func FuzzRelight(f *testing.F) {
	f.Add([]byte{0, 1, 2, 4, 6, 9, 9, 9, 5, 3}, uint64(1), true)
	f.Add([]byte{4, 0, 15, 0, 4, 16, 15, 16, 6, 8, 8, 8}, uint64(0), false)
	f.Fuzz(func(t *testing.T, edits []byte, seed uint64, sky bool) {
		kind := light.Block
		if sky {
			kind = light.Sky
		}
		m := someMatters()
		var fast light.Relight
		fast.Use(m)
		p := newPlot(1)
		r := rand.New(rand.NewPCG(seed, 1))
		p.edit(r, len(m)+1, int(seed%16))
		copy(p.before, p.blocks)
		p.level[kind] = (&slowPlot{plot: p, m: m, kind: kind}).scratch()
		for range seed % 64 {
			p.level[kind][r.IntN(len(p.blocks))] = uint8(r.IntN(16))
		}
		for ; len(edits) >= 4; edits = edits[4:] {
			if j, ok := p.index(int(edits[1]&15), int(edits[2]&15), int(edits[3]&15)); ok {
				p.blocks[j] = voxel.Cell(edits[0] % 10)
			}
		}
		want := (&slowPlot{plot: p, m: m, kind: kind}).run()
		p.relight(t, &fast, kind)
		p.compare(t, "fuzzed", kind, want)
	})
}

func BenchmarkRelight(b *testing.B) {
	for _, tt := range []struct {
		name string
		kind light.Channel
		v    voxel.Cell
		size int
	}{{"lamp", light.Block, lamp, 1}, {"block", light.Sky, stone, 1}, {"cube16", light.Sky, stone, 16}} {
		b.Run(tt.name, func(b *testing.B) {
			var r light.Relight
			r.Use(someMatters())
			p := flatPlot(6)
			e := p.edge()
			for i := range tt.size * tt.size * tt.size {
				j, _ := p.index(e/2+i%tt.size, e/2+i/tt.size/tt.size, e/2+i/tt.size%tt.size)
				p.blocks[j] = tt.v
			}
			b.ReportAllocs()
			for b.Loop() {
				r.Run(tt.kind, p, []light.SectionPos{{X: 3, Y: 3, Z: 3}})
			}
			b.ReportMetric(float64(r.Visited()), "cells")
		})
	}
}
