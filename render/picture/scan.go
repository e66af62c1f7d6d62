package picture

import (
	"context"
	"fmt"
	"math"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

const (
	edge      = geom.ChunkEdge
	nowhere   = math.MinInt32 // the height of an empty column
	waterTint = .16           // share of the light that a block of water hides
)

// scan looks down on a world, one stack of chunks after another, north to south and
// west to east.
type scan struct {
	land    Land
	liquid  bool // the land has liquid
	box     geom.Box
	terrain bool
	err     error // of reading
	table   *Looks
	seen    []sight // by number
	nothing *voxel.Chunk
	hues    hues
	tint    *voxel.Chunk // of the stack
	stack   stack
	south   []int32 // heights of the last row of the stacks to the north, by x
	east    [edge]int32
	canvas  *canvas
	drawn   int
	unknown map[voxel.Cell]int
}

// sight is how a cell looks.
type sight struct {
	look    look
	rgb     [3]float32
	unknown bool
	tinted  bool // its colour is the column's, if that has one
}

// stack is the state of 32x32 columns of blocks.
type stack struct {
	rgb    [edge * edge][3]float32
	left   [edge * edge]float32 // share of the light that continues down
	water  [edge * edge]uint16  // blocks of water so far
	height [edge * edge]int32   // of the first block that gives relief
	open   int                  // columns not yet opaque
	rows   [edge]uint32         // the open columns by row
}

func newScan(land Land, b geom.Box, o Options) *scan {
	size := b.Size()
	shrink := max(1, (max(size.X, size.Z)+o.MaxEdge-1)/o.MaxEdge)
	s := &scan{land: land, liquid: land.Level(liquid, 0) == 0, box: b, terrain: land.Terrain(), table: NewLooks(), unknown: map[voxel.Cell]int{},
		nothing: voxel.Uniform(voxel.Empty), south: make([]int32, size.X+2*edge), canvas: newCanvas(size, edge, shrink, 1)}
	s.hues = newHues(land, s.table)
	return s
}

func (s *scan) run(ctx context.Context) error {
	if s.box.Empty() {
		return nil
	}
	lo, hi := s.box.Min.Chunk(), s.box.Max.Sub(geom.Point{X: 1, Y: 1, Z: 1}).Chunk()
	level(s.south)
	for z := lo.Z; z <= hi.Z; z++ {
		level(s.east[:])
		for x := lo.X; x <= hi.X; x++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			s.stack.reset(s.box, x, z)
			if s.tint = s.nothing; s.land.Level(tint, 0) == 0 {
				s.tint = s.read(tint, geom.ChunkPos{X: x, Z: z})
			}
			for y := hi.Y; y >= lo.Y && s.stack.open > 0; y-- {
				s.chunk(geom.ChunkPos{X: x, Y: y, Z: z})
			}
			s.emit(x, z, s.south[int(x-lo.X)*edge:][:edge])
		}
		if s.err != nil {
			return fmt.Errorf("picture: top: %w", s.err)
		}
		s.canvas.finish(int(z+1)*edge - s.box.Min.Z)
	}
	return nil
}

// level sets heights to nowhere.
func level(heights []int32) {
	for i := range heights {
		heights[i] = nowhere
	}
}

// reset opens the columns of the stack that are in the box.
func (k *stack) reset(b geom.Box, x, z int32) {
	*k = stack{}
	corner := geom.ChunkPos{X: x, Z: z}.Min()
	for i := range k.height {
		k.height[i], k.left[i] = nowhere, 1
		if b.Contains(corner.Add(geom.Point{X: i % edge, Y: b.Min.Y, Z: i / edge})) {
			k.rows[i/edge] |= 1 << (i % edge)
			k.open++
		}
	}
}

// chunk looks down through the chunk at pos.
func (s *scan) chunk(pos geom.ChunkPos) {
	c, l := s.read(s.land.Matter(), pos), s.nothing
	if s.liquid {
		l = s.read(liquid, pos)
	}
	for y := edge - 1; y >= 0 && s.stack.open > 0; y-- {
		height := int(pos.Y)*edge + y
		if height >= s.box.Max.Y || height < s.box.Min.Y {
			continue
		}
		v, same := c.SliceUniform(y)
		w, dry := l.SliceUniform(y)
		if same && s.sight(v).look == unseen && dry && w == 0 {
			continue
		}
		s.slice(c, l, y, int32(height))
	}
}

// read reads a chunk.
func (s *scan) read(volume string, pos geom.ChunkPos) *voxel.Chunk {
	out := s.nothing
	if s.err == nil {
		s.err = s.land.Read(volume, 0, []geom.ChunkPos{pos}, func(_ geom.ChunkPos, c *voxel.Chunk) { out = c })
	}
	return out
}

func (s *scan) slice(c, l *voxel.Chunk, y int, height int32) {
	var buf, wet [64]voxel.Cell
	for z, open := range s.stack.rows {
		if open == 0 {
			continue
		}
		row, liquid := c.Row(y, z, &buf), l.Row(y, z, &wet)
		for x := range edge {
			switch {
			case open>>x&1 == 0:
			case row[x] != 0:
				s.cell(z*edge+x, row[x], height)
			case liquid[x] != 0:
				s.wetCell(z*edge+x, liquid[x], height)
			}
		}
	}
}

