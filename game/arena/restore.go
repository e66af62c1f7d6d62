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

// Kinds of data that a restore may leave as they are.
const (
	Biomes  = "biomes"
	Objects = "objects"
	Columns = "columns"
)

// Kinds returns the valid elements of RestoreOptions.Without.
func Kinds() []string { return []string{Biomes, Columns, Objects} }

// RestoreOptions limit a restore. The zero value restores the whole Area of the snapshot.
type RestoreOptions struct {
	Area              // restore only cells within it
	Without  []string // Kinds that stay as they are
	Priority int      // in the Queue
}

// Start adds the restore of the snapshot to a Queue. An arena whose Dimension is
// empty stands for all dimensions of its world. then, which may be nil, is called beside the game when the
// restore has ended, with its progress and its first error.
func (s *Snapshot) Start(ctx context.Context, st history.Store, q *edit.Queue, a *edit.Arena, o RestoreOptions, then func(edit.Progress, error) (history.Commit, error)) (*edit.Operation, error) {
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
	var all []edit.On
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
		all = append(all, edit.On{Arena: at, Task: back})
	}
	return q.AddAll(o.Priority, func(p edit.Progress, err error) (made history.Commit, end error) {
		if then != nil {
			made, end = then(p, err)
		}
		return made, errors.Join(end, from.Close())
	}, all...), nil
}

// Run restores a world that nobody else changes, as fast as it goes. If ctx ends, so does the
// restore. show, which may be nil, is called with the progress several times a second.
func (s *Snapshot) Run(ctx context.Context, st history.Store, w *world.World, o RestoreOptions, show func(edit.Progress)) (edit.Progress, error) {
	did, err := edit.Run(ctx, func(q *edit.Queue) (*edit.Operation, error) {
		return s.Start(ctx, st, q, &edit.Arena{World: w, Light: edit.WorldLight{}}, o, nil)
	}, show)
	return did.Progress, errors.Join(ctx.Err(), err)
}
