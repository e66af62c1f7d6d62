// Package atomicfile writes files and folders that appear under their path only when
// they are complete and on stable storage. Until then they have a temporary name in the
// same folder.
package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Pending is a file or a folder that is being written. Its owner defers Abort and calls
// Commit once.
type Pending struct {
	// Temp is the temporary path. It is empty after Commit.
	Temp string
	// File is open for writing; it is nil for a folder.
	File *os.File
	path string
}

// NewFile begins a file. perm is the mode that it has from the start, less the umask.
func NewFile(path string, perm fs.FileMode) (*Pending, error) {
	p, err := newPending(path)
	if err != nil {
		return nil, err
	}
	return p, p.create(func(temp string) (err error) {
		p.File, err = os.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
		return err
	})
}

// NewFolder begins a folder.
func NewFolder(path string) (*Pending, error) {
	p, err := newPending(path)
	if err != nil {
		return nil, err
	}
	return p, p.create(func(temp string) error { return os.Mkdir(temp, 0o777) })
}

// newPending makes path absolute, because the parent of "out/" or "." is not clear from
// its text.
func newPending(path string) (*Pending, error) {
	path, err := filepath.Abs(path)
	return &Pending{path: path}, err
}

// create calls do with temporary names until one is free.
func (p *Pending) create(do func(temp string) error) error {
	for i := 0; ; i++ {
		p.Temp = filepath.Join(filepath.Dir(p.path), fmt.Sprintf(".cairn-%d-%d.tmp", os.Getpid(), i))
		err := do(p.Temp)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		return ofPath(filepath.Dir(p.path), err)
	}
}

// ofPath returns an error of the system, which names the temporary path, as one of path.
func ofPath(path string, err error) error {
	var system *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &system):
		err = fmt.Errorf("%s: %w", path, system.Err)
	case errors.As(err, &link):
		err = fmt.Errorf("%s: %w", path, link.Err)
	}
	return err
}

// Abort removes what was written so far. After Commit it does nothing. It ignores
// errors, because the caller has its own; what is left has a temporary name.
func (p *Pending) Abort() {
	if p.Temp == "" {
		return
	}
	if p.File != nil {
		p.File.Close()
	}
	os.RemoveAll(p.Temp)
}

// Commit puts everything on stable storage and renames it to its path. It replaces a
// file or an empty folder.
func (p *Pending) Commit() error {
	if p.File != nil {
		if err := errors.Join(p.File.Sync(), p.File.Close()); err != nil {
			return ofPath(p.path, err)
		}
		p.File = nil
	} else {
		if err := filepath.WalkDir(p.Temp, syncEntry); err != nil {
			return ofPath(p.path, err)
		}
		os.Remove(p.path) // succeeds only for an empty folder
	}
	if err := os.Rename(p.Temp, p.path); err != nil {
		return ofPath(p.path, err)
	}
	p.Temp = ""
	return syncPath(filepath.Dir(p.path))
}

func syncEntry(path string, _ fs.DirEntry, err error) error {
	if err != nil {
		return err
	}
	return syncPath(path)
}

func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}
