package arena

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/game/edit"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/world"
)

// Kinds of what a Restore may leave as it is.
const (
	Biomes  = "biomes"
	Objects = "objects"
	Columns = "columns"
)

// Kinds returns what RestoreOptions.Without may hold.
func Kinds() []string { return []string{Biomes, Columns, Objects} }

// RestoreOptions say what to restore. The zero value is what the snapshot is of.
type RestoreOptions struct {
	Area              // only what lies in it as well
	Without  []string // Kinds that stay as they are
	Priority int      // in the Queue
}

// Restore is operations in a Queue that bring back what a snapshot has. Any number of
// goroutines may use it.
type Restore struct {
	futures []*edit.Future
	from    *world.Snapshot
}

// Start adds to a Queue what brings the snapshot back to an arena. An arena whose Dimension is
// empty stands for all dimensions of its world. Restore.Wait has to be called.
func (s *Snapshot) Start(ctx context.Context, st history.Store, q *edit.Queue, a *edit.Arena, o RestoreOptions) (*Restore, error) {
	for _, kind := range o.Without {
		if !slices.Contains(Kinds(), kind) {
			return nil, areaError{fmt.Errorf("arena: without %q: want some of %q", kind, Kinds())}
		}
	}
	if a.Dimension != "" {
		o.Area.Dimension = a.Dimension
	}
	what, err := o.Area.Within(s.Area)
	if err != nil {
		return nil, err
	}
	from, err := world.OpenSnapshot(ctx, st, s.Stored(), s.Commit.ID(), world.Options{})
	if err != nil {
		return nil, err
	}
	in, err := what.find(ctx, st, a.World, volumesOf(from)...)
	if err != nil {
		return nil, errors.Join(err, from.Close())
	}
	r := &Restore{from: from}
	for _, d := range from.About().Dimensions {
		if !slices.Contains(in.dimensions, d.Name) {
			continue
		}
		at := a
		if a.Dimension != d.Name {
			at = new(edit.Arena)
			*at = *a
			at.Dimension = d.Name
		}
		back := &edit.Restore{Snapshot: from, Region: in.in, Mask: in.names,
			Biomes: !slices.Contains(o.Without, Biomes), Objects: !slices.Contains(o.Without, Objects), Columns: !slices.Contains(o.Without, Columns), Light: true}
		if in.masked() {
			back.Biomes, back.Columns = false, false
		}
		r.futures = append(r.futures, q.Add(at, back, o.Priority))
	}
	return r, nil
}

// Progress returns how far the restore is.
func (r *Restore) Progress() (p edit.Progress) {
	for _, f := range r.futures {
		one := f.Progress()
		p.Chunks += one.Chunks
		p.Done += one.Done
		p.Failed += one.Failed
		p.Cells += one.Cells
	}
	return p
}

// Failures returns the chunks that failed, at most the first 64 of each dimension.
func (r *Restore) Failures() (all []edit.Event) {
	for _, f := range r.futures {
		all = append(all, f.Failures()...)
	}
	return all
}

// Cancel ends the restore at the next Step of the Queue. What was done stays done.
func (r *Restore) Cancel() { r.each((*edit.Future).Cancel) }

// Pause keeps the restore from going on until Resume.
func (r *Restore) Pause() { r.each((*edit.Future).Pause) }

// Resume undoes Pause.
func (r *Restore) Resume() { r.each((*edit.Future).Resume) }

func (r *Restore) each(do func(*edit.Future)) {
	for _, f := range r.futures {
		do(f)
	}
}

// Ended reports whether the restore has ended.
func (r *Restore) Ended() bool {
	return !slices.ContainsFunc(r.futures, func(f *edit.Future) bool { return !f.Ended() })
}

// Wait waits for the end and lets go of the snapshot. It is called once. The error wraps
// edit.ErrCanceled if the restore was canceled. If chunks failed, Progress says how many, the
// error is that of the first, and the others are restored.
func (r *Restore) Wait() (edit.Progress, error) {
	var failed error
	for _, f := range r.futures {
		if _, err := f.Wait(context.Background()); err != nil && failed == nil {
			failed = err
		}
	}
	return r.Progress(), errors.Join(failed, r.from.Close())
}

// Run restores a world that nobody else changes, as fast as it goes. If ctx ends, so does the
// restore. show, which may be nil, is called with the progress several times a second.
func (s *Snapshot) Run(ctx context.Context, st history.Store, w *world.World, o RestoreOptions, show func(edit.Progress)) (edit.Progress, error) {
	var r *Restore
	err := edit.Run(ctx, func(q *edit.Queue) (_ []*edit.Future, err error) {
		if r, err = s.Start(ctx, st, q, &edit.Arena{World: w, Light: edit.Pending{}}, o); err != nil {
			return nil, err
		}
		return r.futures, nil
	}, func() {
		if show != nil {
			show(r.Progress())
		}
	})
	if err != nil {
		return edit.Progress{}, err
	}
	p, err := r.Wait()
	return p, errors.Join(ctx.Err(), err)
}
