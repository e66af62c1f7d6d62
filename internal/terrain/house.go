package terrain

import "github.com/cairnvoxel/cairn/voxel/geom"

// style is what a house is made of.
type style struct{ base, post, wall, roof string }

func oakHouse() style { return style{"cobblestone", "oak_log@y", "oak_planks", "spruce"} }

func brickHouse() style { return style{"stone_bricks", "stone_bricks", "bricks", "stone_brick"} }

func birchHouse() style { return style{"stone_bricks", "spruce_log@y", "birch_planks", "oak"} }

// house builds a house of w by d blocks with a gabled roof and its door to the
// south. The floor is at height 0.
func (b brush) house(w, d int, s style) {
	const tall = 4
	b.box(0, 0, 0, w-1, tall, d-1, "air")
	b.box(0, -3, 0, w-1, -1, d-1, s.base)
	b.box(1, -1, 1, w-2, -1, d-2, "oak_planks")
	b.walls(0, 0, 0, w-1, tall-1, d-1, s.wall)
	for _, x := range []int{0, w - 1} {
		for _, z := range []int{0, d - 1} {
			b.box(x, 0, z, x, tall-1, z, s.post)
		}
	}
	b.windows(w, d)
	b.put(w/2, 0, d-1, "oak_door@n")
	b.put(w/2, 1, d-1, "oak_door_top@n")
	b.put(w/2, -1, d, s.base)
	b.roof(w, d, tall, s)
	b.furnish(w, d)
}

func (b brush) windows(w, d int) {
	for x := 2; x < w-2; x += 3 {
		b.put(x, 1, 0, "glass_pane@e")
		if x != w/2 {
			b.put(x, 1, d-1, "glass_pane@e")
		}
	}
	for z := 2; z < d-2; z += 3 {
		b.put(0, 1, z, "glass_pane@s")
		b.put(w-1, 1, z, "glass_pane@s")
	}
}

// roof builds stairs up from both eaves. The ridge runs along x.
func (b brush) roof(w, d, y int, s style) {
	for i := 0; -1+i <= d-i; i++ {
		near, far := -1+i, d-i
		if near == far {
			b.box(-1, y+i, near, w, y+i, near, s.wall)
			break
		}
		b.box(-1, y+i, near, w, y+i, near, s.roof+"_stairs@s")
		b.box(-1, y+i, far, w, y+i, far, s.roof+"_stairs@n")
		if near+1 < far {
			b.box(0, y+i, near+1, 0, y+i, far-1, s.wall)
			b.box(w-1, y+i, near+1, w-1, y+i, far-1, s.wall)
		}
	}
}

func (b brush) furnish(w, d int) {
	b.put(1, 0, 1, "crafting_table")
	b.put(2, 0, 1, "furnace@s")
	b.furnace(b.place(2, 0, 1))
	b.put(w-2, 0, 1, "chest@s")
	at := b.place(w-2, 0, 1)
	b.chest(at, b.seed.loot(at, []string{"oak_log", "cobblestone", "bread", "iron_ingot", "coal", "apple", "torch", "string"}, 18))
	b.box(1, 0, d-2, 1, 1, d-2, "bookshelf")
	b.put(w-2, 2, d-2, "torch")
	b.put(w-2, 1, d-2, "oak_fence@y")
	b.put(w-2, 0, d-2, "oak_fence@y")
}

// huts sets a house on level ground here and there.
func (s *survival) huts(c *canvas) {
	const cell = 72
	r := s.seed.salt(40)
	for gz := geom.FloorDiv(c.z0-16, cell); gz*cell < c.z0+edge+16; gz++ {
		for gx := geom.FloorDiv(c.x0-16, cell); gx*cell < c.x0+edge+16; gx++ {
			x, z := gx*cell+r.pick(gx, 0, gz, cell-16), gz*cell+r.pick(gx, 1, gz, cell-16)
			at, far := s.at(x, z), s.at(x+9, z+8)
			if !s.climates[at.kind].herd || at.height < seaTop || at.height-far.height > 2 || far.height-at.height > 2 {
				continue
			}
			b := brush{canvas: c, at: geom.Point{X: x, Y: max(at.height, far.height), Z: z}}
			b.box(-1, 0, -1, 10, 8, 9, "air")
			b.house(10, 8, []style{oakHouse(), brickHouse(), birchHouse()}[r.pick(gx, 2, gz, 3)])
		}
	}
}
