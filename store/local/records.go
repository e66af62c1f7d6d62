package local

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// The database writes its log and its manifest as chunks in blocks of 32 KiB. Each
// chunk has a checksum. After a crash the last chunks may be torn, so the database
// takes a bad chunk for the end. checkLog and checkManifest distinguish a torn end
// from damage that has records behind it, which must not be lost.
const (
	recordBlock   = 32 << 10
	plainHead     = 7  // checksum, size, kind: in a manifest
	recycledHead  = 11 // also the number of the log, because files of old logs are used again
	syncedHead    = 19 // also how much was synced before
	lastPlain     = 4
	lastRecycled  = 8
	lastSynced    = 12
	chunkWhole    = 1 // kinds of chunks, modulo 4: a record, or its first, middle or last part
	chunkFirst    = 2
	chunkLast     = 0
	batchHead     = 8 + 4        // the first sequence number, how many
	emptyLogBytes = recycledHead // size of a log that was closed without a record: one chunk that ends it
)

var le = binary.LittleEndian

// records finds the records of a log or a manifest.
type records struct {
	number   uint32 // of the log; 0 for a manifest
	manifest bool
	each     func(record []byte)
	end      int64 // end of the last record before any damaged or torn chunk
	bad      bool  // the file has damaged or torn chunks
}

// chunkAt returns the chunk at the beginning of b, the rest of a block, and its
// size. The size is 0 if there is no valid chunk.
func (r *records) chunkAt(b []byte) (kind int, data []byte, size int) {
	if len(b) < plainHead {
		return 0, nil, 0
	}
	kind = int(b[6])
	head := syncedHead
	switch {
	case r.manifest && (kind == 0 || kind > lastPlain), !r.manifest && (kind <= lastPlain || kind > lastSynced):
		return 0, nil, 0
	case r.manifest:
		head = plainHead
	case kind <= lastRecycled:
		head = recycledHead
	}
	size = head + int(le.Uint16(b[4:]))
	if size > len(b) || !r.manifest && le.Uint32(b[7:]) != r.number || maskedSum(b[6:size]) != le.Uint32(b) {
		return 0, nil, 0
	}
	return kind, b[head:size], size
}

// ended reports whether b, the rest of a block, begins with the end of a closed
// log.
func (r *records) ended(b []byte) bool {
	return !r.manifest && len(b) >= recycledHead && le.Uint32(b) == 0 && le.Uint16(b[4:]) == 0 && le.Uint32(b[7:]) == r.number+1
}

// scan finds the records of a file: all records up to the end or to the first bad
// chunk, and the records behind bad chunks.
func (r *records) scan(file []byte) {
	var record []byte // the parts found so far
	for at := 0; at < len(file); {
		rest := file[at:min(len(file), (at/recordBlock+1)*recordBlock)]
		kind, data, size := r.chunkAt(rest)
		switch {
		case size > 0:
			at += size
		case !r.bad && r.ended(rest):
			return
		case len(rest) < syncedHead && isZero(rest):
			at += len(rest) // no chunk fitted into the rest of the block
			continue
		default:
			r.bad, record = true, nil
			at++
			continue
		}
		switch kind % 4 {
		case chunkWhole, chunkFirst:
			record = append([]byte(nil), data...)
		default:
			if record == nil {
				continue
			}
			record = append(record, data...)
		}
		if kind%4 == chunkWhole || kind%4 == chunkLast {
			r.each(record)
			record = nil
			if !r.bad {
				r.end = int64(at)
			}
		}
	}
	r.bad = r.bad || record != nil
}

func isZero(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}

// manifest is the part of a manifest's changes that this package uses.
type manifest struct {
	name     string
	firstLog uint64           // the first log that is still needed
	tables   map[string]int64 // sizes of the tables and blob files that are needed
	unknown  bool             // a change was not understood
}

// lacks returns the log that is missing, or "". A log that the manifest names must
// exist. Before the manifest names one, there must be the log that the database
// creates when it is opened, after its manifest and before its options.
func (m manifest) lacks(logs []uint64, manifest, options uint64) string {
	if manifest >= options {
		return "" // the process was killed while it opened the database
	}
	for _, number := range logs {
		if m.firstLog <= options && manifest < number && number < options || number == m.firstLog {
			return ""
		}
	}
	return fmt.Sprintf("%06d.log", max(m.firstLog, manifest+1))
}

