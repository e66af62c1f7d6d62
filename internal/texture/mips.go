package texture

import "github.com/cairnvoxel/cairn/internal/raster"

// levelSizes returns the sizes of the levels of an image: each has half of the edges before, rounded down, to 1 x 1.
func levelSizes(s raster.Size) []raster.Size {
	all := []raster.Size{s}
	for s.Width > 1 || s.Height > 1 {
		s = raster.Size{Width: max(1, s.Width/2), Height: max(1, s.Height/2)}
		all = append(all, s)
	}
	return all
}

// A spot lies on a texel of a line, or between it and the next one, which then has the weight.
type spot struct {
	texel  int
	weight float32
}

// spots returns where the middles of n texels lie on the same line of more texels. Between them are two each if
// there are twice as many; else it is rounded as maketx does.
func spots(n, of int, twice bool) []spot {
	all := make([]spot, n)
	for i := range all {
		middle := (float32(i) + 0.5) * float32(1/float32(n))
		at := float32(middle*float32(of)) - 0.5
		if all[i] = (spot{int(at), at - float32(int(at))}); twice {
			all[i] = spot{2 * i, 0.5}
		}
	}
	return all
}

// halver makes the rows of a level from those of the level before.
type halver struct {
	channels      int
	columns, rows []spot // rows to come
	over, row     []float32
}

func newHalver(from, to raster.Size, channels int) *halver {
	twice := from.Width == 2*to.Width && from.Height == 2*to.Height
	return &halver{
		channels: channels, columns: spots(to.Width, from.Width, twice), rows: spots(to.Height, from.Height, twice),
		over: make([]float32, to.Width*channels), row: make([]float32, to.Width*channels),
	}
}

// push takes row y. It returns the row of the level that this completes, which is valid until the next call, or nil.
func (h *halver) push(y int, row []float32) []float32 {
	if len(h.rows) == 0 {
		return nil
	}
	switch at := h.rows[0]; {
	case y == at.texel && at.weight == 0:
		h.narrow(h.row, row)
	case y == at.texel:
		h.narrow(h.over, row)
		return nil
	case y == at.texel+1:
		h.narrow(h.row, row)
		for i, under := range h.row {
			h.row[i] = between(h.over[i], under, at.weight)
		}
	default:
		return nil
	}
	h.rows = h.rows[1:]
	return h.row
}

// narrow writes the values of row at the columns.
func (h *halver) narrow(dst, row []float32) {
	for x, at := range h.columns {
		for c := range h.channels {
			i := at.texel*h.channels + c
			v := row[i]
			if at.weight > 0 {
				v = between(v, row[i+h.channels], at.weight)
			}
			dst[x*h.channels+c] = v
		}
	}
}

// between mixes two values. The conversions make all machines round alike.
func between(a, b, weight float32) float32 { return float32(a*(1-weight)) + float32(b*weight) }
