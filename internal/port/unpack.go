package port

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Unpack writes the files of a zip or a tar into a folder, at most maxDisk bytes of them; a tar,
// which is read into memory, has at most maxMemory bytes. take is called with the bytes of a
// file before they are written; its error ends Unpack. Files whose names are no paths within the
// archive are left out; an archive of these alone is an error.
func Unpack(r io.ReaderAt, size int64, dir string, maxDisk, maxMemory int64, take func(bytes int64) error) error {
	head := make([]byte, min(size, maxHead))
	if _, err := r.ReadAt(head, 0); err != nil && err != io.EOF {
		return err
	}
	if !isArchive(head) {
		return errors.New("it is neither a zip nor a tar")
	}
	s := &Opened{size: size, o: Options{MaxBytes: maxDisk}}
	if !isZip(head) {
		s.o.MaxBytes = min(maxDisk, maxMemory)
	}
	fsys, err := s.archive(r, head)
	if err != nil {
		return err
	}
	files := 0
	err = fs.WalkDir(fsys, ".", func(name string, e fs.DirEntry, err error) error {
		to := filepath.Join(dir, filepath.FromSlash(name))
		switch {
		case err != nil:
			return fmt.Errorf("%.200q: %w", name, err)
		case name == ".":
			return nil
		case !filepath.IsLocal(filepath.FromSlash(name)):
			return fmt.Errorf("%.200q is no path within the archive", name)
		case e.IsDir():
			return placed(name, os.Mkdir(to, 0o700))
		}
		info, err := e.Info()
		if err == nil {
			err = take(info.Size())
		}
		if err != nil {
			return err
		}
		files++
		return unpackFile(fsys, name, to, info.Size())
	})
	if err == nil && files == 0 && s.nameless > 0 {
		err = fmt.Errorf("%d files have names that are no paths within the archive", s.nameless)
	}
	return err
}

// unpackFile writes a file of an archive, whose size is in the archive's directory.
func unpackFile(fsys fs.FS, name, to string, size int64) (err error) {
	from, err := fsys.Open(name)
	if err != nil {
		return fmt.Errorf("%.200q: %w", name, err)
	}
	defer from.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return placed(name, err)
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if _, err := io.Copy(out, io.LimitReader(from, size)); err != nil {
		return damaged("zip", err)
	}
	return nil
}

// placed returns an error of a file of the folder that names only the file of the archive.
func placed(name string, err error) error {
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		return fmt.Errorf("%.200q: %w", name, p.Err)
	}
	return err
}
