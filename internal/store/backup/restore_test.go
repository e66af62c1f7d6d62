package backup_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/backup"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

var newestOnly = history.Policy{Keep: history.Retention{Newest: 1, Hourly: -1, Daily: -1, Monthly: -1}}

// TestRestoreTrimmed restores into a Store that drops old versions meanwhile.
func TestRestoreTrimmed(t *testing.T) {
	c := newClock()
	st, b, to := filled(t, c), newBucket(), newStore(c)
	mustRun(t, st, b, backup.Options{Now: c.now})
	keeping := &hooked{Moving: to, afterAdopt: func(string) { collect(t, to, newestOnly) }}
	all := mustOpen(t, b, backup.Access{Workers: 1})
	if r, err := all.Restore(t.Context(), keeping, backup.RestoreOptions{}); err != nil || r.Worlds != 7 {
		t.Fatalf("got %+v, %v", r, err)
	}
	if r, err := all.Restore(t.Context(), keeping, backup.RestoreOptions{}); err != nil || r.Same != 7 || r.Worlds != 0 {
		t.Errorf("again: got %+v, %v", r, err)
	}
}

// TestRestoreWrong restores into a Store that does not have what it took.
func TestRestoreWrong(t *testing.T) {
	c := newClock()
	st, b, to := newStore(c), newBucket(), newStore(c)
	create(t, st, "a")
	save(t, st, "a", text("a", 1))
	mustRun(t, st, b, backup.Options{Now: c.now})
	forgetful := &hooked{Moving: to, afterAdopt: func(name string) {
		if err := to.Delete(t.Context(), name, 0); err != nil {
			t.Error(err)
		}
		create(t, to, name)
	}}
	if r, err := mustOpen(t, b, backup.Access{}).Restore(t.Context(), forgetful, backup.RestoreOptions{}); err == nil {
		t.Errorf("got %+v and no error", r)
	}
}

// TestRestoreSharedPack backs up worlds that share a version, which is packed when one
// of them was read and the other was not.
func TestRestoreSharedPack(t *testing.T) {
	c := newClock()
	st, b, to := newStore(c), newBucket(), newStore(c)
	create(t, st, "template")
	shared := save(t, st, "template", text("template", 0))
	if err := st.Fork(t.Context(), "template", shared.ID(), "fork"); err != nil {
		t.Fatal(err)
	}
	reads := 0
	packing := &hooked{Moving: st, beforeArchive: func() {
		if reads++; reads == 2 {
			pack := stoneOf(text("pack", 0))
			if err := st.PutPack(t.Context(), "template", history.Pack{Upto: shared.ID(), Stone: pack.Ref()}, pack); err != nil {
				t.Error(err)
			}
		}
	}}
	mustRun(t, packing, b, backup.Options{Now: c.now, Workers: 1})
	all := mustOpen(t, b, backup.Access{Workers: 1})
	if r, err := all.Restore(t.Context(), to, backup.RestoreOptions{}); err != nil || r.Worlds != 2 {
		t.Fatalf("got %+v, %v", r, err)
	}
	if r, err := all.Restore(t.Context(), to, backup.RestoreOptions{}); err != nil || r.Same != 2 {
		t.Errorf("again: got %+v, %v", r, err)
	}
	content(t, to)
}

// TestRestoreCompares restores worlds into a Store in which others change one right after it
// was made: a save is none of the Restore's business, another history is.
func TestRestoreCompares(t *testing.T) {
	for _, tt := range []struct {
		name string
		then func(t *testing.T, st history.Store)
		want string // in the error
	}{
		{"nothing", func(*testing.T, history.Store) {}, ""},
		{"a save", func(t *testing.T, st history.Store) { save(t, st, "a", text("later", 1)) }, ""},
		{"a delete", func(t *testing.T, st history.Store) {
			if err := st.Delete(t.Context(), "a", 0); err != nil {
				t.Error(err)
			}
		}, history.ErrNoWorld.Error()},
		{"another world", func(t *testing.T, st history.Store) {
			if err := st.Delete(t.Context(), "a", 0); err != nil {
				t.Error(err)
			}
			create(t, st, "a")
			save(t, st, "a", text("other", 1))
		}, "another history than the backup"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newClock()
			b, to := newBucket(), newStore(c)
			mustRun(t, filled(t, c), b, backup.Options{Now: c.now})
			changed := &hooked{Moving: to, afterAdopt: func(name string) {
				if name == "a" {
					tt.then(t, to)
				}
			}}
			r, err := mustOpen(t, b, backup.Access{}).Restore(t.Context(), changed, backup.RestoreOptions{})
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if r.Worlds != 7 {
				t.Errorf("got %d worlds", r.Worlds)
			}
		})
	}
}

