package codec_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/codec"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// TestReliefDamage cuts, lengthens and flips every stream: an error, or what
// the twin reads.
func TestReliefDamage(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	g := levelGround(2, 1, 0)
	g.add(1, 0, 0, randomTerrain(r).pack())
	whole, heights := cloneStreams(encodeRelief(t, new(codec.Encoder), g)), g.heights()
	for i, s := range whole {
		damaged := cloneStreams(whole)
		for range min(long.By(2, 6, 6), len(s)) {
			damaged[i] = s[:r.IntN(len(s)):len(s)]
			if checkDecodeRelief(t, damaged, heights, g.tops) != nil {
				t.Fatalf("stream %d cut to %d bytes is read", i, len(damaged[i]))
			}
		}
		damaged[i] = append(bytes.Clone(s), 0)
		if checkDecodeRelief(t, damaged, heights, g.tops) != nil {
			t.Fatalf("stream %d with one byte more is read", i)
		}
		for range min(long.By(3, 12, 12), len(s)) {
			damaged[i] = bytes.Clone(s)
			damaged[i][r.IntN(len(s))] ^= 1 << r.IntN(8)
			checkDecodeRelief(t, damaged, heights, g.tops)
		}
	}
}

// steps is a small page with something in every stream but some of grades.
func steps() (g ground) {
	f := new(flat)
	for col := range towerColumns {
		for y := range 4 + col/32%4 {
			f[y*towerColumns+col] = voxel.TerrainCell(uint8(1+y/3), uint8(255-col%5/4*(y&1)))
		}
	}
	g.add(0, 0, 0, f.pack())
	return g
}

// TestReliefTruncations cuts each stream of a small page at every byte.
func TestReliefTruncations(t *testing.T) {
	g := steps()
	whole := cloneStreams(encodeRelief(t, new(codec.Encoder), g))
	for i, s := range whole {
		if len(s) == 0 && i < reliefLow {
			t.Errorf("nothing in stream %d", i)
		}
		for n := range s {
			damaged := slices.Clone(whole)
			damaged[i] = s[:n:n]
			if _, err := new(codec.Decoder).Decode(nil, codec.Relief, damaged, g.heights(), g.tops); err == nil {
				t.Fatalf("stream %d cut to %d bytes of %d is read", i, n, len(s))
			}
		}
	}
}

// streamsOf is streams of the form Relief, those not named being empty.
func streamsOf(some map[int][]byte) [][]byte {
	out := make([][]byte, reliefStreams)
	for i, s := range some {
		out[i] = s
	}
	return out
}

