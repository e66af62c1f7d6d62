package terrain

import (
	"math"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Level is a terrain without bounds: mountains, cliffs, canyons and caves in several
// materials over a sea. Its fields determine all of it. Goroutines may share it.
type Level struct {
	Seed  uint64
	Shape Landscape // the zero value is DefaultShape
}

// Landscape says how a Level looks. Lengths are in cells.
type Landscape struct {
	Base         float64 // mean height of the ground; matter begins at height 0
	Amp          float64 // hills rise and fall by this much
	Ridge        float64 // mountains rise by this much more
	Detail       float64 // roughness of the ground
	DetailLength float64 // and its wavelength
	Terrace      float64 // height of a cliff
	Flat         float64 // land is level steps with cliffs between where noise of -1..1 is well above this
	Canyon       float64 // depth of canyons
	Cave         float64 // width of caves, as the square of a noise; 0 for none
	Vein         float64 // rock is another rock where noise of 0..1 is above this
	Sea          float64 // height of the sea
	Soil         float64 // depth of the soil
	SoilVar      float64 // and how much it varies
	Floor        float64 // the least height of the ground
	Scale        float64 // stretches everything but Detail along x and z
}

// DefaultShape returns the shape that matches the numbers of the voxel-terrain
// article, per cell of matter: flat, row-packed, as runs, and these compressed.
func DefaultShape() Landscape {
	return Landscape{Base: 43, Amp: 33, Ridge: 40, Detail: .6, DetailLength: 9, Terrace: 12, Flat: -.1, Canyon: 29,
		Cave: .0004, Vein: .95, Sea: 15, Soil: 4, Floor: 10, Scale: 2.15}
}

// The materials of a Level, by number.
const (
	air uint8 = iota
	grass
	sand
	redSand
	mud
	snow
	rock
	slate
	sandstone
	limestone
	basalt
	ore
)

// Materials returns the names of a Level's materials, by number.
func Materials() []string {
	return []string{air: "air", grass: "grass", sand: "sand", redSand: "red_sand", mud: "mud", snow: "snow", rock: "rock",
		slate: "slate", sandstone: "sandstone", limestone: "limestone", basalt: "basalt", ore: "ore"}
}

// Chunk returns the chunk of the volume "solid" at pos.
func (l Level) Chunk(pos geom.ChunkPos) *voxel.Chunk { return l.field(pos).solid(pos.Y) }

// Tower returns the chunks of the volume "solid" at x and z, counted in chunks,
// from height 0 up to the last one that is not empty.
func (l Level) Tower(x, z int32) []*voxel.Chunk {
	f := l.field(geom.ChunkPos{X: x, Z: z})
	var out []*voxel.Chunk
	top := 0
	for y := int32(0); y*geom.ChunkEdge < f.high; y++ {
		out = append(out, f.solid(y))
		if v, same := out[y].Uniform(); !same || v != voxel.Empty {
			top = len(out)
		}
	}
	return out[:top]
}

// Liquid returns the chunk of the volume "liquid" at pos. It is 255 in the sea.
func (l Level) Liquid(pos geom.ChunkPos) *voxel.Chunk { return l.field(pos).liquid(pos.Y) }

func (l Level) resolve() Level {
	if l.Shape == (Landscape{}) {
		l.Shape = DefaultShape()
	}
	return l
}

const area = geom.ChunkEdge * geom.ChunkEdge

// heightField is what a stack of chunks has in common, by z*32+x: up to which height
// there is rock, then soil, then a cell that is partly full.
type heightField struct {
	Level
	x, z       int // least cell
	rockTop    [area]int32
	soilTop    [area]int32
	rockCell   [area]voxel.Cell
	soilCell   [area]voxel.Cell
	partCell   [area]voxel.Cell // 0 for none
	low, high  int32            // no rock ends below low; nothing reaches high
	waterFloor int32            // the lowest ground
}

func (l Level) field(pos geom.ChunkPos) *heightField {
	min := pos.Min()
	f := &heightField{Level: l.resolve(), x: min.X, z: min.Z, low: math.MaxInt32, waterFloor: math.MaxInt32}
	for i := range area {
		f.site(i, f.x+i&31, f.z+i>>5)
	}
	return f
}

// site computes one column of cells.
func (f *heightField) site(i, x, z int) {
	s := seed(f.Seed)
	g := f.ground(float64(x), float64(z))
	soil, deep := g.materials(f.Shape.Sea)
	full := math.Floor(g.height)
	part := uint8((g.height - full) * 256)
	depth := f.Shape.Soil
	if f.Shape.SoilVar > 0 {
		depth += f.Shape.SoilVar * s.salt(40).noise(float64(x)/30, float64(z)/30)
	}
	if g.height < f.Shape.Sea {
		full, part = math.Ceil(g.height), 0
	}
	f.soilTop[i] = int32(full)
	f.rockTop[i] = max(0, int32(full-depth))
	f.rockCell[i] = voxel.TerrainCell(deep, 255)
	f.soilCell[i] = voxel.TerrainCell(soil, 255)
	if part > 0 {
		f.partCell[i] = voxel.TerrainCell(soil, part-1)
	}
	f.low = min(f.low, f.rockTop[i])
	f.high = max(f.high, int32(full)+1)
	f.waterFloor = min(f.waterFloor, int32(full))
}

// ground is the height of the land and its climate. All values are about -1..1.
type ground struct{ height, warm, wet, high, deep float64 }

func (f *heightField) ground(x, z float64) ground {
	s, p := seed(f.Seed), f.Shape
	sx, sz := x/p.Scale, z/p.Scale
	g := ground{warm: s.salt(50).fbm(sx/230, sz/230, 2) * 1.6, wet: s.salt(51).fbm(sx/190, sz/190, 2) * 1.6}
	g.deep = s.salt(59).noise(sx/1000, sz/1000)
	h := p.Base + p.Amp*s.salt(52).fbm(sx/320, sz/320, 4)
	g.high = step(-.05, .35, s.salt(53).fbm(sx/300, sz/300, 2))
	crest := s.salt(54).ridge(sx/240, sz/240, 3)
	h += p.Ridge * g.high * crest * crest
	rough := p.Detail
	if level := step(p.Flat, p.Flat+.15, s.salt(55).noise(sx/210, sz/210)); level > 0 {
		n := math.Floor(h / p.Terrace)
		rise := step(.43, .57, h/p.Terrace-n)
		h = lerp(h, p.Terrace*(n+rise), level)
		rough *= 1 - level*(1-4*rise*(1-rise))
	}
	h -= p.Canyon * (1 - step(.012, .035, math.Abs(s.salt(56).fbm(sx/620, sz/620, 3))))
	h += rough * s.salt(57).noise(x/p.DetailLength, z/p.DetailLength)
	g.height = max(h, p.Floor)
	return g
}

// materials returns the soil and the rock below it.
func (g ground) materials(sea float64) (soil, deep uint8) {
	deep = rock
	switch {
	case g.deep > .42:
		deep = limestone
	case g.deep < -.42:
		deep = basalt
	}
	return g.soil(sea), deep
}

func (g ground) soil(sea float64) uint8 {
	switch {
	case g.height < sea-4:
		return mud
	case g.height < sea+1.5:
		return sand
	case g.height > 68+24*g.warm:
		return snow
	case g.height > 60+24*g.warm && g.high > .3:
		return slate
	case g.warm > .22 && g.wet < 0:
		return redSand
	case g.warm > .22:
		return sandstone
	case g.wet > .35:
		return mud
	}
	return grass
}

// solid returns the chunk that starts at height y*32.
func (f *heightField) solid(y int32) *voxel.Chunk {
	y0 := y * geom.ChunkEdge
	if y < 0 || y0 >= f.high {
		return voxel.Uniform(voxel.Empty)
	}
	cells := new([voxel.ChunkCells]voxel.Cell)
	for dy := range int32(geom.ChunkEdge) {
		f.slice((*[area]voxel.Cell)(cells[dy*area:]), y0+dy)
	}
	f.hollow(cells, int(y0))
	return voxel.FromFlat(cells)
}

func (f *heightField) slice(dst *[area]voxel.Cell, y int32) {
	for i := range dst {
		switch {
		case y < f.rockTop[i]:
			dst[i] = f.rockCell[i]
		case y < f.soilTop[i]:
			dst[i] = f.soilCell[i]
		case y == f.soilTop[i]:
			dst[i] = f.partCell[i]
		}
	}
}

func (f *heightField) liquid(y int32) *voxel.Chunk {
	y0, sea := y*geom.ChunkEdge, int32(f.Shape.Sea)
	if y0 >= sea || y0+geom.ChunkEdge <= f.waterFloor {
		return voxel.Uniform(0)
	}
	cells := new([voxel.ChunkCells]voxel.Cell)
	for i := range cells {
		if h := y0 + int32(i/area); h < sea && h >= f.soilTop[i%area] {
			cells[i] = 255
		}
	}
	return voxel.FromFlat(cells)
}
