// Package resourcepack reads the textures of blocks from resource packs of the game and makes one image
// of them. Load begins. It takes what draws a block as a cube: of a block of another shape only
// which texture each side has.
package resourcepack

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

// Bounds of a pack, so that a file made to harm costs little.
const (
	maxDirectory = 64 << 20  // bytes that are read to list a zip
	maxFiles     = 1 << 18   // in a zip
	maxJSON      = 1 << 20   // bytes of a model or a list of states
	maxPNG       = 16 << 20  // bytes of an image
	maxPixels    = 4 << 20   // of an image
	maxPainted   = 512 << 20 // pixels of all images together
	maxRead      = 512 << 20 // bytes of all files together, unpacked
	maxBlocks    = 1 << 16   // of all packs
)

// errBounds says that a pack is larger than any real one.
var errBounds = errors.New("a file of the pack, or all together, is too large")

// packs are the packs that were opened, the most important last.
type packs struct {
	all  []fs.FS
	left int64 // bytes that may be read

	painted int // pixels of images so far
}

// openPack opens a folder or a zip, such as a pack or the game's own .jar.
func openPack(name string) (fs.FS, io.Closer, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, nil, err
	}
	if info.IsDir() {
		root, err := os.OpenRoot(name)
		if err != nil {
			return nil, nil, err
		}
		return root.FS(), root, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	bounded := &boundedReader{f, maxDirectory}
	z, err := zip.NewReader(bounded, info.Size())
	switch {
	case bounded.left < 0 || err == nil && len(z.File) > maxFiles:
		err = errBounds
	case errors.Is(err, zip.ErrFormat):
		err = fmt.Errorf("neither a folder nor a zip, or cut short: %d bytes without a zip's list of files at their end", info.Size())
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	bounded.left = 1 << 62
	return z, f, nil
}

// boundedReader is an io.ReaderAt that reads at most left bytes.
type boundedReader struct {
	r    io.ReaderAt
	left int64
}

// ReadAt reads len(p) bytes at off.
func (b *boundedReader) ReadAt(p []byte, off int64) (int, error) {
	if b.left -= int64(len(p)); b.left < 0 {
		return 0, errBounds
	}
	return b.r.ReadAt(p, off)
}

// read returns the content of a file of the last pack that has it.
func (p *packs) read(name string, most int64) ([]byte, error) {
	if !fs.ValidPath(name) {
		return nil, fs.ErrNotExist
	}
	for i := len(p.all) - 1; i >= 0; i-- {
		f, err := p.all[i].Open(name)
		if err != nil {
			continue
		}
		b, err := io.ReadAll(io.LimitReader(f, most+1))
		f.Close() // it was only read
		p.left -= int64(len(b))
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s: %w", name, err)
		case int64(len(b)) > most || p.left < 0:
			return nil, fmt.Errorf("%s: %w", name, errBounds)
		}
		return b, nil
	}
	return nil, fs.ErrNotExist
}

// decode decodes a file of JSON. A file that is missing or broken leaves v as it is, and the
// result is false.
func (p *packs) decode(name string, v any) bool {
	b, err := p.read(name, maxJSON)
	return err == nil && json.Unmarshal(b, v) == nil
}

// list returns the names of files of a folder in any pack, without an extension, each once.
func (p *packs) list(dir, ext string) (names []string) {
	seen := map[string]bool{}
	for _, fsys := range p.all {
		entries, err := fs.ReadDir(fsys, dir)
		if err != nil {
			continue // this pack has no such folder
		}
		for _, e := range entries {
			name, ok := strings.CutSuffix(e.Name(), ext)
			if (ok || e.IsDir() && ext == "") && !seen[name] && len(names) < maxBlocks {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	return names
}

// locate splits a location, such as "minecraft:block/stone", and returns the path of the file of a
// kind.
func locate(location, kind, ext string) string {
	space, rest, ok := strings.Cut(location, ":")
	if !ok {
		space, rest = "minecraft", location
	}
	return path.Join("assets", space, kind, rest) + ext
}
