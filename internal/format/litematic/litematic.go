// Package litematic reads and writes the schematics of Litematica, files that end in .litematic:
// versions 4 to 7, with several regions. FORMAT.md has the layout.
package litematic

import (
	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

const formatName = "litematic"

// The versions that are known. Those before have other forms of objects.
const (
	minVersion = 4
	maxVersion = 7
)

// Kind is the row of the table of formats.
func Kind() format.Kind {
	return clip.Leaf{Name: formatName, Ext: ".litematic", Versions: []int{4, 5, 6, 7}, Detect: Detect, Read: Read, Write: Write}.Kind()
}

// Names of tags.
const (
	tagVersion      = "Version"
	tagSubVersion   = "SubVersion"
	tagDataVersion  = "MinecraftDataVersion"
	tagMetadata     = "Metadata"
	tagRegions      = "Regions"
	tagPosition     = "Position"
	tagSize         = "Size"
	tagPalette      = "BlockStatePalette"
	tagStates       = "BlockStates"
	tagTileEntities = "TileEntities"
	tagEntities     = "Entities"
	tagBlockTicks   = "PendingBlockTicks"
	tagFluidTicks   = "PendingFluidTicks"
	tagRegionCount  = "RegionCount"
	tagTotalBlocks  = "TotalBlocks"
	tagTotalVolume  = "TotalVolume"
	tagEnclosing    = "EnclosingSize"
)

// subVersion returns the SubVersion that Litematica writes, 0 for none.
func subVersion(version int) int32 {
	if version >= 6 {
		return 1
	}
	return 0
}

// groupCells is how many cells are packed and unpacked at once. Their bits fill whole longs.
const groupCells = 4096

// Detect reports whether a file of the format starts with head.
func Detect(head []byte) bool {
	names := document.Peek(head)
	return document.Has(names, tagRegions, nbt.Compound) || document.Has(names, tagDataVersion, nbt.Int)
}

// region is a region of a file.
type region struct {
	name      string
	pos, size geom.Point // as in the file: of the corner that Position names, with signs
	placed    bool       // there is a Position
	fields    []document.Field
	palette   []string
	has       int    // entries of the palette, -1 without one
	longs     int64  // bytes of BlockStates, -1 without them
	raw       []byte // BlockStates, if a later region covers a part
	objects   [2][][]byte
}

// box returns the blocks of the region in the space of the file.
func (r *region) box() geom.Box {
	b := geom.Box{Min: r.pos, Max: r.pos.Add(r.size)}
	for _, axis := range [...]struct{ low, high *int }{{&b.Min.X, &b.Max.X}, {&b.Min.Y, &b.Max.Y}, {&b.Min.Z, &b.Max.Z}} {
		if *axis.low > *axis.high {
			*axis.low, *axis.high = *axis.high+1, *axis.low+1
		}
	}
	return b
}

// covered returns the parts of region i that lie in later regions, which cover it.
func covered(regions []*region, i int) (in []geom.Box) {
	for _, later := range regions[i+1:] {
		if b := regions[i].box().Intersect(later.box()); !b.Empty() {
			in = append(in, b)
		}
	}
	return in
}

// appendPoint appends the entry of a compound {x, y, z}.
func appendPoint(dst []byte, name string, p geom.Point) []byte {
	return nbt.AppendEnd(document.AppendPoint(nbt.AppendCompound(dst, name), document.Axes, p))
}

// lists are the lists of objects of a clip, and their tags.
var lists = [2]struct{ list, tag string }{{voxel.BlockEntities, tagTileEntities}, {voxel.Entities, tagEntities}}
