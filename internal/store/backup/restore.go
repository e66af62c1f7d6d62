package backup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/archive"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
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
	Worlds  int      `json:"worlds"`  // that were restored; their histories were compared
	Same    int      `json:"same"`    // that were there already; their bytes were not read
	Stones  int      `json:"stones"`  // that were given to the Store, and compared with their IDs
	Bytes   int64    `json:"bytes"`   // of these stones
	Refused []string `json:"refused"` // worlds whose names other worlds have
	Hurt    []string `json:"hurt"`    // worlds that are damaged in the backup, each with why
	// Unsealed are newer backups without a seal: they were not finished, or it is lost.
	// One of them is restored if it is asked for by its name.
	Unsealed []string `json:"unsealed,omitempty"`
}

// ErrDiffers says that a world in the Store is not the one that was restored: somebody renamed,
// deleted or replaced it meanwhile, or the Store lost it.
var ErrDiffers = errors.New("a restored world is another one now")

// ErrRefused says that some worlds were not restored, because others have their
// names.
var ErrRefused = errors.New("worlds of these names are there")

// there is what a Store has. Several worlds may have been deleted under one name in one
// millisecond.
type there map[rowKey][]history.Outline

func outlines(ctx context.Context, st history.ArchiveReader) (there, error) {
	out := make(there)
	err := st.Outlines(ctx, func(m history.Outline) error {
		key := rowKey{m.Name, millis(m.Deleted)}
		out[key] = append(out[key], m)
		return nil
	})
	return out, err
}

// take takes a world out of the list, if there is one that is the same.
func (l there) take(name string, deleted time.Time, same func(history.Outline) bool) bool {
	key := rowKey{name, millis(deleted)}
	i := slices.IndexFunc(l[key], same)
	if i >= 0 {
		l[key] = slices.Delete(l[key], i, i+1)
	}
	return i >= 0
}

// Restore puts all worlds of a backup into a Store, with their histories, and those
// that were deleted as deleted worlds. A world that the Store has already with the
// same newest version counts as done, so a Restore that was stopped can be repeated;
// the bytes of its stones are not read. It does not replace other worlds; if there
// were any, the error is ErrRefused. If worlds are damaged in the backup it restores the
// others, and the error is ErrHurt. In the end it compares what it made: see ErrDiffers.
func (b *Backups) Restore(ctx context.Context, to history.Archiver, o RestoreOptions) (Restored, error) {
	done := Restored{Refused: []string{}, Hurt: []string{}}
	m, err := b.find(ctx, o.Backup)
	if err != nil {
		return done, err
	}
	done.Backup = m.name.String()
	if o.Backup == "" {
		done.Unsealed = b.unsealed(m)
	}
	had, err := outlines(ctx, to)
	if err != nil {
		return done, err
	}
	leaves, err := b.leaves(ctx, m)
	if err != nil {
		return done, err
	}
	made := make(map[string]history.Sum)
	for _, f := range leaves {
		rows, err := b.rows(ctx, m, f)
		if errors.As(err, new(*CorruptError)) {
			done.Hurt = append(done.Hurt, fmt.Sprintf("%d worlds, the first is %q: %v", f.rows, f.first.name, err))
			continue
		}
		if err != nil {
			return done, err
		}
		if rows, err = b.missing(ctx, m, rows, had, &done); err != nil {
			return done, err
		}
		if err := b.restoreRows(ctx, to, m, rows, made, &done); err != nil {
			return done, err
		}
		if o.Progress != nil {
			o.Progress(done.Worlds+done.Same, int(m.worlds))
		}
	}
	err = b.compareMade(ctx, to, m, made)
	if len(done.Hurt) > 0 {
		err = errors.Join(fmt.Errorf("backup: restore: the first: %s: %w", done.Hurt[0], ErrHurt), err)
	}
	if len(done.Refused) > 0 {
		err = errors.Join(fmt.Errorf("backup: restore %d worlds, the first is %q: %w", len(done.Refused), done.Refused[0], ErrRefused), err)
	}
	return done, err
}

