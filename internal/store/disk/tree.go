package disk

import (
	"errors"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// syncTree syncs dir and all directories below it.
func syncTree(on vfs.FS, dir string) error {
	in, err := on.Stat(dir)
	if err != nil || !in.IsDir() {
		return err
	}
	names, err := on.List(dir)
	for _, name := range names {
		err = errors.Join(err, syncTree(on, on.PathJoin(dir, name)))
	}
	return errors.Join(err, syncDir(on, dir))
}

func sizeAt(on vfs.FS, path string) (int64, error) {
	in, err := on.Stat(path)
	if err != nil {
		return 0, err
	}
	return in.Size(), nil
}
