package tiles

import (
	"math"
	"math/rand/v2"
)

// The article's scene: 898 files of 8K textures, 32x32 tiles of four half floats, with mip
// levels. A box has four planes of 10x10 files each (UDIMs). Four objects have patches with
// many files each, one for each layer and kind of texture.
const (
	sceneFiles   = 898
	textureTiles = 256 // along an edge of level 0
	textureMips  = 9   // the last is one tile
	tileTexels   = 32
	sceneBytes   = tileTexels * tileTexels * 4 * 2
	planes       = 4
	planeEdge    = 10 // files
	objects      = 4
	objectWide   = 7 // patches
	objectHigh   = 2
	pathLength   = 6
	bucketPixels = 16
)

// surface is patches of texture, each of which has files.
type surface struct {
	wide, high int
	files      [][]uint32 // of patch y*wide+x
}

// newScene shares the files among the surfaces.
func newScene(r *rand.Rand) (all []surface) {
	next := uint32(0)
	add := func(wide, high int, files func(patch int) int) {
		s := surface{wide: wide, high: high, files: make([][]uint32, wide*high)}
		for p := range s.files {
			for range files(p) {
				s.files[p] = append(s.files[p], uint32(mix(uint64(next)+1)))
				next++
			}
		}
		all = append(all, s)
	}
	for range planes {
		add(planeEdge, planeEdge, func(int) int { return 1 })
	}
	const patches = objects * objectWide * objectHigh
	var layers [patches]int
	for i := range layers {
		layers[i] = 3
	}
	for range sceneFiles - planes*planeEdge*planeEdge - 3*patches {
		layers[r.IntN(patches)]++
	}
	for o := range objects {
		add(objectWide, objectHigh, func(p int) int { return layers[o*objectWide*objectHigh+p] })
	}
	return all
}

// sceneKey is the article's key: hash of the file, level, y, x.
func sceneKey(file uint32, level, x, y int) uint64 {
	return uint64(file)<<32 + uint64(level)<<24 + uint64(y)<<14 + uint64(x)
}

// scene renders a part of a picture of 3840x2160 pixels in buckets of 16x16 pixels. Rays of
// the camera are coherent. The bounces hit any place of the box.
func scene(m *traceMaker) {
	m.bytes = func(uint64) int32 { return sceneBytes }
	all := newScene(m.random)
	const wide = 20 // buckets in a row
	for bucket := 0; !m.done(); bucket++ {
		bx, by := bucket%wide*bucketPixels, bucket/wide*bucketPixels
		for pixel := 0; pixel < bucketPixels*bucketPixels && !m.done(); pixel++ {
			m.path(all, bx+pixel%bucketPixels, by+pixel/bucketPixels)
		}
	}
}

// path reads what one path of rays hits that starts at a pixel.
func (m *traceMaker) path(all []surface, x, y int) {
	// An object stands in front of a plane: stripes of the picture.
	const pixelTexels = 40.0
	s := all[(x/96+y/160)%2*planes+x/400%planes]
	u, v := float64(x+400)*pixelTexels/8192, float64(y+300)*pixelTexels/8192
	u, v = math.Mod(u, float64(s.wide)), math.Mod(v, float64(s.high))
	level := math.Log2(pixelTexels)
	m.hit(s, u, v, level)
	for range pathLength - 1 {
		s = all[m.random.IntN(len(all))]
		u, v = m.random.Float64()*float64(s.wide), m.random.Float64()*float64(s.high)
		level += m.random.Float64()
		m.hit(s, u, v, level)
	}
}

// hit reads every layer at a place of a surface on two levels. The filter reaches two texels
// beyond the place, also across the borders of files.
func (m *traceMaker) hit(s surface, u, v, level float64) {
	layers := len(s.files[int(v)*s.wide+int(u)])
	for layer := range layers {
		for _, l := range [2]int{int(level), int(level) + 1} {
			l = min(l, textureMips-1)
			edge := textureTiles >> l
			texel := 1 / float64(edge*tileTexels)
			x0, x1 := int((u-2*texel)*float64(edge)), int((u+2*texel)*float64(edge))
			y0, y1 := int((v-2*texel)*float64(edge)), int((v+2*texel)*float64(edge))
			for y := y0; y <= y1; y++ {
				for x := x0; x <= x1; x++ {
					m.texel(s, layer, l, edge, x, y)
				}
			}
		}
	}
}

// texel reads a tile of a surface. A patch may lack the layer, and there is none outside.
func (m *traceMaker) texel(s surface, layer, level, edge, x, y int) {
	px, py := x/edge, y/edge
	if px >= s.wide || py >= s.high {
		return
	}
	if files := s.files[py*s.wide+px]; layer < len(files) {
		m.read(sceneKey(files[layer], level, x%edge, y%edge))
	}
}
