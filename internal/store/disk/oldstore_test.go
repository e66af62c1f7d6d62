package disk_test

import (
	"encoding/binary"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/cairnvoxel/cairn/internal/store/disk"
	"github.com/cairnvoxel/cairn/store/history"
)

// makeOld writes the stones of a Store as its first version did: by their names,
// without numbers.
func makeOld(t *testing.T, dir string) {
	t.Helper()
	db, err := pebble.Open(filepath.Join(dir, "db"), &pebble.Options{FormatMajorVersion: pebble.FormatValueSeparation, Logger: quiet{t}})
	if err != nil {
		t.Fatal(err)
	}
	b := db.NewBatch()
	each := func(kind byte, what func(key, value []byte) error) {
		it, err := db.NewIter(&pebble.IterOptions{LowerBound: []byte{kind}, UpperBound: []byte{kind + 1}})
		if err != nil {
			t.Fatal(err)
		}
		for more := it.First(); more; more = it.Next() {
			if err := what(it.Key(), it.Value()); err != nil {
				t.Fatal(err)
			}
		}
		if err := it.Close(); err != nil {
			t.Fatal(err)
		}
	}
	each('d', func(key, value []byte) error {
		return errors.Join(b.Set(append([]byte{'s'}, key[9:]...), value, nil), b.Delete(key, nil))
	})
	each('i', func(key, value []byte) error {
		if len(value) != 25 || value[8]&4 == 0 {
			t.Fatalf("a record of a stone: %x", value)
		}
		old := append([]byte(nil), value[:17]...)
		old[8] &^= 4
		return b.Set(key, old, nil)
	})
	if err := errors.Join(b.Commit(pebble.Sync), db.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestOldStones lives on in a Store whose stones have no numbers.
func TestOldStones(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, dir, disk.Options{})
	heads := fill(t, s)
	mustClose(t, s)
	makeOld(t, dir)
	s = mustOpen(t, dir, disk.Options{})
	defer mustClose(t, s)
	mustCheck(t, s)
	wantHeads(t, s, heads)
	had := mustStone(t, "00", 0)
	heads["w2"] = mustSave(t, s, "w2", had) // is there, as w0's
	heads["w0"] = mustSave(t, s, "w0", mustStone(t, "new", 2000))
	for name := range heads {
		f, err := s.Fetch(t.Context(), name, history.ID{}, 1<<20)
		if err != nil || len(f.Data) != len(f.Layers) {
			t.Fatalf("%s: %v, %d of %d", name, err, len(f.Data), len(f.Layers))
		}
		for i, l := range f.Layers {
			if int64(len(f.Data[i])) != l.Stone.Size {
				t.Errorf("%s, layer %d: %d bytes: want %d", name, i, len(f.Data[i]), l.Stone.Size)
			}
		}
	}
	mustCheck(t, s)
	if p, err := s.Purge(t.Context(), "w1", 0); err != nil || p.Stones == 0 {
		t.Errorf("purge: %+v, %v", p, err)
	}
	if err := s.Delete(t.Context(), "w2", 0); err != nil {
		t.Fatal(err)
	}
	c, err := s.Collect(t.Context(), history.Policy{Deleted: time.Nanosecond, Grace: time.Nanosecond})
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * time.Millisecond)
	if c, err = s.Collect(t.Context(), history.Policy{Deleted: time.Nanosecond, Grace: time.Nanosecond}); err != nil || c.Stones == 0 {
		t.Errorf("collect: %+v, %v", c, err)
	}
	delete(heads, "w1")
	delete(heads, "w2")
	mustCheck(t, s)
	wantHeads(t, s, heads)
}

// TestNumbersGoOn counts on after the Store was opened anew.
func TestNumbersGoOn(t *testing.T) {
	dir := t.TempDir()
	seen := make(map[uint64]bool)
	for i := range 3 {
		s := mustOpen(t, dir, disk.Options{})
		if i == 0 {
			mustCreate(t, s, "w")
		}
		mustSave(t, s, "w", mustStone(t, "a"+string(rune('0'+i)), 100))
		mustClose(t, s)
	}
	db, err := pebble.Open(filepath.Join(dir, "db"), &pebble.Options{FormatMajorVersion: pebble.FormatValueSeparation, Logger: quiet{t}})
	if err != nil {
		t.Fatal(err)
	}
	it, err := db.NewIter(&pebble.IterOptions{LowerBound: []byte{'d'}, UpperBound: []byte{'e'}})
	if err != nil {
		t.Fatal(err)
	}
	for more := it.First(); more; more = it.Next() {
		seen[binary.BigEndian.Uint64(it.Key()[1:])] = true
	}
	if err := errors.Join(it.Close(), db.Close()); err != nil {
		t.Fatal(err)
	}
	if len(seen) != 3 || !seen[1] || !seen[3] {
		t.Errorf("numbers %v: want 1 to 3", seen)
	}
}
