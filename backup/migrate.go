package backup

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/history"
)

// Moving is a Store that worlds can be moved from and to.
type Moving interface {
	history.Store
	history.Archiver
}

// MigrateOptions of Migrate. The zero value is the default.
type MigrateOptions struct {
	// KeepSource renames moved worlds at the source to MovedPrefix and their name.
	// By default they are deleted there and can be restored.
	KeepSource bool
	// Workers is how many worlds are moved at a time. Default 4.
	Workers int
	// Holder is the holder of the leases. A Migrate that goes on after another must
	// have the same, and one from another source to the same target must not. Default
	// "cairn migrate" and a hash of the source's identity, which does both.
	Holder string
	// Lease is how long the leases last. Migrate renews those that it needs longer. If
	// it is killed, worlds that were about to be moved cannot be saved for this long,
	// or until Migrate goes on. Default an hour.
	Lease time.Duration
	// Unread skips reading back the stones at the target.
	Unread bool
	// Progress, if not nil, is called for each world that was copied or moved.
	Progress func(MigrateProgress)
	Now      func() time.Time // when leases are renewed; default time.Now
}

// MigrateProgress is how far Migrate is.
type MigrateProgress struct {
	Phase string `json:"phase"` // copy or move
	Done  int    `json:"done"`
	Total int    `json:"total"`
	World string `json:"world"`
}

// Migrated says what Migrate did.
type Migrated struct {
	Moved   int      `json:"moved"`   // worlds
	Deleted int      `json:"deleted"` // deleted worlds that were copied
	Copies  int      `json:"copies"`  // of worlds, before and while they were moved
	Stones  int      `json:"stones"`  // that the target lacked
	Bytes   int64    `json:"bytes"`   // of these stones
	Refused []string `json:"refused"` // worlds that stay, and why
}

// MovedPrefix is the beginning of the names of moved worlds that stay at the source.
const MovedPrefix = ".moved/"

