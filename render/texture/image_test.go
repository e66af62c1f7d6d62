package texture_test

import (
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/cairnvoxel/cairn/internal/raster"
	"github.com/cairnvoxel/cairn/render/texture"
)

// picture is an image in memory: a raster.Image, and its values for the slow twin.
type picture struct {
	header raster.Header
	levels [][]byte    // numbers, row by row
	values [][]float64 // of the numbers, without the curve of sRGB
	reads  atomic.Int64
	// fail, if not nil, may refuse a block.
	fail func(level, x, y int) error
}

// newPicture makes an image whose finest level has the values of at, and whose others are
// means of the texels that they cover.
func newPicture(h raster.Header, at func(x, y, c int) float64) *picture {
	p := &picture{header: h}
	channels := len(h.Channels)
	for i, size := range h.Levels {
		values := make([]float64, size.Width*size.Height*channels)
		for y := range size.Height {
			for x := range size.Width {
				for c := range channels {
					v := &values[(y*size.Width+x)*channels+c]
					if i == 0 {
						*v = at(x, y, c)
						continue
					}
					above := h.Levels[i-1]
					for _, d := range [][2]int{{0, 0}, {1, 0}, {0, 1}, {1, 1}} {
						x, y := min(2*x+d[0], above.Width-1), min(2*y+d[1], above.Height-1)
						*v += p.values[i-1][(y*above.Width+x)*channels+c] / 4
					}
				}
			}
		}
		floats := make([]float32, len(values))
		for j, v := range values {
			floats[j] = float32(v)
		}
		numbers := make([]byte, len(values)*h.Type.Size())
		h.Type.Put(numbers, floats)
		h.Type.Floats(floats, numbers) // rounded
		for j, v := range floats {
			values[j] = float64(v)
		}
		p.levels, p.values = append(p.levels, numbers), append(p.values, values)
	}
	return p
}

func (p *picture) Header() *raster.Header { return &p.header }

func (p *picture) ReadBlock(level, x, y int, dst []byte) error {
	p.reads.Add(1)
	if p.fail != nil {
		if err := p.fail(level, x, y); err != nil {
			return err
		}
	}
	h := &p.header
	size := h.BlockSize(level, x, y)
	row := size.Width * h.Pixel()
	if len(dst) != row*size.Height {
		return fmt.Errorf("a buffer of %d bytes for %v", len(dst), size)
	}
	for i := range size.Height {
		at := ((y*h.Block.Height+i)*h.Levels[level].Width + x*h.Block.Width) * h.Pixel()
		copy(dst[i*row:][:row], p.levels[level][at:])
	}
	return nil
}

// mips returns the sizes of all levels of an image.
func mips(w, h int) (all []raster.Size) {
	for {
		all = append(all, raster.Size{Width: w, Height: h})
		if w == 1 && h == 1 {
			return all
		}
		w, h = max(w/2, 1), max(h/2, 1)
	}
}

// album has images by name.
type album map[string]texture.Image

func (a album) open(name string) (texture.Image, io.Closer, error) {
	if p := a[name]; p != nil {
		return p, nil, nil
	}
	return nil, nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
}

// members finds the images of a set, whose name ends with an asterisk.
func (a album) members(name string) (map[int]string, error) {
	begin, ok := strings.CutSuffix(name, "*")
	if !ok {
		return nil, nil
	}
	all := make(map[int]string)
	for name := range a {
		if end, ok := strings.CutPrefix(name, begin); ok {
			n, err := strconv.Atoi(end)
			if err != nil {
				return nil, err
			}
			all[n] = name
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	return all, nil
}
