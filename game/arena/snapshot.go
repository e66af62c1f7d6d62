package arena

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/internal/game/masks"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// Snapshot is a named snapshot of a world.
type Snapshot struct {
	World, Name string
	// Commit is the head of the fork. Its author and its time are those of the snapshot.
	Commit  history.Commit
	Message string
	Area    // to restore
}

// Stored returns the name of the fork.
func (s *Snapshot) Stored() string {
	full, err := SnapshotName(s.World, s.Name)
	if err != nil {
		panic("arena: a snapshot has a name that was checked: " + err.Error())
	}
	return full
}

// SaveOptions of Save. The zero value saves everything.
type SaveOptions struct {
	Area
	At              history.ID // a version of the world; zero: the newest
	Message, Author string
	Replace         bool // in place of a snapshot of that name, which stays if the save fails
}

// Save saves a version of a stored world as a snapshot. It costs the same for each world, and
// nobody needs to hold a lease. The error wraps history.ErrExists if there is a snapshot of that name.
func Save(ctx context.Context, st history.Store, name, snapshot string, o SaveOptions) (*Snapshot, error) {
	return save(ctx, st, name, snapshot, o, func(full, message string) (history.Commit, error) {
		at := o.At
		if at == (history.ID{}) {
			head, err := st.Head(ctx, name)
			if err == nil && head.Commit == (history.ID{}) {
				err = fmt.Errorf("arena: %s: %w", name, history.ErrNoCommit)
			}
			if err != nil {
				return history.Commit{}, err
			}
			at = head.Commit
		}
		if err := o.check(ctx, st, name, at); err != nil {
			return history.Commit{}, err
		}
		if err := st.Fork(ctx, name, at, full); err != nil {
			return history.Commit{}, err
		}
		next := history.Commit{Parent: at, Base: at, Author: o.Author, Message: message}
		c, err := st.Commit(ctx, full, history.Head{Commit: at}, next)
		if err != nil {
			err = errors.Join(err, st.Delete(context.WithoutCancel(ctx), full, 0)) // who may only write may not force
		}
		return c, err
	})
}

// SaveCapture saves a moment of an open world as a snapshot, with what no commit of the world
// holds yet. The author is that of the world; At does not count.
func SaveCapture(ctx context.Context, st history.Store, c *world.Capture, name, snapshot string, o SaveOptions) (*Snapshot, error) {
	return save(ctx, st, name, snapshot, o, func(full, message string) (history.Commit, error) {
		return c.Save(ctx, full, message)
	})
}

func save(ctx context.Context, st history.Store, name, snapshot string, o SaveOptions, do func(full, message string) (history.Commit, error)) (*Snapshot, error) {
	full, err := SnapshotName(name, snapshot)
	if err != nil {
		return nil, err
	}
	if err := o.Area.Check(); err != nil {
		return nil, err
	}
	message, err := o.Area.append(o.Message)
	if err == nil {
		err = history.Commit{Author: o.Author, Message: message}.Check()
	}
	if err != nil {
		return nil, fmt.Errorf("arena: save %s: %w", full, err)
	}
	c, err := do(full, message)
	if !errors.Is(err, history.ErrExists) {
		return made(name, snapshot, c, err)
	}
	_, there := Find(ctx, st, name, snapshot)
	if there == nil && !o.Replace || there != nil && !errors.Is(there, errUnfinished) {
		return nil, errors.Join(err, there)
	}
	aside := full[:len(full)-max(0, len(snapshot)+len(replaced)-history.MaxPart)] + replaced
	if there != nil {
		err = st.Delete(ctx, full, 0)
	} else {
		err = st.Rename(ctx, full, aside, 0)
	}
	if err != nil {
		return nil, err
	}
	if c, err = do(full, message); there == nil {
		beside := context.WithoutCancel(ctx)
		if err != nil {
			err = errors.Join(err, st.Rename(beside, aside, full, 0))
		} else {
			err = st.Delete(beside, aside, 0)
		}
	}
	return made(name, snapshot, c, err)
}

