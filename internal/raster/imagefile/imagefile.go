// Package imagefile opens an image file by what it begins with, whatever its name is, and finds the
// files of a set by the pattern of their names.
package imagefile

import (
	"fmt"
	"io"
	"os"
	"strings"

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
}{
	{"II*\x00", tiff.Open}, {"MM\x00*", tiff.Open}, {"II+\x00", tiff.Open}, {"MM\x00+", tiff.Open},
	{"#?", radiance.Open}, {"\x76\x2f\x31\x01", exr.Open},
	{"\x89PNG\r\n\x1a\n", bitmap.Open}, {"\xff\xd8\xff", bitmap.Open}, {texture.Magic, openTexture},
}

// Open opens the file of a name. The caller closes it when nobody reads the image any more.
func Open(name string) (raster.Image, io.Closer, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, fmt.Errorf("imagefile: %w", err)
	}
	info, err := f.Stat()
	if err == nil {
		var m raster.Image
		if m, err = open(f, info.Size()); err == nil {
			return m, f, nil
		}
	}
	f.Close()
	return nil, nil, fmt.Errorf("imagefile: %s: %w", name, err)
}

// New opens bytes. The image reads from r until nobody uses it any more.
func New(r io.ReaderAt, size int64) (raster.Image, error) {
	m, err := open(r, size)
	if err != nil {
		return nil, fmt.Errorf("imagefile: %w", err)
	}
	return m, nil
}

func open(r io.ReaderAt, size int64) (raster.Image, error) {
	b, err := raster.Input{R: r, Size: size}.Bytes(nil, "beginning", 0, min(size, 8))
	if err != nil {
		return nil, err
	}
	for _, f := range formats {
		if strings.HasPrefix(string(b), f.begin) {
			return f.open(r, size)
		}
	}
	return nil, fmt.Errorf("%w: a file that begins with %q", raster.ErrUnsupported, b)
}

func openTexture(r io.ReaderAt, size int64) (raster.Image, error) {
	a, err := texture.Open(r, size)
	if err != nil {
		return nil, err
	}
	return a, nil
}
