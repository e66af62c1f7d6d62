package codec_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/codec"
	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/voxel"
)

var (
	bitEdges   = []int{4, 8, 16, 32}
	bitSchemas = []voxel.Schema{voxel.Palette, voxel.Terrain, voxel.Level}
)

// slowBits reads BITRLE.md word by word, a bit at a time; it panics with errSlow
// where the bytes are wrong.
type slowBits struct {
	src []byte
	pos int
}

func (s *slowBits) bit() int {
	if s.pos == 8*len(s.src) {
		panic(errSlow)
	}
	s.pos++
	return int(s.src[(s.pos-1)/8]) >> ((s.pos - 1) % 8) & 1
}

func (s *slowBits) number(n int) (v int) {
	for i := range n {
		v += s.bit() << i
	}
	return v
}

func (s *slowBits) golomb(k int) int {
	zeros := 0
	for s.bit() == 0 {
		if zeros++; zeros > 16 {
			panic(errSlow)
		}
	}
	high := 1<<zeros + s.number(zeros)
	return (high-1)<<k + s.number(k)
}

func (s *slowBits) truncated(m int) int {
	k := 0
	for 2<<k <= m {
		k++
	}
	v := s.number(k)
	if short := 2<<k - m; v >= short {
		return 2*v + s.bit() - short
	}
	return v
}

// symbol returns the cell of a symbol.
func (s *slowBits) symbol(symbol int, schema voxel.Schema) voxel.Cell {
	if schema != voxel.Terrain {
		return voxel.Cell(symbol)
	}
	occupancy := 255
	if symbol%2 == 1 {
		if occupancy = s.number(8); occupancy == 255 || symbol == 1 {
			panic(errSlow)
		}
	}
	return voxel.TerrainCell(uint8(symbol/2), uint8(occupancy))
}

func slowDecodeBitRLE(src []byte, edge int, schema voxel.Schema) (cells []voxel.Cell, size int, err error) {
	defer func() {
		if r := recover(); r == errSlow {
			cells, size, err = nil, 0, errSlow
		} else if r != nil {
			panic(r)
		}
	}()
	s := &slowBits{src: src}
	total := edge * edge * edge
	must := func(ok bool) {
		if !ok {
			panic(errSlow)
		}
	}
	must(4<<s.number(2) == edge)
	uniform := s.bit() == 1
	width := s.number(4) + 1
	must(width <= map[voxel.Schema]int{voxel.Palette: 15, voxel.Terrain: 7, voxel.Level: 8}[schema])
	if uniform {
		c := s.symbol(s.number(width), schema)
		cells = slices.Repeat([]voxel.Cell{c}, total)
	} else {
		cells = s.runs(edge, width, total, schema)
	}
	for s.pos%8 != 0 {
		must(s.bit() == 0)
	}
	return cells, s.pos / 8, nil
}

func (s *slowBits) runs(edge, width, total int, schema voxel.Schema) (cells []voxel.Cell) {
	n := s.golomb(0) + 1
	if n > 257 {
		panic(errSlow)
	}
	var list []int
	for range n % 257 {
		list = append(list, s.number(width))
	}
	near, guide := s.bit() == 1, s.number(2)
	if guide == 3 {
		panic(errSlow)
	}
	order := [2]int{s.number(4)}
	if schema == voxel.Terrain {
		order[1] = s.number(4)
	}
	off := []int{0, edge, edge * edge}[guide]
	part := func(c voxel.Cell) bool { return schema == voxel.Terrain && c != 0 && c%256 != 255 }
	var lasts []voxel.Cell // of the runs so far
	for len(cells) < total {
		pos := len(cells)
		var guesses []voxel.Cell
		guess := func(c voxel.Cell) {
			if !slices.Contains(guesses, c) && c != lasts[len(lasts)-1] {
				guesses = append(guesses, c)
			}
		}
		if near && pos >= edge*edge {
			guess(cells[pos-edge*edge])
		}
		if near && pos >= edge {
			guess(cells[pos-edge])
		}
		if near && len(lasts) >= 2 {
			guess(lasts[len(lasts)-2])
		}
		var c voxel.Cell
		if hit := slices.IndexFunc(guesses, func(voxel.Cell) bool { return s.bit() == 1 }); hit >= 0 {
			c = guesses[hit]
		} else {
			c = s.listed(list, width, lasts, part, schema)
		}
		end := 0
		if off > 0 && pos >= off {
			j := pos - off + 1
			for j < pos && cells[j] == cells[j-1] {
				j++
			}
			if s.bit() == 1 {
				end = min(j+off, total)
			}
		}
		if end == 0 {
			k := 0
			if part(c) {
				k = 1
			}
			if end = pos + s.golomb(order[k]) + 1; end > total {
				panic(errSlow)
			}
		}
		for len(cells) < end {
			cells = append(cells, c)
		}
		lasts = append(lasts, c)
	}
	return cells
}

