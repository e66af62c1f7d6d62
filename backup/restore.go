package backup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/stone"
)

// RestoreOptions of Restore. The zero value is the default.
type RestoreOptions struct {
	// Backup is the name of a backup, or how it begins. Default the newest.
	Backup string
	// Progress, if not nil, is called with the number of worlds that are done.
	Progress func(done, total int)
}

// Restored says what Restore did.
type Restored struct {
	Backup  string   `json:"backup"`
	Worlds  int      `json:"worlds"`  // that were restored, and verified
	Same    int      `json:"same"`    // that were there already
	Stones  int      `json:"stones"`  // that were given to the Store
	Bytes   int64    `json:"bytes"`   // of these stones
	Refused []string `json:"refused"` // worlds whose names other worlds have
}

// ErrRefused says that some worlds were not restored, because others have their
// names.
var ErrRefused = errors.New("worlds of these names are there")

// outlines returns what a Store has.
func outlines(ctx context.Context, st history.ArchiveReader) (map[rowKey]history.Outline, error) {
	out := make(map[rowKey]history.Outline)
	err := st.Outlines(ctx, func(m history.Outline) error {
		out[rowKey{m.Name, millis(m.Deleted)}] = m
		return nil
	})
	return out, err
}

// Restore puts all worlds of a backup into a Store, with their histories, and those
// that were deleted as deleted worlds. A world that the Store has already, equal to
// that of the backup, counts as done, so a Restore that was stopped can be repeated.
// It does not replace other worlds; if there were any, the error is ErrRefused.
func (b *Backups) Restore(ctx context.Context, to history.Archiver, o RestoreOptions) (Restored, error) {
	done := Restored{Refused: []string{}}
	m, err := b.find(ctx, o.Backup)
	if err != nil {
		return done, err
	}
	done.Backup = m.name.String()
	had, err := outlines(ctx, to)
	if err != nil {
		return done, err
	}
	leaves, err := b.leaves(ctx, m)
	if err != nil {
		return done, err
	}
	restored := make(map[rowKey]history.Sum)
	for _, f := range leaves {
		rows, err := b.rows(ctx, m, f)
		if err != nil {
			return done, err
		}
		rows = slices.DeleteFunc(rows, func(r *row) bool {
			have, is := had[r.key()]
			switch {
			case is && have.Sum == r.sum:
				done.Same++
				restored[r.key()] = r.sum
			case is && have.Head.Commit != (history.ID{}):
				done.Refused = append(done.Refused, r.name)
			default:
				return false
			}
			return true
		})
		if err := b.restoreRows(ctx, to, m, rows, &done); err != nil {
			return done, err
		}
		for _, r := range rows {
			restored[r.key()] = r.sum
		}
		if o.Progress != nil {
			o.Progress(done.Worlds+done.Same, int(m.worlds))
		}
	}
	now, err := outlines(ctx, to)
	if err != nil {
		return done, err
	}
	for key, sum := range restored {
		if have, is := now[key]; !is || have.Sum != sum {
			return done, fmt.Errorf("backup: restore %q: the store has another history than the backup: somebody changed it meanwhile", key.name)
		}
	}
	if len(done.Refused) > 0 {
		return done, fmt.Errorf("backup: restore %d worlds, the first is %q: %w", len(done.Refused), done.Refused[0], ErrRefused)
	}
	return done, nil
}

// restoreRows restores the worlds of a table.
func (b *Backups) restoreRows(ctx context.Context, to history.Archiver, m *manifest, rows []*row, done *Restored) error {
	type world struct {
		a      history.Archive
		places []place
	}
	var worlds []world
	err := inOrder(ctx, b.access.Workers, rows, func(r *row) (world, error) {
		a, places, err := b.archive(ctx, m, r)
		return world{a, places}, err
	}, func(i int, w world, err error) error {
		worlds = append(worlds, w)
		return err
	})
	if err != nil {
		return err
	}
	seen := make(map[stone.ID]bool)
	var all []located
	for _, w := range worlds {
		for i, ref := range w.a.Stones() {
			if !seen[ref.ID] {
				seen[ref.ID] = true
				all = append(all, located{ref, w.places[i]})
			}
		}
	}
	if err := b.give(ctx, to, m, all, done); err != nil {
		return err
	}
	return inOrder(ctx, b.access.Workers, worlds, func(w world) (struct{}, error) {
		return struct{}{}, b.adopt(ctx, to, m, w.a, w.places)
	}, func(_ int, _ struct{}, err error) error {
		if err == nil {
			done.Worlds++
		}
		return err
	})
}

// adopt makes a world. If stones were collected since they were given, it gives them
// again.
func (b *Backups) adopt(ctx context.Context, to history.Archiver, m *manifest, a history.Archive, places []place) error {
	for try := 1; ; try++ {
		err := to.Adopt(ctx, a, history.Head{})
		if !errors.Is(err, history.ErrGone) || try == maxTries {
			return err
		}
		var all []located
		for i, ref := range a.Stones() {
			all = append(all, located{ref, places[i]})
		}
		if err := b.give(ctx, to, m, all, new(Restored)); err != nil {
			return err
		}
	}
}

