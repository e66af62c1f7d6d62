package disk

import (
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// failure holds the reason why the Store stopped, if it did.
type failure struct {
	stopped chan struct{} // closed when the Store stops

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

// failStop is the file system of the database. If the database cannot write, it
// ends the process. Here a failed write does not return; instead the Store stops.
// Files outside of dir are not the database's own.
type failStop struct {
	vfs.FS
	dir     string
	failure *failure
}

func (w failStop) pass(name string, err error) error {
	if err == nil || !strings.HasPrefix(name, w.dir) {
		return err
	}
	w.failure.stop(fmt.Errorf("stopped, because a write failed; a new process can open the store and has all acknowledged data: %w", err))
	select {}
}

func (w failStop) file(name string, f vfs.File, err error) (vfs.File, error) {
	if err := w.pass(name, err); err != nil {
		return nil, err
	}
	return failStopFile{f, w, name}, nil
}

func (w failStop) Unwrap() vfs.FS { return w.FS }

// Create is for vfs.FS. A file called marker names a file that the database made
// before. The entries of a directory may reach the disk in any order, so the
// directory is synced first: otherwise the marker could exist without that file.
func (w failStop) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if strings.HasPrefix(w.PathBase(name), "marker.") {
		if err := w.pass(name, syncDir(w.FS, w.PathDir(name))); err != nil {
			return nil, err
		}
	}
	f, err := w.FS.Create(name, c)
	return w.file(name, f, err)
}

func (w failStop) OpenReadWrite(name string, c vfs.DiskWriteCategory, o ...vfs.OpenOption) (vfs.File, error) {
	f, err := w.FS.OpenReadWrite(name, c, o...)
	return w.file(name, f, err)
}

func (w failStop) ReuseForWrite(old, name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := w.FS.ReuseForWrite(old, name, c)
	return w.file(name, f, err)
}

func (w failStop) OpenDir(name string) (vfs.File, error) {
	f, err := w.FS.OpenDir(name)
	return w.file(name, f, err)
}

func (w failStop) Rename(old, name string) error { return w.pass(name, w.FS.Rename(old, name)) }

func (w failStop) MkdirAll(name string, mode os.FileMode) error {
	return w.pass(name, w.FS.MkdirAll(name, mode))
}

type failStopFile struct {
	vfs.File
	failStop failStop
	name     string
}

func (f failStopFile) Write(b []byte) (int, error) {
	n, err := f.File.Write(b)
	return n, f.failStop.pass(f.name, err)
}

func (f failStopFile) WriteAt(b []byte, at int64) (int, error) {
	n, err := f.File.WriteAt(b, at)
	return n, f.failStop.pass(f.name, err)
}

func (f failStopFile) Preallocate(at, n int64) error {
	return f.failStop.pass(f.name, f.File.Preallocate(at, n))
}

func (f failStopFile) Sync() error { return f.failStop.pass(f.name, f.File.Sync()) }

func (f failStopFile) SyncData() error { return f.failStop.pass(f.name, f.File.SyncData()) }

func (f failStopFile) SyncTo(n int64) (bool, error) {
	full, err := f.File.SyncTo(n)
	return full, f.failStop.pass(f.name, err)
}
