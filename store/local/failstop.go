package local

import (
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// failure is why the Store stopped, if it did.
type failure struct {
	stopped chan struct{} // closed when it did

	mu  sync.Mutex
	err error
}

func (f *failure) get() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

func (f *failure) stop(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = err
		close(f.stopped)
	}
}

// failStop is the database's file system. A database that cannot write what it must
// ends the process. Here the write does not return instead, and the Store stops.
// What is not in dir is not the database's own.
type failStop struct {
	vfs.FS
	dir     string
	failure *failure
}

func (w failStop) pass(name string, err error) error {
	if err == nil || !strings.HasPrefix(name, w.dir) {
		return err
	}
	w.failure.stop(fmt.Errorf("stopped, since a write failed; what was acknowledged is there in a new process: %w", err))
	select {}
}

func (w failStop) file(name string, f vfs.File, err error) (vfs.File, error) {
	if err := w.pass(name, err); err != nil {
		return nil, err
	}
	return failStopFile{f, w, name}, nil
}

// Unwrap is for vfs.FS.
func (w failStop) Unwrap() vfs.FS { return w.FS }

// Create is for vfs.FS. A marker names a file that the database has made before;
// where a directory's entries may reach the disk in any order, it must not be there
// without that file.
func (w failStop) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if strings.HasPrefix(w.PathBase(name), "marker.") {
		if err := w.pass(name, syncDir(w.FS, w.PathDir(name))); err != nil {
			return nil, err
		}
	}
	f, err := w.FS.Create(name, c)
	return w.file(name, f, err)
}

// OpenReadWrite is for vfs.FS.
func (w failStop) OpenReadWrite(name string, c vfs.DiskWriteCategory, o ...vfs.OpenOption) (vfs.File, error) {
	f, err := w.FS.OpenReadWrite(name, c, o...)
	return w.file(name, f, err)
}

// ReuseForWrite is for vfs.FS.
func (w failStop) ReuseForWrite(old, name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := w.FS.ReuseForWrite(old, name, c)
	return w.file(name, f, err)
}

// OpenDir is for vfs.FS.
func (w failStop) OpenDir(name string) (vfs.File, error) {
	f, err := w.FS.OpenDir(name)
	return w.file(name, f, err)
}

// Rename is for vfs.FS.
func (w failStop) Rename(old, name string) error { return w.pass(name, w.FS.Rename(old, name)) }

// MkdirAll is for vfs.FS.
func (w failStop) MkdirAll(name string, mode os.FileMode) error {
	return w.pass(name, w.FS.MkdirAll(name, mode))
}

type failStopFile struct {
	vfs.File
	failStop failStop
	name     string
}

// Write is for vfs.File.
func (f failStopFile) Write(b []byte) (int, error) {
	n, err := f.File.Write(b)
	return n, f.failStop.pass(f.name, err)
}

// WriteAt is for vfs.File.
func (f failStopFile) WriteAt(b []byte, at int64) (int, error) {
	n, err := f.File.WriteAt(b, at)
	return n, f.failStop.pass(f.name, err)
}

// Preallocate is for vfs.File.
func (f failStopFile) Preallocate(at, n int64) error {
	return f.failStop.pass(f.name, f.File.Preallocate(at, n))
}

// Sync is for vfs.File.
func (f failStopFile) Sync() error { return f.failStop.pass(f.name, f.File.Sync()) }

// SyncData is for vfs.File.
func (f failStopFile) SyncData() error { return f.failStop.pass(f.name, f.File.SyncData()) }

// SyncTo is for vfs.File.
func (f failStopFile) SyncTo(n int64) (bool, error) {
	full, err := f.File.SyncTo(n)
	return full, f.failStop.pass(f.name, err)
}
