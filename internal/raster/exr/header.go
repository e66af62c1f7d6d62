package exr

import (
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/raster"
)

// What a file begins with, and the flags of its version: "OpenEXR File Layout", components one and two.
const (
	magic     = "\x76\x2f\x31\x01"
	flagTiled = 1 << 9
	flagLong  = 1 << 10 // names of up to 255 bytes
	flagDeep  = 1 << 11
	flagParts = 1 << 12

	mostHeader = 64 << 20 // bytes
)

// Compressions.
const (
	none = iota
	rle
	zips
	zip
	piz
	pxr24
	b44
	b44a
	dwaa
	dwab
)

// compressions has their names, and how many lines a chunk has in a file without tiles.
var compressions = [...]struct {
	name  string
	lines int
}{{"none", 1}, {"RLE", 1}, {"ZIPS", 1}, {"ZIP", 16}, {"PIZ", 32}, {"PXR24", 16}, {"B44", 32}, {"B44A", 32}, {"DWAA", 32}, {"DWAB", 256}}

// numbers are the types of numbers in their order in the file.
var numbers = [...]raster.Type{raster.Uint32, raster.Half, raster.Float}

// Modes of many levels.
const mipmap, ripmap = 1, 2

// channel is a channel as the file has it.
type channel struct {
	name   string
	number raster.Type // Uint32, Half or Float
	linear bool        // it is perceived as linear: B44 and DWA then store it otherwise
	place  int         // where it is in a pixel of a block
	before int         // the size of the channels before it in the file
}

// part is the header of a part. Most files have one.
type part struct {
	number      int    // in a file of many, else -1
	kind        string // "scanlineimage", "tiledimage" or another, which is deep
	channels    []channel
	subsampled  bool // a channel has not a number for each pixel
	compression uint8
	chunks      int64 // how many a file of many says there are, -1 if it does not
	top         int32 // the y of the first line
	size        raster.Size
	tile        raster.Size // empty without tiles
	mode        uint8
	up          bool // the sizes of levels are rounded up
	wrap        [2]string
}

// readParts reads the headers of a file. They end where the tables of offsets begin.
func readParts(r io.ReaderAt, size int64) (parts []part, end int64, err error) {
	for n := min(size, 16<<10); ; n = min(size, 4*n) {
		b := make([]byte, n)
		if err := readAt(r, b, 0); err != nil {
			return nil, 0, err
		}
		c := cursor.New(b, "header")
		parts, err = parseParts(&c)
		if n == size || n > mostHeader || !errors.Is(err, cursor.ErrShort) {
			return parts, n - int64(c.Left()), err
		}
	}
}

func parseParts(c *cursor.Cursor) (parts []part, err error) {
	c.Magic(magic)
	flags := c.Uint32()
	if c.Err() == nil && flags&^(flagTiled|flagLong|flagDeep|flagParts) != 2 {
		return nil, fmt.Errorf("version %#x: %w", flags, raster.ErrUnsupported)
	}
	for c.Err() == nil {
		p := part{number: len(parts), chunks: -1}
		n := p.parse(c)
		switch {
		case flags&flagParts != 0 && n == 0:
			return parts, c.Err()
		case flags&flagParts != 0:
			parts = append(parts, p)
			continue
		case flags&flagDeep != 0:
			p.kind = "deep"
		case flags&flagTiled != 0:
			p.kind = "tiledimage"
		default:
			p.kind = "scanlineimage"
		}
		p.number, p.chunks = -1, -1
		return []part{p}, c.Err()
	}
	return nil, c.Err()
}

// parse reads the attributes of a part and returns how many they are.
func (p *part) parse(c *cursor.Cursor) (n int) {
	for {
		name := text(c)
		if name == "" {
			return n
		}
		n++
		kind := text(c)
		value := cursor.New(c.Bytes(int(int32(c.Uint32()))), "attribute "+name)
		if c.Err() == nil {
			p.attribute(&value, name+" "+kind)
		}
		if err := value.Err(); err != nil {
			c.Fail(err)
		}
	}
}

// attribute takes what the package uses of an attribute: "OpenEXR File Layout", component three.
func (p *part) attribute(c *cursor.Cursor, name string) {
	switch name {
	case "type string":
		p.kind = string(c.Bytes(c.Left()))
	case "channels chlist":
		p.parseChannels(c)
	case "compression compression":
		p.compression = c.Byte()
	case "chunkCount int":
		p.chunks = int64(c.Uint32())
	case "dataWindow box2i":
		left, top := int32(c.Uint32()), int32(c.Uint32())
		right, bottom := int32(c.Uint32()), int32(c.Uint32())
		p.top = top
		p.size = raster.Size{Width: int(right) - int(left) + 1, Height: int(bottom) - int(top) + 1}
	case "tiles tiledesc":
		p.tile = raster.Size{Width: int(c.Uint32()), Height: int(c.Uint32())}
		mode := c.Byte()
		p.mode, p.up = mode&15, mode>>4 == 1
		if p.mode > ripmap || mode>>4 > 1 || min(p.tile.Width, p.tile.Height) < 1 {
			c.Fail(fmt.Errorf("tiles of %d x %d pixels, levels of mode %#x", p.tile.Width, p.tile.Height, mode))
		}
	case "wrapmodes string":
		modes := strings.Split(string(c.Bytes(c.Left())), ",")
		p.wrap = [2]string{strings.TrimSpace(modes[0]), strings.TrimSpace(modes[min(1, len(modes)-1)])}
	}
}

