package port

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/format"
	"github.com/cairnvoxel/cairn/format/anvil"
	"github.com/cairnvoxel/cairn/format/mcedit"
	"github.com/cairnvoxel/cairn/format/slime"
	"github.com/cairnvoxel/cairn/format/sponge"
	"github.com/cairnvoxel/cairn/format/structure"
)

// kinds is the table of formats.
var kinds = []format.Kind{
	anvil.Kind(),
	slime.Kind(),
	sponge.Kind(),
	mcedit.Kind(),
	structure.Kind(),
}

// The formats that have names here.
const (
	Anvil     = "anvil"
	Slime     = "slime"
	Sponge    = "sponge"
	MCEdit    = "mcedit"
	Structure = "structure"
)

// Formats returns the names of all formats that can be written.
func Formats() (names []string) {
	for _, k := range kinds {
		names = append(names, k.Name)
	}
	return names
}

// Format returns the format of that name.
func Format(name string) (k format.Kind, ok bool) {
	i := slices.IndexFunc(kinds, func(k format.Kind) bool { return k.Name == name })
	if i < 0 {
		return k, false
	}
	return kinds[i], true
}

// FormatOf returns the format for a file or folder of that name.
func FormatOf(path string) string {
	for _, k := range kinds {
		if k.Ext != "" && strings.HasSuffix(path, k.Ext) {
			return k.Name
		}
	}
	return Anvil
}

// fileExts returns the extensions of files that hold a whole world.
func fileExts() []string {
	exts := []string{Ext}
	for _, k := range kinds {
		if k.Ext != "" {
			exts = append(exts, k.Ext)
		}
	}
	return exts
}

// openFolder opens a folder in the first format that recognizes it.
func openFolder(open func(k *format.Kind) (format.Source, error)) (s format.Source, err error) {
	for i := range kinds {
		if kinds[i].OpenFS == nil {
			continue
		}
		if s, err = open(&kinds[i]); !errors.Is(err, format.ErrNoWorld) {
			return s, err
		}
	}
	return nil, err
}

// detectFolder reports whether a folder looks like a world of any format.
func detectFolder(fsys fs.FS) bool {
	return slices.ContainsFunc(kinds, func(k format.Kind) bool { return k.DetectFS != nil && k.DetectFS(fsys) })
}

// archiveExts are the extensions of archives that may hold a world.
var archiveExts = []string{".zip", ".tar", ".tar.gz", ".tgz"}

// TrimExt returns the name of a file without the extension of a format or an archive.
func TrimExt(name string) string {
	for _, ext := range slices.Concat(archiveExts, fileExts()) {
		if rest, ok := strings.CutSuffix(name, ext); ok && rest != "" {
			return rest
		}
	}
	return name
}

// Detect reports whether a folder or a file looks like a world. It looks into folders, at the
// first bytes of files, and into archives that have the extension of one.
func Detect(path string) bool {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return false
	case info.IsDir():
		root, err := os.OpenRoot(path)
		if err != nil {
			return false
		}
		defer root.Close()
		return detectFolder(root.FS())
	case !info.Mode().IsRegular():
		return false
	case slices.ContainsFunc(archiveExts, func(ext string) bool { return strings.HasSuffix(path, ext) }):
		s, err := Open(path, Options{Salvage: true})
		return err == nil && s.Close() == nil
	case !slices.ContainsFunc(fileExts(), func(ext string) bool { return strings.HasSuffix(path, ext) }):
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, min(info.Size(), maxHead))
	if _, err := io.ReadFull(f, head); err != nil {
		return false
	}
	return bytes.HasPrefix(head, []byte(stoneMagic)) || slices.ContainsFunc(kinds, func(k format.Kind) bool { return k.Detect != nil && k.Detect(head) })
}
