package backup_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/backup"
	"github.com/cairnvoxel/cairn/store/history"
)

// many returns a Store with so many worlds.
func many(t testing.TB, c *clock, n int) history.ArchiveReader {
	t.Helper()
	st := newStore(c)
	for i := range n {
		name := string(rune('a' + i))
		create(t, st, name)
		save(t, st, name, text(name, i))
	}
	return st
}

// A backup belongs to its Store: those of another are kept, whatever Keep says, and a Store
// with far fewer worlds than the backup before makes none.
func TestAnotherStore(t *testing.T) {
	for _, worlds := range []int{0, 3} {
		c, b := newClock(), newBucket()
		st, other := many(t, c, 8), many(t, c, worlds)
		o := backup.Options{Now: c.now, Keep: history.Keep{Newest: 2}}
		var names []string
		for range 2 {
			c.add(time.Hour)
			names = append(names, mustRun(t, st, b, o).Name)
		}
		c.add(time.Hour)
		if r, err := backup.Run(t.Context(), other, b, o); !errors.Is(err, backup.ErrShrunk) || r.Name != "" {
			t.Errorf("%d worlds: got %+v, %v", worlds, r, err)
		}
		forced := o
		forced.Force = true
		for range 3 { // from the second on this is the store's own backup before
			c.add(time.Hour)
			r, err := backup.Run(t.Context(), other, b, forced)
			if err != nil || slices.ContainsFunc(r.Removed, func(n string) bool { return slices.Contains(names, n) }) {
				t.Fatalf("%d worlds: got %+v, %v", worlds, r, err)
			}
			forced = o
		}
		if r, err := mustOpen(t, b, backup.Access{}).Restore(t.Context(), newStore(c), backup.RestoreOptions{Backup: names[0]}); err != nil || r.Worlds != 8 {
			t.Errorf("restore the first: %+v, %v", r, err)
		}
		c.add(time.Hour)
		dry, before := o, keys(t, b)
		dry.DryRun = true
		if r, err := backup.Run(t.Context(), st, b, dry); err != nil || !slices.Equal(r.Removed, names[:1]) || r.Name != "" || !slices.Equal(keys(t, b), before) {
			t.Errorf("a dry run: got %+v, %v", r, err)
		}
		if r := mustRun(t, st, b, o); !slices.Equal(r.Removed, names[:1]) || r.Changed != 0 {
			t.Errorf("a third backup: got %+v", r)
		}
	}
}

// A damaged manifest may be of another Store, if there is one.
func TestAnotherDamaged(t *testing.T) {
	for _, others := range []bool{false, true} {
		c, b := newClock(), newBucket()
		st := many(t, c, 4)
		o := backup.Options{Now: c.now, Keep: history.Keep{Newest: 1}}
		if others {
			mustRun(t, many(t, c, 4), b, o)
			c.add(time.Hour)
		}
		lost := mustRun(t, st, b, o).Name
		b.replace(t, "manifests/"+lost, []byte("x"))
		c.add(time.Hour)
		if r := mustRun(t, st, b, o); slices.Contains(r.Removed, lost) == others {
			t.Errorf("with others %v: got %+v", others, r)
		}
	}
}

// A backup without encryption beside encrypted ones must be asked for, once.
func TestPlainBesideEncrypted(t *testing.T) {
	c, b := newClock(), newBucket()
	st := many(t, c, 2)
	key := newKey(t)
	mustRun(t, st, b, backup.Options{Now: c.now, Recipients: []string{key.Recipient().String()}})
	c.add(time.Hour)
	before := keys(t, b)
	if r, err := backup.Run(t.Context(), st, b, backup.Options{Now: c.now}); !errors.Is(err, backup.ErrPlain) || r.Name != "" {
		t.Errorf("got %+v, %v", r, err)
	}
	if after := keys(t, b); len(after) != len(before) { // a claim in place of another
		t.Errorf("there are %q, and were %q", after, before)
	}
	mustRun(t, st, b, backup.Options{Now: c.now, Plain: true})
	c.add(time.Hour)
	mustRun(t, st, b, backup.Options{Now: c.now})
}
