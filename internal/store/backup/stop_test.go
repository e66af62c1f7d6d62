package backup_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/store/backup"
	"github.com/cairnvoxel/cairn/internal/store/pair"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// TestStopped stops a backup before and after every call of the bucket, in turn. The
// next backup is whole, and what was sealed before stays.
func TestStopped(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 7
	}
	for _, o := range []backup.Options{{}, {Recipients: []string{newKey(t).Recipient().String()}}} {
		stopped := errors.New("stopped")
		for stop, ended := 1, false; !ended; stop += step {
			c := newClock()
			st, b := filled(t, c), newBucket()
			o.Now, o.BundleBytes, o.Workers, o.Sample, o.Keep = c.now, 256, 1, -1, history.Keep{Newest: 1}
			mustRun(t, st, b, o)
			save(t, st, "x/y/z", text("more", 2))
			for i := range 20 {
				name := fmt.Sprint("new/", i)
				create(t, st, name)
				save(t, st, name, fmt.Appendf(nil, "%200d", i))
			}
			var n atomic.Int64
			b.before = func(string, string) error {
				if n.Add(1) >= int64(stop) {
					return stopped
				}
				return nil
			}
			_, err := backup.Run(t.Context(), st, b, o)
			if ended = err == nil; !ended && !errors.Is(err, stopped) {
				t.Fatalf("stopped before call %d: got %v", stop, err)
			}
			b.before = nil
			c.add(2 * time.Hour) // its claim ends
			r := mustRun(t, st, b, o)
			if r.Worlds != 27 {
				t.Fatalf("after call %d: got %+v", stop, r)
			}
			if len(o.Recipients) == 0 {
				same(t, mustRestore(t, b, backup.Access{}), st)
			}
			if v, err := mustOpen(t, b, backup.Access{}).Verify(t.Context(), nil); err != nil || v.Backups != 1 || v.Unneeded > 0 {
				t.Fatalf("after call %d: got %+v, %v", stop, v, err)
			}
		}
	}
}

// TestResumes counts what the backup after an interrupted one does not put again.
func TestResumes(t *testing.T) {
	for _, o := range []backup.Options{{}, {Recipients: []string{newKey(t).Recipient().String()}}} {
		c := newClock()
		st, b := newStore(c), newBucket()
		for i := range 500 {
			name := fmt.Sprint("w", i)
			create(t, st, name)
			save(t, st, name, fmt.Appendf(nil, "%1000d", i))
		}
		o.Now, o.BundleBytes, o.Workers = c.now, 10<<10, 1
		var puts atomic.Int64
		b.before = func(op, _ string) error {
			if op == "put" {
				puts.Add(1)
			}
			if puts.Load() > 40 {
				return errors.New("stopped")
			}
			return nil
		}
		if _, err := backup.Run(t.Context(), st, b, o); err == nil {
			t.Fatal("it was not stopped")
		}
		b.before = nil
		if _, err := backup.Run(t.Context(), st, b, o); !errors.Is(err, backup.ErrBusy) {
			t.Fatalf("before the claim ends: got %v", err)
		}
		c.add(2 * time.Hour)
		r := mustRun(t, st, b, o)
		if r.Resumed < 200 || r.Resumed+r.Changed != 500 || r.Stones != r.Changed {
			t.Errorf("got %+v", r)
		}
		if len(o.Recipients) == 0 {
			same(t, mustRestore(t, b, backup.Access{}), st)
		}
	}
}

// TestTwoAtOnce begins a backup in the middle of another.
func TestTwoAtOnce(t *testing.T) {
	c := newClock()
	st, b := filled(t, c), newBucket()
	o := backup.Options{Now: c.now, Holder: "first"}
	var second error
	b.before = func(op, key string) error {
		if op == "put" && key[:5] == "data/" {
			b.before = nil
			_, second = backup.Run(t.Context(), st, b, backup.Options{Now: c.now, Holder: "second"})
		}
		return nil
	}
	mustRun(t, st, b, o)
	if !errors.Is(second, backup.ErrBusy) {
		t.Errorf("the second: got %v", second)
	}
	same(t, mustRestore(t, b, backup.Access{}), st)
}

