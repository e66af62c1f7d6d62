package pair

import (
	"context"
	"crypto/rand"
	"io"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/internal/store/rules"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

var _ history.Archiver = (*Pair)(nil)

// identityKey is the key of the Store's identity.
const identityKey = "u"

// Identity makes an identity if the Store has none.
func (s *Pair) Identity(ctx context.Context) (id string, err error) {
	err = s.calls.OnStore(ctx, "identity", func() error {
		return s.change(ctx, func(d *rules.Proposal) error {
			had, err := d.Get([]byte(identityKey))
			if id = string(had); had == nil && err == nil {
				id = rand.Text()
				d.Set([]byte(identityKey), []byte(id))
			}
			return err
		})
	})
	return id, err
}

func (s *Pair) ReadStone(ctx context.Context, id stone.ID) (st history.Stone, release func() error, err error) {
	err = s.calls.OnStore(ctx, "stone "+id.String(), func() error {
		st, release, err = s.readStone(ctx, id)
		return err
	})
	if err != nil {
		return history.Stone{}, nil, err
	}
	return st, release, nil
}

func (s *Pair) readStone(ctx context.Context, id stone.ID) (st history.Stone, release func() error, err error) {
	var in record.Info
	st.ID = id
	err = s.ask(ctx, func(r record.Reads) error {
		err := r.Ahead(record.StoneKey(id), []byte(smallKey(id)))
		if err == nil {
			in, st.Data, err = locate(r, id)
		}
		return err
	})
	if err == nil && st.Data == nil && in.Size <= wholeBytes {
		st.Data, err = s.whole(ctx, id, in)
	}
	if err != nil || st.Data != nil {
		return st, func() error { return nil }, err
	}
	b := s.hold(ctx, bytesKey(id, in.Number), in.Size)
	st.File = io.NewSectionReader(b, 0, in.Size)
	return st, b.Close, nil
}

// Adopt takes a long history in step by step.
func (s *Pair) Adopt(ctx context.Context, a history.Archive, base history.Head) error {
	steps := stepsOf(&a)
	if len(steps) == 1 {
		return s.Worlds.Adopt(ctx, a, base)
	}
	return s.calls.AdoptBy(ctx, a, func(fresh uint64) error { return s.adoptLong(ctx, fresh, a, base, steps) })
}
