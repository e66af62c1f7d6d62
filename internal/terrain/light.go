package terrain

// shine computes sky and block light of the whole canvas. Within the core the
// result is exact: light crosses at most 15 blocks.
func (c *canvas) shine() {
	c.queue = c.queue[:0]
	c.skyDown()
	c.spread(c.sky)
	c.queue = c.queue[:0]
	for i, k := range c.cells {
		g := c.blocks[k].glow
		c.glow[i] = g
		if g > 0 {
			c.queue = append(c.queue, int32(i))
		}
	}
	c.spread(c.glow)
}

// skyDown lights every column from above and queues the cells that may light cells
// beside them.
func (c *canvas) skyDown() {
	var tops [edge * edge]int
	for col := range tops {
		line := c.cells[col*c.height : (col+1)*c.height]
		top := c.height
		for top > 0 && c.blocks[line[top-1]].opacity == 0 {
			top--
		}
		tops[col] = top
	}
	for col, top := range tops {
		high := top
		for _, n := range [4]int{col - 1, col + 1, col - edge, col + edge} {
			if n >= 0 && n < len(tops) {
				high = max(high, tops[n])
			}
		}
		c.skyColumn(col*c.height, top, high)
	}
}

func (c *canvas) skyColumn(base, top, high int) {
	for y := top; y < c.height; y++ {
		c.sky[base+y] = 15
		if y < high {
			c.queue = append(c.queue, int32(base+y))
		}
	}
	level := uint8(15)
	for y := top - 1; y >= 0; y-- {
		loss := max(1, c.blocks[c.cells[base+y]].opacity)
		level -= min(level, loss)
		c.sky[base+y] = level
		if level > 1 {
			c.queue = append(c.queue, int32(base+y))
		}
	}
}

// spread carries the light of the queued cells to their neighbours. Each step
// weakens it by at least 1.
// losing at least 1.
func (c *canvas) spread(light []uint8) {
	for n := 0; n < len(c.queue); n++ {
		i := int(c.queue[n])
		y, col := i%c.height, i/c.height
		x, z := col%edge, col/edge
		c.reach(light, i, i-1, y > 0)
		c.reach(light, i, i+1, y < c.height-1)
		c.reach(light, i, i-c.height, x > 0)
		c.reach(light, i, i+c.height, x < edge-1)
		c.reach(light, i, i-edge*c.height, z > 0)
		c.reach(light, i, i+edge*c.height, z < edge-1)
	}
}

func (c *canvas) reach(light []uint8, from, to int, ok bool) {
	if !ok {
		return
	}
	loss := max(1, c.blocks[c.cells[to]].opacity)
	if light[from] > loss && light[from]-loss > light[to] {
		light[to] = light[from] - loss
		c.queue = append(c.queue, int32(to))
	}
}
