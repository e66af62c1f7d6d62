package picture

import (
	"image"
	"image/color"
	"image/draw"
	"strconv"
)

var ink = color.RGBA{225, 228, 233, 255}

// withScale returns the picture with a strip below it: a bar and its length in
// blocks. A picture of less than four blocks has none: the bar would be as long as what it measures.
func withScale(img *image.RGBA, perBlock float64) *image.RGBA {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	size := max(1, min(4, w/400))
	if float64(w) < 4*perBlock {
		return img
	}
	blocks := roundLength(float64(w) / 4 / perBlock)
	text := strconv.Itoa(blocks) + " blocks"
	if blocks == 1 {
		text = "1 block"
	}
	bar := max(1, int(float64(blocks)*perBlock))
	strip := 15 * size
	out := image.NewRGBA(image.Rect(0, 0, max(w, bar+(width(text)+12)*size), h+strip))
	fill(out, out.Rect, void)
	draw.Draw(out, img.Rect, img, image.Point{}, draw.Src)
	x, y := 4*size, h+7*size
	fill(out, image.Rect(x, y, x+bar, y+2*size), ink)
	fill(out, image.Rect(x, y-2*size, x+size, y+4*size), ink)
	fill(out, image.Rect(x+bar-size, y-2*size, x+bar, y+4*size), ink)
	write(out, x+bar+5*size, h+4*size, size, text, ink)
	return out
}

// roundLength returns the greatest of 1, 2, 5, 10, 20, 50, ... not above n, or 1.
func roundLength(n float64) int {
	length := 1
	for _, step := 0, 1; ; step *= 10 {
		for _, f := range [3]int{1, 2, 5} {
			if float64(f*step) > n {
				return length
			}
			length = f * step
		}
	}
}
