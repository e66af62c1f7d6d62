package light

import "encoding/binary"

// fall lets sky light fall down.
func (f *Flood) fall() {
	n := f.nx * f.nz
	f.open = zeroed(f.open, n)
	for z := 1; z < f.nz-1; z++ {
		row := f.open[z*f.nx+1:][:f.nx-2]
		for i := range row {
			row[i] = MaxLight
		}
	}
	clear(f.level[(f.ny-1)*n:])
	clear(f.level[:n])
	for y := f.ny - 2; y > 0; y-- {
		if level := f.level[y*n:][:n]; f.bare[y] {
			copy(level, f.open)
		} else {
			f.fallThrough(level, f.what[y*n:][:n])
		}
	}
}

// fallThrough lets sky light fall through a slice.
func (f *Flood) fallThrough(level, what []uint8) {
	open := f.open
	i := 0
	for ; i+8 <= len(open); i += 8 {
		o := binary.LittleEndian.Uint64(open[i:])
		if o == 0 || binary.LittleEndian.Uint64(what[i:]) == 0 {
			binary.LittleEndian.PutUint64(level[i:], o)
			continue
		}
		f.fallCells(open[i:i+8], level[i:i+8], what[i:i+8])
	}
	f.fallCells(open[i:], level[i:], what[i:])
}

func (f *Flood) fallCells(open, level, what []uint8) {
	for i, o := range open {
		level[i] = 0
		if o == 0 {
			continue
		}
		m := f.list[what[i]]
		if m.takes() != 0 || m.shut()>>Above&1 != 0 {
			open[i] = 0
			continue
		}
		level[i] = MaxLight
		if m.shut()>>Below&1 != 0 {
			open[i] = 0
		}
	}
}

// enter lights the cells beside and below those that the sky lights.
func (f *Flood) enter() {
	n := f.nx * f.nz
	var same []uint32 // in slices of nothing below each other light enters at the same places
	for y := f.ny - 2; y > 0; y-- {
		if f.bare[y] && f.bare[y+1] {
			for _, at := range same {
				f.light(y*n+int(at), MaxLight-1)
			}
			continue
		}
		before := len(f.queue[MaxLight-1])
		for z := 1; z < f.nz-1; z++ {
			f.enterRow((y*f.nz+z)*f.nx+1, (y*f.nz+z+1)*f.nx-1)
		}
		if same = same[:0]; f.bare[y] {
			for _, at := range f.queue[MaxLight-1][before:] {
				same = append(same, at-uint32(y*n))
			}
		}
	}
}

func (f *Flood) enterRow(at, end int) {
	n := f.nx * f.nz
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(f.level[i:]) }
	for ; at+8 <= end; at += 8 {
		v := word(at)
		if (v^word(at-1))|(v^word(at+1))|(v^word(at-f.nx))|(v^word(at+f.nx))|(v^word(at+n)) != 0 {
			f.enterCells(at, at+8)
		}
	}
	f.enterCells(at, end)
}

func (f *Flood) enterCells(at, end int) {
	for ; at < end; at++ {
		c := f.what[at]
		if f.level[at] == MaxLight || f.through[c] == MaxLight {
			continue
		}
		for face, off := range f.offs {
			if f.level[at+off] == MaxLight && !(f.faces && f.shut(at+off, at, Face(face)^1)) {
				f.light(at, MaxLight-f.through[c])
				break
			}
		}
	}
}
