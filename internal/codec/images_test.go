package codec_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/codec"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

const streamImages = numStreams

// plan is a page and where its towers' topmost chunks are.
type plan struct {
	page
	tops []geom.ChunkPos
}

// arena is four chunks around a point: builds of the first, mirrored, turned and
// moved, where cells 10 and 11 become each other.
func arena(seed uint64, boxes int, turn func(x, z int) (int, int)) plan {
	r := rand.New(rand.NewPCG(seed, 1))
	quarter := new(flat)
	for range boxes {
		x, z, height := r.IntN(28), r.IntN(28), 4+r.IntN(20)
		for i := range 16 {
			for y := range height {
				quarter[y*towerColumns+(z+i>>2)*32+x+i&3] = voxel.Cell(r.IntN(4) + 9)
			}
		}
	}
	swap := map[voxel.Cell]voxel.Cell{10: 11, 11: 10}
	other := new(flat)
	for i, c := range quarter {
		x, z := turn(i%32, i>>5%32)
		if to, ok := swap[c]; ok {
			c = to
		}
		other[i&^1023|z*32+x] = c
	}
	return plan{page{{quarter.pack()}, {other.pack()}}, []geom.ChunkPos{{X: -1, Z: 4}, {X: 2, Z: 4}}}
}

// encodeImages returns nil if hardly any column is an image.
func encodeImages(p plan) [][]byte {
	var e codec.Encoder
	return imagesBy(&e, p)
}

func imagesBy(e *codec.Encoder, p plan) [][]byte {
	e.Encode(p.page)
	return cloneStreams(e.EncodeImages(p.tops))
}

// slowImages returns every tower as its 1024 columns, as slowDecode.
func slowImages(streams [][]byte, heights []int, tops []geom.ChunkPos) (towers [][][]voxel.Cell, err error) {
	defer func() {
		if r := recover(); r == errSlow {
			err = errSlow
		} else if r != nil {
			panic(r)
		}
	}()
	if len(streams) != numStreams+1 {
		return nil, errSlow
	}
	s := &slow{[numStreams][]byte(streams)}
	table := s.table()
	ways, rest := slowWays(streams[streamImages], table)
	if len(rest) > 0 {
		return nil, errSlow
	}
	type made struct{ of, way int }
	type column struct {
		cells []voxel.Cell
		top   int
	}
	var numbered []column
	images := map[made]int{}
	at := map[[2]int32]int{} // numbers, by place
	for n, h := range heights {
		if h < 1 || h > codec.MaxTower {
			return nil, errSlow
		}
		for x := range int32(32) { // another tower at that place is forgotten
			for z := range int32(32) {
				delete(at, [2]int32{tops[n].X*32 + x, tops[n].Z*32 + z})
			}
		}
		var which []int
		for len(which) < towerColumns {
			b := s.byte(streamOps)
			for range b>>4 + 1 {
				col, is := len(which), 0
				if col == towerColumns {
					return nil, errSlow
				}
				x, z := tops[n].X*32+int32(col%32), tops[n].Z*32+int32(col/32)
				switch op := b & 15; {
				case op == 0:
					cells, top := s.literal(table)
					numbered, is = append(numbered, column{cells, top}), len(numbered)
				case op == 1 && col%32 > 0:
					is = which[col-1]
				case op == 2 && col >= 32:
					is = which[col-32]
				case op == 3:
					if is = len(numbered) - 1 - (s.byte(streamNear) + s.byte(streamFar)<<8); is < 0 {
						return nil, errSlow
					}
				case op >= 4 && op-4 < len(ways):
					w := ways[op-4]
					of, ok := at[[2]int32{w.a + w.m[0]*x + w.m[1]*z, w.b + w.m[2]*x + w.m[3]*z}]
					if !ok {
						return nil, errSlow
					}
					is, ok = images[made{of, op - 4}]
					if !ok {
						c := column{slices.Clone(numbered[of].cells), numbered[of].top}
						for i, cell := range c.cells {
							c.cells[i] = w.to[cell]
						}
						if is = of; !slices.Equal(c.cells, numbered[of].cells) {
							numbered, is = append(numbered, c), len(numbered)
						}
						images[made{of, op - 4}] = is
					}
				default:
					return nil, errSlow
				}
				which = append(which, is)
				at[[2]int32{x, z}] = is
			}
		}
		var columns [][]voxel.Cell
		for _, i := range which {
			if numbered[i].top >= h*voxel.ChunkEdge {
				return nil, errSlow
			}
			columns = append(columns, numbered[i].cells)
		}
		towers = append(towers, columns)
	}
	for _, rest := range s.streams {
		if len(rest) > 0 {
			return nil, errSlow
		}
	}
	return towers, nil
}

