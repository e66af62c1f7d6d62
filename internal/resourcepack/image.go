package resourcepack

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
)

// Edge is the edge of a tile in pixels.
const Edge = 16

// tile is the texture of a side: RGBA that is not premultiplied, row by row.
type tile [Edge * Edge]color.NRGBA

// texture returns the first frame of a texture by its location, in the size of a tile; nil if no
// pack has it.
func (l *loader) texture(location string) *tile {
	if t, ok := l.textures[location]; ok {
		return t
	}
	t := l.decodeTexture(locate(location, "textures", ".png"))
	l.textures[location] = t
	return t
}

func (l *loader) decodeTexture(name string) *tile {
	b, err := l.read(name, maxPNG)
	if err != nil {
		return nil
	}
	c, err := png.DecodeConfig(bytes.NewReader(b))
	if err != nil || c.Width <= 0 || c.Height <= 0 || c.Width > maxPixels/c.Height {
		return nil
	}
	if l.painted += c.Width * c.Height; l.painted > maxPainted {
		return nil
	}
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		return nil
	}
	edge := min(c.Width, c.Height) // frames lie below one another
	frame := image.NewNRGBA(image.Rect(0, 0, edge, edge))
	draw.Draw(frame, frame.Rect, img, img.Bounds().Min, draw.Src)
	return scaled(frame)
}

// scaled returns the means of a square image in the size of a tile. Pixels weigh by their alpha.
func scaled(img *image.NRGBA) *tile {
	t := new(tile)
	edge := img.Rect.Dx()
	for y := range Edge {
		for x := range Edge {
			x0, y0 := x*edge/Edge, y*edge/Edge
			x1, y1 := max(x0+1, (x+1)*edge/Edge), max(y0+1, (y+1)*edge/Edge)
			var r, g, b, a, n int
			for j := y0; j < y1; j++ {
				for i := x0; i < x1; i++ {
					c := img.NRGBAAt(i, j)
					w := int(c.A)
					r, g, b, a, n = r+int(c.R)*w, g+int(c.G)*w, b+int(c.B)*w, a+w, n+1
				}
			}
			if a > 0 {
				t[y*Edge+x] = color.NRGBA{uint8((r + a/2) / a), uint8((g + a/2) / a), uint8((b + a/2) / a), uint8((a + n/2) / n)}
			}
		}
	}
	return t
}

// cut returns the part of a texture between two points, which count sixteenths, turned by
// quarters clockwise. Points the other way round mirror it.
func (t *tile) cut(uv [4]float64, quarters int) *tile {
	out := new(tile)
	for y := range Edge {
		for x := range Edge {
			i, j := x, y
			for range quarters & 3 {
				i, j = j, Edge-1-i
			}
			u := uv[0] + (uv[2]-uv[0])*(float64(i)+.5)/Edge
			v := uv[1] + (uv[3]-uv[1])*(float64(j)+.5)/Edge
			out[y*Edge+x] = t[min(max(int(v), 0), Edge-1)*Edge+min(max(int(u), 0), Edge-1)]
		}
	}
	return out
}

// tinted returns a texture multiplied by a colour.
func (t *tile) tinted(c color.RGBA) *tile {
	out := new(tile)
	m := func(a, b uint8) uint8 { return uint8(int(a) * int(b) / 255) }
	for i, p := range t {
		out[i] = color.NRGBA{m(p.R, c.R), m(p.G, c.G), m(p.B, c.B), p.A}
	}
	return out
}

// over returns t with top laid over it. t may be nil.
func (t *tile) over(top *tile) *tile {
	if t == nil {
		return top
	}
	out := *t
	for i, p := range top {
		a, under := int(p.A), out[i]
		rest := int(under.A) * (255 - a) / 255
		if all := a + rest; all > 0 {
			m := func(p, q uint8) uint8 { return uint8((int(p)*a + int(q)*rest) / all) }
			out[i] = color.NRGBA{m(p.R, under.R), m(p.G, under.G), m(p.B, under.B), uint8(all)}
		}
	}
	return &out
}
