package disk

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/internal/store/rules"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

func (s *Store) Fetch(ctx context.Context, name string, at history.ID, room int64) (f history.Fetched, err error) {
	err = s.calls.OnWorld(ctx, "fetch", name, func() error {
		return s.calls.AskAny(ctx, func(r record.Reads) error {
			if f, err = rules.Layers(r, name, at); err != nil {
				return err
			}
			f.Data, err = history.DataOf(f.Layers, room, func(l history.Layer) ([]byte, error) { return s.bytes(r, l) })
			return err
		})
	})
	return f, err
}

// bytes returns the bytes of the stone of a layer.
func (s *Store) bytes(r record.Reads, l history.Layer) ([]byte, error) {
	data, err := s.dataOf(r, l)
	if err == nil && int64(len(data)) != l.Stone.Size {
		err = wrongBytes(len(data), l.Stone.Size)
	}
	if err != nil {
		err = fmt.Errorf("stone %v: %w", l.Stone.ID, err)
	}
	return data, err
}

func (s *Store) dataOf(r record.Reads, l history.Layer) ([]byte, error) {
	if in := (record.Info{Number: r.Memory.Data(l)}); in.Number > 0 {
		data, err := r.Get(dataKey(l.Stone.ID, in))
		if data != nil || err != nil { // otherwise the bytes were deleted and may have been added again
			return data, err
		}
	}
	in, ok, err := r.Info(l.Stone.ID)
	if err == nil && !ok {
		err = history.ErrGone
	}
	if err != nil {
		return nil, err
	}
	if in.File {
		return s.fileBytes(r, l.Stone.ID, in)
	}
	r.Memory.SetData(l, in.Number)
	data, err := r.Get(dataKey(l.Stone.ID, in))
	if data == nil && err == nil {
		err = history.ErrGone
	}
	return data, err
}

// fileBytes returns the bytes of a stone that is a file.
func (s *Store) fileBytes(r record.Reads, id stone.ID, in record.Info) ([]byte, error) {
	b, err := s.openBytes(r, id, in)
	if err != nil {
		return nil, err
	}
	data := make([]byte, in.Size)
	_, err = io.ReadFull(io.NewSectionReader(b, 0, in.Size), data)
	return data, errors.Join(err, b.Close())
}

func wrongBytes(have int, want int64) error {
	return &stone.CorruptError{Part: "stone", Err: fmt.Errorf("%d bytes: want %d", have, want)}
}
