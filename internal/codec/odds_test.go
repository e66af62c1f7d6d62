package codec_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/codec"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// mustEncodeOdds encodes a page by an Encoder that may have been used before.
func mustEncodeOdds(t testing.TB, e *codec.Encoder, p plan) [][]byte {
	t.Helper()
	e.Encode(p.page)
	streams, ok := e.EncodeOdds(p.tops)
	if !ok {
		t.Fatal("too many runs for their bytes")
	}
	return cloneStreams(streams)
}

// placed puts towers beside each other, some at places of others.
func placed(p page) plan {
	var tops []geom.ChunkPos
	for i := range p {
		tops = append(tops, geom.ChunkPos{X: int32(i % 3), Z: int32(i / 3 % 2)})
	}
	return plan{p, tops}
}

// hills is towers side by side of ground that goes on from one to the next, with ore
// and caves in it. The towers begin at different heights.
func hills(seed uint64, edge int) plan {
	r := rand.New(rand.NewPCG(seed, 9))
	slope := func(x, z int) int { return 40 + (x*x/50+z*3/4+x*z/90)%23 - (x+z)%3/2 }
	var p plan
	for z := range edge {
		for x := range edge {
			low := (x + z) % 2
			var s codec.Tower
			for y := low; y < 3; y++ {
				f := new(flat)
				for i := range f {
					h, top := y*32+i>>10, slope(x*32+i%32, z*32+i>>5%32)
					switch {
					case h >= top:
					case h == top-1:
						f[i] = 6
					case h >= top-4:
						f[i] = 4
					case r.IntN(40) == 0:
						f[i] = voxel.Cell(7 + r.IntN(3))
					default:
						f[i] = 5
					}
				}
				s = append(s, f.pack())
			}
			p.page = append(p.page, s)
			p.tops = append(p.tops, geom.ChunkPos{X: int32(x) - 1, Y: 2, Z: int32(z) - 1})
		}
	}
	return p
}

// TestOddsRoundTrip compares with the twin, and holds bytes to what they were.
func TestOddsRoundTrip(t *testing.T) {
	sizes := map[string]int{
		"no towers": 1, "air": 6, "uniform": 6, "the greatest cell": 9, "as tall as can be": 217, "two values": 4931,
		"all values": 153556, "values beyond one byte": 110398, "layers": 8994, "terrain": 7604, "the same tower again": 2573,
	}
	var e codec.Encoder
	for _, tt := range pages() {
		p := placed(tt.page)
		streams := mustEncodeOdds(t, &e, p)
		checkChunks(t, p.page, checkOdds(t, streams, p.heights(), p.tops))
		if n := len(streams[0]) + len(streams[1]); n != sizes[tt.name] {
			t.Errorf("%s: %d bytes, want %d", tt.name, n, sizes[tt.name])
		}
		imagesBy(&e, p) // leaves nothing behind that matters
		if !slices.EqualFunc(streams, mustEncodeOdds(t, &e, p), bytes.Equal) {
			t.Errorf("%s: other bytes the second time", tt.name)
		}
	}
	r := rand.New(rand.NewPCG(2, 3))
	for range 10 {
		p := placed(page{{flatLayers(r, 3).pack()}, {flatLayers(r, 50).pack(), voxel.Uniform(9)}, {randomTerrain(r).pack()}})
		checkChunks(t, p.page, checkOdds(t, mustEncodeOdds(t, &e, p), p.heights(), p.tops))
	}
}

func TestOddsHills(t *testing.T) {
	p := hills(1, 3)
	streams := mustEncodeOdds(t, new(codec.Encoder), p)
	checkChunks(t, p.page, checkOdds(t, streams, p.heights(), p.tops))
	if runs, plain := len(streams[1]), len(encode(p.page)[streamRuns]); runs*10 > plain*3 {
		t.Errorf("%d bytes, %d of runs in the form Columns", runs, plain)
	}
}

