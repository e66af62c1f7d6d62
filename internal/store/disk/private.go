package disk

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// privateFS is the disk. Only the owner may use the files and directories that it makes.
type privateFS struct{ vfs.FS }

func (p privateFS) Unwrap() vfs.FS { return p.FS }

func (p privateFS) MkdirAll(dir string, _ fs.FileMode) error { return p.FS.MkdirAll(dir, 0o700) }

func (p privateFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := p.FS.Create(name, c)
	return p.private(name, f, err)
}

func (p privateFS) OpenReadWrite(name string, c vfs.DiskWriteCategory, o ...vfs.OpenOption) (vfs.File, error) {
	f, err := p.FS.OpenReadWrite(name, c, o...)
	return p.private(name, f, err)
}

func (p privateFS) Lock(name string) (io.Closer, error) {
	l, err := p.FS.Lock(name)
	if err == nil {
		if err = private(name); err != nil {
			err = errors.Join(err, l.Close())
		}
	}
	return l, err
}

func (p privateFS) private(name string, f vfs.File, err error) (vfs.File, error) {
	if err != nil {
		return nil, err
	}
	if err := private(name); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// private takes the rights of others from a new file. A file system without rights says that
// it cannot: there the directory is all that protects files.
func private(name string) error {
	err := os.Chmod(name, 0o600)
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EPERM) {
		return nil
	}
	return err
}
