package journal

import (
	"encoding/binary"
	"fmt"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Manifest is the part of a manifest's changes that a store needs.
type Manifest struct {
	Name     string           // of the file
	FirstLog uint64           // the first log that is still needed
	Tables   map[string]int64 // sizes of the tables and blob files that are needed
}

// Lacks returns the log that is missing, or "". A log that the manifest names must
// exist. Before the manifest names one, there must be the log that the database
// creates when it is opened, after its manifest and before its options.
func (m Manifest) Lacks(logs []uint64, manifest, options uint64) string {
	if manifest >= options {
		return "" // the process was killed while it opened the database
	}
	for _, number := range logs {
		if m.FirstLog <= options && manifest < number && number < options || number == m.FirstLog {
			return ""
		}
	}
	return fmt.Sprintf("%06d.log", max(m.FirstLog, manifest+1))
}

// ReadManifest reads a manifest. why is set if there are records behind a damaged
// one, because each record is synced before the next.
func ReadManifest(on vfs.FS, path string) (m Manifest, why, err error) {
	m.Tables = make(map[string]int64)
	r := Scanner{Manifest: true}
	r.Each = func(b []byte) {
		if r.Bad {
			why = fmt.Errorf("damaged at byte %d, with records behind it", r.End)
			return
		}
		f := fields{b: b}
		for len(f.b) > 0 && !f.bad {
			m.change(&f)
		}
	}
	file, err := ReadAll(on, path)
	r.Scan(file)
	return m, why, err
}

// fields is the unread rest of a record of a manifest.
type fields struct {
	b   []byte
	bad bool
}

func (f *fields) uint() uint64 {
	n, size := binary.Uvarint(f.b)
	if size <= 0 {
		f.bad, f.b = true, nil
		return 0
	}
	f.b = f.b[size:]
	return n
}

func (f *fields) skip(n int) {
	for range n {
		f.uint()
	}
}

func (f *fields) skipBytes() {
	n := f.uint()
	if n > uint64(len(f.b)) {
		f.bad, n = true, uint64(len(f.b))
	}
	f.b = f.b[n:]
}

// change reads one change. The tags are those of the database.
func (m *Manifest) change(f *fields) {
	switch tag := f.uint(); tag {
	case 1: // how keys compare
		f.skipBytes()
	case 2:
		m.FirstLog = f.uint()
	case 3, 4, 9, 106: // numbers of files and batches, a table that virtual ones were made of
		f.uint()
	case 105: // such a table and its size
		f.skip(2)
	case 6: // a table that is gone: level, number
		f.uint()
		delete(m.Tables, tableName(f.uint(), ".sst"))
	case 103: // a table: level, number, size, keys, sequence numbers, and more
		f.uint()
		name, size := tableName(f.uint(), ".sst"), f.uint()
		f.skipBytes()
		f.skipBytes()
		f.skip(2)
		if whole := f.skipTable(); whole {
			m.Tables[name] = int64(size)
		}
	case 107: // a blob file: as what it is known, number, size, bytes of values, time
		f.uint()
		name := tableName(f.uint(), ".blob")
		m.Tables[name] = int64(f.uint())
		f.skip(2)
	case 108:
		f.uint()
		delete(m.Tables, tableName(f.uint(), ".blob"))
	default:
		f.bad = true
	}
}

func tableName(number uint64, kind string) string { return fmt.Sprintf("%06d%s", number, kind) }

// skipTable skips the other fields of a table. It reports whether the table is a
// whole file.
func (f *fields) skipTable() (whole bool) {
	whole = true
	for !f.bad {
		switch tag := f.uint(); {
		case tag == 1:
			return whole
		case tag == 66: // the table that it is a part of
			f.uint()
			whole = false
		case tag == 69: // its blob files and how many values are in each
			f.uint()
			for n := f.uint(); n > 0 && !f.bad; n-- {
				f.skip(2)
			}
		case tag == 67, tag == 68, tag < 64:
			f.skipBytes()
		default:
			f.bad = true
		}
	}
	return false
}
