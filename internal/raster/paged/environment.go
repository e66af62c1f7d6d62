package paged

import (
	"encoding/binary"
	"math"
	"sort"

	"github.com/cairnvoxel/cairn/internal/raster"
)

// Environment is an image of all directions: longitudes across, latitudes down, up at the top, z in
// the middle and x to its left.
//
// Its distribution says where light comes from, in floats behind the pixels: for each row which part
// of the row's light its first texels give, and then which part of all light the first rows give.
type Environment struct {
	header *raster.Header
	w, h   int
	data   []byte
	parts  []byte
}

// NewEnvironment returns the environment that a tile has.
func NewEnvironment(h *raster.Header, b []byte) *Environment {
	size := h.Levels[0]
	pixels := size.Width * size.Height * h.Pixel()
	return &Environment{h, size.Width, size.Height, b[:pixels], b[pixels:]}
}

// readWhole reads an environment.
func (f *Image) readWhole(room func(size int) ([]byte, error)) error {
	h := f.image.Header()
	size := h.Levels[0]
	b, err := room(size.Width*size.Height*h.Pixel() + 4*(size.Width+1)*size.Height)
	if err != nil {
		return err
	}
	e := NewEnvironment(h, b)
	first := h.BlockSize(0, 0, 0)
	buffer := make([]byte, first.Width*first.Height*h.Pixel())
	across, down := h.Blocks(0)
	for y := range down {
		for x := range across {
			cut := h.BlockSize(0, x, y)
			row := cut.Width * h.Pixel()
			if err := readBlock(f.image, 0, x, y, buffer[:row*cut.Height]); err != nil {
				return err
			}
			for i := range cut.Height {
				at := ((y*h.Block.Height+i)*e.w + x*h.Block.Width) * h.Pixel()
				copy(e.data[at:], buffer[i*row:][:row])
			}
		}
	}
	e.distribute()
	return nil
}

// Value returns a channel of a texel.
func (e *Environment) Value(x, y, channel int) float32 {
	h := e.header
	b := e.data[(y*e.w+x)*h.Pixel()+channel*h.Type.Size():]
	switch c := h.Curve(channel); h.Type.Size() {
	case 1:
		return c[b[0]]
	case 2:
		return c[binary.LittleEndian.Uint16(b)]
	}
	return math.Float32frombits(binary.LittleEndian.Uint32(b))
}

// latitude returns the cosine of the angle between up and the upper edge of a row.
func (e *Environment) latitude(y int) float64 { return math.Cos(math.Pi * float64(y) / float64(e.h)) }

// solid returns how many steradians a texel of a row covers.
func (e *Environment) solid(y int) float64 {
	return (e.latitude(y) - e.latitude(y+1)) * 2 * math.Pi / float64(e.w)
}

// faint is the light of black texels. Where all is black, all directions are alike.
const faint = 1e-30

// distribute makes the distribution. The light of a texel is that of its first three channels. What
// is infinite is only very much.
func (e *Environment) distribute() {
	rows, row := make([]float64, e.h), make([]float64, e.w)
	for y := range rows {
		for x := range row {
			row[x] = faint
			for c := range min(len(e.header.Channels), 3) {
				if v := float64(e.Value(x, y, c)); v > 0 {
					row[x] += min(v, math.MaxFloat32)
				}
			}
		}
		rows[y] = e.put(y*e.w, row) * e.solid(y)
	}
	e.put(e.w*e.h, rows)
}

// put puts the parts that a sum reaches with each of its terms, from an index on, and returns the sum.
func (e *Environment) put(from int, terms []float64) (all float64) {
	for _, v := range terms {
		all += v
	}
	sum := 0.0
	for i, v := range terms {
		if sum += v; i == len(terms)-1 {
			sum = all
		}
		binary.LittleEndian.PutUint32(e.parts[4*(from+i):], math.Float32bits(float32(sum/all)))
	}
	return all
}

// part returns what the sum that begins at an index has reached with term i.
func (e *Environment) part(from, i int) float64 {
	if i < 0 {
		return 0
	}
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(e.parts[4*(from+i):])))
}

// find returns the term that takes a sum of n terms beyond u, and how far u lies in it.
func (e *Environment) find(from, n int, u float64) (i int, in float64) {
	u = min(max(u, 0), 1-1e-9)
	i = sort.Search(n-1, func(i int) bool { return e.part(from, i) > u })
	before := e.part(from, i-1)
	return i, (u - before) / (e.part(from, i) - before)
}

// Draw chooses a direction by two numbers from 0 to 1, as light is distributed. It returns its texel,
// too.
func (e *Environment) Draw(u1, u2 float64) (direction [3]float64, x, y int) {
	y, down := e.find(e.w*e.h, e.h, u1)
	x, right := e.find(y*e.w, e.w, u2)
	top, bottom := e.latitude(y), e.latitude(y+1)
	cos := top + (bottom-top)*down
	sin := math.Sqrt(max(1-cos*cos, 0))
	a, b := math.Sincos(((float64(x)+right)/float64(e.w) - 0.5) * 2 * math.Pi)
	return [3]float64{-sin * a, cos, sin * b}, x, y
}

// At returns the texel in a direction of any length.
func (e *Environment) At(d [3]float64) (x, y int) {
	s := math.Atan2(-d[0], d[2])/(2*math.Pi) + 0.5
	t := 0.5 - math.Atan2(d[1], math.Hypot(d[0], d[2]))/math.Pi
	if s != s || t != t { // one is no number
		return 0, 0
	}
	return min(int(s*float64(e.w)), e.w-1), min(int(t*float64(e.h)), e.h-1)
}

// Pdf returns how likely Draw chooses a texel, per steradian.
func (e *Environment) Pdf(x, y int) float64 {
	row := e.part(e.w*e.h, y) - e.part(e.w*e.h, y-1)
	column := e.part(y*e.w, x) - e.part(y*e.w, x-1)
	return row * column / e.solid(y)
}
