package anvil

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"github.com/cairnvoxel/cairn/internal/format"
)

// File writes a file of the world. It leaves a file out whose path is not format.IsPath or one that this system cannot
// have, or that is the same file here as one before, because the system ignores case. If the
// same region file has chunks, they replace a file without chunks.
func (w *FolderWriter) File(f format.File) error {
	switch {
	case !format.IsPath(f.Path):
		w.lost[fmt.Sprintf("file %q, whose path is not clean", f.Path)]++
		return nil
	case !format.FitsSystem(f.Path, w.o.System):
		w.lost[fmt.Sprintf("file %q, whose name this system cannot have", f.Path)]++
		return nil
	}
	size, ok := w.made[f.Path]
	if _, _, _, region := placeOf(f.Path, w.ext); ok && size < 0 && region && f.Size <= headerSize {
		return nil
	}
	if ok {
		return fmt.Errorf("anvil: write: file %q: %w", f.Path, ErrTwice)
	}
	r, err := f.Open()
	if err != nil {
		return fmt.Errorf("anvil: write: file %q: %w", f.Path, err)
	}
	defer r.Close()
	err = w.create(f.Path, f.Size, os.O_EXCL, &format.Bounded{R: r, Left: format.MaxFile, Err: format.ErrLong})
	if info, _ := w.root.Stat(f.Path); errors.Is(err, fs.ErrExist) && info != nil && info.Mode().IsRegular() {
		w.lost[fmt.Sprintf("file %q, whose name another file has on this system", f.Path)]++
		return nil
	}
	if err != nil {
		return fmt.Errorf("anvil: write: file %q: %w", f.Path, err)
	}
	return nil
}

// create writes a file below the root, with its folders. flag is os.O_EXCL or os.O_TRUNC.
func (w *FolderWriter) create(name string, size int64, flag int, r io.Reader) (err error) {
	if dir := path.Dir(name); dir != "." {
		if err := w.root.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	f, err := w.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|flag, 0o644)
	if err != nil {
		return err
	}
	defer func() {
		if e := f.Close(); err == nil {
			err = e
		}
	}()
	w.made[name] = size
	b := bufio.NewWriterSize(f, 1<<16)
	if _, err := io.Copy(b, r); err != nil {
		return err
	}
	return b.Flush()
}

// Close writes the rest. After it the world is complete.
func (w *FolderWriter) Close() error {
	defer w.root.Close()
	if len(w.o.LevelName) > maxName {
		return fmt.Errorf("anvil: write: level.dat: %w", errLong)
	}
	if err := w.flush(); err != nil {
		return err
	}
	if _, ok := w.made[LevelPath]; ok || w.o.LevelName == "" {
		return nil
	}
	l := w.o.Facts
	l.Name = w.o.LevelName
	if w.version > 0 {
		l.Version = w.version
	}
	if err := w.create(LevelPath, -1, os.O_TRUNC, bytes.NewReader(AppendLevel(nil, l))); err != nil {
		return fmt.Errorf("anvil: write: %w", err)
	}
	return nil
}

// Abort gives up. What was written stays; the caller removes it.
func (w *FolderWriter) Abort() error {
	clear(w.regions)
	return w.root.Close()
}
