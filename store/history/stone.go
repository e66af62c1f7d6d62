package history

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"

	"github.com/cairnvoxel/cairn/stone"
)

// Stone is a stone to store. Its bytes are Data, or File if they may be too many for
// memory. Nobody changes them.
type Stone struct {
	ID   stone.ID
	Data []byte
	File *io.SectionReader // in place of Data; open until the call that stores it returns
}

// Ref returns the stone's ID and size.
func (s Stone) Ref() StoneRef { return StoneRef{s.ID, s.Size()} }

// Size returns the number of bytes.
func (s Stone) Size() int64 {
	if s.File != nil {
		return s.File.Size()
	}
	return int64(len(s.Data))
}

// Open returns a new reader of the bytes.
func (s Stone) Open() *io.SectionReader {
	if s.File != nil {
		return io.NewSectionReader(s.File, 0, s.File.Size())
	}
	return io.NewSectionReader(bytes.NewReader(s.Data), 0, s.Size())
}

// Bytes returns all bytes. It reads a File.
func (s Stone) Bytes() ([]byte, error) {
	if s.File == nil {
		return s.Data, nil
	}
	b := make([]byte, s.File.Size())
	if _, err := io.ReadFull(s.Open(), b); err != nil {
		return nil, fmt.Errorf("history: stone %v: %w", s.ID, err)
	}
	return b, nil
}

// Check compares the hash of the bytes with the ID.
func (s Stone) Check() error {
	got := stone.ID(sha256.Sum256(s.Data))
	if s.File != nil {
		h := sha256.New()
		if _, err := io.Copy(h, s.Open()); err != nil {
			return fmt.Errorf("history: stone %v: %w", s.ID, err)
		}
		got = stone.ID(h.Sum(nil))
	}
	if got != s.ID {
		return fmt.Errorf("history: stone %v: its bytes have the hash %v", s.ID, got)
	}
	return nil
}

// Spooling is a Store that has room for stones that are being written.
type Spooling interface {
	// SpoolFile makes an empty file. Close deletes it. A file that a crash leaves is
	// deleted later.
	SpoolFile() (SpoolFile, error)
}

// SpoolFile is written once from the beginning and then read.
type SpoolFile interface {
	io.Writer
	io.ReaderAt
	io.Closer
}
