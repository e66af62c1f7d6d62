package rules

import (
	"context"
	"errors"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/store/history"
)

// DryCollect counts what a Collect of a Store at a time would drop, without its stones.
func DryCollect(ctx context.Context, st history.ArchiveReader, p history.Policy, now time.Time) (done history.Collected, err error) {
	var stay []history.Outline
	err = st.Outlines(ctx, func(o history.Outline) error {
		if !o.Deleted.IsZero() && p.DeletedOver(now, o.Deleted) {
			done.Worlds++
		} else {
			stay = append(stay, o)
		}
		return nil
	})
	if err != nil {
		return done, err
	}
	for _, o := range stay {
		a, err := st.Archive(ctx, o)
		if errors.Is(err, history.ErrNoWorld) {
			continue // it was purged meanwhile
		}
		if err != nil {
			return done, err
		}
		at := make(map[history.ID]time.Time, len(a.Commits))
		for _, c := range a.Commits {
			at[c.ID()] = c.Time
		}
		var log []time.Time
		for _, id := range a.Log {
			log = append(log, at[id])
		}
		for _, stays := range record.KeepOf(o.Name, p.Keep).Keep(now, log) {
			if !stays {
				done.Commits++
			}
		}
	}
	return done, nil
}
