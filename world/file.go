package world

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// dataFile is a file in memory.
func dataFile(data []byte) io.ReadCloser { return io.NopCloser(bytes.NewReader(data)) }

// stackFile is a file of a stone; it holds the stack until it is closed.
type stackFile struct {
	io.ReadCloser
	p openStack
}

func (f *stackFile) Close() error {
	err := f.ReadCloser.Close()
	f.p.release()
	f.p = nil
	return err
}

// openFile opens a file as the highest stone says that covers it; fs.ErrNotExist
// if there is none.
func (p openStack) openFile(path string) (io.ReadCloser, error) {
	for i := len(p) - 1; i >= 0; i-- {
		r, err := p[i].OpenFile(path)
		if err == nil {
			return &stackFile{r, p.hold()}, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for covered := range p[i].FileEntries() {
			if covered == path { // and it is gone
				return nil, err
			}
		}
	}
	return nil, fmt.Errorf("world: file %q: %w", path, fs.ErrNotExist)
}
