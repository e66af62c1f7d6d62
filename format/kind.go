package format

import (
	"errors"
	"io"
	"io/fs"

	"github.com/cairnvoxel/cairn/geom"
)

// Kind is a format of whole worlds: how it is told from others, read and written. A
// world is a folder where Ext is "", else a file. Package port has the table of all.
type Kind struct {
	Name string
	Ext  string // how the names of its files end: ".slime"
	// Versions are those of the format itself that can be written; nil if it has none.
	Versions []int
	// Single says that a world has one dimension.
	Single bool

	// Detect reports whether head, up to 4,096 bytes, begins a file of the format.
	Detect func(head []byte) bool
	// Open opens a file of size bytes.
	Open func(r io.ReaderAt, size int64, o ReadOptions) (Source, error)
	// Create returns a Writer whose Close writes a file to w.
	Create func(w io.Writer, o WriteOptions) (Writer, error)

	// DetectFS reports whether a folder looks like a world. OpenFS tells more.
	DetectFS func(fsys fs.FS) bool
	// OpenFS and OpenFolder open a folder; their errors wrap ErrNoWorld where it is no
	// world of the format. A folder of the disk may be in use by a game.
	OpenFS     func(fsys fs.FS, o ReadOptions) (Source, error)
	OpenFolder func(dir string, o ReadOptions) (Source, error)
	// CreateFolder returns a Writer that writes below dir, an empty folder.
	CreateFolder func(dir string, o WriteOptions) (Writer, error)
}

// Errors of formats.
var (
	// ErrNoWorld is wrapped where a folder is no world of a format.
	ErrNoWorld = errors.New("no world of this format")
	// ErrHolds is wrapped where a format cannot hold a world, whatever is left out.
	ErrHolds = errors.New("the format cannot hold the world")
)

// ReadOptions say how a world is read. The zero value is the default.
type ReadOptions struct {
	// Salvage hands on what could not be read as it is stored.
	Salvage bool
	// MaxBytes bounds what a part of a file may decode to. Default: none.
	MaxBytes int64
}

// Remarker is a Source that says what reading has met: what was not handed on, by
// name and count, and which columns are handed on as they are stored.
type Remarker interface {
	Remarks() (lost map[string]int, damaged []string)
}

// WriteOptions say how a world is written. The zero value is the default.
type WriteOptions struct {
	// Head is that of the world as it was read.
	Head Head
	// Name of the world, where the format has one and the world brings none.
	Name string
	// Version of the format. Default: the one that the world was read from, or what
	// its data version asks for.
	Version int
	// DataVersion is that of columns that say none, and of a world without columns.
	DataVersion int32
	// Facts are what is known of the world beside Head.
	Facts Level
}

// Writer is a Sink that writes a world. It is whole only after Close; Abort gives up.
type Writer interface {
	Sink
	// Lost returns what of all that was given the format does not hold, by name.
	Lost() map[string]int
	Close() error
	Abort() error
}

// Level is what the formats of a game's whole worlds say of them, in the words of
// AdvancedSlimePaper.
type Level struct {
	Name     string
	Version  int32 // data version; 0 if it has none
	HasSpawn bool
	Spawn    geom.Point
	Angle    float32 // of the view at Spawn, in degrees
	// Difficulty is "peaceful", "easy", "normal" or "hard"; "" if there is none.
	Difficulty string
	// Type is how the game makes chunks that the world lacks: "default", "flat",
	// "large_biomes", "amplified", "customized", "debug_all_block_states" or
	// "default_1_1"; "" is not known.
	Type string
	// Biome is what a flat world has; "" is not known.
	Biome                        string
	NoMonsters, NoAnimals, NoPVP bool // no monsters, no animals appear; players cannot fight
	// Dragon says whether the end's dragon is "alive" or "killed"; "" is not known.
	Dragon string
}
