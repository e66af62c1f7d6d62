package pair

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/record"
)

// Stack is for history.Stacks.
func (s *Store) Stack(ctx context.Context, name string, at history.ID) (stack []history.Layer, err error) {
	if err := begin(ctx, name); err != nil {
		return nil, fail("stack", name, err)
	}
	err = s.look(ctx, func(r record.Reads) error {
		w, err := r.World(name)
		if err == nil && at != (history.ID{}) {
			_, err = r.Logged(w, at)
		}
		if err == nil {
			stack, err = r.Stack(at)
		}
		return err
	})
	return stack, fail("stack", name, err)
}

// maxFetch is how often a stack is looked at again of which stones were collected
// meanwhile.
const maxFetch = 3

// Fetch is for history.Fetcher.
func (s *Store) Fetch(ctx context.Context, name string, at history.ID, room int64) (f history.Fetched, err error) {
	for range maxFetch {
		if f, err = s.fetch(ctx, name, at, room); !errors.Is(err, history.ErrGone) {
			break
		}
	}
	return f, fail("fetch", name, err)
}

func (s *Store) fetch(ctx context.Context, name string, at history.ID, room int64) (f history.Fetched, err error) {
	if err := begin(ctx, name); err != nil {
		return f, err
	}
	err = s.look(ctx, func(r record.Reads) error {
		w, err := r.World(name)
		if err != nil {
			return err
		}
		if f.Head.Commit = at; at == (history.ID{}) {
			f.Head, err = r.Head(w)
		} else {
			_, err = r.Logged(w, at)
		}
		if err != nil {
			return err
		}
		if f.Layers, err = r.Stack(f.Head.Commit); err != nil {
			return err
		}
		f.Data, err = history.DataOf(f.Layers, room, func(l history.Layer) ([]byte, error) { return s.whole(ctx, r, l.Stone.ID) })
		return err
	})
	return f, err
}

// whole returns the bytes of a stone.
func (s *Store) whole(ctx context.Context, r record.Reads, id stone.ID) ([]byte, error) {
	in, ok, err := r.Info(id)
	if err == nil && !ok {
		err = history.ErrGone
	}
	if err != nil {
		return nil, fmt.Errorf("stone %v: %w", id, err)
	}
	data, err := s.stones.Get(ctx, bytesKey(id, in.Number), 0, in.Size)
	if err != nil {
		err = fmt.Errorf("stone %v: %w", id, err)
	}
	return data, err
}

// Open is for history.Stacks. A stone of up to 1 MiB is read whole.
func (s *Store) Open(ctx context.Context, name string, id stone.ID) (*history.Opened, error) {
	o, err := s.openStone(ctx, name, id)
	if err != nil {
		return nil, fail("open", name, fmt.Errorf("stone %v: %w", id, err))
	}
	return o, nil
}

func (s *Store) openStone(ctx context.Context, name string, id stone.ID) (*history.Opened, error) {
	if err := begin(ctx, name); err != nil {
		return nil, err
	}
	var in record.Info
	err := s.look(ctx, func(r record.Reads) error {
		_, err := r.World(name)
		if err != nil {
			return err
		}
		var ok bool
		if in, ok, err = r.Info(id); err == nil && !ok {
			err = history.ErrGone
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	key := bytesKey(id, in.Number)
	if in.Size <= wholeBytes {
		data, err := s.stones.Get(ctx, key, 0, in.Size)
		if err != nil {
			return nil, err
		}
		r, err := stone.Open(bytes.NewReader(data), in.Size)
		return &history.Opened{Reader: r, Closer: io.NopCloser(nil)}, err
	}
	b := s.hold(ctx, key, in.Size)
	r, err := stone.Open(b, in.Size)
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return &history.Opened{Reader: r, Closer: b}, nil
}

// Reaches is for history.Reacher.
func (s *Store) Reaches(ctx context.Context, name string, id stone.ID) (ok bool, err error) {
	if err := begin(ctx, name); err != nil {
		return false, fail("reaches", name, err)
	}
	err = s.look(ctx, func(r record.Reads) error {
		w, err := r.World(name)
		if err == nil {
			ok, err = r.Reaches(w, id)
		}
		return err
	})
	return ok, fail("reaches", name, err)
}

// PutPack is for history.Stacks.
func (s *Store) PutPack(ctx context.Context, name string, p history.Pack, st history.Stone) error {
	return fail("pack", name, s.putPack(ctx, name, p, st))
}

func (s *Store) putPack(ctx context.Context, name string, p history.Pack, st history.Stone) error {
	if err := begin(ctx, name); err != nil {
		return err
	}
	if err := p.Admit(st); err != nil {
		return err
	}
	return s.with(ctx, []history.Stone{st}, func(r record.Reads) error {
		_, err := r.World(name)
		return err
	}, func(d *draft, a *attempt) error {
		w, err := d.World(name)
		if err != nil {
			return err
		}
		if err := record.Fits(d, w, p); err != nil {
			return err
		}
		if err := a.name(d, st); err != nil {
			return err
		}
		key, value := record.PackKey(p.Upto), record.PackValue(p)
		had, err := d.Get(key)
		if bytes.Equal(had, value) {
			s.disturb(d) // it may be about to be taken
		}
		d.set(key, value)
		return err
	})
}
