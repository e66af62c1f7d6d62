package memory

import (
	"context"
	"slices"
	"time"

	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/stone"
)

// Collect is for history.Stacks.
func (s *Store) Collect(ctx context.Context, p history.Policy) (history.Collected, error) {
	var done history.Collected
	if err := ctx.Err(); err != nil {
		return done, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	done.Worlds = s.bury(p, now)
	need := marks{make(map[history.ID]bool), make(map[stone.ID]bool)}
	for _, l := range s.lines() {
		done.Commits += s.trim(l, p.Keep, now)
		for _, at := range l.log {
			s.mark(need, at)
		}
	}
	s.sweep(need)
	for id, k := range s.stones {
		if need.stones[id] {
			continue
		}
		if k.condemned.IsZero() {
			k.condemned = now
		}
		if !p.GraceOver(now, k.condemned) {
			done.Condemned++
			continue
		}
		delete(s.stones, id)
		done.Stones++
		done.Bytes += int64(len(k.data))
	}
	return done, nil
}

// bury takes the worlds that were deleted long enough ago and says how many.
func (s *Store) bury(p history.Policy, now time.Time) int {
	n := 0
	for name, graves := range s.graves {
		kept := slices.DeleteFunc(graves, func(g grave) bool { return p.DeletedOver(now, g.deleted) })
		n += len(graves) - len(kept)
		s.graves[name] = kept
		if len(kept) == 0 {
			delete(s.graves, name)
		}
	}
	return n
}

// lines returns all worlds, the deleted ones with them.
func (s *Store) lines() []*line {
	var out []*line
	for _, l := range s.names {
		out = append(out, l)
	}
	for _, graves := range s.graves {
		for _, g := range graves {
			out = append(out, g.line)
		}
	}
	return out
}

// trim drops from the log of l what keep does not keep and says how many.
func (s *Store) trim(l *line, keep history.Retention, now time.Time) int {
	var times []time.Time
	for _, id := range slices.Backward(l.log) {
		times = append(times, s.commits[id].Time)
	}
	stays := keep.Keep(now, times)
	slices.Reverse(stays)
	var log []history.ID
	for i, id := range l.log {
		if stays[i] {
			log = append(log, id)
		}
	}
	dropped := len(l.log) - len(log)
	l.log = log
	return dropped
}

// marks are what is needed; a pack is where its commit is.
type marks struct {
	commits map[history.ID]bool
	stones  map[stone.ID]bool
}

// mark marks all that the stack of at needs, and the record of at.
func (s *Store) mark(need marks, at history.ID) {
	for at != (history.ID{}) && !need.commits[at] {
		need.commits[at] = true
		if p, ok := s.packs[at]; ok {
			need.stones[p.Stone.ID] = true
		} else {
			for _, ref := range s.commits[at].Stones {
				need.stones[ref.ID] = true
			}
		}
		at = s.below(at)
	}
}

// sweep drops commits and packs that are not needed.
func (s *Store) sweep(need marks) {
	for id := range s.commits {
		if !need.commits[id] {
			delete(s.commits, id)
		}
	}
	for upto := range s.packs {
		if !need.commits[upto] {
			delete(s.packs, upto)
		}
	}
}
