package pair

import (
	"context"
	"errors"
	"fmt"

	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/stone"
)

// Mend puts the bytes of a stone again, under a new number, after Check has found
// that they are lost. The error is ErrGone if the Store has no such stone.
func (s *Store) Mend(ctx context.Context, st history.Stone) error {
	leave, err := s.begin(ctx)
	if err == nil {
		defer leave()
		err = st.Check()
	}
	if err == nil {
		err = s.with(ctx, []history.Stone{st}, func(d *draft, a *attempt) error {
			if err := a.ahead(d); err != nil {
				return err
			}
			in, there, err := d.Info(st.ID)
			if err != nil || !there {
				return errors.Join(err, history.ErrGone)
			}
			if in.Number == 0 {
				d.set([]byte(smallKey(st.ID)), nil)
			}
			return a.store(d, st, in)
		})
	}
	if err != nil {
		err = fmt.Errorf("pair: mend stone %v: %w", st.ID, away(err))
	}
	return err
}

// MendAll mends the stones that a Report of Check names as lost, as far as read
// returns them. It returns those that are still lost. read is as
// history.ArchiveReader.ReadStone of a backup; an error that wraps history.ErrGone
// says that it does not have the stone.
func (s *Store) MendAll(ctx context.Context, lost []history.StoneRef, read func(context.Context, stone.ID) (history.Stone, func() error, error)) (left []history.StoneRef, err error) {
	for i, ref := range lost {
		err := s.mendFrom(ctx, ref.ID, read)
		if errors.Is(err, history.ErrGone) {
			left = append(left, ref)
		} else if err != nil {
			return append(left, lost[i:]...), err
		}
	}
	return left, nil
}

func (s *Store) mendFrom(ctx context.Context, id stone.ID, read func(context.Context, stone.ID) (history.Stone, func() error, error)) error {
	st, release, err := read(ctx, id)
	if err != nil {
		return err
	}
	return errors.Join(s.Mend(ctx, st), release())
}
