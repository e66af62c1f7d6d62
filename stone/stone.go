// Package stone is the immutable file that worlds are stacked from: pages of
// chunks, columns, objects and files behind a directory sorted by place, every
// byte under a checksum, named by the hash of the whole. FORMAT.md beside this
// file is the format.
//
// A Writer makes a stone front to back in bounded memory. A Reader needs an
// io.ReaderAt and no state but the directory, so any number of goroutines may
// read at once. The same content written with the same Options gives the same
// bytes.
//
// The package knows no world: not which stones lie on which, nor where they are
// kept. It neither translates names nor fills in what a stone does not speak of.
package stone

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/cairnvoxel/cairn/codec"
	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/stone/column"
	"github.com/cairnvoxel/cairn/stone/pages"
	"github.com/cairnvoxel/cairn/voxel"
)

// ID is a stone's name: the SHA-256 of its bytes.
type ID [32]byte

func (id ID) String() string { return hex.EncodeToString(id[:]) }

// CorruptError says where a stone's bytes are wrong; Offset counts from the
// start of the file.
type CorruptError = codec.CorruptError

// ErrNewer is wrapped by Open for a stone of a format version above this one.
var ErrNewer = errors.New("written by a newer version of cairn")

// FormatVersion is the version of the format that Writer writes and the
// newest that Reader reads.
const FormatVersion = 1

const (
	magic       = "CAIRN\n\x1a"
	headerSize  = len(magic) + 1
	footerMagic = "nriac"
	footerSize  = 8 + 4 + 8 + len(footerMagic)

	pageChunks  = 64      // chunks that are not uniform in a page
	pageColumns = 256     // columns in a page
	pageBytes   = 1 << 18 // plain bytes at which a page of columns or objects ends
	filePage    = 1 << 20 // plain bytes of a file in a page
)

// Limits of the format (FORMAT.md section 9). What is beyond them is refused
// before memory is taken for it, and is not written.
const (
	maxPage       = pages.MaxPage
	maxStored     = maxPage + 1024 // bytes of a page with its head
	maxMet        = 2 * maxPage    // plain bytes of the pages of objects that meet in a column
	maxCells      = 4096           // chunks in a page
	maxPending    = 4096           // cubes that a Writer holds back
	maxRuns       = 512            // chunks in a page that are not uniform
	maxDirectory  = 16 << 20       // plain bytes of the directory
	maxProperties = 1 << 16
	maxDimensions = 1 << 10
	maxVolumes    = 1 << 8          // of a dimension
	maxLists      = column.MaxLists // of a dimension
	maxFiles      = 1 << 20
	maxNames      = int(voxel.MaxCell) + 1 // of a volume of schema Palette
	maxMaterials  = 64                     // names of a volume of schema Terrain
	maxNameBytes  = 64 << 20               // of all volumes' names
	maxRuleCells  = 1 << 22                // of all rules
)

// Property is a fact about the whole world.
type Property struct{ Key, Value string }

// Dimension describes a named space of the stone.
type Dimension struct {
	Name    string
	Folder  string // where the source kept it, see format.Dimension
	Volumes []Volume
	Lists   []string // names of the lists of objects, sorted
}

// Volume describes a volume of a dimension.
type Volume struct {
	voxel.Volume
	// Names are what the volume's cells index: Air (cell 0) first, then the
	// names that the stone's own pages use, sorted (Merge may leave some that
	// none uses any more); of a Terrain volume its materials' by number. Empty
	// where nothing is named. They are the Reader's and must not be changed.
	Names  []string
	Levels []int // levels that the stone has pages of, ascending
}

// Name returns the name of c, "" if it has none.
func (v *Volume) Name(c voxel.Cell) string {
	if int(c) >= len(v.Names) {
		return ""
	}
	return v.Names[c]
}

// A Placed chunk is a chunk and where it is, counted in chunks of its level.
type Placed struct {
	Pos geom.ChunkPos
	// Chunk is nil where the stone says that the chunk has no cells: everything
	// in it is the volume's default.
	Chunk *voxel.Chunk
}

// FirstFar is the lowest far level that stones of whole worlds have besides level 0.
const FirstFar = 3

// Content is a whole world that can be read: a stone that holds one, a version of
// a world in a store, a world in memory. What it hands out must not be changed.
type Content interface {
	// About describes the world.
	About() About
	// Spoken yields the chunks of a volume's level in ascending order of code.
	// false says that the chunk is known to be all of the volume's default.
	Spoken(dim, vol string, level int) iter.Seq2[geom.ChunkPos, bool]
	// ReadChunks calls f for each chunk of want that there is, with nil for a chunk
	// of the volume's default. want ascends by code; calls may come in another order.
	ReadChunks(ctx context.Context, dim, vol string, level int, want []geom.ChunkPos, f func(geom.ChunkPos, *voxel.Chunk) error) error
	// Columns yields the columns of a dimension with their lists, in ascending
	// order of position. It ends after an error.
	Columns(ctx context.Context, dim string) iter.Seq2[*voxel.Column, error]
	// OpenFile returns the content of a file; fs.ErrNotExist if there is none.
	OpenFile(path string) (io.ReadCloser, error)
}

// About describes a world.
type About struct {
	Properties []Property  // by key
	Dimensions []Dimension // in the order they were made
	Files      []File      // by path
}

// About describes what the stone holds.
func (s *Reader) About() About { return About{s.Properties(), s.Dimensions(), s.Files()} }

func corrupt(off int64, part string, err error) error {
	return &CorruptError{Offset: off, Part: part, Err: err}
}

func corruptf(off int64, part, format string, args ...any) error {
	return corrupt(off, part, fmt.Errorf(format, args...))
}
