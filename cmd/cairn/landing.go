package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// writeFile makes the file that write writes; it is at path only when it is whole
// and on stable storage.
func writeFile(path string, write func(io.Writer) error) (n int64, err error) {
	l, err := landFile(path)
	if err != nil {
		return 0, about(path, err)
	}
	defer l.abort()
	p := newProgress()
	defer p.done()
	buffered := bufio.NewWriterSize(&writing{Writer: l.file, progress: p}, 1<<20)
	err = write(buffered)
	if err == nil {
		err = buffered.Flush()
	}
	if err == nil {
		n, err = l.file.Seek(0, io.SeekEnd)
	}
	if err == nil {
		err = l.land()
	}
	if err != nil {
		return 0, about(path, err)
	}
	return n, nil
}

// landing is a path under which something appears only when it is whole. Until
// then it lies beside, under a temporary name.
type landing struct {
	path, temp string
	file       *os.File // nil for a folder
}

// landFile begins a file.
func landFile(path string) (*landing, error) {
	l, err := newLanding(path)
	if err != nil {
		return nil, err
	}
	return l, l.begin(func(temp string) (err error) {
		l.file, err = os.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		return err
	})
}

// landFolder begins a folder.
func landFolder(path string) (*landing, error) {
	l, err := newLanding(path)
	if err != nil {
		return nil, err
	}
	return l, l.begin(func(temp string) error { return os.Mkdir(temp, 0o777) })
}

// newLanding takes path as a whole: "out/" and "." lie in a folder too.
func newLanding(path string) (*landing, error) {
	path, err := filepath.Abs(path)
	return &landing{path: path}, err
}

// begin makes something under a name that nobody uses.
func (l *landing) begin(create func(temp string) error) error {
	for i := 0; ; i++ {
		l.temp = filepath.Join(filepath.Dir(l.path), fmt.Sprintf(".cairn-%d-%d.tmp", os.Getpid(), i))
		switch err := create(l.temp); {
		case errors.Is(err, fs.ErrNotExist):
			return about(filepath.Dir(l.path), err)
		case !errors.Is(err, fs.ErrExist):
			return err
		}
	}
}

// abort removes what is there, unless it has landed.
func (l *landing) abort() {
	if l.temp == "" {
		return
	}
	if l.file != nil {
		l.file.Close()
	}
	os.RemoveAll(l.temp)
}

// land puts what is there on stable storage and gives it its name. It replaces
// a file or an empty folder.
func (l *landing) land() error {
	if l.file != nil {
		if err := errors.Join(l.file.Sync(), l.file.Close()); err != nil {
			return err
		}
		l.file = nil
	} else {
		if err := filepath.WalkDir(l.temp, syncEntry); err != nil {
			return err
		}
		os.Remove(l.path) // goes only if it is an empty folder
	}
	if err := os.Rename(l.temp, l.path); err != nil {
		return err
	}
	l.temp = ""
	return syncPath(filepath.Dir(l.path))
}

func syncEntry(path string, e fs.DirEntry, err error) error {
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

// mayMake checks that a file may be made at a path from a source.
func mayMake(path, src string, force bool) error {
	if err := replaceable(path, force); err != nil || isAddress(src) {
		return err
	}
	return outside(path, src)
}

// outside checks that path does not lie in the folder src, which is never
// written to.
func outside(path, src string) error {
	from, err := realPath(src)
	if err != nil {
		return about(src, err)
	}
	to, err := realPath(filepath.Dir(path))
	if err != nil {
		return about(filepath.Dir(path), err)
	}
	if rel, err := filepath.Rel(from, to); err == nil && filepath.IsLocal(rel) {
		return usagef("%s lies in %s, which cairn only reads", path, src)
	}
	return nil
}

func realPath(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}
