package picture

import (
	"image"
	"image/draw"
	"math"
)

// Card is a picture with a line of text below it.
type Card struct {
	Image   image.Image
	Caption string
}

// Sheet lays pictures out in rows, as nearly square as can be, each in a cell
// of cell by cell pixels: larger ones are averaged down, smaller ones are not
// enlarged. A caption is cut at the cell's edge.
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

// shrunk returns the picture with the mean of n by n pixels for each, n the
// least that brings its edges down to edge.
func shrunk(src image.Image, edge int) *image.RGBA {
	b := src.Bounds()
	n := max(1, (max(b.Dx(), b.Dy())+edge-1)/edge)
	out := image.NewRGBA(image.Rect(0, 0, b.Dx()/n, b.Dy()/n))
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			var sum [4]int
			for i := range n * n {
				r, g, b, a := src.At(b.Min.X+x*n+i%n, b.Min.Y+y*n+i/n).RGBA()
				for j, v := range [4]uint32{r, g, b, a} {
					sum[j] += int(v >> 8)
				}
			}
			for j, v := range sum {
				out.Pix[y*out.Stride+x*4+j] = uint8(v / (n * n))
			}
		}
	}
	return out
}
