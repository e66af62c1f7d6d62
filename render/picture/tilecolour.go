package picture

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/png"
	"math"
	"slices"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Layer says what the colours of a tile mean.
type Layer string

// The layers. The zero Layer is LayerBlocks.
const (
	LayerBlocks Layer = "blocks"
	// LayerLight is the blocks at night: the light of blocks is warm, that of the sky is faint.
	LayerLight  Layer = "light"
	LayerBiome  Layer = "biome"
	LayerHeight Layer = "height"
)

// Layers returns all layers.
func Layers() []Layer { return []Layer{LayerBlocks, LayerLight, LayerBiome, LayerHeight} }

// Volumes returns the volumes that a layer needs besides the matter, any of which is enough.
func (l Layer) Volumes() []string {
	switch l {
	case LayerLight:
		return []string{voxel.Sky, voxel.Light}
	case LayerBiome:
		return []string{voxel.Biome}
	}
	return nil
}

// tone is a colour of a tile: 5 bits each of red, green and blue, and 2 bits of its opaque
// share. Tiles next to one another round alike, so no seam shows.
type tone uint32

const (
	toneBits = 17
	opaque   = 3
)

func toneOf(rgb [3]float32, light, left float32) tone {
	t := tone((1-left)*opaque + .5)
	if t == 0 {
		return 0
	}
	scale := light / (1 - left) * 31 / 255
	for _, v := range rgb {
		t = t<<5 | tone(max(0, min(31, v*scale+.5)))
	}
	return t
}

func (t tone) colour() color.NRGBA {
	wide := func(v tone) uint8 { return uint8(v & 31 * 255 / 31) }
	return color.NRGBA{wide(t >> 10), wide(t >> 5), wide(t), uint8(t >> 15 * 255 / opaque)}
}

// colours returns the tones of the samples, without the margin. It returns nil if nothing is
// there.
func (t *tile) colours() ([]tone, error) {
	out := make([]tone, t.edge*t.edge)
	some := false
	paint, err := t.painter()
	if err != nil {
		return nil, err
	}
	for z := range t.edge {
		for x := range t.edge {
			i := (z+1)*(t.edge+1) + x + 1
			s := &t.columns[i]
			if s.left > .99 {
				continue
			}
			some = true
			light := t.shade(i)
			if s.cut && int(s.height)/heightParts == t.high-1 {
				light *= .4
			}
			rgb := paint(i, s)
			out[z*t.edge+x] = toneOf(rgb, light, s.left)
		}
	}
	if !some {
		return nil, nil
	}
	return out, nil
}

// shadeSteps is how many shades there are from dark to bright by one unit of light.
const shadeSteps = 24

// shade returns how bright a sample is: slopes that face north-west are bright.
func (t *tile) shade(i int) float32 {
	h := t.columns[i].height
	if h == nowhere {
		return 1
	}
	rise := float32(0)
	for _, n := range [2]int{i - 1, i - t.edge - 1} {
		if n := t.columns[n].height; n != nowhere {
			rise += float32(h - n)
		}
	}
	rise /= heightParts * float32(int(1)<<t.gap)
	d := max(-24, min(24, rise))
	slope := .3 * d / (2.5 + float32(math.Abs(float64(d))))
	tint := max(-.12, min(.12, float32(t.blocks(h)-64)/500))
	return float32(int((1+slope+tint)*shadeSteps+.5)) / shadeSteps
}

// blocks returns a height in blocks.
func (t *tile) blocks(height int32) int { return int(height) / heightParts << t.base }

// painter returns what gives the samples of the layer their colours.
func (t *tile) painter() (func(i int, s *sample) [3]float32, error) {
	switch t.o.Layer {
	case LayerHeight:
		b := t.land.Bounds()
		return func(_ int, s *sample) [3]float32 { return relief(t.blocks(s.height), b.Min.Y, b.Max.Y, s) }, nil
	case LayerBiome:
		return t.biomes()
	case LayerLight:
		return t.lights()
	}
	return func(_ int, s *sample) [3]float32 { return s.rgb }, nil
}

// hypsometric are the colours of heights from the lowest to the highest.
var hypsometric = [][3]float32{{38, 70, 83}, {58, 110, 110}, {86, 145, 86}, {150, 175, 90}, {214, 196, 110}, {190, 140, 85}, {150, 105, 85}, {205, 195, 190}, {250, 250, 250}}