func (s *slowBits) listed(list []int, width int, lasts []voxel.Cell, part func(voxel.Cell) bool, schema voxel.Schema) voxel.Cell {
	if list == nil {
		return s.symbol(s.number(width), schema)
	}
	if len(lasts) > 0 && !part(lasts[len(lasts)-1]) {
		last := int(lasts[len(lasts)-1])
		if schema == voxel.Terrain {
			last = last / 256 * 2
		}
		i := slices.Index(list, last)
		list = slices.Delete(slices.Clone(list), i, i+1)
	}
	if len(list) == 0 {
		panic(errSlow)
	}
	return s.symbol(list[s.truncated(len(list))], schema)
}

// decodeBitRLE compares DecodeBitRLE with the twin.
func decodeBitRLE(t *testing.T, src []byte, edge int, s voxel.Schema) ([]voxel.Cell, int) {
	t.Helper()
	got := slices.Repeat([]voxel.Cell{0x7ABC}, edge*edge*edge)
	n, err := codec.DecodeBitRLE(got, edge, s, src)
	want, size, slowErr := slowDecodeBitRLE(src, edge, s)
	if (err == nil) != (slowErr == nil) || n != size {
		t.Fatalf("%d bytes, %v; the twin reads %d: %v", n, err, size, slowErr)
	}
	if err != nil {
		var corrupt *codec.CorruptError
		if !errors.As(err, &corrupt) || corrupt.Offset < 0 || corrupt.Offset > int64(len(src)) {
			t.Fatalf("%v is no CorruptError within %d bytes", err, len(src))
		}
		return nil, 0
	}
	if !slices.Equal(got, want) {
		t.Fatal("the twin reads other cells")
	}
	for _, c := range got {
		if !s.Valid(c, 1<<15) {
			t.Fatalf("cell %#x is not valid", c)
		}
	}
	return got, n
}

// checkBitRLE takes a box to bytes and back and returns their number.
func checkBitRLE(t *testing.T, cells []voxel.Cell, edge int, s voxel.Schema) int {
	t.Helper()
	src := codec.AppendBitRLE([]byte("before"), cells, edge, s)
	if !bytes.HasPrefix(src, []byte("before")) {
		t.Fatal("what was in dst is not there")
	}
	src = src[6:]
	got, n := decodeBitRLE(t, append(slices.Clone(src), 0xA5, 0xFF), edge, s)
	if n != len(src) || !slices.Equal(got, cells) {
		t.Fatalf("edge %d, %v: %d of %d bytes read, other cells: %v", edge, s, n, len(src), !slices.Equal(got, cells))
	}
	if again := codec.AppendBitRLE(nil, cells, edge, s); !bytes.Equal(again, src) {
		t.Fatal("other bytes the second time")
	}
	return len(src)
}

// randomBox returns a box of runs, repeats of rows and slices, and noise.
func randomBox(r *rand.Rand, edge int, s voxel.Schema) []voxel.Cell {
	cells := make([]voxel.Cell, edge*edge*edge)
	longest, kinds := 1<<r.IntN(13), 1+r.IntN(1<<r.IntN(12))
	shift := r.IntN(4)
	cell := func() voxel.Cell {
		v := r.IntN(kinds) << shift
		switch s {
		case voxel.Terrain:
			return voxel.TerrainCell(uint8(v)&63, uint8(r.IntN(256)|r.IntN(2)*255))
		case voxel.Level:
			return voxel.Cell(v & 255)
		}
		return voxel.Cell(v) & voxel.MaxCell
	}
	for i := 0; i < len(cells); {
		n := min(1+r.IntN(longest), len(cells)-i)
		off := []int{0, edge, edge * edge}[r.IntN(3)]
		if c := cell(); off == 0 || i < off {
			for j := range n {
				cells[i+j] = c
			}
		} else {
			for j := range n {
				cells[i+j] = cells[i+j-off]
			}
		}
		i += n
	}
	return cells
}

