package backup_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/backup"
	"github.com/cairnvoxel/cairn/internal/store/pair"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
)

// killer fails all calls from the nth on, of all Stores that it wraps.
type killer struct {
	mu   sync.Mutex
	left int
}

var errKilled = errors.New("killed")

func (k *killer) call() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.left--; k.left < 0 {
		return errKilled
	}
	return nil
}

// mortal is a Store as a process sees it that is killed.
type mortal struct {
	backup.Moving
	k *killer
}

func (m mortal) Create(ctx context.Context, name string) error {
	if err := m.k.call(); err != nil {
		return err
	}
	return m.Moving.Create(ctx, name)
}

func (m mortal) Head(ctx context.Context, name string) (history.Head, error) {
	if err := m.k.call(); err != nil {
		return history.Head{}, err
	}
	return m.Moving.Head(ctx, name)
}

func (m mortal) Lease(ctx context.Context, name, holder string, d time.Duration) (history.Lease, error) {
	if err := m.k.call(); err != nil {
		return history.Lease{}, err
	}
	return m.Moving.Lease(ctx, name, holder, d)
}

func (m mortal) Renew(ctx context.Context, name string, fence uint64, d time.Duration) (history.Lease, error) {
	if err := m.k.call(); err != nil {
		return history.Lease{}, err
	}
	return m.Moving.Renew(ctx, name, fence, d)
}

func (m mortal) Release(ctx context.Context, name string, fence uint64) error {
	if err := m.k.call(); err != nil {
		return err
	}
	return m.Moving.Release(ctx, name, fence)
}

func (m mortal) Leased(ctx context.Context, name string) (history.Lease, error) {
	if err := m.k.call(); err != nil {
		return history.Lease{}, err
	}
	return m.Moving.Leased(ctx, name)
}

func (m mortal) Rename(ctx context.Context, from, to string, fence uint64) error {
	if err := m.k.call(); err != nil {
		return err
	}
	return m.Moving.Rename(ctx, from, to, fence)
}

func (m mortal) Delete(ctx context.Context, name string, fence uint64) error {
	if err := m.k.call(); err != nil {
		return err
	}
	return m.Moving.Delete(ctx, name, fence)
}

func (m mortal) Archive(ctx context.Context, o history.Outline) (history.Archive, error) {
	if err := m.k.call(); err != nil {
		return history.Archive{}, err
	}
	return m.Moving.Archive(ctx, o)
}

func (m mortal) ReadStone(ctx context.Context, id stone.ID) (history.Stone, func() error, error) {
	if err := m.k.call(); err != nil {
		return history.Stone{}, nil, err
	}
	return m.Moving.ReadStone(ctx, id)
}

func (m mortal) Give(ctx context.Context, stones ...history.Stone) error {
	if err := m.k.call(); err != nil {
		return err
	}
	return m.Moving.Give(ctx, stones...)
}

func (m mortal) Adopt(ctx context.Context, a history.Archive, base history.Head) error {
	if err := m.k.call(); err != nil {
		return err
	}
	return m.Moving.Adopt(ctx, a, base)
}

// alive is the content of the worlds that are not deleted.
func alive(t testing.TB, st history.ArchiveReader) map[string]string {
	t.Helper()
	all := content(t, st)
	for name := range all {
		if !strings.HasSuffix(name, " "+time.Time{}.String()) {
			delete(all, name)
		}
	}
	return all
}

