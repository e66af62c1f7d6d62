package format

import (
	"errors"
	"io"
	"io/fs"

	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Kind is a format of whole worlds: how to detect, read and write it. A world is a
// folder if Ext is "", else a file. Package port holds the table of all kinds.
type Kind struct {
	Name string
	Ext  string // the extension of its files: ".slime"
	// Versions are the format's own versions that can be written; nil if it has
	// none.
	Versions []int
	// Single says that a world has only one dimension.
	Single bool
	// Piece says that a file holds a piece of a world, with any data version or none.
	Piece bool

	// Detect reports whether a file of the format starts with head, up to 65,536
	// bytes.
	Detect func(head []byte) bool
	// Open opens a file of size bytes.
	Open func(r io.ReaderAt, size int64, o ReadOptions) (Source, error)
	// Create returns a Writer. Its Close writes the file to w.
	Create func(w io.Writer, o WriteOptions) (Writer, error)

	// DetectFS reports whether a folder looks like a world. OpenFS checks more.
	DetectFS func(fsys fs.FS) bool
	// OpenFS and OpenFolder open a folder. Their errors wrap ErrNoWorld if it is not
	// a world of the format. A game may be using a folder on disk.
	OpenFS     func(fsys fs.FS, o ReadOptions) (Source, error)
	OpenFolder func(dir string, o ReadOptions) (Source, error)
	// CreateFolder returns a Writer that writes below dir, an empty folder.
	CreateFolder func(dir string, o WriteOptions) (Writer, error)
}

// Errors of formats.
var (
	// ErrNoWorld says that a folder is not a world of the format.
	ErrNoWorld = errors.New("no world of this format")
	// ErrNothing says that a world has neither chunks nor columns.
	ErrNothing = errors.New("no chunk is in it")
	// ErrHolds says that a format cannot hold the world, even with parts left out.
	ErrHolds = errors.New("the format cannot hold the world")
)

// ReadOptions say how a world is read. The zero value is the default.
type ReadOptions struct {
	// Salvage passes on unreadable columns as they are stored.
	Salvage bool
	// Live reads a folder that a game may be writing.
	Live bool
	// MaxBytes bounds the decoded size of a part of a file. Default: no bound.
	MaxBytes int64
	// Palette is the number, from 0, of the palette that is shown of a structure with several.
	Palette int
}

// Reporter is a Source that reports on reading: what it left out, by name and count,
// and which columns it passed on as they are stored.
type Reporter interface {
	Remarks() (lost map[string]int, damaged []string)
}

// WriteOptions say how a world is written. The zero value is the default.
type WriteOptions struct {
	// Head describes the world that is written, as it was read.
	Head Head
	// Name is the world's name, if the format has one and the world has none.
	Name string
	// Version is the format's version. Default: the version that was read, or the
	// one for the data version.
	Version int
	// DataVersion applies to columns without one, and to a world without columns.
	DataVersion int32
	// Facts are further facts of the world.
	Facts Level
	// Cache adds what a format can keep to be loaded faster: of Slime 1 to 3 HypixelBlocks3.
	Cache bool
}

// Writer is a Sink that writes a world. The world is complete only after Close.
// Abort discards it.
type Writer interface {
	Sink
	// Lost returns by name and count what the format could not hold.
	Lost() map[string]int
	Close() error
	Abort() error
}

// Level holds the facts that formats of a game's whole worlds share, in the terms of
// AdvancedSlimePaper.
type Level struct {
	Name     string
	Version  int32 // data version; 0 if it has none
	HasSpawn bool
	Spawn    geom.Point
	SpawnIn  string  // the game's name of its dimension; "" is the overworld
	Angle    float32 // of the view at Spawn, in degrees
	// Difficulty is "peaceful", "easy", "normal" or "hard"; "" if unknown.
	Difficulty string
	// Type says how the game generates missing chunks: "default", "flat",
	// "large_biomes", "amplified", "customized", "debug_all_block_states" or
	// "default_1_1"; "" if unknown.
	Type string
	// Biome is the biome of a flat world; "" if unknown.
	Biome                        string
	NoMonsters, NoAnimals, NoPVP bool // no monsters or animals appear; players cannot fight
	// Dragon is "alive" or "killed" for the end's dragon; "" if unknown.
	Dragon string
}
