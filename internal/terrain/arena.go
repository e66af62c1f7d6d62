package terrain

import (
	"math"

	"github.com/cairnvoxel/cairn/voxel/geom"
)

const arenaFloor = 64

// arena is the scene of Arena: one quarter, painted four times.
type arena struct {
	seed seed
	half int // blocks from the middle to the outer face of the wall
}

func newArena(o Options) scene { return &arena{seed(o.Seed).salt(2), o.Size*8 - 4} }

func (a *arena) biome(x, z int) biome { return biome{"plains", 1} }

func (a *arena) spawn() geom.Point { return geom.Point{Y: arenaFloor + 6} }

func (a *arena) paint(c *canvas) {
	for i, team := range []string{"red_wool", "blue_wool", "green_wool", "yellow_wool"} {
		b := brush{c, geom.Point{Y: arenaFloor}, i&1 != 0, i&2 != 0}
		for z := range a.half {
			for x := range a.half {
				if p := b.place(x, 0, z); c.near(p.X, p.Z, 0) {
					a.floor(b, x, z)
				}
			}
		}
		a.cover(b)
		a.wall(b)
		a.base(b, team)
		a.middle(b)
	}
}

// floor builds one block column: rock, a moat, and ground that depends on the
// distance from the middle.
func (a *arena) floor(b brush, x, z int) {
	r := math.Hypot(float64(x), float64(z)) + 3*a.seed.noise(float64(x)/11, float64(z)/11)
	b.box(x, -8, z, x, -2, z, "stone")
	b.put(x, -9, z, "bedrock")
	moat := math.Abs(r-float64(a.half)*.52) < 3.5
	key := "grass_block"
	switch {
	case moat && x > 2 && z > 2:
		b.box(x, -3, z, x, -2, z, "water")
		key = "water"
	case moat:
		key = "oak_planks"
	case x < 3 || z < 3:
		key = "stone_bricks"
	case r < 13:
		key = "smooth_stone"
	case a.seed.salt(1).noise(float64(x)/9, float64(z)/9) > .35:
		key = "coarse_dirt"
	case a.seed.salt(2).chance(x, 0, z) < .1:
		b.put(x, 0, z, "short_grass")
	}
	b.put(x, -1, z, key)
}

// cover scatters pillars, hedges and trees, the same in each quarter.
func (a *arena) cover(b brush) {
	const cell = 9
	r := a.seed.salt(3)
	for gz := 1; gz*cell < a.half-16; gz++ {
		for gx := 1; gx*cell < a.half-16; gx++ {
			x, z := gx*cell+r.pick(gx, 0, gz, 4), gz*cell+r.pick(gx, 1, gz, 4)
			if d := math.Hypot(float64(x), float64(z)); d < 16 || math.Abs(d-float64(a.half)*.52) < 8 {
				continue
			}
			switch r.pick(gx, 2, gz, 4) {
			case 0:
				b.box(x, 0, z, x+1, 2+r.pick(gx, 3, gz, 3), z+1, "stone_bricks")
				b.put(x, 0, z+2, "stone_brick_stairs@n")
				b.put(x+2, 0, z, "stone_brick_stairs@w")
			case 1:
				b.box(x, 0, z, x+3, 1, z, "hedge")
			case 2:
				b.box(x, -1, z, x, -1, z, "grass_block")
				b.tree(b.place(x, 0, z), "oak", r.at(gx, 4, gz))
			case 3:
				b.box(x, 0, z, x, 0, z+2, "cobblestone_wall")
				b.put(x, 1, z+1, "torch")
			}
		}
	}
}

// wall surrounds the field, with a pillar and a lamp every eight blocks.
func (a *arena) wall(b brush) {
	n := a.half - 1
	side := func(i, y1, y2, out1, out2 int, key string) {
		b.box(i, y1, n-out2, i, y2, n-out1, key)
		b.box(n-out2, y1, i, n-out1, y2, i, key)
	}
	for i := 0; i <= n; i++ {
		side(i, 0, 9, 0, 1, "stone_bricks")
		side(i, 3, 3, 1, 1, "cracked_stone_bricks")
		side(i, 10, 10, 0, 2, "smooth_stone_slab")
		if i%2 == 0 {
			side(i, 10, 11, 0, 0, "stone_bricks")
		}
		if i%8 == 4 && i < n-2 {
			side(i, 0, 12, 1, 2, "chiseled_stone_bricks")
			side(i, 6, 6, 2, 2, "sea_lantern")
		}
	}
}

// base is a team's spawn platform with its chest.
func (a *arena) base(b brush, team string) {
	m := a.half - 14
	for z := -6; z <= 6; z++ {
		for x := -6; x <= 6; x++ {
			d := x*x + z*z
			switch {
			case d > 40:
				continue
			case d > 28:
				b.put(m+x, 0, m+z, "smooth_stone_slab")
			case d > 8:
				b.box(m+x, 0, m+z, m+x, 1, m+z, "quartz_block")
			default:
				b.box(m+x, 0, m+z, m+x, 1, m+z, team)
			}
		}
	}
	b.put(m, 1, m, "glowstone")
	b.put(m+3, 2, m+3, "chest@w")
	at := b.place(m+3, 2, m+3)
	b.chest(at, a.seed.loot(geom.Point{}, []string{"iron_sword", "bow", "arrow", "golden_apple", "iron_chestplate", "shield"}, 9))
	for _, d := range [][2]int{{-4, 4}, {4, -4}} {
		b.box(m+d[0], 2, m+d[1], m+d[0], 6, m+d[1], "oak_fence@y")
		b.box(m+d[0], 5, m+d[1], m+d[0]+1, 6, m+d[1], team)
	}
}

// middle is a stepped mound with a treasure.
func (a *arena) middle(b brush) {
	for i := range 5 {
		b.box(0, i, 0, 9-2*i, i, 9-2*i, "stone_bricks")
		b.box(0, i, 10-2*i, 9-2*i, i, 10-2*i, "stone_brick_stairs@n")
		b.box(10-2*i, i, 0, 10-2*i, i, 9-2*i, "stone_brick_stairs@w")
	}
	b.put(0, 5, 0, "gold_block")
	b.put(1, 5, 1, "sea_lantern")
}
