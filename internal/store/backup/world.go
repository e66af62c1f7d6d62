package backup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/archive"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// WorldOptions of RestoreWorld. The zero value is the default.
type WorldOptions struct {
	Backup string    // as in RestoreOptions; with At it is the only backup that counts
	At     time.Time // the newest version that is not after this time; default the newest
	As     string    // the name of the restored world; default its own
}

// RestoredWorld says what RestoreWorld did.
type RestoredWorld struct {
	Backup  string     `json:"backup"`
	World   string     `json:"world"`
	As      string     `json:"as"`
	Version uint64     `json:"version"` // the newest that was restored
	Commit  history.ID `json:"-"`
	Time    time.Time  `json:"time"` // of that version
	Stones  int        `json:"stones"`
	Bytes   int64      `json:"bytes"`
	// Unsealed is as in Restored.
	Unsealed []string `json:"unsealed,omitempty"`
}

// RestoreWorld puts one world of a backup into a Store, with its history up to the
// version that it restores. With At it looks at two backups, the last one before
// that time and the first one after it, and there at the world with the name and at
// all that were deleted under it, and takes the version that is nearer. A backup that
// is damaged there counts as none, if another has the world. The error is history.ErrExists if the Store has a world of that name with versions,
// and history.ErrNoWorld if the backups do not have the world.
func (b *Backups) RestoreWorld(ctx context.Context, to history.Archiver, world string, o WorldOptions) (RestoredWorld, error) {
	done := RestoredWorld{World: world, As: o.As}
	if done.As == "" {
		done.As = world
	}
	m, a, places, err := b.version(ctx, world, o)
	if err != nil {
		return done, fmt.Errorf("backup: restore %q: %w", world, err)
	}
	done.Backup = m.name.String()
	if o.Backup == "" && o.At.IsZero() {
		done.Unsealed = b.unsealed(m)
	}
	all := make(map[stone.ID]place)
	for i, ref := range archive.Stones(&a) {
		all[ref.ID] = places[i]
	}
	if !o.At.IsZero() {
		if a, err = upto(a, o.At); err != nil {
			return done, fmt.Errorf("backup: restore %q: %w", world, err)
		}
	}
	a.Name, a.Deleted, a.Head.Fence = done.As, time.Time{}, 0
	if n := len(a.Commits); n > 0 {
		head := a.Commits[slices.IndexFunc(a.Commits, func(c history.Commit) bool { return c.ID() == a.Head.Commit })]
		done.Version, done.Time, done.Commit = head.Number, head.Time, a.Head.Commit
	}
	var need []located
	places = nil
	for _, ref := range archive.Stones(&a) {
		need = append(need, located{ref, all[ref.ID]})
		places = append(places, all[ref.ID])
	}
	var count Restored
	lost, err := b.give(ctx, to, m, need, &count)
	if err = cmp.Or(err, lost.of(&a)); err != nil {
		return done, fmt.Errorf("backup: restore %q: %w", world, err)
	}
	done.Stones, done.Bytes = count.Stones, count.Bytes
	if err = b.adopt(ctx, to, m, a, places); err == nil {
		err = compareRestored(ctx, to, &a)
	}
	if errors.Is(err, history.ErrConflict) {
		err = fmt.Errorf("backup: restore %q: %w", done.As, history.ErrExists)
	}
	return done, err
}

// upto returns an archive without the versions after a time.
func upto(a history.Archive, at time.Time) (history.Archive, error) {
	commits := make(map[history.ID]history.Commit)
	for _, c := range a.Commits {
		commits[c.ID()] = c
	}
	packs := make(map[history.ID]history.Pack)
	for _, p := range a.Packs {
		packs[p.Upto] = p
	}
	log := slices.DeleteFunc(slices.Clone(a.Log), func(id history.ID) bool { return commits[id].Time.After(at) })
	if len(log) == 0 {
		return a, fmt.Errorf("no version is as old as %v: %w", at, history.ErrNoCommit)
	}
	return archive.New(history.Outline{Name: a.Name, Head: history.Head{Commit: log[0]}}, log, func(id history.ID) (history.Commit, error) {
		c, ok := commits[id]
		if !ok {
			return c, history.ErrNoCommit
		}
		return c, nil
	}, func(id history.ID) (history.Pack, bool, error) {
		p, ok := packs[id]
		return p, ok, nil
	})
}

