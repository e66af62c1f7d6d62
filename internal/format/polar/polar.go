// Package polar reads and writes the .polar format, in which Minestom's servers keep one small world in a file. FORMAT.md
// describes its versions 1 to 7.
//
// A file holds one dimension, with blocks, biomes, light, height maps and block entities. It does not say which dimension it
// is. What a column can have there is what version 13 of Slime holds, less by what this package counts.
package polar

import (
	"io"
	"strings"

	"github.com/cairnvoxel/cairn/internal/format"
)

const (
	formatName = "polar"
	magic      = "Polr"
	latest     = 7
)

// UserPath is the path of the file that stands for a world's user data, and PartUser the part with those of a column.
const (
	UserPath = ".polar/user.bin"
	PartUser = "polar_user"
)

// Kind is the row of the table of formats.
func Kind() format.Kind {
	return format.Kind{
		Name: formatName, Ext: ".polar", Versions: []int{1, 2, 3, 4, 5, 6, latest}, Single: true,
		Detect: func(head []byte) bool { return strings.HasPrefix(string(head), magic) },
		Open: func(r io.ReaderAt, size int64, o format.ReadOptions) (format.Source, error) {
			return open(r, size, o.MaxBytes)
		},
		Create: create,
	}
}

// dataVersions are the data versions that stand for versions of the format that tell none, those of the games they are from:
// 1.19.4, 1.20, and 1.20.2, after which Polar renamed grass.
var dataVersions = [...]int32{1: 3337, 2: 3463, 3: 3578, 4: 3578, 5: 3578}

// From which version on a file has what.
const (
	twoLights  = 2 // each array of light may lack
	userData   = 3 // columns have user data, and block entities may lack tags
	nameless   = 4 // tags have no name at their root
	worldData  = 5 // the world has user data
	withData   = 6 // the data version
	lightKinds = 7 // light that is all the same is not stored
)

// Kinds of light, from version 7 on.
const (
	lightMissing = iota
	lightDark
	lightBright
	lightStored
)

// heightMaps are the names of the bits of a column's mask.
var heightMaps = []string{"MOTION_BLOCKING", "MOTION_BLOCKING_NO_LEAVES", "OCEAN_FLOOR", "OCEAN_FLOOR_WG", "WORLD_SURFACE", "WORLD_SURFACE_WG"}

// mapPrefix begins the names of height maps that have none.
const mapPrefix = "polar:"
