// Package spool takes the bytes of a stone that is being written, before it is stored.
package spool

import (
	"errors"
	"fmt"
	"io"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// spoolBytes is the size up to which a Spool keeps a stone in memory.
const spoolBytes = 4 << 20

// Spool takes the bytes of a stone that is being written. It keeps a small stone in
// memory and a large one in a file of the Store, if the Store is history.Spooling. It is for
// one goroutine.
type Spool struct {
	st   history.Store
	data []byte // before there is a file
	file history.SpoolFile
	size int64
}

// New returns an empty Spool for a stone that st will get. The caller closes it.
func New(st history.Store) *Spool { return &Spool{st: st} }

// Write implements io.Writer.
func (s *Spool) Write(p []byte) (int, error) {
	if from, ok := s.st.(history.Spooling); ok && s.file == nil && len(s.data)+len(p) > spoolBytes {
		file, err := from.SpoolFile()
		if err != nil {
			return 0, fmt.Errorf("spool: %w", err)
		}
		if _, err = file.Write(s.data); err != nil {
			return 0, errors.Join(fmt.Errorf("spool: %w", err), file.Close())
		}
		s.file, s.data = file, nil
	}
	n := len(p)
	if s.file != nil {
		var err error
		if n, err = s.file.Write(p); err != nil {
			return n, fmt.Errorf("spool: %w", err)
		}
	} else {
		s.data = append(s.data, p...)
	}
	s.size += int64(n)
	return n, nil
}

// Stone returns the stone of these bytes. It must not be used after Close.
func (s *Spool) Stone(id stone.ID) history.Stone {
	if s.file != nil {
		return history.Stone{ID: id, File: io.NewSectionReader(s.file, 0, s.size)}
	}
	return history.Stone{ID: id, Data: s.data}
}

// Close deletes the file.
func (s *Spool) Close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}
