// Package stone reads and writes stones. A stone is an immutable file of a world or
// of a change to one: pages of chunks, columns, objects and files behind a directory
// sorted by position. Checksums cover every byte, and the name is the hash of the
// whole. FORMAT.md beside this file is the format.
//
// A Writer writes a stone front to back in bounded memory. A Reader needs an
// io.ReaderAt and keeps only the directory, so goroutines may share it. The same
// content and Options give the same bytes.
//
// Which stones lie on each other, and where they are kept, is up to packages history
// and store. A stone has entries only for what it holds; all else is up to the
// stones below it.
package stone

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/cairnvoxel/cairn/internal/codec"
	"github.com/cairnvoxel/cairn/internal/stone/column"
	"github.com/cairnvoxel/cairn/internal/stone/pages"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// ID is a stone's name: the SHA-256 of its bytes.
type ID [32]byte

func (id ID) String() string { return hex.EncodeToString(id[:]) }

// CorruptError says where a stone's bytes are wrong. Offset counts from the start of
// the file.
type CorruptError = codec.CorruptError

// ErrNewer says that Open met a stone of a newer format version.
var ErrNewer = errors.New("written by a newer version of cairn")

// FormatVersion is the version of the format that Writer writes, and the newest that
// Reader reads.
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

// Limits of the format (FORMAT.md section 9). Anything beyond them is not written,
// and is refused before memory is allocated for it.
const (
	maxPage       = pages.MaxPage
	maxStored     = maxPage + 1024 // bytes of a page with its head
	maxMet        = 2 * maxPage    // plain bytes of the pages of objects of one column
	maxCells      = 4096           // chunks in a page
	maxPending    = 4096           // cubes that a Writer keeps back
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

// DimensionInfo describes a named space of the stone.
type DimensionInfo struct {
	Name    string
	Folder  string // where the source kept it, see format.Dimension
	Volumes []VolumeInfo
	Lists   []string // names of the lists of objects, sorted
}

// VolumeInfo describes a volume of a dimension.
type VolumeInfo struct {
	voxel.Volume
	// Names are the names of the volume's cells: Air (cell 0) first, then the names
	// that the stone's pages use, sorted. Merge may leave unused names. In a Terrain
	// volume they are the materials by number. The slice is empty if nothing has a
	// name. The caller must not change it.
	Names  []string
	Levels []int // levels with pages, ascending
}

// Name returns the name of c, "" if it has none.
func (v *VolumeInfo) Name(c voxel.Cell) string {
	if int(c) >= len(v.Names) {
		return ""
	}
	return v.Names[c]
}

// A Placed is a chunk and its position, in chunks of its level.
type Placed struct {
	Pos geom.ChunkPos
	// Chunk is nil if the chunk has no cells: everything in it is the volume's
	// default.
	Chunk *voxel.Chunk
}

// FirstFar is the lowest far level that stones of whole worlds have besides level 0.
const FirstFar = 3

// Content is a whole readable world: a stone that holds one, a version in a store,
// or a world in memory. Callers must not change its results.
type Content interface {
	// About describes the world.
	About() About
	// Entries yields the chunks of a volume's level in ascending order of code.
	// false says that the chunk is known to be all of the volume's default.
	Entries(dim, vol string, level int) iter.Seq2[geom.ChunkPos, bool]
	// ReadChunks calls f for each chunk of want that exists, with nil for a chunk of
	// the volume's default. want must ascend by code. Calls may come in another
	// order.
	ReadChunks(ctx context.Context, dim, vol string, level int, want []geom.ChunkPos, f func(geom.ChunkPos, *voxel.Chunk) error) error
	// ReadColumns yields the columns of a dimension with their lists, in ascending order
	// of position. It stops after an error.
	ReadColumns(ctx context.Context, dim string) iter.Seq2[*voxel.Column, error]
	// OpenFile returns the content of a file, or fs.ErrNotExist.
	OpenFile(path string) (io.ReadCloser, error)
}

// About describes a world.
type About struct {
	Properties []Property      // by key
	Dimensions []DimensionInfo // in the order of creation
	Files      []File          // by path
}

// About describes the content of the stone.
func (s *Reader) About() About { return About{s.Properties(), s.Dimensions(), s.Files()} }

func corrupt(off int64, part string, err error) error {
	return &CorruptError{Offset: off, Part: part, Err: err}
}

func corruptf(off int64, part, format string, args ...any) error {
	return corrupt(off, part, fmt.Errorf(format, args...))
}
