package stone

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
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

// OpenFile returns the content of a file, or fs.ErrNotExist.
func (s *Reader) OpenFile(path string) (io.ReadCloser, error) {
	i, ok := slices.BinarySearchFunc(s.dir.files, path, func(f file, p string) int { return strings.Compare(f.path, p) })
	if !ok || s.dir.files[i].gone {
		return nil, fmt.Errorf("stone: file %q: %w", path, fs.ErrNotExist)
	}
	return io.NopCloser(&fileReader{ctx: context.Background(), s: s, f: s.dir.files[i]}), nil
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