// TestOvertaken lets the claim of a slow backup end. Another backup runs, and the
// slow one ends without a seal.
func TestOvertaken(t *testing.T) {
	for _, at := range []string{"data/", "meta/", "manifests/"} {
		c := newClock()
		st, b := filled(t, c), newBucket()
		o := backup.Options{Now: c.now, Keep: history.Keep{Newest: 1}}
		b.before = func(op, key string) error {
			if op == "put" && len(key) > len(at) && key[:len(at)] == at {
				b.before = nil
				c.add(3 * time.Hour)
				mustRun(t, st, b, o)
			}
			return nil
		}
		if _, err := backup.Run(t.Context(), st, b, o); !errors.Is(err, backup.ErrBusy) {
			t.Errorf("%s: got %v", at, err)
		}
		mustRun(t, st, b, o)
		if v, err := mustOpen(t, b, backup.Access{}).Verify(t.Context(), nil); err != nil || v.Backups != 1 {
			t.Errorf("%s: got %+v, %v", at, v, err)
		}
		same(t, mustRestore(t, b, backup.Access{}), st)
	}
}

// TestKeep keeps the newest three of thirty backups, and no object that only the
// others needed.
func TestKeep(t *testing.T) {
	c := newClock()
	st, b := filled(t, c), newBucket()
	o := backup.Options{Now: c.now, BundleBytes: 4 << 10, Keep: history.Keep{Newest: 3}}
	var contents []map[string]string
	for i := range 30 {
		for k := range 4 {
			name := fmt.Sprint("w", k)
			if i == 0 {
				create(t, st, name)
			}
			saveOn(t, st, name, false, fmt.Appendf(nil, "%800d", i*10+k))
		}
		if _, err := st.Collect(t.Context(), history.Policy{Keep: history.Retention{Newest: 1, Hourly: -1, Daily: -1, Monthly: -1}, Grace: -1}); err != nil {
			t.Fatal(err)
		}
		r := mustRun(t, st, b, o)
		if i >= 3 && len(r.Removed) != 1 {
			t.Errorf("backup %d: got %+v", i, r)
		}
		contents = append(contents, content(t, st))
	}
	all := mustOpen(t, b, backup.Access{})
	list, err := all.List(t.Context())
	if err != nil || len(list) != 3 {
		t.Fatalf("list: got %+v, %v", list, err)
	}
	if v, err := all.Verify(t.Context(), nil); err != nil || v.Unneeded > 0 || v.Bytes > 40<<10 {
		t.Errorf("got %+v, %v", v, err)
	}
	for i, info := range list {
		to := newStore(newClock())
		if _, err := all.Restore(t.Context(), to, backup.RestoreOptions{Backup: info.Name}); err != nil {
			t.Fatal(err)
		}
		if got := content(t, to); !maps.Equal(got, contents[27+i]) {
			t.Errorf("backup %s: got %v", info.Name, slices.Sorted(maps.Keys(got)))
		}
	}
}

// TestLock locks all objects of a backup, and keeps what is locked.
func TestLock(t *testing.T) {
	c := newClock()
	st, b := filled(t, c), newBucket()
	o := backup.Options{Now: c.now, Keep: history.Keep{Newest: 1}, Lock: 24 * time.Hour}
	mustRun(t, st, b, o)
	first := maps.Clone(b.locks)
	for _, key := range keys(t, b.Bucket) {
		if _, locked := b.locks[key]; !locked && key[:7] != "claims/" {
			t.Errorf("%s is not locked", key)
		}
	}
	if r := mustRun(t, st, b, o); len(r.Removed) > 0 {
		t.Errorf("removed %v, which is locked", r.Removed)
	}
	c.add(25 * time.Hour)
	if r := mustRun(t, st, b, o); len(r.Removed) != 2 {
		t.Errorf("got %+v", r)
	}
	for key, until := range first {
		if data, err := b.Bucket.Get(t.Context(), key, 0, -1); err == nil && !b.locks[key].After(until) {
			t.Errorf("%s of %d bytes is needed and not locked again", key, len(data))
		}
	}
	if _, err := backup.Run(t.Context(), st, b.Bucket, o); err == nil {
		t.Error("a bucket that cannot lock: no error")
	}
}