// give gives a Store those stones that it lacks.
func (b *Backups) give(ctx context.Context, to history.ArchiveWriter, m *manifest, all []located, done *Restored) error {
	refs := make([]history.StoneRef, len(all))
	for i, l := range all {
		refs[i] = l.ref
	}
	lacks, err := lacking(ctx, to, refs)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(l located) bool { return !lacks[l.ref.ID] })
	return inOrder(ctx, b.access.Workers, batches(all), func(run batch) (batch, error) {
		stones, release, err := b.stones(ctx, m, run)
		if err == nil {
			err = giveAll(ctx, to, stones)
		}
		release()
		return run, err
	}, func(_ int, run batch, err error) error {
		for _, l := range run {
			done.Stones++
			done.Bytes += l.ref.Size
		}
		return err
	})
}

const (
	giveStones = 256
	giveBytes  = 8 << 20
	lackStones = 1024
)

// lacking returns which of the stones a Store lacks.
func lacking(ctx context.Context, to history.ArchiveWriter, refs []history.StoneRef) (map[stone.ID]bool, error) {
	out := make(map[stone.ID]bool)
	for some := range slices.Chunk(refs, lackStones) {
		lacks, err := to.Lacks(ctx, some)
		if err != nil {
			return nil, err
		}
		for _, ref := range lacks {
			out[ref.ID] = true
		}
	}
	return out, nil
}

// giveAll gives stones to a Store, some at a time.
func giveAll(ctx context.Context, to history.ArchiveWriter, stones []history.Stone) error {
	for len(stones) > 0 {
		n, size := 0, int64(0)
		for n < len(stones) && n < giveStones && (n == 0 || size+stones[n].Size() <= giveBytes) {
			size += stones[n].Size()
			n++
		}
		if err := to.Give(ctx, stones[:n]...); err != nil {
			return err
		}
		stones = stones[n:]
	}
	return nil
}

// WorldOptions of RestoreWorld. The zero value is the default.
type WorldOptions struct {
	Backup string    // as in RestoreOptions; not together with At
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
}

// RestoreWorld puts one world of a backup into a Store, with its history up to the
// version that it restores. With At it looks at two backups, the last one before
// that time and the first one after it, and takes the version that is nearer. The
// error is history.ErrExists if the Store has a world of that name with versions,
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
	all := make(map[stone.ID]place)
	for i, ref := range a.Stones() {
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
	for _, ref := range a.Stones() {
		need = append(need, located{ref, all[ref.ID]})
		places = append(places, all[ref.ID])
	}
	var count Restored
	if err := b.give(ctx, to, m, need, &count); err != nil {
		return done, err
	}
	done.Stones, done.Bytes = count.Stones, count.Bytes
	err = b.adopt(ctx, to, m, a, places)
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
	return history.NewArchive(history.Outline{Name: a.Name, Head: history.Head{Commit: log[0]}}, log, func(id history.ID) (history.Commit, error) {
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

// version finds the backup that has the version that is asked for.
func (b *Backups) version(ctx context.Context, world string, o WorldOptions) (*manifest, history.Archive, []place, error) {
	var tries []*manifest
	if o.At.IsZero() {
		m, err := b.find(ctx, o.Backup)
		if err != nil {
			return nil, history.Archive{}, nil, err
		}
		tries = append(tries, m)
	} else {
		i := slices.IndexFunc(b.there.seals, func(n name) bool { return !n.time.Before(o.At) })
		if i < 0 {
			i = len(b.there.seals)
		}
		for _, n := range b.there.seals[max(0, i-1):min(len(b.there.seals), i+1)] {
			m, err := b.open(ctx, n)
			if err != nil {
				return nil, history.Archive{}, nil, err
			}
			tries = append(tries, m)
		}
	}
	var best struct {
		m      *manifest
		a      history.Archive
		places []place
		time   time.Time
	}
	err := error(history.ErrNoWorld)
	for _, m := range tries {
		a, places, why := b.world(ctx, m, world)
		if errors.Is(why, history.ErrNoWorld) {
			continue
		}
		if why != nil {
			return nil, a, nil, why
		}
		var newest time.Time
		if !o.At.IsZero() {
			cut, why := upto(a, o.At)
			if why != nil {
				err = why
				continue
			}
			for _, c := range cut.Commits {
				if c.ID() == cut.Head.Commit {
					newest = c.Time
				}
			}
		}
		if best.m == nil || newest.After(best.time) {
			best.m, best.a, best.places, best.time = m, a, places, newest
		}
	}
	if best.m == nil {
		return nil, best.a, nil, err
	}
	return best.m, best.a, best.places, nil
}

// world finds a world in a backup: the one with the name, or the last that was
// deleted under it.
func (b *Backups) world(ctx context.Context, m *manifest, world string) (history.Archive, []place, error) {
	leaves, err := b.leaves(ctx, m)
	if err != nil {
		return history.Archive{}, nil, err
	}
	var found *row
	for i, f := range leaves {
		more := i+1 < len(leaves) && leaves[i+1].first.deleted == 0 // then this one has no deleted worlds
		if more && (world < f.first.name || leaves[i+1].first.name <= world) {
			continue
		}
		rows, err := b.rows(ctx, m, f)
		if err != nil {
			return history.Archive{}, nil, err
		}
		for _, r := range rows {
			if r.name == world && (found == nil || !found.deleted.IsZero()) {
				found = r
			}
		}
		if found != nil && found.deleted.IsZero() {
			break
		}
	}
	if found == nil {
		return history.Archive{}, nil, history.ErrNoWorld
	}
	return b.archive(ctx, m, found)
}
