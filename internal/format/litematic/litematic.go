// Package litematic reads and writes the schematics of Litematica, files that end in .litematic:
// versions 4 to 7, with several regions. FORMAT.md has the layout.
package litematic

import (
	"fmt"
	"io"
	"slices"

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
	return slices.ContainsFunc(document.Peek(head), func(f document.Field) bool {
		return f.Name == tagRegions && f.Type == nbt.Compound || f.Name == tagDataVersion && f.Type == nbt.Int
	})
}

// Read reads a schematic. A file that is not one, or is damaged, is a *format.CorruptError or
// says what it is.
func Read(r io.ReaderAt, size int64, o clip.ReadOptions) (*clip.Clip, error) {
	c, err := read(r, size, o)
	if err != nil {
		return nil, fmt.Errorf("litematic: %w", err)
	}
	return c, nil
}

// region is a region of a file.
type region struct {
	name      string
	pos, size [3]int32 // as in the file: of the corner that Position names, with signs
	placed    bool     // there is a Position
	fields    []document.Field
	palette   []string
	has       int    // entries of the palette, -1 without one
	longs     int64  // bytes of BlockStates, -1 without them
	raw       []byte // BlockStates, if a later region covers a part
	objects   [2][][]byte
}

// box returns the blocks of the region in the space of the file.
func (r *region) box() geom.Box {
	low, edges := [3]int{}, [3]int{}
	for i, n := range r.size {
		low[i], edges[i] = int(r.pos[i]), int(n)
		if n < 0 {
			low[i], edges[i] = int(r.pos[i])+int(n)+1, -int(n)
		}
	}
	p := geom.Point{X: low[0], Y: low[1], Z: low[2]}
	return geom.Box{Min: p, Max: p.Add(geom.Point{X: edges[0], Y: edges[1], Z: edges[2]})}
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

// point returns the three ints of a compound {x, y, z}.
func point(payload []byte) (v [3]int32, ok bool) {
	fields, err := document.Fields(payload)
	if err != nil {
		return v, false
	}
	for i, name := range [...]string{"x", "y", "z"} {
		b := document.Find(fields, name, nbt.Int)
		if b == nil {
			return v, false
		}
		r := nbt.NewPayload(b, nbt.Limits{})
		v[i] = r.Int()
	}
	return v, true
}

// appendPoint appends the entry of a compound {x, y, z}.
func appendPoint(dst []byte, name string, v [3]int32) []byte {
	dst = nbt.AppendCompound(dst, name)
	for i, axis := range [...]string{"x", "y", "z"} {
		dst = nbt.AppendInt(dst, axis, v[i])
	}
	return nbt.AppendEnd(dst)
}

func ints(p geom.Point) [3]int32 { return [3]int32{int32(p.X), int32(p.Y), int32(p.Z)} }

func pointOf(v [3]int32) geom.Point { return geom.Point{X: int(v[0]), Y: int(v[1]), Z: int(v[2])} }

// lists are the lists of objects of a clip, and their tags.
var lists = [2]struct{ list, tag string }{{voxel.BlockEntities, tagTileEntities}, {voxel.Entities, tagEntities}}
