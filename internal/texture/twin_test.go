package texture_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/klauspost/compress/huff0"
	"github.com/klauspost/compress/zstd"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/raster"
	"github.com/cairnvoxel/cairn/internal/texture"
)

// twin decodes a stored tile as FORMAT.md says, slowly: one word at a time.
func twin(t *testing.T, b []byte, s raster.Size, channels int, of raster.Type) []byte {
	t.Helper()
	size, n := of.Size(), s.Width*s.Height
	mask := uint64(1)<<(8*size) - 1
	head := b[0]
	b = b[1:]
	if head == 0 {
		return b
	}
	varint := func() uint64 {
		v, k := binary.Uvarint(b)
		b = b[k:]
		return v
	}
	take := func(k int) []byte {
		out := b[:k]
		b = b[k:]
		return out
	}
	number := func(b []byte) (v uint64) {
		for i, x := range b {
			v |= uint64(x) << (8 * i)
		}
		return v
	}
	fold := func(v uint64) uint64 {
		if head&8 != 0 && v>>(8*size-1) == 1 {
			return v ^ mask>>1
		}
		return v
	}
	var table []uint64
	if head&4 != 0 {
		next := uint64(0)
		for range varint() {
			table = append(table, next+varint())
			next = table[len(table)-1] + 1
		}
	}
	modes, bases, lows, symbols := make([]int, channels), make([]uint64, channels), make([][][]byte, channels), make([][]byte, channels)
	for c := range channels {
		modes[c] = int(take(1)[0])
		bases[c] = varint()
	}
	var large []uint64
	for range varint() {
		large = append(large, number(take(size)))
	}
	with := 0
	for c, m := range modes {
		for range m >> 3 {
			lows[c] = append(lows[c], take(n))
		}
		if m&3 != 3 {
			with++
		}
	}
	all := take(len(b))
	switch head & 3 {
	case 1:
		h, rest, err := huff0.ReadTable(all, nil)
		if err != nil {
			t.Fatal(err)
		}
		if all, err = h.Decompress4X(rest, with*n); err != nil {
			t.Fatal(err)
		}
	case 2:
		d, _ := zstd.NewReader(nil)
		defer d.Close()
		var err error
		if all, err = d.DecodeAll(all, nil); err != nil {
			t.Fatal(err)
		}
	}
	for c, m := range modes {
		if symbols[c] = make([]byte, n); m&3 != 3 {
			symbols[c], all = all[:n], all[n:]
		}
	}
	out := make([]byte, n*channels*size)
	before := make([]uint64, n)
	for c, m := range modes {
		words := make([]uint64, n)
		for i := range words {
			x, y := i%s.Width, i/s.Width
			r := uint64(int8(symbols[c][i]))
			for _, l := range lows[c] {
				r = r<<8 | uint64(l[i])
			}
			if symbols[c][i] == 0x80 && m>>3+1 < size {
				r, large = large[0], large[1:]
			}
			guess := bases[c]
			switch {
			case i == 0:
			case y == 0:
				guess = words[i-1]
			case x == 0 || m&3 == 1:
				guess = words[i-s.Width]
			case m&3 == 2:
				guess = words[i-1] + words[i-s.Width] - words[i-s.Width-1]
			default:
				guess = words[i-1]
			}
			words[i] = (guess + r) & mask
		}
		for i := range words {
			if m&4 != 0 {
				words[i] = (words[i] + before[i]) & mask
			}
			v := words[i]
			if head&4 != 0 {
				v = table[v]
			}
			v = fold(v)
			for k := range size {
				out[(i*channels+c)*size+k] = byte(v >> (8 * k))
			}
		}
		before = words
	}
	if len(large) > 0 || len(all) > 0 {
		t.Errorf("%d large residuals and %d symbols left over", len(large), len(all))
	}
	return out
}

var storable = []raster.Type{raster.Uint8, raster.Uint16, raster.Half, raster.Float}

