// Package bitmap reads PNG and JPEG, whole, by the standard library.
//
// Numbers have 8 or 16 bits. Fewer become 8, and a palette becomes the colours. Grey is Y. Alpha is as
// it is stored: colours are not multiplied by it. Numbers of colours are those of sRGB, unless the
// gAMA chunk of a PNG, without a profile beside it, says that they are linear. What a JPEG says of how
// the camera was held is ignored.
package bitmap

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"strings"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/raster"
)

const (
	block = 64 // edge of a block
	// mostScans bounds the scans of a JPEG. Each is a pass over all of it, and takes few bytes.
	mostScans = 500
)

// picture is a file in memory.
type picture struct {
	header raster.Header
	put    func(dst []byte, x, y int) // writes a pixel
}

var _ raster.Image = (*picture)(nil)

// Open reads a file.
func Open(r io.ReaderAt, size int64) (raster.Image, error) {
	p, err := read(raster.Input{R: r, Size: size})
	if err != nil {
		return nil, fmt.Errorf("bitmap: %w", err)
	}
	return p, nil
}

func read(in raster.Input) (*picture, error) {
	src, err := in.Bytes(nil, "file", 0, in.Size)
	if err != nil {
		return nil, err
	}
	about, config, decode := aboutJPEG, jpeg.DecodeConfig, jpeg.Decode
	if bytes.HasPrefix(src, []byte("\x89PNG")) {
		about, config, decode = aboutPNG, png.DecodeConfig, png.Decode
	}
	r := bytes.NewReader(src)
	c, err := config(r)
	if err != nil {
		return nil, fault(err, in.Size-int64(r.Len()))
	}
	if c.ColorModel == color.CMYKModel {
		return nil, fmt.Errorf("%w: CMYK", raster.ErrUnsupported)
	}
	a, err := about(src, c.ColorModel)
	if err != nil {
		return nil, err
	}
	if err := in.Afford(int64(c.Width) * int64(c.Height) * a.bytes / 2); err != nil {
		return nil, fmt.Errorf("%d x %d pixels: %w", c.Width, c.Height, err)
	}
	r.Reset(src)
	m, err := decode(r)
	if err != nil {
		return nil, fault(err, in.Size-int64(r.Len()))
	}
	p := &picture{header: raster.Header{Levels: []raster.Size{{Width: c.Width, Height: c.Height}}, Block: raster.Size{Width: block, Height: block}, SRGB: !a.linear}}
	if err := p.show(m, a.grey); err != nil {
		return nil, err
	}
	if err := p.header.Check(); err != nil { // jpeg takes a picture without a pixel
		return nil, fault(err, 0)
	}
	return p, nil
}

