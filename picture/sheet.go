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

// trim cuts off margins in which nothing is.
func (s *sheet) trim() {
	var box image.Rectangle
	for i, share := range s.share {
		if share > 0 {
			x, y := i%s.w, i/s.w
			box = box.Union(image.Rect(x, y, x+1, y+1))
		}
	}
	t := &sheet{w: box.Dx(), h: box.Dy(), shrink: s.shrink}
	for y := box.Min.Y; y < box.Max.Y; y++ {
		t.rgb = append(t.rgb, s.rgb[y*s.w+box.Min.X:y*s.w+box.Max.X]...)
		t.share = append(t.share, s.share[y*s.w+box.Min.X:y*s.w+box.Max.X]...)
	}
	*s = *t
}

// image returns the sheet with pixels zoom wide, or less if maxEdge says so,
// and how wide they are; zoom 0 is as Options say.
func (s *sheet) image(zoom, maxEdge int) (*image.RGBA, int) {
	wide := max(s.w, s.h, 1)
	if zoom <= 0 {
		zoom = min(1024/wide, 8)
	}
	zoom = max(1, min(zoom, maxEdge/wide))
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
	return img, zoom
}

func fill(img *image.RGBA, r image.Rectangle, c color.RGBA) {
	r = r.Intersect(img.Rect)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			img.SetRGBA(x, y, c)
		}
	}
}
