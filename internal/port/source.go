// Package port brings worlds in and out: it opens a world in any format, makes it the next version of
// a stored one, and writes a world in another format.
//
// It prints nothing, and writes only to folders that it is given.
package port

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/stone/whole"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// Ext is the extension of files that hold a whole world in one stone.
const Ext = ".cairn"

// maxHead is how many bytes of a file tell its format. The first tags of a schematic may be large.
const maxHead = 64 << 10

// stoneMagic is the beginning of a stone.
const stoneMagic = "CAIRN\n\x1a"

// ErrTooLarge says that an archive unpacks to more bytes than allowed.
var ErrTooLarge = errors.New("too large when unpacked")

// errUnknown says that bytes are in no known format.
var errUnknown = errors.New("unknown format")

// ErrNoChunks says that a world has no chunks.
var ErrNoChunks = format.ErrNothing

// Options of opening a world. The zero value is the default.
type Options struct {
	// Salvage passes on chunks of a folder that cannot be decoded, as they are stored.
	Salvage bool
	// Live reads a folder that a game may be writing: chunks and files that are torn for long are left out, and
	// Torn names them. Import takes them from the version before.
	Live bool
	// MaxBytes bounds the unpacked size of an archive, and the memory of the world. Default:
	// for an archive 100 times its size and at least 64 MiB, otherwise no bound.
	MaxBytes int64
	// Palette is the number, from 0, of the palette that is shown of a structure with several.
	Palette int
	// Memory is how many bytes of a world Parts holds in memory, and the most that a cache of
	// pages takes that the Source makes itself. Default: any number.
	Memory int64
	// Unpacked bounds the unpacked size of a zip in place of MaxBytes, which then bounds each of
	// its files.
	Unpacked int64
	// File makes an empty temporary file. Default: TempFile in os.TempDir.
	File func() (whole.TempFile, error)
}

// decoded returns MaxBytes as a bound.
func (o Options) decoded() int64 {
	if o.MaxBytes <= 0 {
		return math.MaxInt64
	}
	return o.MaxBytes
}

// leaf returns o as options of package format.
func (o Options) leaf() format.ReadOptions {
	return format.ReadOptions{Salvage: o.Salvage, Live: o.Live, MaxBytes: o.MaxBytes, Palette: o.Palette}
}

// Opened is an opened world: a stone, or a world in another format. One goroutine may use it at
// a time.
type Opened struct {
	content stone.Content // a world that is read in parts and is no file
	Stone   *stone.Reader // nil unless the source is a stone
	leaf    format.Source // nil if the world is a Content
	file    *os.File
	size    int64
	o       Options
	loaders []*convert.Loader // of Parts
	// nameless counts files of an archive with names that are not paths below its root.
	nameless int
	links    int        // of a tar
	twice    int        // files of an archive whose name a later one has
	seen     history.ID // the version that Since names
}

// Open opens the world at path, a file or a folder. An error of the path itself is a
// *fs.PathError and is not wrapped.
func Open(path string, o Options) (*Opened, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		leaf, err := openFolder(func(k *format.Kind) (format.Source, error) { return k.OpenFolder(path, o.leaf()) })
		if errors.Is(err, format.ErrNoWorld) {
			list, _ := os.ReadDir(path) // the error is said already
			var names []string
			for _, e := range list {
				if IsArchive(e.Name()) || slices.Contains(FileExts(), filepath.Ext(e.Name())) {
					names = append(names, e.Name())
				}
			}
			if len(names) > 0 {
				err = fmt.Errorf("%w; give a file of it: %s", err, format.SomeOf(names))
			}
		}
		if err != nil {
			return nil, err
		}
		if _, ok := leaf.(*anvil.Folder); o.Live && !ok {
			return nil, errors.Join(fmt.Errorf("%s: a folder of the format %s cannot be read while a game writes it: stop the game and import it", path, leaf.Head().Format), leaf.Close())
		}
		return &Opened{leaf: leaf, o: o}, nil
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a file or a folder", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	s, err := OpenReader(f, info.Size(), o)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	s.file = f
	return s, nil
}

