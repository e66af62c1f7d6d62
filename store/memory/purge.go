package memory

import (
	"context"

	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/stone"
)

// Purge is for history.Store.
func (s *Store) Purge(ctx context.Context, name string, fence uint64) (history.Purged, error) {
	if err := begin(ctx, name); err != nil {
		return history.Purged{}, fail("purge", name, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	taken, err := s.exhume(name, fence)
	if err != nil {
		return history.Purged{}, fail("purge", name, err)
	}
	return s.take(s.reached(taken), s.reached(s.lines()), len(taken)), nil
}

// exhume takes away the world of a name, or those that were deleted under it.
func (s *Store) exhume(name string, fence uint64) ([]*line, error) {
	if s.names[name] != nil {
		l, err := s.under(name, fence)
		if err != nil {
			return nil, err
		}
		delete(s.names, name)
		return []*line{l}, nil
	}
	graves := s.graves[name]
	if len(graves) == 0 {
		return nil, history.ErrNoWorld
	}
	if err := (history.Lease{}).Admit(fence, s.now()); err != nil {
		return nil, err
	}
	delete(s.graves, name)
	var out []*line
	for _, g := range graves {
		out = append(out, g.line)
	}
	return out, nil
}

// reached returns all that worlds reach.
func (s *Store) reached(lines []*line) marks {
	m := marks{make(map[history.ID]bool), make(map[stone.ID]bool)}
	for _, l := range lines {
		for _, at := range l.log {
			for ; at != (history.ID{}) && !m.commits[at]; at = s.below(at) {
				m.commits[at] = true
				if p, ok := s.packs[at]; ok {
					m.stones[p.Stone.ID] = true
				}
				for _, ref := range s.commits[at].Stones {
					m.stones[ref.ID] = true
				}
			}
		}
	}
	return m
}

// take deletes what is in had and not in need.
func (s *Store) take(had, need marks, worlds int) history.Purged {
	done := history.Purged{Worlds: worlds}
	for id := range had.commits {
		if !need.commits[id] {
			delete(s.commits, id)
			delete(s.packs, id)
			done.Commits++
		}
	}
	for id := range had.stones {
		k := s.stones[id]
		switch {
		case k == nil: // a pack stands for it
		case need.stones[id]:
			done.SharedStones++
			done.SharedBytes += int64(len(k.data))
		default:
			delete(s.stones, id)
			done.Stones++
			done.Bytes += int64(len(k.data))
		}
	}
	return done
}
