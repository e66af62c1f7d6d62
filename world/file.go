package world

import (
	"bytes"
	"io"
)

// dataFile is a file in memory.
func dataFile(data []byte) io.ReadCloser { return io.NopCloser(bytes.NewReader(data)) }

// pileFile is a file of a stone; it holds the pile until it is closed.
type pileFile struct {
	io.ReadCloser
	p pile
}

func (f *pileFile) Close() error {
	err := f.ReadCloser.Close()
	f.p.release()
	f.p = nil
	return err
}
