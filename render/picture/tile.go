package picture

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// TileEdge is the edge of a tile in pixels.
const TileEdge = 256

// MinZoom is the least zoom of a tile: a block is 8 pixels wide.
const MinZoom = -3

const (
	// maxTowers bounds the towers of chunks that one tile looks at. Where more lie below it, it
	// looks at some places of patch by patch cells, which pages often have together, and shows
	// them larger.
	maxTowers  = 34 * 34
	patchShift = 7
	patchGap   = 2 // the samples of a place are 1<<patchGap cells apart
	// maxLooks bounds the chunks that one tile asks for.
	maxLooks = 1 << 17
)

// ErrTall says that too many chunks lie over one another to draw a tile of them.
var ErrTall = errors.New("picture: too many chunks over one another to draw a tile")

// liquid is the volume of the water of a terrain.
const liquid = "liquid"

// Land is a dimension that pictures are drawn of. It reads chunks when they are asked for.
type Land interface {
	// Bounds returns a box around all chunks of the matter, in blocks.
	Bounds() geom.Box
	// Matter returns the name of the volume of what is solid. Pictures also show the volumes
	// "liquid", voxel.Biome, voxel.Sky and voxel.Light of the land, if it has them.
	Matter() string
	// Terrain reports whether the matter has the Terrain schema.
	Terrain() bool
	// Level returns the greatest level, up to most, of which a volume has chunks: 0 or a far
	// level. It returns -1 if there is no such volume.
	Level(volume string, most int) int
	// Scale returns how many blocks wide a cell of a volume is at level 0.
	Scale(volume string) int
	// Default returns the cell of a volume where it has no chunk.
	Default(volume string) voxel.Cell
	// Heights returns at which heights, in chunks of a level, there may be chunks of the matter
	// or the liquid, ascending.
	Heights(level int) []int32
	// Read calls f with the chunks of a level at some positions, which ascend by their codes,
	// in any order. It leaves out chunks that are not stored.
	Read(volume string, level int, want []geom.ChunkPos, f func(geom.ChunkPos, *voxel.Chunk)) error
	// Name returns the name of a cell, that of its material in a terrain.
	Name(volume string, c voxel.Cell) string
}

// TileOptions say which tile is drawn, and how.
type TileOptions struct {
	Layer Layer
	// Zoom is z for tiles of 2^z blocks a pixel. MinZoom is the least.
	Zoom int
	// X and Z count tiles of the zoom from the origin, to the east and to the south.
	X, Z int
	// Heights are those that are drawn. The zero value draws all.
	Heights Heights
}

// Heights is a range of heights in blocks: From is the lowest, To is above the highest.
type Heights struct{ From, To int }

// Tile draws a square of a land from above, north up, as a PNG of TileEdge by TileEdge pixels.
// Tiles of one zoom fit together without seams. Where nothing is, a tile is transparent.
//
// The work for a tile does not depend on the zoom or on the size of the land: it reads the level
// of the zoom, or the one below it that the land has. Where that has too many chunks for one
// tile, the tile shows some of its places larger, in place of all. The error is ErrTall if too many chunks
// lie over one another.
func Tile(ctx context.Context, land Land, o TileOptions) ([]byte, error) {
	if o.Zoom < MinZoom || o.Zoom >= geom.MaxDepth {
		return nil, fmt.Errorf("picture: tile: zoom %d: want %d to %d", o.Zoom, MinZoom, geom.MaxDepth-1)
	}
	t := newTile(land, land.Bounds(), o, baseOf(land, o.Zoom))
	if t == nil {
		return []byte(emptyTile), nil
	}
	if err := t.look(ctx); err != nil {
		return nil, err
	}
	colours, err := t.colours()
	if err != nil {
		return nil, err
	}
	if colours == nil {
		return []byte(emptyTile), nil
	}
	return t.encode(colours)
}

// tile is a tile in work. It looks at a grid of samples, which are columns of cells of the level
// base, with one row more to the north and to the west for the shades.
type tile struct {
	land  Land
	o     TileOptions
	base  int // the level that is read
	shift int // pixels are 1<<shift cells apart
	gap   int // samples in a chunk are 1<<gap cells apart
	pixel int // edge of a sample in pixels
	edge  int // samples along an edge, without the margin
	at    geom.Point
	low   int // the lowest cell that is drawn, and the one above the highest
	high  int

	terrain bool
	table   *Looks
	seen    []sight
	hues    hues
	first   float32 // shares of the light that the first cell of water hides, and every other
	deep    float32
	columns []sample
	towers  []tower
	looks   int
	unknown map[voxel.Cell]int // samples of unknown families, if they are counted
}

