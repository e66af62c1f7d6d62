package light_test

import (
	"runtime"
	"testing"
	"weak"

	"github.com/cairnvoxel/cairn/internal/light"
)

// A Relight at rest holds neither the land nor much memory, and works as before.
func TestRelightRest(t *testing.T) {
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	var r light.Relight
	r.Use(someMatters())
	before := heap()
	r.Run(light.Sky, endless{}, []light.SectionPos{{}})
	r.Rest()
	if most := before + 8<<20; heap() > most {
		t.Errorf("%d bytes are kept", heap()-before)
	}
	land := weak.Make(func() *plot {
		p := flatPlot(2)
		j, _ := p.index(16, 20, 16)
		p.blocks[j] = stone
		p.relight(t, &r, light.Sky)
		return p
	}())
	r.Rest()
	runtime.GC()
	if land.Value() != nil {
		t.Error("the land is kept")
	}
	for at := range r.Changed() {
		t.Errorf("section %v changed", at)
	}
	p := flatPlot(2)
	j, _ := p.index(16, 20, 16)
	p.blocks[j] = stone
	if p.relight(t, &r, light.Sky) == 0 || p.level[light.Sky][j] != 0 {
		t.Error("nothing is lit after a rest")
	}
}

// rising is air that became stone.
type rising struct{}

func (rising) Section(_ light.Channel, _ light.SectionPos, s *light.Section) light.Presence {
	*s = light.Section{Changed: true}
	for i := range s.Blocks {
		s.Blocks[i], s.Before[i], s.Levels[i] = stone, air, light.MaxLight
	}
	return light.Inside
}

// Too many cells are too much, as too many sections are.
func TestRelightTooManyCells(t *testing.T) {
	for _, tt := range []struct {
		sections int32
		done     bool
	}{{64, true}, {512, false}} {
		var changed []light.SectionPos
		for i := range tt.sections {
			changed = append(changed, light.SectionPos{X: i & 7, Y: i >> 6, Z: i >> 3 & 7})
		}
		var r light.Relight
		r.Use(someMatters())
		if done := r.Run(light.Block, rising{}, changed); done != tt.done {
			t.Errorf("%d sections: %v", tt.sections, done)
		}
	}
}
