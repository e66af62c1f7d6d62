package tile

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sync"
)

// TempFile is written once from the beginning and then read. Close deletes it.
type TempFile interface {
	io.Writer
	io.ReaderAt
	io.Closer
}

// Pieces keeps pieces of bytes in a temporary file, as LZ4 blocks where these are smaller.
// Goroutines may share it.
type Pieces struct {
	file   TempFile
	mu     sync.Mutex // guards the fields below
	all    []piece
	end    int64
	buffer []byte
	err    error // the first of writing
}

// piece is where a piece lies.
type piece struct {
	at           int64
	stored, size int
	sum          uint32 // of the stored bytes
}

// NewPieces returns Pieces without a piece. Its Close closes file.
func NewPieces(file TempFile) *Pieces { return &Pieces{file: file} }

var crcTable = crc32.MakeTable(crc32.Castagnoli)

var errFile = errors.New("the temporary file has changed")

// Add appends a piece. It returns its number, counted from 0. An error of writing sticks.
func (p *Pieces) Add(b []byte) (n int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		return 0, p.err
	}
	packed, ok := packLZ4(p.buffer[:0], b)
	if p.buffer = packed; !ok {
		packed = b
	}
	wrote, err := p.file.Write(packed)
	if err == nil && wrote < len(packed) {
		err = io.ErrShortWrite
	}
	if err != nil {
		p.err = fmt.Errorf("tile: temporary file: %w", err)
		return 0, p.err
	}
	p.all = append(p.all, piece{p.end, len(packed), len(b), crc32.Checksum(packed, crcTable)})
	p.end += int64(len(packed))
	return len(p.all) - 1, nil
}

// Read returns the bytes of a piece.
func (p *Pieces) Read(n int) ([]byte, error) {
	p.mu.Lock()
	at := p.all[n]
	p.mu.Unlock()
	b := make([]byte, at.stored)
	got, err := p.file.ReadAt(b, at.at)
	if got == len(b) {
		err = nil
	}
	if err == nil && crc32.Checksum(b, crcTable) != at.sum {
		err = errFile
	}
	if err == nil && at.stored != at.size {
		packed := b
		b = make([]byte, at.size)
		err = unpackLZ4(b, packed)
	}
	if err != nil {
		return nil, fmt.Errorf("tile: temporary file: %w", err)
	}
	return b, nil
}

// Close closes the temporary file.
func (p *Pieces) Close() error { return p.file.Close() }