// readManifest reads a manifest. why is set if there are records behind a damaged
// one, because each record is synced before the next.
func readManifest(on vfs.FS, path string) (m manifest, why, err error) {
	m.tables = make(map[string]int64)
	r := records{manifest: true}
	r.each = func(b []byte) {
		if r.bad {
			why = fmt.Errorf("damaged at byte %d, with records behind it", r.end)
			return
		}
		f := fields{b: b}
		for len(f.b) > 0 && !f.bad {
			m.change(&f)
		}
		m.unknown = m.unknown || f.bad
	}
	file, err := readAll(on, path)
	r.scan(file)
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
func (m *manifest) change(f *fields) {
	switch tag := f.uint(); tag {
	case 1: // how keys compare
		f.skipBytes()
	case 2:
		m.firstLog = f.uint()
	case 3, 4, 9, 106: // numbers of files and batches, a table that virtual ones were made of
		f.uint()
	case 105: // such a table and its size
		f.skip(2)
	case 6: // a table that is gone: level, number
		f.uint()
		delete(m.tables, tableName(f.uint(), ".sst"))
	case 103: // a table: level, number, size, keys, sequence numbers, and more
		f.uint()
		name, size := tableName(f.uint(), ".sst"), f.uint()
		f.skipBytes()
		f.skipBytes()
		f.skip(2)
		if whole := f.skipTable(); whole {
			m.tables[name] = int64(size)
		}
	case 107: // a blob file: as what it is known, number, size, bytes of values, time
		f.uint()
		name := tableName(f.uint(), ".blob")
		m.tables[name] = int64(f.uint())
		f.skip(2)
	case 108:
		f.uint()
		delete(m.tables, tableName(f.uint(), ".blob"))
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

// walked is the result of reading the logs so far, from the first that is needed.
type walked struct {
	logs  map[uint64]string // names of the logs that exist, by number
	first uint64            // the first log that is needed; the tables have what was in those before it
	next  uint64            // the next sequence number, 0 if there was no record
	sums  map[uint64]uint32 // of each batch, by the sequence number behind it
	last  uint64            // the log that was read last
}

// lacks reports whether the logs lack what is before a place.
func (l *walked) lacks(at logPlace) bool {
	switch {
	case at.log == 0: // by an older version
		return l.next > 0 && at.next > l.next
	case at.log < l.first:
		return false
	}
	sum, ok := l.sums[at.next]
	return at.next > l.next || ok && sum != at.sum
}

// lost says which log lacks what is before a place that another file names.
func (l *walked) lost(at logPlace, by string) string {
	name := l.logs[at.log]
	switch {
	case name == "":
		return fmt.Sprintf("db/%06d.log is missing: it held saves that were acknowledged", at.log)
	case at.next <= l.next:
		return fmt.Sprintf("db/%s and %s are not of one store: the saves differ", name, by)
	}
	return fmt.Sprintf("db/%s lost its end: it held more saves that were acknowledged", name)
}

// check reads the next log. If records behind damage show that acknowledged records
// are lost (see acknowledge), it returns a text that names the log that lost them,
// and the offset up to which the log can be read.
func (l *walked) check(on vfs.FS, dir string, number uint64) (why string, end int64, err error) {
	var resumed uint64 // first sequence number behind the damage
	r := records{number: uint32(number)}
	r.each = func(b []byte) {
		if len(b) < batchHead || why != "" {
			return
		}
		seq, acked := le.Uint64(b), ackedBy(b)
		if r.bad && resumed == 0 {
			resumed = seq
		}
		switch {
		case l.lacks(acked) && !r.bad && acked.log > 0:
			why = l.lost(acked, "db/"+l.logs[number])
		case l.lacks(acked), r.bad && l.next == 0 && acked.next >= resumed:
			damaged := l.logs[number]
			if r.end == 0 && l.last > 0 && !r.bad {
				damaged = l.logs[l.last]
			}
			why = fmt.Sprintf("db/%s: damaged at byte %d: saves that were acknowledged are lost there", damaged, r.end)
		case !r.bad:
			if next, sum := endOf(b); next > seq {
				l.next, l.sums[next] = next, sum
			}
		}
	}
	file, err := readAll(on, on.PathJoin(dir, l.logs[number]))
	r.scan(file)
	l.last = number
	return why, r.end, err
}

func readAll(on vfs.FS, path string) ([]byte, error) {
	f, err := on.Open(path, vfs.SequentialReadsOption)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// cutFile hides the damaged part of a log.
type cutFile struct {
	vfs.File
	left int64
}

// Read is for vfs.File.
func (f *cutFile) Read(b []byte) (int, error) {
	if f.left <= 0 {
		return 0, io.EOF
	}
	n, err := f.File.Read(b[:min(int64(len(b)), f.left)])
	f.left -= int64(n)
	return n, err
}
