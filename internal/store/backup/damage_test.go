package backup_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"filippo.io/age"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/store/backup"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/store/history"
)

// backedUp returns a Bucket with three backups of a Store, some of them encrypted.
func backedUp(t testing.TB, o backup.Options) *bucket {
	c := newClock()
	st, b := filled(t, c), newBucket()
	o.Now, o.BundleBytes = c.now, 1<<10
	mustRun(t, st, b, o)
	save(t, st, "a", text("more", 1))
	mustRun(t, st, b, o)
	save(t, st, "x/y/z", text("more", 2))
	create(t, st, "later")
	mustRun(t, st, b, o)
	return b
}

// TestFlippedBytes changes one byte of each object in turn, in a bucket that gives out
// damaged bytes and in one that finds them by itself.
func TestFlippedBytes(t *testing.T) {
	long.Alone(t)
	b := backedUp(t, backup.Options{})
	if v, err := mustOpen(t, b, backup.Access{}).Verify(t.Context(), nil); err != nil || v.Backups != 3 || v.Stones == 0 || v.Unneeded > 0 {
		t.Fatalf("whole: got %+v, %v", v, err)
	}
	for _, key := range keys(t, b.Bucket) {
		was, err := b.Bucket.Get(t.Context(), key, 0, -1)
		if err != nil {
			t.Fatal(err)
		}
		step := max(1, len(was)/100)
		for at := 0; at < len(was); at += step {
			bad := slices.Clone(was)
			bad[at] ^= 1 << (at % 8)
			b.replace(t, key, bad)
			v, err := mustOpen(t, b, backup.Access{}).Verify(t.Context(), nil)
			if !errors.Is(err, backup.ErrFaults) || !named(v.Faults, key) {
				t.Fatalf("%s, byte %d: got %v, %q", key, at, err, v.Faults)
			}
		}
		b.replace(t, key, was)
		b.bad = key
		if v, err := mustOpen(t, b, backup.Access{}).Verify(t.Context(), nil); !errors.Is(err, backup.ErrFaults) || !named(v.Faults, key) {
			t.Fatalf("%s, found by the bucket: got %v, %q", key, err, v.Faults)
		}
		if _, err := mustOpen(t, b, backup.Access{}).List(t.Context()); err != nil {
			t.Fatalf("%s, found by the bucket: list: %v", key, err)
		}
		b.bad = ""
	}
}

func named(faults []string, key string) bool {
	return slices.ContainsFunc(faults, func(f string) bool { return strings.Contains(f, key) })
}

// TestLostObjects deletes each object in turn, and cuts each in turn.
func TestLostObjects(t *testing.T) {
	b := backedUp(t, backup.Options{})
	for _, key := range keys(t, b.Bucket) {
		was, err := b.Bucket.Get(t.Context(), key, 0, -1)
		if err != nil {
			t.Fatal(err)
		}
		for _, now := range [][]byte{nil, {}, was[:len(was)-1], append(slices.Clone(was), 0)} {
			b.replace(t, key, now)
			v, err := mustOpen(t, b, backup.Access{}).Verify(t.Context(), nil)
			rest := key[strings.IndexByte(key, '/')+1:] // a lost seal is named by its manifest
			if strings.HasPrefix(key, "claims/") {
				rest = "claims/" // the last claim that is known to have been there
			}
			if !errors.Is(err, backup.ErrFaults) || !named(v.Faults, rest) {
				t.Fatalf("%s with %d bytes: got %v, %q", key, len(now), err, v.Faults)
			}
		}
		b.replace(t, key, was)
	}
}

// TestSwappedObjects puts the bytes of each object under the key of each other one.
func TestSwappedObjects(t *testing.T) {
	b := backedUp(t, backup.Options{})
	all := keys(t, b.Bucket)
	for _, key := range all {
		was, err := b.Bucket.Get(t.Context(), key, 0, -1)
		if err != nil {
			t.Fatal(err)
		}
		for _, other := range all {
			data, err := b.Bucket.Get(t.Context(), other, 0, -1)
			if err != nil {
				t.Fatal(err)
			}
			if other == key {
				continue
			}
			b.replace(t, key, slices.Clone(data))
			if v, err := mustOpen(t, b, backup.Access{}).Verify(t.Context(), nil); !errors.Is(err, backup.ErrFaults) || !named(v.Faults, key) {
				t.Fatalf("%s in place of %s: got %v, %q", other, key, err, v.Faults)
			}
			b.replace(t, key, was)
		}
	}
}

// TestHeals damages each object in turn: the next backup finds what it reads again,
// and is whole.
func TestHeals(t *testing.T) {
	c := newClock()
	st, whole := filled(t, c), newBucket()
	o := backup.Options{Now: c.now, BundleBytes: 1 << 10, Sample: 1}
	mustRun(t, st, whole, o)
	for _, key := range keys(t, whole.Bucket) {
		for _, found := range []bool{false, true} {
			b := copyOf(t, whole)
			if found {
				b.bad = key
			} else {
				b.replace(t, key, []byte("x"))
			}
			r := mustRun(t, st, b, o)
			if !strings.HasPrefix(key, "claims/") && !strings.HasPrefix(key, "seals/") && !named(r.Damaged, key) {
				t.Errorf("%s: got %+v", key, r)
			}
			same(t, mustRestore(t, b, backup.Access{}), st)
		}
	}
}