// TestOddsBeside has the columns of a tower follow from those of the tower beside it,
// which begins at another height.
func TestOddsBeside(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	band := new([96][32]voxel.Cell)
	for y := range band {
		for z := range band[y] {
			band[y][z] = voxel.Cell(r.IntN(5))
		}
	}
	tower := func(low int, turned bool) (s codec.Tower) {
		for y := low; y < 3; y++ {
			f := new(flat)
			for i := range f {
				along := i >> 5 % 32
				if turned {
					along = i % 32
				}
				f[i] = band[y*32+i>>10][along]
			}
			s = append(s, f.pack())
		}
		return s
	}
	for _, tt := range []struct {
		name   string
		turned bool
		beside geom.ChunkPos
	}{{"to the east", false, geom.ChunkPos{X: 1}}, {"to the south", true, geom.ChunkPos{Z: 1}}} {
		p := plan{page{tower(0, tt.turned), tower(1, tt.turned)}, []geom.ChunkPos{{}, tt.beside}}
		streams := mustEncodeOdds(t, new(codec.Encoder), p)
		checkChunks(t, p.page, checkOdds(t, streams, p.heights(), p.tops))
		p.tops[1] = geom.ChunkPos{X: 9}
		apart := mustEncodeOdds(t, new(codec.Encoder), p)
		if len(streams[1])*4 > len(apart[1])*3 {
			t.Errorf("%s: %d bytes, %d apart", tt.name, len(streams[1]), len(apart[1]))
		}
	}
}

// TestOddsTooTall refers to a column that is taller than the tower.
func TestOddsTooTall(t *testing.T) {
	s := codec.Tower{voxel.Uniform(1), voxel.Uniform(2), voxel.Uniform(3)}
	p := placed(page{s, s})
	streams := mustEncodeOdds(t, new(codec.Encoder), p)
	if checkOdds(t, streams, []int{3, 3}, p.tops) == nil || checkOdds(t, streams, []int{3, 2}, p.tops) != nil {
		t.Error("what is too tall is read, or not what is not")
	}
}

// TestOddsFar refers to columns further back than a reference reaches.
func TestOddsFar(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	var p plan
	for i := range 66 {
		f := new(flat)
		for at := range f {
			f[at] = voxel.Cell(r.IntN(3))
		}
		p.page = append(p.page, codec.Tower{f.pack()})
		p.tops = append(p.tops, geom.ChunkPos{X: int32(i)})
	}
	p.page, p.tops = append(p.page, p.page[0], p.page[65]), append(p.tops, geom.ChunkPos{Z: 7}, geom.ChunkPos{Z: 9})
	streams := mustEncodeOdds(t, new(codec.Encoder), p)
	got, err := new(codec.Decoder).Decode(nil, codec.Odds, streams, p.heights(), p.tops)
	if err != nil {
		t.Fatal(err)
	}
	checkChunks(t, p.page, got)
}

// TestOddsTooFewBytes has so many runs follow from so little that the form is refused.
func TestOddsTooFewBytes(t *testing.T) {
	var stripes codec.Tower
	for range 32 {
		f := new(flat)
		for i := range f {
			f[i] = voxel.Cell(1 + i>>10&1)
		}
		stripes = append(stripes, f.pack())
	}
	named := new(flat) // columns apart from each other
	for i := range towerColumns {
		for b := range 10 {
			named[b*towerColumns+i] = voxel.Cell(i >> b & 1)
		}
	}
	s := append(codec.Tower{named.pack()}, stripes...)
	p := plan{page{s}, []geom.ChunkPos{{}}}
	var e codec.Encoder
	e.Encode(p.page)
	streams, ok := e.EncodeOdds(p.tops)
	if ok {
		t.Fatalf("%d bytes", len(streams[1]))
	}
	if checkOdds(t, streams, p.heights(), p.tops) != nil {
		t.Error("they are read")
	}
}

// TestOddsDamage cuts, lengthens and flips both streams: an error, or what the twin
// reads.
func TestOddsDamage(t *testing.T) {
	p := hills(2, 1)
	whole, heights := mustEncodeOdds(t, new(codec.Encoder), p), p.heights()
	r := rand.New(rand.NewPCG(11, 12))
	for i, s := range whole {
		damaged := cloneStreams(whole)
		for n := range s {
			damaged[i] = s[:n:n]
			if _, err := new(codec.Decoder).Decode(nil, codec.Odds, damaged, heights, p.tops); err == nil {
				t.Fatalf("stream %d cut to %d bytes is read", i, n)
			}
			if n%long.By(970, 97, 97) == 0 {
				checkOdds(t, damaged, heights, p.tops)
			}
		}
		for _, more := range [][]byte{{0}, {0, 0, 0, 0}, {1, 2, 3, 4}} {
			if damaged[i] = append(bytes.Clone(s), more...); checkOdds(t, damaged, heights, p.tops) != nil {
				t.Fatalf("stream %d with %d bytes more is read", i, len(more))
			}
		}
		for range long.By(15, 60, 60) {
			damaged[i] = bytes.Clone(s)
			damaged[i][r.IntN(len(s))] ^= 1 << r.IntN(8)
			checkOdds(t, damaged, heights, p.tops)
		}
	}
}

