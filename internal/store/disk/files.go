package disk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// files holds the large stones: dir/ab/abcd....
type files struct {
	fs   vfs.FS
	dir  string
	next atomic.Uint64 // number of the next temporary name
}

const tempDir = "new"

func (f *files) place(id stone.ID) (dir, name string) {
	name = id.String()
	return f.fs.PathJoin(f.dir, name[:2]), name
}

func (f *files) path(id stone.ID) string {
	dir, name := f.place(id)
	return f.fs.PathJoin(dir, name)
}

// rel is path as FORMAT.md names it, below the directory of the Store.
func (f *files) rel(id stone.ID) string {
	name := id.String()
	return "stones/" + name[:2] + "/" + name
}

// put writes a stone. It returns when the file has its final name and is on stable
// storage.
func (f *files) put(s history.Stone) error {
	dir, name := f.place(s.ID)
	temp := f.fs.PathJoin(f.dir, tempDir)
	for _, d := range []string{dir, temp} {
		if err := f.fs.MkdirAll(d, 0o700); err != nil {
			return err
		}
	}
	temp = f.fs.PathJoin(temp, fmt.Sprintf("%d-%s", f.next.Add(1), name))
	err := writeSynced(f.fs, temp, s.Open())
	if err == nil {
		err = f.fs.Rename(temp, f.fs.PathJoin(dir, name))
	}
	if err != nil {
		return errors.Join(err, ignoreMissing(f.fs.Remove(temp)))
	}
	// Sync all directories on the way: another call may have made one just now.
	for _, d := range []string{dir, f.dir, f.fs.PathDir(f.dir)} {
		if err := syncDir(f.fs, d); err != nil {
			return err
		}
	}
	return nil
}

// each calls what for every stone that has a file, in any order.
func (f *files) each(what func(stone.ID) error) error {
	dirs, err := f.fs.List(f.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		if dir == tempDir {
			continue
		}
		names, err := f.fs.List(f.fs.PathJoin(f.dir, dir))
		if err != nil {
			return err
		}
		for _, name := range names {
			if id, ok := parseStone(name); ok {
				if err := what(id); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// clear removes the unfinished files of a process that died.
func (f *files) clear() error { return f.fs.RemoveAll(f.fs.PathJoin(f.dir, tempDir)) }

// spoolFile is a history.SpoolFile. clear removes what a crash leaves.
type spoolFile struct {
	vfs.File
	fs   vfs.FS
	path string
}

// Close deletes the file.
func (f *spoolFile) Close() error { return errors.Join(f.File.Close(), f.fs.Remove(f.path)) }

// SpoolFile makes an empty file.
func (s *Store) SpoolFile() (out history.SpoolFile, err error) {
	err = s.calls.OnStore(context.Background(), "spool", func() error {
		if s.ReadOnly {
			return errors.New("the store is open for reading only")
		}
		dir := s.FS.PathJoin(s.files.dir, tempDir)
		if err := s.FS.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		path := s.FS.PathJoin(dir, fmt.Sprintf("%d-spool", s.files.next.Add(1)))
		f, err := s.FS.Create(path, vfs.WriteCategoryUnspecified)
		if err == nil {
			out = &spoolFile{f, s.FS, path}
		}
		return err
	})
	return out, err
}

// writeSynced writes and syncs a file. It copies the data first, because a vfs.File
// may change the bytes that it gets.
func writeSynced(on vfs.FS, path string, data *io.SectionReader) error {
	f, err := on.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	_, err = io.CopyBuffer(struct{ io.Writer }{f}, data, make([]byte, max(1, min(data.Size(), copyBytes))))
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

const copyBytes = 1 << 18

// writeFile writes a whole file under its name, on stable storage.
func writeFile(on vfs.FS, dir, name string, data []byte) error {
	path := on.PathJoin(dir, name)
	if err := writeSynced(on, path+".tmp", history.Stone{Data: data}.Open()); err != nil {
		return err
	}
	if err := on.Rename(path+".tmp", path); err != nil {
		return err
	}
	return syncDir(on, dir)
}

func syncDir(on vfs.FS, dir string) error {
	d, err := on.OpenDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func parseStone(s string) (stone.ID, bool) {
	id, err := history.ParseID(s)
	return stone.ID(id), err == nil
}