// TestMigrateStopped kills a migration before each call in turn, and goes on.
func TestMigrateStopped(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 7
	}
	for _, o := range []backup.MigrateOptions{{Workers: 1}, {Workers: 1, KeepSource: true}} {
		for stop, ended := 0, false; !ended; stop += step {
			c := newClock()
			from, to := filled(t, c), newStore(c)
			want := content(t, from)
			k := &killer{left: stop}
			_, err := backup.Migrate(t.Context(), mortal{from, k}, mortal{to, k}, o)
			if ended = err == nil; !ended && !errors.Is(err, errKilled) {
				t.Fatalf("killed before call %d: got %v", stop, err)
			}
			r, err := backup.Migrate(t.Context(), from, to, o)
			if err != nil {
				t.Fatalf("after call %d: got %+v, %v", stop, r, err)
			}
			got := content(t, to)
			for name, text := range want {
				if got[name] != text {
					t.Fatalf("after call %d: %s: got %.100s, want %.100s", stop, name, got[name], text)
				}
			}
			if len(got) != len(want) {
				t.Fatalf("after call %d: got %d worlds, want %d", stop, len(got), len(want))
			}
			for name := range alive(t, from) {
				if !o.KeepSource || !strings.HasPrefix(name, backup.MovedPrefix) {
					t.Fatalf("after call %d: %s is still at the source", stop, name)
				}
			}
			save(t, to, "a", text("goes on", stop)) // no lease is left
		}
	}
}

// author saves into one world, wherever it is, until it is told to stop.
type author struct {
	t      *testing.T
	places []history.Store
	name   string
	leased bool
	stop   func() bool
	saves  *atomic.Int64 // of all authors
	acked  []history.ID
}

// mostSaves bounds what an author saves.
const mostSaves = 50

func (a *author) run() {
	at, n := 0, 0
	for !a.stop() && n < mostSaves {
		if err := a.open(a.places[at], &n); err != nil {
			if !errors.Is(err, history.ErrFenced) && !errors.Is(err, history.ErrLeased) && !errors.Is(err, history.ErrNoWorld) && !errors.Is(err, history.ErrConflict) {
				a.t.Errorf("%s: %v", a.name, err)
				return
			}
			at = 1 - at
			runtime.Gosched()
		}
	}
}

// open saves into the world in one place until that fails.
func (a *author) open(st history.Store, n *int) error {
	ctx := a.t.Context()
	h, err := st.Head(ctx, a.name)
	if err != nil {
		return err
	}
	h.Fence = 0
	if a.leased {
		l, err := st.Lease(ctx, a.name, a.name, time.Minute)
		if err != nil {
			return err
		}
		if h, err = st.Head(ctx, a.name); err != nil {
			return err
		}
		h.Fence = l.Fence
	}
	for !a.stop() && *n < mostSaves {
		*n++
		s := stoneOf(fmt.Appendf(nil, "%s %d", a.name, *n))
		c, err := st.Commit(ctx, a.name, h, history.Commit{Parent: h.Commit, Base: h.Commit, Stones: []history.StoneRef{s.Ref()}}, s)
		if err != nil {
			return err
		}
		h.Commit = c.ID()
		a.acked = append(a.acked, h.Commit)
		a.saves.Add(1)
		runtime.Gosched()
	}
	return nil
}

// TestMigrateLiving moves worlds while authors save into them, and is killed now and
// then. Every save that was acknowledged is in the log at the target, in order.
func TestMigrateLiving(t *testing.T) {
	from, to := memory.New(memory.Options{}).(*pair.Pair), memory.New(memory.Options{}).(*pair.Pair)
	rnd := rand.New(rand.NewPCG(1, 2))
	var authors []*author
	var mu sync.Mutex
	stopped := false
	stop := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return stopped
	}
	var all sync.WaitGroup
	var saves atomic.Int64
	for i := range 6 {
		a := &author{t: t, places: []history.Store{from, to}, name: fmt.Sprint("w", i), leased: i%2 == 0, stop: stop, saves: &saves}
		create(t, from, a.name)
		save(t, from, a.name, text("first", i))
		authors = append(authors, a)
		all.Go(a.run)
	}
	for kills := int64(0); ; kills++ {
		for n := 0; n < 1000 && saves.Load() < 20*kills; n++ {
			runtime.Gosched() // the authors save again, unless a killed migration holds their leases
		}
		k := &killer{left: rnd.IntN(20 + 5*int(kills))}
		r, err := backup.Migrate(t.Context(), mortal{from, k}, mortal{to, k}, backup.MigrateOptions{Workers: 2})
		if err == nil {
			t.Logf("killed %d times; the last: %+v", kills, r)
			break
		}
		if !errors.Is(err, errKilled) {
			t.Errorf("migrate: %v", err)
			break
		}
	}
	mu.Lock()
	stopped = true
	mu.Unlock()
	all.Wait()
	for _, a := range authors {
		log, err := to.Log(t.Context(), a.name, history.ID{}, 1<<20)
		if err != nil {
			t.Fatalf("%s: %v", a.name, err)
		}
		var ids []history.ID
		for _, c := range slices.Backward(log) {
			ids = append(ids, c.ID())
		}
		for _, id := range a.acked {
			i := slices.Index(ids, id)
			if i < 0 {
				t.Fatalf("%s: a save of %d is lost or out of order", a.name, len(a.acked))
			}
			ids = ids[i+1:]
		}
	}
	if len(alive(t, from)) > 0 {
		t.Error("worlds are left at the source")
	}
	t.Logf("%d saves", saves.Load())
}

