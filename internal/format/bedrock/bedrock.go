// Package bedrock reads the worlds of Minecraft Bedrock Edition: folders with a LevelDB database "db", and .mcworld files, which
// are zips of them. FORMAT.md describes the bytes. It writes none.
//
// Blocks have the names of Bedrock with their states in brackets, "minecraft:oak_stairs[upside_down_bit=false,weirdo_direction=2]".
// The second layer of blocks, which holds water, is the volume "layer". Block entities and entities are the lists of block worlds.
// What else the database has of a chunk is the part "bedrock" of its column; what it has beside chunks are files below "db.keys".
package bedrock

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/voxel"
)

const formatName = "bedrock"

// partRest names the part of a column that has what cells, maps and objects do not hold: an NBT document with the values of the
// chunk's keys by their tags in hex.
const partRest = "bedrock"

// Volumes of a dimension besides those of block worlds.
const (
	layerVolume = "layer"       // the second layer of blocks
	fineVolume  = "biome_block" // biomes of sections where they differ within 4x4x4 blocks
)

// Names of the maps of columns.
const (
	mapHeight = "bedrock_height" // in blocks above the lowest one of the dimension
	mapBiomes = "bedrock_biomes"
)

// keysFolder has the values of keys that belong to no chunk, as files.
const keysFolder = "db.keys"

// Kind is the row of the table of formats.
func Kind() format.Kind {
	return format.Kind{
		Name:     formatName,
		DetectFS: func(fsys fs.FS) bool { _, ok := find(fsys); return ok },
		OpenFS: func(fsys fs.FS, o format.ReadOptions) (format.Source, error) {
			return openFS(fsys, o, func() error { return nil })
		},
		OpenFolder: func(dir string, o format.ReadOptions) (format.Source, error) {
			root, err := os.OpenRoot(dir)
			if err != nil {
				return nil, fmt.Errorf("bedrock: open: %w", err)
			}
			return openFS(root.FS(), o, root.Close)
		},
	}
}

// find returns the folder of a world: the root, or the only folder in it that is one.
func find(fsys fs.FS) (base string, ok bool) {
	list, _ := fs.ReadDir(fsys, ".")
	bases := []string{"."}
	for _, e := range list {
		if e.IsDir() {
			bases = append(bases, e.Name())
		}
	}
	for _, b := range bases {
		if !isWorld(fsys, b) {
			continue
		}
		if b == "." {
			return b, true
		}
		if ok {
			return "", false
		}
		base, ok = b, true
	}
	return base, ok
}

// isWorld reports whether a folder has a database and no region files: a server of Java may keep a database beside its world.
func isWorld(fsys fs.FS, base string) bool {
	if _, err := fs.Stat(fsys, path.Join(base, "region")); err == nil {
		return false
	}
	list, _ := fs.ReadDir(fsys, path.Join(base, dbFolder))
	return slices.ContainsFunc(list, func(e fs.DirEntry) bool {
		return e.Name() == currentFile || strings.HasPrefix(e.Name(), manifestPrefix) || path.Ext(e.Name()) == ".ldb"
	})
}

// newDimension returns a dimension by its number in keys.
func newDimension(number int32) *format.Dimension {
	name, folder := fmt.Sprintf("bedrock:%d", number), fmt.Sprintf("dimensions/bedrock/%d", number)
	switch number {
	case 0:
		name, folder = "overworld", ""
	case 1:
		name, folder = "the_nether", "DIM-1"
	case 2:
		name, folder = "the_end", "DIM1"
	}
	d := format.BlockDimension(name, folder)
	for _, v := range []string{layerVolume, fineVolume} {
		d.Volumes = append(d.Volumes, &format.NamedVolume{Volume: voxel.Volume{Name: v, Schema: voxel.Palette, Scale: 1}, Names: format.NewNames()})
	}
	return d
}

// corrupt says where bytes of a part are wrong.
func corrupt(at int, part string, err error) error {
	return &format.CorruptError{Offset: int64(at), Part: part, Err: err}
}
