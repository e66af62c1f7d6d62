package pair

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/internal/store/rules"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// Collect reads the records of all worlds at one moment and lists all bytes. Other calls
// continue meanwhile. FORMAT.md explains why it deletes nothing that is needed.
func (s *Pair) Collect(ctx context.Context, p history.Policy) (history.Collected, error) {
	if p.DryRun {
		now, err := s.now(ctx)
		if err != nil {
			return history.Collected{}, s.calls.Fail("collect", "", err)
		}
		return rules.DryCollect(ctx, s, p, now)
	}
	c := &collector{Pair: s, ctx: ctx, policy: p}
	err := s.calls.OnStore(ctx, "collect", func() error {
		return s.alone(ctx, func() (err error) {
			c.at, err = s.now(ctx)
			for _, step := range []func() error{c.removeDeleted, c.trim, c.sweep, c.endEpochs, c.orphans, c.endClaims} {
				if err == nil {
					err = step()
				}
			}
			return err
		})
	})
	return c.done, err
}

// collector is one Collect.
type collector struct {
	*Pair
	ctx    context.Context
	policy history.Policy
	at     time.Time // when it began
	ended  bool      // an epoch was ended
	done   history.Collected
}

// removeDeleted removes worlds whose time to be restored has passed, many in one Swap.
// Nobody changes the log of a deleted world, so it is as in the snapshot if the world is
// still deleted.
func (c *collector) removeDeleted() error {
	b := &batch{Pair: c.Pair, ctx: c.ctx}
	return c.atSnapshot(c.ctx, func(r record.Reads) error {
		err := r.Each([]byte{record.DeletedWorlds}, func(key, value []byte) (bool, error) {
			g, err := record.ParseDeleted(value)
			over := c.policy.DeletedOver(c.at, g.Deleted)
			if record.Nameless(key) { // or one that is being taken in
				over = c.at.Sub(g.Deleted) > adoptFor
			}
			if err != nil || !over {
				return true, err
			}
			world, err := removalOf(r, g.World, key, value)
			if err == nil {
				err = c.shorten(c.ctx, &world)
			}
			if errors.Is(err, history.ErrChanged) { // it was restored
				return true, nil
			}
			if err == nil {
				err = b.add(world.step(func() { c.done.Worlds++ }))
			}
			return true, err
		})
		if err == nil {
			err = b.flush()
		}
		return err
	})
}

// trim deletes the log entries that the policy does not keep, those of many worlds
// in one Swap. The newest entry of each log is a condition: as long as it is there, no
// older one is the head. Another world's archive may have replaced the log by a shorter
// one since the snapshot. A save changes the head, but not that entry, so it is no
// condition against saves.
func (c *collector) trim() error {
	b := &batch{Pair: c.Pair, ctx: c.ctx}
	return c.atSnapshot(c.ctx, func(r record.Reads) error {
		keep, err := r.Keeps(c.policy.Keep)
		if err != nil {
			return err
		}
		err = r.EachLog(func(w uint64, log []record.Entry) error {
			last := log[len(log)-1]
			newest := history.Record{Key: string(record.LogKey(w, last.Number)), Value: last.Value()}
			for some := range slices.Chunk(record.Trim(w, log, keep(w), c.at), changeSize) {
				st := step{conditions: []history.Record{newest}, done: func() { c.done.Commits += len(some) }}
				for _, change := range some {
					st.changes = append(st.changes, history.Record{Key: string(change.Key)})
				}
				if err := b.add(st); err != nil {
					return err
				}
			}
			return nil
		})
		return errors.Join(err, b.flush())
	})
}