// TestMigrateRefused leaves worlds whose names are in use at the target.
func TestMigrateRefused(t *testing.T) {
	c := newClock()
	from, to := filled(t, c), newStore(c)
	create(t, to, "a", "own")
	save(t, to, "a", text("another", 1))
	create(t, to, "b/c")
	if _, err := to.Lease(t.Context(), "b/c", "someone", time.Hour); err != nil {
		t.Fatal(err)
	}
	was := content(t, from)
	mine := content(t, to)
	r, err := backup.Migrate(t.Context(), from, to, backup.MigrateOptions{})
	if !errors.Is(err, backup.ErrRefused) || len(r.Refused) != 2 || r.Moved != 4 {
		t.Fatalf("got %+v, %v", r, err)
	}
	now, there := content(t, from), content(t, to)
	zero := " " + time.Time{}.String()
	for _, name := range []string{"a", "b/c"} {
		if now[name+zero] != was[name+zero] || there[name+zero] != mine[name+zero] {
			t.Errorf("%s was changed", name)
		}
		save(t, from, name, text("goes on", 1))
	}
	if there["own"+zero] != mine["own"+zero] {
		t.Error("own was changed")
	}
}

// slow is a Store whose Lacks takes a while.
type slow struct{ backup.Moving }

func (s slow) Lacks(ctx context.Context, refs []history.StoneRef) ([]history.StoneRef, error) {
	lacks, err := s.Moving.Lacks(ctx, refs)
	time.Sleep(time.Second) // of a bubble
	return lacks, err
}

// TestMigrateForks sends the stones that forks share once, however many are copied at a time.
func TestMigrateForks(t *testing.T) {
	synctest.Test(t, migrateForks)
}

func migrateForks(t *testing.T) {
	c := newClock()
	from, to := newStore(c), newStore(c)
	create(t, from, "a")
	const stones, worlds = 3, 4
	var head history.Commit
	for i := range stones {
		head = save(t, from, "a", text("shared", i))
	}
	for _, name := range []string{"b", "c", "d"} {
		if err := from.Fork(t.Context(), "a", head.ID(), name); err != nil {
			t.Fatal(err)
		}
	}
	was := alive(t, from)
	if r := mustMigrate(t, from, slow{to}, backup.MigrateOptions{Workers: worlds}); r.Stones != stones {
		t.Errorf("%d stones were sent, want %d", r.Stones, stones)
	}
	if now := alive(t, to); !maps.Equal(now, was) {
		t.Errorf("got %v, want %v", now, was)
	}
}

// TestMigrateSame gives the same store twice: nothing of it changes, and no lease is
// taken.
func TestMigrateSame(t *testing.T) {
	c := newClock()
	st := filled(t, c)
	was := content(t, st)
	if _, err := backup.Migrate(t.Context(), mortal{st, &killer{left: 1 << 30}}, st, backup.MigrateOptions{}); err == nil || !strings.Contains(err.Error(), "the same store") {
		t.Errorf("got %v", err)
	}
	if now := content(t, st); !maps.Equal(now, was) {
		t.Errorf("got %v, want %v", now, was)
	}
	if l, err := st.Lease(t.Context(), "a", "someone", time.Hour); err != nil {
		t.Errorf("got %v, %v", l, err)
	}
}