// cell adds the next cell of a column.
func (s *scan) cell(i int, c voxel.Cell, height int32) {
	g, k := s.sight(c), &s.stack
	switch g.look {
	case unseen:
		return
	case fluid:
		s.wet(i, *g, height)
		return
	case glassy:
		k.add(i, g.rgb, .45)
		return
	case small:
		k.add(i, g.rgb, .55)
		return
	}
	if g.unknown {
		s.unknown[c]++
	}
	rgb := g.rgb
	if g.tinted {
		rgb = s.hues.tinted(s.tint.Cell(i%edge, 0, i/edge), rgb)
	}
	k.close(i, rgb, height)
}

// close ends a column with an opaque cell.
func (k *stack) close(i int, rgb [3]float32, height int32) {
	k.top(i, height)
	k.add(i, rgb, 1)
	k.rows[i/edge] &^= 1 << (i % edge)
	k.open--
}

// wetCell adds the next cell of a column, of the liquid.
func (s *scan) wetCell(i int, c voxel.Cell, height int32) {
	if g := s.hues.fluid(c); g.look == fluid {
		s.wet(i, g, height)
	} else {
		s.stack.close(i, g.rgb, height)
	}
}

// top records the height of the first block that gives relief.
func (k *stack) top(i int, height int32) {
	if k.height[i] == nowhere {
		k.height[i] = height
	}
}

// wet adds a block of water. The first one tints what is below it.
func (s *scan) wet(i int, g sight, height int32) {
	k := &s.stack
	share := float32(waterTint)
	if k.water[i] == 0 {
		share = .5
		k.top(i, height)
	}
	k.water[i]++
	rgb := g.rgb
	for j := range rgb {
		rgb[j] *= 1 - .35*min(1, float32(k.water[i])/24)
	}
	k.add(i, rgb, share)
}

// add puts a colour under what was seen so far.
func (k *stack) add(i int, rgb [3]float32, share float32) {
	part := k.left[i] * share
	for j, v := range rgb {
		k.rgb[i][j] += v * part
	}
	k.left[i] -= part
}

func (s *scan) name(c voxel.Cell) string { return s.land.Name(s.land.Matter(), c) }

// sight returns how a cell looks and caches it.
func (s *scan) sight(c voxel.Cell) *sight {
	n := s.number(c)
	if n >= len(s.seen) {
		s.seen = append(s.seen, make([]sight, n+64-len(s.seen))...)
	}
	if s.seen[n].look == 0 {
		s.seen[n] = s.find(c)
	}
	return &s.seen[n]
}

// number returns the representative of all cells that look like c.
func (s *scan) number(c voxel.Cell) int {
	if s.terrain {
		return int(c.Material())
	}
	return int(c)
}

func (s *scan) find(c voxel.Cell) sight {
	if c == voxel.Empty {
		return sight{look: unseen}
	}
	f := s.table.family(s.name(c))
	if s.terrain {
		f = s.table.material(s.name(c), c.Material())
	}
	return sightOf(f)
}

func sightOf(f family) sight {
	return sight{f.look, [3]float32{float32(f.Colour.R), float32(f.Colour.G), float32(f.Colour.B)}, f.Name == "", f.Name == "grass"}
}

// emit shades the stack and adds its pixels to the canvas.
func (s *scan) emit(cx, cz int32, north []int32) {
	k := &s.stack
	for i := range k.height {
		if k.left[i] == 1 {
			continue
		}
		s.drawn++
		light := float32(1)
		if h := k.height[i]; h != nowhere {
			west, up := s.neighbours(i, north)
			light = s.shade(h, west, up)
		}
		p := geom.ChunkPos{X: cx, Z: cz}.Min().Sub(s.box.Min).Add(geom.Point{X: i % edge, Z: i / edge})
		s.canvas.add(p.X, p.Z, k.rgb[i], k.left[i], light)
	}
	for i := range edge {
		s.east[i] = k.height[i*edge+edge-1]
	}
	copy(north, k.height[edge*(edge-1):])
}

// neighbours returns the heights to the west and to the north of a column.
func (s *scan) neighbours(i int, north []int32) (west, up int32) {
	west, up = s.east[i/edge], north[i%edge]
	if i%edge > 0 {
		west = s.stack.height[i-1]
	}
	if i >= edge {
		up = s.stack.height[i-edge]
	}
	return west, up
}

// shade returns how bright a column is. Slopes that face north-west are bright, and
// high ground is a little brighter.
func (s *scan) shade(h, west, north int32) float32 {
	rise := 0
	for _, n := range [2]int32{west, north} {
		if n != nowhere {
			rise += int(h - n)
		}
	}
	d := float32(max(-24, min(24, rise)))
	slope := .3 * d / (2.5 + float32(math.Abs(float64(d))))
	tint := max(-.12, min(.12, float32(int(h)-64)/500))
	return 1 + slope + tint
}