// Worlds that go while others are restored do not hide one another, nor what else is wrong.
func TestRestoreGone(t *testing.T) {
	c := newClock()
	b, to := newBucket(), newStore(c)
	mustRun(t, filled(t, c), b, backup.Options{Now: c.now})
	create(t, to, "empty")
	save(t, to, "empty", text("of another", 1))
	gone := &hooked{Moving: to, afterAdopt: func(name string) {
		if name == "a" || name == "b/c" {
			if err := to.Delete(t.Context(), name, 0); err != nil {
				t.Error(err)
			}
		}
	}}
	r, err := mustOpen(t, b, backup.Access{}).Restore(t.Context(), gone, backup.RestoreOptions{})
	if !errors.Is(err, history.ErrNoWorld) || !errors.Is(err, backup.ErrDiffers) || !errors.Is(err, backup.ErrRefused) || !strings.Contains(err.Error(), "2 worlds: the first") || r.Worlds != 6 {
		t.Errorf("got %d worlds, %v", r.Worlds, err)
	}
}

// TestRestoreDeletedAtOnce restores worlds that were deleted under one name, in their
// order. In the second case that was in one millisecond, and any may be the last.
func TestRestoreDeletedAtOnce(t *testing.T) {
	for how, as := range map[string]func(backup.Moving) history.ArchiveReader{
		"one after another": func(st backup.Moving) history.ArchiveReader { return st },
		"at once":           func(st backup.Moving) history.ArchiveReader { return sameMoment{st} },
	} {
		t.Run(how, func(t *testing.T) {
			c := newClock()
			st, b, to := newStore(c), newBucket(), newStore(c)
			last := make(map[string]history.Commit)
			for i := range 8 {
				for _, name := range []string{"a", "b"} {
					create(t, st, name)
					last[name] = save(t, st, name, text(name, i))
					if err := st.Delete(t.Context(), name, 0); err != nil {
						t.Fatal(err)
					}
				}
			}
			mustRun(t, as(st), b, backup.Options{Now: c.now})
			all := mustOpen(t, b, backup.Access{})
			if r, err := all.Restore(t.Context(), to, backup.RestoreOptions{}); err != nil || r.Worlds != 16 {
				t.Fatalf("got %+v, %v", r, err)
			}
			if r, err := all.Restore(t.Context(), to, backup.RestoreOptions{}); err != nil || r.Same != 16 || r.Worlds != 0 {
				t.Errorf("again: got %+v, %v", r, err)
			}
			for name, want := range last {
				if err := to.Undelete(t.Context(), name); err != nil {
					t.Fatal(err)
				}
				if h, err := to.Head(t.Context(), name); err != nil || how != "at once" && h.Commit != want.ID() {
					t.Errorf("%s: got %v, %v, want %v", name, h, err, want.ID())
				}
			}
		})
	}
}

// TestRestoreCalls counts the calls of the bucket for many worlds.
func TestRestoreCalls(t *testing.T) {
	c := newClock()
	st, b, to := newStore(c), newBucket(), newStore(c)
	var ids []stone.ID
	for i := range 200 {
		name := fmt.Sprintf("w%03d", i)
		create(t, st, name)
		s := stoneOf(text(name, i))
		h := history.Commit{Message: strings.Repeat(name, 600), Stones: []history.StoneRef{s.Ref()}} // archives are not small
		if _, err := st.Commit(t.Context(), name, history.Head{}, h, s); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, s.ID)
	}
	mustRun(t, st, b, backup.Options{Now: c.now})
	for what, do := range map[string]func(*backup.Backups) error{
		"restore": func(all *backup.Backups) error {
			_, err := all.Restore(t.Context(), to, backup.RestoreOptions{})
			return err
		},
		"stones": func(all *backup.Backups) error {
			_, err := all.Stones(t.Context(), ids, func(history.Stone) error { return nil })
			return err
		},
	} {
		all, was := mustOpen(t, b, backup.Access{}), b.calls["get"]
		if err := do(all); err != nil {
			t.Fatal(err)
		}
		if n := b.calls["get"] - was; n > 10 {
			t.Errorf("%s: %d gets", what, n)
		}
	}
	same(t, to, st)
}

// TestRestoreHidden finds versions of worlds that were deleted, and whose name another
// world has now.
func TestRestoreHidden(t *testing.T) {
	c := newClock()
	st, b, to := newStore(c), newBucket(), newStore(c)
	create(t, st, "a")
	versions := []history.Commit{save(t, st, "a", text("a", 1))}
	c.add(time.Hour)
	mustRun(t, st, b, backup.Options{Now: c.now})
	for i := range 2 {
		c.add(time.Hour)
		versions = append(versions, save(t, st, "a", text("a", i+2)))
	}
	for i := range 2 {
		if err := st.Delete(t.Context(), "a", 0); err != nil {
			t.Fatal(err)
		}
		create(t, st, "a")
		c.add(time.Hour)
		versions = append(versions, save(t, st, "a", text("another", i)))
	}
	c.add(time.Hour)
	last := mustRun(t, st, b, backup.Options{Now: c.now})
	all := mustOpen(t, b, backup.Access{})
	for i, v := range versions {
		for k, name := range []string{"", last.Name} {
			r, err := all.RestoreWorld(t.Context(), to, "a", backup.WorldOptions{Backup: name, At: v.Time.Add(time.Minute), As: fmt.Sprintf("then%d/%d", i, k)})
			if err != nil || r.Commit != v.ID() {
				t.Errorf("version %d of backup %q: got %+v, %v", i, name, r, err)
			}
		}
	}
	if r, err := all.RestoreWorld(t.Context(), to, "a", backup.WorldOptions{As: "now"}); err != nil || r.Commit != versions[len(versions)-1].ID() {
		t.Errorf("now: got %+v, %v", r, err)
	}
}