func TestOddsHostile(t *testing.T) {
	one := []byte{1, 5}
	noise := make([]byte, 4096)
	r := rand.New(rand.NewPCG(5, 5))
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	at := []geom.ChunkPos{{}, {X: 1}}
	for _, tt := range []struct {
		name    string
		streams [][]byte
		heights []int
	}{
		{"no streams", nil, nil},
		{"one stream", [][]byte{one}, nil},
		{"three streams", [][]byte{one, nil, nil}, nil},
		{"no table", [][]byte{nil, nil}, nil},
		{"a table without cells", [][]byte{{0}, nil}, []int{1}},
		{"a table with a tail", [][]byte{{1, 5, 0}, nil}, []int{1}},
		{"height 0", [][]byte{one, nil}, []int{0}},
		{"height 65", [][]byte{one, nil}, []int{65}},
		{"a huge height", [][]byte{one, nil}, []int{1 << 62}},
		{"bits for nothing", [][]byte{one, {1, 2, 3, 4}}, nil},
		{"half a word", [][]byte{one, {0, 0}}, []int{1}},
		{"zeros for ever", [][]byte{one, make([]byte, 1<<16)}, []int{1}},
		{"ones for ever", [][]byte{{2, 0, 0}, bytes.Repeat([]byte{255}, 1<<12)}, []int{64, 64}},
		{"noise", [][]byte{{3, 0, 0, 0}, noise}, []int{2, 1}},
		{"noise of many cells", [][]byte{append([]byte{100}, make([]byte, 100)...), noise}, []int{2, 1}},
		{"noise of one cell", [][]byte{one, noise}, []int{2, 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if checkOdds(t, tt.streams, tt.heights, at[:min(2, len(tt.heights))]) != nil {
				t.Error("it is read")
			}
			if _, err := new(codec.Decoder).Decode(nil, codec.Odds, tt.streams, tt.heights, at); err == nil {
				t.Error("no error")
			}
		})
	}
}

// TestDecodeOddsAfterError uses a Decoder that has failed.
func TestDecodeOddsAfterError(t *testing.T) {
	p := hills(3, 2)
	whole := mustEncodeOdds(t, new(codec.Encoder), p)
	var d codec.Decoder
	for i, s := range whole {
		damaged := slices.Clone(whole)
		damaged[i] = s[:len(s)/2]
		if _, err := d.Decode(nil, codec.Odds, damaged, p.heights(), p.tops); err == nil {
			t.Fatalf("half of stream %d is read", i)
		}
		got, err := d.Decode(nil, codec.Odds, whole, p.heights(), p.tops)
		if err != nil {
			t.Fatal(err)
		}
		checkChunks(t, p.page, got)
	}
}

func FuzzDecodeOdds(f *testing.F) {
	for seed := range uint64(2) {
		s := mustEncodeOdds(f, new(codec.Encoder), hills(seed, 1))
		f.Add(s[0], s[1][:len(s[1])/8], 3, int32(1))
	}
	for _, tt := range pages()[1:4] {
		s := mustEncodeOdds(f, new(codec.Encoder), placed(tt.page))
		f.Add(s[0], s[1], len(tt.page[0]), int32(1))
	}
	f.Fuzz(func(t *testing.T, table, bits []byte, height int, apart int32) {
		if height > 4 && height <= codec.MaxTower {
			height = height%4 + 1 // the twin is slow
		}
		tops := []geom.ChunkPos{{X: -1, Z: 4}, {X: -1 + apart%5, Y: apart % 3, Z: 4}}
		checkOdds(t, [][]byte{table, bits}, []int{height, height}, tops)
	})
}
