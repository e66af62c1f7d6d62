package picture

import (
	"image"
	"image/color"

	"github.com/cairnvoxel/cairn/voxel/geom"
)

// canvas collects pixels. Each is the mean of a rectangle of columns: so many pixels lie along so
// many columns. The sums of a row of pixels are dropped when the row is finished.
type canvas struct {
	pixels, columns int
	height          int // in columns
	img             *image.RGBA
	box             image.Rectangle // around the pixels that show something
	row             int             // the first row that is not finished
	rgb             [][3]float32    // sums from row on
	share           []float32       // sums of the opaque share
}

// newCanvas returns a canvas for columns that come in rows of so many. Pixels lie along columns.
func newCanvas(size geom.Point, rows, columns, pixels int) *canvas {
	c := &canvas{pixels: pixels, columns: columns, height: size.Z}
	c.img = image.NewRGBA(image.Rect(0, 0, c.pixel(size.X-1)+1, c.pixel(size.Z-1)+1))
	fill(c.img, c.img.Rect, void)
	rows = min(c.img.Rect.Dy(), c.pixel(rows)+2) // that a row of chunks touches
	c.rgb, c.share = make([][3]float32, c.img.Rect.Dx()*rows), make([]float32, c.img.Rect.Dx()*rows)
	return c
}

// pixel returns in which pixel a column lies, and column the first column of a pixel.
func (c *canvas) pixel(x int) int  { return geom.FloorDiv(x*c.pixels, c.columns) }
func (c *canvas) column(p int) int { return (p*c.columns + c.pixels - 1) / c.pixels }

// add adds a column: its colour, the share of the void seen through it, and its
// brightness.
func (c *canvas) add(x, z int, rgb [3]float32, left, light float32) {
	i := (z*c.pixels/c.columns-c.row)*c.img.Rect.Dx() + x*c.pixels/c.columns
	for j, v := range rgb {
		c.rgb[i][j] += min(v*light, 255)
	}
	c.share[i] += 1 - left
}

// finish draws the rows of pixels to which no column from z on belongs.
func (c *canvas) finish(z int) {
	back := [3]float32{float32(void.R), float32(void.G), float32(void.B)}
	wide, to := c.img.Rect.Dx(), min(c.pixel(z), c.img.Rect.Dy())
	if z >= c.height {
		to = c.img.Rect.Dy()
	}
	done := (to - c.row) * wide
	if done <= 0 {
		return
	}
	for i, share := range c.share[:done] {
		if share == 0 {
			continue
		}
		x, y := i%wide, c.row+i/wide
		n := float32((c.column(x+1) - c.column(x)) * (c.column(y+1) - c.column(y)))
		var rgb [3]uint8
		for j, v := range c.rgb[i] {
			rgb[j] = uint8(min(255, (v+back[j]*max(0, n-share))/n+.5))
		}
		c.img.SetRGBA(x, y, color.RGBA{rgb[0], rgb[1], rgb[2], 255})
		c.box = c.box.Union(image.Rect(x, y, x+1, y+1))
	}
	c.row = to
	clear(c.rgb[copy(c.rgb, c.rgb[done:]):])
	clear(c.share[copy(c.share, c.share[done:]):])
}

// image returns the picture, without empty margins if told to trim, with pixels zoom wide, or
// less if maxEdge requires it, and their width. Options.Zoom describes zoom 0.
func (c *canvas) image(trim bool, zoom, maxEdge int) (*image.RGBA, int) {
	box := c.img.Rect
	if trim {
		box = c.box
	}
	wide := max(box.Dx(), box.Dy(), 1)
	if zoom <= 0 {
		zoom = min(1024/wide, 8)
	}
	zoom = max(1, min(zoom, maxEdge/wide))
	if box == c.img.Rect && zoom == 1 && !box.Empty() {
		return c.img, zoom
	}
	img := image.NewRGBA(image.Rect(0, 0, max(box.Dx()*zoom, 1), max(box.Dy()*zoom, 1)))
	fill(img, img.Rect, void)
	for y := range box.Dy() {
		for x := range box.Dx() {
			fill(img, image.Rect(x*zoom, y*zoom, x*zoom+zoom, y*zoom+zoom), c.img.RGBAAt(box.Min.X+x, box.Min.Y+y))
		}
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
