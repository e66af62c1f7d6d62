package pair

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// Salvage copies what can be read of the Store into another one, which has none of its
// worlds. Each world, and each deleted one, keeps the versions that can be read as a whole;
// the newest of them becomes the head. It returns what is lost of worlds, and what could
// not be read, at most 100 lines.
func (s *Store) Salvage(ctx context.Context, to history.ArchiveWriter) (lost []record.Hurt, unread []string, err error) {
	v := &salvage{checker: checker{Store: s, ctx: ctx}, to: to, given: make(map[stone.ID]bool)}
	err = s.calls.OnStore(ctx, "salvage", func() error {
		return s.look(ctx, func(r record.Reads) error {
			v.r = r
			return v.steps(v.named, v.deleted)
		})
	})
	v.report.End()
	return v.report.Hurt, v.report.Faults, err
}

// salvage is one Salvage.
type salvage struct {
	checker
	to    history.ArchiveWriter
	given map[stone.ID]bool // the stones seen so far, and whether they could be read
	stop  error             // of the other Store, or of the bucket that is away
}

func (v *salvage) named() error {
	return v.each(record.Names, func(key, value []byte) error {
		w, err := record.ParseNumber(value)
		if err != nil {
			v.report.Hurt = append(v.report.Hurt, record.Hurt{World: string(key[1:]), Newest: true})
			return err
		}
		return v.world(history.Outline{World: w, Name: string(key[1:])})
	})
}

func (v *salvage) deleted() error {
	return v.each(record.DeletedWorlds, func(key, value []byte) error {
		g, err := record.ParseDeleted(value)
		if err != nil || record.Doomed(key) {
			return err
		}
		return v.world(history.Outline{World: g.World, Name: record.NameOfDeleted(key), Deleted: g.Deleted})
	})
}

// world copies a world. Only the other Store ends it.
func (v *salvage) world(o history.Outline) error {
	if v.stop != nil {
		return nil
	}
	h := record.Hurt{World: o.Name, Deleted: !o.Deleted.IsZero()}
	was, err := v.r.Head(o.World)
	if err != nil {
		v.report.Fault("world %q: %v", o.Name, err)
		h.Newest = true
	}
	var good []history.ID
	err = v.r.Log(o.World, record.Newest, func(e record.Entry) (bool, error) {
		h.Versions++
		a, err := history.NewArchive(history.Outline{Name: o.Name, Head: history.Head{Commit: e.Commit}}, []history.ID{e.Commit}, v.r.Commit, v.pack)
		for _, ref := range a.Stones() {
			if err == nil && !v.stone(ref) {
				err = history.ErrGone
			}
		}
		if err == nil {
			good = append(good, e.Commit)
		} else {
			h.Lost++
		}
		return v.stop == nil, errors.Join(v.stop, v.ctx.Err())
	})
	if v.stop != nil || v.ctx.Err() != nil {
		return nil // steps ends
	}
	if err != nil {
		v.report.Fault("world %q: %v", o.Name, err)
		h.Newest = true
	}
	o.Head = history.Head{Fence: was.Fence}
	if len(good) > 0 {
		o.Head.Commit = good[0]
	}
	if h.Newest = h.Newest || o.Head.Commit != was.Commit; h.Newest || h.Lost > 0 {
		v.report.Hurt = append(v.report.Hurt, h)
	}
	if h.Newest && len(good) == 0 {
		return nil // nothing is left
	}
	a, err := history.NewArchive(o, good, v.r.Commit, v.pack)
	if err == nil {
		err = v.to.Adopt(v.ctx, a, history.Head{})
	}
	if err != nil {
		v.stop = fmt.Errorf("world %q: %w", o.Name, err)
	}
	return nil
}

// pack returns a pack whose stone can be read.
func (v *salvage) pack(at history.ID) (history.Pack, bool, error) {
	p, ok, err := v.r.Pack(at)
	if err != nil || !ok || !v.stone(p.Stone) {
		return p, false, nil // its commits may be there
	}
	return p, true, nil
}

// stone gives the other Store a stone if its bytes have the hash that names it, and reports
// whether it has it.
func (v *salvage) stone(ref history.StoneRef) bool {
	if ok, known := v.given[ref.ID]; known {
		return ok
	}
	err := v.give(ref)
	if errors.Is(err, history.ErrAway) || v.ctx.Err() != nil {
		v.stop = err
	} else if err != nil {
		v.report.Fault("stone %v: %v", ref.ID, err)
	}
	v.given[ref.ID] = err == nil
	return err == nil
}

func (v *salvage) give(ref history.StoneRef) error {
	in, data, err := locate(v.r, ref.ID)
	if err == nil && in.Size != ref.Size {
		err = history.ErrGone
	}
	if err == nil && data == nil {
		data, err = v.whole(v.ctx, ref.ID, in)
	}
	if err == nil && stone.ID(sha256.Sum256(data)) != ref.ID {
		err = &stone.CorruptError{Part: "stone", Err: errors.New("its bytes have another hash")}
	}
	if err != nil {
		return err
	}
	if err := v.to.Give(v.ctx, history.Stone{ID: ref.ID, Data: data}); err != nil {
		v.stop = err
	}
	return v.stop
}

// steps is that of checker. It ends when the other Store does not take something.
func (v *salvage) steps(steps ...func() error) error {
	for _, step := range steps {
		if err := v.checker.steps(step); err != nil || v.stop != nil {
			return errors.Join(err, v.stop)
		}
	}
	return nil
}
