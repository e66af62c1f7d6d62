package disk_test

import "github.com/cockroachdb/pebble/v2/vfs"

// hookFS asks a function before every write and sync: an error is what they
// fail with.
type hookFS struct {
	vfs.FS
	before func(op string) error
}

type hookFile struct {
	vfs.File
	before func(op string) error
}

func (f hookFile) Write(b []byte) (int, error) {
	if err := f.before("write"); err != nil {
		return 0, err
	}
	return f.File.Write(b)
}

func (f hookFile) Sync() error {
	if err := f.before("sync"); err != nil {
		return err
	}
	return f.File.Sync()
}

func (f hookFile) SyncData() error {
	if err := f.before("sync"); err != nil {
		return err
	}
	return f.File.SyncData()
}

func (h hookFS) file(f vfs.File, err error) (vfs.File, error) {
	if err != nil {
		return nil, err
	}
	return hookFile{f, h.before}, nil
}

func (h hookFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return h.file(h.FS.Create(name, c))
}

func (h hookFS) OpenReadWrite(name string, c vfs.DiskWriteCategory, o ...vfs.OpenOption) (vfs.File, error) {
	return h.file(h.FS.OpenReadWrite(name, c, o...))
}

func (h hookFS) ReuseForWrite(old, name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return h.file(h.FS.ReuseForWrite(old, name, c))
}

func (h hookFS) OpenDir(name string) (vfs.File, error) { return h.file(h.FS.OpenDir(name)) }