// replaced is the end of a snapshot's name while another takes its place. If that is interrupted, a
// snapshot of this name stays.
const replaced = "-replaced"

func made(name, snapshot string, c history.Commit, err error) (*Snapshot, error) {
	if err != nil {
		return nil, err
	}
	s, ok := fromCommit(name, snapshot, c)
	if !ok {
		return nil, fmt.Errorf("arena: snapshot %q of %s: %w", snapshot, name, errUnfinished)
	}
	return s, nil
}

var (
	// errUnfinished says that the save of a snapshot was interrupted between the fork and its commit.
	errUnfinished = errors.New("its save was interrupted; save it again, or delete it")
	// errWorld says that a world which is no snapshot has the name of one.
	errWorld = errors.New("it is a world of its own and no snapshot")
)

// check checks that a version has the dimension and the names of the mask.
func (o *SaveOptions) check(ctx context.Context, st history.Store, name string, at history.ID) error {
	mask, err := region.ParseMask(o.Mask)
	if err != nil || o.Dimension == "" && mask.Names().String() == "" {
		return err
	}
	s, err := world.OpenSnapshot(ctx, st, name, at, world.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	var have []string
	for _, d := range s.About().Dimensions {
		have = append(have, d.Name)
	}
	if o.Dimension != "" && !slices.Contains(have, o.Dimension) {
		return areaError{fmt.Errorf("arena: %s: no dimension %q; there are %q", name, o.Dimension, have)}
	}
	if err := masks.Check(mask, volumesOf(s)); err != nil {
		return areaError{fmt.Errorf("arena: %s: %w", name, err)}
	}
	return nil
}

// volumesOf returns the volumes of all dimensions of a version.
func volumesOf(s *world.Snapshot) (all []stone.VolumeInfo) {
	for _, d := range s.About().Dimensions {
		all = append(all, d.Volumes...)
	}
	return all
}

// fromCommit returns the snapshot whose fork has the head c. ok is false if c is not of a snapshot.
func fromCommit(name, snapshot string, c history.Commit) (s *Snapshot, ok bool) {
	s = &Snapshot{World: name, Name: snapshot, Commit: c}
	s.Message, s.Area, ok = splitMessage(c.Message)
	return s, ok
}

// NoSnapshotError says that a world has no snapshot of a name. It wraps history.ErrNoWorld.
type NoSnapshotError struct{ World, Snapshot string }

func (e NoSnapshotError) Error() string {
	return fmt.Sprintf("arena: %s has no snapshot %q", e.World, e.Snapshot)
}

// Unwrap returns history.ErrNoWorld.
func (e NoSnapshotError) Unwrap() error { return history.ErrNoWorld }

// Find finds a snapshot of a world. The error is a NoSnapshotError if there is none. One whose
// save was interrupted is an error that says so; the next save under its name replaces it. So is a
// world of that name that somebody made in another way; no save replaces that.
func Find(ctx context.Context, st history.Store, name, snapshot string) (*Snapshot, error) {
	full, err := SnapshotName(name, snapshot)
	if err != nil {
		return nil, err
	}
	log, err := st.Log(ctx, full, history.ID{}, 2)
	if errors.Is(err, history.ErrNoWorld) {
		return nil, NoSnapshotError{name, snapshot}
	}
	if err != nil {
		return nil, err
	}
	if len(log) > 0 {
		if s, ok := fromCommit(name, snapshot, log[0]); ok {
			return s, nil
		}
	}
	why := errUnfinished // it has only a version of its world
	if len(log) > 0 {
		_, err = st.Log(ctx, name, log[0].ID(), 1)
		switch missing := errors.Is(err, history.ErrNoCommit) || errors.Is(err, history.ErrNoWorld); {
		case err != nil && !missing:
			return nil, err
		case missing || len(log) > 1:
			why = errWorld
		}
	}
	return nil, fmt.Errorf("arena: snapshot %q of %s: %w", snapshot, name, why)
}

// List returns the snapshots of a world by name. There may be some of a world that was deleted or
// renamed; the error wraps history.ErrNoWorld if there are neither.
func List(ctx context.Context, st history.Store, name string) (all []*Snapshot, err error) {
	probe, err := SnapshotName(name, "x")
	if err != nil {
		return nil, err
	}
	prefix, after := probe[:len(probe)-1], ""
	const page = 1000
	for {
		names, err := st.List(ctx, prefix, after, page)
		if err != nil {
			return nil, err
		}
		for _, full := range names {
			after = full
			_, snapshot, ok := SplitSnapshotName(full)
			if !ok {
				continue // a world below it
			}
			s, err := Find(ctx, st, name, snapshot)
			if errors.Is(err, history.ErrNoWorld) || errors.Is(err, errUnfinished) || errors.Is(err, errWorld) {
				continue // deleted since it was listed, or just being made
			}
			if err != nil {
				return nil, err
			}
			all = append(all, s)
		}
		if len(names) < page {
			break
		}
	}
	if len(all) == 0 {
		_, err = st.Head(ctx, name)
	}
	return all, err
}

// Delete deletes a snapshot, also one whose save was interrupted. Like each world it can be undeleted
// for a while.
func Delete(ctx context.Context, st history.Store, name, snapshot string) error {
	if _, err := Find(ctx, st, name, snapshot); err != nil && !errors.Is(err, errUnfinished) {
		return err
	}
	return st.Delete(ctx, (&Snapshot{World: name, Name: snapshot}).Stored(), 0)
}

// DeleteAll deletes all snapshots of a world, also of one that was deleted, and returns how many. Snapshots belong to
// a name: whoever deletes a world leaves them, and a world that is made anew under the name has them
// again. Who does not want that deletes them too.
func DeleteAll(ctx context.Context, st history.Store, name string) (n int, err error) {
	all, err := List(ctx, st, name)
	if errors.Is(err, history.ErrNoWorld) {
		return 0, nil
	}
	for _, s := range all {
		if err := st.Delete(ctx, s.Stored(), 0); err != nil {
			return n, err
		}
		n++
	}
	return n, err
}

// Rename gives a world and its snapshots another name, and returns how many snapshots there are.
// If it fails halfway, some snapshots keep their name.
func Rename(ctx context.Context, st history.Store, from, to string, fence uint64) (snapshots int, err error) {
	if err := st.Rename(ctx, from, to, fence); err != nil {
		return 0, err
	}
	if _, _, ok := SplitSnapshotName(from); ok {
		return 0, nil
	}
	all, err := List(ctx, st, from)
	if errors.Is(err, history.ErrNoWorld) {
		err = nil // there are none
	}
	for _, s := range all {
		full, err := SnapshotName(to, s.Name)
		if err == nil {
			err = st.Rename(ctx, s.Stored(), full, 0)
		}
		if err != nil {
			return snapshots, fmt.Errorf("arena: %s is %s now, but not its snapshot %q: %w", from, to, s.Name, err)
		}
		snapshots++
	}
	return snapshots, err
}

// Kept returns the bytes of stones that the snapshot needs and the newest version of its world
// does not. If the world is gone, all of its stones count.
func (s *Snapshot) Kept(ctx context.Context, st history.Store) (n int64, err error) {
	used := make(map[history.StoneRef]bool)
	head, err := st.Head(ctx, s.World)
	if err == nil && head.Commit != (history.ID{}) {
		stack, err := st.Stack(ctx, s.World, head.Commit)
		if err != nil {
			return 0, err
		}
		for _, l := range stack {
			used[l.Stone] = true
		}
	} else if err != nil && !errors.Is(err, history.ErrNoWorld) {
		return 0, err
	}
	stack, err := st.Stack(ctx, s.Stored(), s.Commit.ID())
	for _, l := range stack {
		if !used[l.Stone] {
			n += l.Stone.Size
		}
	}
	return n, err
}
