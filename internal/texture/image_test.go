package texture_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/internal/raster"
	"github.com/cairnvoxel/cairn/internal/texture"
)

// bitmap is an image in memory.
type bitmap struct {
	h   raster.Header
	pix []byte
}

func (b *bitmap) Header() *raster.Header { return &b.h }

func (b *bitmap) ReadBlock(level, x, y int, dst []byte) error {
	s, p, w := b.h.BlockSize(level, x, y), b.h.Pixel(), b.h.Levels[0].Width
	for i := range s.Height {
		at := ((y*b.h.Block.Height+i)*w + x*b.h.Block.Width) * p
		copy(dst[i*s.Width*p:(i+1)*s.Width*p], b.pix[at:])
	}
	return nil
}

// newBitmap makes an image of what a function says of texels. Its blocks fit no tile.
func newBitmap(of raster.Type, s raster.Size, channels []string, value func(x, y, c int) float64) *bitmap {
	b := &bitmap{h: raster.Header{Levels: []raster.Size{s}, Channels: channels, Type: of, Block: raster.Size{Width: 23, Height: 7}}}
	row := make([]float32, s.Width*len(channels))
	for y := range s.Height {
		for i := range row {
			row[i] = float32(value(i/len(channels), y, i%len(channels)))
		}
		n := len(b.pix)
		b.pix = append(b.pix, make([]byte, s.Width*b.h.Pixel())...)
		of.Put(b.pix[n:], row)
	}
	return b
}

// painted is smooth with some noise, and flat at the top left. Floats are also negative.
func painted(of raster.Type, s raster.Size, channels ...string) *bitmap {
	r := rand.New(rand.NewPCG(uint64(of), 1))
	return newBitmap(of, s, channels, func(x, y, c int) float64 {
		v := 0.5 + 0.3*math.Sin(float64(x+c)/9)*math.Cos(float64(y)/7) + 0.05*r.Float64()
		if x < s.Width/2 && y < s.Height/2 {
			v = 0.25
		}
		if of == raster.Half || of == raster.Float {
			v = v*4 - 2
		}
		return v
	})
}

// channels returns n names.
func channels(n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf("c%d", i))
	}
	return all
}

// made returns the file of images by number.
func made(t testing.TB, o texture.Options, first int, images ...raster.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	m := texture.NewMaker(&out, o)
	for i, im := range images {
		if err := m.Add(t.Context(), first+i, im); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func opened(t testing.TB, b []byte) *texture.Atlas {
	t.Helper()
	a, err := texture.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// levelOf reads a whole level.
func levelOf(t testing.TB, im raster.Image, l int) []byte {
	t.Helper()
	h := im.Header()
	s, p := h.Levels[l], h.Pixel()
	out := make([]byte, s.Width*s.Height*p)
	across, down := h.Blocks(l)
	for y := range down {
		for x := range across {
			size := h.BlockSize(l, x, y)
			b := make([]byte, size.Width*size.Height*p)
			if err := im.ReadBlock(l, x, y, b); err != nil {
				t.Fatal(err)
			}
			for i := range size.Height {
				copy(out[((y*h.Block.Height+i)*s.Width+x*h.Block.Width)*p:], b[i*size.Width*p:(i+1)*size.Width*p])
			}
		}
	}
	return out
}

// valuesOf reads the values of a level.
func valuesOf(t testing.TB, im raster.Image, l int) []float32 {
	t.Helper()
	b := levelOf(t, im, l)
	v := make([]float32, len(b)/im.Header().Type.Size())
	im.Header().Type.Floats(v, b)
	return v
}