// boxes cuts a chunk into boxes.
func boxes(f *flat, edge int) (out [][]voxel.Cell) {
	for y := 0; y < 32; y += edge {
		for z := 0; z < 32; z += edge {
			for x := 0; x < 32; x += edge {
				var b []voxel.Cell
				for dy := range edge {
					for dz := range edge {
						at := ((y+dy)*32+z+dz)*32 + x
						b = append(b, f[at:at+edge]...)
					}
				}
				out = append(out, b)
			}
		}
	}
	return out
}

func TestBitRLETwin(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, edge := range bitEdges {
		for _, s := range bitSchemas {
			for range 60 {
				checkBitRLE(t, randomBox(r, edge, s), edge, s)
			}
		}
		for _, c := range terrainChunks()[:6] {
			for _, b := range boxes(flatOf(c), edge) {
				checkBitRLE(t, b, edge, voxel.Terrain)
			}
		}
	}
}

func TestBitRLECases(t *testing.T) {
	fill := func(c voxel.Cell) []voxel.Cell { return slices.Repeat([]voxel.Cell{c}, 512) }
	each := func(cell func(i int) voxel.Cell) []voxel.Cell {
		cells := fill(0)
		for i := range cells {
			cells[i] = cell(i)
		}
		return cells
	}
	for _, tt := range []struct {
		name  string
		s     voxel.Schema
		cells []voxel.Cell
		size  int
	}{
		{"air", voxel.Palette, fill(0), 1},
		{"air of terrain", voxel.Terrain, fill(0), 1},
		{"the greatest name", voxel.Palette, fill(voxel.MaxCell), 3},
		{"the greatest level", voxel.Level, fill(255), 2},
		{"rock", voxel.Terrain, fill(voxel.TerrainCell(63, 255)), 2},
		{"half rock", voxel.Terrain, fill(voxel.TerrainCell(63, 127)), 3},
		{"rock of the least occupancy", voxel.Terrain, fill(voxel.TerrainCell(1, 0)), 3},
		{"ground", voxel.Palette, each(func(i int) voxel.Cell { return voxel.Cell(1 - i/256) }), 5},
		{"every other", voxel.Palette, each(func(i int) voxel.Cell { return voxel.Cell(i % 2) }), 67},
		{"one material of many occupancies", voxel.Terrain, each(func(i int) voxel.Cell { return voxel.TerrainCell(3, uint8(i%255)) }), 579},
		{"a list of 256", voxel.Palette, each(func(i int) voxel.Cell { return voxel.Cell(i % 256 * 127) }), 1060},
		{"256 and one more", voxel.Palette, each(func(i int) voxel.Cell { return voxel.Cell(i % 257 * 127) }), 1028},
		{"all 15 bits", voxel.Palette, each(func(i int) voxel.Cell { return voxel.Cell(i*64 + i%64) }), 1028},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := checkBitRLE(t, tt.cells, 8, tt.s); got != tt.size {
				t.Errorf("%d bytes, want %d", got, tt.size)
			}
		})
	}
}

func TestBitRLEPanics(t *testing.T) {
	box := make([]voxel.Cell, 512)
	for _, tt := range []struct {
		name string
		call func()
	}{
		{"an edge of 2", func() { codec.AppendBitRLE(nil, box[:8], 2, voxel.Palette) }},
		{"an edge of 64", func() { codec.AppendBitRLE(nil, make([]voxel.Cell, 1<<18), 64, voxel.Palette) }},
		{"an edge of 6", func() { codec.AppendBitRLE(nil, box[:216], 6, voxel.Palette) }},
		{"too few cells", func() { codec.AppendBitRLE(nil, box[:511], 8, voxel.Palette) }},
		{"too many cells", func() { codec.DecodeBitRLE(box, 4, voxel.Palette, []byte{0}) }},
		{"no such cell", func() { codec.AppendBitRLE(nil, append(box[:511:511], 1<<15), 8, voxel.Palette) }},
		{"no such level", func() { codec.AppendBitRLE(nil, append(box[:511:511], 256), 8, voxel.Level) }},
		{"air with an occupancy", func() { codec.AppendBitRLE(nil, append(box[:511:511], 9), 8, voxel.Terrain) }},
		{"no such schema", func() { codec.AppendBitRLE(nil, box, 8, 9) }},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", tt.name)
				}
			}()
			tt.call()
		}()
	}
}

