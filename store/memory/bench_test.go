package memory_test

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
)

// BenchmarkStore saves stones of a kilobyte into a thousand worlds, and loads them.
func BenchmarkStore(b *testing.B) {
	s := memory.New(memory.Options{})
	fetcher := s.(history.Fetcher)
	ctx := b.Context()
	const worlds = 1000
	heads := make([]history.ID, worlds)
	name := func(i int) string { return fmt.Sprint("w", i%worlds) }
	for i := range worlds {
		if err := s.Create(ctx, name(i)); err != nil {
			b.Fatal(err)
		}
	}
	i := 0
	b.Run("Commit", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			data := fmt.Appendf(make([]byte, 0, 1024), "%1024d", i)
			st := history.Stone{ID: sha256.Sum256(data), Data: data}
			h := history.Head{Commit: heads[i%worlds]}
			c := history.Commit{Parent: h.Commit, Stones: []history.StoneRef{{ID: st.ID, Size: 1024}}}
			c, err := s.Commit(ctx, name(i), h, c, st)
			if err != nil {
				b.Fatal(err)
			}
			heads[i%worlds] = c.ID()
			i++
		}
	})
	b.Run("Fetch", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := fetcher.Fetch(ctx, name(i), history.ID{}, 1<<20); err != nil {
				b.Fatal(err)
			}
			i++
		}
	})
}