// TestHealsLate damages an object of archives that a backup looks at only because a new
// world was forked from one that has not changed.
func TestHealsLate(t *testing.T) {
	c := newClock()
	st, whole := newStore(c), newBucket()
	create(t, st, "a", "template", "z")
	save(t, st, "a", text("a", 1))
	save(t, st, "z", text("z", 1))
	head := save(t, st, "template", text("template", 1))
	o := backup.Options{Now: c.now, BundleBytes: 1 << 10, Sample: -1}
	mustRun(t, st, whole, o)
	for i := range 2 {
		if err := st.Fork(t.Context(), "template", head.ID(), fmt.Sprint("fork", i)); err != nil {
			t.Fatal(err)
		}
	}
	for _, key := range keys(t, whole.Bucket) {
		if !strings.HasPrefix(key, "meta/") {
			continue
		}
		b := copyOf(t, whole)
		data, err := b.Bucket.Get(t.Context(), key, 0, -1)
		if err != nil {
			t.Fatal(err)
		}
		bad := slices.Clone(data)
		bad[len(bad)/2] ^= 1
		b.replace(t, key, bad)
		if r := mustRun(t, st, b, o); !named(r.Damaged, key) || r.Changed != 5 {
			t.Errorf("%s: got %+v", key, r)
		}
		same(t, mustRestore(t, b, backup.Access{}), st)
		if r := mustRun(t, st, b, o); len(r.Damaged) > 0 || r.Changed > 0 {
			t.Errorf("%s: again: got %+v", key, r)
		}
	}
}

// TestAway reads a part of an encrypted object from a bucket that stops to answer.
// The object is not damaged.
func TestAway(t *testing.T) {
	c := newClock()
	st, b, key := newStore(c), newBucket(), newKey(t)
	for i := range 30 {
		name := fmt.Sprintf("w%02d", i)
		create(t, st, name)
		save(t, st, name, fmt.Appendf(nil, "%100000d", i))
	}
	mustRun(t, st, b, backup.Options{Now: c.now, Recipients: []string{key.Recipient().String()}})
	var gets atomic.Int64
	b.before = func(op, key string) error {
		if op == "get" && strings.HasPrefix(key, "data/") {
			if gets.Add(1) > 2 { // after those of the head and the end, which age reads first
				return blob.ErrAway
			}
		}
		return nil
	}
	_, err := mustOpen(t, b, backup.Access{Identities: []age.Identity{key}}).RestoreWorld(t.Context(), newStore(c), "w20", backup.WorldOptions{})
	if !errors.Is(err, blob.ErrAway) || errors.As(err, new(*backup.CorruptError)) {
		t.Errorf("got %v", err)
	}
}

// TestAwayLarge reads a stone that is an object of its own with another key, and from a
// bucket that stops to answer. The object is not damaged.
func TestAwayLarge(t *testing.T) {
	c := newClock()
	st, b, key := newStore(c), newBucket(), newKey(t)
	create(t, st, "a")
	save(t, st, "a", make([]byte, 33<<20))
	mustRun(t, st, b, backup.Options{Now: c.now, Sample: -1, Recipients: []string{key.Recipient().String()}})
	identity, err := st.Identity(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		key  *age.X25519Identity
		gets int64 // of stones, before the bucket stops to answer
		want error
	}{{"another key", newKey(t), 99, backup.ErrKey}, {"away at once", key, 0, blob.ErrAway}, {"away later", key, 3, blob.ErrAway}} {
		var gets atomic.Int64
		b.before = func(op, key string) error {
			if op == "get" && strings.HasPrefix(key, "data/") && gets.Add(1) > tt.gets {
				return blob.ErrAway
			}
			return nil
		}
		a := backup.Access{Store: identity, Identities: []age.Identity{tt.key}, Temp: t.TempDir()}
		_, err := mustOpen(t, b, a).RestoreWorld(t.Context(), newStore(c), "a", backup.WorldOptions{})
		if !errors.Is(err, tt.want) || errors.As(err, new(*backup.CorruptError)) {
			t.Errorf("%s: got %v, want %v", tt.name, err, tt.want)
		}
	}
}

// TestLostManifest damages the manifest of a backup. It stops that objects are
// deleted, until the backup is not kept anymore.
func TestLostManifest(t *testing.T) {
	c := newClock()
	st, b := filled(t, c), newBucket()
	o := backup.Options{Now: c.now, Lock: time.Hour, BundleBytes: 256, Keep: history.Keep{Newest: 2}}
	lost := "manifests/" + mustRun(t, st, b, o).Name
	b.replace(t, lost, []byte("x"))
	for i, removed := range []int{0, 0, 2, 1} {
		saveOn(t, st, "a", false, text("more", i))
		if i == 2 {
			c.add(2 * time.Hour) // the locks end
		}
		r := mustRun(t, st, b, o)
		if len(r.Removed) != removed {
			t.Errorf("backup %d: got %+v", i, r)
		}
		if n := len(r.Damaged); i <= 2 && (n != 1 || !named(r.Damaged, lost)) || i > 2 && n > 0 {
			t.Errorf("backup %d: got %q", i, r.Damaged)
		}
	}
	if v, err := mustOpen(t, b, backup.Access{}).Verify(t.Context(), nil); err != nil || v.Unneeded > 0 {
		t.Errorf("got %+v, %v", v, err)
	}
}
