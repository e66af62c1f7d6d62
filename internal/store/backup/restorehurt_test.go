package backup_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"filippo.io/age"

	"github.com/cairnvoxel/cairn/internal/store/backup"
)

// TestRestoreHurt damages each object of a backup, one byte, its end and all of it: worlds
// whose bytes are whole are restored, and the others are named.
func TestRestoreHurt(t *testing.T) {
	const worlds = 12
	c := newClock()
	st, b := newStore(c), newBucket()
	for i := range worlds {
		name := fmt.Sprintf("w%02d", i)
		create(t, st, name)
		save(t, st, name, bytes.Repeat(text(name, i), 300))
	}
	mustRun(t, st, b, backup.Options{Now: c.now})
	want := content(t, st)
	for _, key := range keys(t, b) {
		if !strings.HasPrefix(key, "data/") && !strings.HasPrefix(key, "meta/") {
			continue
		}
		was, err := b.Bucket.Get(t.Context(), key, 0, -1)
		if err != nil {
			t.Fatal(err)
		}
		flipped := bytes.Clone(was)
		flipped[len(was)/3] ^= 4
		for how, now := range map[string][]byte{"flipped": flipped, "cut": was[:len(was)*2/3], "lost": nil} {
			hurt := copyOf(t, b)
			hurt.replace(t, key, now)
			to := newStore(c)
			r, err := mustOpen(t, hurt, backup.Access{}).Restore(t.Context(), to, backup.RestoreOptions{})
			if strings.HasPrefix(key, "meta/") && how != "flipped" {
				if !errors.As(err, new(*backup.CorruptError)) { // the table of everything is at its end
					t.Errorf("%s %s: got %+v, %v", key, how, r, err)
				}
				continue
			}
			if !errors.Is(err, backup.ErrHurt) || r.Worlds+len(r.Hurt) != worlds {
				t.Fatalf("%s %s: got %+v, %v", key, how, r, err)
			}
			if how == "flipped" && len(r.Hurt) != 1 {
				t.Errorf("%s: one byte hurts %q", key, r.Hurt)
			}
			for name, text := range content(t, to) {
				if text != want[name] {
					t.Errorf("%s %s: %s is another world", key, how, name)
				}
				if slices.ContainsFunc(r.Hurt, func(h string) bool { return strings.HasPrefix(h, fmt.Sprintf("%q", strings.Fields(name)[0])) }) {
					t.Errorf("%s %s: %s is hurt, and there", key, how, name)
				}
			}
		}
	}
}

// TestRestoreUnsealed loses the seal of the newest backup: a restore of the newest takes the
// one before and says so. It can be asked for by name.
func TestRestoreUnsealed(t *testing.T) {
	c := newClock()
	st, b := newStore(c), newBucket()
	create(t, st, "old")
	first := mustRun(t, st, b, backup.Options{Now: c.now})
	create(t, st, "new")
	last := mustRun(t, st, b, backup.Options{Now: c.now})
	b.replace(t, "seals/"+last.Name, nil)
	all := mustOpen(t, b, backup.Access{})
	r, err := all.Restore(t.Context(), newStore(c), backup.RestoreOptions{})
	if err != nil || r.Backup != first.Name || !slices.Equal(r.Unsealed, []string{last.Name}) {
		t.Errorf("got %+v, %v", r, err)
	}
	one, err := all.RestoreWorld(t.Context(), newStore(c), "old", backup.WorldOptions{})
	if err != nil || one.Backup != first.Name || !slices.Equal(one.Unsealed, []string{last.Name}) {
		t.Errorf("one world: got %+v, %v", one, err)
	}
	r, err = all.Restore(t.Context(), newStore(c), backup.RestoreOptions{Backup: last.Name})
	if err != nil || r.Worlds != 2 || len(r.Unsealed) > 0 {
		t.Errorf("by name: got %+v, %v", r, err)
	}
	r, err = all.Restore(t.Context(), newStore(c), backup.RestoreOptions{Backup: first.Name})
	if err != nil || len(r.Unsealed) > 0 {
		t.Errorf("the first by name: got %+v, %v", r, err)
	}
}

