package terrain

import "github.com/cairnvoxel/cairn/voxel/geom"

const (
	plotPitch = 48 // from one plot to the next
	plotEdge  = 40
	plotFloor = 64
)

// plots is the scene of Plots.
type plots struct{ seed seed }

func newPlots(o Options) scene { return &plots{seed(o.Seed).salt(3)} }

func (p *plots) biome(x, z int) biome { return biome{"plains", 1} }

func (p *plots) spawn() geom.Point { return geom.Point{X: -4, Y: plotFloor, Z: -4} }

func (p *plots) paint(c *canvas) {
	for i := range edge * edge {
		p.ground(c, c.x0+i%edge, c.z0+i/edge)
	}
	for gz := geom.FloorDiv(c.z0, plotPitch); gz*plotPitch < c.z0+edge; gz++ {
		for gx := geom.FloorDiv(c.x0, plotPitch); gx*plotPitch < c.x0+edge; gx++ {
			p.plot(brush{canvas: c, at: geom.Point{X: gx * plotPitch, Y: plotFloor, Z: gz * plotPitch}}, gx, gz)
		}
	}
}

// ground builds one block column: a lawn with a low wall around it, or road.
func (p *plots) ground(c *canvas, x, z int) {
	px, pz := geom.FloorMod(x, plotPitch), geom.FloorMod(z, plotPitch)
	far := max(px, pz)
	c.set(x, 0, z, c.kind("bedrock"))
	c.fillColumn(x, z, 1, plotFloor-1, c.kind("dirt"))
	switch {
	case far < plotEdge:
		c.set(x, plotFloor-1, z, c.kind("grass_block"))
	case far == plotEdge || far == plotPitch-1 || px == plotEdge || pz == plotEdge || px == plotPitch-1 || pz == plotPitch-1:
		p.kerb(c, x, z, px, pz)
	default:
		p.road(c, x, z, px, pz)
	}
}

// kerb builds the ring of blocks around a plot. The road lies between two rings.
func (p *plots) kerb(c *canvas, x, z, px, pz int) {
	road := func(v int) bool { return v > plotEdge && v < plotPitch-1 }
	if road(px) || road(pz) {
		p.road(c, x, z, px, pz)
		return
	}
	c.set(x, plotFloor-1, z, c.kind("stone"))
	c.set(x, plotFloor, z, c.kind("smooth_stone_slab"))
}

func (p *plots) road(c *canvas, x, z, px, pz int) {
	key := "quartz_block"
	if mid := plotEdge + 4; px == mid || pz == mid {
		key = "stone_bricks"
	}
	c.set(x, plotFloor-1, z, c.kind(key))
}

// plot builds on a plot. Every third plot stays a lawn.
func (p *plots) plot(b brush, gx, gz int) {
	n := p.seed.pick(gx, 0, gz, 12)
	b.put(-1, 1, plotEdge, "oak_sign@s")
	b.sign(b.place(-1, 1, plotEdge), "plot "+string(rune('A'+geom.FloorMod(gx, 26)))+string(rune('A'+geom.FloorMod(gz, 26))))
	b.at = b.at.Add(geom.Point{X: 12, Z: 12})
	switch n {
	case 0, 1:
		b.house(13, 9, oakHouse())
	case 2:
		b.house(15, 11, brickHouse())
	case 3:
		b.manor()
	case 4:
		b.tower()
	case 5:
		b.garden()
	case 6:
		b.statue([]string{"red_wool", "blue_wool", "orange_wool"}[p.seed.pick(gx, 1, gz, 3)])
	case 7:
		b.pyramid()
	}
}

func (b brush) manor() {
	b.house(9, 9, birchHouse())
	b.at = b.at.Add(geom.Point{X: 8, Z: 2})
	b.house(12, 7, birchHouse())
	b.box(0, -1, 9, 11, -1, 13, "water")
	b.walls(-1, 0, 8, 12, 0, 14, "stone_brick_slab")
}

// tower is round, with battlements.
func (b brush) tower() {
	for y := range 24 {
		for z := range 15 {
			for x := range 15 {
				d := (x-7)*(x-7) + (z-7)*(z-7)
				switch {
				case d > 52:
				case d > 36 && (y < 22 || (x+z)%2 == 0):
					b.put(x, y, z, []string{"stone_bricks", "stone_bricks", "mossy_stone_bricks", "cracked_stone_bricks"}[b.seed.pick(x, y, z, 4)])
				case d <= 36 && y%7 == 0 && (x != 7 || z != 3):
					b.put(x, y, z, "oak_planks")
				}
			}
		}
		b.put(7, y, 2, "ladder@s")
	}
	b.box(7, 0, 12, 7, 1, 14, "air")
	b.put(7, 22, 7, "glowstone")
}

func (b brush) garden() {
	b.walls(0, 0, 0, 16, 1, 16, "hedge")
	b.box(8, 0, 16, 8, 1, 16, "air")
	flowers := []string{"dandelion", "poppy", "azure_bluet", "oxeye_daisy"}
	for z := 2; z < 15; z++ {
		for x := 2; x < 15; x++ {
			if x != 8 && z != 8 && x%2 == 0 {
				b.put(x, 0, z, flowers[z/4])
			}
		}
	}
	b.box(8, -1, 1, 8, -1, 15, "gravel")
	b.box(1, -1, 8, 15, -1, 8, "gravel")
	b.box(6, -1, 6, 10, -1, 10, "stone_bricks")
	b.walls(6, 0, 6, 10, 0, 10, "stone_brick_slab")
	b.box(7, -1, 7, 9, -1, 9, "water")
	b.box(8, 0, 8, 8, 2, 8, "chiseled_stone_bricks")
	b.put(8, 3, 8, "water")
	b.flow(b.place(8, 3, 8))
}

// statue is a picture in wool, standing.
func (b brush) statue(colour string) {
	rows := [...]string{"..####..", ".######.", ".#o##o#.", ".######.", "..####..", "########", "#.####.#", "#.####.#", "..####..", "..#..#..", "..#..#..", ".##..##."}
	for i, row := range rows {
		for x, r := range row {
			key := map[rune]string{'#': colour, 'o': "black_wool"}[r]
			if key != "" {
				y := (len(rows) - 1 - i) * 2
				b.box(x*2, y, 6, x*2+1, y+1, 8, key)
			}
		}
	}
	b.box(-1, -1, 4, 16, -1, 10, "quartz_block")
}

func (b brush) pyramid() {
	for i := range 9 {
		key := "sandstone"
		if i%3 == 2 {
			key = "cut_sandstone"
		}
		b.box(i, i, i, 17-i, i, 17-i, key)
	}
	b.box(8, 0, 12, 9, 1, 17, "air")
	b.put(8, 9, 8, "gold_block")
}
