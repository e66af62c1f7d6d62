package tiff

import (
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/internal/raster"
)

// The values of tags.
const (
	none, lzw, deflate, oldDeflate, packBits = 1, 5, 8, 32946, 32773 // compression

	whiteIsZero, blackIsZero, rgb, palette = 0, 1, 2, 3 // photometric

	signed, floating = 2, 3 // sample format

	differences, floatDifferences = 2, 3 // predictor
)

// A layout says how the numbers of a picture are stored. The levels of an image have the same.
type layout struct {
	samples     int // of a pixel
	bits        int // of a sample
	format      int // of a sample
	kind        raster.Type
	planes      int // 1, or one for each sample
	width       int // of a tile, 0 for strips
	rows        int // of a tile or a strip
	compression int
	predictor   int
	photometric int
}

// layout reads the tags that say how the picture is stored, and its size.
func (d *directory) layout() (l layout, size raster.Size, err error) {
	var order, orientation, planes, tileRows int
	for _, t := range []struct {
		tag     uint16
		to      *int
		missing int
	}{
		{277, &l.samples, 1}, {258, &l.bits, 1}, {339, &l.format, 1}, {256, &size.Width, 0}, {257, &size.Height, 0},
		{259, &l.compression, none}, {262, &l.photometric, -1}, {266, &order, 1}, {274, &orientation, 1}, {284, &planes, 1},
		{317, &l.predictor, 1}, {278, &l.rows, raster.MostEdge}, {322, &l.width, 0}, {323, &tileRows, 0},
	} {
		if *t.to, err = d.one(t.tag, max(l.samples, 1), t.missing); err != nil {
			return l, size, err
		}
	}
	if l.rows = min(l.rows, raster.MostEdge); l.width != 0 {
		l.rows = tileRows
	}
	for _, edge := range []int{size.Width, size.Height, l.rows, max(l.width, 1)} {
		if edge < 1 || edge > raster.MostEdge || l.samples < 1 || l.samples > raster.MostChannels {
			return l, size, d.fault(256, "%d x %d pixels of %d samples, in tiles of %d x %d", size.Width, size.Height, l.samples, l.width, l.rows)
		}
	}
	if l.planes = 1; planes == 2 {
		l.planes = l.samples
	}
	if l.photometric < 0 {
		l.photometric = blackIsZero
		if l.samples >= 3 {
			l.photometric = rgb
		}
	}
	if !slices.Contains([]int{lzw, deflate, oldDeflate}, l.compression) {
		l.predictor = 1 // the tag belongs to these
	}
	switch {
	case orientation != 1:
		return l, size, unsupported("orientation", orientation)
	case order != 1:
		return l, size, unsupported("fill order", order)
	case planes != 1 && planes != 2:
		return l, size, unsupported("planar configuration", planes)
	}
	err = l.check()
	return l, size, err
}

// check sets the type of the numbers, or says what of the layout is not read.
func (l *layout) check() error {
	if l.format == 4 {
		l.format = 1 // numbers of which nothing is said
	}
	var ok bool
	l.kind, ok = map[[2]int]raster.Type{
		{1, 1}: raster.Uint8, {2, 1}: raster.Uint8, {4, 1}: raster.Uint8, {8, 1}: raster.Uint8,
		{16, 1}: raster.Uint16, {32, 1}: raster.Uint32, {16, signed}: raster.Uint16, {16, floating}: raster.Half, {32, floating}: raster.Float,
	}[[2]int{l.bits, l.format}]
	switch {
	case !ok:
		return unsupported(fmt.Sprintf("samples of %d bits in format", l.bits), l.format)
	case !slices.Contains([]int{none, lzw, deflate, oldDeflate, packBits}, l.compression):
		return unsupported("compression", l.compression)
	case l.photometric > palette:
		return unsupported("photometric", l.photometric)
	case l.photometric == whiteIsZero && l.format != 1 || l.photometric == palette && (l.bits > 8 || l.samples != 1):
		return unsupported(fmt.Sprintf("%d samples of %d bits in format %d and photometric", l.samples, l.bits, l.format), l.photometric)
	case l.predictor < 1 || l.predictor > floatDifferences || l.predictor == floatDifferences && l.format != floating || l.predictor != 1 && l.bits < 8:
		return unsupported(fmt.Sprintf("samples of %d bits in format %d and predictor", l.bits, l.format), l.predictor)
	}
	return nil
}

// names says what the numbers mean that files of our days have.
var names = map[string]string{
	"compression 2": " (fax)", "compression 3": " (fax)", "compression 4": " (fax)", "compression 6": " (old JPEG)", "compression 7": " (JPEG)",
	"compression 34925": " (LZMA)", "compression 50000": " (Zstandard)", "photometric 5": " (CMYK)", "photometric 6": " (YCbCr)",
}

func unsupported(tag string, value int) error {
	text := fmt.Sprintf("%s %d", tag, value)
	return fmt.Errorf("%w: %s%s", raster.ErrUnsupported, text, names[text])
}

// row returns the pixels of a row of a segment in a level of that width, and their size in bytes.
func (l *layout) row(width int) (pixels, bytes int) {
	if l.width != 0 {
		width = l.width
	}
	return width, (width*l.samples/l.planes*l.bits + 7) / 8
}

// A segment is the bytes of a tile or of a strip.
type segment struct{ at, size int64 }

// segments returns where the tiles or strips of a picture are: plane by plane, row by row.
func (d *directory) segments(l layout, size raster.Size) ([]segment, error) {
	places, counts, across := uint16(273), uint16(279), 1
	if l.width != 0 {
		places, counts, across = 324, 325, (size.Width+l.width-1)/l.width
	}
	n := int64(across) * int64((size.Height+l.rows-1)/l.rows) * int64(l.planes)
	at, err := d.numbers(places, n)
	if err != nil {
		return nil, err
	}
	bytes, err := d.numbers(counts, n)
	if err != nil {
		return nil, err
	}
	all := make([]segment, n)
	for i := range all {
		all[i] = segment{int64(at[i]), int64(bytes[i])}
		if s := all[i]; s.at < 0 || s.size < 0 || s.at > d.Size || s.size > d.Size-s.at {
			return nil, d.fault(places, "%d bytes at %d: the file ends at %d", bytes[i], at[i], d.Size)
		}
	}
	return all, nil
}

// channels names the samples of a pixel.
func (d *directory) channels(l layout) (names []string, err error) {
	names = []string{"R", "G", "B"}
	if l.photometric == palette {
		return names, nil
	} else if l.photometric != rgb {
		names = []string{"Y"}
	}
	names, extra := names[:min(len(names), l.samples)], 0
	if l.samples == len(names)+1 {
		extra = 2 // who does not say what one more sample is means alpha
	}
	if extra, err = d.one(338, 1, extra); err != nil {
		return nil, err
	}
	for i := len(names); i < l.samples; i++ {
		name := fmt.Sprint("channel", i)
		if extra == 1 || extra == 2 {
			name, extra = "A", 0
		}
		names = append(names, name)
	}
	return names, nil
}

// palette returns the three numbers of each value of so many bits.
func (d *directory) palette(bits int) ([]byte, error) {
	n := 1 << bits
	all, err := d.numbers(320, int64(3*n))
	if err != nil {
		return nil, err
	}
	out := make([]byte, len(all))
	for i, v := range all {
		out[i%n*3+i/n] = byte(v >> 8)
	}
	return out, nil
}