func (p *part) parseChannels(c *cursor.Cursor) {
	p.channels, p.subsampled = nil, false
	for name := text(c); name != ""; name = text(c) {
		number, linear := c.Uint32(), c.Uint32()&1 == 1
		if x, y := c.Uint32(), c.Uint32(); x != 1 || y != 1 {
			p.subsampled = true
		}
		if number >= uint32(len(numbers)) || len(p.channels) == raster.MostChannels {
			c.Fail(fmt.Errorf("channel %d has numbers of type %d", len(p.channels), number))
			return
		}
		p.channels = append(p.channels, channel{name: name, number: numbers[number], linear: linear})
	}
}

// text reads bytes up to a 0.
func text(c *cursor.Cursor) string {
	var b []byte
	for one := c.Byte(); one != 0; one = c.Byte() {
		if b = append(b, one); len(b) > 255 {
			c.Fail(errors.New("a name of more than 255 bytes"))
		}
	}
	return string(b)
}

// describe makes the header of the image, and sets the places of the channels.
func (p *part) describe() (*raster.Header, error) {
	if len(p.channels) == 0 || min(p.size.Width, p.size.Height) < 1 || max(p.size.Width, p.size.Height) > raster.MostEdge {
		return nil, fmt.Errorf("%d x %d pixels of %d channels", p.size.Width, p.size.Height, len(p.channels))
	}
	h := &raster.Header{Type: p.channels[0].number, Wrap: p.wrap, Block: p.tile}
	if h.Block == (raster.Size{}) {
		h.Block = raster.Size{Width: p.size.Width, Height: compressions[p.compression].lines}
	}
	across, down := p.levels()
	for l := range min(across, down) {
		h.Levels = append(h.Levels, p.level(l, l))
	}
	for _, name := range []string{"R", "G", "B", "A"} {
		if slices.ContainsFunc(p.channels, func(c channel) bool { return c.name == name }) {
			h.Channels = append(h.Channels, name)
		}
	}
	for _, c := range p.channels {
		if !slices.Contains(h.Channels, c.name) {
			h.Channels = append(h.Channels, c.name)
		}
		if c.number != h.Type {
			h.Type = raster.Float
		}
	}
	if len(h.Channels) != len(p.channels) {
		return nil, errors.New("two channels of one name")
	}
	before := 0
	for i := range p.channels {
		c := &p.channels[i]
		c.place, c.before = slices.Index(h.Channels, c.name)*h.Type.Size(), before
		before += c.number.Size()
	}
	return h, h.Check()
}

// levels returns how many sizes levels have across and down. Mip levels have both sizes at once, so the
// two numbers are equal; rip levels have each width with each height.
func (p *part) levels() (across, down int) {
	switch p.mode {
	case mipmap:
		n := p.halvings(max(p.size.Width, p.size.Height))
		return n, n
	case ripmap:
		return p.halvings(p.size.Width), p.halvings(p.size.Height)
	}
	return 1, 1
}

// halvings returns how many sizes there are from n to 1.
func (p *part) halvings(n int) int {
	if p.up {
		return bits.Len(uint(n-1)) + 1
	}
	return bits.Len(uint(n))
}

// level returns the size of a level.
func (p *part) level(x, y int) raster.Size {
	halve := func(n, times int) int {
		if p.up {
			n += 1<<times - 1
		}
		return max(n>>times, 1)
	}
	return raster.Size{Width: halve(p.size.Width, x), Height: halve(p.size.Height, y)}
}

// count returns how many chunks a part has, and the number of the first chunk of each level of its header.
// Those levels of a rip map are the ones halved as often across as down; in the file the times across run fastest.
func (p *part) count(h *raster.Header) (n int, first []int) {
	across, down := p.levels()
	for y := range down {
		for x := range across {
			if x == y {
				first = append(first, n)
			}
			if x == y || p.mode == ripmap {
				s := p.level(x, y)
				n += (s.Width + h.Block.Width - 1) / h.Block.Width * ((s.Height + h.Block.Height - 1) / h.Block.Height)
			}
		}
	}
	return n, first
}
