package terrain

import "github.com/cairnvoxel/cairn/voxel/geom"

// tree plants one tree whose trunk starts at p. r decides its shape.
func (c *canvas) tree(p geom.Point, species string, r uint64) {
	log, leaves := c.kind(species+"_log@y"), c.kind(species+"_leaves")
	c.set(p.X, p.Y-1, p.Z, c.kind("dirt"))
	tall := 4 + int(r&3)
	switch species {
	case "spruce":
		tall = 7 + int(r%5)
		c.cone(p, tall, leaves)
	case "acacia":
		c.umbrella(p, tall+1, r, log, leaves)
		return
	case "jungle":
		tall = 7 + int(r%8)
		c.crown(p.Add(geom.Point{Y: tall}), 3, r, leaves)
	default:
		c.crown(p.Add(geom.Point{Y: tall}), 2, r, leaves)
	}
	c.fillColumn(p.X, p.Z, p.Y, p.Y+tall, log)
}

// grow places a leaf unless there is something solid.
func (c *canvas) grow(x, y, z int, k kind) {
	if i, ok := c.index(x, y, z); ok && !c.blocks[c.cells[i]].stops {
		c.cells[i] = k
	}
}

// disc places leaves in a circle. Chance decides about its corners.
func (c *canvas) disc(x, y, z, r int, chance uint64, k kind) {
	for dz := -r; dz <= r; dz++ {
		for dx := -r; dx <= r; dx++ {
			corner := dx*dx+dz*dz > r*r+r-1
			if corner && mix(chance+uint64(dx*7+dz*31+y))&1 == 0 || dx*dx+dz*dz > r*r+r+2 {
				continue
			}
			c.grow(x+dx, y, z+dz, k)
		}
	}
}

// crown places a round crown of leaves. Its second highest layer is at p.
func (c *canvas) crown(p geom.Point, r int, chance uint64, k kind) {
	for dy := -2; dy <= 0; dy++ {
		c.disc(p.X, p.Y+dy-1, p.Z, r, chance, k)
	}
	c.disc(p.X, p.Y, p.Z, r-1, chance, k)
}

// cone places the branches of a spruce.
func (c *canvas) cone(p geom.Point, tall int, k kind) {
	for dy := tall; dy >= 2; dy-- {
		d := tall - dy
		c.disc(p.X, p.Y+dy, p.Z, min(1+d/2-d&1, 3), 1, k)
	}
	c.grow(p.X, p.Y+tall+1, p.Z, k)
}

// umbrella places a bent trunk under flat layers of leaves.
func (c *canvas) umbrella(p geom.Point, tall int, r uint64, log, leaves kind) {
	dx, dz := int(r>>8%3)-1, int(r>>12%3)-1
	x, z := p.X, p.Z
	for dy := range tall {
		if dy >= tall-2 {
			x, z = x+dx, z+dz
		}
		c.set(x, p.Y+dy, z, log)
	}
	c.disc(x, p.Y+tall-1, z, 3, r, leaves)
	c.disc(x, p.Y+tall, z, 1, r, leaves)
	c.set(x, p.Y+tall-1, z, log)
}
