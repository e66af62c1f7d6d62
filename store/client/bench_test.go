package client_test

import (
	"bytes"
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/client"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
)

// BenchmarkCommit saves a stone of 1 kB, server and client in one process: one
// call each, by 16 clients.
func BenchmarkCommit(b *testing.B) {
	st := serve(b, memory.New(memory.Options{}), client.Options{})
	defer st.Close()
	s := writtenStone(b, "s", 900)
	var worlds atomic.Int64
	b.SetParallelism(8)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		ctx := context.Background()
		name := fmt.Sprint("w", worlds.Add(1))
		if err := st.Create(ctx, name); err != nil {
			b.Fatal(err)
		}
		var h history.Head
		for pb.Next() {
			c, err := st.Commit(ctx, name, h, history.Commit{Parent: h.Commit, Stones: []history.StoneRef{ref(s)}}, s)
			if err != nil {
				b.Fatal(err)
			}
			h.Commit = c.ID()
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "ops/s")
}

// BenchmarkLoad gets the head, its stack of one stone of 1 kB or of five of
// together 20 kB, and opens them.
func BenchmarkLoad(b *testing.B) {
	for _, k := range []struct {
		name         string
		stones, size int
	}{{"1kB", 1, 900}, {"20kB", 5, 4000}} {
		b.Run(k.name, func(b *testing.B) {
			st := serve(b, memory.New(memory.Options{}), client.Options{})
			defer st.Close()
			if err := st.Create(b.Context(), "a"); err != nil {
				b.Fatal(err)
			}
			var h history.Head
			for i := range k.stones {
				s := writtenStone(b, fmt.Sprint(i), k.size)
				c, err := st.Commit(b.Context(), "a", h, history.Commit{Parent: h.Commit, Base: h.Commit, Stones: []history.StoneRef{ref(s)}}, s)
				if err != nil {
					b.Fatal(err)
				}
				h.Commit = c.ID()
			}
			b.SetParallelism(8)
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if err := load(st, k.stones); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "ops/s")
		})
	}
}

func load(st *remote, stones int) error {
	f, err := st.Fetch(context.Background(), "a", history.ID{}, 1<<20)
	if err == nil && len(f.Layers) != stones {
		err = fmt.Errorf("%d layers", len(f.Layers))
	}
	for _, data := range f.Data {
		if err == nil {
			_, err = stone.Open(bytes.NewReader(data), int64(len(data)))
		}
	}
	return err
}
