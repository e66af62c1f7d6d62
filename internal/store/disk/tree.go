package disk

import (
	"context"
	"errors"
	"io"

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

// linkOrCopy links to to the file from, or copies the file if there are no links.
func linkOrCopy(ctx context.Context, on vfs.FS, from, to string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if on.Link(from, to) == nil {
		return nil
	}
	return copyFile(ctx, on, from, to)
}

// copyFile copies a file and syncs the copy.
func copyFile(ctx context.Context, on vfs.FS, from, to string) error {
	source, err := on.Open(from, vfs.SequentialReadsOption)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := on.Create(to, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	if _, err = io.Copy(target, until{ctx, source}); err == nil {
		err = target.Sync()
	}
	return errors.Join(err, target.Close())
}

// until is a Reader that returns an error after its context has ended.
type until struct {
	ctx context.Context
	io.Reader
}

func (u until) Read(b []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.Reader.Read(b)
}
