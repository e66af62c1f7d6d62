// Package format connects cairn to file formats. A Source is a world that can be
// read, and a Sink takes a world. Importers are Sources, exporters are Sinks, and a
// filter is a Sink that passes on to another. Each format has a package of its own
// below this one.
package format

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Head describes a world before it is read.
type Head struct {
	Format string // "anvil", "mcregion", "slime", ...
	// Version is the format's own version, if it has one (Slime: 1..13).
	Version int
	// Properties are facts of the whole world. Their names belong to the format's
	// package.
	Properties map[string]string
}

// A Source is a world in some format. It never changes what it reads. Goroutines
// must not use it at the same time.
type Source interface {
	Head() Head
	// Read passes the whole world to s. Columns come in any order. If the format
	// allows random access, the four columns of a 32x32 footprint follow each other.
	// It returns the first error of s, ctx.Err(), a *DamageError that names every
	// unreadable column, or an error that wraps a *CorruptError.
	Read(ctx context.Context, s Sink) error
	// Close closes files.
	Close() error
}

// A Sink takes a world. Arguments are valid only during the call, unless a method's
// comment says otherwise. One goroutine uses a Sink. Names and paths may come from a
// hostile file: a Sink that writes to disk must check them.
type Sink interface {
	// Dimension begins a dimension with a name that is unique in the world. Its
	// columns and chunks follow until the next Dimension. The sink may keep d. The
	// names of d's volumes grow while columns arrive.
	Dimension(d *Dimension) error
	// Column takes a column with the cells of its sections.
	Column(c *Column) error
	// Chunk takes a whole chunk of a volume, for a world without columns. pos counts
	// chunks of the volume's own cells. The sink may keep c.
	Chunk(volume string, pos geom.ChunkPos, c *voxel.Chunk) error
	// File takes a file of the world that holds no voxels. It may come before,
	// between and after dimensions.
	File(f File) error
}

// Dimension describes a named space of a world.
type Dimension struct {
	Name string // "overworld", "the_nether", "the_end", "namespace:path"
	// Folder is the slash path from the world's folder to the folder that holds the
	// dimension's region folder. "" is the world's folder.
	Folder  string
	Volumes []*NamedVolume
}

// Volume returns the dimension's volume with that name, or nil.
func (d *Dimension) Volume(name string) *NamedVolume {
	for _, v := range d.Volumes {
		if v.Name == name {
			return v
		}
	}
	return nil
}

// NamedVolume is a volume's description and the names of its cells.
type NamedVolume struct {
	voxel.Volume
	Names *Names // nil, except for Palette and for Terrain with named materials
}

