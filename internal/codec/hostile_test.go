package codec_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/codec"
	"github.com/cairnvoxel/cairn/voxel"
)

// TestColumnsDamage cuts, lengthens and flips every stream: an error, or what
// the twin reads.
func TestColumnsDamage(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	p := page{{terrainChunks()[4]}, {flatLayers(r, 3).pack(), flatLayers(r, 400).pack()}}
	whole, heights := encode(p), p.heights()
	for i, s := range whole {
		damaged := cloneStreams(whole)
		for range 50 {
			damaged[i] = s[:r.IntN(len(s)):len(s)]
			if checkDecode(t, damaged, heights) != nil {
				t.Fatalf("stream %d cut to %d bytes is read", i, len(damaged[i]))
			}
		}
		damaged[i] = append(bytes.Clone(s), 0)
		if checkDecode(t, damaged, heights) != nil {
			t.Fatalf("stream %d with one byte more is read", i)
		}
		for range 50 {
			damaged[i] = bytes.Clone(s)
			damaged[i][r.IntN(len(s))] ^= 1 << r.IntN(8)
			checkDecode(t, damaged, heights)
		}
	}
}

// TestColumnsTruncations cuts each stream of a small page at every byte.
func TestColumnsTruncations(t *testing.T) {
	f := new(flat)
	for col := range towerColumns {
		for y := range col % 7 {
			f[y*towerColumns+col] = voxel.Cell(300 + col%3)
		}
	}
	p := page{{f.pack()}}
	whole := encode(p)
	for i, s := range whole {
		for n := range s {
			damaged := slices.Clone(whole)
			damaged[i] = s[:n:n]
			if _, err := new(codec.Decoder).Decode(nil, codec.Columns, damaged, p.heights(), nil); err == nil {
				t.Fatalf("stream %d cut to %d bytes of %d is read", i, n, len(s))
			}
		}
	}
}

// allOps is ops that say the same of every column.
func allOps(op byte) []byte { return bytes.Repeat([]byte{63<<2 | op}, 16) }

func TestColumnsHostile(t *testing.T) {
	one := []byte{1, 5}                           // a table of cell 5
	tail := append([]byte{0}, allOps(1)[:15]...)  // a literal, then others
	tail = append(tail, 62<<2|1)                  // 1 + 960 + 63 columns
	westRow := append([]byte{0, 30<<2 | 1}, 2<<2) // a row of west, then literals
	air := []byte{0, 0}                           // a literal of one cell
	manyRuns := append([]byte{0}, bytes.Repeat([]byte{1, 0}, 2047)...)
	for _, tt := range []struct {
		name    string
		streams [][]byte
		heights []int
	}{
		{"too few streams", [][]byte{one, allOps(0), air, nil}, []int{1}},
		{"no streams", nil, nil},
		{"no table", [][]byte{nil, nil, nil, nil, nil}, nil},
		{"a table of more than there is", [][]byte{{200, 1}, nil, nil, nil, nil}, nil},
		{"a table that counts far", [][]byte{{255, 255, 255, 255, 255, 255, 255, 255, 255, 1}, nil, nil, nil, nil}, nil},
		{"a count of eleven bytes", [][]byte{bytes.Repeat([]byte{128}, 11), nil, nil, nil, nil}, nil},
		{"a cell above the greatest", [][]byte{{1, 0x80, 0x80, 2}, nil, nil, nil, nil}, nil},
		{"a cell behind the greatest", [][]byte{{2, 0xFF, 0xFF, 1, 0}, nil, nil, nil, nil}, nil},
		{"a step of 64 bits", [][]byte{{1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1}, nil, nil, nil, nil}, nil},
		{"a table with a tail", [][]byte{{1, 5, 0}, nil, nil, nil, nil}, nil},
		{"height 0", [][]byte{one, tail, air, nil, nil}, []int{0}},
		{"height -1", [][]byte{one, tail, air, nil, nil}, []int{-1}},
		{"height 65", [][]byte{one, tail, air, nil, nil}, []int{65}},
		{"a huge height", [][]byte{one, tail, air, nil, nil}, []int{1 << 62}},
		{"west of the first column", [][]byte{one, allOps(1), air, nil, nil}, []int{1}},
		{"west of a row", [][]byte{one, append([]byte{0}, allOps(1)...), air, nil, nil}, []int{1}},
		{"west of the second row", [][]byte{one, append(slices.Clone(westRow), allOps(1)...), slices.Repeat(air, 99), nil, nil}, []int{1}},
		{"north of the first row", [][]byte{one, allOps(2), air, nil, nil}, []int{1}},
		{"north of the last of the first row", [][]byte{one, {30 << 2, 63<<2 | 2}, slices.Repeat(air, 31), nil, nil}, []int{1}},
		{"earlier than the first", [][]byte{one, allOps(3), nil, make([]byte, 1024), make([]byte, 1024)}, []int{1}},
		{"earlier than all", [][]byte{one, {0, 3}, air, {1}, {0}}, []int{1}},
		{"far earlier than all", [][]byte{one, {0, 3}, air, {0}, {1}}, []int{1}},
		{"references of one byte", [][]byte{one, {0, 3}, air, {0}, nil}, []int{1}},
		{"ops beyond the tower", [][]byte{one, append(allOps(0)[:15:15], 62<<2, 1<<2), slices.Repeat(air, 2000), nil, nil}, []int{1}},
		{"one tower of two", [][]byte{one, allOps(0), slices.Repeat(air, 1024), nil, nil}, []int{1, 1}},
		{"two towers of one", [][]byte{one, slices.Repeat(allOps(0), 2), slices.Repeat(air, 2048), nil, nil}, []int{1}},
		{"an index beyond the table", [][]byte{one, allOps(0), {1, 0}, nil, nil}, []int{1}},
		{"an index into no table", [][]byte{{0}, allOps(0), slices.Repeat(air, 1024), nil, nil}, []int{1}},
		{"a run to the top", [][]byte{one, allOps(0), append([]byte{0, 32, 0, 0}, slices.Repeat(air, 1023)...), nil, nil}, []int{1}},
		{"a run above the highest", [][]byte{one, allOps(0), append([]byte{0, 255, 0, 8, 0, 0}, slices.Repeat(air, 1023)...), nil, nil}, []int{64}},
		{"runs above the highest", [][]byte{one, allOps(0), append(append(manyRuns, 1, 0, 0), slices.Repeat(air, 1023)...), nil, nil}, []int{64}},
		{"a small number in three bytes", [][]byte{one, allOps(0), append([]byte{255, 0, 0, 0}, slices.Repeat(air, 1023)...), nil, nil}, []int{1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if checkDecode(t, tt.streams, tt.heights) != nil {
				t.Error("it is read")
			}
			if _, err := new(codec.Decoder).Decode(nil, codec.Columns, tt.streams, tt.heights, nil); err == nil {
				t.Error("no error")
			}
		})
	}
}