func TestReliefHostile(t *testing.T) {
	// The first column has one layer of material 5 and its ground as given; all
	// others have the same.
	first := func(layers []byte, more map[int][]byte) [][]byte {
		s := streamsOf(map[int][]byte{
			reliefLayers: layers, reliefOps: append([]byte{2}, make([]byte, 1023)...),
			reliefHigh: make([]byte, 1024), reliefDents: make([]byte, 1024), reliefLow: make([]byte, 1024),
		})
		for i, b := range more {
			s[i] = b
		}
		return s
	}
	five := []byte{1, 5}
	for _, tt := range []struct {
		name    string
		streams [][]byte
		height  int
		part    string
	}{
		{"too few streams", make([][]byte, reliefStreams-1), 1, "page"},
		{"height 0", first(five, nil), 0, "page"},
		{"height -1", first(five, nil), -1, "page"},
		{"height 65", first(five, nil), 65, "page"},
		{"a huge height", first(five, nil), 1 << 62, "page"},
		{"an unknown list", streamsOf(map[int][]byte{reliefOps: {4}}), 1, "ops"},
		{"a far unknown list", streamsOf(map[int][]byte{reliefOps: {255, 255, 255}}), 1, "ops"},
		{"an op in three bytes", streamsOf(map[int][]byte{reliefOps: {255, 2, 0}}), 1, "ops"},
		{"a new list of air", first([]byte{1, 0}, nil), 1, "layers"},
		{"a list of no layers", first([]byte{0}, nil), 1, "layers"},
		{"a list of more than there is", first([]byte{3, 1, 2}, nil), 1, "layers"},
		{"a list of too many", first(append([]byte{255, 1, 8}, bytes.Repeat([]byte{1, 2}, 1025)...), nil), 64, "layers"},
		{"a layer twice", first([]byte{2, 5, 5}, nil), 1, "layers"},
		{"material 64", first([]byte{1, 64}, nil), 1, "layers"},
		{"ground below the base", first(five, map[int][]byte{reliefLow: append([]byte{255}, make([]byte, 1023)...)}), 1, "ground"},
		{"ground far below the base", first(five, map[int][]byte{reliefHigh: append([]byte{1}, make([]byte, 1023)...)}), 1, "ground"},
		{"ground above the top", first(five, map[int][]byte{reliefHigh: append([]byte{64}, make([]byte, 1023)...)}), 1, "ground"},
		{"ground far above the top", first(five, map[int][]byte{reliefHigh: append([]byte{255, 255, 255}, make([]byte, 1023)...)}), 1, "ground"},
		{"a floor at the base", first([]byte{2, 5, 6}, map[int][]byte{reliefHigh: append([]byte{2}, make([]byte, 1023)...), reliefFloors: []byte{1}}), 1, "floors"},
		{"a floor at the ground", first([]byte{2, 5, 6}, map[int][]byte{reliefHigh: append([]byte{2}, make([]byte, 1023)...), reliefFloors: []byte{2}}), 1, "floors"},
		{"no room for a floor", first([]byte{2, 5, 6}, map[int][]byte{reliefFloors: []byte{0}}), 1, "floors"},
		{"a dent below the base", first(five, map[int][]byte{reliefDents: {1}, reliefDepths: {0}, reliefFill: {0}}), 1, "dents"},
		{"dents far below the base", first(five, map[int][]byte{reliefDents: {255, 255, 255}, reliefDepths: {255, 255, 255}, reliefFill: {0}}), 1, "dents"},
		{"many dents and none there", first(five, map[int][]byte{reliefDents: {255, 255, 255}}), 1, "dents"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			heights, tops := []int{tt.height}, make([]geom.ChunkPos, 1)
			if checkDecodeRelief(t, tt.streams, heights, tops) != nil {
				t.Error("it is read")
			}
			_, err := new(codec.Decoder).Decode(nil, codec.Relief, tt.streams, heights, tops)
			if corrupt := (*codec.CorruptError)(nil); !errors.As(err, &corrupt) || corrupt.Part != tt.part {
				t.Errorf("got %v, want one of the %s", err, tt.part)
			}
		})
	}
	near := first(five, nil) // one step away from many of these
	if _, err := new(codec.Decoder).Decode(nil, codec.Relief, near, []int{1}, make([]geom.ChunkPos, 1)); err != nil {
		t.Error(err)
	}
}

// TestDecodeReliefAfterError uses a Decoder that has failed at every stage, for
// both forms.
func TestDecodeReliefAfterError(t *testing.T) {
	g := levelGround(3, 2, 0)
	columns, relief := encode(g.page), cloneStreams(encodeRelief(t, new(codec.Encoder), g))
	var d codec.Decoder
	for i := range relief {
		damaged := slices.Clone(relief)
		if damaged[i] = damaged[i][:len(damaged[i])/2]; len(relief[i]) == 0 {
			continue
		}
		if _, err := d.Decode(nil, codec.Relief, damaged, g.heights(), g.tops); err == nil {
			t.Fatalf("half of stream %d is read", i)
		}
		got, err := d.Decode(nil, codec.Columns, columns, g.heights(), nil)
		if err != nil {
			t.Fatal(err)
		}
		checkChunks(t, g.page, got)
		if got, err = d.Decode(nil, codec.Relief, relief, g.heights(), g.tops); err != nil {
			t.Fatal(err)
		}
		checkChunks(t, g.page, got)
	}
}

func FuzzDecodeRelief(f *testing.F) {
	add := func(s [][]byte, height, more int, apart int32) {
		f.Add(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8], s[9], s[10], height, more, apart)
	}
	var two ground
	two.add(0, 0, 0, voxel.Uniform(voxel.TerrainCell(3, 255)))
	two.add(1, 0, 0, slices.Concat(steps().page...)...)
	for _, g := range []ground{steps(), two} {
		add(encodeRelief(f, new(codec.Encoder), g), 1, len(g.page)-1, 0)
	}
	f.Fuzz(func(t *testing.T, s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10 []byte, height, more int, apart int32) {
		if height > 4 && height <= codec.MaxTower {
			height = height%4 + 1 // the twin is slow
		}
		heights := slices.Repeat([]int{height}, 1+more&3)
		var tops []geom.ChunkPos
		for i := range int32(len(heights)) {
			tops = append(tops, geom.ChunkPos{X: i & 1, Y: i * (apart % 3), Z: i >> 1})
		}
		checkDecodeRelief(t, [][]byte{s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10}, heights, tops)
	})
}
