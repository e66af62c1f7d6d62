// Package rules has the calls of a history.Store that are about records: what a call reads,
// whether it is permitted, and what it changes. It has no disk and no network. A store that
// implements Base embeds Worlds and so has these calls; what is left to it is how records are
// read, how a change is made in one step, and where the bytes of stones are.
//
// Begin with Worlds.Commit in commits.go. store/disk and store/pair stand on it.
package rules

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/store/history"
)

// Base is a store below the rules. All methods are safe for any number of goroutines.
type Base interface {
	// Enter begins a call, or says why none can begin.
	Enter() (leave func(), err error)
	Now(ctx context.Context) (time.Time, error)
	// Ask calls what with records of one moment, perhaps several times.
	Ask(ctx context.Context, what func(record.Reads) error) error
	// AskAny is Ask, but if what finds no contradiction, the records may be of several
	// moments.
	AskAny(ctx context.Context, what func(record.Reads) error) error
	// Walk is Ask for calls that read many records.
	Walk(ctx context.Context, what func(record.Reads) error) error
	// Change calls what to decide a change, perhaps several times, and makes the change in
	// one step if nothing that what read is otherwise by then. Without changes it does
	// nothing.
	Change(ctx context.Context, about Subject, what func(*Proposal) error) error
	// Number returns a number for a new world.
	Number() uint64
}

// Subject says what a change is about, so that a store can lock it, hold it and make room.
type Subject struct {
	World  string // nobody else changes the world of this name meanwhile; "" if there is none
	Stays  bool   // others may change the world, but no commit of it is deleted
	Names  []string
	Stones []history.Stone // whose bytes come with the change
	Uses   []record.Thing  // what the change names or makes, these stones too
	Room   int             // how many bytes the change takes, about; 0 if it is allowed when there is no room
	Lossy  bool            // a crash may lose the change
}

// Proposal is a change in preparation. A record that is read through it stays as it is until
// the change is made, but for those of a range of keys.
type Proposal struct {
	record.Reads
	Now           time.Time // before the records are read
	Changes       []record.Change
	Unconditional record.Reads // reads records that may change
	ID            history.ID   // the commit that becomes a head, if any
	Commit        history.Commit
	Helper
}

// Helper is what a store does for a Proposal.
type Helper interface {
	// Make sets a record of a commit or a pack which a Collect may be deleting now.
	Make(d *Proposal, key, value []byte) error
	// Name makes the record of a stone of Subject, or makes the stone needed again if it is
	// there.
	Name(d *Proposal, st history.Stone) (record.Info, error)
	// Reuse returns what is called for each record of an archive that is there already and
	// that a Collect may be deleting now. had is the world's log.
	Reuse(d *Proposal, w uint64, a history.Archive, had []record.Entry) (func(record.Thing), error)
}

// Set changes a record. A nil value removes it.
func (d *Proposal) Set(key, value []byte) {
	d.Changes = append(d.Changes, record.Change{Key: key, Value: value})
}

// Add adds changes.
func (d *Proposal) Add(changes ...record.Change) { d.Changes = append(d.Changes, changes...) }

// Worlds has the calls of a history.Store that are about records.
type Worlds struct{ calls *Runner }

// Worlds returns the calls of the store.
func (s *Runner) Worlds() Worlds { return Worlds{s} }

// Runner begins and ends the calls of a store.
type Runner struct {
	Base
	Kind string // of the store; errors begin with it
}

// OnStore makes a call about the whole store.
func (s *Runner) OnStore(ctx context.Context, op string, what func() error) error {
	return s.On(ctx, op, "", what)
}

// OnWorld makes a call about the world with a name.
func (s *Runner) OnWorld(ctx context.Context, op, name string, what func() error) error {
	if err := history.CheckName(name); err != nil {
		return s.Fail(op, name, err)
	}
	return s.On(ctx, op, name, what)
}

// On makes a call about something.
func (s *Runner) On(ctx context.Context, op, of string, what func() error) error {
	if err := ctx.Err(); err != nil {
		return s.Fail(op, of, err)
	}
	leave, err := s.Enter()
	if err != nil {
		return s.Fail(op, of, err)
	}
	defer leave()
	return s.Fail(op, of, what())
}

// Fail adds the call, and what it is about, to an error.
func (s *Runner) Fail(op, of string, err error) error {
	switch {
	case err == nil:
		return nil
	case of == "":
		return fmt.Errorf("%s: %s: %w", s.Kind, op, Away(err))
	}
	return fmt.Errorf("%s: %s %q: %w", s.Kind, op, of, Away(err))
}

// Away adds history.ErrAway to an error that says that a bucket is away.
func Away(err error) error {
	if errors.Is(err, blob.ErrAway) && !errors.Is(err, history.ErrAway) {
		err = fmt.Errorf("%w: %w", history.ErrAway, err)
	}
	return err
}

// asking is Ask, AskAny or Walk.
type asking = func(context.Context, func(record.Reads) error) error

// read is OnWorld for calls that read records.
func (s *Runner) read(ctx context.Context, op, name string, ask asking, what func(r record.Reads, w uint64) error) error {
	return s.OnWorld(ctx, op, name, func() error {
		return ask(ctx, func(r record.Reads) error {
			w, err := r.World(name)
			if err == nil {
				err = what(r, w)
			}
			return err
		})
	})
}

// ChangeWorld is OnWorld for calls that change records. what may be called several times.
func (s *Runner) ChangeWorld(ctx context.Context, op string, about Subject, what func(d *Proposal, w uint64) error) error {
	return s.OnWorld(ctx, op, about.World, func() error {
		return s.Change(ctx, about, func(d *Proposal) error {
			w, err := d.World(about.World)
			if err == nil {
				err = what(d, w)
			}
			return err
		})
	})
}
