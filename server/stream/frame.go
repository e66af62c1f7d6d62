package stream

import (
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Protocol is the version of FORMAT.md.
const Protocol = 1

// The limits of FORMAT.md.
const (
	maxClientFrame = 1 << 16
	maxServerFrame = 1 << 20
	maxToken       = 4096
	maxWord        = 1024 // names of worlds and dimensions
	maxVersion     = 128  // texts that name a commit
	maxVolume      = 256
	maxVolumes     = 8
	maxName        = 4096
	maxParts       = 512
	maxCubes       = 1024 // in a frame
	maxEdits       = 1 << 13
	maxClaims      = 1 << 16
	maxPosition    = 1 << 30
)

// CorruptError says where a frame is wrong.
type CorruptError = voxel.CorruptError

// Frame is one of the frames of FORMAT.md, all of which are types of this package.
type Frame interface {
	kind() byte
	fields(w *writer)
}

// Hello opens a session.
type Hello struct {
	Protocol                    uint64
	Token, World, At, Dimension string
	Volumes                     []string // nil: the server's choice
}

// Viewpoint is the frame View of FORMAT.md: where a viewer is and what it wants.
type Viewpoint struct {
	Position            [3]float64 // in blocks
	Direction, Velocity [3]float32 // velocity in blocks per second
	Pixels              float32    // of the screen, per radian
	Error               float32    // in pixels
	Radius              float32    // in blocks
	Rate                uint64     // bytes per second; 0 has no bound
	Memory              uint64     // bytes of the client's copy
}

// Claim is a cube that a client has.
type Claim struct {
	Key
	Version uint64
}

// Have claims cubes of an earlier session.
type Have struct{ Claims []Claim }

// Dropped says what a client threw away.
type Dropped struct {
	Sequence uint64 // of the last frame that it had read
	Keys     []Key
}

// Ack says that a client has read all frames up to one.
type Ack struct{ Sequence uint64 }

// At moves a session to another version.
type At struct{ Version string }

// Moment says which version of a world a session shows.
type Moment struct {
	Live   bool
	ID     string // of the commit, "" if more was changed since
	Number uint64 // of the last commit
	Time   int64  // of that commit, in milliseconds since 1970
	Bounds geom.Box
	Top    int // the coarsest level
}

// ShownVolume is a volume as a session streams it.
type ShownVolume struct {
	Name    string
	Schema  voxel.Schema
	Scale   int
	Default voxel.Cell // by the session's numbers
}

// edge returns how many of the volume's cells an edge of a cube has.
func (v *ShownVolume) edge() int { return CubeEdge / v.Scale }

// Welcome answers a Hello.
type Welcome struct {
	Protocol         uint64
	World, Dimension string
	Window           uint64 // bytes that may be sent without an Ack
	Moment           Moment
	Volumes          []ShownVolume
}

// Look says how a cell looks from afar.
type Look struct{ R, G, B, A, Kind uint8 }

// The kinds of a Look.
const (
	Nothing uint8 = iota
	Opaque
	CutOut
	Transparent
)

// Name is the name of a cell of a palette, or of a material of a terrain.
type Name struct {
	Number uint64
	Name   string
	Look   Look
}

// NumberNames is the frame Names of FORMAT.md: it gives numbers their names.
type NumberNames struct {
	Volume uint8
	Names  []Name
}

// Cube is the content of a cube. Cells has by volume the cells, index (y*e+z)*e+x,
// and is nil if Version is 0.
type Cube struct {
	Key
	Version uint64
	Cells   [][]voxel.Cell
}

// Cubes carries cubes that are new to the client or have changed.
type Cubes struct {
	Sequence uint64
	Cubes    []Cube
}

// CubePart is 4x4x4 cells of a cube.
type CubePart struct {
	Volume, Part uint8
	Cells        [PartCells]voxel.Cell
}

// Edit is how a cube of the client changed.
type Edit struct {
	Key
	Version uint64 // from now on
	Parts   []CubePart
}

// Edits are changes of cubes that the client has.
type Edits struct {
	Sequence uint64
	Edits    []Edit
}

// Forget names cubes that the viewer needs no longer.
type Forget struct {
	Sequence uint64
	Keys     []Key
}

// Now says that the session shows another moment.
type Now struct{ Moment Moment }

// Synced says that the client has what it needs: at the coarsest level (Stage 1) or
// all of it (Stage 2).
type Synced struct{ Stage uint8 }

// Failure ends a session.
type Failure struct{ Code, Words string }

func (f *Failure) Error() string { return "stream: " + f.Code + ": " + f.Words }

func (*Hello) kind() byte       { return 1 }
func (*Viewpoint) kind() byte   { return 2 }
func (*Have) kind() byte        { return 3 }
func (*Dropped) kind() byte     { return 4 }
func (*Ack) kind() byte         { return 5 }
func (*At) kind() byte          { return 6 }
func (*Welcome) kind() byte     { return 16 }
func (*NumberNames) kind() byte { return 17 }
func (*Cubes) kind() byte       { return 18 }
func (*Edits) kind() byte       { return 19 }
func (*Forget) kind() byte      { return 20 }
func (*Now) kind() byte         { return 21 }
func (*Synced) kind() byte      { return 22 }
func (*Failure) kind() byte     { return 23 }
