package local

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/world"
)

// Fetch is for world.Fetcher.
func (s *Store) Fetch(ctx context.Context, name string, at world.ID, room int64) (world.Fetched, error) {
	leave, err := s.enter(ctx, name)
	if err != nil {
		return world.Fetched{}, fail("fetch", name, err)
	}
	defer leave()
	f, err := s.fetch(reads{s.db}, name, at, room)
	if errors.Is(err, world.ErrNoCommit) || errors.Is(err, world.ErrGone) {
		// Where it is so, it is so in one moment, too: what was packed and collected
		// beside the walk was there when it began.
		snap := s.db.NewSnapshot()
		defer snap.Close()
		f, err = s.fetch(reads{snap}, name, at, room)
	}
	return f, fail("fetch", name, err)
}

func (s *Store) fetch(r reads, name string, at world.ID, room int64) (f world.Fetched, err error) {
	w, err := r.world(name)
	if err != nil {
		return f, err
	}
	if f.Head.Commit = at; at == (world.ID{}) {
		f.Head, err = r.head(w)
	} else {
		_, err = r.logged(w, at)
	}
	if err != nil {
		return f, err
	}
	if f.Layers, err = world.StackOf(f.Head.Commit, r.commit, r.pack, nil); err != nil {
		return f, err
	}
	f.Data, err = world.DataOf(f.Layers, room, func(ref world.StoneRef) ([]byte, error) { return s.bytes(r, ref) })
	return f, err
}

// bytes returns the bytes of a stone of a stack.
func (s *Store) bytes(r reads, ref world.StoneRef) ([]byte, error) {
	data, err := r.get(dataKey(ref.ID))
	if data == nil && err == nil {
		data, err = s.fileBytes(r, ref.ID)
	}
	if err == nil && int64(len(data)) != ref.Size {
		err = wrongBytes(len(data), ref.Size)
	}
	if err != nil {
		err = fmt.Errorf("stone %v: %w", ref.ID, err)
	}
	return data, err
}

// fileBytes returns the bytes of a stone that is a file.
func (s *Store) fileBytes(r reads, id stone.ID) ([]byte, error) {
	in, ok, err := r.info(id)
	if err == nil && (!ok || !in.file) {
		err = world.ErrGone
	}
	if err != nil {
		return nil, err
	}
	b, err := s.openBytes(r, id, in)
	if err != nil {
		return nil, err
	}
	data := make([]byte, in.size)
	_, err = io.ReadFull(io.NewSectionReader(b, 0, in.size), data)
	return data, errors.Join(err, b.Close())
}

func wrongBytes(have int, want int64) error {
	return &stone.CorruptError{Part: "stone", Err: fmt.Errorf("%d bytes: want %d", have, want)}
}
