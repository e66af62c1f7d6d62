package exr

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/raster"
)

// How DWA stores a channel.
const (
	plain = iota // as it is
	lossy        // by cosines
	runs         // by runs of its bytes
)

// chunkSizes are what a chunk begins with: its version, sizes in bytes before and after compression, and
// how many cosines and means there are. Means are the first cosines of squares, and apart from the others.
type chunkSizes struct {
	version, plain, plainPacked, cosinesPacked, meansPacked, runsPacked, runsLess, runs, cosines, means, deflated int
}

// undwa decodes DWAA and DWAB to d.raw.
func (d *decoder) undwa(f *file, s raster.Size, src []byte) error {
	c := cursor.New(src, "sizes")
	var n chunkSizes
	for _, v := range []*int{&n.version, &n.plain, &n.plainPacked, &n.cosinesPacked, &n.meansPacked,
		&n.runsPacked, &n.runsLess, &n.runs, &n.cosines, &n.means, &n.deflated} {
		*v = int(min(c.Uint64(), math.MaxInt32))
	}
	if c.Err() == nil && (n.version != 2 || n.deflated > 1) {
		return fmt.Errorf("version %d with cosines of kind %d: %w", n.version, n.deflated, raster.ErrUnsupported)
	}
	ways, sets := classify(&c, f.channels)
	if c.Err() != nil {
		return c.Err()
	}
	if err := n.check(f.channels, ways, s); err != nil {
		return err
	}
	if err := d.unpack(&n, &c); err != nil {
		return err
	}
	d.raw = sized(d.raw, f.rawSize(s))
	l := lossyChannels{f, d.raw, s, d.words, d.means}
	for _, set := range sets {
		if err := l.decode(true, set...); err != nil {
			return err
		}
	}
	left := [...][]byte{plain: d.mixed, runs: d.runs}
	for i := range f.channels {
		c := &f.channels[i]
		if ways[i] == lossy {
			if !slices.ContainsFunc(sets, func(set []int) bool { return slices.Contains(set, i) }) {
				if err := l.decode(!c.linear, i); err != nil {
					return err
				}
			}
			continue
		}
		size, plane := c.number.Size(), s.Width*s.Height
		in := left[ways[i]]
		left[ways[i]] = in[size*plane:]
		for y := range s.Height {
			row := f.row(d.raw, c, s.Width, y)
			if ways[i] == plain {
				copy(row, in[y*len(row):])
				continue
			}
			for k := range row { // the first bytes of all numbers, then the second ones
				row[k] = in[k%size*plane+y*s.Width+k/size]
			}
		}
	}
	return nil
}

// check compares the sizes with what the channels take.
func (n *chunkSizes) check(channels []channel, ways []uint8, s raster.Size) error {
	squares := (s.Width + 7) / 8 * ((s.Height + 7) / 8)
	var bytes, count [3]int
	for i, c := range channels {
		bytes[ways[i]] += s.Width * s.Height * c.number.Size()
		count[ways[i]]++
	}
	if n.plain != bytes[plain] || n.runs != bytes[runs] || n.runsLess > 2*n.runs || n.means != squares*count[lossy] || n.cosines > 63*n.means {
		return fmt.Errorf("sizes %d do not fit %d pixels", *n, s.Width*s.Height)
	}
	return nil
}

// unpack decodes the streams of a chunk: the plain channels to d.mixed.
func (d *decoder) unpack(n *chunkSizes, c *cursor.Cursor) error {
	plainPacked, cosinesPacked := c.Bytes(n.plainPacked), c.Bytes(n.cosinesPacked)
	meansPacked, runsPacked := c.Bytes(n.meansPacked), c.Bytes(n.runsPacked)
	if c.Err() != nil {
		return c.Err()
	}
	d.words, d.means, d.runs = sized(d.words, n.cosines), sized(d.means, 2*n.means), sized(d.runs, n.runs)
	if n.deflated == 0 && n.cosines > 0 {
		if err := d.huffman(d.words, cosinesPacked); err != nil {
			return err
		}
	}
	if n.deflated == 1 {
		if err := d.inflate(2*n.cosines, cosinesPacked); err != nil {
			return err
		}
		for i := range d.words {
			d.words[i] = binary.LittleEndian.Uint16(d.mixed[2*i:])
		}
	}
	if err := d.inflate(2*n.means, meansPacked); err != nil {
		return err
	}
	u := newUnmixing(d.mixed)
	u.pairs(d.means, n.means, 2, 2)
	if err := d.inflate(n.runsLess, runsPacked); err != nil {
		return err
	}
	if err := unrle(d.runs, d.mixed); err != nil {
		return err
	}
	return d.inflate(n.plain, plainPacked)
}