// relief returns the colour of a height between two others. Water is blue.
func relief(height, low, high int, s *sample) [3]float32 {
	share := 1 - s.left
	at := float32(height-low) / float32(max(1, high-low)) * float32(len(hypsometric)-1)
	n := max(0, min(len(hypsometric)-2, int(at)))
	part := max(0, min(1, at-float32(n)))
	var rgb [3]float32
	for j := range rgb {
		rgb[j] = (hypsometric[n][j]*(1-part) + hypsometric[n+1][j]*part) * share
	}
	if s.water > 0 {
		for j, v := range [3]float32{50, 95, 190} {
			rgb[j] = rgb[j]*.2 + v*.8*share
		}
	}
	return rgb
}

// flood puts water over the samples whose surface it covers, for a liquid that does not have the
// level of the matter: it lies in few chunks.
func (t *tile) flood() error {
	for _, blocks := range [2]int{-1, 0} { // below the top of the surface's cell, and above it
		wet, err := t.around(liquid, 1, blocks)
		if err != nil {
			return err
		}
		for i, c := range wet {
			s := &t.columns[i]
			if c == voxel.Empty || s.water > 0 || s.left > .99 {
				continue
			}
			s.water = 1
			for j, v := range t.hues.fluid(c).rgb {
				s.rgb[j] = s.rgb[j]*(1-t.first) + v*t.first*(1-s.left)
			}
		}
	}
	return nil
}

// biomes paints samples by the biome at their surface.
func (t *tile) biomes() (func(i int, s *sample) [3]float32, error) {
	cells, err := t.around(voxel.Biome, 0, 0)
	if err != nil || cells == nil {
		return func(_ int, s *sample) [3]float32 { return s.rgb }, err
	}
	known := make(map[voxel.Cell][3]float32)
	return func(i int, s *sample) [3]float32 {
		rgb, ok := known[cells[i]]
		if !ok {
			rgb = biomeColour(t.land.Name(voxel.Biome, cells[i]))
			known[cells[i]] = rgb
		}
		for j := range rgb {
			rgb[j] *= 1 - s.left
		}
		return rgb
	}, nil
}

// lights paints samples by the light above their surface.
func (t *tile) lights() (func(i int, s *sample) [3]float32, error) {
	sky, err := t.around(voxel.Sky, 1, 0)
	if err != nil {
		return nil, err
	}
	block, err := t.around(voxel.Light, 1, 0)
	if err != nil {
		return nil, err
	}
	of := func(cells []voxel.Cell, i int) float32 {
		if cells == nil {
			return 0
		}
		return float32(min(cells[i], 15)) / 15
	}
	return func(i int, s *sample) [3]float32 {
		night, warm := of(sky, i), of(block, i)
		rgb := s.rgb
		for j, v := range [3]float32{1.1, .95, .7} {
			cool := [3]float32{.26, .3, .42}[j]
			rgb[j] *= .06 + night*cool*(1-warm) + warm*v
		}
		return rgb
	}, nil
}

// maxAround bounds the chunks of another volume that one tile reads. A volume of which more would
// be needed has no far levels, and its default is taken everywhere.
const maxAround = 1 << 13

