package rules

import (
	"context"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// Stack implements history.Stacks.
func (s *Worlds) Stack(ctx context.Context, name string, at history.ID) (stack []history.Layer, err error) {
	err = s.calls.read(ctx, "stack", name, s.calls.AskAny, func(r record.Reads, w uint64) error {
		if at != (history.ID{}) {
			if _, err := r.Logged(w, at); err != nil {
				return err
			}
		}
		stack, err = stackOf(r, w, at)
		return err
	})
	return stack, err
}

func stackOf(r record.Reads, w uint64, at history.ID) ([]history.Layer, error) {
	if err := r.LogAhead(w); err != nil {
		return nil, err
	}
	return r.Stack(at)
}

// Layers returns what a Fetch of the commit at, or of the head, returns without the bytes.
func Layers(r record.Reads, name string, at history.ID) (f history.Fetched, err error) {
	w, err := r.World(name)
	if err != nil {
		return f, err
	}
	if f.Head.Commit = at; at == (history.ID{}) {
		f.Head, err = r.Head(w)
	} else {
		_, err = r.Logged(w, at)
	}
	if err == nil {
		f.Layers, err = stackOf(r, w, f.Head.Commit)
	}
	return f, err
}

// Reaches implements history.Reacher.
func (s *Worlds) Reaches(ctx context.Context, name string, id stone.ID) (ok bool, err error) {
	err = s.calls.read(ctx, "reaches", name, s.calls.Ask, func(r record.Reads, w uint64) error {
		ok, err = r.Reaches(w, id)
		return err
	})
	return ok, err
}

// PutPack implements history.Stacks.
func (s *Worlds) PutPack(ctx context.Context, name string, p history.Pack, st history.Stone) error {
	return s.calls.OnWorld(ctx, "pack", name, func() error {
		if err := p.Admit(st); err != nil {
			return err
		}
		about := Subject{World: name, Stays: true, Lossy: true, Stones: []history.Stone{st}, Room: int(st.Size()),
			Uses: []record.Thing{record.StoneThing(p.Stone.ID), record.PackThing(p.Upto)}}
		return s.calls.Change(ctx, about, func(d *Proposal) error {
			if err := d.Ahead(record.NameKey(name), record.CommitKey(p.Upto), record.PackKey(p.Upto)); err != nil {
				return err
			}
			w, err := d.World(name)
			if err != nil {
				return err
			}
			if err := d.Unconditional.LogAhead(w); err != nil {
				return err
			}
			if err := d.Fits(w, p); err != nil {
				return err
			}
			if _, err := d.Name(d, st); err != nil {
				return err
			}
			return d.Make(d, record.PackKey(p.Upto), record.PackValue(p))
		})
	})
}