// Migrate moves all worlds of a living Store to another, with their histories. It
// copies all worlds, and again those that changed meanwhile. Then it moves one world
// after another: it takes the world's lease by force, which fences off its writers,
// copies the rest, compares both sides, deletes the world at the source, and gives
// the lease at the target back. From then on the world can be opened at the target. A
// save that the source acknowledged is at the target.
//
// Everything that Migrate must know is in the two Stores, so a Migrate that was
// killed can be repeated. A world whose name another world has at the target stays
// where it is, and the error is ErrRefused. Leases do not move.
func Migrate(ctx context.Context, from, to Moving, o MigrateOptions) (Migrated, error) {
	if o.Workers <= 0 {
		o.Workers = 4
	}
	if o.Lease <= 0 {
		o.Lease = time.Hour
	}
	if o.Progress == nil {
		o.Progress = func(MigrateProgress) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	m := &migration{ctx: ctx, from: from, to: to, o: o, refused: make(map[string]error), renewed: o.Now()}
	m.done.Refused = []string{}
	err := m.run()
	if err == nil && len(m.refused) > 0 {
		for name, why := range m.refused {
			m.done.Refused = append(m.done.Refused, fmt.Sprintf("%s: %v", name, why))
		}
		slices.Sort(m.done.Refused)
		err = fmt.Errorf("backup: migrate: %d worlds stay, the first is %s: %w", len(m.refused), m.done.Refused[0], ErrRefused)
	}
	return m.done, err
}

// migration is one Migrate.
type migration struct {
	ctx      context.Context
	from, to Moving
	o        MigrateOptions

	mu      sync.Mutex // guards what is below
	done    Migrated
	refused map[string]error  // by name
	copied  map[string]copied // worlds at the target that are held by a lease and not moved yet, by name
	moved   map[string]history.ID
	renewed time.Time // when leases were last renewed
}

// copied is a world at the target that we hold.
type copied struct {
	head  history.ID // what we made it equal to
	fence uint64     // of our lease
	at    time.Time  // when the lease was taken or renewed
}

const (
	// copyRounds is how often all worlds are compared before the move begins.
	copyRounds = 5
	// moveTries is how often the move of one world begins again because someone else
	// changes the world by force, or packs what it shares with others.
	moveTries = 20
	// oldLease is the part of a lease after which it is renewed, and lookEvery the part
	// after which old leases are looked for. Half of each lease is left for the calls.
	oldLease  = 3
	lookEvery = 6
)

// errStays wraps the reason why a world stays at the source.
var errStays = errors.New("the target has another world of that name")

// errDiffers says that the copy of a world is not equal to it. A world that shares
// versions with it may have been packed or moved meanwhile, so it is copied again.
var errDiffers = errors.New("the history at the target is not that of the source")

// apart fails if both Stores are the same one, which a file, a folder or a server may
// have several names of. Every world of it would be fenced off. It also names the
// holder of the leases.
func (m *migration) apart() error {
	a, err := m.from.Identity(m.ctx)
	if err != nil {
		return err
	}
	b, err := m.to.Identity(m.ctx)
	if err == nil && a == b {
		err = errors.New("backup: migrate: source and target are the same store, or one is a copy of the other's files")
	}
	if m.o.Holder == "" { // a hash, because everyone sees holders, and few may know identities
		sum := sha256.Sum256([]byte("cairn migrate\n" + a))
		m.o.Holder = fmt.Sprintf("cairn migrate %x", sum[:8])
	}
	return err
}

func (m *migration) run() error {
	if err := m.apart(); err != nil {
		return err
	}
	if err := m.releaseMoved(); err != nil {
		return err
	}
	m.copied, m.moved = make(map[string]copied), make(map[string]history.ID)
	before := -1
	for range copyRounds {
		changed, total, err := m.differing()
		if err != nil {
			return err
		}
		if len(changed) == 0 || before >= 0 && len(changed) > before/2 {
			break // further rounds do not help
		}
		before = len(changed)
		err = m.each("copy", changed, total, func(o history.Outline) error {
			_, err := m.copy(o)
			return err
		})
		if err != nil {
			return err
		}
	}
	if err := m.copyDeleted(); err != nil {
		return err
	}
	for { // worlds may be made meanwhile
		var left []history.Outline
		err := m.from.Outlines(m.ctx, func(o history.Outline) error {
			if m.stays(o) {
				return nil
			}
			left = append(left, o)
			return nil
		})
		if err != nil {
			return err
		}
		if len(left) == 0 {
			break
		}
		if err := m.each("move", left, len(left), m.move); err != nil {
			return err
		}
	}
	if err := m.dropCopies(); err != nil {
		return err
	}
	return m.copyDeleted() // those that were deleted meanwhile
}

// stays reports whether a world at the source is not to be moved.
func (m *migration) stays(o history.Outline) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return !o.Deleted.IsZero() || isMoved(o.Name) || m.refused[o.Name] != nil
}

func isMoved(name string) bool {
	return len(name) > len(MovedPrefix) && name[:len(MovedPrefix)] == MovedPrefix
}

// each calls what for worlds, several at a time. A world that is gone is no error. A
// world that stays is put into refused.
func (m *migration) each(phase string, some []history.Outline, total int, what func(history.Outline) error) error {
	done := total - len(some)
	return inOrder(m.ctx, m.o.Workers, some, func(o history.Outline) (struct{}, error) {
		err := m.renew()
		if err == nil {
			err = what(o)
		}
		if errors.Is(err, errStays) {
			m.mu.Lock()
			m.refused[o.Name] = err
			m.mu.Unlock()
			err = nil
		}
		if errors.Is(err, history.ErrNoWorld) {
			err = nil // it was deleted, renamed or moved meanwhile
		}
		return struct{}{}, err
	}, func(i int, _ struct{}, err error) error {
		if err != nil {
			return fmt.Errorf("backup: migrate %q: %w", some[i].Name, err)
		}
		done++
		m.o.Progress(MigrateProgress{phase, done, total, some[i].Name})
		return nil
	})
}

// differing returns the worlds that the target lacks or has otherwise, and the number
// of all worlds.
func (m *migration) differing() (out []history.Outline, total int, err error) {
	there, err := outlines(m.ctx, m.to)
	if err != nil {
		return nil, 0, err
	}
	err = m.from.Outlines(m.ctx, func(o history.Outline) error {
		if m.stays(o) {
			return nil
		}
		total++
		if !there.take(o.Name, o.Deleted, func(had history.Outline) bool { return had.Sum == o.Sum }) {
			out = append(out, o)
		}
		return nil
	})
	return out, total, err
}

