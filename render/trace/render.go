package trace

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/cairnvoxel/cairn/render/picture"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Scene is a dimension that pictures are drawn of: a picture.Land that also lists its chunks and names.
type Scene interface {
	picture.Land
	// Chunks returns the places of the chunks of level 0 with matter or liquid, each once.
	Chunks() []geom.ChunkPos
	// Names returns the names of the cells of the matter by number.
	Names() []string
}

// Options of a picture. The zero value is the default.
type Options struct {
	// Width and Height are the size in pixels. Default 1280 x 720.
	Width, Height int
	// From and Look are where the camera is and where it looks to, in blocks. If they are equal, the
	// camera stands so that the land fills the picture.
	From, Look [3]float64
	// View is the height of the picture as an angle in degrees. Default 50.
	View float64
	// Isometric draws with parallel rays. The picture is as many blocks high as it would be with View
	// at the distance of Look.
	Isometric bool
	// Samples is how many rays each pixel gets. Default 16.
	Samples int
	// Bounces is how often light is scattered on its way. 0 is 2; below 0 there is none but that of the sun.
	Bounces int
	// Sun is the direction to the sun. Default: from the south-east, half way up.
	Sun [3]float64
	// Sky, if it is not zero, is the light from everywhere, red, green and blue, in place of a sun and
	// a blue sky.
	Sky [3]float64
	// Paint, unless it is nil, calls draw with a Painter for the goroutine that calls Paint. With a painted sky
	// there is still the sun.
	Paint func(draw func(Painter)) error
	// Memory bounds the cells that are kept, in bytes. Default 512 MiB.
	Memory int64
	// Threads is how many goroutines work. Default: one for each processor that Go uses.
	Threads int
	// Progress, unless it is nil, is called with the samples of pixels that are done, by one goroutine at a
	// time.
	Progress func(done, all int64)
	// Preview, unless it is nil, is called with the picture after one sample a pixel, then after ever
	// more. It must not keep the picture. An error of it ends the drawing.
	Preview func(p *Picture) error
}

// Picture is a picture in linear light.
type Picture struct {
	Width, Height int
	// Pix are red, green and blue of the pixels, row by row from the top left. White paper in the sun is
	// about 1.
	Pix []float32
}

// camera makes rays.
type camera struct {
	from, forward, right, up vec // right and up reach from the middle to the rims
	parallel                 bool
	width, spread            float64 // of rays of a pixel
}

func newCamera(ctx context.Context, l *land, o *Options) (camera, error) {
	from, to := vec(o.From), vec(o.Look)
	angle := o.View * math.Pi / 360
	if from == to {
		boxes, err := l.boxes(ctx)
		if err != nil {
			return camera{}, err
		}
		from, to = l.overview(boxes, angle, float64(o.Width)/float64(o.Height), o.Isometric)
	}
	c := camera{from: from, parallel: o.Isometric}
	d := to.sub(from)
	distance := math.Sqrt(d.dot(d))
	c.forward = d.scale(1 / distance)
	side := c.forward.cross(vec{0, 1, 0})
	if side.dot(side) < 1e-12 { // straight up or down: north is up
		side = vec{1, 0, 0}
	}
	c.right = side.unit()
	c.up = c.right.cross(c.forward)
	high := math.Tan(angle)
	if o.Isometric {
		high *= distance
		c.width = 2 * high / float64(o.Height)
		size := l.high.sub(l.low)
		c.from = c.from.along(c.forward, -math.Sqrt(size.dot(size))) // so that nothing is behind it
	} else {
		c.spread = 2 * high / float64(o.Height)
	}
	c.up = c.up.scale(high)
	c.right = c.right.scale(high * float64(o.Width) / float64(o.Height))
	for _, v := range [...]vec{c.from, c.forward, c.right, c.up} {
		if s := v[0] + v[1] + v[2]; math.IsNaN(s) || math.IsInf(s, 0) {
			return c, errors.New("trace: the camera is not at a place")
		}
	}
	return c, nil
}

// overview returns a camera that sees all of boxes of a land from the south-east, above.
func (l *land) overview(boxes []geom.Box, angle, aspect float64, parallel bool) (from, to vec) {
	back := vec{0.6, 0.62, 0.75}.unit()
	right := vec{0, 1, 0}.cross(back).unit()
	axes := [3]vec{right, back.cross(right), back}
	low, high := vec{math.Inf(1), math.Inf(1), math.Inf(1)}, vec{math.Inf(-1), math.Inf(-1), math.Inf(-1)}
	l.eachCorner(boxes, func(c vec) {
		for i, a := range axes {
			low[i], high[i] = min(low[i], c.dot(a)), max(high[i], c.dot(a))
		}
	})
	for i, a := range axes {
		to = to.along(a, (low[i]+high[i])/2)
	}
	tan, distance := math.Tan(angle), 0.0
	l.eachCorner(boxes, func(c vec) { // each has to be in the picture
		c = c.sub(to)
		d := max(math.Abs(c.dot(axes[1])), math.Abs(c.dot(right))/aspect) / tan
		if !parallel {
			d += c.dot(back)
		}
		distance = max(distance, d)
	})
	return to.along(back, distance), to
}

