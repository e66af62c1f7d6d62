package ledger

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/record"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/atomicfs"
)

// errBroken says that the cache cannot be written or read, or is damaged.
var errBroken = errors.New("its files failed")

// failure is the first error of the files of a state. A state with a failure is broken.
type failure struct{ first atomic.Pointer[error] }

func (f *failure) set(err error) { f.first.CompareAndSwap(nil, &err) }

// get returns the error as an errBroken, or nil.
func (f *failure) get() error {
	if err := f.first.Load(); err != nil {
		return fmt.Errorf("%w: %w", errBroken, *err)
	}
	return nil
}

// files are the files of a state. Pebble wants the process to end if a manifest cannot be
// written, since it does not know then what is on the disk. A state may be lost, so here
// such a failure only breaks it. From then on manifests are not written and not deleted
// anymore: the one on the disk is of an earlier moment, without gaps.
type files struct {
	vfs.FS
	failure *failure
}

// isManifest reports whether a file says which other files count.
func (f files) isManifest(path string) bool {
	name := f.PathBase(path)
	return strings.HasPrefix(name, "MANIFEST-") || strings.HasPrefix(name, "marker.")
}

func (f files) Unwrap() vfs.FS { return f.FS }

func (f files) Create(path string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if !f.isManifest(path) {
		return f.FS.Create(path, c)
	}
	if f.failure.get() == nil {
		file, err := f.FS.Create(path, c)
		if err == nil {
			return manifest{file, f.failure}, nil
		}
		f.failure.set(err)
	}
	file, err := vfs.NewMem().Create(f.PathBase(path), c)
	return manifest{file, f.failure}, err
}

func (f files) Open(path string, opts ...vfs.OpenOption) (vfs.File, error) {
	file, err := f.FS.Open(path, opts...)
	if err != nil {
		return nil, err
	}
	return table{file, f.failure}, nil
}

func (f files) OpenDir(path string) (vfs.File, error) {
	dir, err := f.FS.OpenDir(path)
	if err != nil {
		return nil, err
	}
	return manifest{dir, f.failure}, nil
}

func (f files) Remove(path string) error {
	if f.isManifest(path) && f.failure.get() != nil {
		return nil // it goes with the directory
	}
	return f.FS.Remove(path)
}

// table is a file of files that is read.
type table struct {
	vfs.File
	failure *failure
}

// ReadAt is for vfs.File. Nothing is read that is not there, so io.EOF is a failure too.
func (t table) ReadAt(b []byte, at int64) (int, error) {
	n, err := t.File.ReadAt(b, at)
	if err != nil && n < len(b) {
		t.failure.set(err)
	}
	return n, err
}

// manifest is a manifest, or a directory, of files.
type manifest struct {
	vfs.File
	failure *failure
}

// try makes a call that changes the file, unless the state is broken.
func (m manifest) try(call func() error) error {
	if m.failure.get() == nil {
		if err := call(); err != nil {
			m.failure.set(err)
		}
	}
	return nil
}

func (m manifest) Write(b []byte) (int, error) {
	return len(b), m.try(func() error { _, err := m.File.Write(b); return err })
}

func (m manifest) Preallocate(offset, length int64) error {
	return m.try(func() error { return m.File.Preallocate(offset, length) })
}

func (m manifest) Sync() error { return m.try(m.File.Sync) }

func (m manifest) SyncData() error { return m.try(m.File.SyncData) }

func (m manifest) SyncTo(length int64) (full bool, err error) {
	return full, m.try(func() (err error) { full, err = m.File.SyncTo(length); return err })
}

func (m manifest) Close() error {
	if err := m.File.Close(); err != nil {
		m.failure.set(err)
	}
	return nil
}

// checkManifest returns an error if the manifest of a directory is damaged. Pebble takes
// a bad record for the end of the manifest: it would open tables of several moments.
func checkManifest(from vfs.FS, dir string) error {
	name, err := atomicfs.ReadMarker(from, dir, "manifest")
	if err == nil && name == "" {
		err = errors.New("it has no manifest: it was never finished")
	}
	if err != nil {
		return err
	}
	f, err := from.Open(from.PathJoin(dir, name))
	if err != nil {
		return err
	}
	defer f.Close()
	r := record.NewReader(f, 0)
	for n := 0; ; n++ {
		edit, err := r.Next()
		if err == io.EOF && n < 2 {
			return fmt.Errorf("%s: %d records: it was never finished", name, n)
		}
		if err == io.EOF {
			return nil
		}
		if err == nil {
			_, err = io.Copy(io.Discard, edit)
		}
		if err != nil {
			return fmt.Errorf("%s: record %d: %w", name, n, err)
		}
	}
}
