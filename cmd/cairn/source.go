package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cairnvoxel/cairn/internal/atomicfile"
	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/world"
)

// source is an open SRC or WORLD.
type source struct {
	*port.Opened
	path   string
	bytes  int64    // of the file or the stone; 0 for a folder
	commit *version // nil unless it is in the store

	snapshot *world.Snapshot // of commit
}

// Close closes the files or the snapshot.
func (s *source) Close() error {
	err := s.Opened.Close()
	if s.snapshot != nil {
		err = errors.Join(err, s.snapshot.Close())
	}
	return err
}

// options returns the options of a world that is read within --memory. sf may be nil.
func (sf *storeFlag) options() (o port.Options) {
	if sf != nil {
		o.Memory, o.File, o.Live, o.Palette = sf.memory.world(), sf.tempFile, sf.live, sf.shown
	}
	return o
}

// openSource opens the world at a path or an address. The content of a file or folder
// decides on its format. With salvage, damaged chunks of a folder are kept as they are
// stored.
func openSource(ctx context.Context, sf *storeFlag, path string, salvage bool) (*source, error) {
	if isAddress(path) {
		return openVersion(ctx, sf, path)
	}
	o := sf.options()
	o.Salvage = salvage
	s, err := port.Open(path, o)
	if err == nil {
		return &source{Opened: s, path: path, bytes: s.Size()}, nil
	}
	return nil, sourceError(path, err)
}

// sourceError returns the error of opening a path in words for people.
func sourceError(path string, err error) error {
	if _, no := os.Stat(filepath.Join(path, "STORE")); no == nil {
		return usagef("%s: this is not a world but a store; write %s%[1]s", path, localScheme)
	}
	if _, ofPath := err.(*fs.PathError); ofPath {
		err = pathError(path, err)
	}
	if errors.Is(err, port.ErrTooLarge) {
		err = fmt.Errorf("%w; unpack it first", err)
	}
	return err
}

// parts returns the world to be read in parts. What does not fit into memory lies in temporary
// files until the source is closed. If chunks are damaged, parts returns the world without them
// and a *format.DamageError.
func (s *source) parts(ctx context.Context, through port.Through) (stone.Content, error) {
	if s.Content() == nil || through != nil {
		p := console.NewProgress()
		defer p.Done()
		through = p.Through("reading "+console.Line(filepath.Base(s.path))+":", through)
	}
	c, err := s.Parts(ctx, through)
	if err != nil {
		err = fmt.Errorf("%s: %w", s.path, err)
	}
	return c, err
}

// notes returns what is odd in a world that was read, w.
func (s *source) notes(w stone.Content) []string {
	notes := s.Remarks().Notes
	if remark, _ := port.LevelRemark(w); remark != "" {
		notes = append(notes, remark)
	}
	return notes
}

// withContent opens the world at a path or an address and calls do, which reads what it
// needs.
func withContent(ctx context.Context, sf *storeFlag, path string, salvage bool, do func(*source, stone.Content) error) error {
	src, err := openSource(ctx, sf, path, salvage)
	if err != nil {
		return err
	}
	defer src.Close()
	c, err := src.parts(ctx, nil)
	if err != nil {
		return err
	}
	return do(src, c)
}

// checkWorldPath checks that path can name a new WORLD.
func checkWorldPath(path string) error {
	if isAddress(path) {
		_, err := parseName(path)
		return err
	}
	if filepath.Ext(path) != port.Ext || filepath.Base(path) == port.Ext {
		return usagef("%s: want @name, or a path that ends in %s", path, port.Ext)
	}
	return nil
}

// checkNew checks that nothing is at a path.
func checkNew(path string) error {
	_, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return checkParent(path)
	}
	if err == nil {
		err = fs.ErrExist
	}
	return pathError(path, err)
}

// checkParent checks that the folder of a path is there, in which something new begins.
func checkParent(path string) error {
	dir := filepath.Dir(filepath.Clean(path))
	if _, err := os.Stat(dir); err != nil {
		return fmt.Errorf("%w; make this folder first", pathError(dir, err))
	}
	return nil
}

// checkReplaceable checks that a file may be made at a path: there is nothing, or with
// force a file.
func checkReplaceable(path string, force bool) error {
	err := checkNew(path)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	if info, _ := os.Lstat(path); info != nil && info.IsDir() {
		return fmt.Errorf("%s: is a folder", path)
	}
	if !force {
		return fmt.Errorf("%w; --force replaces it", err)
	}
	return nil
}

// pathError returns err with the path that the user gave, in place of the system call and
// path of a *fs.PathError.
func pathError(path string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// checkOutput checks that a file may be made at path from the world src.
func checkOutput(path, src string, force bool) error {
	if err := checkReplaceable(path, force); err != nil || isAddress(src) {
		return err
	}
	return outside(path, src)
}

// outside checks that path does not lie in the folder src, because a source is never
// written to.
func outside(path, src string) error {
	from, err := realPath(src)
	if err != nil {
		return pathError(src, err)
	}
	dir := filepath.Dir(filepath.Clean(path))
	to, err := realPath(dir)
	if err != nil {
		return cmp.Or(checkParent(path), pathError(dir, err))
	}
	if rel, err := filepath.Rel(from, to); err == nil && filepath.IsLocal(rel) {
		return usagef("%s lies in %s, which cairn only reads", path, src)
	}
	return nil
}

func realPath(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// writeFile creates the file at path and has write fill it. The file appears only when
// it is complete and on stable storage.
func writeFile(path string, write func(io.Writer) error) (n int64, err error) {
	file, err := atomicfile.NewFile(path, 0o666)
	if err != nil {
		return 0, pathError(path, err)
	}
	defer file.Abort()
	p := console.NewProgress()
	defer p.Done()
	buffered := bufio.NewWriterSize(p.Writer(file.File), 1<<20)
	err = write(buffered)
	if err == nil {
		err = buffered.Flush()
	}
	if err == nil {
		n, err = file.File.Seek(0, io.SeekEnd)
	}
	if err == nil {
		err = file.Commit()
	}
	if err != nil {
		return 0, pathError(path, err)
	}
	return n, nil
}