// mostRead is how many chunks are read to see where their cells are.
const mostRead = 1 << 12

// boxes returns where the land has cells: cubes of half a chunk, or where it has many chunks these.
func (l *land) boxes(ctx context.Context) (all []geom.Box, err error) {
	t := l.trees[0]
	for i, p := range t.chunks {
		if len(t.chunks) > mostRead {
			all = append(all, p.Box())
			continue
		}
		n, err := l.load(ctx, t, uint32(i))
		if err != nil {
			return nil, err
		}
		for o := range n.octants {
			if n.octants[o].mask != 0 {
				const half = geom.ChunkEdge / 2
				at := p.Box().Min.Add(geom.Point{X: o & 1 * half, Y: o >> 1 & 1 * half, Z: o >> 2 & 1 * half})
				all = append(all, geom.Box{Min: at, Max: at.Add(geom.Point{X: half, Y: half, Z: half})})
			}
		}
	}
	if len(all) == 0 {
		all = append(all, l.from.Bounds())
	}
	return all, nil
}

// eachCorner calls f with the corners of boxes, as far as they lie in the land.
func (l *land) eachCorner(boxes []geom.Box, f func(vec)) {
	for _, b := range boxes {
		ends := [2]vec{}
		ends[0], ends[1] = corners(b)
		for i := range 8 {
			var c vec
			for axis := range c {
				c[axis] = min(max(ends[i>>axis&1][axis], l.low[axis]), l.high[axis])
			}
			f(c)
		}
	}
}

// corners returns the corners of a box.
func corners(b geom.Box) (low, high vec) {
	return vec{float64(b.Min.X), float64(b.Min.Y), float64(b.Min.Z)}, vec{float64(b.Max.X), float64(b.Max.Y), float64(b.Max.Z)}
}

// ray returns the ray of a place in the picture, 0 to 1 each from the top left.
func (c *camera) ray(x, y float64) ray {
	across := vec{}.along(c.right, 2*x-1).along(c.up, 1-2*y)
	if c.parallel {
		return ray{from: c.from.add(across), dir: c.forward, width: c.width}
	}
	return ray{from: c.from, dir: c.forward.add(across).unit(), width: c.width, spread: c.spread}
}

// edge of the parts of a picture that goroutines take.
const edge = 16

// Render draws a land. It ends with an error of ctx when ctx ends, with one of the land if it cannot be
// read.
func Render(ctx context.Context, l Scene, o Options) (*Picture, error) {
	r, err := newRenderer(ctx, l, o)
	if err != nil {
		return nil, err
	}
	defer r.land.nodes.Close()
	return r.draw(ctx)
}

func newRenderer(ctx context.Context, l Scene, o Options) (*renderer, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	r := &renderer{o: o, land: newLand(l, o.Memory, o.Threads), sky: day(o.Sun)}
	r.Picture = Picture{o.Width, o.Height, make([]float32, 3*o.Width*o.Height)}
	if o.Sky != [3]float64{} {
		r.sky = even(o.Sky)
	}
	var err error
	r.camera, err = newCamera(ctx, r.land, &o)
	return r, err
}

// draw draws the picture, in one pass or for previews in several.
func (r *renderer) draw(ctx context.Context) (*Picture, error) {
	for from := 0; from < r.o.Samples; {
		to := r.o.Samples
		if r.o.Preview != nil {
			to = min(to, 4*from+1)
		}
		if err := r.pass(ctx, from, to); err != nil {
			return nil, err
		}
		if from = to; from < r.o.Samples {
			if err := r.o.Preview(r.mean(from)); err != nil {
				return nil, err
			}
		}
	}
	return r.mean(r.o.Samples), nil
}

func (o *Options) complete() error {
	if o.Width == 0 && o.Height == 0 {
		o.Width, o.Height = 1280, 720
	}
	if o.Samples == 0 {
		o.Samples = 16
	}
	if o.View == 0 {
		o.View = 50
	}
	switch {
	case o.Bounces == 0:
		o.Bounces = 2
	case o.Bounces < 0:
		o.Bounces = 0
	}
	if o.Memory == 0 {
		o.Memory = 512 << 20
	}
	if o.Threads == 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if o.Sun == [3]float64{} {
		o.Sun = [3]float64{0.55, 0.7, 0.35}
	}
	switch {
	case o.Width < 1 || o.Height < 1 || o.Width > 1<<15 || o.Height > 1<<15:
		return fmt.Errorf("trace: a picture of %d x %d pixels: 1 to %d an edge", o.Width, o.Height, 1<<15)
	case o.Samples < 1 || o.Samples > 1<<16:
		return fmt.Errorf("trace: %d samples a pixel: 1 to %d", o.Samples, 1<<16)
	case !(o.View > 0 && o.View < 179):
		return fmt.Errorf("trace: a view of %g degrees: more than 0, less than 179", o.View)
	case o.Memory < 1<<20:
		return fmt.Errorf("trace: %d bytes of memory: at least 1 MiB", o.Memory)
	}
	return nil
}