// TestRestoreWithoutKey says that a backup is encrypted, before it reads one.
func TestRestoreWithoutKey(t *testing.T) {
	c := newClock()
	st, b := newStore(c), newBucket()
	create(t, st, "a")
	save(t, st, "a", text("a", 1))
	key := newKey(t)
	mustRun(t, st, b, backup.Options{Now: c.now, Recipients: []string{key.Recipient().String()}})
	all := mustOpen(t, b, backup.Access{})
	_, err := all.Restore(t.Context(), newStore(c), backup.RestoreOptions{})
	_, one := all.RestoreWorld(t.Context(), newStore(c), "a", backup.WorldOptions{})
	for _, err := range []error{err, one} {
		if !errors.Is(err, backup.ErrKey) || !strings.Contains(err.Error(), "is encrypted") {
			t.Errorf("got %v", err)
		}
	}
	same(t, mustRestore(t, b, backup.Access{Identities: []age.Identity{key}}), st)
}

// TestEndClaim ends the claim of a Run that was killed. One that lives makes no backup then.
func TestEndClaim(t *testing.T) {
	c := newClock()
	st, b := newStore(c), newBucket()
	create(t, st, "a")
	if who, err := backup.EndClaim(t.Context(), b); who != "" || err != nil {
		t.Errorf("of an empty bucket: %q, %v", who, err)
	}
	ended := false
	b.before = func(op, key string) error {
		if op == "put" && strings.HasPrefix(key, "manifests/") && !ended {
			ended = true
			if _, err := backup.Run(t.Context(), st, b, backup.Options{Now: c.now}); !errors.Is(err, backup.ErrBusy) {
				t.Errorf("a second one: %v", err)
			}
			if who, err := backup.EndClaim(t.Context(), b); who != "the first" || err != nil {
				t.Errorf("got %q, %v", who, err)
			}
			mustRun(t, st, b, backup.Options{Now: c.now, Holder: "the second"})
		}
		return nil
	}
	if r, err := backup.Run(t.Context(), st, b, backup.Options{Now: c.now, Holder: "the first"}); !errors.Is(err, backup.ErrBusy) || r.Name != "" {
		t.Errorf("the first: got %+v, %v", r, err)
	}
	b.before = nil
	if who, err := backup.EndClaim(t.Context(), b); who != "" || err != nil {
		t.Errorf("again: %q, %v", who, err)
	}
	c.add(time.Second)
	mustRun(t, st, b, backup.Options{Now: c.now})
}

// TestRestoreHurtEncrypted flips a bit of an encrypted object that many worlds share: those
// beside it are restored, a piece of age's encryption apart.
func TestRestoreHurtEncrypted(t *testing.T) {
	const worlds = 12
	c := newClock()
	st, b := newStore(c), newBucket()
	for i := range worlds {
		name := fmt.Sprintf("w%02d", i)
		create(t, st, name)
		noise := make([]byte, 40_000)
		for k, x := 0, uint64(i); k < len(noise); k++ {
			x = x*6364136223846793005 + 1442695040888963407
			noise[k] = byte(x >> 56)
		}
		save(t, st, name, noise)
	}
	key := newKey(t)
	mustRun(t, st, b, backup.Options{Now: c.now, Recipients: []string{key.Recipient().String()}})
	for _, k := range keys(t, b) {
		if !strings.HasPrefix(k, "data/") {
			continue
		}
		bad, err := b.Bucket.Get(t.Context(), k, 0, -1)
		if err != nil {
			t.Fatal(err)
		}
		bad = bytes.Clone(bad)
		bad[len(bad)/2] ^= 1
		b.replace(t, k, bad)
	}
	r, err := mustOpen(t, b, backup.Access{Identities: []age.Identity{key}}).Restore(t.Context(), newStore(c), backup.RestoreOptions{})
	if !errors.Is(err, backup.ErrHurt) || len(r.Hurt) == 0 || len(r.Hurt) > 4 || r.Worlds != worlds-len(r.Hurt) {
		t.Errorf("got %+v, %v", r, err)
	}
}
