package format

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
)

// FindWorld returns the folder that is a world: "." if is says so of fsys itself, else the only folder of its root of which is
// says so. It counts what is beside that as lost. The error wraps ErrNoWorld if there is none, or several.
func FindWorld(fsys fs.FS, is func(fs.FS) bool, lost map[string]int) (folder string, err error) {
	if is(fsys) {
		return ".", nil
	}
	list, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return "", err
	}
	for _, e := range list {
		sub, err := fs.Sub(fsys, e.Name())
		if err != nil || !e.IsDir() || !is(sub) {
			continue
		}
		if folder != "" {
			return "", fmt.Errorf("several worlds lie in it: %w", ErrNoWorld)
		}
		folder = e.Name()
	}
	if folder == "" {
		return "", ErrNoWorld
	}
	if len(list) > 1 {
		lost["files and folders beside the world's folder"] = len(list) - 1
	}
	return folder, nil
}

// ListFiles returns the files of a world's folder by name, without those that take takes. It counts as lost what cannot be one.
func ListFiles(fsys fs.FS, take func(name string) bool, lost map[string]int) (files []File, err error) {
	err = fs.WalkDir(fsys, ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
			lost["file "+name+", which cannot be listed"]++
			return nil
		case err != nil:
			return err
		case e.IsDir():
			return nil
		case !IsPath(name) || !e.Type().IsRegular():
			lost[fmt.Sprintf("file %q, which is no regular file or has an odd name", name)]++
			return nil
		case take(name):
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		if info.Size() > MaxFile {
			lost[fmt.Sprintf("file %s, which has %d bytes", name, info.Size())]++
			return nil
		}
		files = append(files, File{Path: name, Size: info.Size(), Open: func() (io.ReadCloser, error) { return fsys.Open(name) }})
		return nil
	})
	return files, err
}

// WriteFile writes a new file of a world below root. It counts one whose path this system cannot have as lost.
func WriteFile(root *os.Root, f File, lost map[string]int) error {
	switch {
	case !IsPath(f.Path):
		lost[fmt.Sprintf("file %q, whose path is not clean", f.Path)]++
		return nil
	case !FitsSystem(f.Path, runtime.GOOS):
		lost[fmt.Sprintf("file %q, whose name this system cannot have", f.Path)]++
		return nil
	}
	if err := copyFile(root, f); err != nil {
		return fmt.Errorf("file %q: %w", f.Path, err)
	}
	return nil
}

func copyFile(root *os.Root, f File) (err error) {
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	if err := root.MkdirAll(path.Dir(f.Path), 0o755); err != nil {
		return err
	}
	out, err := root.OpenFile(f.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, out.Close()) }()
	_, err = io.Copy(out, &Bounded{R: r, Left: MaxFile, Err: ErrLong})
	return err
}
