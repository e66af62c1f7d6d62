package backup_test

import (
	"fmt"
	"testing"

	"github.com/cairnvoxel/cairn/internal/store/backup"
)

// TestVerifyCalls counts the reads of a Verify of two thousand worlds.
func TestVerifyCalls(t *testing.T) {
	c, key := newClock(), newKey(t)
	st := newStore(c)
	for i := range 2000 {
		name := fmt.Sprintf("w%04d", i)
		create(t, st, name)
		save(t, st, name, fmt.Appendf(nil, "%300d", i))
	}
	identity, err := st.Identity(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name       string
		recipients []string
		access     backup.Access
	}{
		{"plain", nil, backup.Access{}},
		{"encrypted, without a key", []string{key.Recipient().String()}, backup.Access{}},
		{"encrypted, with the store's", []string{key.Recipient().String()}, backup.Access{Store: identity}},
	} {
		b := newBucket()
		r := mustRun(t, st, b, backup.Options{Now: c.now, Recipients: tt.recipients, BundleBytes: 1 << 18})
		b.calls["get"] = 0
		v, err := mustOpen(t, b, tt.access).Verify(t.Context(), nil)
		if err != nil || v.Unread != (tt.recipients != nil) {
			t.Fatalf("%s: got %+v, %v", tt.name, v, err)
		}
		// Manifest, seal and claim are read for themselves, and the manifest's tables first.
		if got := b.calls["get"]; got > v.Objects+8 {
			t.Errorf("%s: %d reads of %d objects, %d put", tt.name, got, v.Objects, r.Objects)
		}
	}
}