// classify reads the rules, behind their size, and returns how channels are stored, and which are the red,
// the green and the blue of a layer; these are a brightness and two differences of colour. A rule is for
// the channels with a last name, perhaps with capitals, and a type of numbers. The last one that fits is obeyed.
func classify(c *cursor.Cursor, channels []channel) (ways []uint8, sets [][]int) {
	in := cursor.New(c.Bytes((int(c.Byte())|int(c.Byte())<<8)-2), "rules")
	ways = make([]uint8, len(channels))
	colours := make(map[string][]int) // of each layer
	for c.Err() == nil && in.Left() > 0 {
		name, v, number := text(&in), in.Byte(), in.Byte()
		way, colour := v>>2&3, int(v>>4)-1
		if number >= uint8(len(numbers)) || way > runs || colour > 2 {
			in.Fail(fmt.Errorf("rule %#x for numbers of type %d", v, number))
		}
		if in.Err() != nil {
			c.Fail(in.Err())
			break
		}
		for i := range channels {
			layer, last := channels[i].split()
			if channels[i].number != numbers[number] || last != name && (v&1 == 0 || !strings.EqualFold(last, name)) {
				continue
			}
			if ways[i] = way; colour >= 0 {
				if colours[layer] == nil {
					colours[layer] = []int{-1, -1, -1}
				}
				colours[layer][colour] = i
			}
		}
	}
	for i := range channels {
		layer, _ := channels[i].split()
		set := colours[layer]
		if set != nil && !slices.ContainsFunc(set, func(i int) bool { return i < 0 || ways[i] != lossy }) {
			sets = append(sets, set)
		}
		delete(colours, layer)
	}
	return ways, sets
}

// split returns the layer and the last name of a channel.
func (c *channel) split() (layer, last string) {
	dot := strings.LastIndexByte(c.name, '.') + 1
	return c.name[:dot], c.name[dot:]
}

// lossyChannels is what is left of the lossy channels of a chunk.
type lossyChannels struct {
	f       *file
	raw     []byte
	size    raster.Size
	cosines []uint16
	means   []byte // halves, those of a channel after those of another
}

// decode decodes one channel, or the three of a colour. curved: the numbers have the curve of brightness.
func (l *lossyChannels) decode(curved bool, channels ...int) error {
	var squares [3]square
	across := (l.size.Width + 7) / 8
	n := across * ((l.size.Height + 7) / 8)
	means := l.means
	l.means = means[2*len(channels)*n:]
	for i := range n {
		flat := true
		for k := range channels {
			rows, err := l.square(&squares[k], binary.LittleEndian.Uint16(means[2*(k*n+i):]))
			if err != nil {
				return err
			}
			if rows > 0 {
				squares[k].transform(rows)
				flat = false
			}
		}
		if len(channels) == 3 {
			toRGB(&squares[0], &squares[1], &squares[2])
		}
		for k, c := range channels {
			l.put(&squares[k], &l.f.channels[c], i%across*8, i/across*8, curved, flat)
		}
	}
	return nil
}

// square is 8 x 8 pixels or their cosines.
type square [64]float32

// zigzag has the places of cosines in a square in their order in the file.
var zigzag = [64]uint8{
	0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
	35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
}

// square reads the cosines of a square. 0xFFnn stands for nn zeros, 0xFF00 for zeros up to the end. It
// returns how many rows are not zero; if the mean is all there is, 0, and the square has its pixels.
func (l *lossyChannels) square(s *square, mean uint16) (rows int, err error) {
	floats := floats()
	*s = square{}
	for i := 1; i < 64; {
		if len(l.cosines) == 0 {
			return 0, cursor.ErrShort
		}
		v := l.cosines[0]
		l.cosines = l.cosines[1:]
		switch {
		case v == 0xFF00:
			i = 64
		case v > 0xFF00:
			i += int(v & 0xFF)
		default:
			s[zigzag[i]] = floats[v]
			rows = max(rows, int(zigzag[i])/8+1)
			i++
		}
	}
	if s[0] = floats[mean]; rows == 0 {
		v := float32(float32(s[0]*cosA) * cosA)
		for i := range s {
			s[i] = v
		}
	}
	return rows, nil
}

