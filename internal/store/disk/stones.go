package disk

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// Open reads a small stone whole.
func (s *Store) Open(ctx context.Context, name string, id stone.ID) (o *history.Opened, err error) {
	err = s.calls.OnWorld(ctx, "open", name, func() error {
		return s.calls.Ask(ctx, func(r record.Reads) error {
			if o, err = s.openStone(r, name, id); err != nil {
				err = fmt.Errorf("stone %v: %w", id, err)
			}
			return err
		})
	})
	return o, err
}

func (s *Store) openStone(r record.Reads, name string, id stone.ID) (*history.Opened, error) {
	if _, err := r.World(name); err != nil {
		return nil, err
	}
	b, size, err := s.openStored(r, id)
	if err != nil {
		return nil, err
	}
	o, err := stone.Open(b, size)
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return &history.Opened{Reader: o, Closer: b}, nil
}

// openStored opens the bytes of a stone, or returns ErrGone if there is none.
func (s *Store) openStored(r record.Reads, id stone.ID) (b bytesOf, size int64, err error) {
	in, ok, err := r.Info(id)
	if err == nil && !ok {
		err = history.ErrGone
	}
	if err == nil {
		b, err = s.openBytes(r, id, in)
	}
	return b, in.Size, err
}

// bytesOf reads the bytes of a stone.
type bytesOf struct {
	io.ReaderAt
	io.Closer
}

// openBytes opens the bytes of an existing stone.
func (s *Store) openBytes(r record.Reads, id stone.ID, in record.Info) (bytesOf, error) {
	if in.File {
		f, err := s.openFile(id, in.Size)
		return bytesOf{f, f}, err
	}
	data, err := r.Get(dataKey(id, in))
	if err == nil && int64(len(data)) != in.Size {
		err = wrongBytes(len(data), in.Size)
	}
	return bytesOf{bytes.NewReader(data), io.NopCloser(nil)}, err
}

// openFile opens the file of a stone.
func (s *Store) openFile(id stone.ID, size int64) (vfs.File, error) {
	f, err := s.FS.Open(s.files.path(id), vfs.RandomReadsOption)
	if errors.Is(err, fs.ErrNotExist) {
		if in, ok, lost := s.live().Info(id); !ok || !in.File {
			return nil, cmp.Or(lost, history.ErrGone) // deleted since the snapshot
		}
		// The file exists as long as the record, unless the stone was deleted and
		// added again since the first try.
		f, err = s.FS.Open(s.files.path(id), vfs.RandomReadsOption)
	}
	part := s.files.rel(id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, corrupt(part, "it is missing")
	}
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err == nil && st.Size() != size {
		err = corrupt(part, "%d bytes: want %d", st.Size(), size)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
