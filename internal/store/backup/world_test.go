package backup_test

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/backup"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// TestRestoreWorld restores single worlds as they were.
func TestRestoreWorld(t *testing.T) {
	c := newClock()
	st, b := newStore(c), newBucket()
	create(t, st, "a", "other")
	var versions []history.Commit
	var names []string // of the backup that follows each version
	for i := range 6 {
		versions = append(versions, save(t, st, "a", text("a", i)))
		c.add(time.Hour)
		names = append(names, mustRun(t, st, b, backup.Options{Now: c.now}).Name)
		if i == 3 {
			_, err := st.Collect(t.Context(), history.Policy{Keep: history.Retention{Newest: 1, Hourly: -1, Daily: -1, Monthly: -1}, Grace: -1})
			if err != nil {
				t.Fatal(err)
			}
		}
		c.add(time.Hour)
	}
	if err := st.Delete(t.Context(), "a", 0); err != nil {
		t.Fatal(err)
	}
	mustRun(t, st, b, backup.Options{Now: c.now})
	all := mustOpen(t, b, backup.Access{})
	to := newStore(c)
	for i, v := range versions {
		for _, at := range []time.Time{v.Time, v.Time.Add(30 * time.Minute), v.Time.Add(time.Hour + 50*time.Minute)} {
			as := fmt.Sprintf("at/%d-%d", i, at.Unix())
			r, err := all.RestoreWorld(t.Context(), to, "a", backup.WorldOptions{At: at, As: as})
			if err != nil || r.Version != v.Number || r.Commit != v.ID() {
				t.Fatalf("version %d, at %v: got %+v, %v", i+1, at, r, err)
			}
			f, err := history.Fetch(t.Context(), to, as, history.ID{}, 1<<20)
			if err != nil || len(f.Data) != i+1 || !bytes.Equal(f.Data[i], text("a", i)) {
				t.Fatalf("version %d: got %d stones, %v", i+1, len(f.Data), err)
			}
		}
		r, err := all.RestoreWorld(t.Context(), to, "a", backup.WorldOptions{Backup: names[i], As: fmt.Sprint("named", i)})
		if err != nil || r.Version != v.Number {
			t.Fatalf("backup %s: got %+v, %v", names[i], r, err)
		}
	}
	for _, tt := range []struct {
		world string
		o     backup.WorldOptions
		want  error
	}{
		{"none", backup.WorldOptions{}, history.ErrNoWorld},
		{"a", backup.WorldOptions{At: versions[0].Time.Add(-time.Hour)}, history.ErrNoCommit},
		{"a", backup.WorldOptions{As: "named0"}, history.ErrExists},
		{"a", backup.WorldOptions{Backup: "19"}, backup.ErrNone},
		{"a", backup.WorldOptions{As: "A"}, history.ErrName},
	} {
		if _, err := all.RestoreWorld(t.Context(), to, tt.world, tt.o); !errors.Is(err, tt.want) {
			t.Errorf("%s, %+v: got %v, want %v", tt.world, tt.o, err, tt.want)
		}
	}
	if _, err := all.RestoreWorld(t.Context(), to, "a", backup.WorldOptions{As: "back"}); err != nil {
		t.Errorf("a deleted world: %v", err)
	}
	if _, err := mustOpen(t, newBucket(), backup.Access{}).Restore(t.Context(), to, backup.RestoreOptions{}); !errors.Is(err, backup.ErrNone) {
		t.Errorf("an empty bucket: got %v", err)
	}
}

// TestRestoreBeside restores into a Store that has other worlds.
func TestRestoreBeside(t *testing.T) {
	c := newClock()
	st, b, to := filled(t, c), newBucket(), newStore(c)
	mustRun(t, st, b, backup.Options{Now: c.now})
	create(t, to, "a", "empty", "own")
	save(t, to, "a", text("another", 1))
	r, err := mustOpen(t, b, backup.Access{}).Restore(t.Context(), to, backup.RestoreOptions{})
	if !errors.Is(err, backup.ErrRefused) || len(r.Refused) != 1 || r.Worlds != 5 || r.Same != 1 {
		t.Errorf("got %+v, %v", r, err)
	}
	if r, err := mustOpen(t, b, backup.Access{}).Restore(t.Context(), to, backup.RestoreOptions{}); r.Same != 6 || r.Worlds != 0 {
		t.Errorf("again: got %+v, %v", r, err)
	}
}

// TestStones finds the bytes of stones, also if the newest backup has lost them.
func TestStones(t *testing.T) {
	b := backedUp(t, backup.Options{})
	want := []history.Stone{stoneOf(text("a", 0)), stoneOf(text("pack", 0)), stoneOf(text("more", 2)), stoneOf([]byte("nobody has this"))}
	var ids []stone.ID
	for _, s := range want {
		ids = append(ids, s.ID)
	}
	found := make(map[stone.ID]bool)
	lost, err := mustOpen(t, b, backup.Access{}).Stones(t.Context(), ids, func(s history.Stone) error {
		found[s.ID] = true
		return s.Check()
	})
	if err != nil || len(found) != 3 || len(lost) != 1 || lost[0] != ids[3] {
		t.Errorf("got %d stones, lost %v, %v", len(found), lost, err)
	}
}

// TestLiving backs up a Store while authors save. Each world of the backup is equal to
// one of the versions that it had meanwhile.
func TestLiving(t *testing.T) {
	c := newClock()
	st, b := newStore(c), newBucket()
	const worlds = 20
	var wg sync.WaitGroup
	stop := make(chan struct{})
	made := make([][]history.Commit, worlds)
	for i := range worlds {
		name := fmt.Sprint("w", i)
		create(t, st, name)
		made[i] = append(made[i], save(t, st, name, text(name, 0)))
	}
	for k := range 4 {
		wg.Go(func() {
			for n := 1; n < 300; n++ {
				select {
				case <-stop:
					return
				default:
				}
				i := k + 4*(n%(worlds/4))
				made[i] = append(made[i], save(t, st, fmt.Sprint("w", i), text(fmt.Sprint("w", i), n)))
			}
		})
	}
	var reports []backup.Report
	for range 3 {
		reports = append(reports, mustRun(t, st, b, backup.Options{Now: c.now, BundleBytes: 1 << 10}))
	}
	close(stop)
	wg.Wait()
	all := mustOpen(t, b, backup.Access{})
	last := make([]uint64, worlds)
	for _, r := range reports {
		to := newStore(c)
		if _, err := all.Restore(t.Context(), to, backup.RestoreOptions{Backup: r.Name}); err != nil {
			t.Fatal(err)
		}
		for i := range worlds {
			log, err := to.Log(t.Context(), fmt.Sprint("w", i), history.ID{}, 1000)
			if err != nil {
				t.Fatal(err)
			}
			n := log[0].Number
			if n < last[i] || n > uint64(len(made[i])) || log[0].ID() != made[i][n-1].ID() || len(log) != int(n) {
				t.Fatalf("w%d: got version %d of %d versions, after %d", i, n, len(log), last[i])
			}
			last[i] = n
		}
		content(t, to)
	}
	if v, err := all.Verify(t.Context(), nil); err != nil {
		t.Errorf("got %+v, %v", v, err)
	}
}
