package block_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/voxel"
)

// slowEntry reads entry i bit by bit.
func slowEntry(longs []byte, i, size int, straddle bool) (e uint32) {
	bit := i * size
	if !straddle {
		per := 64 / size
		bit = i/per*64 + i%per*size
	}
	for b := range size {
		long := binary.BigEndian.Uint64(longs[(bit+b)/64*8:])
		e |= uint32(long>>((bit+b)%64)&1) << b
	}
	return e
}

func TestPackedRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, straddle := range []bool{false, true} {
		for size := 1; size <= 32; size++ {
			for _, n := range []int{1, 16, 64, 255, 256, 1024, 4096} {
				t.Run(fmt.Sprintf("%d bits, %d entries, straddle %v", size, n, straddle), func(t *testing.T) {
					testPacked(t, rng, n, size, straddle)
				})
			}
		}
	}
}

func testPacked(t *testing.T, rng *rand.Rand, n, size int, straddle bool) {
	entries := make([]int32, n)
	for i := range entries {
		entries[i] = int32(rng.Uint32() & uint32(1<<size-1))
	}
	longs := block.AppendLongs(nil, entries, size, straddle)
	if got, want := len(longs), 8*block.Longs(n, size, straddle); got != want {
		t.Fatalf("packed to %d bytes, want %d", got, want)
	}
	for i, e := range entries {
		if got := slowEntry(longs, i, size, straddle); got != uint32(e) {
			t.Fatalf("entry %d packed as %d, want %d", i, got, e)
		}
	}
	ints := make([]int32, n)
	if err := block.UnpackLongInts(longs, size, straddle, ints); err != nil || !slices.Equal(ints, entries) {
		t.Fatalf("UnpackLongInts: %v, equal %v", err, slices.Equal(ints, entries))
	}
	if size > 15 {
		return
	}
	table := make([]voxel.Cell, 1<<size)
	for i := range table {
		table[i] = voxel.Cell(i) ^ 5&voxel.MaxCell
	}
	cells := make([]voxel.Cell, n)
	if err := block.UnpackLongs(longs, size, straddle, table, cells); err != nil {
		t.Fatal(err)
	}
	for i, c := range cells {
		if c != table[entries[i]] {
			t.Fatalf("cell %d is %d, want %d", i, c, table[entries[i]])
		}
	}
	top := slices.Max(entries)
	if err := block.UnpackLongs(longs, size, straddle, table[:top], cells); err == nil {
		t.Fatalf("entry %d is beyond the table and was taken", top)
	}
}

func TestPackedLengths(t *testing.T) {
	for _, c := range []struct {
		entries, size int
		straddle      bool
		longs         int
	}{
		{4096, 4, true, 256}, {4096, 5, true, 320}, {4096, 5, false, 342},
		{256, 9, true, 36}, {256, 9, false, 37}, {64, 1, false, 1}, {64, 3, false, 4},
	} {
		if got := block.Longs(c.entries, c.size, c.straddle); got != c.longs {
			t.Errorf("Longs(%d, %d, %v) = %d, want %d", c.entries, c.size, c.straddle, got, c.longs)
		}
		for _, wrong := range []int{0, 8*c.longs - 8, 8*c.longs - 1, 8*c.longs + 8} {
			if block.UnpackLongInts(make([]byte, wrong), c.size, c.straddle, make([]int32, c.entries)) == nil {
				t.Errorf("%d bytes taken for %d longs", wrong, c.longs)
			}
		}
	}
	for _, size := range []int{-1, 0, 33} {
		if block.UnpackLongs(make([]byte, 64), size, false, []voxel.Cell{0}, make([]voxel.Cell, 64)) == nil {
			t.Errorf("%d bits an entry taken", size)
		}
	}
}

func TestBits(t *testing.T) {
	for _, c := range []struct{ n, least, want int }{
		{1, 0, 0}, {1, 4, 4}, {2, 1, 1}, {16, 4, 4}, {17, 4, 5}, {4096, 4, 12}, {385, 0, 9},
	} {
		if got := block.Bits(c.n, c.least); got != c.want {
			t.Errorf("Bits(%d, %d) = %d, want %d", c.n, c.least, got, c.want)
		}
	}
}

func TestIndex(t *testing.T) {
	var x block.Indexer
	for range 3 {
		palette, entries := x.Build([]voxel.Cell{7, 0, 7, 32767, 0})
		if !slices.Equal(palette, []voxel.Cell{7, 0, 32767}) || !slices.Equal(entries, []uint16{0, 1, 0, 2, 1}) {
			t.Fatalf("palette %v, entries %v", palette, entries)
		}
	}
}

func BenchmarkUnpack(b *testing.B) {
	for _, size := range []int{4, 5, 8} {
		for _, straddle := range []bool{false, true} {
			b.Run(fmt.Sprintf("%d bits/straddle=%v", size, straddle), func(b *testing.B) {
				longs := make([]byte, 8*block.Longs(4096, size, straddle))
				for i := range longs {
					longs[i] = byte(i * 37)
				}
				table, cells := make([]voxel.Cell, 1<<size), make([]voxel.Cell, 4096)
				b.ReportAllocs()
				for b.Loop() {
					if err := block.UnpackLongs(longs, size, straddle, table, cells); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/4096, "ns/cell")
			})
		}
	}
}
