package server

import (
	"errors"
	"io/fs"
	"os"

	"github.com/cairnvoxel/cairn/client"
	"github.com/cairnvoxel/cairn/convert"
	"github.com/cairnvoxel/cairn/port"
)

// spool is a file without a name that a body or an answer lies in on its way.
type spool struct {
	file  *os.File
	c     *call
	bytes int64
}

// newSpool makes a spool; close lets it go.
func (c *call) newSpool() (*spool, error) {
	f, err := os.CreateTemp(c.o.Temp, "cairn-*.tmp")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(f.Name()) // where that cannot be while it is open, close does it
	return &spool{file: f, c: c}, nil
}

// Write takes room for b and writes it.
func (s *spool) Write(b []byte) (int, error) {
	if !s.c.disk.take(int64(len(b))) {
		return 0, fault(client.Busy, "too many worlds are on their way at this moment")
	}
	s.bytes += int64(len(b))
	return s.file.Write(b)
}

func (s *spool) close() {
	s.c.disk.give(s.bytes)
	_ = s.file.Close()
	_ = os.Remove(s.file.Name())
}

// fault gives an error of reading the upload in the spool a code: standard, if the
// error tells none. What it says is about the caller's own bytes.
func (s *spool) fault(err error, standard client.Code) error {
	var ours *fs.PathError
	_, known := client.CodeOf(err)
	switch {
	case port.IsDamage(err):
		standard = client.Corrupt
	case errors.Is(err, convert.ErrTooLarge), errors.Is(err, port.ErrTooLarge):
		standard = client.TooLarge
	case known, errors.As(err, &ours) && ours.Path == s.file.Name():
		return err
	}
	return fault(standard, "%.400s", err.Error())
}
