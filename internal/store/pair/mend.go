package pair

import (
	"context"
	"errors"
	"fmt"

	"github.com/cairnvoxel/cairn/internal/store/rules"
	"github.com/cairnvoxel/cairn/store/history"
)

// Mend puts the bytes of a stone again, under a new number, after Check has found
// that they are lost. The error is ErrGone if the Store has no such stone.
func (s *Pair) Mend(ctx context.Context, st history.Stone) error {
	return s.calls.OnStore(ctx, fmt.Sprintf("mend stone %v", st.ID), func() error {
		if err := st.Check(); err != nil {
			return err
		}
		return s.with(ctx, []history.Stone{st}, func(d *rules.Proposal, a *attempt) error {
			if err := a.ahead(d); err != nil {
				return err
			}
			in, there, err := d.Info(st.ID)
			if err != nil || !there {
				return errors.Join(err, history.ErrGone)
			}
			if in.Number == 0 {
				d.Set([]byte(smallKey(st.ID)), nil)
			}
			_, err = a.store(d, st, in)
			return err
		})
	})
}