// pictures are what tiles show. Each returns a value of a texel.
var pictures = map[string]func(r *rand.Rand, x, y, c int) float64{
	"painted": func(r *rand.Rand, x, y, c int) float64 { return 0.5 + 0.001*float64(x*c+y) + 0.01*r.Float64() },
	"grey":    func(r *rand.Rand, x, y, c int) float64 { return float64(x*7919+y*104729) / 1e6 },
	"mask":    func(r *rand.Rand, x, y, c int) float64 { return float64((x*x + y*y) / 300 & 1) },
	"noise":   func(r *rand.Rand, x, y, c int) float64 { return r.Float64() },
	"signed":  func(r *rand.Rand, x, y, c int) float64 { return 0.01*r.Float64() - 0.005 + 0.001*float64(x-y) },
	"few":     func(r *rand.Rand, x, y, c int) float64 { return float64(r.IntN(20)*r.IntN(20)) / 361 },
	"both":    func(r *rand.Rand, x, y, c int) float64 { return float64(r.IntN(20)*r.IntN(20))/361 - 0.5 },
	"steps":   func(r *rand.Rand, x, y, c int) float64 { return float64(x/9*y/9%7) * 0.1 * float64(c+1) },
	"edges":   func(r *rand.Rand, x, y, c int) float64 { return float64(x) / 999 * float64(1+99*(y/40&1)) },
}

func tileOf(name string, s raster.Size, channels int, of raster.Type) []byte {
	r := rand.New(rand.NewPCG(1, uint64(len(name))))
	values := make([]float32, s.Width*s.Height*channels)
	for i := range values {
		p := i / channels
		values[i] = float32(pictures[name](r, p%s.Width, p/s.Width, i%channels))
	}
	b := make([]byte, len(values)*of.Size())
	of.Put(b, values)
	return b
}

// TestTwin compares decoded tiles with what went in, and with a slow decoder that was written from FORMAT.md. All
// forms occur.
func TestTwin(t *testing.T) {
	forms := map[byte]int{}
	for name := range pictures {
		for _, of := range storable {
			for _, s := range []raster.Size{{Width: 1, Height: 1}, {Width: 1, Height: 9}, {Width: 17, Height: 1}, {Width: 64, Height: 64}, {Width: 33, Height: 50}, {Width: 256, Height: 200}} {
				for _, channels := range []int{1, 3, 5} {
					if s.Width == 256 && channels == 5 {
						continue
					}
					src := tileOf(name, s, channels, of)
					b := texture.Encode(src, s, channels, of)
					forms[b[0]]++
					what := fmt.Sprintf("%s, %v, %v, %d channels, head %d", name, of, s, channels, b[0])
					got := make([]byte, len(src))
					if err := texture.Decode(got, b, s, channels, of); err != nil || !bytes.Equal(got, src) {
						t.Fatalf("%s: another tile, %v", what, err)
					}
					if !bytes.Equal(twin(t, b, s, channels, of), src) {
						t.Fatalf("%s: the twin has another tile", what)
					}
					if len(b) > len(src)+1 {
						t.Errorf("%s: %d bytes of %d", what, len(b), len(src))
					}
				}
			}
		}
	}
	for _, h := range []byte{0, 1, 2, 4 | 1, 4 | 2, 8 | 1, 4 | 8 | 2} {
		if forms[h] == 0 {
			t.Errorf("no tile has the head %d: %v", h, forms)
		}
	}
}

// TestTileDamage decodes tiles that are cut, changed and lengthened. It ends in an error or with another tile.
func TestTileDamage(t *testing.T) {
	s := raster.Size{Width: 16, Height: 16}
	for name := range pictures {
		for _, of := range storable {
			b := texture.Encode(tileOf(name, s, 3, of), s, 3, of)
			dst := make([]byte, 3*256*of.Size())
			decode := func(b []byte) {
				if err := texture.Decode(dst, b, s, 3, of); err != nil && !errors.As(err, new(*cursor.CorruptError)) {
					t.Fatalf("%s, %v: %v", name, of, err)
				}
			}
			for n := range b {
				decode(b[:n])
				bad := bytes.Clone(b)
				for _, x := range []byte{1, 0x80, 0xFF} {
					bad[n] = b[n] ^ x
					decode(bad)
				}
			}
			decode(append(bytes.Clone(b), 0))
		}
	}
}