// TestMigrateMeanwhile renames, deletes and makes worlds between copy and move.
func TestMigrateMeanwhile(t *testing.T) {
	c := newClock()
	from, to := filled(t, c), newStore(c)
	did := false
	r, err := backup.Migrate(t.Context(), from, to, backup.MigrateOptions{Workers: 1, Progress: func(p backup.MigrateProgress) {
		if did || p.Phase != "move" {
			return
		}
		did = true
		for _, err := range []error{from.Rename(t.Context(), "old", "renamed", 0), from.Delete(t.Context(), "x/y/z", 0), from.Create(t.Context(), "made")} {
			if err != nil {
				t.Error(err)
			}
		}
		save(t, from, "made", text("made", 1))
	}})
	if err != nil || !did {
		t.Fatalf("got %+v, %v", r, err)
	}
	live := alive(t, to)
	zero := " " + time.Time{}.String()
	for _, name := range []string{"a", "renamed", "made", "b/c", "forked", "empty"} {
		if live[name+zero] == "" {
			t.Errorf("%s is missing", name)
		}
	}
	if len(live) != 6 {
		t.Errorf("got %d worlds", len(live))
	}
	if err := to.Undelete(t.Context(), "x/y/z"); err != nil {
		t.Error(err)
	}
}

// hooked is a Store that calls functions of a test. Each may be nil.
type hooked struct {
	backup.Moving
	beforeLease   func()
	beforeArchive func()
	afterDelete   func(name string) // or rename
	afterAdopt    func(name string)
}

func (h *hooked) Lease(ctx context.Context, name, holder string, d time.Duration) (history.Lease, error) {
	if h.beforeLease != nil {
		h.beforeLease()
	}
	return h.Moving.Lease(ctx, name, holder, d)
}

func (h *hooked) Archive(ctx context.Context, o history.Outline) (history.Archive, error) {
	if h.beforeArchive != nil {
		h.beforeArchive()
	}
	return h.Moving.Archive(ctx, o)
}

func (h *hooked) Delete(ctx context.Context, name string, fence uint64) error {
	err := h.Moving.Delete(ctx, name, fence)
	if err == nil && h.afterDelete != nil {
		h.afterDelete(name)
	}
	return err
}

func (h *hooked) Rename(ctx context.Context, from, to string, fence uint64) error {
	err := h.Moving.Rename(ctx, from, to, fence)
	if err == nil && h.afterDelete != nil {
		h.afterDelete(from)
	}
	return err
}

func (h *hooked) Adopt(ctx context.Context, a history.Archive, base history.Head) error {
	err := h.Moving.Adopt(ctx, a, base)
	if err == nil && h.afterAdopt != nil {
		h.afterAdopt(a.Name)
	}
	return err
}

// once returns a function that calls what the first time.
func once(what func()) func() {
	did := false
	return func() {
		if !did {
			did = true
			what()
		}
	}
}

func collect(t testing.TB, st history.Store, p history.Policy) {
	t.Helper()
	if _, err := st.Collect(t.Context(), p); err != nil {
		t.Fatal(err)
	}
}

func mustMigrate(t testing.TB, from, to backup.Moving, o backup.MigrateOptions) backup.Migrated {
	t.Helper()
	r, err := backup.Migrate(t.Context(), from, to, o)
	if err != nil {
		t.Fatalf("migrate: %+v, %v", r, err)
	}
	return r
}

// killedWhileMoving is a migration that is killed when it has deleted or renamed a
// world at the source and has not given back the lease at the target.
func killedWhileMoving(t *testing.T, from, to backup.Moving, keep bool) {
	t.Helper()
	k := &killer{left: 1 << 30}
	source := &hooked{Moving: from, afterDelete: func(string) { k.left = 0 }}
	if _, err := backup.Migrate(t.Context(), mortal{source, k}, mortal{to, k}, backup.MigrateOptions{Workers: 1, KeepSource: keep}); !errors.Is(err, errKilled) {
		t.Fatalf("got %v", err)
	}
}

