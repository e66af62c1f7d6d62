package autosave_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/game/autosave"
)

// What a tick costs with many worlds: an event each for some, and a Step.
func BenchmarkTick(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p := autosave.New(start, autosave.Options{})
			worlds, kept := make([]*island, n), make([]*autosave.Kept, n)
			for i := range kept {
				worlds[i] = &island{name: fmt.Sprint(i)}
				k, err := p.Open(worlds[i])
				if err != nil {
					b.Fatal(err)
				}
				kept[i] = k
			}
			b.ReportAllocs()
			now, i := start, 0
			for b.Loop() {
				now, i = now.Add(50*time.Millisecond), (i+7)%n
				edit(worlds[i], kept[i], 100)
				saves, _ := p.Step(now)
				for _, s := range saves {
					if err := s.Run(b.Context()); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
