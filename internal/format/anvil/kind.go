package anvil

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/linear"
)

// Kind is the row of the table of formats.
func Kind() format.Kind {
	return format.Kind{
		Name:     formatName,
		DetectFS: DetectFS,
		OpenFS: func(fsys fs.FS, o format.ReadOptions) (format.Source, error) {
			o.Live = false
			return source(OpenFS(fsys, o))
		},
		OpenFolder: func(dir string, o format.ReadOptions) (format.Source, error) {
			return source(Open(dir, o))
		},
		CreateFolder: createFolder(formatName),
	}
}

// Linear is the row of worlds with region files in one of Linear's formats. Kind opens them.
func Linear() format.Kind {
	return format.Kind{Name: linearName, Versions: []int{linear.V1, linear.V2, linear.Buffered}, CreateFolder: createFolder(linearName)}
}

// McRegion is the row of the worlds before Anvil. Kind opens them.
func McRegion() format.Kind {
	return format.Kind{Name: mcregionName, CreateFolder: createFolder(mcregionName)}
}

// source keeps a nil *World from being a Source.
func source(w *Folder, err error) (format.Source, error) {
	if err != nil {
		return nil, err
	}
	return w, nil
}

// createFolder returns how a Writer is made for a world that was read from any format. A world that was
// read as a folder without a level.dat gets none.
func createFolder(name string) func(dir string, o format.WriteOptions) (format.Writer, error) {
	return func(dir string, o format.WriteOptions) (format.Writer, error) {
		if (o.Head.Format == mcregionName) != (name == mcregionName) {
			return nil, ErrMcRegion
		}
		fo := FolderOptions{Format: name, LevelName: o.Name, Facts: o.Facts, Version: o.DataVersion}
		switch o.Head.Format {
		case formatName, linearName, mcregionName:
			fo.LevelName = ""
		}
		if name == linearName {
			fo.Linear = o.Version
			if o.Head.Format == linearName {
				fo.Linear = cmp.Or(o.Version, o.Head.Version)
			}
		}
		w, err := Create(dir, fo)
		if err != nil {
			return nil, err
		}
		return w, nil
	}
}

// Remarks returns what the last Read has met.
func (w *Folder) Remarks() (lost map[string]int, damaged []string) {
	lost = map[string]int{}
	for _, k := range w.stats.Skipped {
		lost["file "+k.Path+", which "+k.Why]++
	}
	maps.Copy(lost, w.stats.Lost)
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