// slowWay is one of the stream of images.
type slowWay struct {
	m    [4]int32
	a, b int32
	to   []voxel.Cell // by cell
}

func slowWays(b []byte, table []voxel.Cell) (ways []slowWay, rest []byte) {
	next := func() int {
		v, n := binary.Uvarint(b)
		if n <= 0 || v > 1<<40 {
			panic(errSlow)
		}
		b = b[n:]
		return int(v)
	}
	signed := func() int32 {
		v, n := binary.Varint(b)
		if n <= 0 || v != int64(int32(v)) {
			panic(errSlow)
		}
		b = b[n:]
		return int32(v)
	}
	one := func() int {
		if len(b) == 0 {
			panic(errSlow)
		}
		v := b[0]
		b = b[1:]
		return int(v)
	}
	count := one()
	if count > 12 {
		panic(errSlow)
	}
	turns := [8][4]int32{{1, 0, 0, 1}, {-1, 0, 0, 1}, {1, 0, 0, -1}, {-1, 0, 0, -1}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, -1, 0}, {0, -1, -1, 0}}
	for range count {
		turn := one()
		if turn > 7 {
			panic(errSlow)
		}
		w := slowWay{m: turns[turn], a: signed(), b: signed(), to: make([]voxel.Cell, int(voxel.MaxCell)+1)}
		for c := range w.to {
			w.to[c] = voxel.Cell(c)
		}
		from := -1
		for range next() {
			from += next() + 1
			to := next()
			if from >= len(table) || to >= len(table) {
				panic(errSlow)
			}
			w.to[table[from]] = table[to]
		}
		ways = append(ways, w)
	}
	return ways, b
}

// checkImages compares DecodeImages with the twin and returns the chunks.
func checkImages(t *testing.T, streams [][]byte, heights []int, tops []geom.ChunkPos) []*voxel.Chunk {
	t.Helper()
	got, err := new(codec.Decoder).Decode(nil, codec.Images, streams, heights, tops)
	want, slowErr := slowImages(streams, heights, tops)
	return checkDecoded(t, heights, got, err, want, slowErr)
}

// checkDecoded compares what a decoder gives with what its twin gives, by tower and
// column, and returns the chunks.
func checkDecoded(t *testing.T, heights []int, got []*voxel.Chunk, err error, want [][][]voxel.Cell, slowErr error) []*voxel.Chunk {
	t.Helper()
	if (err == nil) != (slowErr == nil) {
		t.Fatalf("got %v, the twin %v", err, slowErr)
	}
	var corrupt *codec.CorruptError
	if err != nil && !errors.As(err, &corrupt) {
		t.Fatalf("%v is no CorruptError", err)
	}
	if err != nil {
		return nil
	}
	i := 0
	for s, h := range heights {
		for y := range h {
			for at, c := range flatOf(got[i]) {
				if c != want[s][at%towerColumns][y*32+at/towerColumns] {
					t.Fatalf("tower %d chunk %d cell %d: got %d, want %d", s, y, at, c, want[s][at%towerColumns][y*32+at/towerColumns])
				}
			}
			i++
		}
	}
	return got
}

// besideArena returns a page with an arena before it, so that some columns are
// images.
func besideArena(p page) plan {
	a := arena(5, 60, func(x, z int) (int, int) { return 31 - x, z })
	for i := range p {
		a.tops = append(a.tops, geom.ChunkPos{X: int32(i % 3), Z: int32(i / 3 % 2)}) // some places twice
	}
	a.page = append(a.page, p...)
	return a
}

func TestImagesRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 3))
	var used codec.Encoder
	check := func(t *testing.T, p plan) {
		streams := encodeImages(p)
		if streams == nil {
			t.Fatal("no images")
		}
		checkChunks(t, p.page, checkImages(t, streams, p.heights(), p.tops))
		if !slices.EqualFunc(streams, imagesBy(&used, p), bytes.Equal) {
			t.Error("other bytes from an Encoder that was used")
		}
	}
	for _, tt := range pages() {
		t.Run(tt.name, func(t *testing.T) { check(t, besideArena(tt.page)) })
	}
	for range 10 {
		check(t, besideArena(page{{flatLayers(r, 3).pack()}, {flatLayers(r, 3).pack(), voxel.Uniform(9)}, {randomTerrain(r).pack()}}))
	}
}

