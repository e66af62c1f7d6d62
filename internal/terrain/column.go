package terrain

import (
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

const sectionCells = 16 * 16 * 16

// framer cuts columns out of a canvas. A column is valid until the next.
type framer struct {
	*canvas
	dim     *format.Dimension
	version int32
	biomeAt func(x, z int) biome
	col     format.Column
	blocks  []voxel.Cell // of all sections
	nibbles []byte       // sky and block light of all sections
}

func (f *framer) column(pos geom.ColumnPos) (*format.Column, error) {
	n := f.height / 16
	if f.blocks == nil {
		f.blocks = make([]voxel.Cell, n*sectionCells)
		f.nibbles = make([]byte, n*sectionCells)
	}
	f.col = format.Column{Cells: f.col.Cells[:0]}
	f.col.Pos, f.col.Version = pos, f.version
	base, _ := f.index(int(pos.X)*16, f.y0, int(pos.Z)*16)
	if f.numeric {
		n = f.used(base)
	}
	biomes, err := f.biomes(pos)
	if err != nil {
		return nil, err
	}
	for i := range n {
		if err := f.section(i, base, biomes); err != nil {
			return nil, err
		}
	}
	f.maps(base)
	f.lists(pos)
	return &f.col, nil
}

// line returns the blocks over (x,z) of the column at base, bottom up, and their
// start index.
func (f *framer) line(base, x, z int) ([]kind, int) {
	i := base + (z*edge+x)*f.height
	return f.cells[i : i+f.height], i
}

// used returns the number of sections from the bottom up to the highest block.
func (f *framer) used(base int) int {
	top := 0
	for xz := range 256 {
		line, _ := f.line(base, xz&15, xz>>4)
		for len(line) > top && line[len(line)-1] == 0 {
			line = line[:len(line)-1]
		}
		top = max(top, len(line))
	}
	return (top + 15) / 16
}

func (f *framer) section(i, base int, biomes []voxel.Cell) error {
	blocks := f.blocks[i*sectionCells:][:sectionCells]
	sky, glow := f.nibbles[i*sectionCells:][:2048], f.nibbles[i*sectionCells+2048:][:2048]
	clear(sky)
	clear(glow)
	names := f.dim.Volume(voxel.Block).Names
	allSky, anyGlow, same := true, false, true
	for xz := range 256 {
		line, at := f.line(base, xz&15, xz>>4)
		for y, k := range line[i*16:][:16] {
			cell, err := f.cell(k, names, f.numeric)
			if err != nil {
				return err
			}
			n := y<<8 | xz
			blocks[n] = cell
			same = same && cell == blocks[0]
			s, g := f.sky[at+i*16+y], f.glow[at+i*16+y]
			sky[n>>1] |= s << (n & 1 * 4)
			glow[n>>1] |= g << (n & 1 * 4)
			allSky, anyGlow = allSky && s == 15, anyGlow || g > 0
		}
	}
	sec := voxel.Section{Y: int8(f.y0/16 + i), Has: voxel.HasBlock}
	cells := format.Cells{Block: blocks}
	if same {
		cells.Block = blocks[:1]
	}
	if biomes != nil {
		sec.Has |= voxel.HasBiome
		cells.Biome = biomes
	}
	if f.numeric || !allSky {
		sec.Has |= voxel.HasSky
		cells.Sky = sky
	}
	if f.numeric || anyGlow {
		sec.Has |= voxel.HasLight
		cells.Light = glow
	}
	f.col.Sections = append(f.col.Sections, sec)
	f.col.Cells = append(f.col.Cells, cells)
	return nil
}

// biomes returns the biome cells that all sections of a column share. For numeric
// ids it makes the map instead and returns nil.
func (f *framer) biomes(pos geom.ColumnPos) ([]voxel.Cell, error) {
	at := pos.Min(0)
	if f.numeric {
		m := voxel.Map{Name: "Biomes", Form: voxel.MapBytes}
		for i := range m.Values {
			m.Values[i] = int32(f.biomeAt(at.X+i&15, at.Z+i>>4).id)
		}
		f.col.Maps = append(f.col.Maps, m)
		return nil, nil
	}
	names := f.dim.Volume(voxel.Biome).Names
	cells, same := make([]voxel.Cell, 64), true
	for i := range cells {
		b := f.biomeAt(at.X+i&3*4+2, at.Z+i>>2&3*4+2)
		c, err := names.Cell("minecraft:" + b.name)
		if err != nil {
			return nil, err
		}
		cells[i] = c
		same = same && c == cells[0]
	}
	if same {
		cells = cells[:1]
	}
	return cells, nil
}

// maps adds the height maps. A height counts from the bottom of the world to just
// above the topmost block that counts.
func (f *framer) maps(base int) {
	add := func(name string, form uint8, counts func(b *block) bool) {
		m := voxel.Map{Name: name, Form: form}
		for i := range m.Values {
			line, _ := f.line(base, i&15, i>>4)
			y := len(line)
			for y > 0 && (line[y-1] == 0 || !counts(&f.canvas.blocks[line[y-1]])) {
				y--
			}
			m.Values[i] = int32(y)
		}
		f.col.Maps = append(f.col.Maps, m)
	}
	if f.numeric {
		add("HeightMap", voxel.MapInts, func(b *block) bool { return b.opacity > 0 })
		return
	}
	add("MOTION_BLOCKING", 9, func(b *block) bool { return b.stops })
	add("MOTION_BLOCKING_NO_LEAVES", 9, func(b *block) bool { return b.stops && !b.leaves })
	add("OCEAN_FLOOR", 9, func(b *block) bool { return b.stops && !b.fluid })
	add("WORLD_SURFACE", 9, func(b *block) bool { return true })
}

// lists adds the objects of the column in the order of painting.
func (f *framer) lists(pos geom.ColumnPos) {
	for _, name := range []string{voxel.BlockEntities, voxel.Entities, voxel.FluidTicks} {
		l := voxel.List{Name: name}
		for _, o := range f.objects {
			if o.list != name || o.at.X>>4 != int(pos.X) || o.at.Z>>4 != int(pos.Z) {
				continue
			}
			switch k := f.at(o.at.X, o.at.Y, o.at.Z); {
			case name == voxel.BlockEntities && k != o.of:
				continue // another building came over its block
			case name == voxel.Entities && (f.blockTable.blocks[k].stops || f.at(o.at.X, o.at.Y-1, o.at.Z) == 0):
				continue // it has no room, or nothing to stand on
			}
			place := voxel.Moved
			if o.entity {
				place = voxel.Indexed
			}
			l.Objects = append(l.Objects, voxel.Object{Place: place, At: o.at, Payload: o.payload})
		}
		if l.Objects != nil {
			f.col.Lists = append(f.col.Lists, l)
		}
	}
}
