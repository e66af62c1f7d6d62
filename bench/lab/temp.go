package lab

import (
	"errors"
	"os"

	"github.com/cairnvoxel/cairn/store/local"
)

// InTemp calls f with a directory and then removes it.
func InTemp(f func(dir string) error) error {
	dir, err := os.MkdirTemp("", "cairn-bench-")
	if err != nil {
		return err
	}
	return errors.Join(f(dir), os.RemoveAll(dir))
}

// InStore calls f with a fresh store in a directory, and then removes the directory.
func InStore(f func(st *local.Store, dir string) error) error {
	return InTemp(func(dir string) error {
		st, err := local.Open(dir, local.Options{})
		if err == nil {
			err = errors.Join(f(st, dir), st.Close())
		}
		return err
	})
}
