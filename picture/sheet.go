package picture

import (
	"image"
	"image/color"

	"github.com/cairnvoxel/cairn/geom"
)

// sheet gathers pixels, each the mean of a square of shrink by shrink columns.
type sheet struct {
	w, h   int // in pixels
	shrink int
	rgb    [][3]float32 // sums
	share  []float32    // sums of what was not void
}

func newSheet(size geom.Point, maxEdge int) *sheet {
	wide := max(size.X, size.Z)
	n := max(1, (wide+maxEdge-1)/maxEdge)
	s := &sheet{w: (size.X + n - 1) / n, h: (size.Z + n - 1) / n, shrink: n}
	s.rgb, s.share = make([][3]float32, s.w*s.h), make([]float32, s.w*s.h)
	return s
}

// add takes a column: its colour, how much of the void is seen through it, and its brightness.
func (s *sheet) add(x, z int, rgb [3]float32, left, light float32) {
	i := z/s.shrink*s.w + x/s.shrink
	for j, v := range rgb {
		s.rgb[i][j] += min(v*light, 255)
	}
	s.share[i] += 1 - left
}

// image returns the sheet with pixels zoom wide, or less if maxEdge says so.
func (s *sheet) image(zoom, maxEdge int) *image.RGBA {
	zoom = max(1, min(zoom, maxEdge/max(s.w, s.h, 1)))
	img := image.NewRGBA(image.Rect(0, 0, max(s.w*zoom, 1), max(s.h*zoom, 1)))
	fill(img, img.Rect, void)
	n := float32(s.shrink * s.shrink)
	back := [3]float32{float32(void.R), float32(void.G), float32(void.B)}
	for i, sum := range s.rgb {
		if s.share[i] == 0 {
			continue
		}
		var c [3]uint8
		for j, v := range sum {
			c[j] = uint8(min(255, (v+back[j]*max(0, n-s.share[i]))/n+.5))
		}
		x, y := i%s.w*zoom, i/s.w*zoom
		fill(img, image.Rect(x, y, x+zoom, y+zoom), color.RGBA{c[0], c[1], c[2], 255})
	}
	return img
}

func fill(img *image.RGBA, r image.Rectangle, c color.RGBA) {
	r = r.Intersect(img.Rect)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			img.SetRGBA(x, y, c)
		}
	}
}