// TestColumnsNearHostile is what the cases above are one step away from.
func TestColumnsNearHostile(t *testing.T) {
	air := []byte{0, 0}
	for _, tt := range []struct {
		name    string
		streams [][]byte
		heights []int
	}{
		{"literals", [][]byte{{1, 5}, allOps(0), slices.Repeat(air, 1024), nil, nil}, []int{1}},
		{"a run to the last cell", [][]byte{{1, 5}, allOps(0), append([]byte{0, 31, 0, 0}, slices.Repeat(air, 1023)...), nil, nil}, []int{1}},
		{"a run to the highest cell", [][]byte{{1, 5}, allOps(0), append([]byte{0, 255, 255, 7, 0, 0}, slices.Repeat(air, 1023)...), nil, nil}, []int{64}},
		{"a reference across towers", [][]byte{{2, 5, 0}, append(allOps(0), allOps(3)...), slices.Repeat(air, 1024),
			bytes.Repeat([]byte{255}, 1024), bytes.Repeat([]byte{3}, 1024)}, []int{1, 2}},
		{"the greatest cell", [][]byte{{1, 0xFF, 0xFF, 1}, allOps(0), slices.Repeat(air, 1024), nil, nil}, []int{1}},
		{"a table that nothing uses", [][]byte{{3, 0, 0, 0}, nil, nil, nil, nil}, nil},
	} {
		if _, err := new(codec.Decoder).Decode(nil, codec.Columns, tt.streams, tt.heights, nil); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		checkDecode(t, tt.streams, tt.heights)
	}
}

// TestDecodeColumnsAfterError uses a Decoder that has failed at every stage.
func TestDecodeColumnsAfterError(t *testing.T) {
	p := pages()[8].page
	whole := encode(p)
	var d codec.Decoder
	for i := range whole {
		damaged := slices.Clone(whole)
		damaged[i] = damaged[i][:len(damaged[i])/2]
		if _, err := d.Decode(nil, codec.Columns, damaged, p.heights(), nil); err == nil {
			t.Fatalf("half of stream %d is read", i)
		}
		got, err := d.Decode(nil, codec.Columns, whole, p.heights(), nil)
		if err != nil {
			t.Fatal(err)
		}
		checkChunks(t, p, got)
	}
}

func FuzzDecodeColumns(f *testing.F) {
	for _, tt := range pages() {
		if s := encode(tt.page); len(tt.page) > 0 && len(s[streamRuns]) < 1<<13 {
			f.Add(s[0], s[1], s[2], s[3], s[4], len(tt.page[0]), len(tt.page)-1)
		}
	}
	f.Add([]byte{1, 5}, allOps(3), []byte{0, 0}, []byte{0}, []byte{0}, 1, 0)
	f.Fuzz(func(t *testing.T, table, ops, runs, near, far []byte, height, more int) {
		if height > 8 && height <= codec.MaxTower {
			height = height%8 + 1 // the twin is slow
		}
		heights := slices.Repeat([]int{height}, 1+more&3)
		checkDecode(t, [][]byte{table, ops, runs, near, far}, heights)
	})
}