// TestMigrateTwoSources moves a second store to the target of a migration that was
// killed, or is running. It leaves the worlds of the first alone.
func TestMigrateTwoSources(t *testing.T) {
	other := func(c *clock) backup.Moving {
		st := newStore(c)
		create(t, st, "other")
		save(t, st, "other", text("other", 1))
		return st
	}
	check := func(t *testing.T, to backup.Moving, want map[string]string) {
		t.Helper()
		got := content(t, to)
		for name, text := range want {
			if got[name] != text {
				t.Errorf("%s: got %.100s, want %.100s", name, got[name], text)
			}
		}
		for _, name := range []string{"a", "b/c", "other"} {
			save(t, to, name, text("goes on", 1)) // no lease is left
		}
	}
	t.Run("killed", func(t *testing.T) {
		c := newClock()
		from, to := filled(t, c), newStore(c)
		want := content(t, from)
		killedWhileMoving(t, from, to, false)
		mustMigrate(t, other(c), to, backup.MigrateOptions{})
		mustMigrate(t, from, to, backup.MigrateOptions{})
		check(t, to, want)
	})
	t.Run("running", func(t *testing.T) {
		c := newClock()
		from, to := filled(t, c), newStore(c)
		want := content(t, from)
		copies := -1
		source := &hooked{Moving: from, beforeLease: once(func() { // all are copied, none is moved
			copies = len(alive(t, to))
			mustMigrate(t, other(c), to, backup.MigrateOptions{})
			if n := len(alive(t, to)); n != copies+1 {
				t.Errorf("%d worlds after the second migration: want %d", n, copies+1)
			}
		})}
		mustMigrate(t, source, to, backup.MigrateOptions{Workers: 1})
		if copies != 6 {
			t.Errorf("%d copies when the second migration began", copies)
		}
		check(t, to, want)
	})
}

// TestMigratePurged purges what a killed migration moved at the source, before it goes
// on: the world at the target is all that is left.
func TestMigratePurged(t *testing.T) {
	c := newClock()
	from, to := newStore(c), newStore(c)
	create(t, from, "a")
	save(t, from, "a", text("a", 1))
	want := content(t, from)
	killedWhileMoving(t, from, to, false)
	if _, err := from.Purge(t.Context(), "a", 0); err != nil {
		t.Fatal(err)
	}
	mustMigrate(t, from, to, backup.MigrateOptions{})
	if got := content(t, to); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	save(t, to, "a", text("goes on", 1))
}

// TestMigrateNewName makes a new world at the source, under the name of one that a killed
// migration moved and holds. The moved world stays, and can be saved at once.
func TestMigrateNewName(t *testing.T) {
	for _, tt := range []struct {
		name        string
		keep, purge bool
	}{{"in the trash", false, false}, {"purged", false, true}, {"kept", true, false}, {"kept and purged", true, true}} {
		t.Run(tt.name, func(t *testing.T) {
			c := newClock()
			from, to := newStore(c), newStore(c)
			create(t, from, "a")
			last := save(t, from, "a", text("a", 1))
			killedWhileMoving(t, from, to, tt.keep)
			if tt.keep && tt.purge {
				if err := from.Release(t.Context(), backup.MovedPrefix+"a", history.Force); err != nil {
					t.Fatal(err)
				}
				if err := from.Delete(t.Context(), backup.MovedPrefix+"a", 0); err != nil {
					t.Fatal(err)
				}
				if _, err := from.Purge(t.Context(), backup.MovedPrefix+"a", 0); err != nil {
					t.Fatal(err)
				}
			} else if tt.purge {
				if _, err := from.Purge(t.Context(), "a", 0); err != nil {
					t.Fatal(err)
				}
			}
			create(t, from, "a")
			newer := save(t, from, "a", text("another", 1))
			for range 2 {
				r, err := backup.Migrate(t.Context(), from, to, backup.MigrateOptions{KeepSource: tt.keep})
				if !errors.Is(err, backup.ErrRefused) || len(r.Refused) != 1 || !strings.HasPrefix(r.Refused[0], "a: ") {
					t.Errorf("got %+v, %v", r, err)
				}
				for st, want := range map[backup.Moving]history.Commit{from: newer, to: last} {
					if h, err := st.Head(t.Context(), "a"); err != nil || h.Commit != want.ID() {
						t.Errorf("got %v, %v, want %v", h, err, want.ID())
					}
				}
				last = save(t, to, "a", text("goes on", 1)) // no lease is left
			}
		})
	}
}

