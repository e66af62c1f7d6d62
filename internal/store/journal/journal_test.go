package journal_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cairnvoxel/cairn/internal/store/journal"
)

// written returns the log and the manifest of a database with n batches.
func written(t testing.TB, n int) (log, manifest []byte, number uint32) {
	t.Helper()
	on := vfs.NewMem()
	db, err := pebble.Open("db", &pebble.Options{FS: on, FormatMajorVersion: pebble.FormatValueSeparation})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if err := db.Set(fmt.Append(nil, "key", i), bytes.Repeat([]byte{byte(i)}, i*1500), pebble.Sync); err != nil {
			t.Fatal(err)
		}
	}
	names, err := on.List("db")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		b, err := journal.ReadAll(on, "db/"+name)
		if err != nil {
			t.Fatal(err)
		}
		if c, _ := fmt.Sscanf(name, "%d.log", &number); c == 1 {
			log = b
		}
		if bytes.HasPrefix([]byte(name), []byte("MANIFEST-")) {
			manifest = b
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return log, manifest, number
}

// scan returns the records of a log.
func scan(log []byte, number uint32) (r journal.Scanner, found [][]byte) {
	r = journal.Scanner{Number: number}
	r.Each = func(b []byte) { found = append(found, b) }
	r.Scan(log)
	return r, found
}

// TestScan reads the log of a database: whole, cut at any place, and with a wrong byte.
func TestScan(t *testing.T) {
	log, _, number := written(t, 12)
	whole, all := scan(log, number)
	if len(all) != 12 || whole.Bad {
		t.Fatalf("%d records, bad %v: want 12", len(all), whole.Bad)
	}
	for at := 0; at < len(log); at += 251 {
		r, found := scan(log[:at], number)
		if r.End > int64(at) || len(found) > len(all) || len(found) > 0 && !slices.EqualFunc(found, all[:len(found)], bytes.Equal) {
			t.Errorf("cut at %d: %d records, the last ends at %d", at, len(found), r.End)
		}
		wrong := bytes.Clone(log)
		wrong[at] ^= 1
		r, found = scan(wrong, number)
		if !r.Bad && at < int(whole.End) || r.End > int64(at) || len(found) >= len(all) && at < int(whole.End) {
			t.Errorf("byte %d is wrong: %d records, bad %v, the last sound one ends at %d", at, len(found), r.Bad, r.End)
		}
	}
	if _, found := scan(log, number+1); len(found) != 0 {
		t.Errorf("%d records of another log", len(found))
	}
}

// FuzzJournal reads any bytes as a log and as a manifest.
func FuzzJournal(f *testing.F) {
	log, manifest, number := written(f, 3)
	f.Add(log[:min(len(log), 1<<10)], number)
	f.Add(manifest, uint32(0))
	f.Fuzz(func(t *testing.T, b []byte, number uint32) {
		if r, _ := scan(b, number); r.End < 0 || r.End > int64(len(b)) {
			t.Errorf("the last record of %d bytes ends at %d", len(b), r.End)
		}
		on := vfs.NewMem()
		file, err := on.Create("MANIFEST-000001", vfs.WriteCategoryUnspecified)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.Write(b); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		if _, _, err := journal.ReadManifest(on, "MANIFEST-000001"); err != nil {
			t.Error(err)
		}
	})
}
