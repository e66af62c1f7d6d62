package server

import (
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/server/limits"
	"github.com/cairnvoxel/cairn/internal/store/wire"
)

// spools makes files and folders for worlds that are being received or sent.
type spools struct {
	dir  string // "" for os.TempDir
	room limits.Memory
}

var errSpools = fault(wire.Busy, "too many worlds are being received or sent at this moment")

// reserve takes disk space, which the caller gives back.
func (h *spools) reserve(n int64) error {
	if !h.room.Reserve(n) {
		return errSpools
	}
	return nil
}

// spool is an unnamed file for a body or an answer in transit.
type spool struct {
	file  *os.File
	c     *call
	from  *spools
	bytes int64
}

// file makes a spool; the caller calls Close.
func (h *spools) file(c *call) (*spool, error) {
	f, err := os.CreateTemp(h.dir, "cairn-*.tmp")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(f.Name()) // if the system forbids this for an open file, close does it
	return &spool{file: f, c: c, from: h}, nil
}

// receive returns the body of the call, which is a world.
func (h *spools) receive(c *call) (*spool, error) {
	from, err := c.body(c.limits.WorldBytes, false)
	if err != nil {
		return nil, err
	}
	file, err := h.file(c)
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(file, from); err != nil {
		file.Close()
		return nil, err
	}
	c.step("receive")
	return file, nil
}

// folder makes a folder; the caller calls remove.
func (h *spools) folder(c *call) (dir string, remove func(), err error) {
	dir, err = os.MkdirTemp(h.dir, "cairn-*.tmp")
	return dir, func() {
		if err := os.RemoveAll(dir); err != nil {
			c.log.add(c, slog.LevelWarn, "a temporary folder is left", err)
		}
	}, err
}

// Write reserves disk space for b and writes it.
func (s *spool) Write(b []byte) (int, error) {
	n := int64(len(b))
	if s.c.spooled.Add(n) > s.c.limits.SpoolBytes {
		return 0, fault(wire.TooLarge, "the world takes more room than the server has for worlds on their way")
	}
	if err := s.from.reserve(n); err != nil {
		return 0, err
	}
	s.bytes += n
	return s.file.Write(b)
}

func (s *spool) ReadAt(b []byte, off int64) (int, error) { return s.file.ReadAt(b, off) }

// Close deletes the file and gives back its room.
func (s *spool) Close() error {
	s.from.room.Release(s.bytes)
	_ = s.file.Close() // nobody reads the file again
	if err := os.Remove(s.file.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.c.log.add(s.c, slog.LevelWarn, "a temporary file is left", err)
	}
	return nil
}

// fault gives a code to an error of reading the upload: standard, unless the error
// implies another. The error describes the caller's own bytes.
func (s *spool) fault(err error, standard wire.Code) error {
	var ours *fs.PathError
	_, known := wire.CodeOf(err)
	switch {
	case port.IsDamage(err):
		standard = wire.Corrupt
	case errors.Is(err, convert.ErrTooLarge), errors.Is(err, port.ErrTooLarge):
		standard = wire.TooLarge
	case known, errors.As(err, &ours) && ours.Path == s.file.Name():
		return err
	}
	return fault(standard, "%.400s", err.Error())
}
