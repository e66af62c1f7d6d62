package ledger

import (
	"strings"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// files are the files of a state. Pebble wants the process to end if a manifest cannot be
// written, since it does not know then what is on the disk. A state may be lost, so here
// such a failure only marks it as broken. From then on manifests are not written and not
// deleted anymore: the one on the disk is of an earlier moment, without gaps.
type files struct {
	vfs.FS
	broken *atomic.Bool
}

// isManifest reports whether a file says which other files count.
func (f files) isManifest(path string) bool {
	name := f.PathBase(path)
	return strings.HasPrefix(name, "MANIFEST-") || strings.HasPrefix(name, "marker.")
}

// Unwrap is for vfs.FS.
func (f files) Unwrap() vfs.FS { return f.FS }

// Create is for vfs.FS.
func (f files) Create(path string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if !f.isManifest(path) {
		return f.FS.Create(path, c)
	}
	if !f.broken.Load() {
		file, err := f.FS.Create(path, c)
		if err == nil {
			return manifest{file, f.broken}, nil
		}
		f.broken.Store(true)
	}
	file, err := vfs.NewMem().Create(f.PathBase(path), c)
	return manifest{file, f.broken}, err
}

// OpenDir is for vfs.FS.
func (f files) OpenDir(path string) (vfs.File, error) {
	dir, err := f.FS.OpenDir(path)
	if err != nil {
		return nil, err
	}
	return manifest{dir, f.broken}, nil
}

// Remove is for vfs.FS.
func (f files) Remove(path string) error {
	if f.isManifest(path) && f.broken.Load() {
		return nil // it goes with the directory
	}
	return f.FS.Remove(path)
}

// manifest is a manifest, or a directory, of files.
type manifest struct {
	vfs.File
	broken *atomic.Bool
}

// try makes a call that changes the file, unless the state is broken. If it fails the state
// is broken.
func (m manifest) try(call func() error) error {
	if !m.broken.Load() && call() != nil {
		m.broken.Store(true)
	}
	return nil
}

// Write is for vfs.File.
func (m manifest) Write(b []byte) (int, error) {
	return len(b), m.try(func() error { _, err := m.File.Write(b); return err })
}

// Preallocate is for vfs.File.
func (m manifest) Preallocate(offset, length int64) error {
	return m.try(func() error { return m.File.Preallocate(offset, length) })
}

// Sync is for vfs.File.
func (m manifest) Sync() error { return m.try(m.File.Sync) }

// SyncData is for vfs.File.
func (m manifest) SyncData() error { return m.try(m.File.SyncData) }

// SyncTo is for vfs.File.
func (m manifest) SyncTo(length int64) (full bool, err error) {
	return full, m.try(func() (err error) { full, err = m.File.SyncTo(length); return err })
}

// Close is for vfs.File.
func (m manifest) Close() error {
	if err := m.File.Close(); err != nil {
		m.broken.Store(true)
	}
	return nil
}
