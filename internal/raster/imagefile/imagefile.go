// Package imagefile opens an image file by what it begins with, whatever its name is, and finds the
// files of a set by the pattern of their names.
package imagefile

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync/atomic"

	"github.com/cairnvoxel/cairn/internal/raster"
	"github.com/cairnvoxel/cairn/internal/raster/bitmap"
	"github.com/cairnvoxel/cairn/internal/raster/exr"
	"github.com/cairnvoxel/cairn/internal/raster/radiance"
	"github.com/cairnvoxel/cairn/internal/raster/tiff"
	"github.com/cairnvoxel/cairn/internal/texture"
)

// formats has a reader for each beginning.
var formats = []struct {
	begin string
	open  func(r io.ReaderAt, size int64) (raster.Image, error)
	whole bool // the image has all pixels in memory
}{
	{"II*\x00", tiff.Open, false}, {"MM\x00*", tiff.Open, false}, {"II+\x00", tiff.Open, false}, {"MM\x00+", tiff.Open, false},
	{"#?", radiance.Open, true}, {"\x76\x2f\x31\x01", exr.Open, false},
	{"\x89PNG\r\n\x1a\n", bitmap.Open, true}, {"\xff\xd8\xff", bitmap.Open, true}, {texture.Magic, openTexture, false},
}

// Open opens the file of a name. The caller closes it when nobody reads the image any more. If the closer is
// a *Handle the file may be opened again.
func Open(name string) (raster.Image, io.Closer, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, fmt.Errorf("imagefile: %w", err)
	}
	from := &source{}
	from.file.Store(f)
	if from.info, err = f.Stat(); err == nil {
		m, whole, err := open(from, from.info.Size())
		switch {
		case err != nil:
			f.Close()
			return nil, nil, fmt.Errorf("imagefile: %s: %w", name, err)
		case whole:
			return m, f, nil
		}
		return m, &Handle{f, from}, nil
	}
	f.Close()
	return nil, nil, fmt.Errorf("imagefile: %w", err)
}

// Handle is the file of an image. When it is closed the image keeps what it has read of where its pixels are.
type Handle struct {
	*os.File
	from *source
}

// source is what an image reads from: the file that was opened last.
type source struct {
	file atomic.Pointer[os.File]
	info fs.FileInfo
}

func (s *source) ReadAt(b []byte, at int64) (int, error) { return s.file.Load().ReadAt(b, at) }

// Again opens the file of h again, from which the image then reads. It returns nil if there is another
// file of that name now, or it was written to.
func (h *Handle) Again() (*Handle, error) {
	f, err := os.Open(h.Name())
	if err != nil {
		return nil, fmt.Errorf("imagefile: %w", err)
	}
	info, err := f.Stat()
	if err != nil || !os.SameFile(info, h.from.info) || info.Size() != h.from.info.Size() || !info.ModTime().Equal(h.from.info.ModTime()) {
		f.Close()
		return nil, err
	}
	h.from.file.Store(f)
	return &Handle{f, h.from}, nil
}

// New opens bytes. The image reads from r until nobody uses it any more.
func New(r io.ReaderAt, size int64) (raster.Image, error) {
	m, _, err := open(r, size)
	if err != nil {
		return nil, fmt.Errorf("imagefile: %w", err)
	}
	return m, nil
}

func open(r io.ReaderAt, size int64) (m raster.Image, whole bool, err error) {
	b, err := raster.Input{R: r, Size: size}.Bytes(nil, "beginning", 0, min(size, 8))
	if err != nil {
		return nil, false, err
	}
	for _, f := range formats {
		if strings.HasPrefix(string(b), f.begin) {
			m, err = f.open(r, size)
			return m, f.whole, err
		}
	}
	return nil, false, fmt.Errorf("%w: a file that begins with %q", raster.ErrUnsupported, b)
}

func openTexture(r io.ReaderAt, size int64) (raster.Image, error) {
	a, err := texture.Open(r, size)
	if err != nil {
		return nil, err
	}
	return a, nil
}
