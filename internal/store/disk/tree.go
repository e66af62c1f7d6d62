package disk

import (
	"errors"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// eachFile calls what for every file below dir, with its path below dir.
func eachFile(on vfs.FS, dir, rel string, what func(rel string) error) error {
	path := on.PathJoin(dir, rel)
	in, err := on.Stat(path)
	if err != nil {
		return err
	}
	if !in.IsDir() {
		return what(rel)
	}
	names, err := on.List(path)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := eachFile(on, dir, on.PathJoin(rel, name), what); err != nil {
			return err
		}
	}
	return nil
}

// syncTree syncs all directories below dir.
func syncTree(on vfs.FS, dir string) error {
	dirs := map[string]bool{dir: true}
	err := eachFile(on, dir, "", func(rel string) error {
		for ; rel != "."; rel = on.PathDir(rel) {
			dirs[on.PathJoin(dir, on.PathDir(rel))] = true
		}
		return nil
	})
	for d := range dirs {
		err = errors.Join(err, syncDir(on, d))
	}
	return err
}

func sizeAt(on vfs.FS, path string) (int64, error) {
	in, err := on.Stat(path)
	if err != nil {
		return 0, err
	}
	return in.Size(), nil
}
