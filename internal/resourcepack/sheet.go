package resourcepack

import (
	"math"

	"github.com/cairnvoxel/cairn/internal/raster"
)

// sheet is a tile as an image with levels: red, green, blue and alpha.
type sheet [][]float32

// sheetHeader describes each sheet.
var sheetHeader = func() *raster.Header {
	h := &raster.Header{
		Channels: []string{"R", "G", "B", "A"}, Type: raster.Float, Block: raster.Size{Width: Edge, Height: Edge},
		Wrap: [2]string{"periodic", "periodic"},
	}
	for edge := Edge; edge > 0; edge /= 2 {
		h.Levels = append(h.Levels, raster.Size{Width: edge, Height: edge})
	}
	return h
}()

// Tile returns a tile as an image in linear light, with levels down to one pixel. Its colours are not multiplied by
// its alpha, and a pixel that one sees through has the mean colour of the others.
func (a *Atlas) Tile(n int) raster.Image {
	t := a.tiles[n].opaque()
	s := sheet{make([]float32, 0, 4*len(t))}
	for _, c := range t {
		s[0] = append(s[0], linear(c.R), linear(c.G), linear(c.B), float32(c.A)/255)
	}
	for edge := Edge / 2; edge > 0; edge /= 2 {
		fine, coarse := s[len(s)-1], make([]float32, 4*edge*edge)
		for i := range coarse {
			x, y, c := i/4%edge, i/4/edge, i%4
			at := 4*(2*y*2*edge+2*x) + c
			coarse[i] = (fine[at] + fine[at+4] + fine[at+8*edge] + fine[at+8*edge+4]) / 4
		}
		s = append(s, coarse)
	}
	return s
}

// linear decodes the curve of sRGB.
func linear(v uint8) float32 {
	f := float64(v) / 255
	if f <= 0.04045 {
		return float32(f / 12.92)
	}
	return float32(math.Pow((f+0.055)/1.055, 2.4))
}

func (s sheet) Header() *raster.Header { return sheetHeader }

func (s sheet) ReadBlock(level, _, _ int, dst []byte) error {
	raster.Float.Put(dst, s[level])
	return nil
}