// TestMigrateOutdated deletes a world at the source after a migration that copied it
// was killed: its copy goes, and the deleted world comes.
func TestMigrateOutdated(t *testing.T) {
	c := newClock()
	from, to := filled(t, c), newStore(c)
	k := &killer{left: 1 << 30}
	source := &hooked{Moving: from, beforeLease: func() { k.left = 0 }} // before the first move
	if _, err := backup.Migrate(t.Context(), mortal{source, k}, mortal{to, k}, backup.MigrateOptions{Workers: 1}); !errors.Is(err, errKilled) {
		t.Fatalf("got %v", err)
	}
	if err := from.Release(t.Context(), "x/y/z", history.Force); err != nil && !errors.Is(err, history.ErrFenced) {
		t.Fatal(err)
	}
	last := save(t, from, "x/y/z", text("more", 1))
	if err := from.Delete(t.Context(), "x/y/z", 0); err != nil {
		t.Fatal(err)
	}
	mustMigrate(t, from, to, backup.MigrateOptions{})
	if _, err := to.Head(t.Context(), "x/y/z"); !errors.Is(err, history.ErrNoWorld) {
		t.Errorf("the old copy: got %v", err)
	}
	if err := to.Undelete(t.Context(), "x/y/z"); err != nil {
		t.Fatal(err)
	}
	if h, err := to.Head(t.Context(), "x/y/z"); err != nil || h.Commit != last.ID() {
		t.Errorf("got %v, %v, want %v", h, err, last.ID())
	}
}

// TestMigrateReplaced is TestMigrateOutdated with a new world of the name at the source.
func TestMigrateReplaced(t *testing.T) {
	c := newClock()
	from, to := newStore(c), newStore(c)
	create(t, from, "a")
	save(t, from, "a", text("a", 1))
	k := &killer{left: 1 << 30}
	source := &hooked{Moving: from, beforeLease: func() { k.left = 0 }} // before the first move
	if _, err := backup.Migrate(t.Context(), mortal{source, k}, mortal{to, k}, backup.MigrateOptions{Workers: 1}); !errors.Is(err, errKilled) {
		t.Fatalf("got %v", err)
	}
	if err := from.Release(t.Context(), "a", history.Force); err != nil && !errors.Is(err, history.ErrFenced) {
		t.Fatal(err)
	}
	save(t, from, "a", text("a", 2))
	if err := from.Delete(t.Context(), "a", 0); err != nil {
		t.Fatal(err)
	}
	create(t, from, "a")
	save(t, from, "a", text("another", 1))
	want := content(t, from)
	mustMigrate(t, from, to, backup.MigrateOptions{})
	got := content(t, to)
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s: got %.100s, want %.100s", name, got[name], text)
		}
	}
}

// noRelease is a Store that gives no lease back.
type noRelease struct{ backup.Moving }

var errNoRelease = errors.New("no release")

func (noRelease) Release(context.Context, string, uint64) error { return errNoRelease }

