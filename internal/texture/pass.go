package texture

import (
	"context"

	"github.com/cairnvoxel/cairn/internal/raster"
)

// pass makes the levels of one image from its rows.
type pass struct {
	m      *Maker
	from   *raster.Header
	same   bool      // the first level is stored as it is read
	row    []float32 // linear values of the first level
	line   []float32 // those of a level, in sRGB
	levels []level
}

// level is a level under way.
type level struct {
	raster.Size
	refs   []uint32 // of the tiles to come
	rows   []byte   // pixels, at most a row of tiles
	y      int      // rows so far
	halver *halver  // makes the next level; nil in the last
}

func newPass(m *Maker, from *raster.Header) *pass {
	mine, n := &m.dir.pictures[len(m.dir.pictures)-1], len(from.Channels)
	p := &pass{
		m: m, from: from, same: from.Type == mine.header.Type && from.SRGB == mine.header.SRGB,
		row: make([]float32, from.Levels[0].Width*n), line: make([]float32, from.Levels[0].Width*n),
	}
	for i, s := range mine.header.Levels {
		l := level{Size: s, refs: m.dir.refs[mine.first[i]:]}
		if i+1 < len(mine.header.Levels) {
			l.halver = newHalver(s, mine.header.Levels[i+1], n)
		}
		p.levels = append(p.levels, l)
	}
	return p
}

// run reads the image by rows of blocks.
func (p *pass) run(ctx context.Context, image raster.Image) error {
	across, down := p.from.Blocks(0)
	pixel := p.from.Pixel()
	line := p.from.Levels[0].Width * pixel
	var strip, block []byte
	for y := range down {
		height := p.from.BlockSize(0, 0, y).Height
		strip = sized(strip, height*line)
		for x := range across {
			if err := ctx.Err(); err != nil {
				return err
			}
			n := p.from.BlockSize(0, x, y).Width * pixel
			block = sized(block, height*n)
			if err := image.ReadBlock(0, x, y, block); err != nil {
				return err
			}
			for i := range height {
				copy(strip[i*line+x*p.from.Block.Width*pixel:], block[i*n:][:n])
			}
		}
		for i := range height {
			if p.push(strip[i*line:][:line]); p.m.err != nil {
				return p.m.err
			}
		}
	}
	return nil
}

// sized returns n bytes, of b if that has them.
func sized(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}

// push takes a row of the first level as it was read.
func (p *pass) push(b []byte) {
	p.read(b)
	row := p.row
	for i := range p.levels {
		l := &p.levels[i]
		if i == 0 && p.same {
			l.rows = append(l.rows, b...)
		} else {
			l.rows = p.append(l.rows, row)
		}
		if l.y++; l.y%p.m.o.Tile == 0 || l.y == l.Height {
			p.flush(l)
		}
		if l.halver == nil {
			return
		}
		if row = l.halver.push(l.y-1, row); row == nil {
			return
		}
	}
}

// read makes p.row the linear values of numbers.
func (p *pass) read(b []byte) {
	n, size := len(p.from.Channels), p.from.Type.Size()
	if size == 4 {
		p.from.Linearize(b)
		raster.Float.Floats(p.row, b)
		return
	}
	for c := range n {
		curve := p.from.Curve(c)
		for i := c; i < len(p.row); i += n {
			number := uint16(b[i*size])
			if size == 2 {
				number |= uint16(b[i*size+1]) << 8
			}
			p.row[i] = curve[number]
		}
	}
}

// append appends a row of values as numbers of the file.
func (p *pass) append(dst []byte, row []float32) []byte {
	h := &p.m.dir.header
	if h.SRGB {
		row = p.line[:copy(p.line, row)]
		for i, v := range row {
			if h.Channels[i%len(h.Channels)] != "A" {
				row[i] = raster.Encoded(v)
			}
		}
	}
	at := len(dst)
	dst = append(dst, make([]byte, len(row)*h.Type.Size())...)
	h.Type.Put(dst[at:], row)
	return dst
}

// flush writes the rows of a level as tiles.
func (p *pass) flush(l *level) {
	h := &p.m.dir.header
	pixel, jobs := h.Pixel(), p.m.jobs[:0]
	line := l.Width * pixel
	height := len(l.rows) / line
	for x := 0; x < l.Width; x += p.m.o.Tile {
		jobs = jobs[:len(jobs)+1]
		j := &jobs[len(jobs)-1]
		j.shape = shape{raster.Size{Width: min(p.m.o.Tile, l.Width-x), Height: height}, len(h.Channels), h.Type}
		j.ref, l.refs = &l.refs[0], l.refs[1:]
		j.pixels = j.pixels[:0]
		for y := range height {
			j.pixels = append(j.pixels, l.rows[y*line+x*pixel:][:j.Width*pixel]...)
		}
		if len(jobs) == cap(jobs) || x+p.m.o.Tile >= l.Width {
			p.m.tiles(jobs)
			jobs = jobs[:0]
		}
	}
	l.rows = l.rows[:0]
}
