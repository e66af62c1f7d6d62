package textures

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// The article's scene: a box of which the floor and three walls have 10x10 files each, and four objects
// in it whose parts have one to three layers of textures, 898 files in all. Paths have six rays. Few
// of the 64 samples of each pixel are played, but rays are as narrow as for all of them.
const (
	sceneFiles            = 898
	wallEdge              = 10 // files
	heroWide, heroHigh    = 7, 2
	fewestMaps            = 3 // of a part of an object
	pathLength            = 6
	sceneWidth, sceneHigh = 3840, 2160 // pixels
	bucketEdge            = 16
	bucketStride          = 7919   // it has no factor of the number of buckets
	sampleEdge            = 1. / 8 // pixels
	widening              = 1.25   // of a ray's angle, at a bounce
)

// layerMaps are the textures of an object, in layers. A part has the first so many of them.
var layerMaps = []string{
	"diffuse1", "specular1", "roughness1", "coat1", "bump1",
	"mask2", "diffuse2", "specular2", "roughness2", "coat2", "bump2",
	"mask3", "diffuse3", "specular3", "roughness3", "coat3", "bump3",
}

// set is the images of a UDIM set. They are links to one image, so that OpenImageIO, which repeats an
// image, finds beyond its border what cairn finds in the next one.
type set struct {
	image
	name    string
	members []int
}

func (s set) path(dir, member string) string {
	at := filepath.Join(dir, fmt.Sprintf("scene%d", s.edge), s.name)
	return at + "." + member + filepath.Ext(s.image.path(dir))
}

// make makes the image and its links, for both sides, and returns the pattern of their names.
func (s set) make(ctx context.Context, dir string) (string, error) {
	if s.form == ours {
		its := s
		its.form = theirs
		if _, err := its.make(ctx, dir); err != nil {
			return "", err
		}
	}
	source, err := s.image.make(ctx, dir)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(s.path(dir, "")), 0o777); err != nil {
		return "", err
	}
	for _, m := range s.members {
		if err := os.Link(source, s.path(dir, fmt.Sprint(m))); err != nil && !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
	return s.path(dir, "<UDIM>"), nil
}

func (s set) rival(dir string) string {
	s.form = theirs
	return s.path(dir, "<UDIM>")
}

// box is the scene. The box reaches from -1 to 1. Its ceiling has no textures, and it is open where the
// camera is.
type box struct {
	sets   []set
	shapes []shape
}

// shape is a side of the box or a ball with its textures.
type shape struct {
	axis       int     // of a side, across it
	at         float64 // of a side
	centre     vec     // of a ball
	radius     float64 // of a ball; 0 is a side
	wide, high int     // images
	first      int     // of its sets
	maps       []int   // of each part, how many
}

func newBox(edge int, form string) *box {
	b := &box{}
	add := func(s shape, names ...string) {
		s.first, s.maps = len(b.sets), make([]int, s.wide*s.high)
		for _, name := range names {
			of := image{edge: edge, seed: uint64(1 + len(b.sets)%2), form: form}
			if strings.Contains(name, "mask") {
				of.seed, of.mask = 1, true
			}
			b.sets = append(b.sets, set{image: of, name: name})
		}
		b.shapes = append(b.shapes, s)
	}
	add(shape{axis: 1, at: -1, wide: wallEdge, high: wallEdge}, "floor")
	add(shape{axis: 0, at: -1, wide: wallEdge, high: wallEdge}, "left")
	add(shape{axis: 0, at: 1, wide: wallEdge, high: wallEdge}, "right")
	add(shape{axis: 2, at: 1, wide: wallEdge, high: wallEdge}, "back")
	add(shape{axis: 1, at: 1})
	for h, centre := range []vec{{-0.45, -0.5, -0.1}, {0.45, -0.5, -0.1}, {-0.45, 0.4, 0.4}, {0.45, 0.4, 0.4}} {
		names := make([]string, len(layerMaps))
		for i, m := range layerMaps {
			names[i] = fmt.Sprintf("hero%d-%s", h+1, m)
		}
		add(shape{centre: centre, radius: 0.35, wide: heroWide, high: heroHigh}, names...)
	}
	b.share()
	return b
}

// sceneEdge is that of the images in texels.
func sceneEdge(quick bool) int {
	if quick {
		return 256
	}
	return 8192
}

func (b *box) sources() (all []source) {
	for _, s := range b.sets {
		all = append(all, s)
	}
	return all
}

// share gives the parts of the shapes their textures, those of objects at random.
func (b *box) share() {
	left, r := sceneFiles, trace{state: 898}
	var parts []*int // of objects
	for _, s := range b.shapes {
		for i := range s.maps {
			s.maps[i] = 1
			if s.radius > 0 {
				s.maps[i] = fewestMaps
				parts = append(parts, &s.maps[i])
			}
			left -= s.maps[i]
		}
	}
	for left > 0 {
		if n := parts[r.next()%uint64(len(parts))]; *n < len(layerMaps) {
			*n++
			left--
		}
	}
	for _, s := range b.shapes {
		for part, maps := range s.maps {
			for i := range maps {
				of := &b.sets[s.first+i]
				of.members = append(of.members, 1001+part%s.wide+10*(part/s.wide))
			}
		}
	}
}