// TestMigrateNoRelease says that the lease of a world that stays was not given back.
func TestMigrateNoRelease(t *testing.T) {
	t.Run("source", func(t *testing.T) {
		c := newClock()
		from, to := newStore(c), newStore(c)
		create(t, from, "a")
		save(t, from, "a", text("a", 1))
		source := &hooked{Moving: from, beforeLease: once(func() {
			c.add(2 * time.Hour) // the lease at the target ends
			save(t, to, "a", text("game", 1))
		})}
		if r, err := backup.Migrate(t.Context(), noRelease{source}, to, backup.MigrateOptions{Workers: 1}); !errors.Is(err, errNoRelease) {
			t.Errorf("got %+v, %v", r, err)
		}
	})
	t.Run("target", func(t *testing.T) {
		c := newClock()
		from, to := newStore(c), newStore(c)
		create(t, from, "a")
		save(t, from, "a", text("a", 1))
		killedWhileMoving(t, from, to, false)
		create(t, from, "a")
		save(t, from, "a", text("another", 1))
		if r, err := backup.Migrate(t.Context(), from, noRelease{to}, backup.MigrateOptions{Workers: 1}); !errors.Is(err, errNoRelease) {
			t.Errorf("got %+v, %v", r, err)
		}
	})
}

// TestMigrateRenews copies for longer than leases last: all copies stay held.
func TestMigrateRenews(t *testing.T) {
	c := newClock()
	from, to := filled(t, c), newStore(c)
	source := &hooked{Moving: from, beforeArchive: func() { c.add(25 * time.Minute) }}
	source.beforeLease = once(func() {
		source.beforeArchive = nil
		for name := range alive(t, to) {
			name, _, _ = strings.Cut(name, " ")
			if l, err := to.Leased(t.Context(), name); err != nil || l.Fence == 0 {
				t.Errorf("%s is not held: %+v, %v", name, l, err)
			}
		}
	})
	if r := mustMigrate(t, source, to, backup.MigrateOptions{Workers: 1, Now: c.now}); r.Moved != 6 {
		t.Errorf("got %+v", r)
	}
}

