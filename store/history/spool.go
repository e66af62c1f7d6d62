package history

import (
	"bytes"
	"crypto/sha256"
	"errors"
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

// spoolBytes is the size up to which a Spool keeps a stone in memory.
const spoolBytes = 4 << 20

// Spool takes the bytes of a stone that is being written. It keeps a small stone in
// memory and a large one in a file of the Store, if the Store is Spooling. It is for
// one goroutine.
type Spool struct {
	st   Store
	data []byte // before there is a file
	file SpoolFile
	size int64
}

// NewSpool returns an empty Spool for a stone that st will get. The caller closes it.
func NewSpool(st Store) *Spool { return &Spool{st: st} }

// Write implements io.Writer.
func (s *Spool) Write(p []byte) (int, error) {
	if from, ok := s.st.(Spooling); ok && s.file == nil && len(s.data)+len(p) > spoolBytes {
		file, err := from.SpoolFile()
		if err != nil {
			return 0, fmt.Errorf("history: spool: %w", err)
		}
		if _, err = file.Write(s.data); err != nil {
			return 0, errors.Join(fmt.Errorf("history: spool: %w", err), file.Close())
		}
		s.file, s.data = file, nil
	}
	n := len(p)
	if s.file != nil {
		var err error
		if n, err = s.file.Write(p); err != nil {
			return n, fmt.Errorf("history: spool: %w", err)
		}
	} else {
		s.data = append(s.data, p...)
	}
	s.size += int64(n)
	return n, nil
}

// Stone returns the stone of these bytes. It must not be used after Close.
func (s *Spool) Stone(id stone.ID) Stone {
	if s.file != nil {
		return Stone{ID: id, File: io.NewSectionReader(s.file, 0, s.size)}
	}
	return Stone{ID: id, Data: s.data}
}

// Close deletes the file.
func (s *Spool) Close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}
