package exr

import (
	"encoding/binary"
	"errors"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/raster"
)

// unpiz decodes PIZ to d.raw. The words that occur, given by a map of bits, have numbers in their order;
// each channel of these is transformed by wavelets, and all is coded by Huffman. A number of four bytes
// is two words, each of which is transformed for itself.
func (d *decoder) unpiz(f *file, s raster.Size, src []byte) error {
	c := cursor.New(src, "words")
	least, most := int(uint16(c.Byte())|uint16(c.Byte())<<8), int(uint16(c.Byte())|uint16(c.Byte())<<8)
	table := append(d.table[:0], 0) // the word of each number; 0 always occurs
	if least <= most {
		if most >= 1<<13 {
			return errors.New("a map of more than 65536 words")
		}
		for i, v := range c.Bytes(most - least + 1) {
			for bit := range 8 {
				if word := (least+i)*8 + bit; v>>bit&1 == 1 && word > 0 {
					table = append(table, uint16(word))
				}
			}
		}
	}
	d.table = table
	codes := c.Bytes(int(int32(c.Uint32())))
	if c.Err() != nil {
		return c.Err()
	}
	d.words = sized(d.words, f.rawSize(s)/2)
	if err := d.huffman(d.words, codes); err != nil {
		return err
	}
	d.raw = sized(d.raw, f.rawSize(s))
	words := d.words
	for _, c := range f.channels {
		n := c.number.Size() / 2
		own := words[:n*s.Width*s.Height]
		words = words[len(own):]
		w := wavelets{own, s.Width, n, s.Height, n * s.Width, len(table) <= 1<<14}
		for range n {
			w.undo()
			w.v = w.v[1:]
		}
		for y := range s.Height {
			row := f.row(d.raw, &c, s.Width, y)
			for i, v := range own[y*n*s.Width:][:n*s.Width] {
				if int(v) >= len(table) {
					return errors.New("a number that no word has")
				}
				binary.LittleEndian.PutUint16(row[2*i:], table[v])
			}
		}
	}
	return nil
}

// wavelets are the numbers of a channel.
type wavelets struct {
	v                           []uint16
	width, stepX, height, stepY int
	small                       bool // all are below 2^14
}

// undo undoes the wavelets of all levels, the coarsest first. At each level the numbers of four corners
// are made of their mean and three differences, where a row or a column is odd, those of two.
func (w *wavelets) undo() {
	p := 1
	for p <= min(w.width, w.height)/2 {
		p *= 2
	}
	for p /= 2; p > 0; p /= 2 {
		right, below := p*w.stepX, p*w.stepY
		y := 0
		for ; y+2*p <= w.height; y += 2 * p {
			at, end := y*w.stepY, y*w.stepY+w.width/(2*p)*2*right
			for ; at < end; at += 2 * right {
				v := w.v[at : at+right+below+1]
				a, b := w.pair(v[0], v[below])
				c, d := w.pair(v[right], v[below+right])
				v[0], v[right] = w.pair(a, c)
				v[below], v[below+right] = w.pair(b, d)
			}
			if w.width&p != 0 {
				w.v[at], w.v[at+below] = w.pair(w.v[at], w.v[at+below])
			}
		}
		if w.height&p != 0 {
			at, end := y*w.stepY, y*w.stepY+w.width/(2*p)*2*right
			for ; at < end; at += 2 * right {
				w.v[at], w.v[at+right] = w.pair(w.v[at], w.v[at+right])
			}
		}
	}
}

// pair returns two numbers of their mean and their difference. Small ones are signed, the others go
// around at 2^16.
func (w *wavelets) pair(mean, difference uint16) (a, b uint16) {
	if w.small {
		d := int16(difference)
		a = mean + uint16(d&1+d>>1)
		return a, a - difference
	}
	b = mean - difference>>1
	return difference + b - 1<<15, b
}
