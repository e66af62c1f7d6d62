package disk

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/internal/store/rules"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// Purge reads the logs of all worlds while other calls continue. Its memory grows with what
// the purged worlds reach.
func (s *Store) Purge(ctx context.Context, name string, fence uint64) (history.Purged, error) {
	p := &purger{Store: s, ctx: ctx, had: make(map[record.Thing]struct{})}
	err := s.calls.OnWorld(ctx, "purge", name, func() error {
		s.alone.Lock()
		defer s.alone.Unlock()
		err := p.unname(name, fence)
		for _, step := range []func() error{p.sweep, s.flush, p.removeFiles} {
			if err == nil {
				err = step()
			}
		}
		return err
	})
	return p.done, err
}

// purger is one Purge.
type purger struct {
	*Store
	ctx   context.Context
	had   map[record.Thing]struct{} // what only the purged worlds reach
	files []stone.ID                // files of deleted stones
	done  history.Purged
}

// unname removes the world with this name, or the worlds that were deleted under
// the name.
func (p *purger) unname(name string, fence uint64) error {
	return p.calls.Change(p.ctx, rules.Subject{World: name, Names: []string{name}}, func(d *rules.Proposal) (err error) {
		p.done.Worlds, err = d.Unname(p.ctx, name, fence, p.had, func(key []byte, w uint64) error {
			changes, err := d.Forget(key, w)
			d.Add(changes...)
			return err
		})
		return err
	})
}

// sweep removes what no other world reaches.
func (p *purger) sweep() error {
	snap := p.guard.begin(p.db)
	defer snap.Close()
	defer p.guard.end()
	r := frozen(snap)
	err := r.Spare(p.ctx, p.had, func(id stone.ID) error {
		in, ok, err := r.Info(id)
		if ok {
			p.done.SharedStones++
			p.done.SharedBytes += in.Size
		}
		return err
	})
	if err != nil {
		return err
	}
	rank := func(t record.Thing) int {
		return bytes.IndexByte([]byte{record.Packs, record.Commits, record.Stones}, t[0])
	} // a stone is deleted after the records that name it
	things := slices.SortedFunc(maps.Keys(p.had), func(a, b record.Thing) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), bytes.Compare(a[:], b[:]))
	})
	for some := range slices.Chunk(things, sweepBatch) {
		if err := errors.Join(p.ctx.Err(), p.deleteUnheld(some, p.takeOne)); err != nil {
			return err
		}
	}
	return nil
}

func (p *purger) takeOne(b *pebble.Batch, t record.Thing) error {
	if t.Kind() != record.Stones {
		if t.Kind() == record.Commits {
			p.done.Commits++
		}
		return b.Delete(t[:], nil)
	}
	id := stone.ID(t[1:])
	in, ok, err := p.live().Info(id)
	if !ok || err != nil {
		return err // a pack replaced it
	}
	if in.File {
		p.files = append(p.files, id)
	}
	p.done.Stones++
	p.done.Bytes += in.Size
	return errors.Join(b.Delete(t[:], nil), b.Delete(dataKey(id, in), nil))
}

func (p *purger) removeFiles() error {
	for _, id := range p.files {
		if err := p.removeFile(id); err != nil {
			return err
		}
	}
	return nil
}
