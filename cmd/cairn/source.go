package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cairnvoxel/cairn/convert"
	"github.com/cairnvoxel/cairn/internal/atomicfile"
	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/port"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/world"
)

// source is an opened SRC or WORLD.
type source struct {
	*port.Source
	path  string
	bytes int64    // of the file or the stone; 0 for a folder
	kept  *version // of a world of the store

	snapshot *world.Snapshot // of kept
}

// Close closes files, and the version of a world of the store.
func (s *source) Close() error {
	err := s.Source.Close()
	if s.snapshot != nil {
		err = errors.Join(err, s.snapshot.Close())
	}
	return err
}

// openSource opens the world at path, in whichever format its content says, or
// of an address in the store. With salvage, chunks of a folder that cannot be
// read come as they are stored.
func openSource(ctx context.Context, sf *storeFlag, path string, salvage bool) (*source, error) {
	if isAddress(path) {
		return openKept(ctx, sf, path)
	}
	s, err := port.Open(path, port.Options{Salvage: salvage})
	if err == nil {
		return &source{Source: s, path: path, bytes: s.Size()}, nil
	}
	if _, no := os.Stat(filepath.Join(path, "STORE")); no == nil {
		return nil, usagef("%s: no world but a store, which is written %s%[1]s", path, localScheme)
	}
	if _, ofPath := err.(*fs.PathError); ofPath {
		err = about(path, err)
	}
	if errors.Is(err, port.ErrTooLarge) {
		err = fmt.Errorf("%w; unpack it first", err)
	}
	return nil, err
}

// load reads the whole world into memory. through, unless nil, returns a Sink
// that stands before the one that builds the world. Where chunks are damaged it
// returns the world without them and a *format.DamageError.
func (s *source) load(ctx context.Context, through port.Through) (*convert.World, error) {
	if s.Content() == nil || through != nil {
		p := console.NewProgress()
		defer p.Done()
		through = p.Through("reading", through)
	}
	w, err := s.Load(ctx, through)
	if err != nil {
		err = fmt.Errorf("%s: %w", s.path, err)
	}
	return w, err
}

// withWorld opens the world at path, or of an address, reads all of it and hands both to do.
func withWorld(ctx context.Context, sf *storeFlag, path string, salvage bool, do func(*source, *convert.World) error) error {
	src, err := openSource(ctx, sf, path, salvage)
	if err != nil {
		return err
	}
	defer src.Close()
	w, err := src.load(ctx, nil)
	if err != nil {
		return err
	}
	return do(src, w)
}

// withContent is withWorld that reads no more of a stone, or of a version in the store,
// than do asks for.
func withContent(ctx context.Context, sf *storeFlag, path string, salvage bool, do func(*source, stone.Content) error) error {
	src, err := openSource(ctx, sf, path, salvage)
	if err != nil {
		return err
	}
	defer src.Close()
	c := src.Content()
	if c == nil {
		w, err := src.load(ctx, nil)
		if err != nil {
			return err
		}
		c = w.Content()
	}
	return do(src, c)
}

// isWorld checks that path may name a WORLD that is to be made.
func isWorld(path string) error {
	if isAddress(path) {
		_, err := parseName(path)
		return err
	}
	if filepath.Ext(path) != port.Ext || filepath.Base(path) == port.Ext {
		return usagef("%s: the path of a world ends in %s, or it is @name", path, port.Ext)
	}
	return nil
}

// isNew checks that nothing is at a path.
func isNew(path string) error {
	_, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = fs.ErrExist
	}
	return about(path, err)
}

// replaceable checks that a file may be made at a path: nothing is there, or a
// file that may go.
func replaceable(path string, force bool) error {
	err := isNew(path)
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

// about returns why something cannot be done to path, without the words of the
// system call that said so.
func about(path string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// mayMake checks that a file may be made at path from the world src.
func mayMake(path, src string, force bool) error {
	if err := replaceable(path, force); err != nil || isAddress(src) {
		return err
	}
	return outside(path, src)
}

// outside checks that path does not lie in the folder src, because a source is never
// written to.
func outside(path, src string) error {
	from, err := realPath(src)
	if err != nil {
		return about(src, err)
	}
	to, err := realPath(filepath.Dir(path))
	if err != nil {
		return about(filepath.Dir(path), err)
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

// writeFile creates the file at path with what write writes. The file appears only when
// it is complete and on stable storage.
func writeFile(path string, write func(io.Writer) error) (n int64, err error) {
	file, err := atomicfile.NewFile(path)
	if err != nil {
		return 0, about(path, err)
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
		return 0, about(path, err)
	}
	return n, nil
}