// TestDecodeBitRLETruncations cuts, and flips every bit of, boxes of each schema.
func TestDecodeBitRLETruncations(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, s := range bitSchemas {
		for range 20 {
			src := codec.AppendBitRLE(nil, randomBox(r, 4, s), 4, s)
			for n := range src {
				if cells, _ := decodeBitRLE(t, src[:n:n], 4, s); cells != nil {
					t.Fatalf("%d bytes of %d are read", n, len(src))
				}
			}
			for i := range 8 * len(src) {
				damaged := slices.Clone(src)
				damaged[i/8] ^= 1 << (i % 8)
				decodeBitRLE(t, damaged, 4, s)
			}
		}
	}
}

// bitString packs bits given in groups, each the lowest first.
func bitString(s string) (out []byte) {
	n := 0
	for _, c := range s {
		if c == ' ' {
			continue
		}
		if n%8 == 0 {
			out = append(out, 0)
		}
		out[n/8] |= byte(c-'0') << (n % 8)
		n++
	}
	return out
}

func TestDecodeBitRLERefuses(t *testing.T) {
	const (
		box   = "00 0 0000 "               // of edge 4, width 1
		heads = box + "010 0 1 0 00 0000 " // symbols 0 and 1, no guesses, no guide, order 0
		half  = "000001 00000 "            // the length 32
	)
	for _, tt := range []struct {
		name, bits string
		s          voxel.Schema
		ok         bool
	}{
		{"air", "00 1 0000 0", voxel.Palette, true},
		{"another edge", "10 1 0000 0", voxel.Palette, false},
		{"a last bit", "00 1 1000 00 0000001", voxel.Palette, false},
		{"zero last bits", "00 1 1000 00 0000000", voxel.Palette, true},
		{"width 16", "00 1 1111 0000000000000000", voxel.Palette, false},
		{"width 15", "00 1 0111 000000000000000", voxel.Palette, true},
		{"width 9 of a level", "00 1 0001 000000000", voxel.Level, false},
		{"width 8 of terrain", "00 1 1110 00000000", voxel.Terrain, false},
		{"air with an occupancy", "00 1 0000 1 00000000", voxel.Terrain, false},
		{"a part", "00 1 1000 11 00000000", voxel.Terrain, true},
		{"a full part", "00 1 1000 11 11111111", voxel.Terrain, false},
		{"two halves", heads + "0" + half + half, voxel.Palette, true},
		{"a half and one cell more", heads + "0" + half + "000001 10000", voxel.Palette, false},
		{"a half and nothing", heads + "0" + half, voxel.Palette, false},
		{"guide 3", box + "010 0 1 0 11 0000 0" + half + half, voxel.Palette, false},
		{"more symbols than a list holds", box + "000000001 01000000 " + half, voxel.Palette, false},
		{"very many symbols", box + "00000000000000000000000000000000000000000000000000000000000000000000001", voxel.Palette, false},
		{"an only symbol of all", box + "1 0 0 00 0000 000000 1 000000", voxel.Palette, true},
		{"an only symbol twice", box + "1 0 0 00 0000" + half + half, voxel.Palette, false},
		{"an endless length", heads + "0 00000000000000000000000000000000000000000000000000000000000000000001", voxel.Palette, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if cells, _ := decodeBitRLE(t, bitString(tt.bits), 4, tt.s); (cells != nil) != tt.ok {
				t.Errorf("read: %v, want %v", cells != nil, tt.ok)
			}
		})
	}
}

// TestBitRLESizes compares with the byte RLE; 0.81 of it is what the article has.
func TestBitRLESizes(t *testing.T) {
	rle, packed := 0, make(map[int]int)
	for _, c := range terrainChunks() {
		rle += len(codec.AppendRLE(nil, c))
		for _, edge := range bitEdges {
			for _, b := range boxes(flatOf(c), edge) {
				packed[edge] += len(codec.AppendBitRLE(nil, b, edge, voxel.Terrain))
			}
		}
	}
	for edge, most := range map[int]int{8: 81, 16: 60, 32: 60} {
		if 100*packed[edge] > most*rle {
			t.Errorf("edge %d: %d bytes, want %d %% of the %d that RLE takes", edge, packed[edge], most, rle)
		}
	}
}

