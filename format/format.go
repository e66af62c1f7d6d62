// Package format is the seam between cairn and the file formats of the field:
// a Source is a world that can be read, a Sink takes a world. Importers are
// Sources, exporters are Sinks, and a filter between them is a Sink that hands
// on to another.
//
// The package knows no format; each has a leaf of its own below it. It keeps
// no cells: what passes through is owned by whoever made it.
package format

import (
	"context"
	"fmt"
	"io"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/voxel"
)

// Head is what is known of a world before it is read.
type Head struct {
	Format string // "anvil", "mcregion", "slime", ...
	// Version is the format's own version where it has one (Slime: 1..13).
	Version int
	// Properties are facts of the whole world in the words of the leaf.
	Properties map[string]string
}

// A Source is a world in some format. It never writes to what it reads.
// A Source is used by one goroutine at a time.
type Source interface {
	Head() Head
	// Read hands the whole world to s. Columns come in any order, but the four
	// columns of one 32x32 footprint follow each other where the format allows
	// random access. It returns the first error of s, ctx.Err(), a
	// *DamageError naming every column that could not be read, or an error
	// wrapping a *CorruptError.
	Read(ctx context.Context, s Sink) error
	// Close releases files.
	Close() error
}

// A Sink takes a world. What it is given is valid only during the call, unless
// the callee owns it by the method's comment. A Sink is used by one goroutine.
// Names and paths may come from a hostile file: a Sink that writes to a disk
// checks them.
type Sink interface {
	// Dimension begins a dimension, which no other of the world shares its name
	// with; its columns and chunks follow until the next Dimension. The sink may
	// keep d. Names of d's volumes grow while columns arrive.
	Dimension(d *Dimension) error
	// Column takes a column with the cells of its sections.
	Column(c *Column) error
	// Chunk takes a whole chunk of a volume of a world that has no columns, at a
	// position in chunks of the volume's own cells. A published chunk never
	// changes, so the sink may keep it.
	Chunk(volume string, pos geom.ChunkPos, c *voxel.Chunk) error
	// File takes a file that belongs to the world but is no voxels. It may come
	// before, between and after dimensions.
	File(f File) error
}

// Dimension describes a named space of a world.
type Dimension struct {
	Name string // "overworld", "the_nether", "the_end", "namespace:path"
	// Folder is the slash path below the world's folder that holds the
	// dimension's region folder; "" is the world's folder itself.
	Folder  string
	Volumes []*Volume
}

// Volume returns the dimension's volume of that name, or nil.
func (d *Dimension) Volume(name string) *Volume {
	for _, v := range d.Volumes {
		if v.Name == name {
			return v
		}
	}
	return nil
}

// Volume is a volume's description and the names that its cells index.
type Volume struct {
	voxel.Volume
	Names *Names // nil unless Schema is Palette (or Terrain with named materials)
}

// BlockDimension returns a dimension with the four volumes of a block world
// and fresh names.
func BlockDimension(name, folder string) *Dimension {
	d := &Dimension{Name: name, Folder: folder}
	for _, v := range voxel.BlockVolumes() {
		fv := &Volume{Volume: v}
		if v.Schema == voxel.Palette {
			fv.Names = NewNames()
		}
		d.Volumes = append(d.Volumes, fv)
	}
	return d
}

// Column is a column with its cells.
type Column struct {
	voxel.Column
	// Cells[i] are the cells of Sections[i].
	Cells []Cells
	// Biomes are 1024 biome cells of the whole column for heights 0..255, index
	// y*16+z*4+x counted in cells of 4 blocks; nil where biomes are by section
	// or in Maps.
	Biomes []voxel.Cell
}

// Cells are the arrays of one section. An array that voxel.Section.Has lacks
// is nil. Block and Biome may have length 1: the whole section is that cell.
type Cells struct {
	Block []voxel.Cell // 4096, index y*256+z*16+x
	Biome []voxel.Cell // 64, index y*16+z*4+x
	Sky   []byte       // 2048 bytes of two cells each, low nibble first, index as Block
	Light []byte       // the same
}

// File is a file of a world's folder.
type File struct {
	Path string // slash path below the world's folder
	Size int64  // exact, at most MaxFile
	// Open returns the content; the caller closes it. It may be called until the
	// Source is closed.
	Open func() (io.ReadCloser, error)
}

// MaxFile bounds the size in bytes of a file that is kept.
const MaxFile = 64 << 20

// CorruptError says where bytes from outside are wrong.
type CorruptError = voxel.CorruptError

// Damage names one column that could not be read; games call it a chunk.
type Damage struct {
	File string // slash path below the world's folder
	Pos  geom.ColumnPos
	Err  error
}

// DamageError is returned by Source.Read when columns could not be read and
// salvage was not asked for; what else the world held has been handed on.
type DamageError struct{ Columns []Damage }

func (e *DamageError) Error() string {
	s := fmt.Sprintf("%d damaged chunks: ", len(e.Columns))
	for i, d := range e.Columns {
		if i == 8 {
			return s + fmt.Sprintf("; and %d more", len(e.Columns)-i)
		}
		if i > 0 {
			s += "; "
		}
		s += fmt.Sprintf("%s chunk %v: %v", d.File, d.Pos, d.Err)
	}
	return s
}

// Unwrap returns the causes.
func (e *DamageError) Unwrap() (errs []error) {
	for _, d := range e.Columns {
		errs = append(errs, d.Err)
	}
	return errs
}
