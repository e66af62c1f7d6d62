package terrain

import "github.com/cairnvoxel/cairn/voxel/geom"

// survival is the scene of Survival.
type survival struct {
	land
	climates []climate
}

func newSurvival(o Options) scene {
	return &survival{land{seed(o.Seed).salt(1)}, climates()}
}

func (s *survival) biome(x, z int) biome { return s.climates[s.at(x, z).kind].biome }

func (s *survival) spawn() geom.Point { return geom.Point{Y: max(s.at(0, 0).height, seaTop)} }

func (s *survival) paint(c *canvas) {
	var sites [edge * edge]site
	for i := range sites {
		x, z := c.x0+i%edge, c.z0+i/edge
		sites[i] = s.at(x, z)
		s.ground(c, x, z, sites[i])
	}
	s.ores(c)
	s.caves(c)
	s.dungeons(c)
	for i, site := range sites {
		s.plants(c, c.x0+i%edge, c.z0+i/edge, site)
	}
	s.trees(c)
	s.huts(c)
	s.herds(c)
}

// ground builds rock, soil and sea of one block column.
func (s *survival) ground(c *canvas, x, z int, at site) {
	cl := &s.climates[at.kind]
	r := s.seed.salt(20).at(x, 0, z)
	c.fillColumn(x, z, c.y0, at.height, c.kind("stone"))
	if c.y0 < 0 {
		c.fillColumn(x, z, c.y0, int(r>>8&7), c.kind("deepslate"))
	}
	c.fillColumn(x, z, c.y0, c.y0+1+int(r&3), c.kind("bedrock"))
	soil := 3 + int(r>>16&1)
	top := cl.top
	if at.height < seaTop && cl.filler == "dirt" {
		top = "dirt"
	}
	c.fillColumn(x, z, at.height-soil, at.height-1, c.kind(cl.filler))
	if at.kind == badlands {
		s.bands(c, x, z, at.height)
	}
	c.set(x, at.height-1, z, c.kind(top))
	c.fillColumn(x, z, at.height, seaTop, c.kind("water"))
	if cl.cold && at.height < seaTop {
		c.set(x, seaTop-1, z, c.kind("ice"))
	}
}

// bands colours the rock of the badlands by height.
func (s *survival) bands(c *canvas, x, z, height int) {
	colours := [...]string{"terracotta", "orange_terracotta", "terracotta", "white_terracotta", "orange_terracotta", "red_terracotta", "yellow_terracotta", "brown_terracotta"}
	for y := 50; y < height; y++ {
		c.set(x, y, z, c.kind(colours[s.seed.salt(21).pick(0, (y+x/90)/2, 0, len(colours))]))
	}
}

// vein says where a kind of rock lies.
type vein struct {
	key    string
	deep   string // what it is below height 0, "" for the same
	tries  int    // per column
	lo, hi int
	size   int
}

func veins() []vein {
	return []vein{
		{"granite", "", 4, 0, 80, 30}, {"diorite", "", 4, 0, 80, 30}, {"andesite", "", 4, 0, 80, 30},
		{"dirt", "", 3, 0, 90, 28}, {"gravel", "", 3, 0, 90, 28},
		{"coal_ore", "", 14, 0, 110, 14}, {"iron_ore", "deepslate_iron_ore", 12, -60, 64, 8}, {"copper_ore", "", 5, 0, 80, 9},
		{"gold_ore", "", 2, 0, 32, 8}, {"lapis_ore", "", 1, 0, 32, 6}, {"redstone_ore", "deepslate_redstone_ore", 6, -60, 16, 7},
		{"diamond_ore", "deepslate_diamond_ore", 2, -60, 16, 6},
	}
}

// ores replaces rock by veins. Each is a random walk.
func (s *survival) ores(c *canvas) {
	for n, v := range veins() {
		for cz := c.z0 >> 4; cz < (c.z0+edge)>>4; cz++ {
			for cx := c.x0 >> 4; cx < (c.x0+edge)>>4; cx++ {
				for i := range v.tries {
					s.vein(c, v, cx, cz, s.seed.salt(100+n*32+i).at(cx, 0, cz))
				}
			}
		}
	}
}

