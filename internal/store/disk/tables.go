package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2/sstable/blob"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cairnvoxel/cairn/internal/store/journal"
	"github.com/cairnvoxel/cairn/stone"
)

// openable opens and closes a table or blob file as the database does.
func (s *Store) openable(path string) error {
	f, err := s.FS.Open(s.FS.PathJoin(s.dir, path))
	if err != nil {
		return err
	}
	return errors.Join(s.checkTable(path, f), f.Close())
}

// checkTable returns a *stone.CorruptError if a table or blob file is not the one
// that the database wrote. The database itself panics if a blob file has a wrong
// end.
func (s *Store) checkTable(path string, f vfs.File) error {
	rel := "db/" + s.FS.PathBase(path)
	in, err := f.Stat()
	if err != nil {
		return err
	}
	if want, ok := s.lists.Tables[s.FS.PathBase(path)]; ok && in.Size() != want {
		return corrupt(rel, "%d bytes: want %d by %s", in.Size(), want, s.lists.Name)
	}
	if want, ok := s.sealed[rel]; ok {
		if in.Size() != want.size {
			return corrupt(rel, "%d bytes: want %d", in.Size(), want.size)
		}
		if have, err := s.seal(rel); err != nil || have.sum != want.sum {
			return errors.Join(corrupt(rel, "its end has changed"), err)
		}
	}
	if !strings.HasSuffix(rel, ".blob") {
		return nil
	}
	var end [blobFooterBytes]byte
	if in.Size() < int64(len(end)) {
		return corrupt(rel, "%d bytes: too few for a blob file", in.Size())
	}
	if _, err := f.ReadAt(end[:], in.Size()-int64(len(end))); err != nil {
		return err
	}
	if journal.Sum(end[4:]) != le.Uint32(end[:]) {
		return corrupt(rel, "its end is damaged: the checksum does not match")
	}
	if end[21] != byte(blob.FileFormatV1) || string(end[30:]) != blobMagic {
		return corrupt(rel, "its end is not that of a blob file")
	}
	if name := fmt.Sprintf("%06d.blob", le.Uint64(end[22:])); name != s.FS.PathBase(path) {
		return corrupt(rel, "it is %s", name)
	}
	return nil
}

// blobFooterBytes is the number of bytes at the end of a blob file: a checksum, the
// place of the index (16), two formats (2), the number (8), a magic (8).
const (
	blobFooterBytes = 38
	blobMagic       = "\xf0\x9f\xaa\xb3\xf0\x9f\xa6\x80"
)

func corrupt(part, format string, args ...any) error {
	return &stone.CorruptError{Part: part, Offset: -1, Err: fmt.Errorf(format, args...)}
}

// checkedFS is the file system that the database reads from. It checks files when
// they are opened. In a damaged Store that is only read it hides damaged files that
// are not needed.
type checkedFS struct {
	vfs.FS
	s *Store
}

func (c checkedFS) Unwrap() vfs.FS { return c.FS }

func (c checkedFS) List(dir string) ([]string, error) {
	names, err := c.FS.List(dir)
	names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(c.s.hidden, name) })
	if err == nil && c.PathBase(dir) == "db" {
		names = append(names, c.s.missing...) // the database panics if a blob file is missing
	}
	return names, err
}

// Open is for vfs.FS. A missing table gives an ordinary error, because the database
// panics if a blob file is missing.
func (c checkedFS) Open(path string, o ...vfs.OpenOption) (vfs.File, error) {
	f, err := c.FS.Open(path, o...)
	name := c.PathBase(path)
	c.s.reading.Store(&name)
	if left, ok := c.s.cut[name]; ok && err == nil {
		return &cutFile{f, left}, nil
	}
	if !isTable(path) {
		return f, err
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, corrupt("db/"+name, "it is missing")
	}
	if err == nil {
		if err = c.s.checkTable(path, f); err != nil {
			err = errors.Join(err, f.Close())
			return nil, err
		}
	}
	return f, err
}
