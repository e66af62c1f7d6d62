package codec_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/codec"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// page is towers as they are encoded.
type page []codec.Tower

func (p page) heights() (hs []int) {
	for _, s := range p {
		hs = append(hs, len(s))
	}
	return hs
}

// pages are kinds of content: name, towers, bytes of all streams.
func pages() []struct {
	name  string
	page  page
	bytes int
} {
	r := rand.New(rand.NewPCG(5, 6))
	uniform := func(c voxel.Cell) *voxel.Chunk { return voxel.Uniform(c) }
	noise := func(values int) *voxel.Chunk {
		f := new(flat)
		for i := range f {
			f[i] = voxel.Cell(r.IntN(values))
		}
		return f.pack()
	}
	var level page
	for z := range int32(3) {
		for x := range int32(3) {
			var s codec.Tower
			for y := range int32(3) {
				s = append(s, terrain.Level{Seed: 4}.Chunk(geom.ChunkPos{X: x, Y: y, Z: z}))
			}
			level = append(level, s)
		}
	}
	var tall codec.Tower
	for y := range codec.MaxTower {
		tall = append(tall, uniform(voxel.Cell(y)))
	}
	var mixed page
	for h := range 6 {
		var s codec.Tower
		for range h + 1 {
			s = append(s, flatLayers(r, 1+r.IntN(6)).pack())
		}
		mixed = append(mixed, s)
	}
	return []struct {
		name  string
		page  page
		bytes int
	}{
		{"no towers", page{}, 1},
		{"air", page{{uniform(0)}}, 68},
		{"uniform", page{{uniform(7), uniform(7)}, {uniform(7)}}, 134},
		{"the greatest cell", page{{uniform(voxel.MaxCell), uniform(0)}}, 73},
		{"as tall as can be", page{tall}, 257},
		{"two values", page{{noise(2)}}, 33767},
		{"all values", page{{noise(1 << 15), noise(1 << 15)}}, 289328},
		{"values beyond one byte", page{{noise(300), noise(256)}, {noise(255)}}, 206416},
		{"layers", mixed, 169238},
		{"terrain", level, 30695},
		{"the same tower again", page{level[6], level[6], level[6]}, 10706},
	}
}

// flatLayers returns a chunk of few values whose columns resemble each other.
func flatLayers(r *rand.Rand, values int) *flat {
	f := new(flat)
	for col := range towerColumns {
		top := r.IntN(4) + 8*(col/32/8)
		for y := range 32 {
			if y < top {
				f[y*towerColumns+col] = voxel.Cell(y % values * 77)
			}
		}
		if r.IntN(50) == 0 {
			f[r.IntN(32)*towerColumns+col] = voxel.Cell(r.IntN(1 << 15))
		}
	}
	return f
}

func cloneStreams(streams [][]byte) (out [][]byte) {
	for _, s := range streams {
		out = append(out, bytes.Clone(s))
	}
	return out
}

func encode(p page) [][]byte { return cloneStreams(new(codec.Encoder).Encode(p)) }

func TestColumnsRoundTrip(t *testing.T) {
	var used codec.Encoder
	var decoder codec.Decoder
	for _, tt := range pages() {
		t.Run(tt.name, func(t *testing.T) {
			streams := encode(tt.page)
			checkChunks(t, tt.page, checkDecode(t, streams, tt.page.heights()))
			total := 0
			for i, s := range used.Encode(tt.page) {
				total += len(s)
				if !bytes.Equal(s, streams[i]) {
					t.Errorf("stream %d is another from an Encoder that was used", i)
				}
			}
			pinned(t, "streams", total, tt.bytes)
			before := []*voxel.Chunk{voxel.Uniform(1)}
			got, err := decoder.Decode(before, codec.Columns, streams, tt.page.heights(), nil)
			if err != nil || got[0] != before[0] {
				t.Fatalf("a Decoder that was used: %v", err)
			}
			checkChunks(t, tt.page, got[1:])
		})
	}
}

func checkChunks(t *testing.T, p page, got []*voxel.Chunk) {
	t.Helper()
	want := slices.Concat(p...)
	if len(got) != len(want) {
		t.Fatalf("%d chunks, want %d", len(got), len(want))
	}
	for i, c := range want {
		if *flatOf(got[i]) != *flatOf(c) || !got[i].Equal(c) {
			t.Fatalf("chunk %d is another", i)
		}
	}
}

// TestColumnsFarReference has more literal columns than a reference reaches
// back over: the first tower comes again when it is out of reach, the last one
// when it is within.
func TestColumnsFarReference(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	var p page
	for range 66 {
		f := new(flat)
		for i := range f {
			f[i] = voxel.Cell(r.IntN(1 << 15))
		}
		p = append(p, codec.Tower{f.pack()})
	}
	p = append(p, p[0], p[65])
	streams := encode(p)
	if n := len(streams[streamNear]); n > towerColumns || n < towerColumns*9/10 {
		t.Errorf("%d references, want at most %d and not many less", n, towerColumns)
	}
	checkChunks(t, p, checkDecode(t, streams, p.heights()))
}

func TestColumnsRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 20 {
		var p page
		for range 1 + r.IntN(3) {
			var s codec.Tower
			for range 1 + r.IntN(6) {
				switch r.IntN(3) {
				case 0:
					s = append(s, voxel.Uniform(voxel.Cell(r.IntN(400))))
				case 1:
					s = append(s, flatLayers(r, 1+r.IntN(400)).pack())
				case 2:
					s = append(s, randomTerrain(r).pack())
				}
			}
			p = append(p, s)
		}
		checkChunks(t, p, checkDecode(t, encode(p), p.heights()))
	}
}

// TestColumnsMemory bounds what a used Encoder and Decoder allocate: chunks,
// not buffers.
func TestColumnsMemory(t *testing.T) {
	p := pages()[9].page
	var e codec.Encoder
	var d codec.Decoder
	if n := testing.AllocsPerRun(5, func() { e.Encode(p) }); n > 20 {
		t.Errorf("Encode allocates %v times", n)
	}
	streams, heights := cloneStreams(e.Encode(p)), p.heights()
	chunks := make([]*voxel.Chunk, 0, 64)
	per := testing.AllocsPerRun(5, func() {
		if _, err := d.Decode(chunks, codec.Columns, streams, heights, nil); err != nil {
			t.Fatal(err)
		}
	})
	if most := 3*float64(len(slices.Concat(p...))) + 5; per > most {
		t.Errorf("Decode allocates %v times, at most %v", per, most)
	}
}
