package tiles

// tools reads pages of a world as programs do that run side by side: a renderer that sweeps the
// world in the order of its codes, reads of random boxes, and a viewer who walks.
func tools(m *traceMaker) {
	const edge = 128 // pages along an edge of the world
	m.bytes = func(key uint64) int32 {
		// A page's size follows the land: neighbours are alike.
		land := mix(key>>35<<35 | key&0xffffffff>>3)
		return int32(4<<10 + land%(40<<10) + mix(key)%(16<<10))
	}
	page := func(x, y int) {
		if min(x, y) >= 0 && max(x, y) < edge {
			m.read(mapKey(x, y))
		}
	}
	w := walker{x: edge / 2, y: edge / 2, tx: edge / 4, ty: edge / 3, hub: true}
	for code := 0; !m.done(); code++ {
		// A picture's tile needs its page and the borders of those around.
		x, y := deinterleave(code%(edge*edge)), deinterleave(code%(edge*edge)>>1)
		for _, d := range [][2]int{{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
			page(x+d[0], y+d[1])
		}
		// A box of up to 5x5 pages. Boxes fall where people build, mostly.
		if m.random.IntN(2) == 0 {
			x, y = m.random.IntN(edge), m.random.IntN(edge)
			if m.random.IntN(4) != 0 {
				x, y = edge/2+int(m.random.NormFloat64()*edge/10), edge/2+int(m.random.NormFloat64()*edge/10)
			}
			wide, high := 1+m.random.IntN(5), 1+m.random.IntN(5)
			for dy := range high {
				for dx := range wide {
					page(x+dx, y+dy)
				}
			}
		}
		if m.random.IntN(32) == 0 {
			w.move(m.random)
			if m.random.IntN(1000) == 0 {
				w.tx, w.ty = m.random.Float64()*edge, m.random.Float64()*edge
			}
			w.look(page)
		}
	}
}

// deinterleave returns the even bits of code.
func deinterleave(code int) (n int) {
	for bit := range 16 {
		n |= code >> (2 * bit) & 1 << bit
	}
	return n
}
