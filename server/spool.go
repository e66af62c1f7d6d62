package server

import (
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/store/wire"
)

// spool is an unnamed file for a body or an answer in transit.
type spool struct {
	file  *os.File
	c     *call
	bytes int64
}

// newSpool makes a spool; the caller calls Close.
func (c *call) newSpool() (*spool, error) {
	f, err := os.CreateTemp(c.o.Temp, "cairn-*.tmp")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(f.Name()) // if the system forbids this for an open file, close does it
	return &spool{file: f, c: c}, nil
}

// receive returns the body of the call, of at most limit bytes.
func (c *call) receive(limit int64) (*spool, error) {
	from, err := c.body(limit, false)
	if err != nil {
		return nil, err
	}
	file, err := c.newSpool()
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

// tempDir makes a folder; the caller calls remove.
func (c *call) tempDir() (dir string, remove func(), err error) {
	dir, err = os.MkdirTemp(c.o.Temp, "cairn-*.tmp")
	return dir, func() {
		if err := os.RemoveAll(dir); err != nil {
			c.logError(slog.LevelWarn, "a temporary folder is left", err)
		}
	}, err
}

// Write reserves disk space for b and writes it.
func (s *spool) Write(b []byte) (int, error) {
	n := int64(len(b))
	if s.c.spooled.Add(n) > s.c.limits.SpoolBytes {
		return 0, fault(wire.TooLarge, "the world takes more room than the server has for worlds on their way")
	}
	if !s.c.disk.reserve(n) {
		return 0, fault(wire.Busy, "too many worlds are being received or sent at this moment")
	}
	s.bytes += n
	return s.file.Write(b)
}

func (s *spool) ReadAt(b []byte, off int64) (int, error) { return s.file.ReadAt(b, off) }

// Close deletes the file and gives back its room.
func (s *spool) Close() error {
	s.c.disk.release(s.bytes)
	_ = s.file.Close() // nobody reads the file again
	if err := os.Remove(s.file.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.c.logError(slog.LevelWarn, "a temporary file is left", err)
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
