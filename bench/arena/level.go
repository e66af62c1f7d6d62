package arena

import "math/bits"

// level is a column of a Minecraft server: sections of a palette and packed numbers, and four
// height maps that each set keeps up to date.
type level struct {
	sections [height / 16]section
	heights  [4][256]int16
	changed  int // what the players are told
}

type section struct {
	palette []uint16
	of      map[uint16]int
	bits    int
	data    []uint64
}

func newLevel() *level {
	l := &level{}
	for i := range l.sections {
		l.sections[i] = section{palette: []uint16{0}, of: map[uint16]int{0: 0}, bits: 4, data: make([]uint64, 4096/16)}
	}
	return l
}

// copy makes l another level, with memory of its own.
func (l *level) copy(from *level) {
	for i := range l.sections {
		s, f := &l.sections[i], &from.sections[i]
		s.palette, s.bits = append(s.palette[:0], f.palette...), f.bits
		clear(s.of)
		for k, v := range f.of {
			s.of[k] = v
		}
		s.data = append(s.data[:0], f.data...)
	}
	l.heights = from.heights
}

func (s *section) get(i int) uint16 {
	per := 64 / s.bits
	return s.palette[s.data[i/per]>>(i%per*s.bits)&(1<<s.bits-1)]
}

func (s *section) number(state uint16) int {
	if len(s.palette) <= 16 { // a palette of up to 4 bits is searched
		for n, p := range s.palette {
			if p == state {
				return n
			}
		}
	} else if n, ok := s.of[state]; ok {
		return n
	}
	n := len(s.palette)
	s.palette = append(s.palette, state)
	s.of[state] = n
	if need := max(4, bits.Len(uint(n))); need > s.bits {
		s.widen(need)
	}
	return n
}

func (s *section) widen(width int) {
	old := *s
	per := 64 / width
	s.bits, s.data = width, make([]uint64, (4096+per-1)/per)
	oldPer := 64 / old.bits
	for i := range 4096 {
		n := old.data[i/oldPer] >> (i % oldPer * old.bits) & (1<<old.bits - 1)
		s.data[i/per] |= n << (i % per * width)
	}
}

// set sets a cell and returns what was there.
func (s *section) set(i int, state uint16) (was uint16) {
	n := s.number(state)
	per := 64 / s.bits
	w, shift := &s.data[i/per], i%per*s.bits
	mask := uint64(1)<<s.bits - 1
	was = s.palette[*w>>shift&mask]
	*w = *w&^(mask<<shift) | uint64(n)<<shift
	return was
}

// fill sets all cells.
func (s *section) fill(cells *[4096]uint16) {
	s.palette = s.palette[:0]
	clear(s.of)
	s.bits, s.data = 4, make([]uint64, 4096/16)
	last, n := uint16(0), -1
	for i, c := range cells {
		if n < 0 || c != last {
			last, n = c, s.number(c)
		}
		per := 64 / s.bits
		s.data[i/per] |= uint64(n) << (i % per * s.bits)
	}
}

func (l *level) get(i int) uint16 { return l.sections[i>>12].get(i & 4095) }

// set sets a cell and its heights.
func (l *level) set(i int, state uint16) (was uint16) {
	was = l.sections[i>>12].set(i&4095, state)
	if was == state {
		return was
	}
	y, at := int16(i>>8), i&255
	for m := range l.heights {
		h := &l.heights[m][at]
		switch {
		case state != 0 && y >= *h:
			*h = y + 1
		case state == 0 && y == *h-1:
			for *h > 0 && l.get(int(*h-1)<<8|at) == 0 {
				*h--
			}
		}
	}
	return was
}

// restore sets a cell and notes whether it changed.
func (l *level) restore(i int, state uint16) {
	if l.set(i, state) != state {
		l.changed++
	}
}

// maps computes the heights from above.
func (l *level) maps() {
	for at := range 256 {
		y := int16(height)
		for y > 0 && l.get(int(y-1)<<8|at) == 0 {
			y--
		}
		for m := range l.heights {
			l.heights[m][at] = y
		}
	}
}
