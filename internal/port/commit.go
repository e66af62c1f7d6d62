package port

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/world"
)

// Note is the metadata of a commit and the conditions for making it.
type Note struct {
	Author, Message string
	Time            time.Time // of the version; zero for the store's clock
	// Fence is the number of the caller's lease, 0 without one; see history.Store.
	Fence uint64
	// On is the expected head: zero for a world without commits, nil for any head.
	On *history.ID
	// MaxBytes bounds the memory for opening the world. Above it the error is
	// convert.ErrTooLarge. 0 is no bound.
	MaxBytes int64
	// Cache is where pages of the world and of the stone are read through. Default: one for
	// each.
	Cache stone.PageCache
}

// check fails if the head is not the one that the note expects.
func (n Note) check(name string, head history.ID) error {
	if n.On != nil && *n.On != head {
		return fmt.Errorf("port: %s: head %v, want %v: %w", name, head, *n.On, history.ErrConflict)
	}
	return nil
}

// CommitStone makes a stone with a whole world the newest version of a world: the first commit of a
// new world, or a commit of the differences. If nothing differs, same is true and c is the
// head's commit. If someone else changed the world meanwhile, the error is history.ErrConflict.
func CommitStone(ctx context.Context, st history.Store, name string, whole history.Stone, n Note) (c history.Commit, same bool, err error) {
	r, err := stone.Open(whole.Open(), whole.Size())
	if err != nil {
		return c, false, err
	}
	head, err := st.Head(ctx, name)
	made := errors.Is(err, history.ErrNoWorld)
	if err != nil && !made {
		return c, false, err
	}
	if err := n.check(name, head.Commit); err != nil {
		return c, false, err
	}
	if head.Commit == (history.ID{}) {
		c, err = firstCommit(ctx, st, name, made, whole, n)
		return c, false, err
	}
	if n.Cache != nil {
		r = r.Through(n.Cache, whole.ID)
	}
	return commitDifference(ctx, st, name, r, n)
}

// firstCommit makes the stone the first commit of a world. It also creates the world if told to.
func firstCommit(ctx context.Context, st history.Store, name string, make bool, whole history.Stone, n Note) (history.Commit, error) {
	if make {
		if err := st.Create(ctx, name); err != nil {
			return history.Commit{}, err
		}
	}
	c := history.Commit{Time: n.Time, Author: n.Author, Message: n.Message, Stones: []history.StoneRef{whole.Ref()}}
	c, err := st.Commit(ctx, name, history.Head{Fence: n.Fence}, c, whole)
	if err != nil && make {
		err = errors.Join(err, st.Delete(context.WithoutCancel(ctx), name, 0))
	}
	return c, err
}

// commitDifference makes a world equal to a stone by a commit of what differs.
func commitDifference(ctx context.Context, st history.Store, name string, to *stone.Reader, n Note) (c history.Commit, same bool, err error) {
	if err := openable(ctx, st, name, n.MaxBytes); err != nil {
		return c, false, err
	}
	w, err := world.Open(ctx, st, name, world.Options{Author: n.Author, Time: n.Time, Fence: n.Fence, Cache: n.Cache})
	if err != nil {
		return c, false, err
	}
	before := w.Head()
	if err = n.check(name, before); err == nil {
		err = fits(w.View(), to.Dimensions())
	}
	if err == nil {
		err = replace(ctx, w, to)
	}
	if err == nil {
		c, err = w.Commit(ctx, n.Message)
	}
	return c, err == nil && c.ID() == before, errors.Join(err, w.Close())
}

// replace makes a world equal to a stone, but for files that are the same NBT.
func replace(ctx context.Context, w *world.World, to *stone.Reader) error {
	have, err := w.Snapshot()
	if err != nil {
		return err
	}
	defer have.Close()
	_, err = w.Replace(ctx, sameFiles{to, have})
	return err
}

// openable fails if opening the world for changes takes more than maxBytes; 0 is no bound.
func openable(ctx context.Context, st history.Store, name string, maxBytes int64) error {
	if maxBytes <= 0 {
		return nil
	}
	head, err := st.Head(ctx, name)
	if err != nil {
		return err
	}
	s, err := world.OpenSnapshot(ctx, st, name, head.Commit, world.Options{})
	if err != nil {
		return err
	}
	if inspect.IndexBytes(s, maxBytes) > maxBytes {
		err = convert.ErrTooLarge
	}
	return errors.Join(err, s.Close())
}

// fits fails if a volume and the volume of that name in the world are of different
// kinds.
func fits(v *world.View, to []stone.DimensionInfo) error {
	for _, d := range to {
		have := v.Dimension(d.Name)
		for _, want := range d.Volumes {
			if have == nil || have.Volume(want.Volume.Name) == nil {
				continue
			}
			u, same := have.Volume(want.Volume.Name), false
			if u.Schema == voxel.Palette && int(want.Default) < len(want.Names) {
				same = u.CellName(u.Default()) == want.Names[want.Default]
			} else {
				same = u.Default() == want.Default
			}
			if !same || u.Schema != want.Schema || u.Scale != want.Scale {
				return fmt.Errorf("port: volume %q of %s is another in that world: %w", want.Volume.Name, d.Name, ErrHolds)
			}
		}
	}
	return nil
}
