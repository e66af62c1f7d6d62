package pair

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/internal/store/rules"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// base is a Store below the rules.
type base struct{ s *Pair }

var _ rules.Base = base{}

func (b base) Enter() (leave func(), err error) { return b.s.running.Enter() }

func (b base) Now(ctx context.Context) (time.Time, error) { return b.s.now(ctx) }

func (b base) Number() uint64 { return b.s.number() }

func (b base) Ask(ctx context.Context, what func(record.Reads) error) error {
	return b.s.ask(ctx, what)
}

func (b base) AskAny(ctx context.Context, what func(record.Reads) error) error {
	return b.s.ask(ctx, what)
}

func (b base) Walk(ctx context.Context, what func(record.Reads) error) error {
	return b.s.atSnapshot(ctx, what)
}

func (b base) Change(ctx context.Context, about rules.Subject, what func(*rules.Proposal) error) error {
	return b.s.with(ctx, about.Stones, func(d *rules.Proposal, a *attempt) error {
		if err := a.ahead(d); err != nil {
			return err
		}
		return what(d)
	})
}

// helper is the rules.Helper of one draft.
type helper struct {
	s          *Pair
	a          *attempt
	conditions *conditions
	presumes   *presumed // may take records for missing without a look; nil if not
	restarts   bool
}

// presumeMissing takes a record for missing if nothing is known of it. This saves a call
// where a record is nearly always missing. The third try of a change reads it.
func (h *helper) presumeMissing(key []byte) {
	if p, k := h.presumes, string(key); p != nil {
		if _, ok := p.known[k]; !ok && !p.cache.has(k) {
			p.known[k] = nil
		}
	}
}

func (h *helper) Make(d *rules.Proposal, key, value []byte) error {
	if key[0] == record.Commits {
		h.presumeMissing(key)
	}
	had, err := d.Get(key)
	switch {
	case err != nil:
		return err
	case bytes.Equal(had, value):
		h.restartSweep(d)
	default:
		d.Set(key, value)
	}
	return nil
}

func (h *helper) Name(d *rules.Proposal, st history.Stone) (record.Info, error) {
	return h.a.name(d, st)
}

// Reuse spares a Collect in progress if it is certain that it deletes nothing of it.
func (h *helper) Reuse(d *rules.Proposal, w uint64, a history.Archive, had []record.Entry) (func(record.Thing), error) {
	reached, err := h.reaches(d, w, a, had)
	return func(t record.Thing) {
		if _, ok := reached[t]; !ok {
			h.restartSweep(d)
		}
	}, err
}

// restartSweep makes a Collect or a Purge in progress start again: it may be deleting what
// the change needs.
func (h *helper) restartSweep(d *rules.Proposal) {
	if !h.restarts {
		h.restarts = true
		d.Set([]byte(runKey), record.NumberValue(h.s.number()))
	}
}

// reaches returns the commits of an archive that the world reaches already, and their
// packs. No Collect under way deletes them, so the change need not restart one. All that
// leads to them are conditions: the packs and commits on the way, and the entries of the
// log, had, where the way begins. Otherwise a Collect could take such an entry out of the
// log first.
func (h *helper) reaches(d *rules.Proposal, w uint64, a history.Archive, had []record.Entry) (map[record.Thing]struct{}, error) {
	out := make(map[record.Thing]struct{})
	if len(had) == 0 {
		return out, nil
	}
	in := make(map[history.ID]struct{}, len(a.Commits))
	for i := range a.Commits {
		in[a.Commits[i].ID()] = struct{}{}
	}
	for _, e := range had {
		at := e.Commit
		if _, ok := in[at]; ok {
			h.conditions.require(string(record.LogKey(w, e.Number)), e.Value())
		}
		for {
			if _, ok := in[at]; !ok {
				break
			}
			delete(in, at) // the way down from here is known
			out[record.CommitThing(at)], out[record.PackThing(at)] = struct{}{}, struct{}{}
			below, err := d.Below(at)
			var corrupt *stone.CorruptError
			if errors.Is(err, history.ErrNoCommit) || errors.As(err, &corrupt) {
				break // the archive has it whole
			}
			if err != nil {
				return nil, err
			}
			at = below
		}
	}
	return out, nil
}