// fault returns the error of a decoder that had come to a place.
func fault(err error, at int64) error {
	if errors.As(err, new(png.UnsupportedError)) || errors.As(err, new(jpeg.UnsupportedError)) {
		return fmt.Errorf("%w: %w", raster.ErrUnsupported, err)
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return &cursor.CorruptError{Offset: at, Part: "picture", Err: err}
}

// about is what the decoders do not say of a file.
type about struct {
	bytes  int64 // of memory that two pixels take while they are decoded
	linear bool  // the numbers
	grey   bool  // the colours
}

// aboutPNG looks at the chunks before the pixels.
func aboutPNG(src []byte, _ color.Model) (a about, err error) {
	depth, colour, interlaced := src[24], src[25], src[28] != 0
	a.grey = colour&^4 == 0
	samples := int64(4)
	if colour == 0 || colour == 3 {
		samples = 1
	}
	profile := false
	for at, name := int64(8), ""; name != "IDAT"; {
		if int64(len(src))-at < 12 {
			return a, &cursor.CorruptError{Offset: at, Part: "chunk", Err: io.ErrUnexpectedEOF}
		}
		switch name = string(src[at+4 : at+8]); name {
		case "gAMA":
			a.linear = binary.BigEndian.Uint32(src[at+8:]) == 100000
		case "sRGB", "iCCP":
			profile = true
		case "tRNS":
			if a.grey {
				samples = 4
			}
		}
		at += 12 + int64(binary.BigEndian.Uint32(src[at:]))
	}
	a.linear = a.linear && !profile
	a.bytes = 2 * samples * int64(max(depth/8, 1))
	if interlaced {
		a.bytes += a.bytes / 2 // half of the pixels come last
	}
	return a, nil
}

// aboutJPEG looks for the marker of a frame, which says how many samples there are of what.
func aboutJPEG(src []byte, model color.Model) (a about, err error) {
	if bytes.Count(src, []byte{0xFF, 0xDA}) > mostScans {
		return a, fmt.Errorf("%w: more than %d scans", raster.ErrUnsupported, mostScans)
	}
	a.bytes = 2 * 3 * (1 + 4) // of three full samples with their coefficients
	for at := 2; at+10 <= len(src) && src[at] == 0xFF; at += 2 + int(binary.BigEndian.Uint16(src[at+2:])) {
		marker, n := src[at+1], int(src[at+9])
		if marker < 0xC0 || marker > 0xC2 || at+10+3*n > len(src) {
			continue
		}
		sum, most := 0, 1
		for i := range n {
			factors := int(src[at+11+3*i])
			sum, most = sum+factors>>4*(factors&15), max(most, factors>>4*(factors&15))
		}
		a.bytes = int64((2*sum + most - 1) / most)
		if marker == 0xC2 { // progressive: all coefficients are kept
			a.bytes *= 1 + 4
		}
		break
	}
	if model == color.RGBAModel {
		a.bytes += 2 * 4 // it becomes another picture
	}
	return a, nil
}

// show sets the channels, and how they are taken from a picture. Grey ones may be kept as colours.
func (p *picture) show(m image.Image, grey bool) error {
	switch m := m.(type) {
	case *image.Gray:
		p.samples(m.Pix, m.Stride, 1, raster.Uint8, "Y")
	case *image.Gray16:
		p.samples(m.Pix, m.Stride, 1, raster.Uint16, "Y")
	case *image.RGBA: // opaque
		p.samples(m.Pix, m.Stride, 4, raster.Uint8, "RGB")
	case *image.RGBA64:
		p.samples(m.Pix, m.Stride, 4, raster.Uint16, "RGB")
	case *image.NRGBA:
		p.samples(m.Pix, m.Stride, 4, raster.Uint8, colours(grey))
	case *image.NRGBA64:
		p.samples(m.Pix, m.Stride, 4, raster.Uint16, colours(grey))
	case *image.YCbCr:
		p.name(raster.Uint8, "RGB")
		p.put = func(dst []byte, x, y int) {
			c := m.YCbCrAt(x, y)
			dst[0], dst[1], dst[2] = color.YCbCrToRGB(c.Y, c.Cb, c.Cr)
		}
	case *image.Paletted:
		names := "RGB"
		var table [1 << 8]color.NRGBA
		for i, c := range m.Palette {
			table[i] = color.NRGBAModel.Convert(c).(color.NRGBA)
			if table[i].A != 0xFF {
				names = "RGBA"
			}
		}
		p.name(raster.Uint8, names)
		p.put = func(dst []byte, x, y int) {
			c := table[m.ColorIndexAt(x, y)]
			copy(dst, []byte{c.R, c.G, c.B, c.A})
		}
	default:
		return fmt.Errorf("%w: %T", raster.ErrUnsupported, m)
	}
	return nil
}

func colours(grey bool) string {
	if grey {
		return "YA"
	}
	return "RGBA"
}

func (p *picture) name(t raster.Type, names string) {
	p.header.Type, p.header.Channels = t, strings.Split(names, "")
}

// samples shows pixels of so many samples, big-endian.
func (p *picture) samples(pix []byte, stride, samples int, t raster.Type, names string) {
	p.name(t, names)
	size := t.Size()
	p.put = func(dst []byte, x, y int) {
		src := pix[y*stride+x*samples*size:][:samples*size]
		for i := range len(names) {
			from := i
			if i > 0 && names == "YA" {
				from = 3
			}
			for b := range size {
				dst[i*size+b] = src[from*size+size-1-b]
			}
		}
	}
}

func (p *picture) Header() *raster.Header { return &p.header }

func (p *picture) ReadBlock(level, x, y int, dst []byte) error {
	if err := p.header.CheckBlock(level, x, y, dst); err != nil {
		return fmt.Errorf("bitmap: %w", err)
	}
	size, pixel := p.header.BlockSize(level, x, y), p.header.Pixel()
	for i := range size.Width * size.Height {
		p.put(dst[i*pixel:][:pixel], x*block+i%size.Width, y*block+i/size.Width)
	}
	return nil
}
