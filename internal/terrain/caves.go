package terrain

import (
	"math"

	"github.com/cairnvoxel/cairn/voxel/geom"
)

const (
	caveCell  = 48  // one cell of the plane starts up to three caves
	caveReach = 110 // the greatest distance of a cave from its start
)

// caves digs winding tunnels that start in every cell near the canvas.
func (s *survival) caves(c *canvas) {
	r := s.seed.salt(30)
	for gz := geom.FloorDiv(c.z0-caveReach, caveCell); gz*caveCell < c.z0+edge+caveReach; gz++ {
		for gx := geom.FloorDiv(c.x0-caveReach, caveCell); gx*caveCell < c.x0+edge+caveReach; gx++ {
			for i := range r.pick(gx, 0, gz, 4) {
				s.tunnel(c, gx, gz, r.salt(i+1))
			}
		}
	}
}

// tunnel digs one cave: a ball that walks, turns, swells and shrinks.
func (s *survival) tunnel(c *canvas, gx, gz int, r seed) {
	x := float64(gx*caveCell) + r.chance(gx, 0, gz)*caveCell
	z := float64(gz*caveCell) + r.chance(gx, 1, gz)*caveCell
	low := float64(c.y0 + 8)
	y := low + math.Pow(r.chance(gx, 2, gz), 1.3)*(90-low)
	yaw, pitch := r.chance(gx, 3, gz)*2*math.Pi, (r.chance(gx, 4, gz)-.5)*.8
	size := 1.2 + 2*r.chance(gx, 5, gz)
	steps := 40 + r.pick(gx, 6, gz, caveReach-40)
	for i := range steps {
		wide := size * (.7 + .8*math.Sin(math.Pi*float64(i)/float64(steps)))
		if c.near(int(x), int(z), int(wide)+2) {
			s.dig(c, x, max(y, low), z, wide)
		}
		x += math.Cos(yaw) * math.Cos(pitch)
		z += math.Sin(yaw) * math.Cos(pitch)
		y += math.Sin(pitch)
		yaw += (r.chance(gx, 7, i) - .5) * .5
		pitch = pitch*.9 + (r.chance(gx, 8, i)-.5)*.25
	}
}

// dig removes a flattened ball of rock, but nothing that holds water. Near the
// bottom of the world its floor is lava.
func (s *survival) dig(c *canvas, x, y, z, wide float64) {
	water := c.kind("water")
	lava := c.kind("lava")
	bedrock := c.kind("bedrock")
	n := int(wide) + 1
	for dz := -n; dz <= n; dz++ {
		for dx := -n; dx <= n; dx++ {
			bx, bz := int(math.Floor(x))+dx, int(math.Floor(z))+dz
			flat := float64(dx*dx+dz*dz) / (wide * wide)
			if flat >= 1 || c.at(bx, seaTop-1, bz) == water && int(y)+n > 50 {
				continue
			}
			tall := int(math.Sqrt(1-flat) * wide * .8)
			for by := int(y) - tall; by <= int(y)+tall; by++ {
				switch k := c.at(bx, by, bz); {
				case k == water || k == bedrock:
				case by < c.y0+10:
					c.set(bx, by, bz, lava)
				default:
					c.set(bx, by, bz, 0)
				}
			}
		}
	}
}

// dungeons builds rooms with a spawner in the rock here and there.
func (s *survival) dungeons(c *canvas) {
	const cell = 64
	r := s.seed.salt(31)
	for gz := geom.FloorDiv(c.z0, cell); gz*cell < c.z0+edge; gz++ {
		for gx := geom.FloorDiv(c.x0, cell); gx*cell < c.x0+edge; gx++ {
			p := geom.Point{X: gx*cell + r.pick(gx, 0, gz, cell), Y: 14 + r.pick(gx, 1, gz, 30), Z: gz*cell + r.pick(gx, 2, gz, cell)}
			b := brush{canvas: c, at: p}
			b.box(-4, -1, -4, 4, -1, 4, "mossy_cobblestone")
			b.walls(-4, 0, -4, 4, 4, 4, "cobblestone")
			b.box(-3, 0, -3, 3, 3, 3, "air")
			b.put(0, 0, 0, "spawner")
			c.spawner(p, "zombie", "Zombie")
			b.put(-3, 0, 0, "chest@e")
			at := b.place(-3, 0, 0)
			c.chest(at, r.loot(at, []string{"bread", "wheat", "iron_ingot", "string", "bone", "saddle", "name_tag", "bucket"}, 12))
		}
	}
}