// TestMigrateLapsed lets the leases at the target end. A game that opens a world there
// by then keeps it, and its lease.
func TestMigrateLapsed(t *testing.T) {
	play := func(t *testing.T, c *clock, to history.Store, name string, saves bool) (check func()) {
		c.add(2 * time.Hour)
		l, err := to.Lease(t.Context(), name, "game", 10*time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		h, err := to.Head(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if saves {
			s := stoneOf(text("game", 1))
			saved, err := to.Commit(t.Context(), name, h, history.Commit{Parent: h.Commit, Base: h.Commit, Stones: []history.StoneRef{s.Ref()}}, s)
			if err != nil {
				t.Fatal(err)
			}
			h.Commit = saved.ID()
		}
		return func() {
			t.Helper()
			if now, err := to.Head(t.Context(), name); err != nil || now.Commit != h.Commit {
				t.Errorf("%s: got %v, %v, want %v", name, now, err, h)
			}
			if _, err := to.Renew(t.Context(), name, l.Fence, time.Hour); err != nil {
				t.Errorf("the game's lease of %s: %v", name, err)
			}
		}
	}
	t.Run("deleted at the source", func(t *testing.T) {
		c := newClock()
		from, to := filled(t, c), newStore(c)
		check := func() { t.Error("no move began") }
		source := &hooked{Moving: from, beforeLease: once(func() {
			if err := from.Delete(t.Context(), "x/y/z", 0); err != nil {
				t.Error(err)
			}
			check = play(t, c, to, "x/y/z", true)
		})}
		mustMigrate(t, source, to, backup.MigrateOptions{Workers: 1})
		check()
	})
	t.Run("saved at the target", func(t *testing.T) {
		c := newClock()
		from, to := filled(t, c), newStore(c)
		want := content(t, from)["a "+time.Time{}.String()]
		check := func() { t.Error("no move began") }
		source := &hooked{Moving: from, beforeLease: once(func() { check = play(t, c, to, "a", true) })}
		r, err := backup.Migrate(t.Context(), source, to, backup.MigrateOptions{Workers: 1})
		if !errors.Is(err, backup.ErrRefused) || len(r.Refused) != 1 {
			t.Errorf("got %+v, %v", r, err)
		}
		check()
		if got := content(t, from)["a "+time.Time{}.String()]; got != want {
			t.Errorf("at the source: got %.100s, want %.100s", got, want)
		}
	})
	t.Run("just moved", func(t *testing.T) {
		c := newClock()
		from, to := newStore(c), newStore(c)
		create(t, from, "a")
		save(t, from, "a", text("a", 1))
		check := func() { t.Error("nothing was moved") }
		source := &hooked{Moving: from, afterDelete: func(name string) { check = play(t, c, to, name, false) }}
		mustMigrate(t, source, to, backup.MigrateOptions{Workers: 1})
		check()
	})
}

// TestMigrateDiffers changes copies without a save before they are compared: the
// target drops old versions, or packs.
func TestMigrateDiffers(t *testing.T) {
	for name, change := range map[string]func(*testing.T, history.Store){
		"trimmed": func(t *testing.T, to history.Store) {
			collect(t, to, history.Policy{Keep: history.Retention{Newest: 1, Hourly: -1, Daily: -1, Monthly: -1}})
		},
		"packed": func(t *testing.T, to history.Store) {
			log, err := to.Log(t.Context(), "a", history.ID{}, 9)
			if err != nil {
				t.Fatal(err)
			}
			pack := stoneOf(text("another pack", 0))
			if err := to.PutPack(t.Context(), "a", history.Pack{Upto: log[1].ID(), Stone: pack.Ref()}, pack); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClock()
			from, to := filled(t, c), newStore(c)
			want, err := from.Head(t.Context(), "a")
			if err != nil {
				t.Fatal(err)
			}
			moves, changed := false, 0
			source := &hooked{Moving: from, beforeLease: func() { moves = true }}
			target := &hooked{Moving: to, afterAdopt: func(world string) {
				if world == "a" && moves && changed < 3 {
					changed++
					change(t, to)
				}
			}}
			if r := mustMigrate(t, source, target, backup.MigrateOptions{Workers: 1}); r.Moved != 6 || changed == 0 {
				t.Errorf("changed %d times: got %+v", changed, r)
			}
			if h, err := to.Head(t.Context(), "a"); err != nil || h.Commit != want.Commit {
				t.Errorf("got %v, %v, want %v", h, err, want)
			}
		})
	}
}

// TestMigrateTrimmedSource lets the source drop the version that was copied before the
// world is moved. The copy is still known.
func TestMigrateTrimmedSource(t *testing.T) {
	c := newClock()
	from, to := newStore(c), newStore(c)
	create(t, from, "a")
	save(t, from, "a", text("a", 0))
	source := &hooked{Moving: from, beforeLease: once(func() {
		for i := range 3 {
			saveOn(t, from, "a", false, text("alone", i))
		}
		collect(t, from, history.Policy{Keep: history.Retention{Newest: 1, Hourly: -1, Daily: -1, Monthly: -1}})
	})}
	if r := mustMigrate(t, source, to, backup.MigrateOptions{}); r.Moved != 1 {
		t.Errorf("got %+v", r)
	}
}

// sameMoment is a Store that says that all deleted worlds were deleted at one time.
type sameMoment struct{ backup.Moving }

func (s sameMoment) Outlines(ctx context.Context, what func(history.Outline) error) error {
	return s.Moving.Outlines(ctx, func(o history.Outline) error {
		if !o.Deleted.IsZero() {
			o.Deleted = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		}
		return what(o)
	})
}

// TestMigrateDeletedAtOnce copies worlds that were deleted under one name in one
// millisecond, and none of them twice.
func TestMigrateDeletedAtOnce(t *testing.T) {
	c := newClock()
	from, to := newStore(c), newStore(c)
	var last history.Commit
	for i := range 3 {
		create(t, from, "a")
		last = save(t, from, "a", text("a", i))
		if err := from.Delete(t.Context(), "a", 0); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []int{3, 0} {
		if r := mustMigrate(t, sameMoment{from}, to, backup.MigrateOptions{}); r.Deleted != want {
			t.Errorf("migration %d: got %+v", i, r)
		}
	}
	if err := to.Undelete(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if h, err := to.Head(t.Context(), "a"); err != nil || h.Commit != last.ID() {
		t.Errorf("got %v, %v, want the last, %v", h, err, last.ID())
	}
}
