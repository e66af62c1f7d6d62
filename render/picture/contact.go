package picture

import (
	"image"
	"image/color"
	"image/draw"
	"math"
)

// Card is a picture with a line of text below it.
type Card struct {
	Image   image.Image
	Caption string
}

// Sheet lays pictures out in rows, as nearly square as possible. Each gets cell by
// cell pixels: larger pictures are averaged down, smaller ones keep their size.
// Captions are cut at the cell's edge.
func Sheet(cards []Card, cell int) *image.RGBA {
	const gap, line = 8, 14
	cols := max(1, int(math.Ceil(math.Sqrt(float64(len(cards))))))
	rows := max(1, (len(cards)+cols-1)/cols)
	out := image.NewRGBA(image.Rect(0, 0, cols*(cell+gap)+gap, rows*(cell+gap+line)+gap))
	fill(out, out.Rect, void)
	for i, c := range cards {
		x, y := gap+i%cols*(cell+gap), gap+i/cols*(cell+gap+line)
		img := shrunk(c.Image, cell)
		at := image.Pt(x+(cell-img.Rect.Dx())/2, y+(cell-img.Rect.Dy())/2)
		draw.Draw(out, img.Rect.Add(at), img, image.Point{}, draw.Src)
		caption := []rune(c.Caption)
		caption = caption[:min(len(caption), cell/advance)]
		write(out, x, y+cell+3, 1, string(caption), ink)
	}
	return out
}

// shrunk returns the picture with edges of at most edge pixels. Each pixel is the
// mean of those that it replaces.
func shrunk(src image.Image, edge int) *image.RGBA {
	b := src.Bounds()
	wide := max(b.Dx(), b.Dy(), 1)
	fit := func(n int) int { return max(1, min(n, n*edge/wide)) }
	out := image.NewRGBA(image.Rect(0, 0, fit(b.Dx()), fit(b.Dy())))
	w, h := out.Rect.Dx(), out.Rect.Dy()
	for y := range h {
		for x := range w {
			from := image.Rect(b.Dx()*x/w, b.Dy()*y/h, b.Dx()*(x+1)/w, b.Dy()*(y+1)/h).Add(b.Min)
			out.SetRGBA(x, y, mean(src, from))
		}
	}
	return out
}

func mean(src image.Image, r image.Rectangle) color.RGBA {
	var sum [4]int
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			r, g, b, a := src.At(x, y).RGBA()
			for i, v := range [4]uint32{r, g, b, a} {
				sum[i] += int(v >> 8)
			}
		}
	}
	n := max(1, r.Dx()*r.Dy())
	return color.RGBA{uint8(sum[0] / n), uint8(sum[1] / n), uint8(sum[2] / n), uint8(sum[3] / n)}
}
