package stone

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/stone/column"
	"github.com/cairnvoxel/cairn/internal/stone/patch"
)

// File describes a file of the stone.
type File struct {
	Path string
	Size int64
}

// Files returns the files of the stone, sorted by path.
func (s *Reader) Files() []File {
	files := make([]File, 0, len(s.dir.files))
	for _, f := range s.dir.files {
		if !f.gone {
			files = append(files, File{f.path, f.size})
		}
	}
	return files
}

// OpenFile returns the content of a file, or fs.ErrNotExist. One that is stored as what differs from the stones below is
// ErrNoBase: see OpenStackFile.
func (s *Reader) OpenFile(path string) (io.ReadCloser, error) {
	f := s.file(path)
	if f == nil || f.gone {
		return nil, fmt.Errorf("stone: file %q: %w", path, fs.ErrNotExist)
	}
	p, err := s.filePatch(context.Background(), f)
	if p != nil {
		err = ErrNoBase
	}
	if err != nil {
		return nil, fmt.Errorf("stone: file %q: %w", path, err)
	}
	return io.NopCloser(&fileReader{ctx: context.Background(), s: s, f: *f}), nil
}

// file returns what the stone says of a file, nil if it says nothing.
func (s *Reader) file(path string) *file {
	i, ok := slices.BinarySearchFunc(s.dir.files, path, func(f file, p string) int { return strings.Compare(f.path, p) })
	if !ok {
		return nil
	}
	return &s.dir.files[i]
}

// formPatch is the form of pages of files that are patches. All of a file is in one.
const formPatch = column.Plain | column.Deltas

// filePatch returns the patch of a file, nil if its pages have its bytes.
func (s *Reader) filePatch(ctx context.Context, f *file) (*patch.Patch, error) {
	if len(f.pages) == 0 {
		return nil, nil
	}
	n := f.pages[0]
	b, err := s.rawPage(n)
	if err != nil || b[0] != formPatch {
		return nil, err
	}
	_, streams, err := s.pageOf(ctx, n, patch.MaxStreams)
	if err != nil {
		return nil, err
	}
	all, rest, err := patch.Decode(ctx, streams, 1)
	switch {
	case err != nil:
		return nil, s.at(n, err)
	case all[0] == nil || len(rest) > 0 || f.size > maxPage || slices.ContainsFunc(f.pages, func(other int) bool { return other != n }):
		return nil, corruptf(s.dir.pages[n].off, "page", "not the patch of a file of %d bytes in pages %v", f.size, f.pages)
	}
	return all[0], nil
}

// OpenStackFile returns the content of a file as a stack of stones says, bottom first: the highest that has an entry for it
// counts. It is fs.ErrNotExist if there is none.
func OpenStackFile(ctx context.Context, layers []*Reader, path string) (io.ReadCloser, error) {
	r, _, above, err := stackFile(ctx, layers, path)
	switch {
	case err == nil && above != nil:
		err = errNothing
	case err == nil && r == nil:
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, fmt.Errorf("stone: file %q: %w", path, err)
	}
	return io.NopCloser(r), nil
}

// stackFile returns a file as layers say, nil if none has it or it is gone, and its size; or the patch of it on what lies
// below the layers.
func stackFile(ctx context.Context, layers []*Reader, path string) (r io.Reader, size int64, above *patch.Patch, err error) {
	for _, l := range slices.Backward(layers) {
		f := l.file(path)
		if f == nil {
			continue
		}
		if above == nil {
			size = f.size
		}
		p, err := l.filePatch(ctx, f)
		switch {
		case err != nil:
			return nil, 0, nil, err
		case p != nil:
			if above, err = over(above, p); err != nil {
				return nil, 0, nil, err
			}
		case f.gone || f.size > maxPage && above != nil:
			if above != nil {
				err = errNothing
			}
			return nil, size, nil, err
		case above == nil:
			return &fileReader{ctx: ctx, s: l, f: *f}, size, nil, nil
		default:
			b, err := io.ReadAll(&fileReader{ctx: ctx, s: l, f: *f})
			if err == nil {
				b, err = above.Apply(b, maxPage)
			}
			if err == nil && int64(len(b)) != size {
				err = corruptf(0, "delta", "%d bytes of a file of %d", len(b), size)
			}
			return bytes.NewReader(b), size, nil, err
		}
	}
	return nil, size, above, nil
}

// fileReader reads a file. A page of it that claims more than filePage bytes is refused before
// it is decompressed.
type fileReader struct {
	ctx  context.Context
	s    *Reader
	f    file
	page []byte
}

func (r *fileReader) Read(b []byte) (int, error) {
	for len(r.page) == 0 {
		if len(r.f.pages) == 0 {
			return 0, io.EOF
		}
		n := r.f.pages[0]
		form, streams, err := r.s.pageOf(r.ctx, n, filePage)
		if err = cmp.Or(err, r.ctx.Err()); err != nil {
			return 0, fmt.Errorf("stone: file %q: %w", r.f.path, err)
		}
		want := min(r.f.size, filePage)
		if form != 0 || len(streams) != 1 || int64(len(streams[0])) != want {
			return 0, fmt.Errorf("stone: file %q: %w", r.f.path, corruptf(r.s.dir.pages[n].off, "page", "not %d bytes of the file", want))
		}
		r.page, r.f.pages, r.f.size = streams[0], r.f.pages[1:], r.f.size-want
	}
	n := copy(b, r.page)
	r.page = r.page[n:]
	return n, nil
}
