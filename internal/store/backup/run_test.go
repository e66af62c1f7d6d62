package backup_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/backup"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/store/history"
)

func stoneOf(data []byte) history.Stone {
	return history.Stone{ID: sha256.Sum256(data), Data: data}
}

func TestRoundTrip(t *testing.T) {
	c := newClock()
	st, b := filled(t, c), newBucket()
	r := mustRun(t, st, b, backup.Options{Now: c.now})
	if r.Worlds != 7 || r.Changed != 7 {
		t.Errorf("report: got %+v", r)
	}
	same(t, mustRestore(t, b, backup.Access{}), st)
	again := mustRun(t, st, b, backup.Options{Now: c.now})
	if again.Changed != 0 || again.Stones != 0 || again.Objects > 4 {
		t.Errorf("nothing changed: got %+v", again)
	}
	save(t, st, "forked", text("forked", 2))
	if err := st.Rename(t.Context(), "b/c", "b/d", 0); err != nil {
		t.Fatal(err)
	}
	third := mustRun(t, st, b, backup.Options{Now: c.now})
	if third.Changed != 1 || third.Stones != 1 {
		t.Errorf("one changed, one renamed: got %+v", third)
	}
	same(t, mustRestore(t, b, backup.Access{}), st)
}

// TestCalls counts the calls of backups of ten thousand worlds.
func TestCalls(t *testing.T) {
	long.Alone(t)
	c := newClock()
	st, b := newStore(c), newBucket()
	const worlds = 10_000
	name := func(i int) string { return fmt.Sprintf("players/%05d/island", i) }
	for i := range worlds {
		create(t, st, name(i))
		save(t, st, name(i), fmt.Appendf(nil, "%300d", i))
	}
	o := backup.Options{Now: c.now}
	for _, changed := range []int{worlds, 0, 100} {
		if changed < worlds || b.total() > 0 {
			for i := range changed {
				save(t, st, name(i*worlds/changed), fmt.Appendf(nil, "%d %300d", b.total(), i))
			}
		}
		before := b.total()
		r := mustRun(t, st, b, o)
		calls := b.total() - before
		t.Logf("%d changed: %d calls, %d objects, %d bytes", changed, calls, r.Objects, r.New)
		if r.Changed != changed || r.Stones != changed || calls > 30+changed/100 {
			t.Errorf("%d changed: %d calls, %+v", changed, calls, r)
		}
	}
	same(t, mustRestore(t, b, backup.Access{}), st)
}

// TestForks makes one fork of a template between every two backups. The stones of the
// template are put once.
func TestForks(t *testing.T) {
	c := newClock()
	st, b := newStore(c), newBucket()
	create(t, st, "template")
	var head history.ID
	for i := range 20 {
		id := save(t, st, "template", fmt.Appendf(nil, "%300d", i)).ID()
		head = id
	}
	o := backup.Options{Now: c.now}
	mustRun(t, st, b, o)
	for i, changed := range []bool{false, false, true, false} {
		name := fmt.Sprint("fork", i)
		if err := st.Fork(t.Context(), "template", head, name); err != nil {
			t.Fatal(err)
		}
		save(t, st, name, text(name, i))
		want := 1
		if changed {
			save(t, st, "template", text("template", i))
			want++
		}
		if r := mustRun(t, st, b, o); r.Stones != want {
			t.Errorf("%s: got %+v", name, r)
		}
		h, err := st.Head(t.Context(), "template")
		if err != nil {
			t.Fatal(err)
		}
		head = h.Commit
	}
	same(t, mustRestore(t, b, backup.Access{}), st)
	if v, err := mustOpen(t, b, backup.Access{}).Verify(t.Context(), nil); err != nil {
		t.Errorf("got %+v, %v", v, err)
	}
}

// timed is a Bucket with a clock.
type timed struct {
	*bucket
	at time.Time
}

func (b timed) Time(context.Context) (time.Time, error) { return b.at, nil }

// TestTime backs up from a machine whose clock is wrong.
func TestTime(t *testing.T) {
	c := newClock()
	b := timed{newBucket(), c.now().Add(100 * time.Hour)}
	r := mustRun(t, filled(t, c), b, backup.Options{Now: c.now})
	if off := r.Time.Sub(b.at); off < 0 || off > time.Hour {
		t.Errorf("got %v, want %v", r.Time, b.at)
	}
}

// TestOneSecond makes two backups in one second of the bucket's clock.
func TestOneSecond(t *testing.T) {
	c := newClock()
	began := c.now()
	var passed atomic.Int64
	now := func() time.Time { return began.Add(time.Duration(passed.Add(int64(time.Millisecond)))) }
	b := timed{newBucket(), began}
	st := filled(t, c)
	b.before = func(op, key string) error {
		if op == "put" && key[:5] == "data/" {
			passed.Add(int64(300 * time.Millisecond))
		}
		return nil
	}
	first := mustRun(t, st, b, backup.Options{Now: now, Workers: 1})
	b.before = nil
	if second := mustRun(t, st, b, backup.Options{Now: now, Workers: 1}); second.Name <= first.Name {
		t.Errorf("got %s after %s", second.Name, first.Name)
	}
}