// BlockDimension returns a dimension with the four volumes of a block world and new
// names.
func BlockDimension(name, folder string) *Dimension {
	d := &Dimension{Name: name, Folder: folder}
	for _, v := range voxel.BlockVolumes() {
		fv := &NamedVolume{Volume: v}
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
	// y*16+z*4+x in cells of 4 blocks. It is nil if biomes are by section or in
	// Maps.
	Biomes []voxel.Cell
}

// Cells are the arrays of one section. An array that is not in voxel.Section.Has is
// nil. If Block or Biome has length 1, the whole section is that cell.
type Cells struct {
	Block []voxel.Cell // 4096, index y*256+z*16+x
	Biome []voxel.Cell // 64, index y*16+z*4+x
	Sky   []byte       // 2048 bytes of two cells each, low nibble first, index as Block
	Light []byte       // the same
}

// Has returns which arrays there are.
func (c *Cells) Has() (has voxel.Has) {
	for _, a := range [...]struct {
		there bool
		bit   voxel.Has
	}{{c.Block != nil, voxel.HasBlock}, {c.Biome != nil, voxel.HasBiome}, {c.Sky != nil, voxel.HasSky}, {c.Light != nil, voxel.HasLight}} {
		if a.there {
			has |= a.bit
		}
	}
	return has
}

// File is a file of a world's folder.
type File struct {
	Path string // slash path below the world's folder
	Size int64  // exact, at most MaxFile
	// Open returns the content; the caller closes it. It works until the Source is
	// closed.
	Open func() (io.ReadCloser, error)
}

// IsPath reports whether name is a path of a file below a world's folder that a world can have: with
// slashes, no part of it longer than 255 bytes. See also FitsSystem.
func IsPath(name string) bool {
	tooLong := func(part string) bool { return len(part) > 255 }
	return fs.ValidPath(name) && name != "." && !strings.ContainsAny(name, "\\\x00") && !slices.ContainsFunc(strings.Split(name, "/"), tooLong)
}

// isDevice reports whether a name is that of a device of Windows, which a file in any folder cannot have, with any extension.
func isDevice(name string) bool {
	name, _, _ = strings.Cut(name, ".")
	name = strings.ToLower(strings.TrimRight(name, " "))
	for _, kind := range []string{"com", "lpt"} {
		if n, ok := strings.CutPrefix(name, kind); ok {
			return utf8.RuneCountInString(n) == 1 && strings.Contains("0123456789¹²³", n)
		}
	}
	return slices.Contains([]string{"con", "prn", "aux", "nul", "conin$", "conout$"}, name)
}

// FitsSystem reports whether a system, such as "windows", can have a file at a path that IsPath. A world keeps files of all
// names; who writes them to a folder asks for the system that the folder is on. Source: learn.microsoft.com, Naming Files,
// Paths, and Namespaces.
func FitsSystem(name, system string) bool {
	if system != "windows" {
		return true
	}
	odd := func(r rune) bool { return r < ' ' || strings.ContainsRune(`<>:"|?*\`, r) }
	return !strings.ContainsFunc(name, odd) && !slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool {
		return strings.HasSuffix(part, ".") || strings.HasSuffix(part, " ") || isDevice(part)
	})
}

// FileOf returns a file with that content.
func FileOf(path string, data []byte) File {
	return File{path, int64(len(data)), func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }}
}

// Bytes returns the content. More than MaxFile bytes are an error.
func (f File) Bytes() ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return ReadAll(r, MaxFile)
}

// ReadAll reads all that follows. More than most bytes are an error.
func ReadAll(r io.Reader, most int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(b)) > most {
		err = fmt.Errorf("more than %d bytes", most)
	}
	return b, err
}

// Bounded reads from R, and fails with Err where there are more than Left bytes.
type Bounded struct {
	R    io.Reader
	Left int64
	Err  error
}

// Read reads from R.
func (b *Bounded) Read(p []byte) (int, error) {
	n, err := b.R.Read(p)
	if b.Left -= int64(n); b.Left < 0 {
		return 0, b.Err
	}
	return n, err
}

// ErrLong says that a file has more than MaxFile bytes.
var ErrLong = fmt.Errorf("longer than %d bytes", int64(MaxFile))

// maxWhole bounds a file of a file system without ReadAt, which is read into memory.
const maxWhole = 256 << 20

// ReaderAt returns an open file as a ReaderAt, and its size. One that cannot be read in parts is read into memory.
func ReaderAt(f fs.File) (io.ReaderAt, int64, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	if src, ok := f.(io.ReaderAt); ok {
		return src, info.Size(), nil
	}
	b, err := ReadAll(f, maxWhole)
	return bytes.NewReader(b), int64(len(b)), err
}

// MaxFile bounds the size in bytes of a file that is kept.
const MaxFile = 64 << 20

// ColumnBox returns the cells of a column, of all heights.
func ColumnBox(pos geom.ColumnPos) geom.Box {
	all := geom.Root.Box()
	return geom.Box{Min: pos.Min(all.Min.Y), Max: pos.Min(all.Max.Y).Add(geom.Point{X: geom.ColumnEdge, Z: geom.ColumnEdge})}
}

// CorruptError says where bytes from outside are wrong.
type CorruptError = voxel.CorruptError

// Damage names one unreadable column. Games call it a chunk.
type Damage struct {
	File string // slash path below the world's folder
	Pos  geom.ColumnPos
	Err  error
}

// SomeOf names the first ten of a list and counts the rest.
func SomeOf(names []string) string {
	const most = 10
	text := strings.Join(names[:min(len(names), most)], ", ")
	if n := len(names) - most; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}

// DamageError is returned by Source.Read if columns were unreadable and
// ReadOptions.Salvage is off. The rest of the world was passed on.
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
