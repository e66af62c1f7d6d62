package picture

import (
	"image"
	"image/color"

	"github.com/cairnvoxel/cairn/geom"
)

// canvas collects pixels. Each is the mean of a square of shrink by shrink columns.
type canvas struct {
	w, h   int // in pixels
	shrink int
	rgb    [][3]float32 // sums
	share  []float32    // sums of the opaque share
}

func newCanvas(size geom.Point, maxEdge int) *canvas {
	wide := max(size.X, size.Z)
	n := max(1, (wide+maxEdge-1)/maxEdge)
	c := &canvas{w: (size.X + n - 1) / n, h: (size.Z + n - 1) / n, shrink: n}
	c.rgb, c.share = make([][3]float32, c.w*c.h), make([]float32, c.w*c.h)
	return c
}

// add adds a column: its colour, the share of the void seen through it, and its
// brightness.
func (c *canvas) add(x, z int, rgb [3]float32, left, light float32) {
	i := z/c.shrink*c.w + x/c.shrink
	for j, v := range rgb {
		c.rgb[i][j] += min(v*light, 255)
	}
	c.share[i] += 1 - left
}

// trim cuts off empty margins.
func (c *canvas) trim() {
	var box image.Rectangle
	for i, share := range c.share {
		if share > 0 {
			x, y := i%c.w, i/c.w
			box = box.Union(image.Rect(x, y, x+1, y+1))
		}
	}
	t := &canvas{w: box.Dx(), h: box.Dy(), shrink: c.shrink}
	for y := box.Min.Y; y < box.Max.Y; y++ {
		t.rgb = append(t.rgb, c.rgb[y*c.w+box.Min.X:y*c.w+box.Max.X]...)
		t.share = append(t.share, c.share[y*c.w+box.Min.X:y*c.w+box.Max.X]...)
	}
	*c = *t
}

// image returns the picture with pixels zoom wide, or less if maxEdge requires it,
// and their width. Options.Zoom describes zoom 0.
func (c *canvas) image(zoom, maxEdge int) (*image.RGBA, int) {
	wide := max(c.w, c.h, 1)
	if zoom <= 0 {
		zoom = min(1024/wide, 8)
	}
	zoom = max(1, min(zoom, maxEdge/wide))
	img := image.NewRGBA(image.Rect(0, 0, max(c.w*zoom, 1), max(c.h*zoom, 1)))
	fill(img, img.Rect, void)
	n := float32(c.shrink * c.shrink)
	back := [3]float32{float32(void.R), float32(void.G), float32(void.B)}
	for i, sum := range c.rgb {
		if c.share[i] == 0 {
			continue
		}
		var rgb [3]uint8
		for j, v := range sum {
			rgb[j] = uint8(min(255, (v+back[j]*max(0, n-c.share[i]))/n+.5))
		}
		x, y := i%c.w*zoom, i/c.w*zoom
		fill(img, image.Rect(x, y, x+zoom, y+zoom), color.RGBA{rgb[0], rgb[1], rgb[2], 255})
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