// sample is what was seen of a column of cells.
type sample struct {
	rgb    [3]float32
	left   float32 // share of the light that continues down
	height int32   // of the first cell that gives relief, in parts of a cell
	water  uint16  // cells of water so far
	cut    bool    // the cell above the range is solid
	tint   voxel.Cell
}

// heightParts is how many parts of a cell heights count, so that a terrain's occupancies give
// relief.
const heightParts = 16

// tower is the chunks over one another that have samples of a tile.
type tower struct {
	x, z          int32
	first         int          // index of the sample at x0 and z0
	x0, z0        int          // the first sample in the chunk
	rows          [edge]uint32 // samples that are not yet opaque, by row
	open          int          // number of those
	chunk, liquid *voxel.Chunk
}

// baseOf returns the level that a tile reads.
func baseOf(land Land, zoom int) int {
	base := max(0, land.Level(land.Matter(), max(0, zoom)))
	if finer := land.Level(land.Matter(), zoom-1); base == zoom && finer > 0 {
		base = finer // it shows waters and paths that the level of the zoom has lost
	}
	return base
}

// newTile returns a tile of what lies within bounds, nil if that is nothing.
func newTile(land Land, b geom.Box, o TileOptions, base int) *tile {
	t := &tile{land: land, o: o, base: base, terrain: land.Terrain(), table: NewLooks(), pixel: 1 << max(0, -o.Zoom)}
	t.shift = max(0, o.Zoom) - t.base
	t.edge = TileEdge / t.pixel
	b = b.Over(1 << t.base)
	t.low, t.high = b.Min.Y, b.Max.Y
	if o.Heights != (Heights{}) {
		t.low, t.high = max(t.low, o.Heights.From>>t.base), min(t.high, (o.Heights.To+1<<t.base-1)>>t.base)
	}
	width := TileEdge / t.pixel << t.shift
	t.at = geom.Point{X: o.X * width, Z: o.Z * width}
	area := geom.Box{Min: geom.Point{X: t.at.X, Y: b.Min.Y, Z: t.at.Z}, Max: geom.Point{X: t.at.X + width, Y: b.Max.Y, Z: t.at.Z + width}}
	if area.Intersect(b).Empty() || t.low >= t.high {
		return nil
	}
	if t.gap = t.shift; t.shift > patchGap && t.towersOver(b) > maxTowers {
		t.gap = patchGap
	}
	t.begin(b)
	return t
}

// strip is the samples of a row or a column of samples that lie in one chunk.
type strip struct {
	chunk        int32
	sample, cell int // of the first one: its index, and its position in the chunk
	bits         uint32
}

// cell returns the cell of a sample of a row or column that begins at a cell.
func (t *tile) cell(at, i int) int {
	c := at + i<<t.shift + 1<<t.shift>>1
	if t.gap == t.shift {
		return c
	}
	skip := t.shift - t.gap // of 1<<skip patches next to one another, the middle one is shown
	over := patchShift + skip
	return c>>over<<over + 1<<over>>1 + (c&(1<<over-1))>>skip
}

// strips returns the samples from at, and the one before it, that lie from low to high.
func (t *tile) strips(at, low, high int) (out []strip) {
	for i := -1; i < t.edge; i++ {
		cell := t.cell(at, i)
		if cell < low || cell >= high {
			continue
		}
		chunk := int32(cell >> geom.ChunkShift)
		if len(out) == 0 || out[len(out)-1].chunk != chunk {
			out = append(out, strip{chunk: chunk, sample: i + 1, cell: cell & (edge - 1)})
		}
		out[len(out)-1].bits |= 1 << (cell & (edge - 1))
	}
	return out
}

// towersOver returns how many towers have samples.
func (t *tile) towersOver(b geom.Box) int {
	return len(t.strips(t.at.X, b.Min.X, b.Max.X)) * len(t.strips(t.at.Z, b.Min.Z, b.Max.Z))
}