// record writes a recording of at least so many calls for each of two threads, which take turns at the
// buckets of a picture.
func (b *box) record(name string, calls int) error {
	const across, down = sceneWidth / bucketEdge, sceneHigh / bucketEdge
	for thread := range 2 {
		w, err := newRecorder(name, thread)
		if err != nil {
			return err
		}
		p := path{box: b, to: w, random: trace{state: uint64(thread)}}
		for n := thread; w.calls < calls; n += 2 {
			bucket := n * bucketStride % (across * down)
			for pixel := range bucketEdge * bucketEdge {
				p.trace(bucket%across*bucketEdge+pixel%bucketEdge, bucket/across*bucketEdge+pixel/bucketEdge)
			}
		}
		if err := w.close(); err != nil {
			return fmt.Errorf("textures: %w", err)
		}
	}
	return nil
}

// path makes the calls of paths.
type path struct {
	box    *box
	to     *recorder
	random trace
}

// ray is as wide as width and its way times spread.
type ray struct {
	from, dir     vec
	width, spread float64
}

// hit is where a ray meets a shape: which way s and t of its textures grow, and how fast.
type hit struct {
	shape        *shape
	normal       vec // against the ray
	s, t         float64
	growS, growT vec
}

// trace makes the calls of a path that begins at a pixel.
func (p *path) trace(x, y int) {
	const pixel = 2. / sceneHigh // at a distance of 1
	r := ray{from: vec{0, 0, -0.95}, spread: pixel * sampleEdge}
	r.dir = vec{(float64(x) + p.random.u() - sceneWidth/2) * pixel, (sceneHigh/2 - float64(y) - p.random.u()) * pixel, 1}.unit()
	for range pathLength {
		way, at := math.Inf(1), (*shape)(nil)
		for i := range p.box.shapes {
			s := &p.box.shapes[i]
			if d := s.meet(r); d > 1e-6 && d < way {
				way, at = d, s
			}
		}
		if at == nil { // out of the open side
			return
		}
		r.from, r.width = r.from.add(r.dir, way), r.width+way*r.spread
		h := at.hit(r)
		p.calls(r, h)
		r.dir, r.spread = p.scatter(h.normal), r.spread*widening
	}
}

// scatter returns a direction from a matt place.
func (p *path) scatter(normal vec) vec {
	z := 2*p.random.u() - 1
	sin, cos := math.Sincos(2 * math.Pi * p.random.u())
	side := math.Sqrt(1 - z*z)
	return vec{side * cos, side * sin, z}.add(normal, 1+1e-9).unit()
}

// calls makes those of all textures of a place. The footprint is what a round ray covers.
func (p *path) calls(r ray, h hit) {
	if len(h.shape.maps) == 0 {
		return
	}
	short := h.normal.cross(r.dir)
	if short.dot(short) < 1e-12 {
		short = h.growS
	}
	short = short.unit()
	long := short.cross(h.normal)
	wide := r.width / max(-h.normal.dot(r.dir), 0.01)
	c := call{s: h.s, t: h.t,
		dsdx: wide * long.dot(h.growS), dtdx: wide * long.dot(h.growT),
		dsdy: r.width * short.dot(h.growS), dtdy: r.width * short.dot(h.growT)}
	for i := range h.shape.maps[int(h.t)*h.shape.wide+int(h.s)] {
		c.file = h.shape.first + i
		p.to.add(c)
	}
}

// meet returns how far a ray goes until it meets a shape, or a number that is not more than 0.
func (s *shape) meet(r ray) float64 {
	if s.radius > 0 {
		from := r.from.add(s.centre, -1)
		half := from.dot(r.dir)
		under := half*half - from.dot(from) + s.radius*s.radius
		if under < 0 {
			return 0
		}
		return -half - math.Sqrt(under) // rays are never within
	}
	way := (s.at - r.from[s.axis]) / r.dir[s.axis]
	at := r.from.add(r.dir, way)
	for i, v := range at {
		if i != s.axis && !(math.Abs(v) <= 1) {
			return 0
		}
	}
	return way
}

// hit returns what is where a ray has met a shape.
func (s *shape) hit(r ray) (h hit) {
	h.shape = s
	wide, high := float64(s.wide), float64(s.high)
	if s.radius > 0 {
		h.normal = r.from.add(s.centre, -1).unit()
		n := h.normal
		side := max(math.Hypot(n[0], n[2]), 1e-3) // at the poles s grows too fast for any number
		h.s = wide * (math.Atan2(n[2], n[0])/(2*math.Pi) + 0.5)
		h.t = high * math.Atan2(side, n[1]) / math.Pi
		h.growS = vec{}.add(vec{-n[2], 0, n[0]}, wide/(2*math.Pi*s.radius*side*side))
		h.growT = vec{}.add(vec{n[0] * n[1], -side * side, n[2] * n[1]}, high/(math.Pi*s.radius*side))
	} else {
		u, v := (s.axis+1)%3, (s.axis+2)%3
		h.normal[s.axis] = -s.at
		h.s, h.t = wide*(r.from[u]+1)/2, high*(r.from[v]+1)/2
		h.growS[u], h.growT[v] = wide/2, high/2
	}
	const inside = 1 - 1e-6 // also as a float of 32 bits
	h.s, h.t = min(max(h.s, 0), wide*inside), min(max(h.t, 0), high*inside)
	return h
}

type vec [3]float64

// add returns v + f*w.
func (v vec) add(w vec, f float64) vec { return vec{v[0] + f*w[0], v[1] + f*w[1], v[2] + f*w[2]} }

func (v vec) dot(w vec) float64 { return v[0]*w[0] + v[1]*w[1] + v[2]*w[2] }

func (v vec) cross(w vec) vec {
	return vec{v[1]*w[2] - v[2]*w[1], v[2]*w[0] - v[0]*w[2], v[0]*w[1] - v[1]*w[0]}
}

// unit returns v with a length of 1.
func (v vec) unit() vec { return vec{}.add(v, 1/math.Sqrt(v.dot(v))) }
