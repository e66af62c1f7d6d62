package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cairnvoxel/cairn/convert"
	"github.com/cairnvoxel/cairn/format"
	"github.com/cairnvoxel/cairn/format/anvil"
	"github.com/cairnvoxel/cairn/format/slime"
	"github.com/cairnvoxel/cairn/stone"
)

// worldExt is how the path of a WORLD ends.
const worldExt = ".cairn"

// stoneMagic is how a stone begins.
const stoneMagic = "CAIRN\n\x1a"

// source is an opened SRC or WORLD: a stone, or a world in another format.
type source struct {
	path  string
	bytes int64         // of the file or the stone; 0 for a folder
	stone *stone.Reader // nil unless the source is a stone
	leaf  format.Source // nil if it is
	file  *os.File      // nil for a folder and a world of the store
	kept  *version      // of a world of the store
}

// openSource opens the world at path, in whichever format its content says, or
// of an address in the store. With salvage, chunks of a folder that cannot be
// read come as they are stored.
func openSource(ctx context.Context, d *depot, path string, salvage bool) (*source, error) {
	if isAddress(path) {
		return openKept(ctx, d, path)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, about(path, err)
	}
	if info.IsDir() {
		w, err := anvil.Open(path, anvil.Options{Salvage: salvage})
		if _, no := os.Stat(filepath.Join(path, "STORE")); err != nil && no == nil {
			return nil, usagef("%s: no world but a store, which is written %s%[1]s", path, localScheme)
		}
		if err != nil {
			return nil, err
		}
		return &source{path: path, leaf: w}, nil
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: neither a file nor a folder", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, about(path, err)
	}
	s := &source{path: path, bytes: info.Size(), file: f}
	if err := s.detect(f, info.Size(), salvage); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// detect finds out the format of a file by how it begins.
func (s *source) detect(r io.ReaderAt, size int64, salvage bool) (err error) {
	head := make([]byte, min(size, 512))
	if _, err := r.ReadAt(head, 0); err != nil && err != io.EOF {
		return err
	}
	switch {
	case bytes.HasPrefix(head, []byte(stoneMagic)), len(head) > 0 && strings.HasPrefix(stoneMagic, string(head)): // or cut within
		s.stone, err = stone.Open(r, size)
	case slime.Detect(head):
		s.leaf, err = slime.New(r, size)
	case isArchive(head):
		return s.unpack(r, size, head, salvage)
	default:
		return unknown(head)
	}
	return err
}

func unknown(head []byte) error {
	switch {
	case len(head) == 0:
		return errors.New("the file is empty")
	case head[0] == 0x0A || bytes.HasPrefix(head, []byte{0x1F, 0x8B}):
		return errors.New("a file of tags, such as a level.dat or a schematic, and no whole world; of a world, give the folder")
	}
	return fmt.Errorf("in no format that cairn knows: it begins with %q", head[:min(len(head), 8)])
}

// Close releases files.
func (s *source) Close() error {
	if s.leaf != nil {
		defer s.leaf.Close()
	}
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

// load reads the whole world into memory. through, unless nil, returns a Sink
// that stands before the one that builds the world. Where chunks are damaged it
// returns the world without them and a *format.DamageError.
func (s *source) load(ctx context.Context, through func(format.Sink) format.Sink) (w *convert.World, err error) {
	switch {
	case s.stone == nil:
		w, err = build(ctx, "reading", s.leaf, through)
	default:
		if w, err = convert.FromStone(ctx, s.stone); err == nil && through != nil {
			w, err = build(ctx, "reading", w.Source(), through)
		}
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", s.path, err)
	}
	return w, err
}

// build makes a world in memory of a source.
func build(ctx context.Context, what string, src format.Source, through func(format.Sink) format.Sink) (*convert.World, error) {
	l := convert.NewLoader(src.Head())
	sink := format.Sink(l)
	if through != nil {
		sink = through(sink)
	}
	err := read(ctx, src, what, sink)
	return l.World(), err
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

// format says in one or two words what the source is.
func (s *source) format() string {
	if s.stone != nil {
		return "cairn"
	}
	return formatName(s.leaf.Head())
}

func formatName(h format.Head) string {
	if h.Version != 0 {
		return fmt.Sprintf("%s v%d", h.Format, h.Version)
	}
	return h.Format
}

// isWorld checks that path may name a WORLD that is to be made.
func isWorld(path string) error {
	if isAddress(path) {
		_, err := parseName(path)
		return err
	}
	if filepath.Ext(path) != worldExt || filepath.Base(path) == worldExt {
		return usagef("%s: the path of a world ends in %s, or it is @name", path, worldExt)
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