// TestRestoreDamagedNeighbour damages one of the two backups beside a time.
func TestRestoreDamagedNeighbour(t *testing.T) {
	c := newClock()
	st, whole, to := newStore(c), newBucket(), newStore(c)
	create(t, st, "a")
	var versions []history.Commit
	var names []string
	for i := range 3 {
		versions = append(versions, save(t, st, "a", text("a", i)))
		c.add(time.Hour)
		names = append(names, mustRun(t, st, whole, backup.Options{Now: c.now}).Name)
		c.add(time.Hour)
	}
	at := versions[1].Time.Add(time.Minute) // between the first and the second backup
	for i, tt := range []struct {
		damaged []int
		want    int // the version; -1 is an error
	}{{[]int{0}, 1}, {[]int{1}, 1}, {[]int{1, 2}, 0}, {[]int{0, 1, 2}, -1}} {
		b := copyOf(t, whole)
		for _, n := range tt.damaged {
			b.replace(t, "manifests/"+names[n], []byte("x"))
		}
		r, err := mustOpen(t, b, backup.Access{}).RestoreWorld(t.Context(), to, "a", backup.WorldOptions{At: at, As: fmt.Sprint("then", i)})
		if tt.want < 0 {
			if !errors.As(err, new(*backup.CorruptError)) {
				t.Errorf("%v are damaged: got %+v, %v", tt.damaged, r, err)
			}
		} else if err != nil || r.Commit != versions[tt.want].ID() {
			t.Errorf("%v are damaged: got %+v, %v", tt.damaged, r, err)
		}
	}
}

// TestStonesDamaged loses an object of archives or tables that the newest backup alone
// needs. Older backups still have stones.
func TestStonesDamaged(t *testing.T) {
	c := newClock()
	st, whole := filled(t, c), newBucket()
	mustRun(t, st, whole, backup.Options{Now: c.now})
	had := make(map[string]bool)
	for _, key := range keys(t, whole.Bucket) {
		had[key] = true
	}
	save(t, st, "x/y/z", text("more", 2))
	mustRun(t, st, whole, backup.Options{Now: c.now})
	want := stoneOf(text("a", 0))
	tries := 0
	for _, key := range keys(t, whole.Bucket) {
		if had[key] || !strings.HasPrefix(key, "meta/") {
			continue
		}
		tries++
		b := copyOf(t, whole)
		b.replace(t, key, nil)
		found := 0
		lost, err := mustOpen(t, b, backup.Access{}).Stones(t.Context(), []stone.ID{want.ID}, func(s history.Stone) error {
			found++
			return s.Check()
		})
		if err != nil || found != 1 || len(lost) != 0 {
			t.Errorf("without %s: found %d, lost %v, %v", key, found, lost, err)
		}
	}
	if tries == 0 {
		t.Error("nothing was lost")
	}
}

// TestStonesAway does not take a bucket that does not answer for a damaged one.
func TestStonesAway(t *testing.T) {
	b := backedUp(t, backup.Options{})
	away := errors.New("away")
	all := mustOpen(t, b, backup.Access{})
	b.before = func(op, _ string) error {
		if op == "get" {
			return away
		}
		return nil
	}
	_, err := all.Stones(t.Context(), []stone.ID{stoneOf(text("a", 0)).ID}, func(history.Stone) error { return nil })
	if !errors.Is(err, away) {
		t.Errorf("stones: got %v", err)
	}
	if _, err := all.RestoreWorld(t.Context(), newStore(newClock()), "a", backup.WorldOptions{At: newClock().at.Add(time.Hour)}); !errors.Is(err, away) {
		t.Errorf("world: got %v", err)
	}
}

// TestRestoreIntoUse restores worlds that somebody saves into at once, also empty ones.
func TestRestoreIntoUse(t *testing.T) {
	c := newClock()
	st, b, to := filled(t, c), newBucket(), newStore(c)
	mustRun(t, st, b, backup.Options{Now: c.now})
	used := &hooked{Moving: to, afterAdopt: func(name string) {
		if _, err := to.Head(t.Context(), name); err == nil { // not a deleted one
			save(t, to, name, text("at once", 1))
		}
	}}
	all := mustOpen(t, b, backup.Access{Workers: 1})
	if r, err := all.Restore(t.Context(), used, backup.RestoreOptions{}); err != nil || r.Worlds != 7 {
		t.Errorf("got %+v, %v", r, err)
	}
}
