package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cairnvoxel/cairn/convert"
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
func openSource(ctx context.Context, d *depot, path string, salvage bool) (*source, error) {
	if isAddress(path) {
		return openKept(ctx, d, path)
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
		p := newProgress()
		defer p.done()
		through = p.through("reading", through)
	}
	w, err := s.Load(ctx, through)
	if err != nil {
		err = fmt.Errorf("%s: %w", s.path, err)
	}
	return w, err
}

// withWorld opens the world at path, or of an address, reads all of it and hands both to do.
func withWorld(ctx context.Context, d *depot, path string, salvage bool, do func(*source, *convert.World) error) error {
	src, err := openSource(ctx, d, path, salvage)
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
func withContent(ctx context.Context, d *depot, path string, salvage bool, do func(*source, stone.Content) error) error {
	src, err := openSource(ctx, d, path, salvage)
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