// found is a world in a backup, and the time of the version that is asked for.
type found struct {
	m      *manifest
	a      history.Archive
	places []place
	time   time.Time
}

// version finds the backup that has the version that is asked for.
func (b *Backups) version(ctx context.Context, world string, o WorldOptions) (*manifest, history.Archive, []place, error) {
	var best found
	var err error
	if o.At.IsZero() || o.Backup != "" {
		var m *manifest
		if m, err = b.find(ctx, o.Backup); err == nil {
			best, err = b.world(ctx, m, world, o.At)
		}
	} else {
		best, err = b.nearest(ctx, world, o.At)
	}
	return best.m, best.a, best.places, err
}

// nearest finds the newest version that is not after a time, in the last backup before
// that time and in the first one after it.
func (b *Backups) nearest(ctx context.Context, world string, at time.Time) (best found, err error) {
	i := slices.IndexFunc(b.there.seals, func(n name) bool { return !n.time.Before(at) })
	if i < 0 {
		i = len(b.there.seals)
	}
	before := slices.Clone(b.there.seals[:i])
	slices.Reverse(before)
	var damaged, none error
	for _, names := range [][]name{before, b.there.seals[i:]} {
		for _, n := range names {
			var got found
			m, err := b.keyed(ctx, n)
			if err == nil {
				got, err = b.world(ctx, m, world, at)
			}
			if errors.As(err, new(*CorruptError)) {
				damaged = err
				continue // the next one may have it
			}
			switch {
			case errors.Is(err, history.ErrNoCommit), errors.Is(err, history.ErrNoWorld) && none == nil:
				none = err // that it is younger says more than that there is none
			case errors.Is(err, history.ErrNoWorld):
			case err != nil:
				return best, err
			case best.m == nil || got.time.After(best.time):
				best = got
			}
			break
		}
	}
	if best.m == nil {
		err = cmp.Or(damaged, none, history.ErrNoWorld)
	}
	return best, err
}

// world finds a world in a backup: the one with the name, or the last that was deleted
// under it. With a time it is the one of all these that has the newest version that is
// not after it.
func (b *Backups) world(ctx context.Context, m *manifest, world string, at time.Time) (best found, err error) {
	rows, err := b.named(ctx, m, world)
	if err != nil {
		return best, err
	}
	if len(rows) == 0 {
		return best, history.ErrNoWorld
	}
	if at.IsZero() {
		r := rows[0]
		if !r.deleted.IsZero() {
			r = rows[len(rows)-1]
		}
		a, places, err := b.archive(ctx, m, r)
		return found{m, a, places, at}, err
	}
	var damaged error
	err = fmt.Errorf("no version is as old as %v: %w", at, history.ErrNoCommit)
	for _, r := range rows {
		a, places, why := b.archive(ctx, m, r)
		if errors.As(why, new(*CorruptError)) {
			damaged = why
			continue
		}
		if why != nil {
			return best, why
		}
		cut, why := upto(a, at)
		if errors.Is(why, history.ErrNoCommit) {
			continue
		}
		if why != nil {
			return best, why
		}
		for _, c := range cut.Commits {
			if c.ID() == cut.Head.Commit && (best.m == nil || c.Time.After(best.time)) {
				best = found{m, a, places, c.Time}
			}
		}
	}
	if best.m != nil {
		return best, nil
	}
	return best, cmp.Or(damaged, err)
}

// named returns the worlds of a backup that have a name or were deleted under it, in
// the order of rows.
func (b *Backups) named(ctx context.Context, m *manifest, world string) (out []*row, err error) {
	leaves, err := b.leaves(ctx, m)
	if err != nil {
		return nil, err
	}
	for i, f := range leaves {
		if i+1 < len(leaves) {
			next := leaves[i+1].first
			mixed := f.first.deleted == 0 && next.deleted != 0 // the names begin again within this one
			if !mixed && (world < f.first.name || next.name < world) {
				continue
			}
		}
		rows, err := b.rows(ctx, m, f)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			if r.name == world {
				out = append(out, r)
			}
		}
	}
	return out, nil
}