// Halves of the cosines of pi/4, pi/16, pi/8, 3 pi/16, 5 pi/16, 3 pi/8 and 7 pi/16, as the library has them.
const cosA, cosB, cosC, cosD float32 = 3.535536e-01, 4.903927e-01, 4.619398e-01, 4.157349e-01
const cosE, cosF, cosG float32 = 2.777855e-01, 1.913422e-01, 9.754573e-02

// transform makes pixels of the cosines, of which so many rows are not zero.
func (s *square) transform(rows int) {
	for y := range rows {
		s.line(8*y, 1)
	}
	for x := range 8 {
		s.line(x, 8)
	}
}

// line transforms a row or a column. The sums are in the library's order, which differs between the two,
// and float32 keeps the products from being fused with them: so the result is the same to the bit.
func (s *square) line(at, step int) {
	v := s[at : at+7*step+1]
	odd := func(v float32) (b, d, e, g float32) {
		return float32(cosB * v), float32(cosD * v), float32(cosE * v), float32(cosG * v)
	}
	a0, a4 := float32(cosA*v[0]), float32(cosA*v[4*step])
	c2, f2, c6, f6 := float32(cosC*v[2*step]), float32(cosF*v[2*step]), float32(cosC*v[6*step]), float32(cosF*v[6*step])
	b1, d1, e1, g1 := odd(v[step])
	b3, d3, e3, g3 := odd(v[3*step])
	b5, d5, e5, g5 := odd(v[5*step])
	b7, d7, e7, g7 := odd(v[7*step])
	even0, odd0 := (a0+c2)+(a4+f6), (b1+d3)+(e5+g7)
	even1, odd1 := (a0+f2)-(a4+c6), (d1-g3)-(b5+e7)
	even2, odd2 := (a0-f2)+(c6-a4), (e1-b3)+(g5+d7)
	even3, odd3 := (a0-c2)+(a4-f6), (g1-e3)+(d5-b7)
	if step == 8 {
		even0, even1 = (a0+a4)+(c2+f6), (a0-a4)+(f2-c6)
		even2, odd1 = (a0-a4)-(f2-c6), (d1-(g3+b5))-e7
		even3, odd2 = (a0+a4)-(c2+f6), ((e1-b3)+g5)+d7
		odd3 = (g1 + d5) - (e3 + b7)
	}
	v[0], v[step], v[2*step], v[3*step] = even0+odd0, even1+odd1, even2+odd2, even3+odd3
	v[7*step], v[6*step], v[5*step], v[4*step] = even0-odd0, even1-odd1, even2-odd2, even3-odd3
}

// toRGB makes red, green and blue of a brightness and two differences.
func toRGB(r, g, b *square) {
	for i, y := range r {
		u, v := g[i], b[i]
		r[i] = y + float32(1.5747*v)
		g[i] = y - float32(0.1873*u) - float32(0.4682*v)
		b[i] = y + float32(1.8556*u)
	}
}

// put rounds the pixels of a square to halves and puts them to their place in a channel. In a flat square
// they are equal.
func (l *lossyChannels) put(s *square, c *channel, x, y int, curved, flat bool) {
	curve, floats := brightness(), floats()
	var half uint16
	for j := range min(8, l.size.Height-y) {
		row := l.f.row(l.raw, c, l.size.Width, y+j)[x*c.number.Size():]
		for i := range min(8, l.size.Width-x) {
			if !flat || i+j == 0 {
				if half = raster.HalfOf(s[8*j+i]); curved {
					half = curve[half]
				}
			}
			if c.number == raster.Half {
				binary.LittleEndian.PutUint16(row[2*i:], half)
			} else {
				binary.LittleEndian.PutUint32(row[4*i:], math.Float32bits(floats[half]))
			}
		}
	}
}

// brightness has the half that each stored half stands for: up to 1 its power of 2.2, above that an
// exponential, and 0 for what is no number.
var brightness = sync.OnceValue(func() *[1 << 16]uint16 {
	var all [1 << 16]uint16
	for i, v := range floats() {
		if i&0x7C00 == 0x7C00 || v == 0 {
			continue
		}
		base, power := math.Abs(float64(v)), float64(float32(2.2))
		if base > 1 {
			base, power = float64(float32(9.02501329156)), base-1
		}
		all[i] = raster.HalfOf(float32(math.Copysign(math.Pow(base, power), float64(v))))
	}
	return &all
})