// begin makes the towers and the samples.
func (t *tile) begin(b geom.Box) {
	wide := t.edge + 1
	t.columns = make([]sample, wide*wide)
	for i := range t.columns {
		t.columns[i].left, t.columns[i].height = 1, nowhere
	}
	for _, z := range t.strips(t.at.Z, b.Min.Z, b.Max.Z) {
		for _, x := range t.strips(t.at.X, b.Min.X, b.Max.X) {
			w := tower{x: x.chunk, z: z.chunk, first: z.sample*wide + x.sample, x0: x.cell, z0: z.cell}
			for i := range edge {
				if z.bits>>i&1 != 0 {
					w.rows[i] = x.bits
				}
			}
			w.count()
			t.towers = append(t.towers, w)
		}
	}
	slices.SortFunc(t.towers, func(a, b tower) int {
		return geom.CodeOf(geom.ChunkPos{X: a.x, Z: a.z}, t.base).Compare(geom.CodeOf(geom.ChunkPos{X: b.x, Z: b.z}, t.base))
	})
	t.hues = newHues(t.land, t.table)
	const clear = 1 - waterTint // of a block; the first cell is half full
	t.first = 1 - .5*float32(math.Pow(clear, float64(int(1)<<t.base/2)))
	t.deep = 1 - float32(math.Pow(clear, float64(int(1)<<t.base)))
}

// look looks down on all samples.
func (t *tile) look(ctx context.Context) error {
	if err := t.findTints(); err != nil {
		return err
	}
	if err := t.down(ctx); err != nil {
		return err
	}
	if level := t.land.Level(liquid, t.base); level >= 0 && level != t.base {
		return t.flood()
	}
	return nil
}

// findTints gives the samples the tints of their columns. Far levels have none.
func (t *tile) findTints() error {
	if t.base > 0 || t.land.Level(tint, 0) != 0 {
		return nil
	}
	var want []geom.ChunkPos
	for _, w := range t.towers {
		want = append(want, geom.ChunkPos{X: w.x, Z: w.z})
	}
	return t.read(tint, want, func(w *tower, c *voxel.Chunk) {
		t.slice(w, c, 0, 0, func(s *sample, c voxel.Cell, _ int) bool { s.tint = c; return false })
	})
}

