package anvil

import (
	"fmt"
	"io/fs"

	"github.com/cairnvoxel/cairn/internal/format"
)

// Kind is the row of the table of formats.
func Kind() format.Kind {
	return format.Kind{
		Name:     formatName,
		DetectFS: DetectFS,
		OpenFS: func(fsys fs.FS, o format.ReadOptions) (format.Source, error) {
			w, err := OpenFS(fsys, Options{Salvage: o.Salvage})
			return source(w, err)
		},
		OpenFolder: func(dir string, o format.ReadOptions) (format.Source, error) {
			w, err := Open(dir, Options{Salvage: o.Salvage, Live: o.Live})
			return source(w, err)
		},
		CreateFolder: createFolder,
	}
}

// source keeps a nil *World from being a Source.
func source(w *Folder, err error) (format.Source, error) {
	if err != nil {
		return nil, err
	}
	return w, nil
}

// createFolder returns a Writer for a world that was read from any format. A world that was
// read from Anvil without a level.dat gets none.
func createFolder(dir string, o format.WriteOptions) (format.Writer, error) {
	switch o.Head.Format {
	case mcregionName:
		return nil, ErrMcRegion
	case formatName:
		o.Name = ""
	}
	w, err := Create(dir, FolderOptions{LevelName: o.Name, Facts: o.Facts, Version: o.DataVersion})
	if err != nil {
		return nil, err
	}
	return w, nil
}

// Remarks returns what the last Read has met.
func (w *Folder) Remarks() (lost map[string]int, damaged []string) {
	lost = map[string]int{}
	for _, k := range w.stats.Skipped {
		lost["file "+k.Path+", which "+k.Why]++
	}
	if w.stats.TrailingBytes > 0 {
		lost["bytes behind the tags of chunks"] = int(w.stats.TrailingBytes)
	}
	if w.stats.Beyond > 0 {
		lost["cells with an index beyond their palette, read as air"] = w.stats.Beyond
	}
	for _, d := range w.stats.Damaged {
		damaged = append(damaged, fmt.Sprintf("%s chunk %v: %v", d.File, d.Pos, d.Err))
	}
	return lost, damaged
}
