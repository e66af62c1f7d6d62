package pair

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/internal/store/rules"
	"github.com/cairnvoxel/cairn/store/history"
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

// adoptLong is Adopt for a history that is too long for one Swap. It makes a world that
// has no name, as one that a Purge removes, and that grows by one step after the other. It
// is whole at every moment: all commits are in its log for now, so that a Collect keeps
// them. The last Swap gives it the name, and takes the name from the world that had it.
func (s *Pair) adoptLong(ctx context.Context, w uint64, a history.Archive, base history.Head, steps [][]history.Commit) error {
	now, err := s.now(ctx)
	if err != nil {
		return err
	}
	in := newAdoption(s, w, a, now)
	for i, some := range steps {
		if err = in.take(ctx, in.step(some), i == 0); err != nil {
			break
		}
	}
	if err == nil {
		err = in.trim(ctx)
	}
	if err == nil {
		err = in.name(ctx, base)
	}
	if err != nil {
		in.giveUp(ctx)
	}
	return err
}

// adoption is a history on its way into a Store.
type adoption struct {
	*Pair
	world uint64
	a     history.Archive
	now   time.Time
	being history.Record // that the world is, and has no name

	commits map[history.ID]bool
	packs   map[history.ID]history.Pack // by Upto; those that are still to come
	log     map[uint64]history.ID       // by number, for now
	stays   map[history.ID]bool         // what the log has in the end
	head    history.ID                  // the last one of the log so far
}

func newAdoption(s *Pair, w uint64, a history.Archive, now time.Time) *adoption {
	in := &adoption{Pair: s, world: w, a: a, now: now, being: nameless(w, now),
		commits: make(map[history.ID]bool, len(a.Commits)), packs: make(map[history.ID]history.Pack, len(a.Packs)),
		log: make(map[uint64]history.ID, len(a.Commits)), stays: make(map[history.ID]bool, len(a.Log))}
	for _, p := range a.Packs {
		in.packs[p.Upto] = p
	}
	for _, id := range a.Log {
		in.stays[id] = true
	}
	for i := range a.Commits { // those of the log go before others of their number
		id, number := a.Commits[i].ID(), a.Commits[i].Number
		in.commits[id] = true
		if !in.stays[in.log[number]] {
			in.log[number] = id
		}
	}
	return in
}

// nameless returns the record of a world that has no name since a time.
func nameless(w uint64, since time.Time) history.Record {
	return history.Record{Key: string(record.DeletedKey(rules.Nobody, w)), Value: record.DeletedWorld{World: w, Deleted: since}.Value()}
}

// step returns an archive of the next commits, with the packs that stand on them.
func (in *adoption) step(some []history.Commit) history.Archive {
	step := history.Archive{Name: in.a.Name, Commits: some}
	for i := range some {
		id := some[i].ID()
		if in.log[some[i].Number] == id {
			step.Log, in.head = append(step.Log, id), id
		}
		below := some[i].Base
		if p, ok := in.packs[id]; ok {
			step.Packs, below = append(step.Packs, p), p.After
		}
		for !in.commits[below] { // a pack whose commit is gone comes with what stands on it
			p, ok := in.packs[below]
			if !ok {
				break
			}
			delete(in.packs, below)
			step.Packs, below = append(step.Packs, p), p.After
		}
	}
	step.Head = history.Head{Commit: in.head, Fence: in.a.Head.Fence}
	return step
}

// take makes the world, or lets it grow by a step.
func (in *adoption) take(ctx context.Context, step history.Archive, first bool) error {
	return in.change(ctx, func(d *rules.Proposal) error {
		var err error
		if !first {
			err = in.goesOn(d)
		} else if err = d.CheckFree(in.world); err == nil {
			_, err = d.Get([]byte(in.being.Key)) // make its absence a condition
			d.Set([]byte(in.being.Key), in.being.Value)
		}
		if err != nil {
			return err
		}
		return d.TakeIn(in.world, history.Lease{Fence: in.a.Head.Fence, Until: in.now}, step, nil)
	})
}

// goesOn returns an error if a Collect removed the world: it took too long.
func (in *adoption) goesOn(d *rules.Proposal) error {
	have, err := d.Get([]byte(in.being.Key))
	if err == nil && !bytes.Equal(have, in.being.Value) {
		err = rules.ErrTaken
	}
	return err
}

// trim removes the entries of the log that it does not keep.
func (in *adoption) trim(ctx context.Context) error {
	var drop []history.Record
	for number, id := range in.log {
		if !in.stays[id] {
			drop = append(drop, history.Record{Key: string(record.LogKey(in.world, number))})
		}
	}
	for some := range slices.Chunk(drop, changeSize) {
		if err := in.catalogue.Swap(ctx, []history.Record{in.being}, some); errors.Is(err, history.ErrChanged) {
			return rules.ErrTaken
		} else if err != nil {
			return err
		}
	}
	return nil
}

// name gives the world its name.
func (in *adoption) name(ctx context.Context, base history.Head) error {
	return in.change(ctx, func(d *rules.Proposal) error {
		if err := in.goesOn(d); err != nil {
			return err
		}
		old, lease, err := d.Place(in.world, in.a, base)
		if err != nil {
			return err
		}
		d.Set([]byte(in.being.Key), nil)
		if old != in.world {
			d.Set(record.NameKey(in.a.Name), record.NumberValue(in.world))
			d.Set(record.LeaseKey(old), nil)
			gone := nameless(old, time.UnixMilli(0))
			d.Set([]byte(gone.Key), gone.Value)
		}
		if !lease.Until.IsZero() {
			d.Set(record.LeaseKey(in.world), record.LeaseValue(lease))
		}
		d.Set(record.HeadKey(in.world), record.HeadValue(history.Head{Commit: in.a.Head.Commit, Fence: lease.Fence}))
		return nil
	})
}

// giveUp lets the next Collect remove the world. If this fails, one that runs later does.
func (in *adoption) giveUp(ctx context.Context) {
	_ = in.catalogue.Swap(context.WithoutCancel(ctx), []history.Record{in.being}, []history.Record{nameless(in.world, time.UnixMilli(0))})
}