// TestImagesNotWorthIt gives up where nothing is an image.
func TestImagesNotWorthIt(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 5))
	noise := new(flat)
	for i := range noise {
		noise[i] = voxel.Cell(r.IntN(4))
	}
	few := arena(5, 9, func(x, z int) (int, int) { return x, z }).page
	if few := encodeImages(plan{few, []geom.ChunkPos{{}, {X: 1}}}); few == nil {
		t.Error("a few images alone are not worth it")
	}
	for name, p := range map[string]page{
		"nothing": {}, "air": {{voxel.Uniform(0)}}, "noise": {{noise.pack()}}, "hardly any": append(few, codec.Tower{noise.pack(), noise.pack(), noise.pack(), noise.pack()}),
	} {
		tops := make([]geom.ChunkPos, len(p))
		for i := range tops {
			tops[i].X = int32(i)
		}
		if streams := encodeImages(plan{p, tops}); streams != nil {
			t.Errorf("%s: %d streams", name, len(streams))
		}
	}
}

// TestImagesFound makes the second half of what is written follow from the first,
// whichever way it lies.
func TestImagesFound(t *testing.T) {
	for name, turn := range map[string]func(x, z int) (int, int){
		"moved":          func(x, z int) (int, int) { return x, z },
		"mirrored in x":  func(x, z int) (int, int) { return 31 - x, z },
		"mirrored in z":  func(x, z int) (int, int) { return x, 31 - z },
		"turned by half": func(x, z int) (int, int) { return 31 - x, 31 - z },
		"turned left":    func(x, z int) (int, int) { return z, 31 - x },
		"turned right":   func(x, z int) (int, int) { return 31 - z, x },
	} {
		p := arena(5, 60, turn)
		streams := encodeImages(p)
		checkChunks(t, p.page, checkImages(t, streams, p.heights(), p.tops))
		one := encode(p.page[:1])
		if all, first := len(streams[streamRuns]), len(one[streamRuns]); all > first*21/20 {
			t.Errorf("%s: %d bytes of runs, %d of the first half", name, all, first)
		}
		if !slices.EqualFunc(streams, encodeImages(p), bytes.Equal) {
			t.Errorf("%s: other bytes the second time", name)
		}
	}
}

func TestImagesDamage(t *testing.T) {
	p := arena(7, 60, func(x, z int) (int, int) { return z, 31 - x })
	whole, heights := encodeImages(p), p.heights()
	r := rand.New(rand.NewPCG(11, 12))
	for i, s := range whole {
		damaged := cloneStreams(whole)
		for n := 0; n < len(s); n += 1 + len(s)/60 {
			damaged[i] = s[:n:n]
			if checkImages(t, damaged, heights, p.tops) != nil {
				t.Fatalf("stream %d cut to %d bytes is read", i, n)
			}
		}
		if damaged[i] = append(bytes.Clone(s), 0); checkImages(t, damaged, heights, p.tops) != nil {
			t.Fatalf("stream %d with one byte more is read", i)
		}
		for range 60 {
			if damaged[i] = bytes.Clone(s); len(s) > 0 {
				damaged[i][r.IntN(len(s))] ^= 1 << r.IntN(8)
			}
			checkImages(t, damaged, heights, p.tops)
		}
	}
	for n := range whole {
		if _, err := new(codec.Decoder).Decode(nil, codec.Images, whole[:n], heights, p.tops); err == nil {
			t.Errorf("%d streams are read", n)
		}
	}
}

func FuzzDecodeImages(f *testing.F) {
	for seed := range uint64(2) {
		s := encodeImages(arena(seed, 4, func(x, z int) (int, int) { return 31 - x, z }))
		f.Add(s[0], s[1], s[2], s[3], s[4], s[5], 1, int32(3))
	}
	f.Fuzz(func(t *testing.T, table, ops, runs, near, far, images []byte, height int, apart int32) {
		if height > 4 && height <= codec.MaxTower {
			height = height%4 + 1 // the twin is slow
		}
		tops := []geom.ChunkPos{{X: -1, Z: 4}, {X: -1 + apart%5, Z: 4}}
		checkImages(t, [][]byte{table, ops, runs, near, far, images}, []int{height, height}, tops)
	})
}
