package backup_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"filippo.io/age"

	"github.com/cairnvoxel/cairn/internal/store/backup"
	"github.com/cairnvoxel/cairn/store/history"
)

func newKey(t testing.TB) *age.X25519Identity {
	t.Helper()
	key, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// TestEncrypted makes encrypted backups with public keys alone.
func TestEncrypted(t *testing.T) {
	c := newClock()
	st, b := filled(t, c), newBucket()
	one, two := newKey(t), newKey(t)
	o := backup.Options{Now: c.now, BundleBytes: 1 << 10, Recipients: []string{one.Recipient().String(), two.Recipient().String()}}
	mustRun(t, st, b, o)
	if r := mustRun(t, st, b, o); r.Changed != 0 {
		t.Errorf("nothing changed: got %+v", r)
	}
	save(t, st, "a", bytes.Repeat([]byte("secret "), 1000)) // larger than an object
	if r := mustRun(t, st, b, o); r.Changed != 1 || r.Stones != 1 {
		t.Errorf("one changed: got %+v", r)
	}
	for _, key := range keys(t, b.Bucket) {
		data, err := b.Bucket.Get(t.Context(), key, 0, -1)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{"secret", "x/y/z", "forked", one.String(), one.Recipient().String()} {
			if bytes.Contains(data, []byte(secret)) {
				t.Errorf("%s contains %q", key, secret)
			}
		}
	}
	for _, id := range []age.Identity{one, two} {
		a := backup.Access{Identities: []age.Identity{id}}
		same(t, mustRestore(t, b, a), st)
		if v, err := mustOpen(t, b, a).Verify(t.Context(), nil); err != nil || v.Unread {
			t.Errorf("verify: got %+v, %v", v, err)
		}
	}
	identity, err := st.Identity(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []backup.Access{{}, {Identities: []age.Identity{newKey(t)}}, {Store: identity}} {
		all := mustOpen(t, b, a)
		if v, err := all.Verify(t.Context(), nil); err != nil || !v.Unread {
			t.Errorf("verify with the wrong key: got %+v, %v", v, err)
		}
		if _, err := all.Restore(t.Context(), newStore(c), backup.RestoreOptions{}); !errors.Is(err, backup.ErrKey) {
			t.Errorf("restore with the wrong key: got %v", err)
		}
	}
	other := o
	other.Recipients = o.Recipients[:1]
	if r := mustRun(t, st, b, other); r.Changed != 7 {
		t.Errorf("other recipients: got %+v", r)
	}
	if _, err := backup.Run(t.Context(), st, b, backup.Options{Recipients: []string{one.String()}}); err == nil || bytes.Contains([]byte(err.Error()), []byte(one.String())) {
		t.Errorf("a private key in place of a public one: got %v", err)
	}
	for key := range b.calls {
		_ = key
	}
	for _, key := range keys(t, b.Bucket) {
		was, err := b.Bucket.Get(t.Context(), key, 0, -1)
		if err != nil {
			t.Fatal(err)
		}
		bad := bytes.Clone(was)
		bad[len(bad)/2] ^= 1
		b.replace(t, key, bad)
		if v, err := mustOpen(t, b, backup.Access{}).Verify(t.Context(), nil); !errors.Is(err, backup.ErrFaults) || !named(v.Faults, key) {
			t.Fatalf("%s: got %v, %q", key, err, v.Faults)
		}
		b.replace(t, key, was)
	}
}

// TestOtherKey makes a backup for one key after a backup for another key was
// interrupted, or stopped between the seals that it deletes and the objects.
func TestOtherKey(t *testing.T) {
	for _, at := range []string{"put manifests/", "delete data/", "delete meta/"} {
		c := newClock()
		st, b := filled(t, c), newBucket()
		old, key := newKey(t), newKey(t)
		o := backup.Options{Now: c.now, BundleBytes: 256, Workers: 1, Keep: history.Keep{Newest: 1}, Recipients: []string{old.Recipient().String()}}
		stop := func(op, key string) error {
			if strings.HasPrefix(op+" "+key, at) {
				return errors.New("stopped")
			}
			return nil
		}
		if strings.HasPrefix(at, "delete") {
			mustRun(t, st, b, o)
			o.Recipients = []string{newKey(t).Recipient().String()}
		}
		b.before = stop
		if _, err := backup.Run(t.Context(), st, b, o); err == nil {
			t.Fatalf("%s: it was not stopped", at)
		}
		b.before = nil
		c.add(2 * time.Hour)
		o.Recipients = []string{key.Recipient().String()}
		if r := mustRun(t, st, b, o); r.Resumed > 0 {
			t.Errorf("%s: got %+v", at, r)
		}
		a := backup.Access{Identities: []age.Identity{key}}
		same(t, mustRestore(t, b, a), st)
		if v, err := mustOpen(t, b, a).Verify(t.Context(), nil); err != nil || v.Unread || v.Unneeded > 0 {
			t.Errorf("%s: verify: got %+v, %v", at, v, err)
		}
	}
}
