package luanti

import (
	"io/fs"

	"github.com/cairnvoxel/cairn/internal/format"
)

// Kind is the row of the table of formats.
func Kind() format.Kind {
	return format.Kind{
		Name:     formatName,
		Versions: []int{25, 26, 27, 28, 29},
		Single:   true,
		Detect:   detect,
		Open:     openOne,
		DetectFS: detectFS,
		OpenFS: func(fsys fs.FS, o format.ReadOptions) (format.Source, error) {
			w, err := openFS(fsys, "", o)
			if err != nil {
				return nil, err
			}
			return w, nil
		},
		OpenFolder:   openFolder,
		CreateFolder: createFolder,
	}
}