// hurt notes a world that is damaged in the backup. Other errors it returns.
func (done *Restored) hurt(name string, err error) error {
	if errors.As(err, new(*CorruptError)) {
		done.Hurt = append(done.Hurt, fmt.Sprintf("%q: %v", name, err))
		return nil
	}
	return err
}

// missing returns the rows that a Store lacks. A world whose log or packs are others
// than in the backup is the same if its head is: the Store's own rules dropped
// versions, or packed what it shares with another world.
func (b *Backups) missing(ctx context.Context, m *manifest, rows []*row, had there, done *Restored) ([]*row, error) {
	var doubtful []*row
	rows = slices.DeleteFunc(rows, func(r *row) bool {
		if had.take(r.name, r.deleted, func(have history.Outline) bool { return have.Sum == r.sum }) {
			done.Same++
			return true
		}
		if slices.ContainsFunc(had[r.key()], func(have history.Outline) bool { return have.Head.Commit != (history.ID{}) }) {
			doubtful = append(doubtful, r)
		}
		return false
	})
	drop := make(map[*row]bool)
	err := b.eachArchive(ctx, m, doubtful, func(r *row, a history.Archive, _ []place, err error) error {
		switch {
		case err != nil:
			drop[r] = true
			return done.hurt(r.name, err)
		case had.take(r.name, r.deleted, func(have history.Outline) bool { return have.Head.Commit == a.Head.Commit }):
			done.Same++
			drop[r] = true
		case r.deleted.IsZero():
			done.Refused = append(done.Refused, r.name)
			drop[r] = true
		}
		return nil
	})
	return slices.DeleteFunc(rows, func(r *row) bool { return drop[r] }), err
}

// restoring is a world to restore.
type restoring struct {
	a      history.Archive
	places []place
}

// restoreRows restores the worlds of a table, and notes the Sums of those that have a name.
func (b *Backups) restoreRows(ctx context.Context, to history.Archiver, m *manifest, rows []*row, made map[string]history.Sum, done *Restored) error {
	read := make(map[*row]restoring, len(rows))
	err := b.eachArchive(ctx, m, rows, func(r *row, a history.Archive, places []place, err error) error {
		if err == nil {
			read[r] = restoring{a, places}
		}
		return done.hurt(r.name, err)
	})
	if err != nil {
		return err
	}
	rows = slices.DeleteFunc(rows, func(r *row) bool { _, ok := read[r]; return !ok })
	seen := make(map[stone.ID]bool)
	var all []located
	for _, r := range rows {
		w := read[r]
		for i, ref := range archive.Stones(&w.a) {
			if !seen[ref.ID] {
				seen[ref.ID] = true
				all = append(all, located{ref, w.places[i]})
			}
		}
	}
	lost, err := b.give(ctx, to, m, all, done)
	if err != nil {
		return err
	}
	rows = slices.DeleteFunc(rows, func(r *row) bool {
		a := read[r].a
		why := lost.of(&a)
		_ = done.hurt(r.name, why) // it is a CorruptError
		return why != nil
	})
	var worlds [][]restoring // those that were deleted under one name are made in their order: Undelete takes the last
	for i, r := range rows {
		w := read[r]
		if n := len(worlds) - 1; i > 0 && !r.deleted.IsZero() && !rows[i-1].deleted.IsZero() && rows[i-1].name == r.name {
			worlds[n] = append(worlds[n], w)
		} else {
			worlds = append(worlds, []restoring{w})
		}
	}
	for _, r := range rows {
		if r.deleted.IsZero() {
			made[r.name] = r.sum
		}
	}
	return inOrder(ctx, adoptsAtOnce, worlds, func(some []restoring) (n int, err error) {
		for _, w := range some {
			if err = b.adopt(ctx, to, m, w.a, w.places); err != nil {
				break
			}
			n++
		}
		return n, err
	}, func(_, n int, err error) error {
		done.Worlds += n
		return err
	})
}

// adoptsAtOnce is how many worlds are made at a time. A store in a directory syncs them together.
const adoptsAtOnce = 64