// around returns the cells of a volume at the surface of the samples: so many cells of the tile above
// the lowest block of the surface's cell, and so many blocks. It returns nil if there is no such
// volume.
func (t *tile) around(volume string, above, blocks int) ([]voxel.Cell, error) {
	scale := t.land.Scale(volume)
	up := 0 // levels of the volume whose cells are not wider than those of the tile
	for scale<<(up+1) <= 1<<t.base {
		up++
	}
	level := t.land.Level(volume, up)
	if level < 0 {
		return nil, nil
	}
	at := func(i int) geom.Point {
		s := &t.columns[i]
		h := s.height
		if h == nowhere {
			h = 0
		}
		p := geom.Point{
			X: t.cell(t.at.X, i%(t.edge+1)-1) << t.base,
			Y: (geom.FloorDiv(int(h), heightParts)+above)<<t.base + blocks,
			Z: t.cell(t.at.Z, i/(t.edge+1)-1) << t.base,
		}
		for n := scale; n > 1; n /= 2 {
			p = geom.Point{X: p.X >> 1, Y: p.Y >> 1, Z: p.Z >> 1}
		}
		return geom.Point{X: p.X >> level, Y: p.Y >> level, Z: p.Z >> level}
	}
	chunks := make(map[geom.ChunkPos]*voxel.Chunk)
	var last geom.ChunkPos
	for i := range t.columns {
		if t.columns[i].left > .99 {
			continue
		}
		if pos := at(i).Chunk(); len(chunks) == 0 || pos != last {
			chunks[pos], last = nil, pos
		}
	}
	if len(chunks) > maxAround {
		clear(chunks)
	}
	var want []geom.ChunkPos
	for pos := range chunks {
		want = append(want, pos)
	}
	slices.SortFunc(want, func(a, b geom.ChunkPos) int { return geom.CodeOf(a, level).Compare(geom.CodeOf(b, level)) })
	if err := t.land.Read(volume, level, want, func(pos geom.ChunkPos, c *voxel.Chunk) { chunks[pos] = c }); err != nil {
		return nil, err
	}
	out := make([]voxel.Cell, len(t.columns))
	var c *voxel.Chunk
	for i, n := range t.columns {
		if n.left > .99 {
			continue
		}
		p := at(i)
		if pos := p.Chunk(); i == 0 || pos != last {
			c, last = chunks[pos], pos
		}
		if out[i] = t.land.Default(volume); c != nil {
			in := p.InChunk()
			out[i] = c.Cell(in.X, in.Y, in.Z)
		}
	}
	return out, nil
}

// encode returns the PNG of tones. A palette takes a third of the bytes and of the time that the
// colours would take, so tones beyond those that fit become the nearest that do; these are rare.
func (t *tile) encode(tones []tone) ([]byte, error) {
	var counts [1 << toneBits]uint16
	used := make([]tone, 0, maxTones)
	for _, n := range tones {
		if n != 0 && counts[n] == 0 {
			used = append(used, n)
		}
		counts[n] = min(counts[n], 1<<15) + 1
	}
	slices.SortFunc(used, func(a, b tone) int { return cmp.Or(int(counts[b])-int(counts[a]), int(a)-int(b)) })
	palette := color.Palette{color.NRGBA{}}
	numbers := &counts
	numbers[0] = 0
	kept := used[:min(len(used), maxTones)]
	for i, n := range kept {
		palette = append(palette, n.colour())
		numbers[n] = uint16(i + 1)
	}
	for _, n := range used[len(kept):] {
		numbers[n] = uint16(nearest(kept, n) + 1)
	}
	img := image.NewPaletted(image.Rect(0, 0, TileEdge, TileEdge), palette)
	for y := range TileEdge {
		row := img.Pix[y*TileEdge:][:TileEdge]
		if y%t.pixel != 0 {
			copy(row, img.Pix[(y-1)*TileEdge:])
			continue
		}
		from := tones[y/t.pixel*t.edge:]
		for x := range row {
			row[x] = uint8(numbers[from[x/t.pixel]])
		}
	}
	var b bytes.Buffer
	e := png.Encoder{CompressionLevel: png.BestSpeed}
	err := e.Encode(&b, img)
	return b.Bytes(), err
}

// maxTones is how many colours a tile has at most besides the transparent one.
const maxTones = 255

// nearest returns the index of the tone that is most like n.
func nearest(kept []tone, n tone) (at int) {
	least := tone(1 << 30)
	square := func(a, b tone) tone { d := int32(a&31) - int32(b&31); return tone(d * d) }
	for i, k := range kept {
		d := square(k>>10, n>>10) + square(k>>5, n>>5) + square(k, n) + 64*square(k>>15, n>>15)
		if d < least {
			least, at = d, i
		}
	}
	return at
}

// emptyTile is the PNG of a transparent tile.
const emptyTile = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x01\x00\x00\x00\x01\x00\x01\x03\x00\x00\x00f\xbc:%\x00\x00\x00\x03PLTE" +
	"\x00\x00\x00\xa7z=\xda\x00\x00\x00\x01tRNS\x00@\xe6\xd8f\x00\x00\x00#IDATx\xda\xec\xc0\x01\r\x00\x00\x00\xc2 \xfb\xa76\xc77\x18\x00\x00\x00\x00\x00\x00\x00" +
	"@\xdc\x03\x00\x00\xff\xff!\x00\x00\x01\xe50\xe1\x85\x00\x00\x00\x00IEND\xaeB`\x82"
