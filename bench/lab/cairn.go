package lab

import (
	"context"
	"path/filepath"
	"strings"
)

// project is the module that the command belongs to.
const project = "github.com/cairnvoxel/cairn"

// WithCairn calls f with a directory that goes afterwards, and with the command's file
// in the options: it is built if none is there.
func WithCairn(ctx context.Context, o Options, f func(o Options, dir string) error) error {
	return InTemp(func(dir string) error {
		if o.Cairn == "" {
			o.Step(0, 0, "building the command")
			var err error
			if o.Cairn, err = BuildCairn(ctx, dir); err != nil {
				return err
			}
		}
		return f(o, dir)
	})
}

// BuildCairn builds the command into dir and returns its file. The working directory is
// within a module that needs this project.
func BuildCairn(ctx context.Context, dir string) (file string, err error) {
	out, _, err := Run(ctx, "", "go", "list", "-m", "-f", "{{.Dir}}", project)
	if err != nil {
		return "", err
	}
	file = filepath.Join(dir, "cairn.exe")
	_, _, err = Run(ctx, "", "go", "build", "-C", strings.TrimSpace(out), "-o", file, "./cmd/cairn")
	return file, err
}