func (s *survival) vein(c *canvas, v vein, cx, cz int, r uint64) {
	lo := max(v.lo, c.y0+1)
	p := geom.Point{X: cx*16 + int(r&15), Y: lo + int(r>>8%uint64(v.hi-lo)), Z: cz*16 + int(r>>4&15)}
	stone, deep := c.kind("stone"), c.kind("deepslate")
	ore, below := c.kind(v.key), c.kind(v.key)
	if v.deep != "" {
		below = c.kind(v.deep)
	}
	for range v.size {
		r = mix(r + 1)
		p = p.Add(geom.Point{X: int(r%3) - 1, Y: int(r>>8%3) - 1, Z: int(r>>16%3) - 1})
		for _, q := range [2]geom.Point{p, p.Add(geom.Point{X: 1})} {
			switch c.at(q.X, q.Y, q.Z) {
			case stone:
				c.set(q.X, q.Y, q.Z, ore)
			case deep:
				c.set(q.X, q.Y, q.Z, below)
			}
		}
	}
}

// plants places the plants on one block.
func (s *survival) plants(c *canvas, x, z int, at site) {
	cl := &s.climates[at.kind]
	ground := c.at(x, at.height-1, z)
	if ground != c.kind(cl.top) {
		return
	}
	r := s.seed.salt(22)
	switch {
	case at.height < seaTop:
		if at.kind == swamp && r.chance(x, 0, z) < .06 {
			c.set(x, seaTop, z, c.kind("lily_pad"))
		}
		return
	case cl.cold && cl.top != "snow_block":
		c.set(x, at.height, z, c.kind("snow"))
		return
	case r.chance(x, 0, z) >= cl.plants:
		return
	}
	key := cl.plant[r.pick(x, 1, z, len(cl.plant))]
	tall := 1
	switch {
	case key == "cactus" || key == "sugar_cane":
		tall = 1 + r.pick(x, 2, z, 3)
	case key == "melon" && r.pick(x, 2, z, 6) > 0:
		key = "fern"
	}
	if key == "sugar_cane" && at.height != seaTop {
		return
	}
	c.fillColumn(x, z, at.height, at.height+tall, c.kind(key))
}

// trees plants at most one tree in each cell of 5x5 blocks.
func (s *survival) trees(c *canvas) {
	const cell = 5
	r := s.seed.salt(23)
	for gz := geom.FloorDiv(c.z0, cell); gz*cell < c.z0+edge; gz++ {
		for gx := geom.FloorDiv(c.x0, cell); gx*cell < c.x0+edge; gx++ {
			x, z := gx*cell+r.pick(gx, 0, gz, cell), gz*cell+r.pick(gx, 1, gz, cell)
			at := s.at(x, z)
			cl := &s.climates[at.kind]
			if cl.trees <= r.chance(gx, 2, gz) || at.height < seaTop || c.at(x, at.height-1, z) != c.kind(cl.top) {
				continue
			}
			c.tree(geom.Point{X: x, Y: at.height, Z: z}, cl.tree, r.at(gx, 3, gz))
		}
	}
}

// herds places a few animals of one kind next to each other.
func (s *survival) herds(c *canvas) {
	r := s.seed.salt(24)
	sorts := [...][2]string{{"cow", "Cow"}, {"sheep", "Sheep"}, {"pig", "Pig"}, {"chicken", "Chicken"}}
	for cz := c.z0 >> 4; cz < (c.z0+edge)>>4; cz++ {
		for cx := c.x0 >> 4; cx < (c.x0+edge)>>4; cx++ {
			if r.pick(cx, 0, cz, 6) > 0 {
				continue
			}
			sort := sorts[r.pick(cx, 1, cz, len(sorts))]
			for i := range 2 + r.pick(cx, 2, cz, 3) {
				x, z := cx*16+r.salt(i).pick(cx, 3, cz, 16), cz*16+r.salt(i).pick(cx, 4, cz, 16)
				if at := s.at(x, z); s.climates[at.kind].herd && at.height >= seaTop {
					c.animal(geom.Point{X: x, Y: at.height, Z: z}, sort[0], sort[1], 10)
				}
			}
		}
	}
}
