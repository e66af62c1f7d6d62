package disk_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cairnvoxel/cairn/internal/store/disk"
)

// BenchmarkCommit saves stones of 2 KB, each writer into a world of its own.
func BenchmarkCommit(b *testing.B) {
	for _, writers := range []int{1, 16} {
		b.Run(fmt.Sprint("writers ", writers), func(b *testing.B) {
			s := mustOpen(b, b.TempDir(), disk.Options{})
			var left atomic.Int64
			left.Store(int64(b.N))
			var wg sync.WaitGroup
			for w := range writers {
				name := fmt.Sprint("w", w)
				mustCreate(b, s, name)
				wg.Go(func() {
					for i := 0; left.Add(-1) >= 0; i++ {
						if _, err := save(b, s, name, mustStone(b, fmt.Sprint(name, i), 1800)); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			wg.Wait()
			mustClose(b, s)
		})
	}
}

// BenchmarkMany opens a world of many: its head, its stack and what is in it.
func BenchmarkMany(b *testing.B) {
	const worlds = 10_000
	s := mustOpen(b, b.TempDir(), disk.Options{})
	mustCreate(b, s, "template")
	mustSave(b, s, "template", mustStone(b, "ground", 1800))
	at := mustSave(b, s, "template", mustStone(b, "house", 1800))
	for i := range worlds {
		if err := s.Fork(b.Context(), "template", at, fmt.Sprint("w", i)); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("Open", func(b *testing.B) {
		for b.Loop() {
			name := fmt.Sprint("w", rand.IntN(worlds))
			h, err := s.Head(b.Context(), name)
			if err != nil {
				b.Fatal(err)
			}
			stack, err := s.Stack(b.Context(), name, h.Commit)
			if err != nil {
				b.Fatal(err)
			}
			for _, l := range stack {
				o, err := s.Open(b.Context(), name, l.Stone.ID)
				if err != nil {
					b.Fatal(err)
				}
				if err := o.Close(); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("Stack", func(b *testing.B) {
		for b.Loop() {
			name := fmt.Sprint("w", rand.IntN(worlds))
			if _, err := s.Stack(b.Context(), name, at); err != nil {
				b.Fatal(err)
			}
		}
	})
	mustClose(b, s)
}
