package terrain

import (
	"math"

	"github.com/cairnvoxel/cairn/voxel/geom"
)

const islandTop = 80

// island is the scene of Island.
type island struct {
	seed   seed
	radius float64
}

func newIsland(o Options) scene { return &island{seed(o.Seed).salt(4), float64(o.Size) * 8 * .62} }

func (s *island) biome(x, z int) biome { return biome{"plains", 1} }

func (s *island) spawn() geom.Point { return geom.Point{Y: islandTop} }

// crag is a floating rock: its centre, its radius and its materials.
type crag struct {
	x, z, y          int
	radius           float64
	top, filler, log string
}

func (s *island) crags() []crag {
	r := s.radius
	far := func(turn, dist float64) (int, int) {
		return int(math.Cos(turn) * r * dist), int(math.Sin(turn) * r * dist)
	}
	list := []crag{{radius: r, y: islandTop, top: "grass_block", filler: "dirt", log: "stone"}}
	x, z := far(2.4, 1.35)
	list = append(list, crag{x, z, islandTop + 6, r * .22, "sand", "sandstone", "sandstone"})
	x, z = far(-.75, 1.38)
	list = append(list, crag{x, z, islandTop + 12, r * .2, "podzol", "dirt", "andesite"})
	x, z = far(.8, 1.4)
	return append(list, crag{x, z, islandTop - 4, r * .24, "snowy_grass", "dirt", "diorite"})
}

// shape returns the lowest block and the height above the highest block of the rock
// over (x,z). ok is false outside of its rim.
func (s *island) shape(k crag, x, z int) (lo, hi int, ok bool) {
	dx, dz := float64(x-k.x), float64(z-k.z)
	turn := math.Atan2(dz, dx)
	rim := k.radius * (1 + .16*s.seed.fbm(2+1.6*math.Cos(turn), k.radius+1.6*math.Sin(turn), 3))
	d := math.Hypot(dx, dz) / rim
	if d >= 1 {
		return 0, 0, false
	}
	fx, fz := float64(x), float64(z)
	hill := step(.62, .95, d) * (1 - step(.9, 1, d))
	top := float64(k.y) + hill*5*(.3+s.seed.salt(1).fbm(fx/16, fz/16, 3))
	depth := k.radius*.75*math.Pow(1-d, .8) + 5*math.Abs(s.seed.salt(2).fbm(fx/7, fz/7, 3))
	return int(top - depth - 1), int(top), true
}

func (s *island) paint(c *canvas) {
	for _, k := range s.crags() {
		for i := range edge * edge {
			s.ground(c, k, c.x0+i%edge, c.z0+i/edge)
		}
	}
	b := brush{canvas: c, at: geom.Point{Y: islandTop}}
	s.base(b)
	s.farm(b.shifted(9, -14))
	s.pen(b.shifted(-22, 8))
	s.store(b.shifted(-24, -18))
	s.works(b)
	s.grove(b)
	s.bridges(b)
}

func (b brush) shifted(x, z int) brush {
	b.at = b.at.Add(geom.Point{X: x, Z: z})
	return b
}

func (s *island) ground(c *canvas, k crag, x, z int) {
	lo, hi, ok := s.shape(k, x, z)
	if !ok {
		return
	}
	c.fillColumn(x, z, lo, hi, c.kind(k.log))
	c.fillColumn(x, z, max(lo, hi-4), hi-1, c.kind(k.filler))
	c.set(x, hi-1, z, c.kind(k.top))
	r := s.seed.salt(3)
	switch v := r.chance(x, k.y, z); {
	case k.top == "snowy_grass":
		c.set(x, hi, z, c.kind("snow"))
	case k.top == "sand" && v < .03:
		c.fillColumn(x, z, hi, hi+1+r.pick(x, 1, z, 3), c.kind("cactus"))
	case k.top == "grass_block" && v < .12:
		c.set(x, hi, z, c.kind([]string{"short_grass", "short_grass", "poppy", "dandelion"}[r.pick(x, 2, z, 4)]))
	}
	if r.chance(x, 3, z) < .02 {
		c.set(x, lo+1, z, c.kind([]string{"coal_ore", "iron_ore"}[r.pick(x, 4, z, 2)]))
	}
}

// base is the house, its path and a pond.
func (s *island) base(b brush) {
	h := b.shifted(-7, -6)
	h.house(13, 9, oakHouse())
	h.shifted(13, 2).house(7, 6, birchHouse())
	for z := 3; z < 22; z++ {
		wave := int(1.6 * math.Sin(float64(z)/4))
		b.box(wave-1, -1, z, wave, -1, z, "gravel")
		b.box(wave-1, 0, z, wave, 0, z, "air")
	}
	for z := -5; z <= 5; z++ {
		for x := -7; x <= 7; x++ {
			if d := x*x/2 + z*z; d < 22 {
				b.box(15+x, -2, 13+z, 15+x, -1, 13+z, "water")
				b.put(15+x, 0, 13+z, "air")
			}
		}
	}
	b.put(13, 0, 12, "lily_pad")
	b.put(17, 0, 14, "lily_pad")
}