// plant makes the trees of a land.
func (l *land) plant(chunks []geom.ChunkPos) {
	for base := 0; base == 0 || l.from.Level(l.from.Matter(), base) == base; base += 3 {
		seen := make(map[geom.ChunkPos]bool)
		var at []geom.ChunkPos
		for _, p := range chunks {
			if q := (geom.ChunkPos{X: p.X >> base, Y: p.Y >> base, Z: p.Z >> base}); !seen[q] {
				seen[q] = true
				at = append(at, q)
			}
		}
		l.trees = append(l.trees, newTree(base, at))
	}
}

// renderer draws a picture. Its Pix are the sums of the samples.
type renderer struct {
	Picture
	o      Options
	camera camera
	land   *land
	sky    sky
	next   atomic.Int64 // part of the picture
	mu     sync.Mutex   // of the calls of Progress, and the fields below
	done   int64
	err    error
}

// mean returns the picture of the samples so far.
func (r *renderer) mean(samples int) *Picture {
	p := &Picture{r.Width, r.Height, make([]float32, len(r.Pix))}
	for i, sum := range r.Pix {
		p.Pix[i] = sum / float32(samples)
	}
	return p
}

// pass adds samples to all pixels.
func (r *renderer) pass(ctx context.Context, from, to int) error {
	r.next.Store(0)
	var all sync.WaitGroup
	for range r.o.Threads {
		all.Go(func() { r.fail(r.paint(func(p Painter) { r.work(ctx, p, from, to) })) })
	}
	all.Wait()
	if r.err != nil {
		return r.err
	}
	return ctx.Err()
}

// paint calls draw with a Painter, if there is one.
func (r *renderer) paint(draw func(Painter)) error {
	if r.o.Paint == nil {
		draw(Painter{})
		return nil
	}
	return r.o.Paint(draw)
}

// fail notes the first error.
func (r *renderer) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = err
	}
}

// work draws parts of the picture until none is left.
func (r *renderer) work(ctx context.Context, paint Painter, from, to int) {
	p := &path{cells: newCells(ctx, r.land), sky: r.sky, bounces: r.o.Bounces, paint: paint}
	if paint.Draw != nil {
		p.sky.rest = restOf(paint)
	}
	medium := p.mediumAt(r.camera.from)
	across := (r.Width + edge - 1) / edge
	parts := across * ((r.Height + edge - 1) / edge)
	for ctx.Err() == nil && p.err == nil {
		n := int(r.next.Add(1)) - 1
		if n >= parts {
			break
		}
		r.part(p, medium, n%across*edge, n/across*edge, from, to)
	}
	r.fail(p.err)
}

// part adds samples to the pixels of a part.
func (r *renderer) part(p *path, medium uint16, x0, y0, from, to int) {
	x1, y1 := min(x0+edge, r.Width), min(y0+edge, r.Height)
	for y := y0; y < y1; y += beamEdge {
		for x := x0; x < x1; x += beamEdge {
			clear := 0.0
			if medium == 0 {
				middle := r.camera.ray((float64(x)+beamEdge/2)/float64(r.Width), (float64(y)+beamEdge/2)/float64(r.Height))
				clear = p.clearOf(&middle)
			}
			r.square(p, medium, clear, x, y, from, to)
		}
	}
	if r.o.Progress != nil {
		r.mu.Lock()
		r.done += int64((x1 - x0) * (y1 - y0) * (to - from))
		r.o.Progress(r.done, int64(r.Width*r.Height*r.o.Samples))
		r.mu.Unlock()
	}
}

// square adds samples to the pixels of a square, whose rays meet nothing before a distance.
func (r *renderer) square(p *path, medium uint16, clear float64, x0, y0, from, to int) {
	for y := y0; y < min(y0+beamEdge, r.Height); y++ {
		for x := x0; x < min(x0+beamEdge, r.Width); x++ {
			sum := r.Pix[3*(y*r.Width+x):][:3]
			for i := from; i < to; i++ {
				s := points{hash(uint32(x) | uint32(y)<<16), uint32(i)}
				u, v := s.at(0)
				ray := r.camera.ray((float64(x)+u)/float64(r.Width), (float64(y)+v)/float64(r.Height))
				ray.clear = clear
				for k, v := range p.radiance(ray, medium, s) {
					sum[k] += float32(v)
				}
			}
		}
	}
}