// TestSealedIsLocked stops a backup before each call of the bucket, in turn. What has
// a seal is locked, but perhaps the seal.
func TestSealedIsLocked(t *testing.T) {
	stopped := errors.New("stopped")
	for stop, ended := 1, false; !ended; stop++ {
		c := newClock()
		st, b := filled(t, c), newBucket()
		var n atomic.Int64
		b.before = func(string, string) error {
			if n.Add(1) >= int64(stop) {
				return stopped
			}
			return nil
		}
		_, err := backup.Run(t.Context(), st, b, backup.Options{Now: c.now, BundleBytes: 256, Workers: 1, Lock: time.Hour})
		ended = err == nil
		b.before = nil
		if sealed, err := b.Bucket.List(t.Context(), "seals/", "", 1); err != nil || len(sealed) == 0 {
			continue
		}
		for _, key := range keys(t, b.Bucket) {
			if _, locked := b.locks[key]; !locked && key[:6] != "seals/" && key[:7] != "claims/" {
				t.Fatalf("stopped before call %d: %s is not locked", stop, key)
			}
		}
	}
}

// TestCannotLock backs up to a bucket that was made without object lock.
func TestCannotLock(t *testing.T) {
	c := newClock()
	st, b := filled(t, c), newBucket()
	b.noLock = errors.New("no object lock here")
	if _, err := backup.Run(t.Context(), st, b, backup.Options{Now: c.now, Lock: time.Hour}); !errors.Is(err, b.noLock) {
		t.Errorf("got %v", err)
	}
	if all := keys(t, b.Bucket); len(all) != 1 || all[0][:7] != "claims/" {
		t.Errorf("it put %v", all)
	}
}

// collecting is a Store whose stones are collected while they are read.
type collecting struct {
	*pair.Pair
	before func()
}

func (s *collecting) ReadStone(ctx context.Context, id stone.ID) (history.Stone, func() error, error) {
	if s.before != nil {
		before := s.before
		s.before = nil
		before()
	}
	return s.Pair.ReadStone(ctx, id)
}

// TestCollectedMeanwhile packs and collects a world while it is backed up.
func TestCollectedMeanwhile(t *testing.T) {
	c := newClock()
	st, b := newStore(c), newBucket()
	create(t, st, "a", "b")
	for i := range 5 {
		save(t, st, "a", text("a", i))
	}
	live := &collecting{Pair: st, before: func() {
		h, err := st.Head(t.Context(), "a")
		if err != nil {
			t.Error(err)
		}
		pack := stoneOf(text("pack", 0))
		if err := st.PutPack(t.Context(), "a", history.Pack{Upto: h.Commit, Stone: pack.Ref()}, pack); err != nil {
			t.Error(err)
		}
		if _, err := st.Collect(t.Context(), history.Policy{Keep: history.Retention{Newest: 1, Hourly: -1, Daily: -1, Monthly: -1}, Grace: -1}); err != nil {
			t.Error(err)
		}
		if err := st.Delete(t.Context(), "b", 0); err != nil {
			t.Error(err)
		}
	}}
	mustRun(t, live, b, backup.Options{Now: c.now, Workers: 1})
	to := mustRestore(t, b, backup.Access{})
	if got, want := content(t, to)["a "+time.Time{}.String()], content(t, st)["a "+time.Time{}.String()]; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestHurt backs up a Store that has lost a stone, or whose bucket finds it damaged.
func TestHurt(t *testing.T) {
	for _, why := range []error{history.ErrGone, blob.ErrDamaged} {
		t.Run(why.Error(), func(t *testing.T) { testHurt(t, why) })
	}
}

func testHurt(t *testing.T, why error) {
	c := newClock()
	st, b := filled(t, c), newBucket()
	mustRun(t, st, b, backup.Options{Now: c.now})
	was := content(t, st)
	save(t, st, "a", text("more", 1))
	save(t, st, "x/y/z", text("lost", 1))
	lossy := &losing{Pair: st, id: stoneOf(text("lost", 1)).ID, err: why}
	r, err := backup.Run(t.Context(), lossy, b, backup.Options{Now: c.now})
	if !errors.Is(err, backup.ErrHurt) || len(r.Hurt) != 1 || r.Worlds != 7 {
		t.Fatalf("got %+v, %v", r, err)
	}
	to := content(t, mustRestore(t, b, backup.Access{}))
	zero := " " + time.Time{}.String()
	if to["x/y/z"+zero] != was["x/y/z"+zero] || to["a"+zero] != content(t, st)["a"+zero] {
		t.Error("the hurt world is not as it was, or the other is not new")
	}
}

type losing struct {
	*pair.Pair
	id  stone.ID
	err error
}

func (s *losing) ReadStone(ctx context.Context, id stone.ID) (history.Stone, func() error, error) {
	if id == s.id {
		return history.Stone{}, nil, s.err
	}
	return s.Pair.ReadStone(ctx, id)
}
