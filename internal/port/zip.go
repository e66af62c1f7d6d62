package port

import (
	"archive/zip"
	"context"
	"io"
	"io/fs"
	"path"
)

// WriteZip writes all regular files of a folder as a zip, in the order of their paths. It
// stores region files without compression, because their chunks are compressed.
func WriteZip(ctx context.Context, folder fs.FS, to io.Writer) error {
	out := zip.NewWriter(to)
	err := fs.WalkDir(folder, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		h := &zip.FileHeader{Name: name, Method: zip.Deflate}
		if ext := path.Ext(name); isRegion(name) || ext == ".mcc" || ext == ".dat" {
			h.Method = zip.Store
		}
		w, err := out.CreateHeader(h)
		if err != nil {
			return err
		}
		f, err := folder.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(w, f)
		return err
	})
	if err != nil {
		return err
	}
	return out.Close()
}
