package hytale

import (
	"io"
	"io/fs"
	"path/filepath"

	"github.com/cairnvoxel/cairn/internal/format"
)

// Kind is the row of the table of formats.
func Kind() format.Kind {
	return format.Kind{
		Name: formatName, Detect: isRegion, Open: openOne,
		DetectFS: detectFS,
		OpenFS: func(fsys fs.FS, o format.ReadOptions) (format.Source, error) {
			return openFS(fsys, func() error { return nil }, o)
		},
		OpenFolder: openFolder, CreateFolder: createFolder,
	}
}

// openOne opens a single region file. Its place is in its name, if r has one; else it is that at 0, 0.
func openOne(r io.ReaderAt, size int64, o format.ReadOptions) (format.Source, error) {
	var x, z int32
	if named, ok := r.(interface{ Name() string }); ok {
		x, z, _ = parseRegionName(filepath.Base(named.Name()))
	}
	g, err := openRegion(r, size)
	if err != nil {
		return nil, err
	}
	w := &folder{one: g, o: o, close: func() error { return nil }, skipped: map[string]int{}}
	w.worlds = []world{{name: worldName, regions: []regionPath{{x, z, chunksFolder + "/" + regionName(x, z)}}}}
	return w, nil
}
