package terrain

import (
	"strings"

	"github.com/cairnvoxel/cairn/voxel/geom"
)

const (
	core   = 32 // a footprint of four columns
	margin = 16 // the reach of light
	edge   = core + 2*margin
)

// canvas is a footprint of four columns with a margin all round, so that trees and
// light from outside reach into it. Scenes paint the same blocks on every canvas;
// blocks outside of it are dropped. Index: (z*edge+x)*height + y.
type canvas struct {
	*blockTable
	x0, z0  int // least block, margin included
	y0      int // least height
	height  int
	numeric bool
	seed    seed
	cells   []kind
	sky     []uint8
	glow    []uint8
	queue   []int32
	objects []object
}

// object is an object in a list of its column.
type object struct {
	list    string
	at      geom.Point
	of      kind // the block there when it came
	entity  bool
	payload []byte
}

func newCanvas(b *blockTable, o Options) *canvas {
	c := &canvas{blockTable: b, y0: -64, height: 384, numeric: o.Version == 0, seed: seed(o.Seed)}
	if c.numeric {
		c.y0, c.height = 0, 256
	}
	n := edge * edge * c.height
	c.cells, c.sky, c.glow = make([]kind, n), make([]uint8, n), make([]uint8, n)
	return c
}

// move clears the canvas and moves its core to the footprint (fx,fz), counted in
// footprints.
func (c *canvas) move(fx, fz int) {
	c.x0, c.z0 = fx*core-margin, fz*core-margin
	clear(c.cells)
	c.objects = c.objects[:0]
}

func (c *canvas) index(x, y, z int) (int, bool) {
	x, y, z = x-c.x0, y-c.y0, z-c.z0
	if uint(x) >= edge || uint(z) >= edge || uint(y) >= uint(c.height) {
		return 0, false
	}
	return (z*edge+x)*c.height + y, true
}

func (c *canvas) set(x, y, z int, k kind) {
	if i, ok := c.index(x, y, z); ok {
		c.cells[i] = k
	}
}

// at returns a block. Outside of the canvas it returns air.
func (c *canvas) at(x, y, z int) kind {
	if i, ok := c.index(x, y, z); ok {
		return c.cells[i]
	}
	return 0
}

// fillColumn sets the blocks of one column from y1 up to, not including, y2.
func (c *canvas) fillColumn(x, z, y1, y2 int, k kind) {
	y1, y2 = max(y1, c.y0), min(y2, c.y0+c.height)
	i, ok := c.index(x, y1, z)
	if !ok || y2 <= y1 {
		return
	}
	line := c.cells[i : i+y2-y1]
	for j := range line {
		line[j] = k
	}
}

// near reports whether blocks within r of (x,z) can be on the canvas.
func (c *canvas) near(x, z, r int) bool {
	return x+r >= c.x0 && x-r < c.x0+edge && z+r >= c.z0 && z-r < c.z0+edge
}

// holds reports whether the block is in the canvas' core.
func (c *canvas) holds(p geom.Point) bool {
	x, z := p.X-c.x0-margin, p.Z-c.z0-margin
	return x >= 0 && x < core && z >= 0 && z < core
}

// add adds an object if it is in the core.
func (c *canvas) add(o object) {
	if c.holds(o.at) {
		o.of = c.at(o.at.X, o.at.Y, o.at.Z)
		c.objects = append(c.objects, o)
	}
}

// brush paints a building in the building's coordinates, mirrored on request.
type brush struct {
	*canvas
	at           geom.Point
	flipX, flipZ bool
}

// place returns the world position of a block of the building.
func (b brush) place(x, y, z int) geom.Point {
	if b.flipX {
		x = -1 - x
	}
	if b.flipZ {
		z = -1 - z
	}
	return b.at.Add(geom.Point{X: x, Y: y, Z: z})
}

// turn returns the key of a block after mirroring.
func (b brush) turn(key string) string {
	i := strings.IndexByte(key, '@')
	if i < 0 {
		return key
	}
	swap := func(on bool, p, q string) {
		switch {
		case on && key[i+1:] == p:
			key = key[:i+1] + q
		case on && key[i+1:] == q:
			key = key[:i+1] + p
		}
	}
	swap(b.flipX && b.has(key[:i+1]+"w"), "e", "w")
	swap(b.flipZ && b.has(key[:i+1]+"n"), "s", "n")
	return key
}

func (b brush) has(key string) bool { _, ok := b.kinds[key]; return ok }

func (b brush) put(x, y, z int, key string) {
	p := b.place(x, y, z)
	b.set(p.X, p.Y, p.Z, b.kind(b.turn(key)))
}

// box fills the blocks from the first corner to the second, both included.
func (b brush) box(x1, y1, z1, x2, y2, z2 int, key string) {
	k := b.kind(b.turn(key))
	for z := z1; z <= z2; z++ {
		for x := x1; x <= x2; x++ {
			for y := y1; y <= y2; y++ {
				p := b.place(x, y, z)
				b.set(p.X, p.Y, p.Z, k)
			}
		}
	}
}

// walls fills the four sides of a box.
func (b brush) walls(x1, y1, z1, x2, y2, z2 int, key string) {
	b.box(x1, y1, z1, x2, y2, z1, key)
	b.box(x1, y1, z2, x2, y2, z2, key)
	b.box(x1, y1, z1, x1, y2, z2, key)
	b.box(x2, y1, z1, x2, y2, z2, key)
}
