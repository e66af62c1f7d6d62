package disk_test

import (
	"encoding/binary"
	"errors"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/pebble/v2"

	"github.com/cairnvoxel/cairn/internal/store/disk"
)

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
