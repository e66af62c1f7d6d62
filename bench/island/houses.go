package island

import (
	"context"
	"math/rand/v2"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// placed is a block that a player sets.
type placed struct {
	at   geom.Point
	name string
}

// houses plays as people build: what it sets is a script of houses, towers, walls, paths, fields and tunnels, each
// block by block in the order of work, with one block of twenty set wrong and mended with the next.
type houses struct {
	*Builder
	plan []placed // what is to be done next
}

// save sets the next blocks of the script and commits.
func (h *houses) save(ctx context.Context, blocks int) error {
	for len(h.plan) < blocks {
		h.project()
	}
	_, err := h.W.Update(func(tx *world.Tx) error {
		v := tx.Dimension(h.dim).Volume(voxel.Block)
		for _, p := range h.plan[:blocks] {
			v.Set(p.at, v.Named("minecraft:"+p.name))
		}
		return nil
	})
	h.plan = h.plan[blocks:]
	if err == nil {
		_, err = h.W.Commit(ctx, "autosave")
	}
	return err
}

func (h *houses) set(x, y, z int, name string) {
	p := geom.Point{X: x, Y: y, Z: z}
	if h.random.IntN(20) == 0 {
		wrong := placed{p.Add(geom.Point{X: h.random.IntN(3) - 1, Z: h.random.IntN(3) - 1}), name}
		h.plan = append(h.plan, wrong, placed{wrong.at, "air"})
	}
	h.plan = append(h.plan, placed{p, name})
}

func pick(r *rand.Rand, names ...string) string { return names[r.IntN(len(names))] }

// ground returns the lowest free height over a place.
func (h *houses) ground(x, z int) int {
	v := h.W.View().Dimension(h.dim).Volume(voxel.Block)
	y := h.within.Max.Y
	for y > h.within.Min.Y {
		if c, ok := v.Cell(geom.Point{X: x, Y: y - 1, Z: z}); ok && c != v.Default() {
			return y
		}
		y--
	}
	return 80
}

// project plans the next piece of work, near the last one as a rule.
func (h *houses) project() {
	r := h.random
	if h.saves%6 == 0 {
		s := h.within.Size()
		h.spot = geom.Point{X: h.within.Min.X + s.X/4 + r.IntN(s.X/2), Z: h.within.Min.Z + s.Z/4 + r.IntN(s.Z/2)}
	}
	h.saves++
	x, z := h.spot.X+r.IntN(9)-4, h.spot.Z+r.IntN(9)-4
	y := h.ground(x, z)
	switch r.IntN(8) {
	case 0, 1, 2:
		h.house(x, y, z, 5+r.IntN(5), 5+r.IntN(4), 3+r.IntN(2))
	case 3: // a tower
		wall := pick(r, "stone_bricks", "cobblestone")
		for up := range 8 + r.IntN(8) {
			for i := range 16 {
				h.set(x+[]int{0, 1, 2, 3, 4, 4, 4, 4, 4, 3, 2, 1, 0, 0, 0, 0}[i], y+up, z+[]int{0, 0, 0, 0, 0, 1, 2, 3, 4, 4, 4, 4, 4, 3, 2, 1}[i], wall)
			}
			h.set(x+1, y+up, z+1, "ladder[facing=south,waterlogged=false]")
		}
	case 4: // a wall
		for i := range 10 + r.IntN(20) {
			for up := range 3 {
				h.set(x+i, y+up, z, "cobblestone_wall[east=low,north=none,south=none,up=false,waterlogged=false,west=low]")
			}
		}
	case 5: // a path
		for range 15 + r.IntN(25) {
			h.set(x, y-1, z, "dirt_path")
			h.set(x, y-1, z+1, "dirt_path")
			if x++; r.IntN(4) == 0 {
				z += 1 - 2*r.IntN(2)
			}
		}
	case 6: // a field
		for dz := range 6 {
			for dx := range 9 {
				if dx == 4 {
					h.set(x+dx, y-1, z+dz, "water[level=0]")
					continue
				}
				h.set(x+dx, y-1, z+dz, "farmland[moisture=7]")
				h.set(x+dx, y, z+dz, "wheat[age=0]")
			}
		}
	case 7: // a tunnel
		for i := range 12 + r.IntN(12) {
			for n := range 6 {
				h.set(x+i, y-6+n%3, z+n/3, "air")
			}
			if i%6 == 5 {
				h.set(x+i, y-5, z, "wall_torch[facing=south]")
			}
		}
	}
}

// house plans a floor, walls with a door and windows, a roof of stairs, and what is in it.
func (h *houses) house(x, y, z, w, d, high int) {
	r := h.random
	wood := pick(r, "oak", "spruce", "birch")
	for dz := range d {
		for dx := range w {
			h.set(x+dx, y-1, z+dz, pick(r, "cobblestone", wood+"_planks"))
		}
	}
	for up := range high {
		for dz := range d {
			for dx := range w {
				if dx > 0 && dx < w-1 && dz > 0 && dz < d-1 {
					continue
				}
				name := wood + "_planks"
				switch corner := (dx == 0 || dx == w-1) && (dz == 0 || dz == d-1); {
				case corner:
					name = wood + "_log[axis=y]"
				case dz == 0 && dx == w/2 && up < 2:
					name = wood + "_door[facing=south,half=" + []string{"lower", "upper"}[up] + ",hinge=left,open=false,powered=false]"
				case up == 1 && (dx+dz)%3 == 1:
					name = "glass_pane[east=true,north=false,south=false,waterlogged=false,west=true]"
				}
				h.set(x+dx, y+up, z+dz, name)
			}
		}
	}
	for up := 0; 2*up <= d; up++ {
		for dx := -1; dx <= w; dx++ {
			h.set(x+dx, y+high+up, z-1+up, wood+"_stairs[facing=south,half=bottom,shape=straight,waterlogged=false]")
			h.set(x+dx, y+high+up, z+d-up, wood+"_stairs[facing=north,half=bottom,shape=straight,waterlogged=false]")
		}
	}
	h.set(x+1, y, z+1, "crafting_table")
	h.set(x+w-2, y, z+1, "bookshelf")
	h.set(x+w-2, y, z+d-2, "torch")
}
