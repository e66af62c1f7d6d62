package pair

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/store/record"
)

// Bounds of what Adopt changes in one Swap.
const (
	stepCommits = changeSize / 4 // each has a record, an entry of the log, about a stone and a pack
	stepBytes   = 1 << 20        // of commits
)

// adoptFor is how long a world may be taken in. What is left of one after that, Collect
// removes.
const adoptFor = 24 * time.Hour

// stepsOf cuts the commits of an archive, in ascending order of numbers, into pieces of
// one Swap each.
func stepsOf(a *history.Archive) (steps [][]history.Commit) {
	first, size := 0, 0
	for i := range a.Commits {
		n := len(a.Commits[i].Append(nil))
		if i > first && (i-first == stepCommits || size+n > stepBytes) {
			steps = append(steps, a.Commits[first:i])
			first, size = i, 0
		}
		size += n
	}
	return append(steps, a.Commits[first:])
}

// adoptLong is adoptAs for a history that is too long for one Swap. It makes a world that
// has no name, as one that a Purge removes, and that grows by one step after the other. It
// is whole at every moment: all commits are in its log for now, so that a Collect keeps
// them. The last Swap gives it the name, and takes the name from the world that had it.
func (s *Store) adoptLong(ctx context.Context, w uint64, a history.Archive, base history.Head, steps [][]history.Commit) (err error) {
	now, err := s.now(ctx)
	if err != nil {
		return err
	}
	being := history.Record{Key: string(record.DeletedKey(nobody, w)), Value: record.DeletedWorld{World: w, Deleted: now}.Value()}
	defer func() {
		if err != nil { // the next Collect removes it; if this fails, one that runs later
			given := record.DeletedWorld{World: w, Deleted: time.UnixMilli(0)}.Value()
			_ = s.catalogue.Swap(context.WithoutCancel(ctx), []history.Record{being}, []history.Record{{Key: being.Key, Value: given}})
		}
	}()
	goesOn := func(d *draft) error {
		have, err := d.Get([]byte(being.Key))
		if err == nil && !bytes.Equal(have, being.Value) {
			err = errTaken // a Collect removed it: it took too long
		}
		return err
	}
	commits, packs := make(map[history.ID]bool, len(a.Commits)), make(map[history.ID]history.Pack, len(a.Packs))
	log := make(map[uint64]history.ID, len(a.Commits)) // by number
	for i := range a.Commits {
		id := a.Commits[i].ID()
		commits[id], log[a.Commits[i].Number] = true, id
	}
	for _, p := range a.Packs {
		packs[p.Upto] = p
	}
	stays := make(map[history.ID]bool, len(a.Log))
	for _, id := range a.Log {
		stays[id] = true
	}
	for i := range a.Commits { // those of the log go before others of their number
		if id := a.Commits[i].ID(); stays[id] {
			log[a.Commits[i].Number] = id
		}
	}
	head := history.Head{Fence: a.Head.Fence}
	for i, some := range steps {
		step := history.Archive{Name: a.Name, Commits: some}
		for k := range some {
			id := some[k].ID()
			if log[some[k].Number] == id {
				step.Log, head.Commit = append(step.Log, id), id
			}
			below := some[k].Base
			if p, ok := packs[id]; ok {
				step.Packs, below = append(step.Packs, p), p.After
			}
			for !commits[below] { // a pack whose commit is gone comes with what stands on it
				p, ok := packs[below]
				if !ok {
					break
				}
				delete(packs, below)
				step.Packs, below = append(step.Packs, p), p.After
			}
		}
		step.Head = head
		err := s.change(ctx, func(d *draft) error {
			var err error
			if i > 0 {
				err = goesOn(d)
			} else if err = free(d, w); err == nil {
				_, err = d.Get([]byte(being.Key)) // make its absence a condition
				d.set([]byte(being.Key), being.Value)
			}
			if err != nil {
				return err
			}
			return s.takeIn(d, w, history.Lease{Fence: head.Fence, Until: now}, step, nil)
		})
		if err != nil {
			return err
		}
	}
	var drop []history.Record
	for number, id := range log {
		if !stays[id] {
			drop = append(drop, history.Record{Key: string(record.LogKey(w, number))})
		}
	}
	for some := range slices.Chunk(drop, changeSize) {
		if err := s.catalogue.Swap(ctx, []history.Record{being}, some); errors.Is(err, history.ErrChanged) {
			return errTaken
		} else if err != nil {
			return err
		}
	}
	return s.change(ctx, func(d *draft) error {
		if err := goesOn(d); err != nil {
			return err
		}
		old, lease, err := place(d, w, a, base)
		if err != nil {
			return err
		}
		d.set([]byte(being.Key), nil)
		if old != w {
			d.set(record.NameKey(a.Name), record.NumberValue(w))
			d.set(record.LeaseKey(old), nil)
			d.set(record.DeletedKey(nobody, old), record.DeletedWorld{World: old, Deleted: time.UnixMilli(0)}.Value())
		}
		if !lease.Until.IsZero() {
			d.set(record.LeaseKey(w), record.LeaseValue(lease))
		}
		d.set(record.HeadKey(w), record.HeadValue(history.Head{Commit: a.Head.Commit, Fence: lease.Fence}))
		return nil
	})
}