// OpenReader opens the world in the size bytes of r. r must stay open until the Source is
// closed.
func OpenReader(r io.ReaderAt, size int64, o Options) (*Opened, error) {
	head := make([]byte, min(size, maxHead))
	if _, err := r.ReadAt(head, 0); err != nil && err != io.EOF {
		return nil, err
	}
	s := &Opened{size: size, o: o}
	known, err := s.openFile(r, head, size)
	switch {
	case known:
	case isArchive(head):
		err = s.extract(r, head)
	default:
		err = unknown(head, size)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// openFile opens a stone or a file of a known format. known is false for other bytes.
func (s *Opened) openFile(r io.ReaderAt, head []byte, size int64) (known bool, err error) {
	if bytes.HasPrefix(head, []byte(stoneMagic)) || len(head) > 0 && strings.HasPrefix(stoneMagic, string(head)) { // or cut within
		if s.Stone, err = stone.Open(r, size); err == nil && s.o.Memory > 0 {
			s.Stone = s.Stone.Through(stone.NewCache(min(s.o.Memory, stone.CacheBytes)), stone.ID{})
		}
		return true, err
	}
	for _, k := range kinds {
		if k.Detect != nil && k.Detect(head) {
			s.leaf, err = k.Open(r, size, s.o.leaf())
			if errors.Is(err, clip.ErrTooLarge) {
				err = fmt.Errorf("%w: %w", ErrTooLarge, err)
			}
			return true, err
		}
	}
	return false, nil
}

// IsDamage reports whether an error says that bytes of a world are damaged.
func IsDamage(err error) bool {
	var damage *format.DamageError
	var corrupt *stone.CorruptError
	return errors.As(err, &damage) || errors.As(err, &corrupt)
}

// Size is the size of the file in bytes, 0 for a folder.
func (s *Opened) Size() int64 { return s.size }

// Close releases files.
func (s *Opened) Close() error {
	var err error
	for _, l := range s.loaders {
		err = errors.Join(err, l.Close())
	}
	if s.leaf != nil {
		err = errors.Join(err, s.leaf.Close())
	}
	if s.file != nil {
		err = errors.Join(err, s.file.Close())
	}
	return err
}

// Format returns the name of the source's format, and its version if it has one.
func (s *Opened) Format() string {
	if s.Content() != nil {
		return "cairn"
	}
	return FormatName(s.leaf.Head())
}

// FormatName returns the name of a world's format, and its version if it has one.
func FormatName(h format.Head) string {
	if h.Version != 0 {
		return fmt.Sprintf("%s v%d", h.Format, h.Version)
	}
	return h.Format
}

// Through returns a Sink in front of another one. nil adds none.
type Through func(format.Sink) format.Sink

func (t Through) sink(to format.Sink) format.Sink {
	if t == nil {
		return to
	}
	return t(to)
}

// FromContent returns a world that can be read in parts, such as a version in a store. Its
// format is "cairn". Close does not close c.
func FromContent(c stone.Content) *Opened { return &Opened{content: c} }

// FromSource returns a world in another format, or one that is made while it is read.
// Close closes leaf.
func FromSource(leaf format.Source, o Options) *Opened { return &Opened{leaf: leaf, o: o} }

// Content returns the world if it can be read in parts, or nil if Parts must read it first.
func (s *Opened) Content() stone.Content {
	if s.Stone != nil {
		return s.Stone
	}
	return s.content
}

// Remarks list the things that the reader of a Source left out or could not decode.
type Remarks struct {
	Lost    map[string]int // counts of things that were left out, by name
	Damaged []string       // chunks that are passed on as they are stored
	Torn    []string       // what a game was writing, so that it could not be read whole
	Notes   []string       // other oddities, which lost nothing
}

// Remarks returns the remarks of Parts.
func (s *Opened) Remarks() Remarks {
	r := Remarks{Lost: map[string]int{}, Damaged: []string{}}
	if s.nameless > 0 {
		r.Lost["files of the archive whose names are no paths within it"] = s.nameless
	}
	if s.twice > 0 {
		r.Lost["files of the archive whose name a later one has"] = s.twice
	}
	if s.links > 0 {
		r.Lost["links and devices of the archive"] = s.links
	}
	if leaf, ok := s.leaf.(format.Reporter); ok {
		lost, damaged := leaf.Remarks()
		maps.Copy(r.Lost, lost)
		r.Damaged = append(r.Damaged, damaged...)
	}
	for _, d := range s.torn().Why {
		if at := d.File; isRegion(at) {
			r.Torn = append(r.Torn, fmt.Sprintf("%s chunk %v: %v", at, d.Pos, d.Err))
		} else {
			r.Torn = append(r.Torn, fmt.Sprintf("%s: %v", at, d.Err))
		}
	}
	if leaf, ok := s.leaf.(interface{ Notes() []string }); ok {
		r.Notes = leaf.Notes()
	}
	return r
}

// FolderSize returns the bytes of all regular files below a folder.
func FolderSize(dir string) (n int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			n += info.Size()
		}
		return err
	})
	return n, err
}