// farm grows three crops along ditches.
func (s *island) farm(b brush) {
	crops := [][]string{{"wheat0", "wheat1", "wheat2", "wheat2"}, {"carrots"}, {"potatoes"}}
	b.walls(-1, -1, -1, 15, -1, 12, "oak_log@e")
	b.box(0, 0, 0, 14, 2, 11, "air")
	for z := range 12 {
		for x := range 15 {
			if x%5 == 2 {
				b.put(x, -1, z, "water")
				continue
			}
			row := crops[x/5]
			b.put(x, -1, z, "farmland")
			b.put(x, 0, z, row[s.seed.pick(x, 0, z, len(row))])
		}
	}
	for i, z := range []int{-1, 12} {
		b.put(i*14, 0, z, "oak_fence@y")
		b.put(i*14, 1, z, "torch")
	}
	for i := range 6 {
		b.put(16+i%2, 0, 3+i/2*2, []string{"pumpkin", "melon"}[i%2])
	}
}

// pen keeps animals behind fences.
func (s *island) pen(b brush) {
	const w, d = 15, 11
	b.box(0, 0, 0, w-1, 2, d-1, "air")
	b.box(0, 0, 0, w-1, 0, 0, "oak_fence@e")
	b.box(0, 0, d-1, w-1, 0, d-1, "oak_fence@e")
	b.box(0, 0, 0, 0, 0, d-1, "oak_fence@s")
	b.box(w-1, 0, 0, w-1, 0, d-1, "oak_fence@s")
	b.box(7, 0, 1, 7, 0, d-2, "oak_fence@s")
	b.put(3, 0, 0, "oak_fence_gate@s")
	b.put(11, 0, 0, "oak_fence_gate@s")
	b.box(2, 0, d-2, 3, 1, d-2, "hay_block")
	for i := range 12 {
		sort := [...][2]string{{"cow", "Cow"}, {"sheep", "Sheep"}, {"chicken", "Chicken"}}[i%3]
		b.animal(b.place(1+i%2*8+i/4*2, 0, 2+i%4*2), sort[0], sort[1], 8)
	}
}

// store is a shed with a wall of chests.
func (s *island) store(b brush) {
	goods := []string{"cobblestone", "dirt", "oak_log", "wheat", "carrot", "potato", "iron_ingot", "gold_ingot", "diamond", "redstone", "coal", "egg", "wool", "leather"}
	b.box(0, -1, 0, 12, -1, 6, "spruce_planks")
	b.box(0, 0, 0, 12, 4, 6, "air")
	b.walls(0, 0, 0, 12, 3, 6, "stone_bricks")
	b.box(0, 4, 0, 12, 4, 6, "spruce_slab")
	b.box(5, 0, 6, 7, 2, 6, "air")
	for y := range 2 {
		for x := 1; x < 12; x += 2 {
			b.put(x, y, 1, "chest@s")
			at := b.place(x, y, 1)
			b.chest(at, s.seed.salt(x).loot(at, goods, 27))
		}
	}
	b.put(6, 2, 3, "glowstone")
	b.put(4, -1, 7, "spruce_planks")
	b.put(4, 0, 7, "oak_sign@s")
	b.sign(b.place(4, 0, 7), "Store")
}

// works are a stone generator and a gate to the nether.
func (s *island) works(b brush) {
	g := b.shifted(6, 24)
	g.walls(0, -1, 0, 6, 0, 2, "cobblestone")
	g.box(1, 0, 1, 5, 0, 1, "cobblestone")
	g.put(1, 0, 1, "water")
	g.flow(g.place(1, 0, 1))
	g.put(5, 0, 1, "lava")
	p := b.shifted(-2, -22)
	p.walls(0, 0, 0, 3, 4, 0, "obsidian")
	p.box(1, 1, 0, 2, 3, 0, "air")
	p.box(-1, -1, -1, 4, -1, 1, "stone_bricks")
}

// grove plants trees in rows, and one on each of the smaller rocks.
func (s *island) grove(b brush) {
	for i := range 9 {
		x, z := 24+i%3*6, -4+i/3*6
		if _, hi, ok := s.shape(s.crags()[0], x, z); ok {
			b.tree(geom.Point{X: x, Y: hi, Z: z}, []string{"oak", "birch", "oak"}[i%3], s.seed.salt(5).at(i, 0, 0))
		}
	}
	for i, k := range s.crags()[2:] {
		_, hi, _ := s.shape(k, k.x, k.z)
		b.tree(geom.Point{X: k.x, Y: hi, Z: k.z}, "spruce", s.seed.salt(6).at(i, 0, 0))
	}
}

// bridges lead from the house to the smaller rocks.
func (s *island) bridges(b brush) {
	for _, k := range s.crags()[1:] {
		n := max(abs(k.x), abs(k.z))
		for i := int(float64(n) * .55); i < n; i++ {
			x, z := k.x*i/n, k.z*i/n
			y := islandTop + (k.y-islandTop)*(i-n*55/100)/(n-n*55/100)
			for dx := range 3 {
				if b.canvas.at(x+dx, y-1, z) == 0 {
					b.put(x+dx, y-1-islandTop, z, "oak_slab_top")
				}
			}
		}
	}
}

func abs(v int) int { return max(v, -v) }
