package port

import (
	"context"
	"errors"
	"os"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/stone/whole"
	"github.com/cairnvoxel/cairn/stone"
)

// Parts returns the world, passed through the given Sink, to be read in parts. Beyond
// Options.Memory it lies in temporary files until the Source is closed. If chunks are damaged
// it returns the world without them and a *format.DamageError.
func (s *Opened) Parts(ctx context.Context, through Through) (stone.Content, error) {
	c, src := s.Content(), s.leaf
	if c != nil && through == nil {
		return c, nil
	}
	if c != nil {
		src = convert.Source(c)
	}
	l := convert.NewLoader(src.Head())
	s.loaders = append(s.loaders, l)
	if s.o.Memory > 0 {
		l.Spill(ctx, convert.Spill{Memory: s.o.Memory, File: s.o.tempFile})
	} else {
		l.Bound(s.o.MaxBytes)
	}
	err := src.Read(ctx, through.sink(l))
	if damage := (*format.DamageError)(nil); err != nil && !errors.As(err, &damage) {
		return nil, err
	}
	c, failed := l.Content()
	if failed != nil {
		return nil, failed
	}
	return c, err
}

// Temp is a temporary file: written from the beginning, then read. Close deletes it.
type Temp = whole.TempFile

// tempFile makes a temporary file for parts that do not fit into memory.
func (o Options) tempFile() (whole.TempFile, error) {
	if o.File != nil {
		return o.File()
	}
	return TempFile("")
}

// TempFile makes an empty file in a folder, the system's for temporary files if dir is empty.
// Close deletes it. Where the system allows it, a crash leaves nothing either.
func TempFile(dir string) (whole.TempFile, error) {
	f, err := os.CreateTemp(dir, ".cairn-*.tmp")
	if err != nil {
		return nil, err
	}
	t := &tempFile{File: f}
	t.gone = os.Remove(f.Name()) == nil
	return t, nil
}

// tempFile is a file that Close deletes unless it is gone already.
type tempFile struct {
	*os.File
	gone bool
}

// Close closes and deletes the file.
func (t *tempFile) Close() error {
	err := t.File.Close()
	if !t.gone {
		t.gone = true
		err = errors.Join(err, os.Remove(t.Name()))
	}
	return err
}
