// Package radiance reads Radiance pictures (.hdr, .pic) of red, green, blue and an exponent: scanlines
// in the run-length code of now, in the one from before 1991, or without any, in all eight orders.
//
// A byte m of a pixel with the exponent e is m * 2^(e-136), divided by EXPOSURE, which says by what the
// numbers were multiplied.
package radiance

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/raster"
)

const (
	mostHeader = 1 << 16 // bytes of the lines of text before the pixels
	block      = 64      // edge of a block
)

// picture is a file in memory.
type picture struct {
	header             raster.Header
	scale              [1 << 8]float32 // of each exponent
	pixels             []byte          // four each
	first, right, down int             // the pixel at the top left, and how far it is to the next ones
}

var _ raster.Image = (*picture)(nil)

// Open reads a file, which takes 4 bytes of memory for each pixel.
func Open(r io.ReaderAt, size int64) (raster.Image, error) {
	p, err := read(raster.Input{R: r, Size: size})
	if err != nil {
		return nil, fmt.Errorf("radiance: %w", err)
	}
	return p, nil
}

func read(in raster.Input) (*picture, error) {
	src, err := in.Bytes(nil, "file", 0, in.Size)
	if err != nil {
		return nil, err
	}
	head := src[:min(in.Size, mostHeader)]
	text, exposure := string(head), 1.0
	for line := "#"; line != ""; { // to the empty line
		at, ok := int64(len(head)-len(text)), false
		if line, text, ok = strings.Cut(text, "\n"); !ok || at == 0 && !strings.HasPrefix(line, "#?") {
			return nil, &cursor.CorruptError{Offset: at, Part: "header", Err: fmt.Errorf("%.10q where a line is to be", line)}
		}
		line = strings.TrimSuffix(line, "\r")
		switch name, value, _ := strings.Cut(line, "="); strings.TrimSpace(name) {
		case "FORMAT":
			if value = strings.TrimSpace(value); value != "32-bit_rle_rgbe" {
				return nil, fmt.Errorf("%w: format %s", raster.ErrUnsupported, value)
			}
		case "EXPOSURE":
			f, err := strconv.ParseFloat(strings.TrimSpace(value), 32)
			if exposure *= f; err != nil || !(exposure > 1e-30 && exposure < 1e30) {
				return nil, &cursor.CorruptError{Offset: at, Part: "header", Err: fmt.Errorf("%.40q", line)}
			}
		}
	}
	at := int64(len(head) - len(text))
	line, _, ok := strings.Cut(text, "\n")
	p := new(picture)
	length, err := p.resolution(strings.Fields(line))
	if err != nil || !ok {
		return nil, &cursor.CorruptError{Offset: at, Part: "resolution", Err: fmt.Errorf("%.40q: %w", line, err)}
	}
	for e := 1; e < len(p.scale); e++ {
		p.scale[e] = float32(math.Ldexp(1/exposure, e-136))
	}
	size := 4 * p.header.Levels[0].Width * p.header.Levels[0].Height
	if err := in.Afford(int64(size)); err != nil {
		return nil, err
	}
	p.pixels, src = make([]byte, size), src[at+int64(len(line))+1:]
	for i := 0; i < size; i += 4 * length {
		if src, err = scanline(p.pixels[i:i+4*length], src); err != nil {
			return nil, &cursor.CorruptError{Offset: in.Size - int64(len(src)), Part: fmt.Sprintf("scanline %d", i/4/length), Err: err}
		}
	}
	return p, nil
}

// resolution takes in the line that says the size and the order of the pixels, such as -Y 512 +X 1024:
// rows downward, each from the left. It returns the length of a scanline.
func (p *picture) resolution(words []string) (length int, err error) {
	backward := map[string]bool{"-Y": false, "+Y": true, "+X": false, "-X": true}
	if len(words) != 4 {
		return 0, fmt.Errorf("%d words: want 4", len(words))
	}
	last, ok := backward[words[0]]
	mirrored, also := backward[words[2]]
	if !ok || !also || words[0][1] == words[2][1] {
		return 0, errors.New("an unknown order")
	}
	scanlines, err := strconv.Atoi(words[1])
	if err == nil {
		length, err = strconv.Atoi(words[3])
	}
	if err != nil {
		return 0, err
	}
	next, scanline := 1, length // how far the next pixel and the next scanline are
	if mirrored {
		p.first, next = length-1, -1
	}
	if last {
		p.first, scanline = p.first+(scanlines-1)*length, -length
	}
	size := raster.Size{Width: length, Height: scanlines}
	if p.right, p.down = next, scanline; words[0][1] == 'X' {
		p.right, p.down, size = scanline, next, raster.Size{Width: scanlines, Height: length}
	}
	p.header = raster.Header{Levels: []raster.Size{size}, Channels: []string{"R", "G", "B"}, Type: raster.Float, Block: raster.Size{Width: block, Height: block}}
	return length, p.header.Check()
}

var errRun = errors.New("a run that does not fit")

// scanline fills dst with pixels from the bytes of red, then those of green and so on. It returns what
// is left of src.
func scanline(dst, src []byte) (rest []byte, err error) {
	n := len(dst) / 4
	if n < 8 || n > math.MaxInt16 || len(src) < 4 || src[0] != 2 || src[1] != 2 || src[2] > 127 {
		return oldScanline(dst, src)
	}
	if width := int(src[2])<<8 | int(src[3]); width != n {
		return src, fmt.Errorf("%d pixels: want %d", width, n)
	}
	src = src[4:]
	for c := range 4 {
		for i := c; i < len(dst); {
			if len(src) < 2 {
				return src, io.ErrUnexpectedEOF
			}
			run, bytes := int(src[0]), int(src[0])
			if src = src[1:]; run > 128 {
				run, bytes = run-128, 1
			}
			if run == 0 || i+4*(run-1) >= len(dst) {
				return src, errRun
			}
			if len(src) < bytes {
				return src, io.ErrUnexpectedEOF
			}
			for k := range run {
				dst[i] = src[min(k, bytes-1)]
				i += 4
			}
			src = src[bytes:]
		}
	}
	return src, nil
}

// oldScanline fills dst with pixels one by one, where 1, 1, 1, n repeats the pixel before n times. Such
// runs in a row are the digits of a number, the least first.
func oldScanline(dst, src []byte) (rest []byte, err error) {
	for i, shift := 0, 0; i < len(dst); src = src[4:] {
		if len(src) < 4 {
			return src, io.ErrUnexpectedEOF
		}
		if src[0] != 1 || src[1] != 1 || src[2] != 1 {
			i, shift = i+copy(dst[i:], src[:4]), 0
			continue
		}
		run := int(src[3]) << shift
		if i == 0 || shift > 24 || run > (len(dst)-i)/4 {
			return src, errRun
		}
		for range run {
			i += copy(dst[i:], dst[i-4:i])
		}
		shift += 8
	}
	return src, nil
}

func (p *picture) Header() *raster.Header { return &p.header }

func (p *picture) ReadBlock(level, x, y int, dst []byte) error {
	if err := p.header.CheckBlock(level, x, y, dst); err != nil {
		return fmt.Errorf("radiance: %w", err)
	}
	size := p.header.BlockSize(level, x, y)
	for i := range size.Width * size.Height {
		at := p.first + (x*block+i%size.Width)*p.right + (y*block+i/size.Width)*p.down
		pixel := p.pixels[4*at:][:4]
		for c := range 3 {
			binary.LittleEndian.PutUint32(dst[12*i+4*c:], math.Float32bits(float32(pixel[c])*p.scale[pixel[3]]))
		}
	}
	return nil
}
