package anvil_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/testing/anviltest"
)

// BenchmarkRead reads whole worlds; MB/s counts tags, not stored bytes.
func BenchmarkRead(b *testing.B) {
	for _, dir := range anviltest.Worlds(b, "anvil") {
		w, err := anvil.Open(dir, anvil.Options{Salvage: true})
		if err != nil {
			b.Fatal(err)
		}
		if err := w.Read(context.Background(), &taker{}); err != nil {
			b.Fatal(err)
		}
		if n := w.Stats().RawBytes; n > 4<<20 {
			b.Run(filepath.Base(dir), func(b *testing.B) {
				b.SetBytes(n)
				b.ReportAllocs()
				for b.Loop() {
					if err := w.Read(context.Background(), &taker{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		w.Close()
	}
}

// BenchmarkCopy reads whole worlds and writes them again.
func BenchmarkCopy(b *testing.B) {
	for _, dir := range anviltest.Worlds(b, "anvil") {
		w, err := anvil.Open(dir, anvil.Options{Salvage: true})
		if err != nil {
			b.Fatal(err)
		}
		if err := w.Read(context.Background(), &taker{}); err != nil {
			b.Fatal(err)
		}
		if n := w.Stats().RawBytes; n > 4<<20 {
			b.Run(filepath.Base(dir), func(b *testing.B) {
				b.SetBytes(n)
				for b.Loop() {
					s, err := anvil.Create(b.TempDir(), anvil.FolderOptions{})
					if err != nil {
						b.Fatal(err)
					}
					if err := w.Read(context.Background(), s); err != nil {
						b.Fatal(err)
					}
					if err := s.Close(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		w.Close()
	}
}
