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
	"time"

	"github.com/cairnvoxel/cairn/backup"
	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/stone"
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
	for _, o := range []backup.MigrateOptions{{Workers: 1}, {Workers: 1, KeepSource: true}} {
		for stop, ended := 0, false; !ended; stop++ {
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
	from, to := memory.New(memory.Options{}), memory.New(memory.Options{})
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
