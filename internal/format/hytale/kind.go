package hytale

import (
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/cairnvoxel/cairn/internal/format"
)

// Kind is the row of the table of formats.
func Kind() format.Kind {
	return format.Kind{
		Name:   formatName,
		Detect: isRegion,
		Open: func(r io.ReaderAt, size int64, o format.ReadOptions) (format.Source, error) {
			return openOne(r, size, o)
		},
		DetectFS: detectFS,
		OpenFS: func(fsys fs.FS, o format.ReadOptions) (format.Source, error) {
			w, err := openFS(fsys, o)
			if err != nil {
				return nil, err
			}
			return w, nil
		},
		OpenFolder:   openFolder,
		CreateFolder: createFolder,
	}
}

// openOne opens a single region file. Its place is in its name, if r has one; else it is that at 0, 0.
func openOne(r io.ReaderAt, size int64, o format.ReadOptions) (format.Source, error) {
	var x, z int32
	if named, ok := r.(interface{ Name() string }); ok {
		x, z, _ = parseRegionName(filepath.Base(named.Name()))
	}
	if _, err := openRegion(r, size); err != nil {
		return nil, err
	}
	name := chunksFolder + "/" + regionName(x, z)
	w := &folder{fsys: oneFile{name, io.NewSectionReader(r, 0, size)}, o: o, close: func() error { return nil }, skipped: map[string]int{}}
	w.worlds = []world{{name: worldName, regions: []regionPath{{x, z, name}}}}
	return w, nil
}

// oneFile is a file system with one file.
type oneFile struct {
	name string
	data *io.SectionReader
}

func (f oneFile) Open(name string) (fs.File, error) {
	if name != f.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return openFile{f.data, f.name}, nil
}

// openFile is the file, and what it says of itself.
type openFile struct {
	*io.SectionReader
	name string
}

func (f openFile) Stat() (fs.FileInfo, error) { return f, nil }
func (f openFile) Close() error               { return nil }
func (f openFile) Name() string               { return f.name }
func (f openFile) Mode() fs.FileMode          { return 0o444 }
func (f openFile) ModTime() time.Time         { return time.Time{} }
func (f openFile) IsDir() bool                { return false }
func (f openFile) Sys() any                   { return nil }