// hold takes the lease of a world at the target that has a head, and makes the world if
// there is none.
func (m *migration) hold(name string, head history.ID) (history.Head, error) {
	for {
		now := m.o.Now()
		l, err := m.to.Lease(m.ctx, name, m.o.Holder, m.o.Lease)
		switch {
		case errors.Is(err, history.ErrNoWorld) && head == (history.ID{}):
			if err = m.to.Create(m.ctx, name); err == nil || errors.Is(err, history.ErrExists) {
				continue
			}
		case errors.Is(err, history.ErrLeased):
			return history.Head{}, fmt.Errorf("%w, and someone uses it", errStays)
		}
		if err != nil {
			return history.Head{}, fmt.Errorf("at the target: %w", err)
		}
		m.mu.Lock()
		m.copied[name] = copied{head, l.Fence, now}
		m.mu.Unlock()
		return history.Head{Commit: head, Fence: l.Fence}, nil
	}
}

// renew renews the leases at the target that are old, of worlds that were copied and
// not moved yet. It is called between calls that may take long.
func (m *migration) renew() error {
	now := m.o.Now()
	var old []string
	m.mu.Lock()
	if now.Sub(m.renewed) >= m.o.Lease/lookEvery {
		m.renewed = now
		for name, c := range m.copied {
			if now.Sub(c.at) >= m.o.Lease/oldLease {
				old = append(old, name)
			}
		}
	}
	m.mu.Unlock()
	slices.Sort(old)
	return inOrder(m.ctx, m.o.Workers, old, func(name string) (struct{}, error) {
		now := m.o.Now()
		l, ours, err := m.leased(name)
		if err == nil && ours { // one that has ended may be another's world by now, and move looks
			_, err = m.to.Renew(m.ctx, name, l.Fence, m.o.Lease)
		}
		if errors.Is(err, history.ErrFenced) || errors.Is(err, history.ErrNoWorld) {
			return struct{}{}, nil // it is copied again just now, or someone used force
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		if c, is := m.copied[name]; is && err == nil && c.at.Before(now) {
			c.at = now
			m.copied[name] = c
		}
		return struct{}{}, err
	}, func(i int, _ struct{}, err error) error {
		if err != nil {
			err = fmt.Errorf("the lease of %q at the target: %w", old[i], err)
		}
		return err
	})
}

// leased returns the lease of a world at the target, and whether it is ours.
func (m *migration) leased(name string) (l history.Lease, ours bool, err error) {
	l, err = m.to.Leased(m.ctx, name)
	if errors.Is(err, history.ErrNoWorld) {
		err = nil
	}
	return l, err == nil && l.Fence != 0 && l.Holder == m.o.Holder, err
}

// copy makes the world at the target equal to the one at the source, under a lease at
// the target. It returns what it copied. It takes no lease of another world that has
// the name there.
func (m *migration) copy(o history.Outline) (history.Archive, error) {
	base, err := m.to.Head(m.ctx, o.Name)
	if err != nil && !errors.Is(err, history.ErrNoWorld) {
		return history.Archive{}, fmt.Errorf("at the target: %w", err)
	}
	held := false
	for try := 1; ; try++ {
		a, err := m.from.Archive(m.ctx, history.Outline{Name: o.Name}) // the world that our lease is of
		if err == nil && !held {
			if err = m.fits(&a, base.Commit); err == nil {
				base, err = m.hold(o.Name, base.Commit)
				held = err == nil
			}
		}
		if err == nil {
			err = m.give(&a)
		}
		if err == nil {
			if err = m.to.Adopt(m.ctx, a, base); errors.Is(err, history.ErrConflict) {
				err = fmt.Errorf("%w, and someone saved into it", errStays)
			}
		}
		if errors.Is(err, history.ErrGone) && try < maxTries {
			continue
		}
		switch {
		case err == nil:
			m.mu.Lock()
			m.copied[o.Name] = copied{a.Head.Commit, max(base.Fence+1, a.Head.Fence), m.copied[o.Name].at}
			m.done.Copies++
			m.mu.Unlock()
		case errors.Is(err, errStays): // the lease may be one that a killed Migrate left
			if failed := m.release(o.Name); failed != nil {
				err = failed
			}
		}
		return a, err
	}
}

// fits returns errStays if a world at the target, which has this head, is not an older
// one of ours. A copy that we made and hold is ours, also if the source has dropped its
// head from the log since. One that a killed Migrate held may be a world that it moved.
func (m *migration) fits(a *history.Archive, head history.ID) error {
	if follows(a, head) {
		return nil
	}
	m.mu.Lock()
	c, copied := m.copied[a.Name]
	m.mu.Unlock()
	if !copied || c.head != head {
		return errStays
	}
	_, ours, err := m.leased(a.Name)
	if err == nil && !ours {
		err = errStays
	}
	return err
}

// follows reports whether a world's history goes on from a commit.
func follows(a *history.Archive, from history.ID) bool {
	if from == (history.ID{}) {
		return true
	}
	for i := range a.Commits {
		c := &a.Commits[i]
		if c.Parent == from || c.Base == from || c.ID() == from {
			return true
		}
	}
	return slices.ContainsFunc(a.Packs, func(p history.Pack) bool { return p.After == from || p.Upto == from })
}

// give gives the target the stones of a world that it lacks.
func (m *migration) give(a *history.Archive) error {
	refs := a.Stones()
	lacks, err := lacking(m.ctx, m.to, refs)
	if err != nil {
		return err
	}
	refs = slices.DeleteFunc(refs, func(ref history.StoneRef) bool { return !lacks[ref.ID] })
	var some []history.Stone
	var releases []func() error
	var size int64
	flush := func() error {
		err := errors.Join(m.renew(), giveAll(m.ctx, m.to, some))
		for _, release := range releases {
			err = errors.Join(err, release())
		}
		some, releases, size = nil, nil, 0
		return err
	}
	for _, ref := range refs {
		st, release, err := m.from.ReadStone(m.ctx, ref.ID)
		if err != nil {
			return errors.Join(err, flush())
		}
		some, releases, size = append(some, st), append(releases, release), size+st.Size()
		m.mu.Lock()
		m.done.Stones++
		m.done.Bytes += st.Size()
		m.mu.Unlock()
		if len(some) >= giveStones || size >= giveBytes {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// move moves one world.
func (m *migration) move(o history.Outline) error {
	for try := 1; ; try++ {
		err := m.tryMove(o)
		if errors.Is(err, history.ErrFenced) || errors.Is(err, history.ErrLeased) || errors.Is(err, errDiffers) {
			if try < moveTries {
				continue // someone took the lease by force just now, or changed the copy
			}
		}
		if err == nil {
			m.mu.Lock()
			m.done.Moved++
			m.mu.Unlock()
		}
		return err
	}
}

func (m *migration) tryMove(o history.Outline) error {
	l, err := m.seize(o.Name)
	if err != nil {
		return err
	}
	// From here on nobody but us, and those who use force, can save at the source.
	a, err := m.copy(o)
	if errors.Is(err, errStays) {
		failed := m.from.Release(m.ctx, o.Name, l.Fence)
		if failed != nil && !errors.Is(failed, history.ErrFenced) && !errors.Is(failed, history.ErrNoWorld) {
			return fmt.Errorf("at the source: %w", failed) // else it ended, or someone used force
		}
		return err
	}
	if err != nil {
		return err
	}
	if err := m.compare(&a, o.Name); err != nil {
		return err
	}
	// The lease may have ended while we copied, and someone may have saved without one.
	if _, err := m.from.Renew(m.ctx, o.Name, l.Fence, m.o.Lease); err != nil {
		return err
	}
	h, err := m.from.Head(m.ctx, o.Name)
	if err == nil && h.Commit != a.Head.Commit {
		err = fmt.Errorf("at the source: %w", history.ErrFenced)
	}
	if err != nil {
		return err
	}
	if _, ours, err := m.leased(o.Name); err != nil || !ours { // if it ended, the copy may have been changed
		return cmp.Or(err, errDiffers)
	}
	if m.o.KeepSource {
		err = m.from.Rename(m.ctx, o.Name, MovedPrefix+o.Name, l.Fence)
	} else {
		err = m.from.Delete(m.ctx, o.Name, l.Fence)
	}
	if err != nil { // if someone used force, the copy is old, and we begin again
		return err
	}
	m.mu.Lock()
	m.moved[o.Name] = a.Head.Commit
	m.mu.Unlock()
	return m.release(o.Name)
}

// release gives our lease of a world at the target back.
func (m *migration) release(name string) error {
	l, ours, err := m.leased(name)
	if err == nil && ours { // else it ended, and another lease is not ours to end
		err = m.to.Release(m.ctx, name, l.Fence)
	}
	m.mu.Lock()
	delete(m.copied, name)
	m.mu.Unlock()
	if errors.Is(err, history.ErrFenced) || errors.Is(err, history.ErrNoWorld) {
		return nil // it ended, and someone else uses the world
	}
	return err
}

// releaseMoved ends what a killed Migrate began. A world at the target that is held
// by our lease and is no longer at the source was moved, or someone deleted or renamed
// it there after it was copied. In the latter case the copy is dropped, but only if the
// source shows that it is not the moved world: the moved one may be all that is left.
// If someone made another world of that name at the source since, that one stays there.
func (m *migration) releaseMoved() error {
	live, gone := make(map[string]history.ID), make(map[string][]history.Outline)
	err := m.from.Outlines(m.ctx, func(o history.Outline) error {
		name := o.Name
		if isMoved(name) {
			name = name[len(MovedPrefix):]
		} else if o.Deleted.IsZero() {
			live[name] = o.Head.Commit
			return nil
		}
		gone[name] = append(gone[name], o)
		return nil
	})
	if err != nil {
		return err
	}
	var left []history.Outline
	err = m.to.Outlines(m.ctx, func(o history.Outline) error {
		if head, is := live[o.Name]; o.Deleted.IsZero() && !(is && head == o.Head.Commit) {
			left = append(left, o)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return m.each("release", left, len(left), func(o history.Outline) error {
		l, ours, err := m.leased(o.Name)
		if err != nil || !ours {
			return err
		}
		if _, is := live[o.Name]; is {
			a, err := m.from.Archive(m.ctx, history.Outline{Name: o.Name})
			if err == nil && follows(&a, o.Head.Commit) {
				return nil // its copy
			}
			if err != nil && !errors.Is(err, history.ErrNoWorld) {
				return err
			}
		}
		old, err := m.outdated(gone[o.Name], o.Head.Commit)
		if err != nil {
			return err
		}
		if old {
			return m.drop(o.Name, copied{head: o.Head.Commit, fence: l.Fence})
		}
		return m.release(o.Name)
	})
}

// outdated reports whether a copy with this head is older than a world that was
// deleted at the source, or has nothing.
func (m *migration) outdated(gone []history.Outline, head history.ID) (bool, error) {
	if slices.ContainsFunc(gone, func(o history.Outline) bool { return o.Head.Commit == head }) {
		return false, nil
	}
	for _, o := range gone {
		if isMoved(o.Name) { // it was moved, whatever happened to it since
			continue
		}
		a, err := m.from.Archive(m.ctx, o)
		if errors.Is(err, history.ErrNoWorld) {
			continue
		}
		if err != nil || follows(&a, head) {
			return err == nil, err
		}
	}
	return head == (history.ID{}), nil
}

// drop deletes a copy at the target, if it is still as we made it.
func (m *migration) drop(name string, c copied) error {
	l, ours, err := m.leased(name)
	if err != nil || !ours || l.Fence != c.fence {
		return err // someone else may use it by now, so it stays
	}
	_, err = m.to.Renew(m.ctx, name, l.Fence, m.o.Lease) // so that nobody saves into it from here on
	var h history.Head
	if err == nil {
		h, err = m.to.Head(m.ctx, name)
	}
	if err == nil && h.Commit != c.head {
		return m.release(name)
	}
	if err == nil {
		err = m.to.Delete(m.ctx, name, l.Fence)
	}
	if errors.Is(err, history.ErrNoWorld) || errors.Is(err, history.ErrFenced) {
		return nil
	}
	return err
}

// dropCopies deletes the copies of worlds that someone deleted or renamed at the
// source before they were moved.
func (m *migration) dropCopies() error {
	for _, name := range slices.Sorted(maps.Keys(m.copied)) {
		if err := m.drop(name, m.copied[name]); err != nil {
			return fmt.Errorf("backup: migrate %q: %w", name, err)
		}
	}
	return nil
}

// copyDeleted copies the deleted worlds that can be restored. Those whose histories a
// world at the target goes on with were moved.
func (m *migration) copyDeleted() error {
	there, err := outlines(m.ctx, m.to)
	if err != nil {
		return err
	}
	var names []history.Outline // the first world of each name
	some := make(map[string][]history.Outline)
	err = m.from.Outlines(m.ctx, func(o history.Outline) error {
		if o.Deleted.IsZero() || m.moved[o.Name] == o.Head.Commit {
			return nil
		}
		if there.take(o.Name, o.Deleted, func(had history.Outline) bool { return had.Sum == o.Sum }) ||
			there.take(o.Name, o.Deleted, func(had history.Outline) bool { return had.Head.Commit == o.Head.Commit }) {
			return nil
		}
		if some[o.Name] == nil {
			names = append(names, o)
		}
		some[o.Name] = append(some[o.Name], o)
		return nil
	})
	if err != nil {
		return err
	}
	return m.each("deleted", names, len(names), func(first history.Outline) error {
		for _, o := range some[first.Name] { // in their order, because Undelete takes the last
			if err := m.copyOneDeleted(o); err != nil && !errors.Is(err, history.ErrNoWorld) {
				return err
			}
		}
		return nil
	})
}

func (m *migration) copyOneDeleted(o history.Outline) error {
	if now, err := m.to.Archive(m.ctx, history.Outline{Name: o.Name}); err == nil {
		if slices.Contains(now.Log, o.Head.Commit) || o.Head.Commit == (history.ID{}) {
			return nil
		}
	} else if !errors.Is(err, history.ErrNoWorld) {
		return err
	}
	for try := 1; ; try++ {
		a, err := m.from.Archive(m.ctx, o)
		if err == nil {
			err = m.give(&a)
		}
		if err == nil {
			err = m.to.Adopt(m.ctx, a, history.Head{})
		}
		if !errors.Is(err, history.ErrGone) || try == maxTries {
			if err == nil {
				m.mu.Lock()
				m.done.Deleted++
				m.mu.Unlock()
			}
			return err
		}
	}
}

// seize takes the lease of a world at the source from whoever has it.
func (m *migration) seize(name string) (history.Lease, error) {
	for try := 1; ; try++ {
		l, err := m.from.Lease(m.ctx, name, m.o.Holder, m.o.Lease)
		if !errors.Is(err, history.ErrLeased) || try == moveTries {
			return l, err
		}
		if err := m.from.Release(m.ctx, name, history.Force); err != nil {
			return l, err
		}
	}
}

// compare compares a world at the target with what was copied, and reads its stones.
func (m *migration) compare(a *history.Archive, name string) error {
	b, err := m.to.Archive(m.ctx, history.Outline{Name: name})
	if err != nil {
		return err
	}
	other := func(p history.Pack) bool { return !slices.Contains(a.Packs, p) }
	if !sameVersions(a, &b) || slices.ContainsFunc(b.Packs, other) {
		return errDiffers
	}
	if m.o.Unread {
		return nil
	}
	for _, ref := range b.Stones() {
		if err := m.renew(); err != nil {
			return err
		}
		st, release, err := m.to.ReadStone(m.ctx, ref.ID)
		if errors.Is(err, history.ErrGone) {
			err = fmt.Errorf("%w: %w", errDiffers, err) // a pack replaced it since
		}
		if err != nil {
			return err
		}
		if err := errors.Join(st.Check(), release()); err != nil {
			return fmt.Errorf("at the target: %w", err)
		}
	}
	return nil
}