// adopt makes a world. If stones were collected since they were given, it gives them again.
func (b *Backups) adopt(ctx context.Context, to history.Archiver, m *manifest, a history.Archive, places []place) error {
	for try := 1; ; try++ {
		err := to.Adopt(ctx, a, history.Head{})
		if err == nil || !errors.Is(err, history.ErrGone) || try == maxTries {
			return err
		}
		var all []located
		for i, ref := range archive.Stones(&a) {
			all = append(all, located{ref, places[i]})
		}
		lost, err := b.give(ctx, to, m, all, new(Restored))
		if err = cmp.Or(err, lost.of(&a)); err != nil {
			return err
		}
	}
}

// compareMade compares worlds that were made with the backup: all by their Sums, and by their
// histories those that have another one. A deleted world cannot be asked for by name, and the
// Store may remove it at once if its time is over.
func (b *Backups) compareMade(ctx context.Context, to history.ArchiveReader, m *manifest, made map[string]history.Sum) error {
	if len(made) == 0 {
		return nil
	}
	err := to.Outlines(ctx, func(have history.Outline) error {
		if sum, is := made[have.Name]; is && have.Deleted.IsZero() && have.Sum == sum {
			delete(made, have.Name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	wrong, first := 0, error(nil)
	for _, name := range slices.Sorted(maps.Keys(made)) {
		w, err := b.world(ctx, m, name, time.Time{})
		if err == nil {
			err = compareRestored(ctx, to, &w.a)
		}
		if err == nil {
			continue
		}
		if wrong++; wrong == 1 {
			first = err
		}
	}
	if wrong > 0 {
		return fmt.Errorf("%d worlds: the first: %w: %w", wrong, first, ErrDiffers)
	}
	return nil
}

// compareRestored compares a world that was made with the backup. Since then the Store may
// have dropped versions by its rules, and others may have saved.
func compareRestored(ctx context.Context, to history.ArchiveReader, a *history.Archive) error {
	b, err := to.Archive(ctx, history.Outline{Name: a.Name})
	saved := a.Head.Commit == (history.ID{}) || slices.Contains(b.Log, a.Head.Commit) // into what was made
	if err == nil && !sameVersions(a, &b) && !saved {
		err = errors.New("the store has another history than the backup")
	}
	if err != nil {
		return fmt.Errorf("backup: restore %q: after it was made: %w", a.Name, err)
	}
	return nil
}

// sameVersions reports whether b has the head of a, and no versions that a lacks. Older
// ones a Store may have dropped. Packs do not count: worlds that share a commit share
// its pack, so that each one's may be newer than the other's archive.
func sameVersions(a, b *history.Archive) bool {
	if a.Head.Commit != b.Head.Commit {
		return false
	}
	had := make(map[history.ID]bool, len(a.Log))
	for _, id := range a.Log {
		had[id] = true
	}
	return !slices.ContainsFunc(b.Log, func(id history.ID) bool { return !had[id] })
}

// lost are stones that are damaged in a backup, each with why.
type lost map[stone.ID]error

// of returns why a world cannot be restored, or nil.
func (l lost) of(a *history.Archive) error {
	if len(l) == 0 {
		return nil
	}
	for _, ref := range archive.Stones(a) {
		if why := l[ref.ID]; why != nil {
			return why
		}
	}
	return nil
}

// give gives a Store those stones that it lacks, as far as they are not damaged.
func (b *Backups) give(ctx context.Context, to history.ArchiveWriter, m *manifest, all []located, done *Restored) (lost, error) {
	refs := make([]history.StoneRef, len(all))
	for i, l := range all {
		refs[i] = l.ref
	}
	lacks, err := lacking(ctx, to, refs)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(l located) bool { return !lacks[l.ref.ID] })
	var hurts lost
	type given struct {
		run  batch
		hurt lost
	}
	err = inOrder(ctx, b.access.Workers, batches(all), func(run batch) (given, error) {
		stones, hurt, release, err := b.stones(ctx, m, run)
		if err == nil {
			err = giveAll(ctx, to, stones)
		}
		release()
		return given{run, hurt}, err
	}, func(_ int, got given, err error) error {
		for _, l := range got.run {
			if why := got.hurt[l.ref.ID]; why != nil {
				if hurts == nil {
					hurts = make(lost)
				}
				hurts[l.ref.ID] = why
				continue
			}
			done.Stones++
			done.Bytes += l.ref.Size
		}
		return err
	})
	return hurts, err
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
