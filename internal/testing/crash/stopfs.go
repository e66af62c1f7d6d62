package main

import (
	"math/rand/v2"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// stopFS calls a function before and after every sync.
type stopFS struct {
	vfs.FS
	at    func(column int, after bool)
	names sync.Locker // held while files lose their names
}

type stopFile struct {
	vfs.File
	at     func(column int, after bool)
	column int
}

func (f stopFS) file(name string, isDir bool, file vfs.File, err error) (vfs.File, error) {
	if err != nil {
		return nil, err
	}
	return stopFile{file, f.at, columnOf(name, isDir)}, nil
}

func (f stopFS) Unwrap() vfs.FS { return f.FS }

func (f stopFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	file, err := f.FS.Create(name, c)
	return f.file(name, false, file, err)
}

func (f stopFS) OpenReadWrite(name string, c vfs.DiskWriteCategory, o ...vfs.OpenOption) (vfs.File, error) {
	file, err := f.FS.OpenReadWrite(name, c, o...)
	return f.file(name, false, file, err)
}

func (f stopFS) ReuseForWrite(old, name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f.names.Lock()
	file, err := f.FS.ReuseForWrite(old, name, c)
	f.names.Unlock()
	return f.file(name, false, file, err)
}

func (f stopFS) OpenDir(name string) (vfs.File, error) {
	file, err := f.FS.OpenDir(name)
	return f.file(name, true, file, err)
}

func (f stopFS) Rename(old, name string) error {
	f.names.Lock()
	defer f.names.Unlock()
	return f.FS.Rename(old, name)
}

func (f stopFS) Remove(name string) error {
	f.names.Lock()
	defer f.names.Unlock()
	return f.FS.Remove(name)
}

func (f stopFS) RemoveAll(name string) error {
	f.names.Lock()
	defer f.names.Unlock()
	return f.FS.RemoveAll(name)
}

func (f stopFile) Sync() error {
	f.at(f.column, false)
	defer f.at(f.column, true)
	return f.File.Sync()
}

func (f stopFile) SyncData() error {
	f.at(f.column, false)
	defer f.at(f.column, true)
	return f.File.SyncData()
}

func (f stopFile) SyncTo(n int64) (bool, error) {
	f.at(f.column, false)
	defer f.at(f.column, true)
	return f.File.SyncTo(n)
}

// unlink removes from left, a clone of the synced part of live, some of the names
// that live no longer has. A disk may lose them without a sync, but the clone still
// has them.
func unlink(left, live *vfs.MemFS, dir string, rng *rand.Rand, percent int) error {
	names, err := left.List(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		path := left.PathJoin(dir, name)
		in, err := left.Stat(path)
		if err != nil {
			return err
		}
		switch _, gone := live.Stat(path); {
		case gone == nil && in.IsDir():
			err = unlink(left, live, path, rng, percent)
		case gone != nil && rng.IntN(100) < percent:
			err = left.RemoveAll(path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
