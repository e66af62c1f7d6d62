package tags_test

import (
	"testing"

	"github.com/cairnvoxel/cairn/internal/tags"
)

func benchmarkDocs() (docs [][]byte, size int64) {
	m := newMaker(1)
	for range 1000 {
		docs = append(docs, m.chest())
		size += int64(len(docs[len(docs)-1]))
	}
	return docs, size
}

func BenchmarkWriter(b *testing.B) {
	docs, size := benchmarkDocs()
	b.SetBytes(size)
	for b.Loop() {
		var w tags.Builder
		for _, d := range docs {
			w.Payload("", d)
		}
		w.Streams()
	}
}

func BenchmarkReader(b *testing.B) {
	docs, size := benchmarkDocs()
	var w tags.Builder
	for _, d := range docs {
		w.Payload("", d)
	}
	streams, _ := w.Streams()
	b.SetBytes(size)
	for b.Loop() {
		r := tags.NewDecoder(streams, 1<<26)
		for range docs {
			r.Payload("")
		}
		if err := r.End(); err != nil {
			b.Fatal(err)
		}
	}
}