// sweep removes packs, commits and stones that are not needed. Stones without grace
// are condemned by a first walk and deleted by a second. If others restart it for long, it
// leaves the rest to the next Collect, so that what comes after it is done.
func (c *collector) sweep() error {
	again := false
	sweep := func(b *batch, r record.Reads) error {
		need, err := r.Mark(c.ctx, c.Rand())
		if err != nil {
			return err
		}
		c.done.Condemned, again = 0, false
		for _, kind := range []byte{record.Packs, record.Commits, record.Stones} { // a stone is deleted after the records that name it
			err := r.Each([]byte{kind}, func(key, value []byte) (bool, error) {
				needed := need.Has(record.Thing(key))
				switch {
				case kind == record.Stones:
					return true, c.stone(b, key, value, needed, &again)
				case needed:
					return true, c.ctx.Err()
				}
				return true, b.add(replace(key, value, nil))
			})
			if err == nil {
				err = b.flush()
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	now, err := c.now(c.ctx)
	if err != nil {
		return err
	}
	until := now.Add(runsFor)
	if err = c.Pair.sweep(c.ctx, until, sweep); err == nil && again {
		err = c.Pair.sweep(c.ctx, until, sweep)
	}
	if errors.Is(err, errRestarted) {
		err = nil
	}
	return err
}

// stone condemns a stone that is not needed, and deletes it when its grace is over.
func (c *collector) stone(b *batch, key, value []byte, needed bool, again *bool) error {
	in, err := record.ParseInfo(value)
	if err != nil || needed && !in.Condemned {
		return err
	}
	next := in
	switch {
	case needed: // a call used it while it was condemned
		next.Condemned = false
	case !in.Condemned:
		next.Condemned, next.Since = true, c.at
		if c.policy.GraceOver(c.at, c.at) {
			*again = true
		} else {
			c.done.Condemned++
		}
	case in.Since.Sub(c.at) > maxClaim: // a clock was wrong: the grace begins again
		next.Since = c.at
		c.done.Condemned++
	case c.policy.GraceOver(c.at, in.Since):
		st := removeStone(key, value, in)
		st.done = func() {
			c.done.Stones++
			c.done.Bytes += in.Size
		}
		return b.add(st)
	default:
		c.done.Condemned++
		return nil
	}
	return b.add(replace(key, value, next.Value()))
}

// endEpochs ends epochs that began long ago. Those of this Store end
// first: it did not die, so no list is needed for them.
func (c *collector) endEpochs() error {
	if err := c.endUnused(c.ctx, func(e *epoch) bool { return !e.fresh(c.at) }); err != nil {
		return err
	}
	return c.atSnapshot(c.ctx, func(r record.Reads) error {
		return r.Each([]byte{running}, func(key, value []byte) (bool, error) {
			begun, err := record.ParseNumber(value)
			if err == nil && len(key) != len(epochKey(0)) {
				err = &stone.CorruptError{Part: "epoch", Err: fmt.Errorf("key %x", key)}
			}
			age := c.at.Sub(time.UnixMilli(int64(begun)))
			if err != nil || age <= epochEnds && age >= -epochEnds { // further ahead, a clock was wrong
				return true, err
			}
			c.ended = true
			return true, c.catalogue.Swap(c.ctx, nil, []history.Record{{Key: string(key)}})
		})
	})
}

// endClaims deletes the records of jobs that nobody has and that were not finished
// lately.
func (c *collector) endClaims() error {
	return c.atSnapshot(c.ctx, func(r record.Reads) error {
		return r.Each([]byte{claims}, func(key, value []byte) (bool, error) {
			j, err := parseClaim(value)
			if err != nil || !j.over(c.at) {
				return true, err
			}
			was := history.Record{Key: string(key), Value: bytes.Clone(value)}
			err = c.catalogue.Swap(c.ctx, []history.Record{was}, []history.Record{{Key: was.Key}})
			if errors.Is(err, history.ErrChanged) {
				err = nil
			}
			return true, err
		})
	})
}

// A list of all bytes is made once in listEvery, as a job, by whoever collects then:
// only a process that died, or a lost answer, leaves bytes that no record names.
const (
	listJob   = "list"
	listEvery = 20 * time.Hour
	listFor   = time.Hour
	// listRenews is how often the claim of the job is prolonged: a list of a large bucket
	// takes longer than listFor.
	listRenews = time.Minute
)

// errListTaken says that somebody else has the job, or that it is not time for it.
var errListTaken = errors.New("the list of all bytes is made by somebody else")

// orphans removes bytes that no record names if it is time, if an epoch was ended, or
// if the policy has no grace.
func (c *collector) orphans() error {
	every := listEvery
	if c.ended || c.policy.Grace < 0 {
		every = 0
	}
	holder := fmt.Sprintf("collect %016x", c.number())
	var claimed time.Time
	claim := func() error {
		now, err := c.now(c.ctx)
		if err != nil || now.Sub(claimed) < listRenews {
			return err
		}
		claimed = now
		got, err := c.Claim(c.ctx, listJob, holder, every, listFor)
		if err == nil && !got {
			err = errListTaken
		}
		return err
	}
	err := claim()
	got := err == nil
	if got {
		err = c.removeOrphans(claim)
	}
	switch {
	case errors.Is(err, errListTaken):
		return nil
	case !got:
		return err
	}
	end := c.Finish(context.WithoutCancel(c.ctx), listJob, holder, err == nil)
	if errors.Is(end, history.ErrFenced) {
		end = nil // it was lost at the end
	}
	return errors.Join(err, end)
}

// removeOrphans deletes bytes that no record names. No record will name them later:
// the epoch of their number is over, and its record is a condition of every change
// that uses such bytes. It calls claim before each page.
func (c *collector) removeOrphans(claim func() error) error {
	for after := ""; ; {
		if err := claim(); err != nil {
			return err
		}
		page, err := c.bucket.List(c.ctx, "", after, listSize)
		if err != nil || len(page) == 0 {
			return err
		}
		after = page[len(page)-1].Key
		keys := new(keySet)
		for _, info := range page {
			if id, number, ok := parseBytesKey(info.Key); ok {
				keys.add(string(epochKey(number)), string(record.StoneKey(id)))
			}
		}
		known, err := keys.get(c.ctx, c.catalogue, nil)
		if err != nil {
			return err
		}
		var orphans []string
		for _, info := range page {
			id, number, ok := parseBytesKey(info.Key)
			if !ok || known[string(epochKey(number))] != nil {
				continue
			}
			if value := known[string(record.StoneKey(id))]; value != nil {
				in, err := record.ParseInfo(value)
				if err != nil {
					return err
				}
				if in.Number == number {
					continue
				}
			}
			orphans = append(orphans, info.Key)
		}
		if err := c.removeAll(c.ctx, orphans); err != nil {
			return err
		}
	}
}

// listSize is how many keys are listed at a time.
const listSize = 1000
