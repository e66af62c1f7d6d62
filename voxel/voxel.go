// Package voxel holds the cell, the schema that says how cells are read, the chunk
// of 32x32x32 cells with its mips, and the data of a 16x16 column that is not cells.
// It does no I/O and keeps no map of chunks; package grid does.
package voxel

import "fmt"

// Cell is one voxel's value: 15 bits, never above MaxCell. 0 is empty (air).
type Cell uint16

// MaxCell is the greatest value of a cell.
const MaxCell Cell = 0x7FFF

// Empty is the empty cell of every schema.
const Empty Cell = 0

// TerrainCell returns the Terrain cell of a material (0..63; 0 is air) and an
// occupancy. Air has no occupancy: the function drops it. Source: the voxel-terrain
// article, "Memory format".
func TerrainCell(material, occupancy uint8) Cell {
	m := int32(material & 0x3F)
	return Cell(m<<8 | int32(occupancy)&(-m>>31))
}

// Material returns the material of a Terrain cell.
func (c Cell) Material() uint8 { return uint8(c >> 8) }

// Occupancy returns how full a Terrain cell is, 0..1: (value+1)/256 for
// matter, 0 for air.
func (c Cell) Occupancy() float32 {
	if c>>8 == 0 {
		return 0
	}
	return float32(c&0xFF+1) / 256
}

// Schema says how the cells of a volume are read.
type Schema uint8

// The schemas. Their numbers are part of the stone format.
const (
	Palette Schema = 0 // index into the volume's names
	Terrain Schema = 1 // material 6 bits, occupancy 8 bits
	Level   Schema = 2 // a small number: light 0..15, liquid occupancy 0..255
)

func (s Schema) String() string {
	switch s {
	case Palette:
		return "palette"
	case Terrain:
		return "terrain"
	case Level:
		return "level"
	}
	return fmt.Sprintf("schema %d", uint8(s))
}

// Valid reports whether c is allowed in a volume of schema s with n names. Only
// Palette uses n.
func (s Schema) Valid(c Cell, n int) bool {
	switch s {
	case Palette:
		return int(c) < n
	case Terrain:
		return c < 64<<8 && (c>>8 != 0 || c == 0)
	case Level:
		return c <= 255
	}
	return false
}

// Volume describes a sparse grid of chunks: its name, how its cells are read, and
// the value where no chunk is stored.
type Volume struct {
	Name    string // "block", "biome", "sky", "light", "solid", "liquid", ...
	Schema  Schema
	Scale   int  // edge of a cell in cells of the dimension: 1, or 4 for biomes
	Default Cell // the value where no chunk is stored; 15 for sky light
}

// The volumes of a block world.
const (
	Block = "block" // Palette, scale 1
	Biome = "biome" // Palette, scale 4
	Sky   = "sky"   // Level, scale 1, default 15
	Light = "light" // Level, scale 1
)

// IsLight reports whether a volume of a block world holds light.
func IsLight(volume string) bool { return volume == Sky || volume == Light }

// BlockVolumes returns the volumes of a block world's dimension in the order of a
// stone.
func BlockVolumes() []Volume {
	return []Volume{
		{Name: Block, Schema: Palette, Scale: 1},
		{Name: Biome, Schema: Palette, Scale: 4},
		{Name: Sky, Schema: Level, Scale: 1, Default: 15},
		{Name: Light, Schema: Level, Scale: 1},
	}
}
