package backup

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/archive"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
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
	m := &migration{ctx: ctx, from: from, to: to, o: o, refused: make(map[string]error), giving: make(map[stone.ID]chan struct{}), renewed: o.Now()}
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
	giving  map[stone.ID]chan struct{} // stones on the way to the target, and what is closed when they are there
	renewed time.Time                  // when leases were last renewed
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

// give gives the target the stones of a world that it lacks. Forks share stones, so it first
// gives those that no other give has under way. Then it waits for the others, and gives what
// they did not. So two never wait for each other.
func (m *migration) give(a *history.Archive) error {
	for refs := archive.Stones(a); len(refs) > 0; {
		var own, others []history.StoneRef
		var wait []chan struct{}
		done := make(chan struct{})
		m.mu.Lock()
		for _, ref := range refs {
			if under := m.giving[ref.ID]; under != nil {
				others, wait = append(others, ref), append(wait, under)
			} else {
				m.giving[ref.ID] = done
				own = append(own, ref)
			}
		}
		m.mu.Unlock()
		err := m.giveOwn(own)
		m.mu.Lock()
		for _, ref := range own {
			delete(m.giving, ref.ID)
		}
		m.mu.Unlock()
		close(done)
		if err != nil {
			return err
		}
		for _, under := range wait {
			<-under // ends with ctx, as all calls do
		}
		refs = others
	}
	return nil
}

// giveOwn gives the target those of the stones that it lacks.
func (m *migration) giveOwn(refs []history.StoneRef) error {
	lacks, err := lacking(m.ctx, m.to, refs)
	if err != nil {
		return err
	}
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
		if !lacks[ref.ID] {
			continue
		}
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
	for _, ref := range archive.Stones(&b) {
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
