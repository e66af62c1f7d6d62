package disk_test

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/cairnvoxel/cairn/internal/store/disk"
	"github.com/cairnvoxel/cairn/internal/testing/long"
)

func TestCheck(t *testing.T) {
	s := mustOpen(t, t.TempDir(), disk.Options{FileBytes: 2500})
	fill(t, s)
	var last, total int64
	r, err := s.Check(t.Context(), func(done, all int64) {
		if done < last {
			t.Errorf("progress goes back: %d after %d", done, last)
		}
		last, total = done, all
	})
	if err != nil || len(r.Faults) > 0 || r.Worlds != 5 || r.Commits != 12 || r.Packs != 1 || r.Stones != 13 {
		t.Errorf("got %+v, %v", r, err)
	}
	if last != total || r.Bytes != total {
		t.Errorf("progress ends at %d of %d, the stones take %d", last, total, r.Bytes)
	}
	mustClose(t, s)
}

// TestCheckDamage damages a Store in every way that a record can be.
func TestCheckDamage(t *testing.T) {
	long.Alone(t)
	for _, kind := range "ntholcpid" {
		for name, change := range map[string]func([]byte) []byte{
			"missing": nil,
			"short":   func(b []byte) []byte { return b[:len(b)-1] },
			"changed": func(b []byte) []byte { b[0] ^= 1; return b },
		} {
			if name == "missing" && strings.ContainsRune("optl", kind) {
				continue // as if it had never been, or had been dropped
			}
			if name == "changed" && kind == 'o' {
				continue // to a lease of another time
			}
			t.Run(string(kind)+" "+name, func(t *testing.T) {
				dir := t.TempDir()
				s := mustOpen(t, dir, disk.Options{})
				fill(t, s)
				if _, err := s.Lease(t.Context(), "w0", "", time.Hour); err != nil {
					t.Fatal(err)
				}
				mustClose(t, s)
				changeFirst(t, filepath.Join(dir, "db"), byte(kind), change)
				s = mustOpen(t, dir, disk.Options{ReadOnly: true})
				r, err := s.Check(t.Context(), nil)
				if err != nil || len(r.Faults) == 0 {
					t.Errorf("got %+v, %v, want faults", r, err)
				}
				mustClose(t, s)
			})
		}
	}
}

// TestCheckLeases finds leases that no world has.
func TestCheckLeases(t *testing.T) {
	lease := append(binary.BigEndian.AppendUint64(nil, 1), "ann"...)
	for name, number := range map[string]uint64{"of no world": 99, "without a number": 1, "of a deleted world": 5} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := mustOpen(t, dir, disk.Options{})
			fill(t, s)
			mustClose(t, s)
			db, err := pebble.Open(filepath.Join(dir, "db"), &pebble.Options{FormatMajorVersion: pebble.FormatValueSeparation, Logger: quiet{t}})
			if err != nil {
				t.Fatal(err)
			}
			err = db.Set(binary.BigEndian.AppendUint64([]byte{'o'}, number), lease, pebble.Sync)
			if err = errors.Join(err, db.Close()); err != nil {
				t.Fatal(err)
			}
			s = mustOpen(t, dir, disk.Options{ReadOnly: true})
			r, err := s.Check(t.Context(), nil)
			if err != nil || len(r.Faults) == 0 {
				t.Errorf("got %+v, %v, want faults", r, err)
			}
			mustClose(t, s)
		})
	}
}

// changeFirst changes the first record of a kind, or takes it away.
func changeFirst(t *testing.T, dir string, kind byte, change func([]byte) []byte) {
	t.Helper()
	db, err := pebble.Open(dir, &pebble.Options{FormatMajorVersion: pebble.FormatValueSeparation, Logger: quiet{t}})
	if err != nil {
		t.Fatal(err)
	}
	it, err := db.NewIter(&pebble.IterOptions{LowerBound: []byte{kind}, UpperBound: []byte{kind + 1}})
	if err != nil || !it.First() {
		t.Fatalf("no record of kind %c: %v", kind, err)
	}
	if change == nil {
		err = db.Delete(it.Key(), pebble.Sync)
	} else {
		err = db.Set(it.Key(), change(append([]byte(nil), it.Value()...)), pebble.Sync)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := it.Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

type quiet struct{ t *testing.T }

func (quiet) Infof(string, ...any)                {}
func (q quiet) Errorf(format string, args ...any) { q.t.Logf(format, args...) }
func (q quiet) Fatalf(format string, args ...any) { q.t.Fatalf(format, args...) }

func TestCheckMissingFile(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, dir, disk.Options{FileBytes: 2500})
	fill(t, s)
	if err := os.RemoveAll(filepath.Join(dir, "stones")); err != nil {
		t.Fatal(err)
	}
	r, err := s.Check(t.Context(), nil)
	if err != nil || len(r.Faults) == 0 || !strings.Contains(r.Faults[0], "is missing") {
		t.Errorf("got %+v, %v, want faults", r, err)
	}
	mustClose(t, s)
}
