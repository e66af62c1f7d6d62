package world

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/cairnvoxel/cairn/stone"
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

// openFile opens a file as the stack says; fs.ErrNotExist if there is none.
func (p openStack) openFile(path string) (io.ReadCloser, error) {
	r, err := stone.OpenStackFile(context.Background(), p.run(), path)
	if err != nil {
		return nil, fmt.Errorf("world: %w", err)
	}
	return &stackFile{r, p.hold()}, nil
}
