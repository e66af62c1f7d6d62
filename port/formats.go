package port

import (
	"errors"
	"io/fs"
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