func FuzzDecodeBitRLE(f *testing.F) {
	r := rand.New(rand.NewPCG(7, 8))
	for i := range 12 {
		edge, s := bitEdges[i%2], bitSchemas[i%3]
		f.Add(codec.AppendBitRLE(nil, randomBox(r, edge, s), edge, s), uint8(i%2), uint8(i%3))
	}
	f.Fuzz(func(t *testing.T, src []byte, e, schema uint8) {
		edge, s := bitEdges[e%4], bitSchemas[schema%3]
		cells, _ := decodeBitRLE(t, src, edge, s)
		if cells != nil {
			checkBitRLE(t, cells, edge, s)
		}
	})
}

// blockChunks returns the chunks of a made world's volume that are not of air.
func blockChunks(b *testing.B, src format.Source, volume string) (out []*flat) {
	b.Helper()
	w, err := convert.Load(b.Context(), src)
	if err != nil {
		b.Fatal(err)
	}
	for _, d := range w.Dimensions {
		v := d.Volume(volume)
		for _, at := range v.Positions() {
			if c, ok := v.Chunks[at].Uniform(); !ok || c != 0 {
				out = append(out, flatOf(v.Chunks[at]))
			}
		}
	}
	return out
}

func BenchmarkBitRLE(b *testing.B) {
	var level []*flat
	for _, s := range corpora(b)[0].page {
		for _, c := range s {
			if v, ok := c.Uniform(); !ok || v != 0 {
				level = append(level, flatOf(c))
			}
		}
	}
	made := terrain.Options{Seed: 1}
	for _, from := range []struct {
		name   string
		s      voxel.Schema
		chunks []*flat
	}{
		{"level", voxel.Terrain, level},
		{"survival", voxel.Palette, blockChunks(b, terrain.Survival(made), voxel.Block)},
		{"island", voxel.Palette, blockChunks(b, terrain.Island(made), voxel.Block)},
		{"plots", voxel.Palette, blockChunks(b, terrain.Plots(made), voxel.Block)},
		{"sky", voxel.Level, blockChunks(b, terrain.Survival(made), voxel.Sky)},
	} {
		for _, edge := range []int{32, 8} {
			benchBitRLE(b, fmt.Sprintf("%s/%d", from.name, edge), from.chunks, edge, from.s)
		}
	}
}

// benchBitRLE measures both directions; its MB are of flat cells, its B/cell by
// those that are not empty.
func benchBitRLE(b *testing.B, name string, chunks []*flat, edge int, s voxel.Schema) {
	var all [][]voxel.Cell
	var coded [][]byte
	cells, size, rle := 0, 0, 0
	for _, f := range chunks {
		if s == voxel.Terrain {
			rle += len(codec.AppendRLE(nil, f.pack()))
		}
		cells += f.pack().CountNonEmpty()
		all = append(all, boxes(f, edge)...)
	}
	for _, box := range all {
		coded = append(coded, codec.AppendBitRLE(nil, box, edge, s))
		size += len(coded[len(coded)-1])
	}
	report := func(b *testing.B) {
		b.ReportMetric(float64(size)/float64(cells), "B/cell")
		if rle > 0 {
			b.ReportMetric(float64(rle)/float64(cells), "RLE-B/cell")
		}
	}
	b.Run(name+"/encode", func(b *testing.B) {
		b.SetBytes(int64(len(chunks)) * 2 * voxel.ChunkCells)
		b.ReportAllocs()
		var dst []byte
		for b.Loop() {
			for _, box := range all {
				dst = codec.AppendBitRLE(dst[:0], box, edge, s)
			}
		}
		report(b)
	})
	b.Run(name+"/decode", func(b *testing.B) {
		b.SetBytes(int64(len(chunks)) * 2 * voxel.ChunkCells)
		b.ReportAllocs()
		box := make([]voxel.Cell, edge*edge*edge)
		for b.Loop() {
			for _, src := range coded {
				if _, err := codec.DecodeBitRLE(box, edge, s, src); err != nil {
					b.Fatal(err)
				}
			}
		}
		report(b)
	})
}