// down looks down on all samples, one layer of chunks after another.
func (t *tile) down(ctx context.Context) error {
	heights := t.land.Heights(t.base)
	wet := t.land.Level(liquid, t.base) == t.base
	var want []geom.ChunkPos
	for _, y := range slices.Backward(heights) {
		if int(y)*edge > t.high || int(y+1)*edge <= t.low {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		want = want[:0]
		for i := range t.towers {
			w := &t.towers[i]
			if w.chunk, w.liquid = nil, nil; w.open > 0 {
				want = append(want, geom.ChunkPos{X: w.x, Y: y, Z: w.z})
			}
		}
		if len(want) == 0 {
			return nil
		}
		if t.looks += len(want); t.looks > maxLooks {
			return ErrTall
		}
		if err := t.read(t.land.Matter(), want, func(w *tower, c *voxel.Chunk) { w.chunk = c }); err != nil {
			return err
		}
		if wet {
			if err := t.read(liquid, want, func(w *tower, c *voxel.Chunk) { w.liquid = c }); err != nil {
				return err
			}
		}
		for i := range t.towers {
			if w := &t.towers[i]; w.chunk != nil || w.liquid != nil {
				t.chunks(w, int(y)*edge)
			}
		}
	}
	return nil
}

// read gives the chunks of a layer to their towers.
func (t *tile) read(volume string, want []geom.ChunkPos, give func(*tower, *voxel.Chunk)) error {
	return t.land.Read(volume, t.base, want, func(pos geom.ChunkPos, c *voxel.Chunk) {
		code := geom.CodeOf(geom.ChunkPos{X: pos.X, Z: pos.Z}, t.base)
		i, found := slices.BinarySearchFunc(t.towers, code, func(w tower, code geom.Code) int {
			return geom.CodeOf(geom.ChunkPos{X: w.x, Z: w.z}, t.base).Compare(code)
		})
		if found {
			give(&t.towers[i], c)
		}
	})
}

// chunks looks down through the chunks of a tower whose lowest cells are at bottom.
func (t *tile) chunks(w *tower, bottom int) {
	for y := edge - 1; y >= 0 && w.open > 0; y-- {
		height := bottom + y
		if height > t.high || height < t.low {
			continue
		}
		if t.base > 0 { // what a cell of a far level holds of the liquid is above its ground
			t.wetSlice(w, y, height)
		}
		if w.chunk != nil {
			if c, same := w.chunk.SliceUniform(y); !same || t.sight(c).look != unseen {
				t.slice(w, w.chunk, y, height, t.block)
			}
		}
		if t.base == 0 {
			t.wetSlice(w, y, height)
		}
	}
}

func (t *tile) wetSlice(w *tower, y, height int) {
	if w.liquid != nil && height < t.high {
		if c, same := w.liquid.SliceUniform(y); !same || c != 0 {
			t.slice(w, w.liquid, y, height, t.wetCell)
		}
	}
}

// slice calls see for the cells of a slice under samples that are not yet opaque. see reports
// whether one is now.
func (t *tile) slice(w *tower, c *voxel.Chunk, y, height int, see func(s *sample, c voxel.Cell, height int) bool) {
	var buf [64]voxel.Cell
	closed := false
	for z := w.z0; z < edge; z += 1 << t.gap {
		open := w.rows[z]
		if open == 0 {
			continue
		}
		row := w.first + (z-w.z0)>>t.gap*(t.edge+1)
		starts, cells := c.Runs(y, z, &buf)
		for i := 0; starts != 0; i++ {
			from := starts & -starts
			starts &^= from
			run := open &^ (from - 1)
			if next := starts & -starts; next != 0 {
				run &= next - 1
			}
			if run == 0 || cells[i] == voxel.Empty {
				continue
			}
			for ; run != 0; run &= run - 1 {
				x := bits.TrailingZeros32(run)
				if see(&t.columns[row+(x-w.x0)>>t.gap], cells[i], height) {
					w.rows[z] &^= 1 << x
					closed = true
				}
			}
		}
	}
	if closed {
		w.count()
	}
}

func (w *tower) count() {
	w.open = 0
	for _, row := range w.rows {
		w.open += bits.OnesCount32(row)
	}
}

// block looks at the next cell of matter of a sample.
func (t *tile) block(s *sample, c voxel.Cell, height int) bool {
	g := t.sight(c)
	if height >= t.high { // above the range: does it cover what is below?
		s.cut = g.look == solid && t.o.Heights != (Heights{})
		return false
	}
	switch g.look {
	case unseen:
		return false
	case fluid:
		return t.wet(s, g, height)
	case glassy:
		s.add(g.rgb, .45)
	case small:
		s.add(g.rgb, .55)
	default:
		if g.unknown && t.unknown != nil {
			t.unknown[c]++
		}
		part := heightParts - 1
		if t.terrain {
			part = int(c&0xFF) * heightParts >> 8
		}
		s.top(height*heightParts + part)
		rgb := g.rgb
		if g.tinted {
			rgb = t.hues.tinted(s.tint, rgb)
		}
		s.add(rgb, 1)
		return true
	}
	return s.left < .02
}

func (t *tile) wetCell(s *sample, c voxel.Cell, height int) bool {
	g := t.hues.fluid(c)
	if g.look == fluid {
		return t.wet(s, &g, height)
	}
	s.top(height*heightParts + heightParts - 2)
	s.add(g.rgb, 1)
	return true
}

// wet is scan.wet: the first cell of water tints what is below it, and every other darkens it.
func (t *tile) wet(s *sample, g *sight, height int) bool {
	share := t.deep
	if s.water == 0 {
		share = t.first
		s.top(height*heightParts + heightParts - 2)
	}
	s.water = uint16(min(int(s.water)+1<<t.base, 1<<15))
	rgb := g.rgb
	for j := range rgb {
		rgb[j] *= 1 - .35*min(1, float32(s.water)/24)
	}
	if s.add(rgb, share); s.left < .02 {
		s.left = 0
		return true
	}
	return false
}

// top records the height of the first cell that gives relief.
func (s *sample) top(height int) {
	if s.height == nowhere {
		s.height = int32(height)
	}
}

// add puts a colour under what was seen so far.
func (s *sample) add(rgb [3]float32, share float32) {
	part := s.left * share
	for j, v := range rgb {
		s.rgb[j] += v * part
	}
	s.left -= part
}

// sight returns how a cell looks and caches it.
func (t *tile) sight(c voxel.Cell) *sight {
	n := int(c)
	if t.terrain {
		n = int(c.Material())
	}
	if n >= len(t.seen) {
		t.seen = append(t.seen, make([]sight, n+64-len(t.seen))...)
	}
	g := &t.seen[n]
	if g.look == 0 {
		switch {
		case c == voxel.Empty:
			g.look = unseen
		case t.terrain:
			*g = sightOf(t.table.material(t.land.Name(t.land.Matter(), c), c.Material()))
		default:
			*g = t.covered(t.table.family(t.land.Name(t.land.Matter(), c)))
		}
	}
	return g
}

// covered returns how a block looks. In a far level most of a cell of the ground is dirt, and its
// grass is lost.
func (t *tile) covered(f family) sight {
	if grass := t.table.family("grass_block"); t.base > 0 && f.Name == "dirt" {
		f.Colour = mix(f.Colour, grass.Colour, .75)
	}
	return sightOf(f)
}
